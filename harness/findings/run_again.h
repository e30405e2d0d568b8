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
// to 160 times in turn, until it has that verdict again. After a case whose recorded verdict is
// garbled the runner waits, because a second reply may come late. For a biased finding the message
// states the lean of the case; the verdict is that of the case alone. Errors: those of the runner.
Result<AnsweredCase> AnswerAgain(const Case& item, Verdict recorded, Runner& runner,
                                 Evaluation& evaluation);
// As AnswerAgain, but returns only the outcome.
Result<CaseOutcome> RunAgain(const Case& item, Verdict recorded, Runner& runner,
                             Evaluation& evaluation);

}  // namespace anecheck
