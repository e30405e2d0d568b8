// Inputs and outputs of an engine's programs are fp16 and uint8 (specification 001, section 2).
// Models from converters also take token numbers and return positions as int32. `anecheck check`
// therefore computes on the host the parts between an int32 input or output and the nearest value
// of an engine's type. The runner runs the rest. This header counts fp32 as a type of the engine,
// because boundary_casts.h removes casts of fp32.
#pragma once

#include <string>
#include <vector>

#include "harness/graph/graph.h"

namespace anecheck {

struct HostEdges {
  // The part that the engine runs. Each input is an input of the model, or an output of `host` with
  // the same name. Casts that the model lacks are marked (Node::added).
  Graph graph;
  // The part that the host runs. It reads only inputs of the model, and may have no nodes.
  Graph host;
  std::vector<std::string> computed;  // the host's operations, in order, e.g. `gather "y"`
  // Outputs of the model that the host must widen, since the engine returns them as fp16.
  std::vector<std::string> widened;
  // Outputs that the host computes without the engine.
  std::vector<std::string> left_out;
};

// Splits the model. The host applies casts, gathers and changes of shape to integer and bool inputs
// until the values are fp16, fp32 or uint8. If any other operation reads such an input before that,
// the input stays with the engine. An int32 output that the engine computes is cast to fp16 at the
// end, which is exact for positions up to 2048 (specification 004: index outputs are
// float16-encoded). If the output is itself the cast of an fp16 value, the engine returns that
// value instead. The engine returns a value once, even if it replaces several outputs of the model.
HostEdges SplitHostEdges(const Graph& graph);

}  // namespace anecheck
