// Runs one recorded case again, for confirmations, `anecheck replay` and `anecheck shrink`.
#pragma once

#include "harness/base/result.h"
#include "harness/cases/case.h"
#include "harness/judging/judge_case.h"
#include "harness/runners/runner.h"
#include "oracles/oracle.h"

namespace anecheck {

// Returns whether a verdict shows only after many cases in one process, because a resource grows or
// runs out.
bool ShowsAfterMany(Verdict verdict);

struct AnsweredCase {
  CaseOutcome outcome;
  RunReply reply;
};
// Runs and judges the case. If the recorded verdict shows only after many cases, the case runs up
// to 160 times in one process, until it has that verdict again. If the recorded verdict is garbled,
// the runner waits after the case, because a second reply may come late. For a biased finding the
// message states the case's lean, but the verdict is the case's own. Errors: those of the runner.
Result<AnsweredCase> AnswerAgain(const Case& item, Verdict recorded, Runner& runner,
                                 Evaluation& evaluation);
// As AnswerAgain, but returns only the outcome.
Result<CaseOutcome> RunAgain(const Case& item, Verdict recorded, Runner& runner,
                             Evaluation& evaluation);

}  // namespace anecheck
