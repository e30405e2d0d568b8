// Finds places at which a model's own arithmetic fails on any engine: operations that are undefined
// at its values, and numbers that underflow before a logarithm or a division.
#pragma once

#include <span>
#include <vector>

#include "harness/check/cliffs.h"
#include "harness/check/model_values.h"
#include "harness/graph/graph.h"

namespace anecheck {

// Returns the cliffs in the order of the operations, at most one of each id per operation. The ids
// are "0/0", "inf-inf", "inf*0", "invalid" (any other NaN of operands without NaN) and "underflow".
// `past` is true in all of them. `values` are the values of the graph at `inputs`.
std::vector<Cliff> FindOwnCliffs(const Graph& graph, std::span<const Tensor> inputs,
                                 const ModelValues& values);

}  // namespace anecheck
