// Cuts a graph down to the parts that some of its values need, for generators that take back draws
// and for searches in graphs.
#pragma once

#include <span>
#include <vector>

#include "harness/graph/graph.h"

namespace anecheck {

struct RestrictedGraph {
  Graph graph;
  std::vector<size_t> inputs;  // which inputs of the original are left, as positions among them
};

// The graph with exactly `outputs`, in that order, and without the parts that lead to none of them:
// nodes, inputs, constants, and writes to states that are not read afterwards. Names and order
// stay. Precondition: `graph` validates; `outputs` are values of it, each once.
RestrictedGraph Restrict(const Graph& graph, std::span<const ValueId> outputs);

}  // namespace anecheck
