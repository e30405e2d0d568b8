// Relations keep the results: the oracle computes the same results for the rewritten graph.
#include "oracles/metamorphic/relation.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <optional>
#include <set>

#include "generators/graph_generator.h"
#include "generators/testing/only_op.h"
#include "harness/graph/validate.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "oracles/metamorphic/node_relations.h"
#include "oracles/plan/decomposition.h"

namespace anecheck {
namespace {

struct Drawn {
  Graph graph;
  std::vector<Tensor> inputs;
};

Drawn Draw(uint64_t seed, CaseMode mode) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  Drawn drawn;
  GenerateGraph(choices, {.mode = mode, .max_elements = 64}, drawn.graph);
  drawn.inputs = GenerateInputs(choices, drawn.graph, mode);
  return drawn;
}

Tensor Encode(const Estimate& estimate) {
  Tensor tensor{estimate.type, std::vector<uint8_t>(static_cast<size_t>(estimate.type.ByteSize()))};
  EncodeElements(estimate.type.dtype, estimate.value, tensor.bytes);
  return tensor;
}

TEST(Relations, NamesAreDistinctAndEachHasTheFunctionOfItsSite) {
  std::set<std::string_view> names;
  for (const Relation& relation : Relations()) {
    EXPECT_TRUE(names.insert(relation.name).second) << relation.name;
    EXPECT_EQ(relation.instead_of != nullptr, relation.site == RelationSite::kValue);
    EXPECT_EQ(relation.in_place_of != nullptr, relation.site == RelationSite::kNode);
  }
}

// linear(x, w, b) as twice linear(x, w / 2, b / 2).
TEST(Relations, AScaleIsMovedOutOfConstantWeights) {
  Graph graph;
  const ValueId x = graph.AddInput({DType::kFp16, {1, 2}}, "x");
  const auto constant = [&](const Shape& shape, const std::vector<double>& numbers) {
    Tensor tensor{{DType::kFp16, shape}, std::vector<uint8_t>(numbers.size() * 2)};
    EncodeElements(DType::kFp16, numbers, tensor.bytes);
    return graph.AddConst(tensor.type, tensor.bytes);
  };
  graph.BeginNode(&FindOp("linear")->schema);
  graph.AddArgument(params::Linear::kX, x);
  graph.AddArgument(params::Linear::kWeight, constant({2, 2}, {1, -3, 0.5, 7}));
  graph.AddArgument(params::Linear::kBias, constant({2}, {0, 5}));
  graph.AddOutput(*graph.FinishNode());
  const auto rewritten = RewriteBy(*FindRelation("scale-out-of-weights"), graph, 0);
  ASSERT_TRUE(rewritten.has_value());
  ASSERT_EQ(rewritten->graph.nodes().size(), 2u);
  EXPECT_EQ(rewritten->graph.node(1).schema->name, "mul");
  const NodeView half(rewritten->graph, rewritten->graph.node(0));
  std::vector<double> numbers(4);
  DecodeElements(DType::kFp16, rewritten->graph.ConstData(half.Input(params::Linear::kWeight)),
                 numbers);
  EXPECT_EQ(numbers, (std::vector<double>{0.5, -1.5, 0.25, 3.5}));
}

TEST(Relations, LeaveRequiredConstantsUnchanged) {
  Graph graph;
  const ValueId x = graph.AddInput({DType::kFp16, {2, 3}}, "x");
  const ValueId weight = graph.AddInput({DType::kFp16, {4, 3}}, "weight");
  graph.BeginNode(&FindOp("linear")->schema);
  graph.AddArgument(params::Linear::kX, x);
  graph.AddArgument(params::Linear::kWeight, weight);
  const TensorType types[] = {{DType::kFp16, {2, 4}}};
  const std::string names[] = {"y"};
  graph.AddOutput(graph.FinishNodeAs(types, names));
  ASSERT_TRUE(FindOp("linear")->schema.parameters[params::Linear::kWeight].constant);
  for (const Relation& relation : Relations()) {
    for (uint64_t choice = 0; choice < 16; ++choice) {
      const auto rewritten = RewriteBy(relation, graph, choice);
      if (rewritten) {
        EXPECT_NE(rewritten->site, "weight") << relation.name;
      }
    }
  }
}

bool IsConstant(const Graph& graph, ValueId id) {
  const Value& value = graph.value(id);
  if (value.kind == ValueKind::kConst) return true;
  return value.kind == ValueKind::kResult &&
         graph.node(value.producer).schema->name.starts_with("constexpr_");
}

// A compiler may fold a constant expression, so that the program does not compute it at run time.
TEST(Relations, LeaveConstantExpressionsConstant) {
  size_t met = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const Drawn drawn = Draw(seed, CaseMode::kCompressed);
    for (const Relation& relation : Relations()) {
      const auto rewritten = RewriteBy(relation, drawn.graph, seed);
      if (!rewritten) continue;
      const Graph& graph = rewritten->graph;
      for (const Node& node : graph.nodes()) {
        for (const Argument& argument : graph.arguments(node)) {
          if (!node.schema->parameters[argument.parameter].constant) continue;
          ++met;
          EXPECT_TRUE(IsConstant(graph, argument.value))
              << relation.name << " seed " << seed << " " << node.schema->name;
        }
      }
    }
  }
  EXPECT_GT(met, 0u);
}

TEST(Relations, LeaveNoUnusedConstant) {
  size_t folded = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const Drawn drawn = Draw(seed, CaseMode::kCompressed);
    const auto rewritten = RewriteBy(*FindRelation("decompose"), drawn.graph, seed);
    if (!rewritten) continue;
    ++folded;
    std::set<ValueId> used(rewritten->graph.outputs().begin(), rewritten->graph.outputs().end());
    for (const Node& node : rewritten->graph.nodes()) {
      for (const Argument& argument : rewritten->graph.arguments(node)) used.insert(argument.value);
    }
    for (const ValueId id : rewritten->graph.ValuesOfKind(ValueKind::kConst)) {
      EXPECT_TRUE(used.contains(id)) << "seed " << seed;
    }
  }
  EXPECT_GT(folded, 0u);
}

// Whole numbers stay exact under every relation, so every law means equality here.
TEST(Relations, ResultsStayTheSame) {
  const Contract& contract = ConformingContract(2);
  for (const Relation& relation : Relations()) {
    int applied = 0;
    for (uint64_t seed = 0; seed < 60; ++seed) {
      const Drawn drawn = Draw(seed, seed % 2 == 0 ? CaseMode::kInteger : CaseMode::kFloat);
      const auto rewritten = RewriteBy(relation, drawn.graph, seed);
      if (!rewritten) continue;
      ++applied;
      ASSERT_TRUE(ValidateGraph(rewritten->graph).ok()) << relation.name << " seed " << seed;
      const auto before = Evaluate(drawn.graph, drawn.inputs, contract);
      const auto after = Evaluate(rewritten->graph, drawn.inputs, contract);
      ASSERT_TRUE(before.ok() && after.ok()) << relation.name << " seed " << seed;
      ASSERT_GE(after->size(), before->size());
      for (size_t i = 0; i < before->size(); ++i) {
        const auto found = Compare(rewritten->laws[i], (*before)[i], (*after)[i],
                                   Encode((*before)[i]), Encode((*after)[i]));
        EXPECT_FALSE(found) << relation.name << " seed " << seed << ": " << found->original
                            << " became " << found->rewritten;
      }
    }
    EXPECT_GT(applied, 0) << relation.name << " applies nowhere";
  }
}

TEST(Relations, ChoicesReachEveryRelation) {
  std::set<std::string_view> seen;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const Drawn drawn = Draw(seed, CaseMode::kFloat);
    const Rewritten made = Rewrite(drawn.graph, seed, true);
    ASSERT_NE(made.relation, nullptr);
    seen.insert(made.relation->name);
  }
  EXPECT_EQ(seen.size(), Relations().size());
}

// The last layer of a curve composed of linear, relu, linear, or nothing.
std::optional<NodeView> LastLayer(const Graph& graph) {
  const auto made_by = [&](ValueId value, std::string_view op) -> std::optional<NodeView> {
    if (graph.value(value).kind != ValueKind::kResult) return std::nullopt;
    const NodeView node(graph, graph.node(graph.value(value).producer));
    return node.op() == op ? std::optional(node) : std::nullopt;
  };
  for (const Node& node : graph.nodes()) {
    const NodeView last(graph, node);
    if (last.op() != "linear" || last.InputType(params::Linear::kWeight).shape[0] != 1) continue;
    const auto relu = made_by(last.Input(params::Linear::kX), "relu");
    if (!relu) continue;
    const auto first = made_by(relu->Input(params::Unary::kX), "linear");
    if (first && first->InputType(params::Linear::kWeight).shape[1] == 1) return last;
  }
  return std::nullopt;
}

TEST(Relations, MetamorphicGraphsContainCurvesThatAreFlatBeyondTheirKnots) {
  using P = params::Linear;
  int curves = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const Drawn drawn = Draw(seed, CaseMode::kMetamorphic);
    const auto last = LastLayer(drawn.graph);
    if (!last) continue;
    ++curves;
    const Graph& from = drawn.graph;
    const NodeView relu(from, from.node(from.value(last->Input(P::kX)).producer));
    const NodeView first(from, from.node(from.value(relu.Input(params::Unary::kX)).producer));
    std::vector<double> distances(static_cast<size_t>(first.InputType(P::kBias).shape.Elements()));
    DecodeElements(DType::kFp16, from.ConstData(first.Input(P::kBias)), distances);
    std::vector<double> changes(distances.size());
    DecodeElements(DType::kFp16, from.ConstData(last->Input(P::kWeight)), changes);
    double start[1];
    DecodeElements(DType::kFp16, from.ConstData(last->Input(P::kBias)), start);
    double sum = 0;
    for (size_t i = 0; i < changes.size(); ++i) sum += changes[i];
    EXPECT_EQ(sum, 0) << "seed " << seed << ": not flat beyond the last knot";
    for (size_t i = 1; i < distances.size(); ++i) EXPECT_LT(distances[i], distances[i - 1]);
    EXPECT_LE(std::abs(start[0]), 2);
  }
  EXPECT_GT(curves, 10);
  EXPECT_LT(curves, 60);
}

// y = relu6(x) at the knots, between them and beyond them.
TEST(Relations, AComposedCurveGivesTheOperationAtItsKnotsAndBetween) {
  Graph graph;
  const ValueId x = graph.AddInput({DType::kFp16, {1, 5}}, "x");
  graph.BeginNode(&GetOp(OpKind::kRelu6).schema);
  graph.AddArgument(params::Unary::kX, x);
  graph.AddOutput(*graph.FinishNode());
  const auto made = RewriteBy(*FindRelation("compose-curve"), graph, 0);
  ASSERT_TRUE(made);
  std::vector<std::string_view> names;
  for (const Node& node : made->graph.nodes()) names.push_back(node.schema->name);
  EXPECT_EQ(names,
            (std::vector<std::string_view>{"reshape", "linear", "relu", "linear", "reshape"}));
  Tensor input{{DType::kFp16, {1, 5}}, std::vector<uint8_t>(10)};
  EncodeElements(DType::kFp16, std::vector<double>{-1, 0, 2.5, 6, 100}, input.bytes);
  const Contract& contract = ConformingContract(2);
  const auto values = Evaluate(made->graph, std::span(&input, 1), contract);
  ASSERT_TRUE(values.ok());
  EXPECT_EQ((*values)[0].value, (std::vector<double>{0, 0, 2.5, 6, 6}));
}

TEST(Relations, AreAppliedAtTheRequestedSiteIfPossible) {
  size_t met = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const Drawn drawn = Draw(seed, CaseMode::kFloat);
    for (const Relation& relation : Relations()) {
      const auto drawn_place = RewriteBy(relation, drawn.graph, seed);
      if (!drawn_place || drawn_place->site.empty()) continue;
      // Another choice may draw another site, but the name selects the given one.
      const auto wanted = RewriteBy(relation, drawn.graph, seed + 1, {}, drawn_place->site);
      ASSERT_TRUE(wanted) << relation.name;
      met += wanted->site == drawn_place->site ? 1 : 0;
      const auto elsewhere = RewriteBy(relation, drawn.graph, seed, {}, "no such value");
      ASSERT_TRUE(elsewhere) << relation.name;
      EXPECT_EQ(elsewhere->site, drawn_place->site) << relation.name;
    }
  }
  EXPECT_GT(met, 0u);
}

TEST(Relations, AreNotAppliedIfTheRewrittenGraphMayNotRun) {
  const Drawn drawn = Draw(1, CaseMode::kFloat);
  const GraphFilter none = [](const Graph&) { return false; };
  EXPECT_EQ(Rewrite(drawn.graph, 1, true, none).relation, nullptr);
  const GraphFilter no_reverse = [](const Graph& graph) {
    return std::ranges::none_of(graph.nodes(),
                                [](const Node& node) { return node.schema->name == "reverse"; });
  };
  size_t applied = 0;
  for (uint64_t choice = 0; choice < 40; ++choice) {
    const auto made = RewriteBy(*FindRelation("other-positions"), drawn.graph, choice, no_reverse);
    if (!made) continue;
    ++applied;
    EXPECT_TRUE(no_reverse(made->graph));
  }
  EXPECT_GT(applied, 0u);
}

// y = op(x) over [4], an output.
Graph OfOne(OpKind op) {
  Graph graph;
  const ValueId x = graph.AddInput({DType::kFp16, {4}}, "x");
  graph.BeginNode(&GetOp(op).schema);
  graph.AddArgument(params::Unary::kX, x);
  graph.AddOutput(*graph.FinishNode());
  return graph;
}

TEST(Relations, OfAPointwiseOperationOnInputsRequireTheSameNumbers) {
  for (const std::string_view name : {"in-batches", "other-positions"}) {
    const Relation& relation = *FindRelation(name);
    const auto alone = RewriteBy(relation, OfOne(OpKind::kTanh), 3);
    ASSERT_TRUE(alone);
    EXPECT_EQ(alone->laws, std::vector<RelationLaw>{RelationLaw::kSameNumbers}) << name;
    Graph sum = OfOne(OpKind::kReduceSum);
    if (const auto shared = RewriteBy(relation, sum, 3)) {
      EXPECT_EQ(shared->laws, std::vector<RelationLaw>{RelationLaw::kWithinBounds}) << name;
    }
  }
}

TEST(Relations, OfAnOperationThatMayBeFusedRequireOnlyTheBounds) {
  Graph graph = OfOne(OpKind::kExp);
  const ValueId y = graph.outputs()[0];
  graph.ClearOutputs();
  graph.BeginNode(&GetOp(OpKind::kTanh).schema);
  graph.AddArgument(params::Unary::kX, y);
  graph.AddOutput(*graph.FinishNode());
  for (uint64_t choice = 0; choice < 16; ++choice) {
    const auto made = RewriteBy(*FindRelation("other-positions"), graph, choice);
    ASSERT_TRUE(made);
    EXPECT_EQ(made->laws, std::vector<RelationLaw>{RelationLaw::kWithinBounds}) << made->site;
  }
}

// The extreme of both zeros may be either of them, and its reciprocal an infinity of either sign.
TEST(Relations, ExchangedOperandsOfAnExtremeConstrainOnlyItsResult) {
  for (const OpKind kind : {OpKind::kMaximum, OpKind::kAdd}) {
    Graph graph;
    const ValueId x = graph.AddInput({DType::kFp16, {4}}, "x");
    const ValueId y = graph.AddInput({DType::kFp16, {4}}, "y");
    graph.BeginNode(&GetOp(kind).schema);
    graph.AddArgument(params::Binary::kX, x);
    graph.AddArgument(params::Binary::kY, y);
    const ValueId both = *graph.FinishNode();
    graph.BeginNode(&GetOp(OpKind::kRealDiv).schema);
    graph.AddArgument(params::Binary::kX, x);
    graph.AddArgument(params::Binary::kY, both);
    graph.AddOutput(*graph.FinishNode());
    graph.AddOutput(both);
    const auto made = RewriteBy(*FindRelation("commute"), graph, 0);
    ASSERT_TRUE(made);
    const bool extreme = kind == OpKind::kMaximum;
    EXPECT_EQ(made->laws[0], extreme ? RelationLaw::kWithinBounds : RelationLaw::kSameNumbers);
    EXPECT_EQ(made->laws[1], RelationLaw::kSameNumbers);
  }
}

// Every operation that the compiler or the host rewrites for all operands.
class EachDecomposition : public ::testing::TestWithParam<std::string_view> {};

TEST_P(EachDecomposition, IsComparedWithTheOperation) {
  const GeneratorOptions options = testing::OnlyOp(GetParam());
  const Contract& contract = ConformingContract(2);
  size_t applied = 0;
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    Graph graph;
    GenerateGraph(choices, options, graph);
    const std::vector<Tensor> inputs = GenerateInputs(choices, graph, CaseMode::kFloat);
    const auto made = RewriteBy(*FindRelation("decompose"), graph, seed);
    if (!made) continue;
    ++applied;
    ASSERT_TRUE(ValidateGraph(made->graph).ok()) << "seed " << seed;
    const auto before = Evaluate(graph, inputs, contract);
    const auto after = Evaluate(made->graph, inputs, contract);
    ASSERT_TRUE(before.ok() && after.ok()) << "seed " << seed;
    for (size_t i = 0; i < before->size(); ++i) {
      EXPECT_FALSE(Compare(made->laws[i], (*before)[i], (*after)[i], Encode((*before)[i]),
                           Encode((*after)[i])))
          << "seed " << seed;
    }
  }
  EXPECT_GT(applied, 0u);
}

// Operations whose rewrite needs operands that no generator draws: constant indices, a known number
// of rounds.
constexpr std::string_view kWithoutDrawnInstance[] = {"gather", "while_loop"};

std::vector<std::string_view> Decomposed() {
  std::set<std::string_view> ops;
  for (const plan::Decomposition& entry : plan::Decompositions()) ops.insert(entry.op);
  for (const NotDecomposed& entry : OperationsNotDecomposed()) ops.erase(entry.op);
  for (const std::string_view op : kWithoutDrawnInstance) ops.erase(op);
  return {ops.begin(), ops.end()};
}

INSTANTIATE_TEST_SUITE_P(Table, EachDecomposition, ::testing::ValuesIn(Decomposed()),
                         [](const auto& parameter) { return std::string(parameter.param); });

TEST(Decompose, LeavesOutPartialDecompositionsWithAReason) {
  for (const NotDecomposed& entry : OperationsNotDecomposed()) {
    EXPECT_FALSE(entry.reason.empty());
    EXPECT_TRUE(std::ranges::any_of(plan::Decompositions(), [&](const plan::Decomposition& known) {
      return known.op == entry.op;
    })) << entry.op;
  }
}

TEST(Relations, NoRelationNeedsTheDirectRouteByDefault) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Rewritten made = Rewrite(Draw(seed, CaseMode::kFloat).graph, seed);
    ASSERT_NE(made.relation, nullptr);
    EXPECT_FALSE(made.relation->direct);
  }
}

TEST(Relations, DepthAddsManyNodesInVaryingNumber) {
  const auto depth = std::ranges::find(Relations(), "depth", &Relation::name);
  ASSERT_NE(depth, Relations().end());
  const Drawn drawn = Draw(3, CaseMode::kInteger);
  std::set<size_t> sizes;
  for (uint64_t choice = 0; choice < 40; ++choice) {
    const auto made = RewriteBy(*depth, drawn.graph, choice);
    ASSERT_TRUE(made);
    EXPECT_GE(made->graph.nodes().size(), drawn.graph.nodes().size() + 6);
    sizes.insert(made->graph.nodes().size());
  }
  EXPECT_GT(sizes.size(), 4u);
}

Estimate Interval(std::vector<double> low, std::vector<double> high) {
  Estimate estimate;
  estimate.type = {DType::kFp16, {static_cast<int64_t>(low.size())}};
  estimate.value = estimate.low = std::move(low);
  estimate.high = std::move(high);
  estimate.flags.assign(estimate.value.size(), 0);
  return estimate;
}

TEST(Compare, DistinguishesTheLaws) {
  const Estimate point = Interval({0}, {0});
  const Tensor zero{{DType::kFp16, {1}}, {0x00, 0x00}};
  const Tensor minus_zero{{DType::kFp16, {1}}, {0x00, 0x80}};
  EXPECT_TRUE(Compare(RelationLaw::kSameBytes, point, point, zero, minus_zero));
  EXPECT_FALSE(Compare(RelationLaw::kSameNumbers, point, point, zero, minus_zero));
  EXPECT_FALSE(Compare(RelationLaw::kWithinBounds, point, point, zero, minus_zero));
}

TEST(Compare, LetsElementsLieAtTheEndsOfBothBounds) {
  const Estimate low = Interval({1}, {1});
  const Estimate high = Interval({2}, {2});
  const Tensor one{{DType::kFp16, {1}}, {0x00, 0x3c}};
  const Tensor two{{DType::kFp16, {1}}, {0x00, 0x40}};
  const Tensor three{{DType::kFp16, {1}}, {0x00, 0x42}};
  EXPECT_TRUE(Compare(RelationLaw::kWithinBounds, low, high, one, two));
  EXPECT_FALSE(Compare(RelationLaw::kWithinUnion, low, high, one, two));
  EXPECT_TRUE(Compare(RelationLaw::kWithinUnion, low, high, one, three));
}

TEST(Compare, LetsElementsDifferByBothWidths) {
  const Estimate wide = Interval({1}, {2});
  const Estimate point = Interval({1}, {1});
  const Tensor one{{DType::kFp16, {1}}, {0x00, 0x3c}};
  const Tensor two{{DType::kFp16, {1}}, {0x00, 0x40}};
  EXPECT_FALSE(Compare(RelationLaw::kWithinBounds, wide, point, one, two));
  const auto found = Compare(RelationLaw::kWithinBounds, point, point, one, two);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->element, 0u);
  EXPECT_EQ(found->rewritten, 2);
}

}  // namespace
}  // namespace anecheck
