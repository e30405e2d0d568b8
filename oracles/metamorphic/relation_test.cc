// Relations keep what they must: by the oracle, a rewritten graph has the original's results.
#include "oracles/metamorphic/relation.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "generators/graph_generator.h"
#include "harness/graph/validate.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"

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

TEST(Relations, NamesAreDistinctAndEachHasWhatItsSiteNeeds) {
  std::set<std::string_view> names;
  for (const Relation& relation : Relations()) {
    EXPECT_TRUE(names.insert(relation.name).second) << relation.name;
    EXPECT_EQ(relation.instead_of != nullptr, relation.site == RelationSite::kValue);
    EXPECT_EQ(relation.in_place_of != nullptr, relation.site == RelationSite::kNode);
  }
}

TEST(Relations, LeaveWhatMustBeConstantAsItIs) {
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
      if (rewritten) EXPECT_NE(rewritten->site, "weight") << relation.name;
    }
  }
}

TEST(Relations, LeaveConstantExpressionsAsTheyAre) {
  size_t met = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const Drawn drawn = Draw(seed, CaseMode::kCompressed);
    for (const Relation& relation : Relations()) {
      const auto rewritten = RewriteBy(relation, drawn.graph, seed);
      if (!rewritten || rewritten->site.empty()) continue;
      const auto site = drawn.graph.FindValue(rewritten->site);
      ASSERT_TRUE(site);
      const Value& value = drawn.graph.value(*site);
      if (value.kind != ValueKind::kResult) continue;
      ++met;
      const std::string_view op = drawn.graph.node(value.producer).schema->name;
      EXPECT_FALSE(op.starts_with("constexpr_")) << relation.name << " seed " << seed << " " << op;
    }
  }
  EXPECT_GT(met, 0u);
}

// Whole numbers are exact through every relation, so each law is equality here.
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
        const auto found = Compare(relation.law, (*before)[i], (*after)[i], Encode((*before)[i]),
                                   Encode((*after)[i]));
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

TEST(Relations, RoutesAreComparedWhereBothRunAlone) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Rewritten made = Rewrite(Draw(seed, CaseMode::kFloat).graph, seed);
    ASSERT_NE(made.relation, nullptr);
    EXPECT_FALSE(made.relation->direct);
  }
}

TEST(Relations, DepthAddsManyNodesAndKeepsTheNumbers) {
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

TEST(Compare, TellsTheLawsApart) {
  const Estimate point = Interval({0}, {0});
  const Tensor zero{{DType::kFp16, {1}}, {0x00, 0x00}};
  const Tensor minus_zero{{DType::kFp16, {1}}, {0x00, 0x80}};
  EXPECT_TRUE(Compare(RelationLaw::kSameBytes, point, point, zero, minus_zero));
  EXPECT_FALSE(Compare(RelationLaw::kSameNumbers, point, point, zero, minus_zero));
  EXPECT_FALSE(Compare(RelationLaw::kWithinBounds, point, point, zero, minus_zero));
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
