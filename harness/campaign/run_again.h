// One recorded case again: what confirmations and `anecheck replay` do.
#pragma once

#include <string_view>

#include "harness/base/result.h"
#include "harness/campaign/campaign.h"
#include "harness/campaign/judge_case.h"
#include "harness/runners/runner.h"
#include "oracles/oracle.h"

namespace anecheck {

// Runs and judges the case. What grows or runs out shows only after many cases in one process: a
// case whose recorded verdict is memory-growth or slot-leak is run up to 160 times in turn, until
// it has that verdict again. Errors: those of the runner.
Result<CaseOutcome> RunAgain(const Case& item, std::string_view recorded, Runner& runner,
                             Evaluation& evaluation);

}  // namespace anecheck
