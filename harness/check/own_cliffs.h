// Places at which a model's own arithmetic leaves the numbers, on any engine: operations that are
// not defined at its values, and numbers that underflow before a logarithm or a division.
#pragma once

#include <span>
#include <vector>

#include "harness/check/cliffs.h"
#include "harness/check/model_values.h"
#include "harness/graph/graph.h"

namespace anecheck {

// In the order of the operations, at most one of a kind for each: ids "0/0", "inf-inf", "inf*0",
// "invalid" (NaN of operands without NaN, in another way) and "underflow". All are past.
// `values` are those of the graph at `inputs`.
std::vector<Cliff> FindOwnCliffs(const Graph& graph, std::span<const Tensor> inputs,
                                 const ModelValues& values);

}  // namespace anecheck
