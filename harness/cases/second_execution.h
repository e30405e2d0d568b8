// Expresses the second execution of a program as a separate graph. This is needed for programs with
// states, and for other inputs the second time.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "harness/graph/graph.h"

namespace anecheck {

// The suffix of names that belong only to the first execution.
inline constexpr std::string_view kAtFirst = " at first";

// Returns a graph with the operations of `graph` twice in a row, on the same states. Its outputs
// are those of the second execution, whose states have the content that the first one wrote. Inputs
// keep their order; the results of the second execution keep their names. With `other_inputs` the
// second execution has separate inputs, which follow those of the first and keep the original
// names.
Graph ExecutedTwice(const Graph& graph, bool other_inputs = false);

// Returns the inputs of that graph, which are `inputs` followed by `again`. `again` is empty if the
// second execution takes the inputs of the first.
std::vector<Tensor> InputsOfBoth(std::span<const Tensor> inputs, std::span<const Tensor> again);

}  // namespace anecheck
