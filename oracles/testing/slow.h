// The value of every numeric operation computed slowly in MPFR, from naive index structure: the
// independent implementation that the oracle's values are compared with.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "harness/graph/graph.h"

namespace anecheck::testing {

// One result element; nothing where infinities or NaN take part.
using SlowElements = std::vector<std::optional<double>>;

// `operands` holds the numbers of each argument, in the order of the node's argument list;
// `result` is the number of the result. Nothing where the operation has no slow form here.
std::optional<SlowElements> SlowValues(const NodeView& node,
                                       std::span<const std::vector<double>> operands,
                                       uint32_t result = 0);

// The parts, each for the classes of operations of its file.
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
