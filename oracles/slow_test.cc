// The slow implementation agrees with itself: for any order of a node's arguments, and for sampled
// elements as for all.
#include "oracles/testing/slow.h"

#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>

#include "generators/graph_generator.h"
#include "harness/graph/copy_node.h"
#include "oracles/oracle.h"
#include "oracles/testing/test_support.h"

namespace anecheck {
namespace {

using Operands = std::vector<std::vector<double>>;

bool Same(const std::optional<double>& a, const std::optional<double>& b) {
  if (a.has_value() != b.has_value()) return false;
  return !a || *a == *b || (std::isnan(*a) && std::isnan(*b));
}

// Calls `body` for nodes of random graphs, with the numbers of their arguments.
template <typename Body>
void ForEachNode(uint64_t graphs, const Body& body) {
  for (uint64_t seed = 0; seed < graphs; ++seed) {
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    GeneratorOptions options;
    options.max_nodes = 6;
    options.max_elements = 48;
    options.max_products = 1024;
    options.family = kNoFamily;
    Graph graph;
    GenerateGraph(choices, options, graph);
    const std::vector<Tensor> inputs = GenerateInputs(choices, graph, options.mode);
    Evaluation evaluation;
    ASSERT_TRUE(evaluation.Run(graph, inputs, IeeeContract()).ok()) << "seed " << seed;
    Estimate estimate;
    for (const Node& node : graph.nodes()) {
      Operands operands;
      operands.reserve(node.argument_count);
      for (const Argument& argument : graph.arguments(node)) {
        evaluation.Intermediate(argument.value, estimate);
        operands.push_back(estimate.value);
      }
      SCOPED_TRACE(fmt::format("{}, seed {}", node.schema->name, seed));
      body(NodeView(graph, node), operands);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST(SlowSample, GivesTheRequestedElements) {
  std::set<std::string_view> compared;
  ForEachNode(400, [&](const NodeView& node, const Operands& operands) {
    for (uint32_t result = 0; result < node.node().result_count; ++result) {
      const auto all = testing::SlowValues(node, operands, result);
      if (!all || all->empty()) continue;
      const std::vector<size_t> elements = {all->size() - 1, 0, all->size() / 2};
      const auto sample = testing::SlowSample(node, operands, result, elements);
      ASSERT_TRUE(sample);
      ASSERT_EQ(sample->size(), elements.size());
      for (size_t k = 0; k < elements.size(); ++k) {
        ASSERT_TRUE(Same((*sample)[k], (*all)[elements[k]])) << "element " << elements[k];
      }
      compared.insert(node.op());
    }
  });
  // Each way of sampling has occurred.
  for (const char* op : {"conv", "linear", "matmul", "softmax", "layer_norm", "reduce_sum", "gelu",
                         "add", "transpose", "reshape", "max_pool"}) {
    EXPECT_TRUE(compared.contains(op)) << op;
  }
}

// The arguments of a node by parameter, the last parameter first.
std::vector<size_t> LastParameterFirst(std::span<const Argument> arguments) {
  std::vector<size_t> order;
  order.reserve(arguments.size());
  for (size_t end = arguments.size(); end > 0;) {
    size_t begin = end - 1;
    while (begin > 0 && arguments[begin - 1].parameter == arguments[end - 1].parameter) --begin;
    for (size_t i = begin; i < end; ++i) order.push_back(i);
    end = begin;
  }
  return order;
}

TEST(SlowValues, DoNotDependOnTheOrderOfTheArguments) {
  std::set<std::string_view> compared;
  ForEachNode(400, [&](const NodeView& node, const Operands& operands) {
    const auto arguments = node.graph().arguments(node.node());
    Graph turned;
    Operands turned_operands;
    std::vector<ValueId> values;
    const std::vector<size_t> order = LastParameterFirst(arguments);
    for (const size_t i : order) {
      values.push_back(turned.AddInput(node.graph().type(arguments[i].value)));
      turned_operands.push_back(operands[i]);
    }
    turned.BeginNode(&node.schema());
    for (size_t k = 0; k < order.size(); ++k) {
      turned.AddArgument(arguments[order[k]].parameter, values[k]);
    }
    CopyAttributes(node.graph(), node.node(), turned);
    std::vector<TensorType> types;
    types.reserve(node.node().result_count);
    for (uint32_t i = 0; i < node.node().result_count; ++i) types.push_back(node.ResultType(i));
    turned.FinishNodeAs(types, {});
    for (uint32_t result = 0; result < node.node().result_count; ++result) {
      const auto expected = testing::SlowValues(node, operands, result);
      const auto given = testing::SlowValues(NodeView(turned, NodeId{0}), turned_operands, result);
      ASSERT_EQ(given.has_value(), expected.has_value());
      if (!expected) continue;
      ASSERT_EQ(given->size(), expected->size());
      for (size_t i = 0; i < expected->size(); ++i) {
        ASSERT_TRUE(Same((*given)[i], (*expected)[i])) << "element " << i;
      }
      if (arguments.size() > 1) compared.insert(node.op());
    }
  });
  for (const char* op : {"conv", "linear", "matmul", "layer_norm", "sub", "select", "gather"}) {
    EXPECT_TRUE(compared.contains(op)) << op;
  }
}

}  // namespace
}  // namespace anecheck
