// The value equals the result of MPFR in every bit, on random cases of each operation.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "generators/graph_generator.h"
#include "harness/base/half.h"
#include "harness/base/testing/same_number.h"
#include "harness/ops/params.h"
#include "oracles/testing/real.h"
#include "oracles/testing/slow.h"
#include "oracles/testing/test_support.h"

namespace anecheck {
namespace {

using testing::Case;
using testing::DecodedElements;
using testing::MakeTensor;
using testing::SameNumber;
using testing::SameNumberAndSign;

// Compares every bit. Compares the sign of a zero only if the oracle is certain of the sign.
bool SameNumber(double a, double b, bool signed_zero) {
  return signed_zero ? SameNumberAndSign(a, b) : SameNumber(a, b);
}

// Operations that move elements do not change the signs of zeros.
bool IsCertainOfZeros(const OpSchema& schema) {
  return DefinitionOf(schema).op_class == OpClass::kMovement;
}

// The numbers of every argument of a node, taken from the evaluation.
std::vector<std::vector<double>> OperandsOf(const NodeView& node, const Evaluation& evaluation) {
  std::vector<std::vector<double>> operands;
  Estimate estimate;
  for (const Argument& argument : node.graph().arguments(node.node())) {
    evaluation.Intermediate(argument.value, estimate);
    operands.push_back(estimate.value);
  }
  return operands;
}

// Compares every node of a graph with the slow implementation on the oracle's own operands. Adds to
// `compared` the number of nodes with at least one compared element. Returns the difference, or "".
std::string FindDifference(const Graph& graph, std::span<const Tensor> inputs,
                           std::array<int, kOpCount>& compared) {
  Evaluation evaluation;
  const Status status = evaluation.Run(graph, inputs, ConformingContract(1));
  if (!status.ok()) return status.error().message;
  Estimate actual;
  for (const Node& node : graph.nodes()) {
    const NodeView view(graph, node);
    const auto operands = OperandsOf(view, evaluation);
    // If there is no result, the written state is compared.
    const uint32_t results = std::max<uint32_t>(node.result_count, 1);
    for (uint32_t result = 0; result < results; ++result) {
      const auto slow = testing::SlowValues(view, operands, result);
      if (!slow) break;
      const ValueId compared_value =
          node.result_count == 0 ? view.Input(0) : node.first_result + result;
      evaluation.Intermediate(compared_value, actual);
      bool any = false;
      for (size_t i = 0; i < slow->size(); ++i) {
        if (!(*slow)[i]) continue;
        any = true;
        if (!SameNumber(*(*slow)[i], actual.value[i], IsCertainOfZeros(*node.schema))) {
          return fmt::format("{} result {} element {}: {:a}, slow {:a}", view.op(), result, i,
                             actual.value[i], *(*slow)[i]);
        }
      }
      compared[node.schema->id] += any && result == 0 ? 1 : 0;
    }
  }
  return {};
}

class EveryOperation : public ::testing::TestWithParam<size_t> {};

TEST_P(EveryOperation, AgreesWithTheSlowImplementationInEveryBit) {
  const std::string_view reason = GetOp(static_cast<OpKind>(GetParam())).no_reference_reason;
  if (!reason.empty()) GTEST_SKIP() << reason;
  std::array<int, kOpCount> compared{};
  ChoiceStream choices = ChoiceStream::FromSeed(GetParam() * 7919);
  // The generator fails for some draws; a hundred draws must succeed.
  for (int round = 0; round < 400 && compared[GetParam()] < 100; ++round) {
    GeneratorOptions options;
    options.mode = static_cast<CaseMode>(round % 5);
    options.family = kNoFamily;
    options.max_nodes = 1;
    options.max_elements = 24;
    options.max_products = 400;
    options.ops.reset();
    options.ops.set(GetParam());
    Graph graph;
    GenerateGraph(choices, options, graph);
    const std::vector<Tensor> inputs = GenerateInputs(choices, graph, options.mode);
    ASSERT_EQ(FindDifference(graph, inputs, compared), "");
  }
  EXPECT_GE(compared[GetParam()], 100);
}
INSTANTIATE_TEST_SUITE_P(Operations, EveryOperation, ::testing::Range<size_t>(0, kOpCount),
                         [](const auto& instance) {
                           return std::string(
                               GetOp(static_cast<OpKind>(instance.param)).schema.name);
                         });

TEST(ExactSums, SurviveCancellationThatDoubleLoses) {
  // 65504^2 and the square of the smallest subnormal: 81 bits apart.
  const double big = 65504;
  const double tiny = kHalfMinSubnormal;
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {1, 3}, {big, tiny, -big}));
  const ValueId w = c.Input(MakeTensor(DType::kFp16, {3, 1}, {big, 1, big}));
  const Estimate estimate = c.Run(c.Binary(OpKind::kMatmul, x, w));
  EXPECT_EQ(estimate.value[0], tiny);
}

// The curve lies closer to the middle of two neighbours than double can resolve.
TEST(ParametricCurves, AreRoundedOnce) {
  using P = params::WithAlphaBeta;
  Case softplus;
  const ValueId x = softplus.Input(MakeTensor(DType::kFp16, {1, 1, 1}, {13.359375}));
  const ValueId one = softplus.Const(MakeTensor(DType::kFp16, {1}, {1}));
  const ValueId three = softplus.Const(MakeTensor(DType::kFp16, {1}, {3}));
  softplus.Begin(OpKind::kSoftplusParametric).Arg(P::kX, x).Arg(P::kAlpha, one);
  EXPECT_EQ(softplus.Run(softplus.Arg(P::kBeta, three).Finish()).value[0], 40.09375);
  const double alpha = 0x1.006p+0;  // midway between two numbers of fp16
  Case c;
  const ValueId ends = c.Input(MakeTensor(DType::kFp16, {2}, {30, -400}));
  c.Begin(OpKind::kScaledTanh).Arg(P::kX, ends).Float(P::kAlpha, alpha);
  EXPECT_EQ(c.Run(c.Float(P::kBeta, 1).Finish()).value,
            (std::vector<double>{1.0009765625, -1.0009765625}));
  const ValueId low = c.Input(MakeTensor(DType::kFp16, {2}, {-60, -800}));
  c.Begin(OpKind::kElu).Arg(P::kX, low).Float(P::kAlpha, alpha);
  EXPECT_EQ(c.Run(c.Finish()).value, (std::vector<double>{-1.0009765625, -1.0009765625}));
}

// ---- operations too large to be computed slowly: sampled outputs --------------------------------

// fp16 numbers of both signs from 2^-4 to 4, one in fifty far smaller.
std::vector<double> MixedNumbers(ChoiceStream& choices, size_t count) {
  std::vector<double> numbers(count);
  for (double& number : numbers) {
    const int64_t low = choices.Range(0, 49) == 0 ? 0 : 0x2c00;
    const auto bits = choices.Range(low, 0x43ff) | choices.Range(0, 1) << 15;
    number = HalfToDouble(Half{static_cast<uint16_t>(bits)});
  }
  return numbers;
}

std::vector<double> Part(const std::vector<double>& numbers, size_t from, size_t count) {
  const auto begin = numbers.begin() + static_cast<ptrdiff_t>(from);
  return {begin, begin + static_cast<ptrdiff_t>(count)};
}

TEST(LargeOperations, LinearAgreesWithTheSlowImplementationOnSampledOutputs) {
  using P = params::Linear;
  constexpr size_t kRows = 60;
  constexpr size_t kInner = 384;
  constexpr size_t kOutputs = 70;
  ChoiceStream choices = ChoiceStream::FromSeed(1);
  const std::vector<double> x = MixedNumbers(choices, kRows * kInner);
  const std::vector<double> weight = MixedNumbers(choices, kOutputs * kInner);
  const std::vector<double> bias = MixedNumbers(choices, kOutputs);
  const auto build = [&](Case& c, std::span<const double> rows, std::span<const double> weights,
                         std::span<const double> offsets) {
    const auto inner = static_cast<int64_t>(kInner);
    const auto outputs = static_cast<int64_t>(offsets.size());
    const auto height = static_cast<int64_t>(rows.size()) / inner;
    const ValueId x_id = c.Input(MakeTensor(DType::kFp16, {height, inner}, rows));
    const ValueId weight_id = c.Const(MakeTensor(DType::kFp16, {outputs, inner}, weights));
    const ValueId bias_id = c.Const(MakeTensor(DType::kFp16, {outputs}, offsets));
    c.Begin(OpKind::kLinear).Arg(P::kX, x_id).Arg(P::kWeight, weight_id).Arg(P::kBias, bias_id);
    return c.Finish();
  };
  Case large;
  const Estimate estimate = large.Run(build(large, x, weight, bias));
  ASSERT_EQ(estimate.value.size(), kRows * kOutputs) << large.error;
  for (size_t at = 0; at < estimate.value.size(); at += 97) {
    const size_t row = at / kOutputs;
    const size_t output = at % kOutputs;
    const std::vector<double> one_row = Part(x, row * kInner, kInner);
    const std::vector<double> one_weight = Part(weight, output * kInner, kInner);
    const std::vector<double> one_bias = {bias[output]};
    Case small;
    ASSERT_NE(build(small, one_row, one_weight, one_bias), kNoValue) << small.error;
    const std::vector<std::vector<double>> operands = {one_row, one_weight, one_bias};
    const auto slow = testing::SlowValues(NodeView(small.graph, small.graph.node(0)), operands);
    ASSERT_TRUE(slow && slow->front());
    EXPECT_EQ(estimate.value[at], *slow->front()) << at;
  }
}

TEST(LargeOperations, ConvolutionAgreesWithTheSlowImplementationOnSampledOutputs) {
  using P = params::Conv;
  constexpr size_t kChannels = 16;
  constexpr size_t kSide = 14;
  constexpr size_t kOutputs = 20;
  constexpr size_t kTaps = kChannels * 9;
  ChoiceStream choices = ChoiceStream::FromSeed(2);
  const std::vector<double> x = MixedNumbers(choices, kChannels * kSide * kSide);
  const std::vector<double> weight = MixedNumbers(choices, kOutputs * kTaps);
  const auto build = [&](Case& c, std::span<const double> image, int64_t side,
                         std::span<const double> weights) {
    const auto channels = static_cast<int64_t>(kChannels);
    const auto outputs = static_cast<int64_t>(weights.size() / kTaps);
    const ValueId x_id = c.Input(MakeTensor(DType::kFp16, {1, channels, side, side}, image));
    const ValueId weight_id = c.Const(MakeTensor(DType::kFp16, {outputs, channels, 3, 3}, weights));
    c.Begin(OpKind::kConv).Arg(P::kX, x_id).Arg(P::kWeight, weight_id);
    c.String(P::kPadType, "valid");
    return c.Finish();
  };
  Case large;
  const Estimate estimate = large.Run(build(large, x, kSide, weight));
  constexpr size_t kResult = kSide - 2;
  ASSERT_EQ(estimate.value.size(), kOutputs * kResult * kResult) << large.error;
  for (size_t at = 0; at < estimate.value.size(); at += 89) {
    const size_t output = at / (kResult * kResult);
    const size_t top = at / kResult % kResult;
    const size_t left = at % kResult;
    std::vector<double> patch;
    for (size_t tap = 0; tap < kTaps; ++tap) {
      const size_t row = top + tap / 3 % 3;
      patch.push_back(x[(tap / 9 * kSide + row) * kSide + left + tap % 3]);
    }
    const std::vector<double> one_weight = Part(weight, output * kTaps, kTaps);
    Case small;
    ASSERT_NE(build(small, patch, 3, one_weight), kNoValue) << small.error;
    const std::vector<std::vector<double>> operands = {patch, one_weight};
    const auto slow = testing::SlowValues(NodeView(small.graph, small.graph.node(0)), operands);
    ASSERT_TRUE(slow && slow->front());
    EXPECT_EQ(estimate.value[at], *slow->front()) << at;
  }
}

}  // namespace
}  // namespace anecheck
