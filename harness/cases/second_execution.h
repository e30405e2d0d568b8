// The second execution of a program, as a graph of its own: one with states, or on other inputs
// than the first time.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "harness/graph/graph.h"

namespace anecheck {

// The suffix of names that the first execution has by itself.
inline constexpr std::string_view kAtFirst = " at first";

// The operations of `graph` twice over the same states, in turn: its outputs are those of the
// second time, which find the states as the first time left them. Inputs keep their order, the
// results of the second time their names. With `other_inputs` the second time has inputs of its
// own, which stand behind those of the first time and have their names.
Graph ExecutedTwice(const Graph& graph, bool other_inputs = false);

// The inputs of that graph: the first ones, and behind them `again`, which is empty if the second
// execution takes the same.
std::vector<Tensor> InputsOfBoth(std::span<const Tensor> inputs, std::span<const Tensor> again);

}  // namespace anecheck
