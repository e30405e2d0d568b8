// Compressed constants expanded naively, element by element from coordinates, shared by the slow
// implementation and the adversarial engine of the tests, apart from the reference kernels.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "harness/graph/graph.h"

namespace anecheck::testing {

// The elements of every result before rounding, exact in double for fp16 scales. `operands` holds
// the numbers of each argument, in the order of the node's argument list. Nothing for operations
// that expand no constant.
std::optional<std::vector<std::vector<double>>> ExpandedConstant(
    const NodeView& node, std::span<const std::vector<double>> operands);

// The second operand as a sum of products takes it, where the operation expands it itself; nothing
// of those that take it as it is. `step` and `last` are the engine's values of the number after a
// step of the expansion and after the last one.
using Held = std::function<double(double)>;
std::optional<std::vector<double>> ExpandedWeight(const NodeView& node,
                                                  std::span<const std::vector<double>> operands,
                                                  const Held& step, const Held& last);

}  // namespace anecheck::testing
