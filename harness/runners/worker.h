// The worker process. It loads an engine and runs the cases that the campaign sends, so that a
// crash, a hang or corrupted memory affects only one process and one case.
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

// A setting that forces a quirk of the simulated engine on or off.
struct QuirkSetting {
  std::string id;  // "D01" or "all"
  bool on = false;
};

struct WorkerOptions {
  std::string library;  // path of the engine; if empty, DefaultEspressoPath()
  std::vector<QuirkSetting> quirks;
  std::vector<std::string> faults;
  int case_timeout_ms = 20000;                // to wait for one reply; 20 s covers a cold compile
  uint64_t memory_limit = uint64_t{8} << 30;  // resident bytes of a worker; 0 for none
  // `area_size` is the size in bytes of the memory for the requests of one batch, and also of the
  // memory for their replies. For a case that needs more, a worker with larger memory is started,
  // up to `most_area`. A still larger case is not run.
  uint64_t area_size = uint64_t{64} << 20;
  uint64_t most_area = uint64_t{2} << 30;
  // Replies carry the files that the compiler wrote. Only for the simulated engine.
  bool keep_files = false;
  // The worker reports the simulated engine as another engine. Its results are then judged like
  // those of a real engine, and its evidence is `reported`. Only for measurements of the harness.
  bool unmarked = false;
};

// With this first argument the executable is a worker, not the tool.
inline constexpr const char* kWorkerArgument = "--anecheck-worker";

// The worker's main function. `argv` is the command line that the campaign wrote. Returns the exit
// code. Any executable that starts workers must call this function at the start of main if argv[1]
// is kWorkerArgument. `probe` runs in a process that is started for a probe of calls
// (harness/probe); null if the executable starts no such process.
using ProbeMain = int (*)(const E5rtLibrary& engine, std::string_view target,
                          std::string_view name);
int WorkerMain(int argc, char** argv, ProbeMain probe = nullptr);

// Returns the command for `--runner exec:` that starts this executable as a program of the exec
// protocol, with the engine of `options` (exec_program.h).
std::string ExecCommandOf(const WorkerOptions& options);

// Runs cases in worker processes, which it starts from this executable with posix_spawn, never
// fork. A worker that dies or does not answer is replaced. The reply to its current case reports
// that, and the other cases continue. A worker without a free program slot is replaced too. The
// next worker then runs the case whose load failed, and the reply reports the failed load. If a
// worker loads a different engine from that of the first worker, the run ends with kInternal.
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
  // Returns the reply to the case during which a worker ended or was killed. `what` is the result
  // of Await, `step` is the step of the case, and `end` describes how the worker ended.
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
