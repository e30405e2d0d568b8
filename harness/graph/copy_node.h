// Copies parts of one graph into another, for code that rebuilds graphs.
#pragma once

#include <span>

#include "harness/graph/graph.h"

namespace anecheck {

// Adds `attribute` of `from` to the open node of `to`.
void CopyAttribute(const Graph& from, const Attribute& attribute, Graph& to);
// Adds all attributes and blocks of `node` to the open node of `to`.
void CopyAttributes(const Graph& from, const Node& node, Graph& to);

// Copies the input, constant or state `id` and sets known[id] to its id in `to`. Does nothing if
// `id` is a result.
void CopyLeaf(const Graph& from, ValueId id, std::span<ValueId> known, Graph& to);
// Copies all inputs, constants and states, in order.
void CopyLeaves(const Graph& from, std::span<ValueId> known, Graph& to);

// Copies `node` and replaces its operands. known[v] is the id in `to` of value v of `from`. Sets
// `known` for the results. Copies result types, names and Node::added unchanged.
void CopyNode(const Graph& from, const Node& node, std::span<ValueId> known, Graph& to);

}  // namespace anecheck
