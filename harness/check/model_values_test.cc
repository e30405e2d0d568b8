// The values of a model, as tensors.
#include "harness/check/model_values.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "generators/graph_generator.h"
#include "harness/base/testing/same_number.h"
#include "harness/campaign/testing/campaign_test.h"

namespace anecheck {
namespace {

using testing::AddNode;
using testing::SameNumber;

TEST(ModelValues, EqualThoseOfAnEvaluationThatKeepsAll) {
  size_t compared = 0;
  size_t with_states = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    Graph graph;
    const CaseMode mode = seed % 4 == 0 ? CaseMode::kState : CaseMode::kFloat;
    GenerateGraph(choices, {.mode = mode, .max_nodes = 12, .min_nodes = 3, .max_elements = 64},
                  graph);
    const std::vector<Tensor> inputs = GenerateInputs(choices, graph, mode);
    with_states += graph.ValuesOfKind(ValueKind::kState).empty() ? 0 : 1;
    Evaluation whole, streamed;
    ASSERT_TRUE(whole.Run(graph, inputs, ConformingContract(2)).ok());
    const auto values = ModelValues::Of(graph, inputs, ConformingContract(2), streamed);
    ASSERT_TRUE(values.ok());
    for (const Node& node : graph.nodes()) {
      for (ValueId id = node.first_result; id < node.first_result + node.result_count; ++id) {
        ASSERT_EQ((*values)[id].type, graph.type(id));
        const std::span<const double> expected = whole.Values(id);
        std::vector<double> elements(expected.size());
        DecodeElements(graph.type(id).dtype, (*values)[id].bytes, elements);
        EXPECT_TRUE(std::ranges::equal(elements, expected, SameNumber));
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 1000u);
  EXPECT_GT(with_states, 0u);
}

// 33 results of 2^26 elements exceed the limit of 2^31 elements.
TEST(ModelValues, RefusesTooManyElementsBeforeItComputesAny) {
  const TensorType large = {DType::kFp16, Shape{1 << 14, 1 << 12}};
  Graph graph;
  ValueId x = graph.AddInput(large, "x");
  for (int i = 0; i < 33; ++i) x = AddNode(graph, OpKind::kRelu, {x});
  graph.AddOutput(x);
  Evaluation evaluation;
  const auto values = ModelValues::Of(graph, {}, ConformingContract(2), evaluation);
  ASSERT_FALSE(values.ok());
  EXPECT_EQ(values.error().code, ErrorCode::kLimit);
  EXPECT_EQ(values.error().message, "the graph's results have more than 2147483648 elements");
}

}  // namespace
}  // namespace anecheck
