// Models are cut into parts around operations that an engine does not take, so that each part can
// run alone.
#include "harness/check/model_parts.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <optional>

#include "generators/graph_generator.h"
#include "harness/base/testing/same_number.h"
#include "harness/campaign/testing/campaign_test.h"
#include "harness/graph/validate.h"

namespace anecheck {
namespace {

using testing::AddNode;
using testing::SameNumber;

std::vector<bool> Marked(const Graph& graph, std::initializer_list<ValueId> values) {
  std::vector<bool> marked(graph.nodes().size(), false);
  for (const ValueId value : values) marked[graph.value(value).producer] = true;
  return marked;
}

ModelValues ValuesOf(const Graph& graph, std::span<const Tensor> inputs, int family = 2) {
  Evaluation evaluation;
  return ModelValues::Of(graph, inputs, ConformingContract(family), evaluation).value();
}

// The parts of a graph. Every byte of the inputs is 0x31, so that each number is 0.162 in fp16.
std::vector<ModelPart> PartsOf(const Graph& graph, const std::vector<bool>& outside) {
  std::vector<Tensor> inputs;
  for (const ValueId id : graph.ValuesOfKind(ValueKind::kInput)) {
    const TensorType& type = graph.type(id);
    inputs.push_back({type, std::vector<uint8_t>(static_cast<size_t>(type.ByteSize()), 0x31)});
  }
  return ModelParts(graph, inputs, ValuesOf(graph, inputs)).Around(outside);
}

const TensorType kRow = {DType::kFp16, Shape{1, 4}};

TEST(ModelParts, ReadersOfAnOperationOutsideAreInALaterPart) {
  Graph graph;
  const ValueId x = graph.AddInput(kRow, "x");
  const ValueId before = AddNode(graph, OpKind::kRelu, {x});
  const ValueId outside = AddNode(graph, OpKind::kSin, {before});
  const ValueId after = AddNode(graph, OpKind::kAbs, {outside});
  const ValueId beside = AddNode(graph, OpKind::kSqrt, {before});
  graph.AddOutput(AddNode(graph, OpKind::kAdd, {after, beside}));
  const std::vector<ModelPart> parts = PartsOf(graph, Marked(graph, {outside}));
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].nodes, (std::vector<NodeId>{0, 3}));
  EXPECT_EQ(parts[0].outputs, (std::vector<ValueId>{before, beside}));
  EXPECT_EQ(parts[1].nodes, (std::vector<NodeId>{2, 4}));
  EXPECT_EQ(parts[1].inputs.size(), 2u);
}

TEST(ModelParts, AModelWithoutSuchOperationsIsOnePart) {
  Graph graph;
  const ValueId x = graph.AddInput(kRow, "x");
  graph.AddOutput(AddNode(graph, OpKind::kRelu, {AddNode(graph, OpKind::kAbs, {x})}));
  const std::vector<ModelPart> parts = PartsOf(graph, Marked(graph, {}));
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].nodes, (std::vector<NodeId>{0, 1}));
}

// A bool cannot leave an engine: the comparison is in both parts.
TEST(ModelParts, BoolsAreComputedAgainInThePartThatReadsThem) {
  Graph graph;
  const ValueId x = graph.AddInput(kRow, "x");
  const ValueId y = graph.AddInput(kRow, "y");
  const ValueId flag = AddNode(graph, OpKind::kGreater, {x, y});
  const ValueId first = AddNode(graph, OpKind::kSelect, {flag, x, y});
  const ValueId outside = AddNode(graph, OpKind::kSin, {first});
  graph.AddOutput(AddNode(graph, OpKind::kSelect, {flag, outside, y}));
  const std::vector<ModelPart> parts = PartsOf(graph, Marked(graph, {outside}));
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[1].nodes, (std::vector<NodeId>{3}));
  EXPECT_EQ(parts[1].graph.nodes().size(), 2u);
  EXPECT_EQ(parts[1].inputs.size(), 3u);
}

TEST(ModelParts, OperationsWithOnlyConstantOperandsAreNoPart) {
  Graph graph;
  const ValueId x = graph.AddInput(kRow, "x");
  const ValueId number = graph.AddConst(kRow, std::vector<uint8_t>(8, 0x3c), "c");
  const ValueId made = AddNode(graph, OpKind::kRelu, {number});
  graph.AddOutput(AddNode(graph, OpKind::kMul, {x, made}));
  EXPECT_TRUE(PartsOf(graph, Marked(graph, {graph.outputs()[0]})).empty());
}

// A weight that is computed from constants must stay a constant, because engines have other rules
// for weights that are not.
TEST(ModelParts, AnOperationAloneKeepsComputedConstants) {
  Graph graph;
  const ValueId x = graph.AddInput(kRow, "x");
  const ValueId number = graph.AddConst(kRow, std::vector<uint8_t>(8, 0x3c), "c");
  const ValueId made = AddNode(graph, OpKind::kRelu, {number});
  const ValueId y = AddNode(graph, OpKind::kMul, {AddNode(graph, OpKind::kAbs, {x}), made});
  graph.AddOutput(y);
  const std::vector<Tensor> inputs = {{kRow, std::vector<uint8_t>(8, 0x31)}};
  const ModelValues values = ValuesOf(graph, inputs);
  ModelParts cutter(graph, inputs, values);
  const std::optional<ModelPart> alone = cutter.Alone(graph.value(y).producer);
  ASSERT_TRUE(alone.has_value());
  EXPECT_EQ(alone->nodes, std::vector<NodeId>{2});
  EXPECT_EQ(alone->inputs.size(), 1u);
  EXPECT_EQ(alone->graph.nodes().size(), 2u);
  EXPECT_FALSE(cutter.Alone(graph.value(made).producer).has_value());
}

// The outputs of a part must have the values of the whole model under the family's contract.
void ExpectSame(const ModelPart& part, const Evaluation& whole, int family, size_t& compared) {
  ASSERT_TRUE(ValidateGraph(part.graph).ok());
  Evaluation alone;
  ASSERT_TRUE(alone.Run(part.graph, part.inputs, ConformingContract(family)).ok());
  ASSERT_EQ(part.outputs.size(), part.graph.outputs().size());
  for (size_t i = 0; i < part.outputs.size(); ++i) {
    const auto given = alone.Values(part.graph.outputs()[i]);
    EXPECT_TRUE(std::ranges::equal(given, whole.Values(part.outputs[i]), SameNumber));
    ++compared;
  }
}

// Whichever operations are outside, each other operation must be in at most one part, and a part
// must compute the values of the whole graph.
TEST(ModelParts, PartsOfDrawnGraphsGiveTheValuesOfTheWhole) {
  size_t compared = 0, alone = 0;
  constexpr int kFamilies[] = {2, 5, 6, 7};
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    const int family = kFamilies[seed % std::size(kFamilies)];
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    Graph graph;
    GenerateGraph(choices, {.max_nodes = 12, .min_nodes = 3, .max_elements = 64}, graph);
    const std::vector<Tensor> inputs = GenerateInputs(choices, graph, CaseMode::kFloat);
    Evaluation whole;
    ASSERT_TRUE(whole.Run(graph, inputs, ConformingContract(family)).ok());
    std::vector<bool> outside(graph.nodes().size());
    for (size_t i = 0; i < outside.size(); ++i) {
      outside[i] = graph.nodes()[i].result_count > 0 && choices.Below(4) == 0;
    }
    const ModelValues values = ValuesOf(graph, inputs, family);
    ModelParts cutter(graph, inputs, values);
    std::vector<size_t> times(outside.size(), 0);
    for (const ModelPart& part : cutter.Around(outside)) {
      for (const NodeId node : part.nodes) {
        EXPECT_FALSE(outside[node]);
        EXPECT_EQ(++times[node], 1u);
      }
      ExpectSame(part, whole, family, compared);
    }
    const auto node = static_cast<NodeId>(choices.Below(graph.nodes().size()));
    if (const std::optional<ModelPart> part = cutter.Alone(node)) {
      EXPECT_EQ(part->nodes, std::vector<NodeId>{node});
      ExpectSame(*part, whole, family, alone);
    }
  }
  EXPECT_GT(compared, 600u);
  EXPECT_GT(alone, 150u);
}

}  // namespace
}  // namespace anecheck
