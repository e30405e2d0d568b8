// The interface between campaigns and the engine that runs a graph: the real engine, the simulated
// one, an encoder round trip or an external program.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/graph/graph.h"
#include "harness/runners/plan.h"
#include "harness/verdict/provenance.h"
#include "harness/verdict/route.h"
#include "harness/verdict/run_status.h"
#include "harness/verdict/verdict.h"

namespace anecheck {

// The largest size in bytes of analytics that are kept as the proof of a placement.
inline constexpr uint64_t kLongestProof = uint64_t{1} << 20;

// A fault that an engine or program shows besides its answer. The answer of the case stays valid.
// The verdict is kSlow, kStrayOutput, kMemoryGrowth, kSlotLeak, kStrayWrite, kGarbled (a reply that
// answers no pending request) or kNotRepeatable.
struct Misconduct {
  Verdict verdict = Verdict::kStrayOutput;
  std::string message;  // one line
  uint32_t output = 0;  // kNotRepeatable: index of the graph's output
};

// The identity of a runner. Callers ask for it once, before the first case.
struct RunnerIdentity {
  std::string runner;  // "e5rt", "roundtrip", "exec:..."
  Provenance provenance = Provenance::kReported;
  // The provenance of a run in which every answer has a checked proof.
  std::optional<Provenance> proved = std::nullopt;
  std::string engine;  // the engine's own version text
  std::string chip;    // empty if unknown
  std::string os;
  std::string compiler_version;  // empty if unknown
  // The content of the engine's file (engine_file.h); empty if it is not known.
  std::string content = {};
  bool is_ane = true;                 // if false, no contract of a chip applies (`--contract`)
  std::vector<std::string> ops = {};  // the operations it computes; empty if unknown
  // Only graphs on which the engine saves at least this many predicted microseconds are drawn.
  uint64_t least_saving_us = 0;
};

// A further shape for a program with a range of shapes. `graph` and `inputs` have the extents of
// this shape.
struct RunShape {
  Graph graph;
  std::vector<Tensor> inputs;
};

// The files that the compiler wrote for a program. A file is empty if there is none.
struct CompilerFiles {
  std::vector<uint8_t> descriptor;
  std::vector<uint8_t> container;
};

// The settings of an execution. The request passes them to the worker as one struct (wire.cc), so
// that a new setting is added only here.
struct RunSettings {
  // Executes the same program a second time. If the second execution has the same inputs, the
  // second outputs of a graph with states are returned, and those of any other graph are compared
  // with the first outputs.
  bool repeat = false;
};

// One case. The objects that it refers to must outlive the call.
struct RunRequest {
  uint64_t id = 0;          // the caller's number, echoed in the reply
  std::string_view target;  // "h13"
  std::string_view mil;     // MIL text of the graph
  const Graph* graph = nullptr;
  std::span<const Tensor> inputs;  // in the order of the graph's inputs
  // The weight file that `mil` names (graph_to_mil.h); empty for none.
  std::span<const uint8_t> mil_weights = {};
  // For a network description: the route kNetlist, the property list and its weight file. The
  // engine then compiles the description. The MIL text is still present, but not used.
  Route route = Route::kMil;
  std::string_view netlist = {};
  std::span<const uint8_t> netlist_weights = {};
  // If not empty, the MIL text of a program with a range of shapes, which replaces `mil`. It is
  // compiled once and executed at the shape of `graph` and at each shape of `further`. Runners
  // without support for ranges run `mil`.
  std::string_view ranged_mil = {};
  std::span<const RunShape> further = {};
  RunSettings settings = {};
  // If not empty, the inputs of the second execution, with the order and types of `inputs`. The
  // results of the second execution are then returned too.
  std::span<const Tensor> again = {};
};

// Returns whether the outputs of a second execution are returned. Otherwise they are compared.
bool GivesSecond(const RunRequest& request);

// The answer of a second runner to the same request (against_runner.h).
struct OtherAnswer {
  std::string engine;  // its version text
  RunStatus status = RunStatus::kFailed;
  std::string message;
  std::vector<Tensor> outputs;
};

struct RunReply {
  uint64_t id = 0;
  RunStatus status = RunStatus::kFailed;
  Step step = Step::kNone;  // the step at which it stopped
  std::string message;      // the engine's own message, one line
  // With kRejected: the runner does not support some operation of the graph, so the refusal is no
  // evidence about a real engine.
  bool no_kernel = false;
  // With no_kernel: the operation that lacks a kernel, and the message without the operation's
  // name. Both are empty if the runner does not report them separately.
  std::string refused_op = {}, reason = {};
  std::string backend;  // the backend that analytics prove: "ane", "bnns"; else empty
  // The analytics themselves, unless the simulated engine wrote them or they exceed kLongestProof.
  std::string proof = {};
  // The device of each operation, as an external program reports it; empty if it reports none. The
  // plan does not prove that the program ran on these devices.
  std::vector<PlannedOp> plan = {};
  uint64_t compile_us = 0;
  uint64_t run_us = 0;
  std::vector<Tensor> outputs;  // kOk: in the order of the graph's outputs
  // kOk: the outputs of the same model on the CPU alone; empty if the runner returns none.
  std::vector<Tensor> cpu_outputs = {};
  // kOk: the outputs of each further execution. The outputs of the second execution come first if
  // GivesSecond(), then those at each further shape. Empty if the runner made no further execution.
  std::vector<std::vector<Tensor>> further = {};
  // The compiler's files, if the runner keeps them.
  std::optional<CompilerFiles> files = std::nullopt;
  bool verified = false;  // kOk: the runner made the comparison itself; there are no outputs
  std::vector<Misconduct> misconduct = {};
  std::optional<OtherAnswer> other = std::nullopt;
};

// Returns whether both replies agree on the placement: they prove the same backend, and their plans
// agree on whether some operation is on a device other than the engine.
bool SamePlacement(const RunReply& a, const RunReply& b);

// Not thread-safe: one thread at a time uses an implementation.
class Runner {
 public:
  virtual ~Runner() = default;

  virtual Result<RunnerIdentity> Identify() = 0;

  // Runs every request and returns one reply for each, in the same order. If a request kills or
  // hangs the engine, the reply to it reports that, and the other replies are not affected. An
  // Error means that the runner cannot continue. A failure of the harness, such as a full disk, is
  // an Error and never an answer of the engine.
  virtual Result<std::vector<RunReply>> Run(std::span<const RunRequest> requests) = 0;

  // Replaces the process or state of the runner by a fresh one. Callers use it before they try to
  // reproduce a finding.
  virtual Status Restart() = 0;

  // Makes Run() end with kInterrupted soon after `*stop` becomes true, in runners whose
  // cases may take long. `stop` must outlive the runner; null removes it.
  virtual void StopWhen(const std::atomic<bool>* stop) { static_cast<void>(stop); }

  // Returns the runner that makes the replies, which is the wrapped runner for a wrapper. Callers
  // use it to reach further interfaces of that runner.
  virtual Runner& Inner() { return *this; }
};

// Returns the Error of a Run() that was stopped.
Error Stopped();

}  // namespace anecheck
