// Checks whether a graph is well formed. An error message is one line that names the node, the
// parameter and the rule.
#pragma once

#include "harness/base/result.h"
#include "harness/graph/graph.h"

namespace anecheck {

// Returns whether the product of the extents above 0 is at most kMaxElements. Products and sums of
// a few extents then fit in 64 bits, even if the tensor is empty.
bool IsHoldable(const Shape& shape);

// Checks one node's arguments and attributes against its schema: required parameters are present,
// no parameter is unknown or given twice, kinds, element types and spellings are those of the
// schema, and integers fit in 32 bits. Does not check shapes, because inference checks them.
Status CheckNode(const NodeView& node);

// Checks a whole graph: names are unique MIL identifiers, extents are at least 0 and shapes within
// the limits, every operand is defined before it is used, every node obeys its schema, every
// declared result type is the inferred one, every output exists, and there is at least one output.
// Operands that must be constant are constants or computed from constants alone, and no input or
// state has an element type that is only for constants. The error is the first broken rule.
Status ValidateGraph(const Graph& graph);

// The largest rank that the engine accepts (facts/limits.csv, max_rank).
inline constexpr int kMaxEngineRank = 5;

}  // namespace anecheck
