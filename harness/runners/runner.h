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

// Analytics of more bytes are not kept as the proof of a placement.
inline constexpr uint64_t kLongestProof = uint64_t{1} << 20;

// A fault of the engine or program in addition to its answer. The case keeps the answer. The
// verdict is kSlow, kStrayOutput, kMemoryGrowth, kSlotLeak, kStrayWrite, kGarbled (a reply that
// answers no pending request) or kNotRepeatable.
struct Misconduct {
  Verdict verdict = Verdict::kStrayOutput;
  std::string message;  // one line
  uint32_t output = 0;  // kNotRepeatable: index of the graph's output
};

// The identity of a runner, asked once before the first case.
struct RunnerIdentity {
  std::string runner;  // "e5rt", "roundtrip", "exec:..."
  Provenance provenance = Provenance::kReported;
  // The evidence of a run in which every answer has a checked proof.
  std::optional<Provenance> proved = std::nullopt;
  std::string engine;  // the engine's own version text
  std::string chip;    // empty if unknown
  std::string os;
  std::string compiler_version;  // empty if unknown
  // The content of the engine's file (engine_file.h); empty if it is not known.
  std::string content = {};
  bool is_ane = true;                 // else no contract of a chip applies (`--contract`)
  std::vector<std::string> ops = {};  // the operations it computes; empty if unknown
  // Only graphs are drawn whose predicted saving on the engine, in microseconds, is at least this.
  uint64_t least_saving_us = 0;
};

// A further shape for a program with a range of shapes: the graph with the extents of this shape,
// and inputs with these extents.
struct RunShape {
  Graph graph;
  std::vector<Tensor> inputs;
};

// The compiler's files for a program: the dispatch descriptor and the hardware container, each
// empty if there is none.
struct CompilerFiles {
  std::vector<uint8_t> descriptor;
  std::vector<uint8_t> container;
};

// How a program is executed. It is passed as a whole from the request to the worker (wire.cc), so
// that a new setting is added only here.
struct RunSettings {
  // Executes the same program a second time. If the second execution has the same inputs, the
  // second outputs of a graph with states are returned, and those of any other graph are compared
  // with the first outputs.
  bool repeat = false;
};

// One case. Everything referred to must outlive the call.
struct RunRequest {
  uint64_t id = 0;          // the caller's number, echoed in the reply
  std::string_view target;  // "h13"
  std::string_view mil;     // MIL text of the graph
  const Graph* graph = nullptr;
  std::span<const Tensor> inputs;  // in the order of the graph's inputs
  // The weight file that `mil` names (graph_to_mil.h); empty for none.
  std::span<const uint8_t> mil_weights = {};
  // For direct authoring: the route kNetlist, the property list and its weight file. The
  // description is then compiled instead of the MIL text, which is still present.
  Route route = Route::kMil;
  std::string_view netlist = {};
  std::span<const uint8_t> netlist_weights = {};
  // If this is not empty, it is a program with a range of shapes that replaces `mil`. It is
  // compiled once and runs at the shapes of `graph` and of each of `further`. Runners without
  // support for ranges run `mil`.
  std::string_view ranged_mil = {};
  std::span<const RunShape> further = {};
  RunSettings settings = {};
  // If not empty, the inputs of the second execution, in the order and of the types of `inputs`;
  // its results are then returned too.
  std::span<const Tensor> again = {};
};

// Whether the outputs of a second execution are returned rather than compared.
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
  // With kRejected, true if the simulated engine has no kernel for some operation. Such a refusal
  // is no evidence about a real engine.
  bool no_kernel = false;
  // With no_kernel: the operation that lacks a kernel, and the message without its name. Empty if
  // the runner does not tell them apart.
  std::string refused_op = {}, reason = {};
  std::string backend;  // as proved by the engine's analytics: "ane", "bnns"; empty if unproved
  // The analytics themselves, unless the simulated engine wrote them or they exceed kLongestProof.
  std::string proof = {};
  // The device of each operation as an external program reports it; empty if it reports none. The
  // plan is no proof that the program ran on these devices.
  std::vector<PlannedOp> plan = {};
  uint64_t compile_us = 0;
  uint64_t run_us = 0;
  std::vector<Tensor> outputs;  // kOk: in the order of the graph's outputs
  // kOk: the outputs of the same model on the CPU alone; empty if the runner returns none.
  std::vector<Tensor> cpu_outputs = {};
  // kOk: the outputs of each further execution: the second one if GivesSecond, then those at
  // further shapes. Empty if the runner made none.
  std::vector<std::vector<Tensor>> further = {};
  // The compiler's files, if the runner keeps them.
  std::optional<CompilerFiles> files = std::nullopt;
  bool verified = false;  // kOk: the runner compared by itself; there are no outputs to judge
  std::vector<Misconduct> misconduct = {};
  std::optional<OtherAnswer> other = std::nullopt;
};

// Whether both replies prove the same backend, and whether both plans, or neither plan, use another
// device than the engine.
bool SamePlacement(const RunReply& a, const RunReply& b);

// Not thread-safe: one thread at a time uses an implementation.
class Runner {
 public:
  virtual ~Runner() = default;

  virtual Result<RunnerIdentity> Identify() = 0;

  // Runs every request and returns one reply for each, in the same order. If a request kills or
  // hangs the engine, its reply says so and the others are not affected. An Error means that the
  // runner itself cannot go on: a failure of the harness (a full disk) is never an answer of the
  // engine.
  virtual Result<std::vector<RunReply>> Run(std::span<const RunRequest> requests) = 0;

  // Replaces the process or state that the runner keeps by a fresh one, before a finding is tried
  // again.
  virtual Status Restart() = 0;

  // After this call Run() ends with kInterrupted soon after `*stop` is set, in runners whose cases
  // may take long. `stop` must outlive the runner; null removes it.
  virtual void StopWhen(const std::atomic<bool>* stop) { static_cast<void>(stop); }

  // The runner that makes the replies: for a wrapper, the wrapped runner. Callers use it to reach
  // further interfaces of that runner.
  virtual Runner& Inner() { return *this; }
};

// The Error of a Run() that was stopped.
Error Stopped();

}  // namespace anecheck
