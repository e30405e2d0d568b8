// Expands compressed constants, for an encoder that supports only plain constants.
#pragma once

#include "harness/base/result.h"
#include "harness/graph/graph.h"

namespace anecheck {

// Returns `graph` with a constant in place of each result that is computed from constants alone,
// such as decompressed weights. The constant is the oracle's value, rounded once to the element
// type. Outputs of the graph stay results of nodes. Errors: those of the oracle.
Result<Graph> WithDenseConstants(const Graph& graph);

}  // namespace anecheck
