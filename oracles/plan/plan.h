// The lowering plan: the form of a graph on a target. The plan has the operations that stay, the
// rewritten ones with their replacements, the weights, the cuts between dispatches, and the content
// of the dispatch descriptor. It is predicted only from the legality tables; `anecheck lower` uses
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/graph/graph.h"
#include "harness/targets/target.h"
#include "oracles/legality/legality.h"
#include "oracles/plan/decomposition.h"

namespace anecheck::plan {

// The fate of an operation of the lowered graph.
enum class Fate : uint8_t {
  kNative,      // one layer
  kFolded,      // computed when the program is compiled
  kStreamed,    // a compressed constant that the engine reads in compressed form
  kDecomposed,  // the compiler rewrites it and no source gives the replacement
  kCut,         // one layer in a separate dispatch
  kBridge,      // refused by conversion and authored directly, in a separate dispatch
  kElsewhere,   // runs on the CPU or the GPU
  kRejected,    // the program does not compile
  kUnknown,     // rests on a value that no source gives
};
std::string_view FateName(Fate fate);

// The way in which a layer's constant kernel fits into the kernel memory (specification 003,
// listing 24.3).
struct WeightPlan {
  std::string format;  // "fp16", "int8", "int4 table", "sparse", "blockwise"
  bool streamed = false;
  int64_t bytes = 0;
  int64_t cap = 0;
  int64_t parts = 1;    // sub-layers
  std::string unknown;  // why the cap is not known, or empty
};

// An operation of the lowered graph.
struct Layer {
  NodeId node = kNoNode;
  std::string name, op, native_layer;
  std::string from;  // the operation of the given graph from which it was made
  Fate fate = Fate::kNative;
  std::string rule, reason, source;  // of the deciding verdict; empty if no rule applied
  std::optional<WeightPlan> weights;
  // The coefficient streams beside the kernel, with their relocation registers (specification 000,
  // table 23.5). There are four if a batch normalization is folded in.
  std::vector<std::string> streams;
  int segment = -1;  // index in Plan::segments; -1 for layers that need no dispatch
};

// A rewrite. `no_graph` is set if the lowered graph does not show it.
struct Rewrite {
  std::string name, op;  // of the operation that was rewritten
  Occasion occasion = Occasion::kDecompose;
  std::string rule, reason;  // the verdict that asked for it
  std::string what, source;
  std::vector<std::string> into;  // names in the graph after it
  std::string no_graph;           // why there is no graph; empty if there is one
};

// The operations that are submitted together.
struct Segment {
  enum class Kind : uint8_t { kEngine, kBridge, kElsewhere };
  Kind kind = Kind::kEngine;
  std::vector<size_t> layers;  // indices in Plan::layers, in order
  int64_t dispatches = 1;      // one, and one more for each further sub-layer of split weights
};
std::string_view SegmentKindName(Segment::Kind kind);

struct StateBuffer {
  std::string name;
  int64_t bytes = 0;
  // True if the target has no resident state. A buffer that host and engine share then holds the
  // state at `offset` (specification 000, hardware task descriptor; a decoded program).
  bool shared = false;
  int64_t offset = 0;
};
// Held states lie at strides of 16 KiB (specification 000, a decoded program).
inline constexpr int64_t kStateStride = 16384;

// An operation of the dispatch descriptor.
struct DescriptorOperation {
  std::string kind;  // of OpType: "Cast", "AneInference", "CpuInference"
  std::string name;  // the value that is converted, or the first layer of the segment
  friend bool operator==(const DescriptorOperation&, const DescriptorOperation&) = default;
};

struct Plan {
  std::string target;  // compiler name
  Route route = Route::kMil;
  Graph program;  // the compiler's input: the graph after the rewrites of the host
  Graph lowered;  // the engine's part, as far as graphs show it
  std::vector<Layer> layers;
  std::vector<Rewrite> rewrites;  // in the order in which they were made
  std::vector<Segment> segments;
  std::vector<StateBuffer> states;
  std::vector<DescriptorOperation> descriptor;
  int64_t dispatches = 0;

  // Whether legality::Judge admits every layer by the plan's own route.
  bool compiles() const;
  // Whether every layer is admitted by some route: a layer that conversion refuses is cut out and
  // authored directly (Fate::kBridge).
  bool compiles_with_bridges() const;
};

struct PlanOptions {
  Route route = Route::kMil;
  FamilyOrder order = FamilyOrder::kSpecification;
};

// Pure. Precondition: ValidateGraph(graph) holds. The inputs of the lowered graph are those of
// `graph`, then one for each shared state. Its outputs are those of `graph`, then the new values of
// the written shared states. Inputs and outputs keep their names.
Result<Plan> PlanLowering(const Graph& graph, const Target& target,
                          const PlanOptions& options = {});

// The name of an operation in Layer::from and Rewrite::name: its first result, or the state that it
// writes.
std::string OperationName(const NodeView& node);

// Whether the engine refuses the operation as it stands, so that it gets to the engine only because
// something rewrites it before the compiler.
bool IsNeeded(const Rewrite& rewrite);

// Whether the operation needs its own dispatch although its layer is native
// (facts/more/epilogue_slots.csv: SDPA is a cut between programs).
bool CutsProgram(std::string_view op);

}  // namespace anecheck::plan
