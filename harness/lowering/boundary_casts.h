// Models from converters have fp32 inputs and outputs and cast them at once; an engine's programs
// take fp16 (specification 001, section 2). Used by `anecheck check`, which then runs the part
// between the casts.
#pragma once

#include <string>
#include <vector>

#include "harness/graph/graph.h"

namespace anecheck {

struct PeeledGraph {
  Graph graph;
  std::vector<std::string> inputs;  // names of the inputs that became fp16
  // Names of the outputs that became the fp16 values before their casts.
  std::vector<std::string> outputs;
};

// If only casts to fp16 read an fp32 input, it becomes an fp16 input of the same name, and those
// casts are removed. The values stay the same, because a caller rounds the fp32 input to fp16 as
// the casts did. If a cast makes an fp32 output from an fp16 value, that value becomes the output.
// The value takes the output's name if a node computes the value and the value represents no other
// output. All other inputs and outputs stay unchanged.
PeeledGraph PeelBoundaryCasts(const Graph& graph);

}  // namespace anecheck
