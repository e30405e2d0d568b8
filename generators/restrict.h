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

// The graph with exactly `outputs`, in that order. Nodes, inputs and constants that lead to none of
// them are dropped. Writes to states that are not read afterwards are dropped too. Names and order
// stay. Precondition: `graph` validates; `outputs` are values of it, each once.
RestrictedGraph Restrict(const Graph& graph, std::span<const ValueId> outputs);

}  // namespace anecheck
