// Copying parts of one graph into another, for code that rebuilds graphs.
#pragma once

#include "harness/graph/graph.h"

namespace anecheck {

// Adds `attribute` of `from` to the node that is open in `to`.
void CopyAttribute(const Graph& from, const Attribute& attribute, Graph& to);
// All attributes and blocks of `node`.
void CopyAttributes(const Graph& from, const Node& node, Graph& to);

}  // namespace anecheck
