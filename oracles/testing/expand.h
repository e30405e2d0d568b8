// Expands compressed constants naively, element by element from coordinates. The slow
// implementation and the adversarial engine of the tests share it. It shares no code with the
// reference kernels.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "harness/graph/graph.h"

namespace anecheck::testing {

// Returns the elements of every result before rounding, exact in double for fp16 scales. `operands`
// are the numbers of each argument, in the order of the node's argument list. Returns nothing for
// operations that expand no constant.
std::optional<std::vector<std::vector<double>>> ExpandedConstant(
    const NodeView& node, std::span<const std::vector<double>> operands);

// Returns the expanded second operand if this operation expands it for its sums of products, else
// nothing. `step` returns the engine's number after a step of the expansion, and `last` after the
// last step.
using Held = std::function<double(double)>;
std::optional<std::vector<double>> ExpandedWeight(const NodeView& node,
                                                  std::span<const std::vector<double>> operands,
                                                  const Held& step, const Held& last);

}  // namespace anecheck::testing
