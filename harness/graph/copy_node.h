// Copying parts of one graph into another, for code that rebuilds graphs.
#pragma once

#include <span>

#include "harness/graph/graph.h"

namespace anecheck {

// Adds `attribute` of `from` to the node that is open in `to`.
void CopyAttribute(const Graph& from, const Attribute& attribute, Graph& to);
// All attributes and blocks of `node`.
void CopyAttributes(const Graph& from, const Node& node, Graph& to);

// Copies the input, constant or state `id` and sets known[id] to its place in `to`. Results stay as
// they are.
void CopyLeaf(const Graph& from, ValueId id, std::span<ValueId> known, Graph& to);
// All of them, in order.
void CopyLeaves(const Graph& from, std::span<ValueId> known, Graph& to);

// Copies `node` with its operands replaced: known[v] is the place in `to` of value v of `from`.
// Sets it for the results. Result types and names stay.
void CopyNode(const Graph& from, const Node& node, std::span<ValueId> known, Graph& to);

}  // namespace anecheck
