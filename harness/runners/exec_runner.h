// Runs cases through an external program in any language, with JSON lines on its standard input and
// output and tensors in .npz files (harness/runners/PROTOCOL.md). The evidence is `reported`.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/file.h"
#include "harness/runners/exec_protocol.h"
#include "harness/runners/late_reply.h"
#include "harness/runners/runner.h"
#include "harness/runners/subprocess.h"

namespace anecheck {

struct ExecOptions {
  std::string command;           // split into words as SplitCommand does; no shell is involved
  int start_timeout_ms = 30000;  // for the answer to the hello
  int case_timeout_ms = 20000;   // for one case
  uint64_t memory_limit = uint64_t{8} << 30;  // resident bytes; 0 for none
};

// Runs one program with one pending request at a time, so that the death of the program can be
// charged to the pending case. If a case of a batch (version 2) shows misconduct, all cases of the
// batch run again one by one. A program that dies, does not answer, uses too much memory or breaks
// the protocol is replaced. A reply counts only for the request with its unique id. A second reply
// to a case is a fault of that case, even if it arrives late.
class ExecRunner final : public Runner, public LateReplies {
 public:
  explicit ExecRunner(ExecOptions options);
  ~ExecRunner() override;

  Result<RunnerIdentity> Identify() override;
  Result<std::vector<RunReply>> Run(std::span<const RunRequest> requests) override;
  Status Restart() override;
  void StopWhen(const std::atomic<bool>* stop) override { stop_ = stop; }
  std::vector<LateReply> TakeLate(bool last) override;
  void Linger(bool on) override { linger_ = on; }

  // The number of processes started so far.
  int started() const { return started_; }

 private:
  Status EnsureStarted();
  Status ReadHello();
  // The index and the reply of a case that showed misconduct in a batch.
  struct Broken {
    size_t place = 0;
    RunReply reply;
  };
  size_t BatchSize(std::span<const RunRequest> rest) const;
  Status CheckTarget(const RunRequest& request) const;
  Status RunNext(const RunRequest& request);
  Status RunBatch(std::span<const RunRequest> requests);
  Result<std::optional<Broken>> RunTogether(std::span<const RunRequest> requests);
  void Keep(RunReply reply);
  Result<RunReply> RunShapes(const RunRequest& request);
  Result<RunReply> RunOne(const RunRequest& request);
  Result<ExecCase> Prepare(const RunRequest& request, size_t place);
  void RemoveFiles(const ExecCase& item);
  bool IsStopped() const { return stop_ != nullptr && stop_->load(); }
  Subprocess::ReadState ReadReply(Subprocess::Clock::time_point deadline, std::string& line);
  bool Ask(std::span<const ExecCase> cases);
  RunReply Await(const ExecCase& item);
  bool IsFinished(std::string_view line, uint64_t id) const;
  void NoteStray(std::string_view line);
  void Drain(Subprocess::Clock::time_point deadline);
  void AwaitOneMore();
  RunReply Ended(uint64_t id, Subprocess::ReadState state);

  ExecOptions options_;
  std::optional<Subprocess> process_;
  std::optional<TempDirectory> folder_;
  ExecHello hello_;
  std::optional<ExecHello> first_hello_;  // later hellos must equal it
  int started_ = 0;
  int failed_starts_ = 0;
  uint64_t last_id_ = 0;  // the last id used, over all processes
  // State of the current Run(): the replies so far, the index of each reply by the id of its
  // request, and the misconduct to add to the next reply.
  std::vector<RunReply> replies_;
  std::map<uint64_t, size_t> asked_;
  std::vector<Misconduct> stray_;
  // State over all runs: the caller's number of each request, at index id - 1; the caller's number
  // of the request that this process answered last; and the replies that came after the end of
  // their run.
  std::vector<uint64_t> numbers_;
  std::optional<uint64_t> answered_;
  std::vector<LateReply> late_;
  bool linger_ = false;
  const std::atomic<bool>* stop_ = nullptr;
};

}  // namespace anecheck
