// What a program with states gives when it runs for the second time, as a graph of its own.
#pragma once

#include "harness/graph/graph.h"

namespace anecheck {

// The operations of `graph` twice over the same inputs and states, in turn: its outputs are those
// of the second time, which find in the states what the first time left. Inputs keep their order,
// the results of the second time their names.
Graph ExecutedTwice(const Graph& graph);

}  // namespace anecheck
