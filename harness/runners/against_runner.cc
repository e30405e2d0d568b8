#include "harness/runners/against_runner.h"

#include <algorithm>

namespace anecheck {

Result<RunnerIdentity> AgainstRunner::Identify() {
  ANECHECK_ASSIGN(RunnerIdentity identity, first_->Identify());
  ANECHECK_ASSIGN(const RunnerIdentity other, second_->Identify());
  if (identity.ops.empty()) identity.ops = other.ops;
  if (other.ops.empty()) return identity;
  std::erase_if(identity.ops, [&](const std::string& name) {
    return std::ranges::find(other.ops, name) == other.ops.end();
  });
  // Callers would take an empty list for all operations.
  if (identity.ops.empty()) {
    return MakeError(ErrorCode::kInvalid,
                     "--against: the two runners compute no operation in common, by their hellos");
  }
  return identity;
}

Result<std::vector<RunReply>> AgainstRunner::Run(std::span<const RunRequest> requests) {
  ANECHECK_ASSIGN(const RunnerIdentity identity, second_->Identify());
  ANECHECK_ASSIGN(std::vector<RunReply> replies, first_->Run(requests));
  ANECHECK_ASSIGN(std::vector<RunReply> others, second_->Run(requests));
  for (size_t i = 0; i < replies.size(); ++i) {
    RunReply& other = others[i];
    replies[i].other = {.engine = identity.engine,
                        .status = other.status,
                        .message = std::move(other.message),
                        .outputs = std::move(other.outputs)};
  }
  return replies;
}

Status AgainstRunner::Restart() {
  ANECHECK_RETURN_IF_ERROR(first_->Restart());
  return second_->Restart();
}

void AgainstRunner::StopWhen(const std::atomic<bool>* stop) {
  first_->StopWhen(stop);
  second_->StopWhen(stop);
}

}  // namespace anecheck
