// Runs one recorded case again, for confirmations, `anecheck replay` and `anecheck shrink`.
#pragma once

#include "harness/base/result.h"
#include "harness/cases/case.h"
#include "harness/judging/judge_case.h"
#include "harness/runners/runner.h"
#include "oracles/oracle.h"

namespace anecheck {

// Whether a verdict shows only after many cases in one process: a resource that grows or runs out.
bool ShowsAfterMany(Verdict verdict);

struct AnsweredCase {
  CaseOutcome outcome;
  RunReply reply;
};
// Runs and judges the case. If the recorded verdict shows only after many, it is run up to 160
// times in turn, until it has that verdict again. A second reply may come late: one whose verdict
// is garbled is lingered at. For a biased finding the message says how the case leans; the verdict
// is that of the case alone. Errors: those of the runner.
Result<AnsweredCase> AnswerAgain(const Case& item, Verdict recorded, Runner& runner,
                                 Evaluation& evaluation);
// Its outcome alone.
Result<CaseOutcome> RunAgain(const Case& item, Verdict recorded, Runner& runner,
                             Evaluation& evaluation);

}  // namespace anecheck
