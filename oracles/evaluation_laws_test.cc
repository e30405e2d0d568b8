// Properties that every evaluation of a drawn graph must have.
#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <vector>

#include "generators/graph_generator.h"
#include "harness/base/testing/same_number.h"
#include "harness/targets/target.h"
#include "oracles/oracle.h"
#include "oracles/testing/test_support.h"

namespace anecheck {
namespace {

using testing::DecodedElements;
using testing::KnownDeparturesOf;
using testing::MakeTensor;
using testing::SameBits;
using testing::SameNumber;
using testing::SameNumberAndSign;

Graph AnyGraph(ChoiceStream& choices, CaseMode mode) {
  GeneratorOptions options;
  options.mode = mode;
  options.max_nodes = 6;
  options.max_elements = 48;
  options.max_products = 1024;
  Graph graph;
  GenerateGraph(choices, options, graph);
  return graph;
}

// Compares bit by bit.
bool AreSame(const Estimate& one, const Estimate& other) {
  return SameBits(one.value, other.value) && SameBits(one.low, other.low) &&
         SameBits(one.high, other.high) && one.flags == other.flags &&
         one.signed_zeros == other.signed_zeros && one.whole == other.whole &&
         one.loose == other.loose && one.member_begin == other.member_begin &&
         SameBits(one.members, other.members) && SameBits(one.finite_low, other.finite_low) &&
         SameBits(one.finite_high, other.finite_high);
}

RC_GTEST_PROP(Laws, AnOutputNeedsOnlyItsDependencies, (uint64_t seed)) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  const auto mode = static_cast<CaseMode>(seed % 5);
  const Graph graph = AnyGraph(choices, mode);
  const auto inputs = GenerateInputs(choices, graph, mode);
  const Contract& contract = ConformingContract(2);
  Evaluation all, some;
  RC_ASSERT(all.Run(graph, inputs, contract).ok());
  Estimate whole, part;
  for (const ValueId output : graph.outputs()) {
    RC_ASSERT(some.RunTo(graph, inputs, contract, output).ok());
    all.Stored(output, whole);
    some.Stored(output, part);
    RC_ASSERT(AreSame(part, whole));
  }
}

// Drawn departures, one at a time and several at once, on every family.
TEST(Laws, SharedValuesGiveTheEstimateOfAWholeEvaluation) {
  size_t compared = 0, unchanged = 0, departed = 0;
  Evaluation without, with, whole;
  Estimate plain, shared, expected;
  for (uint64_t seed = 0; seed < 600; ++seed) {
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    const auto mode = static_cast<CaseMode>(seed % 5);
    const Graph graph = AnyGraph(choices, mode);
    if (!graph.ValuesOfKind(ValueKind::kState).empty()) continue;
    const auto inputs = GenerateInputs(choices, graph, mode);
    const int family = static_cast<int>(seed % kFamilyCount);
    const std::vector<const Departure*> rows = KnownDeparturesOf(family);
    Contract contract = WithDepartures(family, rows);
    for (const ValueId output : graph.outputs()) {
      ASSERT_TRUE(without.RunWithout(graph, inputs, contract, output).ok());
      const uint64_t changing = without.StoredWithout(plain);
      for (size_t i = 0; i < 2 * rows.size(); ++i) {
        const uint64_t several = choices.Below(uint64_t{1} << 32) << 32 | choices.Below(1u << 31);
        contract.in_force = i < rows.size() ? uint64_t{1} << i : several;
        ASSERT_TRUE(with.RunWith(without, inputs, contract.in_force).ok());
        ASSERT_TRUE(whole.RunTo(graph, inputs, contract, output).ok());
        with.Stored(output, shared);
        whole.Stored(output, expected);
        ASSERT_TRUE(AreSame(shared, expected)) << "seed " << seed << ", departures " << i;
        ++compared;
        departed += AreSame(expected, plain) ? 0 : 1;
        if ((contract.in_force & changing) != 0) continue;
        ASSERT_TRUE(AreSame(plain, expected)) << "seed " << seed << ", departures " << i;
        ++unchanged;
      }
    }
  }
  EXPECT_GT(compared, 10000u);
  EXPECT_GT(unchanged, compared / 4);
  EXPECT_GT(departed, compared / 100);
}

RC_GTEST_PROP(Laws, TheValueLiesInItsIntervalAndIsRepresentable, (uint64_t seed)) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  const auto mode = static_cast<CaseMode>(seed % 5);
  const Graph graph = AnyGraph(choices, mode);
  const auto inputs = GenerateInputs(choices, graph, mode);
  Evaluation evaluation;
  RC_ASSERT(evaluation.Run(graph, inputs, ConformingContract(2)).ok());
  Estimate estimate;
  for (ValueId id = 0; id < graph.values().size(); ++id) {
    evaluation.Stored(id, estimate);
    const Tensor stored = MakeTensor(estimate.type.dtype, estimate.type.shape, estimate.value);
    const std::vector<double> back = DecodedElements(stored);
    for (size_t i = 0; i < back.size(); ++i) {
      const double value = estimate.value[i];
      if (value != value) {
        RC_ASSERT((estimate.flags[i] & Estimate::kNanAllowed) != 0);
        continue;
      }
      RC_ASSERT(back[i] == value);
      RC_ASSERT(estimate.low[i] <= value);
      RC_ASSERT(value <= estimate.high[i]);
    }
  }
}

RC_GTEST_PROP(Laws, IdealResultsEqualTheValuesOfAContractWithoutLaw, (uint64_t seed)) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  const Graph graph = AnyGraph(choices, CaseMode::kFloat);
  const auto inputs = GenerateInputs(choices, graph, CaseMode::kFloat);
  const auto ideal = Evaluate(graph, inputs, IeeeContract());
  const auto conforming = Evaluate(graph, inputs, ConformingContract(1));
  RC_ASSERT(ideal.ok() && conforming.ok());
  for (size_t k = 0; k < ideal.value().size(); ++k) {
    const Estimate& exact = ideal.value()[k];
    for (size_t i = 0; i < exact.value.size(); ++i) {
      const double other = conforming.value()[k].value[i];
      RC_ASSERT(SameNumber(exact.value[i], other));
    }
    for (size_t i = 0; i < exact.value.size(); ++i) {
      if (exact.value[i] == exact.value[i]) RC_ASSERT(exact.low[i] == exact.high[i]);
    }
  }
}

RC_GTEST_PROP(Laws, IntegerGraphsAreExact, (uint64_t seed)) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  const Graph graph = AnyGraph(choices, CaseMode::kInteger);
  const auto inputs = GenerateInputs(choices, graph, CaseMode::kInteger);
  const auto estimates = Evaluate(graph, inputs, ConformingContract(2));
  RC_ASSERT(estimates.ok());
  for (const Estimate& estimate : estimates.value()) {
    RC_ASSERT(estimate.low == estimate.value);
    RC_ASSERT(estimate.high == estimate.value);
  }
}

RC_GTEST_PROP(Laws, EvaluationsDoNotDependOnEarlierOnes, (uint64_t seed)) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  Evaluation reused;
  for (int i = 0; i < 3; ++i) {
    const Graph graph = AnyGraph(choices, CaseMode::kSpecial);
    const auto inputs = GenerateInputs(choices, graph, CaseMode::kSpecial);
    RC_ASSERT(reused.Run(graph, inputs, ConformingContract(2)).ok());
    const auto fresh = Evaluate(graph, inputs, ConformingContract(2));
    RC_ASSERT(fresh.ok());
    Estimate again;
    for (size_t k = 0; k < fresh.value().size(); ++k) {
      reused.Stored(graph.outputs()[k], again);
      RC_ASSERT(again.flags == fresh.value()[k].flags);
      for (size_t e = 0; e < again.low.size(); ++e) {
        if (again.low[e] == again.low[e]) RC_ASSERT(again.low[e] == fresh.value()[k].low[e]);
      }
    }
  }
}

// Every operation in every mode, at inputs of all kinds.
TEST(Laws, ValuesOnlyEvaluationsGiveTheSameValues) {
  Evaluation at_first;
  Evaluation whole;
  Evaluation values;
  Evaluation streamed;
  for (size_t kind = 0; kind < kOpCount; ++kind) {
    ChoiceStream choices = ChoiceStream::FromSeed(kind);
    for (int round = 0; round < 40; ++round) {
      GeneratorOptions options{.family = kNoFamily, .mode = static_cast<CaseMode>(round % 5)};
      options.max_nodes = 1 + round % 4;
      options.max_elements = 32;
      options.max_products = 512;
      options.direct = round % 2 == 1;
      if (round % 4 != 3) options.ops.reset().set(kind);
      Graph graph;
      GenerateGraph(choices, options, graph);
      const auto inputs = GenerateInputs(choices, graph, options.mode);
      const auto other = GenerateInputs(choices, graph, static_cast<CaseMode>(round / 5 % 5));
      const Contract& contract = ConformingContract(round / 4 % 2 == 0 ? 2 : 6);  // A13 and A17
      if (!at_first.Run(graph, inputs, contract).ok()) continue;
      const bool evaluated = whole.Run(graph, other, contract).ok();
      ASSERT_EQ(values.RunValues(at_first, other).ok(), evaluated);
      ASSERT_EQ(streamed.RunValuesForOutputs(graph, other, contract).ok(), evaluated);
      for (const ValueId id : graph.outputs()) {
        if (!evaluated) break;
        ASSERT_TRUE(std::ranges::equal(streamed.Values(id), whole.Values(id), SameNumberAndSign));
      }
      for (ValueId id = 0; evaluated && id < graph.values().size(); ++id) {
        const Value& value = graph.value(id);
        ASSERT_TRUE(std::ranges::equal(values.Values(id), whole.Values(id), SameNumberAndSign))
            << (value.kind == ValueKind::kResult ? graph.node(value.producer).schema->name
                                                 : value.name);
      }
    }
  }
}

}  // namespace
}  // namespace anecheck
