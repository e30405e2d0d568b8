// Whether numbers can come near the thresholds of departures at all, by their magnitudes alone. It
// spares the evaluations of operations whose numbers are far below.
#pragma once

#include <cstdint>
#include <span>

#include "harness/graph/graph.h"
#include "oracles/contract.h"

namespace anecheck {

// The largest |number| of an fp16 tensor's bytes, 0 where all are NaN.
double LargestHalf(std::span<const uint8_t> bytes);

// Sums are rounded on their way to a threshold, by less than this factor.
inline constexpr double kSumSlack = 1 + 0x1p-8;

// The largest |partial sum of products| of any operation of `graph` at `inputs` cannot be above
// this: the sum of |weights| of an output, each times the largest |operand| of its input channel,
// or the two largest |operands| for each product. 0 where no operation adds products; infinity
// where an operation adds products of operands that are not at hand, or in a way that is not
// followed here.
double MostOfSums(const Graph& graph, std::span<const Tensor> inputs);

// Whether `departure` may change a result of `graph`, whose sums of products stay below `most`.
bool MayAct(const Departure& departure, const Graph& graph, double most);

}  // namespace anecheck
