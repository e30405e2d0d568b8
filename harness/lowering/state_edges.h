// The content of states before and after an execution. A graph's states are zero at first; a model
// that keeps values of earlier executions (a cache of keys and values) is evaluated and judged in
// the midst of its work by giving these. Used by `anecheck eval` and `anecheck judge`.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/graph/graph.h"

namespace anecheck {

struct StateEdges {
  // Begins by writing an input of that type into each state of `given`, and gives at its end the
  // content of each of `asked`, as outputs behind those of the model.
  Graph graph;
  std::vector<std::string> inputs;   // their names, for each of `given`; behind the model's inputs
  std::vector<std::string> outputs;  // theirs, for each of `asked`
};

// Precondition: `given` and `asked` are states of `graph`, and ValidateGraph(graph) holds.
StateEdges ExposeStates(const Graph& graph, std::span<const ValueId> given,
                        std::span<const ValueId> asked);

}  // namespace anecheck
