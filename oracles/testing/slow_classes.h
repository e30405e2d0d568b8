// The classes of operations whose slow form stands in a file of its own. Used by SlowValues and
// SlowSample alone; operands stand in the order of the schema's parameters.
#pragma once

#include "oracles/testing/slow.h"

namespace anecheck::testing {

// Some sums of products; one element of the moved data.
SlowElements SlowProducts(const NodeView& node, std::span<const std::vector<double>> operands,
                          std::span<const size_t> elements);
double SlowMoved(const NodeView& node, std::span<const std::vector<double>> operands,
                 uint32_t result, size_t index);

// Nothing where the operation is of another class.
std::optional<std::vector<SlowElements>> SlowConvolution(
    const NodeView& node, std::span<const std::vector<double>> operands);
std::optional<std::vector<SlowElements>> SlowRecurrent(
    const NodeView& node, std::span<const std::vector<double>> operands);
// An operation that writes a state gives the state's content afterwards, as result 0.
std::optional<std::vector<SlowElements>> SlowControl(const NodeView& node,
                                                     std::span<const std::vector<double>> operands);
std::optional<std::vector<SlowElements>> SlowNative(const NodeView& node,
                                                    std::span<const std::vector<double>> operands);
std::optional<std::vector<SlowElements>> SlowQuantization(
    const NodeView& node, std::span<const std::vector<double>> operands);

}  // namespace anecheck::testing
