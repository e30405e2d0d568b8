// A runner that sends each case to two runners. The reply is that of the first runner, and it also
// contains the answer of the second.
#pragma once

#include <memory>
#include <utility>

#include "harness/runners/runner.h"

namespace anecheck {

// Adds the answer of `second` to every reply of `first` to the same request. The identity is that
// of `first`, with only the operations that both compute. Run() fails if either runner does.
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
