// Decides from magnitudes alone whether numbers can come near the thresholds of departures.
// Operations with much smaller numbers then need no evaluation.
#pragma once

#include <cstdint>
#include <span>

#include "harness/graph/graph.h"
#include "oracles/contract.h"

namespace anecheck {

// The largest |number| of an fp16 tensor's bytes; 0 if all are NaN.
double LargestHalf(std::span<const uint8_t> bytes);

// The factor by which rounding can enlarge a sum on its way to a threshold is smaller than this.
inline constexpr double kSumSlack = 1 + 0x1p-8;

// An upper bound of the |partial sums of products| of all operations of `graph` at `inputs`. For an
// output with known weights, it is the sum of its |weights|, each times the largest |operand| of
// its input channel. For a matmul, it is the number of products of one sum times the largest
// |number| of each operand. It is 0 if no operation adds products, and infinity if such an
// operation has operands that are not available or adds products in another way.
double MostOfSums(const Graph& graph, std::span<const Tensor> inputs);

// Returns whether `departure` may change a result of `graph`, if its sums of products stay below
// `most`.
bool MayAct(const Departure& departure, const Graph& graph, double most);

}  // namespace anecheck
