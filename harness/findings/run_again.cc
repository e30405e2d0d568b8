#include "harness/findings/run_again.h"

#include <utility>
#include <vector>

#include "harness/judging/isolate.h"
#include "harness/judging/lean_watch.h"
#include "harness/runners/late_reply.h"

namespace anecheck {
namespace {

// Exceeds the 128 programs that a process may load (specification 001, section 5.4).
constexpr int kMostInTurn = 160;

}  // namespace

bool ShowsAfterMany(Verdict verdict) {
  return verdict == Verdict::kMemoryGrowth || verdict == Verdict::kSlotLeak;
}

Result<AnsweredCase> AnswerAgain(const Case& item, Verdict recorded, Runner& runner,
                                 Evaluation& evaluation) {
  const int most = ShowsAfterMany(recorded) ? kMostInTurn : 1;
  auto* late = dynamic_cast<LateReplies*>(&runner.Inner());
  if (late != nullptr) late->Linger(recorded == Verdict::kGarbled);
  const RunRequest request = RequestOf(item);
  for (int turn = 1;; ++turn) {
    ANECHECK_ASSIGN(std::vector<RunReply> replies, runner.Run({&request, 1}));
    CaseOutcome outcome = JudgeCase(item, replies[0], evaluation);
    ANECHECK_RETURN_IF_ERROR(Refine(item, replies[0], runner, evaluation, outcome));
    ANECHECK_RETURN_IF_ERROR(ChargeDefect(item, replies[0], runner, evaluation, outcome));
    ANECHECK_RETURN_IF_ERROR(Isolate(item, runner, outcome));
    if (recorded == Verdict::kBiased) TellLean(outcome);
    if (turn < most && outcome.verdict() != recorded) continue;
    return AnsweredCase{std::move(outcome), std::move(replies[0])};
  }
}

Result<CaseOutcome> RunAgain(const Case& item, Verdict recorded, Runner& runner,
                             Evaluation& evaluation) {
  ANECHECK_ASSIGN(AnsweredCase answered, AnswerAgain(item, recorded, runner, evaluation));
  return std::move(answered.outcome);
}

}  // namespace anecheck
