// The content of states before and after an execution. A graph's states are zero at first. To
// evaluate and judge a model that keeps values of earlier executions (a cache of keys and values)
// in the middle of its work, the caller supplies these values. Used by `anecheck eval` and
// `anecheck judge`.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/graph/graph.h"

namespace anecheck {

struct StateEdges {
  // This graph first writes an input of the state's type into each state of `given`. At the end it
  // returns the content of each state of `asked`, as outputs behind those of the model.
  Graph graph;
  std::vector<std::string> inputs;   // their names, for each of `given`; behind the model's inputs
  std::vector<std::string> outputs;  // theirs, for each of `asked`
};

// Precondition: `given` and `asked` are states of `graph`, and ValidateGraph(graph) holds.
StateEdges ExposeStates(const Graph& graph, std::span<const ValueId> given,
                        std::span<const ValueId> asked);

}  // namespace anecheck
