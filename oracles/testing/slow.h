// An independent implementation with which the oracle's values are compared. It computes every
// numeric operation slowly in MPFR, from a naive index structure.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "harness/graph/graph.h"

namespace anecheck::testing {

// One result element, or nothing if infinities or NaN take part.
using SlowElements = std::vector<std::optional<double>>;

// `operands` are the numbers of each argument, in the order of the node's argument list. The list
// may have any order. `result` is the index of the result. Returns nothing if the operation has no
// slow form.
std::optional<SlowElements> SlowValues(const NodeView& node,
                                       std::span<const std::vector<double>> operands,
                                       uint32_t result = 0);

// Returns some elements of one result, in the order of `elements`. For products, functions of
// elements, sums and norms along axes, and movement, the cost does not depend on the number of
// other elements. Computes other operations completely.
std::optional<SlowElements> SlowSample(const NodeView& node,
                                       std::span<const std::vector<double>> operands,
                                       uint32_t result, std::span<const size_t> elements);

// The parts of SlowValues. Each part handles the classes of operations of its source file. Operands
// are in the order of the schema's parameters.
std::optional<SlowElements> SlowComparison(const NodeView& node,
                                           std::span<const std::vector<double>> operands);
std::optional<SlowElements> SlowFunction(const NodeView& node,
                                         std::span<const std::vector<double>> operands);
std::optional<SlowElements> SlowReduction(const NodeView& node,
                                          std::span<const std::vector<double>> operands);
std::optional<SlowElements> SlowNormalization(const NodeView& node,
                                              std::span<const std::vector<double>> operands);

std::optional<SlowElements> SlowImage(const NodeView& node,
                                      std::span<const std::vector<double>> operands,
                                      uint32_t result);

}  // namespace anecheck::testing
