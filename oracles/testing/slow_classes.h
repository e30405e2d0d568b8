// The classes of operations whose slow form has its own file. Only SlowValues and SlowSample use
// them. Operands are in the order of the schema's parameters.
#pragma once

#include "oracles/testing/slow.h"

namespace anecheck::testing {

// SlowProducts returns some sums of products, and SlowMoved returns one moved element.
SlowElements SlowProducts(const NodeView& node, std::span<const std::vector<double>> operands,
                          std::span<const size_t> elements);
double SlowMoved(const NodeView& node, std::span<const std::vector<double>> operands,
                 uint32_t result, size_t index);

// These functions return nothing if the operation is of another class.
std::optional<std::vector<SlowElements>> SlowConvolution(
    const NodeView& node, std::span<const std::vector<double>> operands);
std::optional<std::vector<SlowElements>> SlowRecurrent(
    const NodeView& node, std::span<const std::vector<double>> operands);
// For an operation that writes a state, result 0 is the state's new content.
std::optional<std::vector<SlowElements>> SlowControl(const NodeView& node,
                                                     std::span<const std::vector<double>> operands);
std::optional<std::vector<SlowElements>> SlowNative(const NodeView& node,
                                                    std::span<const std::vector<double>> operands);
std::optional<std::vector<SlowElements>> SlowQuantization(
    const NodeView& node, std::span<const std::vector<double>> operands);

}  // namespace anecheck::testing
