// The name of a run in reports.
#pragma once

#include <string>

#include "harness/results/row_values.h"

namespace anecheck {

// Returns the value of `run --label` from the run's options; empty if there is none.
std::string LabelOf(const RunRow& run);
// Returns the run's label or, if it has none, a text such as "2026-01-02, seed 7". The text may
// come from another machine and must not be trusted.
std::string RunName(const RunRow& run);

}  // namespace anecheck
