// Reduces a graph to the parts on which given values depend, for generators that undo draws and for
// searches in graphs.
#pragma once

#include <span>
#include <vector>

#include "harness/graph/graph.h"

namespace anecheck {

struct RestrictedGraph {
  Graph graph;
  std::vector<size_t> inputs;  // the inputs that are left, as positions among the original's inputs
};

// Returns the graph with exactly `outputs`, in that order. Drops nodes, inputs and constants that
// lead to none of the outputs, and writes to states that are not read afterwards. Keeps names and
// order. Precondition: `graph` validates, and `outputs` are distinct values of `graph`.
RestrictedGraph Restrict(const Graph& graph, std::span<const ValueId> outputs);

}  // namespace anecheck
