// Two runners' answers to one case, bit by bit.
#pragma once

#include "harness/cases/case.h"
#include "harness/judging/judge_case.h"
#include "harness/runners/runner.h"

namespace anecheck {

// Makes the outcome at least `differs` if the second runner of a reply gave other outputs, or none.
// NaN equals NaN whatever its payload. Nothing is compared if the second runner does not take the
// case, or if the first gave no outputs.
void JudgeOther(const Case& item, const RunReply& reply, CaseOutcome& outcome);

// Charges a case that differs to the first operation whose result differs, by one run with every
// result as an output. The outcome stays if that run shows none. Errors: those of the runner.
Status LocateDifference(const Case& item, Runner& runner, CaseOutcome& outcome);

}  // namespace anecheck
