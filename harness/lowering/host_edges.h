// Inputs and outputs of an engine's programs are fp16 and uint8 (specification 001, section 2).
// Models from converters also take token numbers and return positions as int32. `anecheck check`
// therefore computes some parts on the host: those between such an input or output and the nearest
// value that an engine takes. The runner runs the rest. fp32 counts as a type of the engine here,
// because casts of fp32 are removed separately (boundary_casts.h).
#pragma once

#include <string>
#include <vector>

#include "harness/graph/graph.h"

namespace anecheck {

struct HostEdges {
  // The part that the engine runs. Each input is an input of the model, or an output of `host` with
  // the same name. Casts that the model lacks are marked (Node::added).
  Graph graph;
  // The part that the host runs. It reads only inputs of the model, and has no nodes if there is
  // nothing to compute.
  Graph host;
  std::vector<std::string> computed;  // the host's operations: `gather "y"`, in order
  // Outputs of the model that the host must widen, since the engine returns them as fp16.
  std::vector<std::string> widened;
  // Outputs that the host alone computes, without any part of the engine.
  std::vector<std::string> left_out;
};

// On the host, integers and bools of the model's inputs go through casts, gathers and changes of
// shape until they become fp16, fp32 or uint8. If another operation reads a value that is still of
// another type, the input stays with the engine. An int32 output that the engine computes is cast
// to fp16 at the end, which is exact for positions up to 2048 (specification 004: index outputs are
// float16-encoded). If a cast makes the output from an fp16 value, that value is returned instead.
// A value that represents several outputs of the model is returned once.
HostEdges SplitHostEdges(const Graph& graph);

}  // namespace anecheck
