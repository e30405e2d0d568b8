// Cliffs of a model's own arithmetic, on any engine.
#include "harness/check/own_cliffs.h"

#include <gtest/gtest.h>

#include "harness/base/half.h"
#include "harness/campaign/testing/campaign_test.h"
#include "harness/check/cliffs.h"

namespace anecheck {
namespace {

using testing::AddNode;

const TensorType kRow = {DType::kFp16, Shape{1, 4}};

Tensor Row(std::initializer_list<double> numbers) {
  Tensor tensor{kRow, {}};
  for (const double number : numbers) {
    const uint16_t half = DoubleToHalf(number).bits;
    tensor.bytes.push_back(static_cast<uint8_t>(half));
    tensor.bytes.push_back(static_cast<uint8_t>(half >> 8));
  }
  return tensor;
}

std::vector<Cliff> CliffsOf(const Graph& graph, const std::vector<Tensor>& inputs) {
  Evaluation evaluation;
  const auto values = ModelValues::Of(graph, inputs, ConformingContract(2), evaluation);
  EXPECT_TRUE(values.ok());
  return FindOwnCliffs(graph, inputs, *values);
}

std::vector<Cliff> CliffsOfPair(OpKind op, const Tensor& a, const Tensor& b) {
  Graph graph;
  const ValueId x = graph.AddInput(kRow, "x"), y = graph.AddInput(kRow, "y");
  graph.AddOutput(AddNode(graph, op, {x, y}));
  return CliffsOf(graph, {a, b});
}

TEST(OwnCliffs, InvalidOperationsHaveTheirNames) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const struct {
    OpKind op;
    Tensor x, y;
    const char* id;
    uint64_t elements;
  } cases[] = {{OpKind::kRealDiv, Row({0, 0, 1, 2}), Row({0, 0, 0, 1}), "0/0", 2},
               {OpKind::kSub, Row({kInf, 1, 1, 1}), Row({kInf, 1, 1, 1}), "inf-inf", 1},
               {OpKind::kAdd, Row({kInf, 1, 1, 1}), Row({-kInf, 1, 1, 1}), "inf-inf", 1},
               {OpKind::kMul, Row({kInf, 0, 1, 1}), Row({0, kInf, 1, 1}), "inf*0", 2}};
  for (const auto& one : cases) {
    const std::vector<Cliff> cliffs = CliffsOfPair(one.op, one.x, one.y);
    ASSERT_EQ(cliffs.size(), 1u) << one.id;
    EXPECT_EQ(cliffs[0].id, one.id);
    EXPECT_EQ(cliffs[0].elements, one.elements) << one.id;
  }
}

// Only the operation that makes NaN is named, not those that pass it on.
TEST(OwnCliffs, BlamesTheOperationThatMakesNanAndNoLaterOne) {
  Graph graph;
  const ValueId x = graph.AddInput(kRow, "x");
  const ValueId log = AddNode(graph, OpKind::kSqrt, {x});
  graph.AddOutput(AddNode(graph, OpKind::kAbs, {log}));
  const std::vector<Cliff> cliffs = CliffsOf(graph, {Row({-1, 1, 4, 9})});
  ASSERT_EQ(cliffs.size(), 1u);
  EXPECT_EQ(cliffs[0].id, "invalid");
  EXPECT_EQ(cliffs[0].node, 0u);
}

TEST(OwnCliffs, ReportsNumbersThatUnderflowBeforeALogarithm) {
  Graph graph;
  const ValueId x = graph.AddInput(kRow, "x");
  const ValueId exp = AddNode(graph, OpKind::kExp, {x});
  graph.AddOutput(AddNode(graph, OpKind::kLog, {exp}));
  const std::vector<Cliff> cliffs = CliffsOf(graph, {Row({-40, 1, 2, -30})});
  ASSERT_EQ(cliffs.size(), 1u);
  EXPECT_EQ(cliffs[0].id, "underflow");
  EXPECT_EQ(cliffs[0].elements, 2u);
  EXPECT_TRUE(CliffsOf(graph, {Row({-4, 1, 2, -3})}).empty());
}

TEST(OwnCliffs, ReportsAProductThatUnderflowsBeforeADivision) {
  Graph graph;
  const ValueId x = graph.AddInput(kRow, "x"), y = graph.AddInput(kRow, "y");
  const ValueId product = AddNode(graph, OpKind::kMul, {x, x});
  graph.AddOutput(AddNode(graph, OpKind::kRealDiv, {y, product}));
  const std::vector<Cliff> small = CliffsOf(graph, {Row({1e-4, 1, 1, 1}), Row({1, 1, 1, 1})});
  ASSERT_EQ(small.size(), 1u);
  EXPECT_EQ(small[0].id, "underflow");
  // A product of a zero input is 0 without underflow.
  EXPECT_TRUE(CliffsOf(graph, {Row({0, 1, 1, 1}), Row({1, 1, 1, 1})}).empty());
}

// One overflow makes all later results infinite; only a change of the first operation helps.
TEST(Cliffs, AnInfinityOfAnOperandIsInherited) {
  Graph graph;
  const ValueId x = graph.AddInput(kRow, "x");
  const ValueId square = AddNode(graph, OpKind::kSquare, {x});
  const ValueId root = AddNode(graph, OpKind::kSqrt, {square});
  graph.AddOutput(AddNode(graph, OpKind::kAbs, {root}));
  graph.AddOutput(AddNode(graph, OpKind::kMul, {root, x}));
  const std::vector<Tensor> inputs = {Row({300, 1, 2, 3})};
  Evaluation evaluation;
  const auto values = ModelValues::Of(graph, inputs, ConformingContract(2), evaluation);
  ASSERT_TRUE(values.ok());
  const auto cliffs = FindCliffs(graph, inputs, *values, 2, {}, evaluation);
  ASSERT_EQ(cliffs.size(), 4u);
  for (const Cliff& cliff : cliffs) {
    EXPECT_EQ(cliff.id, "fp16");
    EXPECT_EQ(cliff.inherited, cliff.node == 1 || cliff.node == 2) << cliff.node;
  }
}

}  // namespace
}  // namespace anecheck
