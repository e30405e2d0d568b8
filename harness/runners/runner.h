// What a graph is run on: the interface that campaigns see, whatever stands behind it — the real
// engine, the simulated one, an encoder round trip or a program of somebody else's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/graph/graph.h"

namespace anecheck {

// Where evidence comes from, as stored and shown. A simulated result is never shown as silicon.
enum class Provenance : uint8_t { kSilicon, kSimulated, kRoundtrip, kReported, kPublished };
std::string_view ProvenanceName(Provenance provenance);

enum class RunStatus : uint8_t {
  kOk,        // it ran; outputs are there
  kRejected,  // the compiler refused it
  kFailed,    // it was accepted and then failed to load or run
  kCrashed,   // the worker process died of it
  kHung,      // no answer within the time limit
  kGarbled,   // the answer was not understood
  kNotRun,    // the runner could not hand the case over: it is larger than the runner takes
};
std::string_view RunStatusName(RunStatus status);

// What a runner is, asked once before the first case.
struct RunnerIdentity {
  std::string runner;  // "e5rt", "roundtrip", "exec:..."
  Provenance provenance = Provenance::kReported;
  // What a run's evidence becomes where every answer of it came with a proof that was checked.
  std::optional<Provenance> proved = std::nullopt;
  std::string engine;  // the engine's own version text
  std::string chip;    // empty where unknown
  std::string os;
  std::string compiler_version;  // empty where unknown
};

// A further shape that a program with a range of shapes runs at: the graph with its extents, and
// inputs of these.
struct RunShape {
  Graph graph;
  std::vector<Tensor> inputs;
};

// What a compiler left of a program: the dispatch descriptor and the hardware container, each empty
// where there is none.
struct CompilerFiles {
  std::vector<uint8_t> descriptor;
  std::vector<uint8_t> container;
};

// One case. Everything referred to must outlive the call.
struct RunRequest {
  uint64_t id = 0;          // the caller's number, echoed in the reply
  std::string_view target;  // "h13"
  std::string_view mil;     // MIL text of the graph
  const Graph* graph = nullptr;
  std::span<const Tensor> inputs;  // in the order of the graph's inputs
  // By direct authoring: the property list and its weight file, and the route "netlist". The
  // description stands beside the MIL text and takes its place.
  std::string_view route = "mil";
  std::string_view netlist = {};
  std::span<const uint8_t> netlist_weights = {};
  // Where not empty, a program with a range of shapes that takes the place of `mil`. It is compiled
  // once and runs at the shapes of `graph` and of each of `further`. Runners that know no ranges
  // run `mil`.
  std::string_view ranged_mil = {};
  std::span<const RunShape> further = {};
};

struct RunReply {
  uint64_t id = 0;
  RunStatus status = RunStatus::kFailed;
  // Where it stopped: frontend, floor, hal, validator, codegen, compile, load, run. Empty where
  // that is not known: only `load` and `run` say that there was a program.
  std::string stage;
  std::string message;  // the engine's own words, one line
  std::string backend;  // as proved by the engine's analytics: "ane", "bnns"; empty where unproved
  uint64_t compile_us = 0;
  uint64_t run_us = 0;
  std::vector<Tensor> outputs;  // kOk: in the order of the graph's outputs
  // kOk: the outputs at each further shape; empty where the runner ran at none.
  std::vector<std::vector<Tensor>> further = {};
  // What the compiler left, where the runner was told to keep it.
  std::optional<CompilerFiles> files = std::nullopt;
  bool verified = false;  // kOk: the runner compared by itself; there are no outputs to judge
};

// Why the system's engine is not given network descriptions.
inline constexpr const char* kNetlistRefusal =
    "the system's engine takes network descriptions from its private client alone, which asks for "
    "an entitlement; run them on the simulated engine, or through a program that has it "
    "(--runner exec:COMMAND)";

// Implementations are used by one thread at a time.
class Runner {
 public:
  virtual ~Runner() = default;

  virtual Result<RunnerIdentity> Identify() = 0;

  // Runs every request and gives one reply each, in the same order. A request that kills or hangs
  // the engine gets that as its reply and does not harm the others. An Error means that the runner
  // itself cannot go on: what the harness fails at, a full disk, is never an answer of the engine.
  virtual Result<std::vector<RunReply>> Run(std::span<const RunRequest> requests) = 0;

  // Replaces whatever process or state the runner keeps by a fresh one: before a finding is tried
  // again.
  virtual Status Restart() = 0;
};

}  // namespace anecheck
