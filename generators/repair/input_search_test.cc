// Tests the search for tensor data with which outputs are finite and can be judged. The tests check
// the values that count as flaws, the inputs that are replaced, and the share of flaws that remains
// in the cases of each mode.
#include "generators/repair/input_search.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "harness/campaign/campaign.h"
#include "harness/ops/params.h"
#include "oracles/judge.h"

namespace anecheck {
namespace {

Tensor Halves(std::initializer_list<uint16_t> bits) {
  Tensor tensor{{DType::kFp16, {static_cast<int64_t>(bits.size())}}, {}};
  for (const uint16_t half : bits) {
    tensor.bytes.push_back(static_cast<uint8_t>(half));
    tensor.bytes.push_back(static_cast<uint8_t>(half >> 8));
  }
  return tensor;
}

ValueId Unary(Graph& graph, OpKind kind, ValueId x) {
  graph.BeginNode(&GetOp(kind).schema);
  graph.AddArgument(0, x);
  return *graph.FinishNode();
}

std::vector<ValueId> Flawed(const Graph& graph, CaseMode mode, const std::vector<Tensor>& inputs) {
  SensitivitySearch search;
  EXPECT_TRUE(search.Start(graph, inputs, graph.outputs(), ConformingContract(2)).ok());
  return FindFlawed(graph, mode, search);
}

constexpr uint16_t kOne = 0x3c00, kMax = 0x7bff, kInf = 0x7c00, kNan = 0x7e00;

TEST(InputSearch, AnOutputIsLostIfMostOfItIsNan) {
  Graph graph;
  graph.AddOutput(Unary(graph, OpKind::kRelu, graph.AddInput({DType::kFp16, {4}})));
  const auto flaws = [&](const Tensor& input) {
    return Flawed(graph, CaseMode::kSpecial, {input}).size();
  };
  EXPECT_EQ(flaws(Halves({kInf, kNan, kInf, kOne})), 1u);
  EXPECT_EQ(flaws(Halves({kInf, kNan, kOne, kOne})), 0u) << "half of the input can be judged";
  EXPECT_EQ(flaws(Halves({kOne, kOne, kOne, kOne})), 0u);
}

// x * x overflows. The output sigmoid(x * x) is 1 everywhere, so only the square shows the flaw.
TEST(InputSearch, AnInnerResultCanBeLostToo) {
  Graph graph;
  const ValueId square = Unary(graph, OpKind::kSquare, graph.AddInput({DType::kFp16, {2}}));
  graph.AddOutput(Unary(graph, OpKind::kSigmoid, square));
  const std::vector<Tensor> inputs = {Halves({kMax, kMax})};
  EXPECT_EQ(Flawed(graph, CaseMode::kBoundary, inputs), std::vector<ValueId>{square});
}

// A sum of squares that may overflow has an interval up to infinity.
TEST(InputSearch, AnOutputIsVagueIfItsIntervalIsWide) {
  Graph graph;
  const ValueId x = graph.AddInput({DType::kFp16, {3}});
  graph.BeginNode(&GetOp(OpKind::kReduceL2Norm).schema);
  graph.AddArgument(params::Reduce::kX, x);
  graph.AddOutput(*graph.FinishNode());
  const std::vector<Tensor> large = {Halves({0x5f00, 0x5f00, kOne})};  // 448
  ASSERT_EQ(Flawed(graph, CaseMode::kBoundary, large).size(), 1u);
  ChoiceStream choices = ChoiceStream::FromSeed(1);
  const auto calmer = CalmerInputs(choices, CaseMode::kBoundary, large, {true});
  EXPECT_TRUE(Flawed(graph, CaseMode::kBoundary, calmer).empty());
}

TEST(InputSearch, OnlyInputsThatFeedAFlawAreMarked) {
  Graph graph;
  const ValueId x = graph.AddInput({DType::kFp16, {2}});
  const ValueId y = graph.AddInput({DType::kFp16, {2}});
  const ValueId z = graph.AddInput({DType::kFp16, {2}});
  const ValueId of_x = Unary(graph, OpKind::kAbs, x);
  graph.BeginNode(&GetOp(OpKind::kAdd).schema);
  graph.AddArgument(0, of_x);
  graph.AddArgument(1, z);
  const ValueId sum = *graph.FinishNode();
  const ValueId of_y = Unary(graph, OpKind::kAbs, y);
  graph.AddOutput(sum);
  graph.AddOutput(of_y);
  EXPECT_EQ(InputsOf(graph, std::vector{sum}), (std::vector{true, false, true}));
  EXPECT_EQ(InputsOf(graph, std::vector{of_x}), (std::vector{true, false, false}));
  EXPECT_EQ(InputsOf(graph, std::vector{of_y, of_x}), (std::vector{true, true, false}));
}

// write_state has no result, but a later read returns the value that it wrote.
TEST(InputSearch, AValueWrittenIntoAStateFeedsItsReads) {
  Graph graph;
  const TensorType type{DType::kFp16, {2}};
  const ValueId x = graph.AddInput(type);
  graph.AddInput(type);
  const ValueId state = graph.AddState(type);
  graph.BeginNode(&GetOp(OpKind::kWriteState).schema);
  graph.AddArgument(params::WriteState::kInput, state);
  graph.AddArgument(params::WriteState::kData, x);
  ASSERT_TRUE(graph.FinishNode().ok());
  const ValueId read = Unary(graph, OpKind::kReadState, state);
  EXPECT_EQ(InputsOf(graph, std::vector{read}), (std::vector{true, false}));
}

TEST(InputSearch, AtTheEndsOfFp16LargeElementsAreScaledAndTheRestKept) {
  const std::vector<Tensor> inputs = {Halves({kMax, 0xfbff, 0x4000, 0x3fff, 0xbc00, kInf, kNan, 1}),
                                      Halves({kMax})};
  ChoiceStream choices = ChoiceStream::FromSeed(1);
  for (const CaseMode mode : {CaseMode::kSpecial, CaseMode::kBoundary}) {
    const auto calmer = CalmerInputs(choices, mode, inputs, {true, false});
    // 65504, -65504 and 2 are multiplied by 2^-15; an infinity becomes 2, and NaN becomes 3.
    EXPECT_EQ(calmer[0].bytes,
              Halves({0x3fff, 0xbfff, 0x0400, 0x3fff, 0xbc00, 0x4000, 0x4200, 1}).bytes);
    EXPECT_EQ(calmer[1].bytes, inputs[1].bytes) << "this input feeds no flaw";
  }
}

TEST(InputSearch, InOtherModesTensorsAreDrawnAgainFromTheSameChoices) {
  const std::vector<Tensor> inputs = {Halves({kOne, kOne, kOne, kOne}), Halves({kOne})};
  ChoiceStream first = ChoiceStream::FromSeed(7), second = ChoiceStream::FromSeed(7);
  const auto drawn = CalmerInputs(first, CaseMode::kFloat, inputs, {true, false});
  EXPECT_NE(drawn[0].bytes, inputs[0].bytes);
  EXPECT_EQ(drawn[0].type, inputs[0].type);
  EXPECT_EQ(drawn[1].bytes, inputs[1].bytes);
  EXPECT_EQ(drawn[0].bytes, CalmerInputs(second, CaseMode::kFloat, inputs, {true, false})[0].bytes);
  EXPECT_EQ(first.Word(), second.Word());
}

// Percentages of the outputs of all cases of a mode.
struct Shares {
  double lost = 0, vague = 0;
};

void CountFlaws(const Estimate& expected, Shares& counts) {
  double amplitude = 0;
  size_t numbers = 0, informative = 0;
  for (const double value : expected.value) {
    if (!std::isfinite(value)) continue;
    ++numbers;
    amplitude = std::max(amplitude, std::fabs(value));
  }
  for (size_t i = 0; i < expected.value.size(); ++i) {
    informative += IsInformative(expected, i, amplitude) ? 1 : 0;
  }
  counts.lost += 2 * numbers < expected.value.size() ? 1 : 0;
  counts.vague += 2 * informative < expected.value.size() ? 1 : 0;
}

Shares SharesOf(CaseMode mode) {
  constexpr uint64_t kCases = 3000;
  CampaignOptions options;
  options.targets = {{"h13", 2}};
  options.modes = {mode};
  Shares shares;
  double outputs = 0;
  for (uint64_t index = 0; index < kCases; ++index) {
    std::vector<Estimate> expected;
    const auto item = MakeCase(options, index, &expected);
    EXPECT_TRUE(item.ok()) << index;
    for (const Estimate& output : expected) CountFlaws(output, shares);
    outputs += static_cast<double>(expected.size());
  }
  return {100 * shares.lost / outputs, 100 * shares.vague / outputs};
}

// Without the search, 9 % of the outputs of boundary cases would be lost and 7 % vague; of the
// outputs of special cases, 18 % would be lost and 4 % vague.
TEST(InputSearch, FewOutputsOfAnyModeAreLostOrVague) {
  struct Row {
    CaseMode mode;
    double lost, vague;
  };
  for (const Row& most : {Row{CaseMode::kBoundary, 5, 4}, Row{CaseMode::kSpecial, 8, 3.6},
                          Row{CaseMode::kFloat, 0.5, 2}, Row{CaseMode::kCancellation, 0.5, 2.8}}) {
    const Shares shares = SharesOf(most.mode);
    EXPECT_LE(shares.lost, most.lost) << ToText(most.mode);
    EXPECT_LE(shares.vague, most.vague) << ToText(most.mode);
  }
}

// The mode tests NaN, infinities and the largest numbers. Most repaired cases still contain some.
TEST(InputSearch, SpecialCasesKeepSpecialValues) {
  CampaignOptions options;
  options.targets = {{"h13", 2}};
  options.modes = {CaseMode::kSpecial};
  int special = 0;
  constexpr int kCases = 400;
  for (uint64_t index = 0; index < kCases; ++index) {
    const auto item = MakeCase(options, index);
    ASSERT_TRUE(item.ok());
    special += std::ranges::any_of(item->inputs, [](const Tensor& tensor) {
      for (size_t i = 1; i < tensor.bytes.size(); i += 2) {
        if ((tensor.bytes[i] & 0x7c) == 0x7c && tensor.type.dtype == DType::kFp16) return true;
      }
      return false;
    });
  }
  EXPECT_GT(special, kCases / 2);
}

}  // namespace
}  // namespace anecheck
