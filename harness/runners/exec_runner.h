// Runs cases through an external program of any language: JSON lines over its standard input and
// output, tensors as .npz files (scripts/examples/README.md). What it answers is reported evidence.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/file.h"
#include "harness/runners/exec_protocol.h"
#include "harness/runners/runner.h"
#include "harness/runners/subprocess.h"

namespace anecheck {

struct ExecOptions {
  std::string command;           // split into words as SplitCommand does; no shell is involved
  int start_timeout_ms = 30000;  // for the answer to the hello
  int case_timeout_ms = 20000;   // for one case
  uint64_t memory_limit = uint64_t{8} << 30;  // resident bytes; 0 for none
};

// One program, one request on its way at a time, so that a death belongs to the case it met. A
// program that dies, falls silent, grows too large or breaks the protocol is replaced.
class ExecRunner final : public Runner {
 public:
  explicit ExecRunner(ExecOptions options);
  ~ExecRunner() override;

  Result<RunnerIdentity> Identify() override;
  Result<std::vector<RunReply>> Run(std::span<const RunRequest> requests) override;
  Status Restart() override;

  // How many processes were started so far.
  int started() const { return started_; }

 private:
  Status EnsureStarted();
  Status ReadHello();
  Result<RunReply> RunOne(const RunRequest& request);
  Result<ExecFiles> WriteFiles(const RunRequest& request);
  RunReply Answer(const RunRequest& request, const ExecFiles& files);
  RunReply Ended(uint64_t id, Subprocess::ReadState state);
  RunReply Accept(const RunRequest& request, const ExecFiles& files, ExecReply reply);

  ExecOptions options_;
  std::optional<Subprocess> process_;
  std::optional<TempDirectory> folder_;
  ExecHello hello_;
  int started_ = 0;
  int failed_starts_ = 0;
};

// The backend that the analytics file `path` of a reply names: "ane", "bnns". The file must stand
// in `folder`, be a regular file, and begin as MIL text does. Errors: kInvalid with the reason,
// also for analytics that the simulated engine wrote.
Result<std::string> CheckProof(const std::string& path, const std::string& folder);

}  // namespace anecheck
