// Compares two runners' answers to one case bit by bit.
#pragma once

#include "harness/cases/case.h"
#include "harness/judging/judge_case.h"
#include "harness/runners/runner.h"

namespace anecheck {

// Makes the outcome at least `differs` if the second runner of a reply returned different outputs,
// or none. NaN equals NaN whatever its payload. Compares nothing if the second runner does not
// support the case, or if the first returned no outputs.
void JudgeOther(const Case& item, const RunReply& reply, CaseOutcome& outcome);

// Charges a case that differs to the first operation whose result differs. One run with every
// result as an output finds this operation. The outcome stays unchanged if that run shows no
// difference. Errors: those of the runner.
Status LocateDifference(const Case& item, Runner& runner, CaseOutcome& outcome);

}  // namespace anecheck
