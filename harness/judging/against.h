// Compares two runners' answers to one case bit by bit.
#pragma once

#include "harness/cases/case.h"
#include "harness/judging/judge_case.h"
#include "harness/runners/runner.h"

namespace anecheck {

// Makes the outcome at least `differs` if the second runner of a reply returned different outputs
// or none. Two NaN are equal, whatever their payloads. Compares nothing if the second runner does
// not support the case, or if the first runner returned no outputs.
void JudgeOther(const Case& item, const RunReply& reply, CaseOutcome& outcome);

// Charges a case that differs to the first operation whose result differs. Runs the graph once
// more, with every result as an output, to find this operation. Leaves the outcome unchanged if
// that run shows no difference. Errors: those of the runner.
Status LocateDifference(const Case& item, Runner& runner, CaseOutcome& outcome);

}  // namespace anecheck
