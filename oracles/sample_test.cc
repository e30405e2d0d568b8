// Sampled slow values are the slow values of the same elements.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>

#include "generators/graph_generator.h"
#include "oracles/oracle.h"
#include "oracles/testing/slow.h"
#include "oracles/testing/test_support.h"

namespace anecheck {
namespace {

using testing::SlowElements;

bool Same(const SlowElements& sample, const SlowElements& all, std::span<const size_t> elements) {
  if (sample.size() != elements.size()) return false;
  for (size_t k = 0; k < elements.size(); ++k) {
    const auto& expected = all[elements[k]];
    if (sample[k].has_value() != expected.has_value()) return false;
    if (expected && *sample[k] != *expected && *expected == *expected) return false;
  }
  return true;
}

TEST(SlowSample, GivesTheElementsThatAreAskedFor) {
  std::set<std::string_view> compared;
  for (uint64_t seed = 0; seed < 400; ++seed) {
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
    ASSERT_TRUE(evaluation.Run(graph, inputs, IeeeContract()).ok());
    for (const Node& node : graph.nodes()) {
      const NodeView view(graph, node);
      std::vector<std::vector<double>> operands;
      Estimate estimate;
      for (const Argument& argument : graph.arguments(node)) {
        evaluation.Intermediate(argument.value, estimate);
        operands.push_back(estimate.value);
      }
      for (uint32_t result = 0; result < node.result_count; ++result) {
        const auto all = testing::SlowValues(view, operands, result);
        if (!all || all->empty()) continue;
        const std::vector<size_t> elements = {all->size() - 1, 0, all->size() / 2};
        const auto sample = testing::SlowSample(view, operands, result, elements);
        ASSERT_TRUE(sample) << view.op();
        ASSERT_TRUE(Same(*sample, *all, elements)) << view.op() << ", seed " << seed;
        compared.insert(view.op());
      }
    }
  }
  // Each way of sampling was met.
  for (const char* op : {"conv", "linear", "matmul", "softmax", "layer_norm", "reduce_sum", "gelu",
                         "add", "transpose", "reshape", "max_pool"}) {
    EXPECT_TRUE(compared.contains(op)) << op;
  }
}

}  // namespace
}  // namespace anecheck
