// The worker process: it loads an engine and runs the cases it is handed, so that a crash, a hang
// or spoiled memory affects only one process and one case.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/runners/engine_file.h"
#include "harness/runners/runner.h"

namespace anecheck {

enum class EngineKind : uint8_t;
struct E5rtLibrary;
struct WireReply;

// One quirk of the simulated engine forced on or off.
struct QuirkSetting {
  std::string id;  // "D01" or "all"
  bool on = false;
};

struct WorkerOptions {
  std::string library;  // path of the engine; empty takes DefaultEspressoPath()
  std::vector<QuirkSetting> quirks;
  std::vector<std::string> faults;
  int case_timeout_ms = 20000;  // without an answer for one case; 20 s covers a cold compile
  uint64_t memory_limit = uint64_t{8} << 30;  // resident bytes of a worker; 0 for none
  // Bytes of memory for the requests that are handed to a worker at a time, and as much for their
  // replies. A case that needs more gets a worker with more memory, up to `most_area`; a larger
  // case is not run.
  uint64_t area_size = uint64_t{64} << 20;
  uint64_t most_area = uint64_t{2} << 30;
  // Replies carry the files that the compiler wrote. Only for the simulated engine.
  bool keep_files = false;
  // The simulated engine answers without its mark: its results are judged like those of a real
  // engine, and its evidence is `reported`. Only for measurements of the harness.
  bool unmarked = false;
};

// The first argument that makes the executable a worker instead of the tool.
inline constexpr const char* kWorkerArgument = "--anecheck-worker";

// The worker's main function. `argv` is the command line that the campaign wrote. Returns the exit
// code. Any executable that starts workers must call this function at the start of main if argv[1]
// is kWorkerArgument. `probe` is the function of a process that is started for a probe of calls
// (harness/probe); null if the executable starts none.
using ProbeMain = int (*)(const E5rtLibrary& engine, std::string_view target,
                          std::string_view name);
int WorkerMain(int argc, char** argv, ProbeMain probe = nullptr);

// The command for `--runner exec:` that starts this executable as a program of the exec protocol
// over the engine of `options` (exec_program.h).
std::string ExecCommandOf(const WorkerOptions& options);

// Runs cases in worker processes started from this executable (posix_spawn, never fork). A dead or
// silent worker is replaced; its case is reported as the cause and the others continue. A worker
// without a free program slot is replaced too: the next worker runs the case whose load failed, and
// the reply says so. A worker that loads another engine than the first worker ends the run with
// kInternal.
class E5rtRunner final : public Runner {
 public:
  explicit E5rtRunner(WorkerOptions options);
  ~E5rtRunner() override;

  Result<RunnerIdentity> Identify() override;
  Result<std::vector<RunReply>> Run(std::span<const RunRequest> requests) override;
  Status Restart() override;
  void StopWhen(const std::atomic<bool>* stop) override { stop_ = stop; }

  // The number of worker processes started so far.
  int workers_started() const { return workers_started_; }

 private:
  class Process;
  struct Batch;
  Status EnsureStarted();
  Status MakeRoom(const RunRequest& request);
  Status TakeEngine(EngineKind kind, const std::string& text, const EngineFile& file);
  Status RunSome(Batch& batch);
  size_t HandOver(const Batch& batch);
  int Await();
  Result<bool> TakeReplies(size_t count, Batch& batch);
  // The reply of the case at which a worker ended or was ended; `what` is the result of Await,
  // `step` the step of the case.
  RunReply Ended(uint64_t id, int what, Step step, const std::string& end) const;
  RunReply Convert(const RunRequest& request, WireReply reply) const;

  WorkerOptions options_;
  bool IsStopped() const { return stop_ != nullptr && stop_->load(); }

  std::unique_ptr<Process> process_;
  RunnerIdentity identity_;  // `runner` is empty before the first worker
  EngineFile file_;
  int workers_started_ = 0;
  const std::atomic<bool>* stop_ = nullptr;
};

}  // namespace anecheck
