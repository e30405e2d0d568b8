// The name of a run on pages: its label, or else its day and seed.
#pragma once

#include <string>

#include "harness/results/row_values.h"

namespace anecheck {

// Returns the value of `run --label` from the run's options; empty if there is none.
std::string LabelOf(const RunRow& run);
// Returns LabelOf, or else "2026-01-02, seed 7". The text may come from another machine and is not
// trusted.
std::string RunName(const RunRow& run);

}  // namespace anecheck
