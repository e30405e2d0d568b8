// The explicit form of a graph, in which no attribute is left to its default. A graph that is read
// back from a network description must have this form.
#pragma once

#include "harness/base/result.h"
#include "harness/graph/graph.h"

namespace anecheck {

// Returns a graph that computes the same values, and in which every attribute that a network
// description states is written out. Windows have strides and explicit padding, axes are counted
// from the front and sorted, and shapes and sizes are numbers. Attributes that the description
// cannot vary (dilations of 1, ceil_mode false) are left out. Operations that network descriptions
// cannot express are copied unchanged.
Result<Graph> ExplicitForm(const Graph& graph);

}  // namespace anecheck
