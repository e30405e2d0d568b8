// Models as converters write them take and give fp32 and cast at once; an engine's programs take
// fp16 (specification 001, section 2). Used by `anecheck check`, which then runs the part between
// the casts.
#pragma once

#include <string>
#include <vector>

#include "harness/graph/graph.h"

namespace anecheck {

struct PeeledGraph {
  Graph graph;
  std::vector<std::string> inputs;   // that are fp16 now, by name
  std::vector<std::string> outputs;  // that are the fp16 values before their casts now, by name
};

// An fp32 input that only casts to fp16 read becomes an fp16 input of the same name, and those
// casts go; an fp32 output that a cast makes of an fp16 value becomes that value, under the
// output's name if nothing else has a claim to the value. The cast did the same: it rounded an fp32
// input to fp16. Everything else stays as it is.
PeeledGraph PeelBoundaryCasts(const Graph& graph);

}  // namespace anecheck
