// Tests the table of axes that an operation treats alike. For drawn instances of every operation
// with a row, the oracle computes the same results if such an axis is cut into parts or its entries
// are reordered.
#include "oracles/metamorphic/alike_axes.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "generators/graph_generator.h"
#include "generators/testing/only_op.h"
#include "harness/graph/validate.h"
#include "harness/ops/params.h"
#include "oracles/metamorphic/relation.h"

namespace anecheck {
namespace {

std::set<OpKind> OpsWithRows() {
  std::set<OpKind> ops;
  for (const OpDefinition* op : AllOps()) {
    for (const AxisClass& row : AxisClasses()) {
      if (op->axes.contains(row.rule)) ops.insert(KindOf(op->schema));
    }
  }
  return ops;
}

TEST(AxisClasses, HaveNamesAndReasonsAndEachRuleOnce) {
  std::set<std::string_view> names;
  std::set<AxisRule> rules;
  for (const AxisClass& row : AxisClasses()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.reason.empty()) << row.name;
    EXPECT_TRUE(rules.insert(row.rule).second) << row.name;
    EXPECT_FALSE(SaysWhyNone(row.rule)) << row.name;
    EXPECT_TRUE(std::ranges::any_of(AllOps(), [&](const OpDefinition* op) {
      return op->axes.contains(row.rule);
    })) << row.name;
  }
  EXPECT_EQ(rules.size(), static_cast<size_t>(AxisRule::kReadAnew)) << "a rule without a row";
}

TEST(AxisClasses, EveryOperationHasRowsOrOneReason) {
  for (const OpDefinition* op : AllOps()) {
    size_t reasons = 0;
    for (int rule = 0; rule <= static_cast<int>(AxisRule::kNoText); ++rule) {
      const auto named = static_cast<AxisRule>(rule);
      reasons += SaysWhyNone(named) && op->axes.contains(named) ? 1 : 0;
    }
    EXPECT_EQ(reasons, OpsWithRows().contains(KindOf(op->schema)) ? 0u : 1u) << op->schema.name;
  }
}

// A graph of one operation with inputs of the given shapes.
Graph Single(OpKind op, std::initializer_list<Shape> shapes,
             const std::function<void(Graph&)>& attributes = {}) {
  Graph graph;
  std::vector<ValueId> inputs;
  for (const Shape& shape : shapes) inputs.push_back(graph.AddInput({DType::kFp16, shape}));
  graph.BeginNode(&GetOp(op).schema);
  const auto parameters = GetOp(op).schema.parameters;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool list = parameters[0].kind == ParameterKind::kTensorList;
    graph.AddArgument(list ? 0 : static_cast<int>(i), inputs[i]);
  }
  if (attributes) attributes(graph);
  const auto made = graph.FinishNode();
  EXPECT_TRUE(made.ok()) << made.error().message;
  if (made.ok()) graph.AddOutput(*made);
  return graph;
}

std::vector<AlikeAxis> AxesOf(const Graph& graph) { return AlikeAxes(NodeView(graph, 0)); }

TEST(AlikeAxes, OfBroadcastOperandsAreAlignedAtTheLastAxis) {
  const Graph graph = Single(OpKind::kAdd, {{4, 3, 5}, {1, 5}});
  const std::vector<AlikeAxis> wanted = {
      {.operands = {0, -1}, .results = {0}, .extent = 4, .independent = true},
      {.operands = {1, -1}, .results = {1}, .extent = 3, .independent = true},
      {.operands = {2, 1}, .results = {2}, .extent = 5, .independent = true}};
  EXPECT_EQ(AxesOf(graph), wanted);
}

TEST(AlikeAxes, OfAReductionSkipTheReducedAxisInTheResult) {
  const Graph graph = Single(OpKind::kReduceSum, {{4, 3, 5}}, [](Graph& open) {
    open.AddInts(params::Reduce::kAxes, std::vector<int64_t>{1});
  });
  const std::vector<AlikeAxis> wanted = {
      {.operands = {0}, .results = {0}, .extent = 4, .independent = true},
      {.operands = {2}, .results = {1}, .extent = 5, .independent = true},
      {.operands = {1}, .results = {-1}, .extent = 3, .independent = false}};
  EXPECT_EQ(AxesOf(graph), wanted);
}

TEST(AlikeAxes, OfASoftmaxAreIndependentExceptItsOwnAxis) {
  const Graph graph = Single(OpKind::kSoftmax, {{4, 3}},
                             [](Graph& open) { open.AddInt(params::Softmax::kAxis, 0); });
  const std::vector<AlikeAxis> wanted = {
      {.operands = {1}, .results = {1}, .extent = 3, .independent = true},
      {.operands = {0}, .results = {0}, .extent = 4, .independent = false}};
  EXPECT_EQ(AxesOf(graph), wanted);
}

TEST(AlikeAxes, OfAProductAreBatchesRowsColumnsAndTheSummedAxis) {
  const Graph graph = Single(OpKind::kMatmul, {{2, 3, 4}, {2, 5, 4}},
                             [](Graph& open) { open.AddBool(params::Matmul::kTransposeY, true); });
  const std::vector<AlikeAxis> wanted = {
      {.operands = {0, 0}, .results = {0}, .extent = 2, .independent = true},
      {.operands = {1, -1}, .results = {1}, .extent = 3, .independent = true},
      {.operands = {-1, 1}, .results = {2}, .extent = 5, .independent = true},
      {.operands = {2, 2}, .results = {-1}, .extent = 4, .independent = false}};
  EXPECT_EQ(AxesOf(graph), wanted);
}

TEST(AlikeAxes, AreNotCutIfAnOperandMustBeConstant) {
  Graph graph;
  const ValueId x = graph.AddInput({DType::kFp16, {2, 3, 4}});
  const ValueId gamma = graph.AddConst({DType::kFp16, {3}}, {});
  graph.BeginNode(&GetOp(OpKind::kPrelu).schema);
  graph.AddArgument(params::WithAlpha::kX, x);
  graph.AddArgument(params::WithAlpha::kAlpha, gamma);
  graph.AddOutput(*graph.FinishNode());
  for (const AlikeAxis& axis : AxesOf(graph)) EXPECT_NE(axis.operands[0], 1);
  EXPECT_EQ(AxesOf(graph).size(), 2u);
}

TEST(AlikeAxes, OfAnOperationWithoutARowAreNone) {
  const Graph graph = Single(OpKind::kReshape, {{4, 3}}, [](Graph& open) {
    open.AddInts(params::Reshape::kShape, std::vector<int64_t>{12});
  });
  EXPECT_TRUE(AxesOf(graph).empty());
}

class EachOperation : public ::testing::TestWithParam<OpKind> {};

Tensor Encode(const Estimate& estimate) {
  Tensor tensor{estimate.type, std::vector<uint8_t>(static_cast<size_t>(estimate.type.ByteSize()))};
  EncodeElements(estimate.type.dtype, estimate.value, tensor.bytes);
  return tensor;
}

// Whether the relation applies to the first operation `op` of the graph. If so, it must keep the
// results.
bool Holds(const Relation& relation, const Graph& graph, std::span<const Tensor> inputs, OpKind op,
           uint64_t choice) {
  const auto node = std::ranges::find_if(graph.nodes(),
                                         [op](const Node& at) { return KindOf(*at.schema) == op; });
  if (node == graph.nodes().end()) return false;
  const std::string site = graph.value(node->first_result).name;
  const auto made = RewriteBy(relation, graph, choice, {}, site);
  if (!made || made->site != site) return false;
  EXPECT_TRUE(ValidateGraph(made->graph).ok()) << relation.name << " choice " << choice;
  const Contract& contract = ConformingContract(2);
  const auto before = Evaluate(graph, inputs, contract);
  const auto after = Evaluate(made->graph, inputs, contract);
  if (!before.ok()) return false;
  EXPECT_TRUE(after.ok()) << relation.name << " choice " << choice;
  if (!after.ok()) return true;
  for (size_t i = 0; i < before->size(); ++i) {
    const auto found =
        Compare(relation.law, (*before)[i], (*after)[i], Encode((*before)[i]), Encode((*after)[i]));
    EXPECT_FALSE(found) << relation.name << " choice " << choice << " output " << i << ": "
                        << found->original << " became " << found->rewritten;
  }
  return true;
}

TEST_P(EachOperation, KeepsItsResultsInPartsAndInAnotherOrder) {
  GeneratorOptions options = testing::OnlyOp(GetParam());
  const Relation& parts = *FindRelation("in-batches");
  const Relation& order = *FindRelation("other-positions");
  size_t in_parts = 0, in_order = 0;
  for (uint64_t seed = 1; seed <= 240 && !HasFailure(); ++seed) {
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    const CaseMode mode = seed % 2 == 0 ? CaseMode::kInteger : CaseMode::kFloat;
    options.mode = mode;
    Graph graph;
    GenerateGraph(choices, options, graph);
    const std::vector<Tensor> inputs = GenerateInputs(choices, graph, mode);
    in_parts += Holds(parts, graph, inputs, GetParam(), seed) ? 1 : 0;
    in_order += Holds(order, graph, inputs, GetParam(), seed) ? 1 : 0;
  }
  EXPECT_GT(in_parts, 0u) << "is never cut into parts";
  EXPECT_GT(in_order, 0u) << "is never put in another order";
}

INSTANTIATE_TEST_SUITE_P(Table, EachOperation, ::testing::ValuesIn([] {
                           const std::set<OpKind> ops = OpsWithRows();
                           return std::vector<OpKind>(ops.begin(), ops.end());
                         }()),
                         [](const auto& parameter) {
                           return std::string(GetOp(parameter.param).schema.name);
                         });

}  // namespace
}  // namespace anecheck
