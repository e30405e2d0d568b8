// Compressed constants in plain form, for an encoder that supports only plain constants.
#pragma once

#include "harness/base/result.h"
#include "harness/graph/graph.h"

namespace anecheck {

// `graph` with a constant in place of each result that is computed from constants alone, such as
// decompressed weights: the oracle's value, rounded once to the element type. Outputs stay results
// of nodes. Errors are those of the oracle.
Result<Graph> WithDenseConstants(const Graph& graph);

}  // namespace anecheck
