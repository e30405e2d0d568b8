// The content of states before and after an execution, as inputs and outputs of a graph.
#include "harness/lowering/state_edges.h"

#include <gtest/gtest.h>
#include <string>

#include "harness/graph/validate.h"
#include "harness/lowering/mil_to_graph.h"
#include "harness/ops/op.h"
#include "oracles/oracle.h"

namespace anecheck {
namespace {

using Names = std::vector<std::string>;

// A model whose state increases by x. One value already has the name for the state's content.
Graph Counter() {
  const auto graph = MilTextToGraph(
      "program(1.3)\n{\n func main<ios18>(state<tensor<fp16, [2]>> s, tensor<fp16, [2]> x) {\n"
      "tensor<fp16, [2]> s_before = read_state(input = s);\n"
      "tensor<fp16, [2]> y = add(x = s_before, y = x);\n"
      "write_state(input = s, data = y);\n"
      "} -> (y);\n}",
      OpVocabulary());
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  return graph.ok() ? *graph : Graph();
}

std::vector<double> Last(const Graph& graph, const std::vector<std::vector<double>>& inputs) {
  std::vector<Tensor> tensors;
  for (const std::vector<double>& numbers : inputs) {
    Tensor tensor{{DType::kFp16, {2}}, std::vector<uint8_t>(4)};
    EncodeElements(DType::kFp16, numbers, tensor.bytes);
    tensors.push_back(std::move(tensor));
  }
  const auto estimates = Evaluate(graph, tensors, IeeeContract());
  EXPECT_TRUE(estimates.ok()) << estimates.error().message;
  return estimates.ok() ? estimates->back().value : std::vector<double>{};
}

TEST(StateEdges, AStateBeginsWithAnInputAndEndsAsAnOutput) {
  const Graph counter = Counter();
  const std::vector<ValueId> states = counter.ValuesOfKind(ValueKind::kState);
  ASSERT_EQ(states.size(), 1u);
  const StateEdges edges = ExposeStates(counter, states, states);
  ASSERT_TRUE(ValidateGraph(edges.graph).ok());
  EXPECT_EQ(edges.inputs, Names{"s_before_"});
  EXPECT_EQ(edges.outputs, Names{"s_after"});
  const std::vector<ValueId> inputs = edges.graph.ValuesOfKind(ValueKind::kInput);
  EXPECT_EQ(edges.graph.value(inputs.back()).name, "s_before_");
  EXPECT_EQ(edges.graph.value(edges.graph.outputs().back()).name, "s_after");
  EXPECT_EQ(Last(edges.graph, {{1, 2}, {10, 20}}), (std::vector<double>{11, 22}));
  // The model writes to the state too.
  std::vector<bool> added;
  for (const Node& node : edges.graph.nodes()) added.push_back(node.added);
  EXPECT_EQ(added, (std::vector<bool>{true, false, false, false, true}));
}

TEST(StateEdges, StatesAreZeroUnlessGivenAndNoOutputsUnlessRequested) {
  const Graph counter = Counter();
  const StateEdges edges = ExposeStates(counter, {}, {});
  ASSERT_TRUE(ValidateGraph(edges.graph).ok());
  EXPECT_EQ(edges.graph.ValuesOfKind(ValueKind::kInput).size(), 1u);
  EXPECT_EQ(edges.graph.outputs().size(), 1u);
  EXPECT_EQ(Last(edges.graph, {{1, 2}}), (std::vector<double>{1, 2}));
}

}  // namespace
}  // namespace anecheck
