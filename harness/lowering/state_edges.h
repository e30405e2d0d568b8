// The content of states before and after an execution. A graph's states are zero at first. A model
// may keep values of earlier executions in its states (a cache of keys and values). To evaluate or
// judge a later execution, the caller supplies them. Used by `anecheck eval` and `anecheck judge`.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/graph/graph.h"

namespace anecheck {

struct StateEdges {
  // This graph first writes one new input into each state of `given`; the new inputs are behind the
  // model's inputs. At the end it returns the content of each state of `asked`, as outputs behind
  // those of the model. These writes and reads are marked (Node::added).
  Graph graph;
  std::vector<std::string> inputs;   // names of the new inputs, in the order of `given`
  std::vector<std::string> outputs;  // names of the new outputs, in the order of `asked`
};

// Precondition: `given` and `asked` are states of `graph`, and ValidateGraph(graph) holds.
StateEdges ExposeStates(const Graph& graph, std::span<const ValueId> given,
                        std::span<const ValueId> asked);

}  // namespace anecheck
