#include "harness/campaign/run_again.h"

#include <utility>
#include <vector>

#include "harness/campaign/lean_watch.h"
#include "harness/runners/late_reply.h"

namespace anecheck {
namespace {

// Above the 128 programs that a process may load (specification 001, section 5.4).
constexpr int kMostInTurn = 160;

}  // namespace

bool ShowsAfterMany(std::string_view verdict) {
  return verdict == MisconductName(MisconductKind::kMemoryGrowth) ||
         verdict == MisconductName(MisconductKind::kSlotLeak);
}

Result<AnsweredCase> AnswerAgain(const Case& item, std::string_view recorded, Runner& runner,
                                 Evaluation& evaluation) {
  const int most = ShowsAfterMany(recorded) ? kMostInTurn : 1;
  auto* late = dynamic_cast<LateReplies*>(&runner);
  if (late != nullptr) late->Linger(recorded == MisconductName(MisconductKind::kStrayReply));
  const RunRequest request = RequestOf(item);
  for (int turn = 1;; ++turn) {
    ANECHECK_ASSIGN(std::vector<RunReply> replies, runner.Run({&request, 1}));
    CaseOutcome outcome = JudgeCase(item, item.route, replies[0], evaluation);
    ANECHECK_RETURN_IF_ERROR(Refine(item, replies[0], runner, evaluation, outcome));
    ANECHECK_RETURN_IF_ERROR(ChargeDefect(item, replies[0], runner, evaluation, outcome));
    if (recorded == kBiased) TellLean(outcome);
    if (turn < most && outcome.record.verdict != recorded) continue;
    return AnsweredCase{std::move(outcome), std::move(replies[0])};
  }
}

Result<CaseOutcome> RunAgain(const Case& item, std::string_view recorded, Runner& runner,
                             Evaluation& evaluation) {
  ANECHECK_ASSIGN(AnsweredCase answered, AnswerAgain(item, recorded, runner, evaluation));
  return std::move(answered.outcome);
}

}  // namespace anecheck
