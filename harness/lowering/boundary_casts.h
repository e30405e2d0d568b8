// Removes the casts at the inputs and outputs of a model. Models from converters cast their fp32
// inputs to fp16 first and their outputs to fp32 last, but an engine's programs take fp16
// (specification 001, section 2). `anecheck check` therefore runs only the part between the casts.
#pragma once

#include <string>
#include <vector>

#include "harness/graph/graph.h"

namespace anecheck {

struct PeeledGraph {
  Graph graph;
  std::vector<std::string> inputs;  // names of the inputs that became fp16
  // Names of the outputs that the fp16 values before their casts replace.
  std::vector<std::string> outputs;
};

// If only casts to fp16 read an fp32 input, it becomes an fp16 input of the same name, and those
// casts are removed. The values stay the same, because a caller rounds the fp32 input to fp16 as
// the casts did. If a cast makes an fp32 output from an fp16 value, that value becomes the output.
// If a node computes the value and the value is no other output, the value takes the output's name.
// All other inputs and outputs stay unchanged.
PeeledGraph PeelBoundaryCasts(const Graph& graph);

}  // namespace anecheck
