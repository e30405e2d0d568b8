#include "harness/check/cliff_reach.h"

#include <cmath>
#include <gtest/gtest.h>

#include "generators/graph_generator.h"
#include "harness/base/half.h"
#include "harness/campaign/testing/campaign_test.h"
#include "harness/ops/params.h"
#include "oracles/oracle.h"
#include "oracles/testing/test_support.h"

namespace anecheck {
namespace {

using testing::AddNode;
using testing::Case;
using testing::MakeTensor;

constexpr int kFamily = 2;

Tensor Halves(const Shape& shape, double number) {
  Tensor tensor{{DType::kFp16, shape}, {}};
  tensor.bytes.resize(static_cast<size_t>(tensor.type.ByteSize()));
  EncodeElements(DType::kFp16, std::vector<double>(static_cast<size_t>(shape.Elements()), number),
                 tensor.bytes);
  return tensor;
}

Departure Overflow(Effect effect, double from) {
  Departure departure;
  departure.id = "test";
  departure.effect = effect;
  departure.a = from;
  departure.families = 1u << kFamily;
  return departure;
}

TEST(CliffReach, ABoundOfSumsCountsTheWeightsOfOneOutput) {
  Graph graph;
  const ValueId x = graph.AddInput({DType::kFp16, {2, 3}}, "x");
  const Tensor weight = Halves({4, 3}, -0.5);
  const ValueId w = graph.AddConst(weight.type, weight.bytes, "w");
  graph.AddOutput(AddNode(graph, OpKind::kLinear, {x, w}));
  const Tensor inputs[] = {Halves({2, 3}, 8)};
  EXPECT_EQ(MostOfSums(graph, inputs), 8 * 3 * 0.5);
}

TEST(CliffReach, MultipliesEachWeightByTheLargestNumberOfItsChannel) {
  using P = params::Conv;
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {1, 4, 1, 2}, {1, -8, NAN, 3, 0, 0, 4, 2}));
  c.Begin(OpKind::kConv).Arg(P::kX, x);
  c.Arg(P::kWeight, c.Const(MakeTensor(DType::kFp16, {2, 2, 1, 2}, {1, -1, 2, 2, 5, 5, 0, 1})));
  c.graph.AddOutput(c.String(P::kPadType, "same").Int(P::kGroups, 2).Finish());
  EXPECT_EQ(MostOfSums(c.graph, c.inputs), 2 * 8 + 4 * 3);
}

TEST(CliffReach, TheLargestHalfIgnoresNan) {
  const auto largest = [](const std::vector<double>& numbers) {
    const Shape shape = {static_cast<int64_t>(numbers.size())};
    return LargestHalf(MakeTensor(DType::kFp16, shape, numbers).bytes);
  };
  EXPECT_EQ(largest({1, -3, NAN, 2}), 3);
  EXPECT_EQ(largest({NAN, -INFINITY}), INFINITY);
  EXPECT_EQ(largest({NAN}), 0);
}

TEST(CliffReach, ABoundOfAMatmulCountsItsProducts) {
  Graph graph;
  const ValueId x = graph.AddInput({DType::kFp16, {2, 3}}, "x");
  const ValueId y = graph.AddInput({DType::kFp16, {3, 5}}, "y");
  graph.AddOutput(AddNode(graph, OpKind::kMatmul, {x, y}));
  const Tensor inputs[] = {Halves({2, 3}, 8), Halves({3, 5}, -2)};
  EXPECT_EQ(MostOfSums(graph, inputs), 3 * 8 * 2);
}

TEST(CliffReach, OperationsWithoutProductsHaveNoSums) {
  Graph graph;
  const ValueId x = graph.AddInput({DType::kFp16, {2, 3}}, "x");
  graph.AddOutput(AddNode(graph, OpKind::kGelu, {x}));
  const Tensor inputs[] = {Halves({2, 3}, 60000)};
  EXPECT_EQ(MostOfSums(graph, inputs), 0);
}

// Draws graphs of one operation, and thresholds near the magnitude of their values.
TEST(CliffReach, ADepartureThatMayNotActChangesNothing) {
  int spared = 0, changed = 0;
  for (uint64_t seed = 0; seed < 600; ++seed) {
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    GeneratorOptions options{.family = kFamily, .max_nodes = 1};
    if (seed % 2 == 0) {
      options.ops.reset();
      for (const OpKind op : {OpKind::kConv, OpKind::kLinear, OpKind::kMatmul}) {
        options.ops.set(static_cast<size_t>(op));
      }
    }
    Graph graph;
    GenerateGraph(choices, options, graph);
    const auto inputs = GenerateInputs(choices, graph, CaseMode::kFloat);
    const double from = std::ldexp(1, static_cast<int>(choices.Range(-4, 12)));
    for (const Effect effect : {Effect::kPortOverflow, Effect::kInteriorOverflow}) {
      const Departure departure = Overflow(effect, from);
      const Departure* const acting[] = {&departure};
      const bool may = MayAct(departure, graph, MostOfSums(graph, inputs));
      const auto conforming =
          Evaluate(graph, inputs, WithDepartures(kFamily, std::span<const Departure* const>()));
      const auto departed = Evaluate(graph, inputs, WithDepartures(kFamily, acting));
      ASSERT_TRUE(conforming.ok() && departed.ok());
      bool same = true;
      for (size_t i = 0; i < conforming->size(); ++i) {
        const Estimate &a = (*conforming)[i], &b = (*departed)[i];
        same = same && a.low == b.low && a.high == b.high && a.flags == b.flags;
      }
      if (!may) ASSERT_TRUE(same) << "seed " << seed << ", from " << from;
      spared += may ? 0 : 1;
      changed += same ? 0 : 1;
    }
  }
  EXPECT_GT(spared, 200);
  EXPECT_GT(changed, 100);
}

}  // namespace
}  // namespace anecheck
