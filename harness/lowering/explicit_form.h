// A graph in which no attribute is left to its default. A reader of another language must arrive at
// this form.
#pragma once

#include "harness/base/result.h"
#include "harness/graph/graph.h"

namespace anecheck {

// Returns a graph that computes the same values, and in which every attribute that a network
// description states is written out: windows as strides and explicit padding, axes counted from the
// front and in order, shapes and sizes as numbers. Attributes that the description cannot vary
// (dilations of 1, ceil_mode false) are left out. Operations that no network description carries
// are copied as they are.
Result<Graph> ExplicitForm(const Graph& graph);

}  // namespace anecheck
