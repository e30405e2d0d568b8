// The search finds the same changes of the inputs for a value given to Start and for a value that
// LookAt adds later.
#include "oracles/sensitivity.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "generators/graph_generator.h"
#include "harness/base/testing/same_number.h"
#include "harness/ops/op.h"

namespace anecheck {
namespace {

using testing::SameNumberAndSign;

using Witnesses = SensitivitySearch::Witnesses;

bool Same(const Witnesses& a, const Witnesses& b) {
  return std::ranges::equal(a, b, [](const auto& x, const auto& y) {
    if (!x || !y) return !x && !y;
    return x->change == y->change && x->element == y->element &&
           SameNumberAndSign(x->low, y->low) && SameNumberAndSign(x->high, y->high) &&
           SameNumberAndSign(x->moved_to, y->moved_to);
  });
}

bool AllMove(const Witnesses& witnesses) {
  return std::ranges::all_of(witnesses, [](const auto& witness) { return witness.has_value(); });
}

// One search is used for all graphs, so its memory of an earlier graph must not change the result.
TEST(SensitivitySearch, FindsTheSameForValuesThatAreAddedLater) {
  SensitivitySearch kept;
  ChoiceStream choices = ChoiceStream::FromSeed(7);
  const Contract& contract = ConformingContract(2);
  int at_rest = 0;
  for (int round = 0; round < 300; ++round) {
    GeneratorOptions options{.mode = round % 2 == 0 ? CaseMode::kInteger : CaseMode::kSpecial};
    options.max_nodes = 1 + round % 6;
    options.max_elements = 16;
    options.max_products = 256;
    Graph graph;
    GenerateGraph(choices, options, graph);
    const std::vector<Tensor> inputs = GenerateInputs(choices, graph, options.mode);
    std::vector<std::vector<Tensor>> changes;
    if (!kept.Start(graph, inputs, graph.outputs(), contract).ok()) continue;
    Witnesses found(graph.outputs().size());
    for (size_t number = 0; number < 3 && !AllMove(found); ++number) {
      // The first change equals the inputs and moves nothing, so that most graphs need another
      // change.
      changes.push_back(number == 0 ? inputs : GenerateInputs(choices, graph, options.mode));
      kept.Move(changes[number], number, found);
    }
    const std::vector<ValueId> results = graph.ValuesOfKind(ValueKind::kResult);
    Witnesses again;
    kept.LookAt(results, again);
    SensitivitySearch fresh;
    ASSERT_TRUE(fresh.Start(graph, inputs, results, contract).ok());
    Witnesses expected(results.size());
    for (size_t i = 0; i < changes.size(); ++i) fresh.Move(changes[i], i, expected);
    ASSERT_TRUE(Same(again, expected)) << round;
    at_rest += AllMove(expected) ? 0 : 1;
    const std::vector<Estimate> bounds = kept.TakeBounds();
    ASSERT_EQ(bounds.size(), results.size());
    for (size_t i = 0; i < bounds.size(); ++i) ASSERT_EQ(bounds[i].type, graph.type(results[i]));
  }
  EXPECT_GT(at_rest, 5) << "some of the values added later must not move";
}

// y moves with x, but y - y is always 0.
TEST(SensitivitySearch, DistinguishesMovingFromConstantValues) {
  Graph graph;
  const ValueId x = graph.AddInput({DType::kFp16, {2}}, "x");
  graph.BeginNode(&GetOp(OpKind::kRelu).schema);
  graph.AddArgument(0, x);
  const ValueId y = *graph.FinishNode();
  graph.BeginNode(&GetOp(OpKind::kSub).schema);
  graph.AddArgument(0, y);
  graph.AddArgument(1, y);
  const ValueId z = *graph.FinishNode();
  graph.AddOutput(z);
  const auto halves = [](double a, double b) {
    Tensor tensor{{DType::kFp16, {2}}, std::vector<uint8_t>(4)};
    EncodeElements(DType::kFp16, std::vector<double>{a, b}, tensor.bytes);
    return std::vector<Tensor>{tensor};
  };
  SensitivitySearch search;
  ASSERT_TRUE(search.Start(graph, halves(1, 2), graph.outputs(), ConformingContract(2)).ok());
  Witnesses found(1);
  search.Move(halves(1, 5), 0, found);
  EXPECT_FALSE(found[0]);
  const std::vector<ValueId> both = {y, z};
  search.LookAt(both, found);
  ASSERT_TRUE(found[0]);
  EXPECT_EQ(found[0]->element, 1u);
  EXPECT_EQ(found[0]->low, 2);
  EXPECT_EQ(found[0]->high, 2);
  EXPECT_EQ(found[0]->moved_to, 5);
  EXPECT_FALSE(found[1]);
}

}  // namespace
}  // namespace anecheck
