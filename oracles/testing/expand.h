// Compressed constants expanded naively, element by element from coordinates. The slow
// implementation and the adversarial engine of the tests share it; it shares no code with the
// reference kernels.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "harness/graph/graph.h"

namespace anecheck::testing {

// The elements of every result before rounding, exact in double for fp16 scales. `operands` are the
// numbers of each argument, in the order of the node's argument list. Nothing for operations that
// expand no constant.
std::optional<std::vector<std::vector<double>>> ExpandedConstant(
    const NodeView& node, std::span<const std::vector<double>> operands);

// The expanded second operand, if the sums of products of this operation expand it; nothing if they
// use it unchanged. `step` and `last` return the engine's number after a step of the expansion and
// after the last step.
using Held = std::function<double(double)>;
std::optional<std::vector<double>> ExpandedWeight(const NodeView& node,
                                                  std::span<const std::vector<double>> operands,
                                                  const Held& step, const Held& last);

}  // namespace anecheck::testing
