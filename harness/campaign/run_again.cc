#include "harness/campaign/run_again.h"

#include <vector>

namespace anecheck {
namespace {

// Above the 128 programs that a process may load (specification 001, section 5.4).
constexpr int kMostInTurn = 160;

}  // namespace

Result<CaseOutcome> RunAgain(const Case& item, std::string_view recorded, Runner& runner,
                             Evaluation& evaluation) {
  const bool of_many = recorded == MisconductName(MisconductKind::kMemoryGrowth) ||
                       recorded == MisconductName(MisconductKind::kSlotLeak);
  const RunRequest request = RequestOf(item);
  for (int turn = 1;; ++turn) {
    ANECHECK_ASSIGN(const std::vector<RunReply> replies, runner.Run({&request, 1}));
    CaseOutcome outcome = JudgeCase(item, item.route, replies[0], evaluation);
    ANECHECK_RETURN_IF_ERROR(Refine(item, replies[0], runner, evaluation, outcome));
    if (!of_many || turn == kMostInTurn || outcome.record.verdict == recorded) return outcome;
  }
}

}  // namespace anecheck
