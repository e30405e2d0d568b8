// An engine's programs take and give fp16 and uint8 (specification 001, section 2). Models as
// converters write them also take token numbers and give positions as int32. Used by `anecheck
// check`, which computes on the host the part between such an edge and the first value that an
// engine takes, and runs the rest. fp32 counts as a type of the engine's here: casts of it are left
// out by themselves (boundary_casts.h).
#pragma once

#include <string>
#include <vector>

#include "harness/graph/graph.h"

namespace anecheck {

struct HostEdges {
  // The part that the engine runs. An input is one of the model's, or an output of `host` of the
  // same name.
  Graph graph;
  // Computes those from inputs of the model; no nodes where there is nothing to compute.
  Graph host;
  std::vector<std::string> computed;  // the host's operations: `gather "y"`, in order
  // Outputs of the model that the host has to widen, since the engine gives them as fp16.
  std::vector<std::string> widened;
  // Outputs that `host` gives alone and nothing of the engine's has a part in.
  std::vector<std::string> left_out;
};

// Integers and bools of the model's inputs go through casts, gathers and changes of shape on the
// host until fp16, fp32 or uint8 is made of them. An input stays the engine's, whatever its type,
// if another operation reads a value that is none of these yet. An int32 output that the engine
// computes is cast to fp16 at its end: positions up to 2048 are exact so (specification 004: index
// outputs are float16-encoded); an output that a cast makes of an fp16 value is that value. A value
// that so stands for several outputs of the model is given once.
HostEdges SplitHostEdges(const Graph& graph);

}  // namespace anecheck
