// The name of a run on pages: its label, else its day and seed.
#pragma once

#include <string>

#include "harness/results/row_values.h"

namespace anecheck {

// `run --label`, as the run's options hold it; empty for none.
std::string LabelOf(const RunRow& run);
// LabelOf, else "2026-01-02, seed 7". The text may come from another machine and is not trusted.
std::string RunName(const RunRow& run);

}  // namespace anecheck
