// Compressed constants become plain constants, and the graph computes the same values.
#include "harness/judging/dense_constants.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "generators/graph_generator.h"
#include "harness/base/file.h"
#include "harness/base/json_text.h"
#include "harness/base/testing/test_data.h"
#include "harness/graph/json.h"
#include "harness/ops/op.h"
#include "oracles/oracle.h"

namespace anecheck {
namespace {

size_t NodesWithoutInput(const Graph& graph) {
  size_t count = 0;
  for (const Node& node : graph.nodes()) {
    bool known = true;
    for (const Argument& argument : graph.arguments(node)) {
      known &= graph.value(argument.value).kind == ValueKind::kConst;
    }
    count += known ? 1 : 0;
  }
  return count;
}

std::vector<Tensor> InputsOf(const Graph& graph) {
  std::vector<Tensor> inputs;
  for (const ValueId id : graph.ValuesOfKind(ValueKind::kInput)) {
    Tensor tensor{graph.type(id), {}};
    tensor.bytes.resize(static_cast<size_t>(tensor.type.ByteSize()), 0x3a);
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

class CompressedWeights : public ::testing::TestWithParam<const char*> {};

TEST_P(CompressedWeights, BecomePlainAndComputeTheSame) {
  const std::string path = testing::CasePath("models/" + std::string(GetParam()) + ".json");
  ANECHECK_SKIP_WITHOUT(path);
  const auto text = ReadTextFile(path);
  ASSERT_TRUE(text.ok());
  const auto graph = GraphFromText(*text, OpVocabulary(), path);
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  ASSERT_GT(NodesWithoutInput(*graph), 0u);
  const auto dense = WithDenseConstants(*graph);
  ASSERT_TRUE(dense.ok()) << dense.error().message;
  EXPECT_EQ(NodesWithoutInput(*dense), 0u);
  EXPECT_LT(dense->nodes().size(), graph->nodes().size());
  const std::vector<Tensor> inputs = InputsOf(*graph);
  Evaluation before;
  Evaluation after;
  ASSERT_TRUE(before.Run(*graph, inputs, IeeeContract()).ok());
  ASSERT_TRUE(after.Run(*dense, inputs, IeeeContract()).ok());
  ASSERT_EQ(dense->outputs().size(), graph->outputs().size());
  for (size_t i = 0; i < graph->outputs().size(); ++i) {
    Estimate expected;
    Estimate given;
    before.Stored(graph->outputs()[i], expected);
    after.Stored(dense->outputs()[i], given);
    EXPECT_EQ(given.value, expected.value);
    EXPECT_EQ(given.low, expected.low);
    EXPECT_EQ(given.high, expected.high);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, CompressedWeights,
                         ::testing::Values("cw_conv", "cw_linear", "cw_lstm", "cw_matmul"),
                         [](const auto& name) { return std::string(name.param); });

TEST(WithDenseConstants, LeavesAGraphWithoutThemUnchanged) {
  ChoiceStream choices = ChoiceStream::FromSeed(3);
  Graph graph;
  GenerateGraph(choices, {.family = 2}, graph);
  if (NodesWithoutInput(graph) > 0) GTEST_FAIL() << "choose another seed";
  const auto dense = WithDenseConstants(graph);
  ASSERT_TRUE(dense.ok());
  EXPECT_EQ(DumpJson(GraphToJson(*dense)), DumpJson(GraphToJson(graph)));
}

}  // namespace
}  // namespace anecheck
