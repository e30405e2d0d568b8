// Two runners side by side: the first answers each case, and its reply carries the answer of the
// second.
#pragma once

#include <memory>
#include <utility>

#include "harness/runners/runner.h"

namespace anecheck {

// Every reply of `first` carries the answer of `second` to the same request. The identity is that
// of `first`, with only the operations that both compute. An error of either runner ends a Run().
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
