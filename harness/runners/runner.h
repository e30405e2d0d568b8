// The interface that campaigns see of the engine a graph runs on: the real engine, the simulated
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

// Bytes of analytics that are kept as the proof of a placement.
inline constexpr uint64_t kLongestProof = uint64_t{1} << 20;

// A fault of the engine or program beside its answer; the case keeps the answer. The verdict is
// kSlow, kStrayOutput, kMemoryGrowth, kSlotLeak, kStrayWrite, kGarbled (a reply that answers no
// pending request) or kNotRepeatable.
struct Misconduct {
  Verdict verdict = Verdict::kStrayOutput;
  std::string message;  // one line
  uint32_t output = 0;  // kNotRepeatable: which of the graph's outputs
};

// The identity of a runner, asked once before the first case.
struct RunnerIdentity {
  std::string runner;  // "e5rt", "roundtrip", "exec:..."
  Provenance provenance = Provenance::kReported;
  // The evidence of a run if every answer of it came with a proof that was checked.
  std::optional<Provenance> proved = std::nullopt;
  std::string engine;  // the engine's own version text
  std::string chip;    // empty where unknown
  std::string os;
  std::string compiler_version;  // empty where unknown
  // The content of the engine's file (engine_file.h); empty if it is not known.
  std::string content = {};
  bool is_ane = true;                 // else no contract of a chip applies (`--contract`)
  std::vector<std::string> ops = {};  // the operations it computes; empty where it does not say
  // Graphs whose predicted saving on the engine, in microseconds, is less are not drawn for it.
  uint64_t least_saving_us = 0;
};

// A further shape that a program with a range of shapes runs at: the graph with its extents, and
// inputs of these.
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

// How a program is executed. It goes as a whole from the request to the worker (wire.cc): a setting
// stands here and nowhere between.
struct RunSettings {
  // A second time by the same program. On the same inputs, the outputs of a graph with states are
  // given too, those of any other are compared.
  bool repeat = false;
};

// One case. Everything referred to must outlive the call.
struct RunRequest {
  uint64_t id = 0;          // the caller's number, echoed in the reply
  std::string_view target;  // "h13"
  std::string_view mil;     // MIL text of the graph
  const Graph* graph = nullptr;
  std::span<const Tensor> inputs;  // in the order of the graph's inputs
  // The weight side file that `mil` names (graph_to_mil.h); empty for none.
  std::span<const uint8_t> mil_weights = {};
  // By direct authoring: the property list and its weight file, and the route kNetlist. The
  // description stands beside the MIL text and takes its place.
  Route route = Route::kMil;
  std::string_view netlist = {};
  std::span<const uint8_t> netlist_weights = {};
  // If not empty, a program with a range of shapes that takes the place of `mil`. It is compiled
  // once and runs at the shapes of `graph` and of each of `further`. Runners that know no ranges
  // run `mil`.
  std::string_view ranged_mil = {};
  std::span<const RunShape> further = {};
  RunSettings settings = {};
  // If not empty, the second execution takes these, in the order and of the types of `inputs`, and
  // its results are given too.
  std::span<const Tensor> again = {};
};

// Whether the outputs of a second execution are to be given, rather than compared.
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
  Step step = Step::kNone;  // where it stopped
  std::string message;      // the engine's own words, one line
  // kRejected: the simulated engine has no kernel for some operation, which says nothing of an
  // engine.
  bool no_kernel = false;
  std::string backend;  // as proved by the engine's analytics: "ane", "bnns"; empty where unproved
  // Those analytics, where another engine than the simulated one wrote them and they are no longer
  // than kLongestProof.
  std::string proof = {};
  // The device of each operation by the word of an external program; empty where it gives none.
  // It tells the planned place of the program, and is no proof that it ran there.
  std::vector<PlannedOp> plan = {};
  uint64_t compile_us = 0;
  uint64_t run_us = 0;
  std::vector<Tensor> outputs;  // kOk: in the order of the graph's outputs
  // kOk: the outputs of the same model on the CPU alone; empty where the runner gives none.
  std::vector<Tensor> cpu_outputs = {};
  // kOk: the outputs of each further execution, the second one where GivesSecond and those at
  // further shapes; empty where the runner made none.
  std::vector<std::vector<Tensor>> further = {};
  // The compiler's files, if the runner keeps them.
  std::optional<CompilerFiles> files = std::nullopt;
  bool verified = false;  // kOk: the runner compared by itself; there are no outputs to judge
  std::vector<Misconduct> misconduct = {};
  std::optional<OtherAnswer> other = std::nullopt;
};

// Whether both ran, or were to run, on the engine, or both did not.
bool SamePlacement(const RunReply& a, const RunReply& b);

// Implementations are used by one thread at a time.
class Runner {
 public:
  virtual ~Runner() = default;

  virtual Result<RunnerIdentity> Identify() = 0;

  // Runs every request and gives one reply each, in the same order. A request that kills or hangs
  // the engine gets that as its reply and does not harm the others. An Error means that the runner
  // itself cannot go on: a failure of the harness (a full disk) is never an answer of the engine.
  virtual Result<std::vector<RunReply>> Run(std::span<const RunRequest> requests) = 0;

  // Replaces whatever process or state the runner keeps by a fresh one: before a finding is tried
  // again.
  virtual Status Restart() = 0;

  // From now on Run() ends with kInterrupted soon after `*stop` is set, if cases may take long.
  // `stop` outlives the runner; null: never.
  virtual void StopWhen(const std::atomic<bool>* stop) { static_cast<void>(stop); }

  // The runner whose replies these are: another one for a runner that wraps it. Callers ask it for
  // interfaces beside this one.
  virtual Runner& Inner() { return *this; }
};

// The words of Run() about it.
Error Stopped();

}  // namespace anecheck
