// Two runners side by side: each case is answered by the first, and the second's answer goes with
// it.
#pragma once

#include <memory>
#include <utility>

#include "harness/runners/runner.h"

namespace anecheck {

// Every reply of `first` carries the answer of `second` to the same request. The identity is that
// of `first`, but for the operations: those that both compute. Errors of either end a Run().
class AgainstRunner final : public Runner {
 public:
  AgainstRunner(std::unique_ptr<Runner> first, std::unique_ptr<Runner> second)
      : first_(std::move(first)), second_(std::move(second)) {}

  Result<RunnerIdentity> Identify() override;
  Result<std::vector<RunReply>> Run(std::span<const RunRequest> requests) override;
  Status Restart() override;
  void StopWhen(const std::atomic<bool>* stop) override;
  Runner& Inner() override { return first_->Inner(); }

 private:
  std::unique_ptr<Runner> first_;
  std::unique_ptr<Runner> second_;
};

}  // namespace anecheck
