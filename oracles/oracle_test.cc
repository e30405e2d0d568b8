// The oracle's interface: contracts by name, tensors in every element type, errors, estimates of
// intermediates, and vacuous outputs.
#include "oracles/oracle.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "harness/base/half.h"
#include "harness/ops/params.h"
#include "oracles/laws.h"
#include "oracles/reference/kernel.h"
#include "oracles/testing/test_support.h"

namespace anecheck {
namespace {

using testing::Case;
using testing::MakeTensor;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// ---- contracts ----------------------------------------------------------------------------------

TEST(Contracts, HaveNamesOfFamiliesAndTargets) {
  EXPECT_EQ(ContractFromName("ieee").value().name, "ieee");
  EXPECT_EQ(ContractFromName("A13").value().family, 2);
  EXPECT_EQ(ContractFromName("h13").value().family, 2);
  EXPECT_EQ(ContractFromName("h17s").value().family, 6);
  EXPECT_EQ(ContractFromName("h18g").value().family, 7);
  EXPECT_EQ(ContractFromName("h19").value().family, 7);
  for (const std::string_view wrong : {"", "h1", "h20", "A13x", "x13", "h13xyz", "h18q"}) {
    EXPECT_FALSE(ContractFromName(wrong).ok()) << wrong;
  }
}

TEST(Contracts, EveryTermStatesItsSourceAndTheIdealGrantsNothing) {
  for (const TermFact& fact : TermFacts()) {
    EXPECT_FALSE(fact.name.empty());
    EXPECT_FALSE(fact.source.empty()) << fact.name;
    EXPECT_GT(std::max(fact.conforming, fact.sound), 0) << fact.name;
    // A term with a silicon source that is marked as measured on no family must state the reason.
    const bool swept = fact.source.find("silicon_sweep") != std::string_view::npos;
    EXPECT_TRUE(!swept || fact.measured != 0 || fact.source.find("one probe") != fact.source.npos)
        << fact.name;
    EXPECT_EQ(fact.ieee, 0) << fact.name;
    EXPECT_EQ(ConformingContract(3)[fact.term], fact.conforming);
    EXPECT_EQ(IeeeContract()[fact.term], 0);
  }
  EXPECT_EQ(MarkOf(Term::kSigmoidTable, 2), TermMark::kMeasured);
  EXPECT_EQ(MarkOf(Term::kSigmoidTable, 5), TermMark::kAssumed);
}

TEST(Contracts, OfOtherEnginesHaveNoLawOrDefectOfAChip) {
  for (const int family : {kIeeeFamily, kFloatFamily}) {
    const Contract& contract = ConformingContract(family);
    EXPECT_EQ(ContractFromName(contract.name)->family, family);
    const Laws& laws = LawsOf(contract);
    EXPECT_FALSE(laws.fixed_sums || laws.perhaps_fixed_sums || laws.plain_numbers || laws.tables);
    for (const TermFact& fact : TermFacts()) {
      EXPECT_EQ(MarkOf(fact.term, family), TermMark::kMeasured) << fact.name;
      EXPECT_LE(contract[fact.term], 1) << fact.name;
    }
    for (const Departure& departure : KnownDepartures()) {
      EXPECT_EQ(departure.families >> family, 0u) << departure.id;
    }
  }
  EXPECT_TRUE(IeeeContract().ideal);
  EXPECT_FALSE(ConformingContract(kFloatFamily).ideal);
}

// A sigmoid of 1 is 0.7310585..., which lies between 0x1.764p-1 and 0x1.768p-1 and nearer the
// latter.
TEST(Contracts, FloatAdmitsTheNeighboursOfAFunction) {
  testing::Case c;
  const ValueId x = c.Input(testing::MakeTensor(DType::kFp16, Shape({1}), {1.0}));
  c.graph.AddOutput(c.Unary(OpKind::kSigmoid, x));
  const auto judge = [&](int family, double given) {
    return Admits((*Evaluate(c.graph, c.inputs, ConformingContract(family)))[0], 0, given);
  };
  for (const double admitted : {0x1.760p-1, 0x1.764p-1, 0x1.768p-1}) {
    EXPECT_TRUE(judge(kFloatFamily, admitted)) << admitted;
  }
  for (const double beyond : {0x1.75cp-1, 0x1.76cp-1}) {
    EXPECT_FALSE(judge(kFloatFamily, beyond)) << beyond;
  }
  EXPECT_TRUE(judge(kIeeeFamily, 0x1.764p-1));
  EXPECT_FALSE(judge(kIeeeFamily, 0x1.768p-1));
}

TEST(Contracts, ConformingEnginesDepartFromNothing) {
  for (int family = 0; family < kContractFamilies; ++family) {
    EXPECT_EQ(ConformingContract(family).departure_count, 0u);
    EXPECT_EQ(ConformingContract(family).family, family);
  }
  for (const Departure& departure : KnownDepartures()) {
    EXPECT_NE(departure.families, 0u) << departure.id;
    EXPECT_FALSE(departure.what.empty() || departure.source.empty()) << departure.id;
  }
  const std::string_view unknown[] = {"D99"};
  EXPECT_EQ(WithDepartures(2, unknown).error().code, ErrorCode::kNotFound);
  const std::string_view port[] = {"D01"};
  const Contract contract = WithDepartures(2, port).value();
  EXPECT_NE(contract.Find(Effect::kPortOverflow), nullptr);
  EXPECT_EQ(contract.Find(Effect::kFlushInMac), nullptr);
}

// ---- element types ------------------------------------------------------------------------------

class ElementTypes : public ::testing::TestWithParam<size_t> {};

TEST_P(ElementTypes, EncodeAndDecodeEveryPattern) {
  const auto dtype = static_cast<DType>(GetParam());
  const int bits = DTypeBits(dtype);
  // All patterns of the narrow types, and patterns spread over the range of the wide types.
  const size_t count = bits <= 16 ? size_t{1} << bits : 1 << 16;
  const TensorType type = {dtype, {static_cast<int64_t>(count)}};
  std::vector<uint8_t> bytes(static_cast<size_t>(type.ByteSize()));
  for (size_t i = 0; i < count; ++i) {
    const uint64_t pattern = bits == 32 ? i * 0x10001 : i;
    for (int bit = 0; bit < bits; ++bit) {
      const size_t at = i * static_cast<size_t>(bits) + static_cast<size_t>(bit);
      bytes[at / 8] |= static_cast<uint8_t>((pattern >> bit & 1) << at % 8);
    }
  }
  std::vector<double> elements(count);
  DecodeElements(dtype, bytes, elements);
  std::vector<uint8_t> again(bytes.size());
  EncodeElements(dtype, elements, again);
  std::vector<double> second(count);
  DecodeElements(dtype, again, second);
  size_t nans = 0;
  for (size_t i = 0; i < count; ++i) {
    nans += elements[i] != elements[i] ? 1 : 0;
    ASSERT_TRUE(elements[i] == second[i] || elements[i] != elements[i]) << i;
  }
  if (nans == 0 && dtype != DType::kBool) {
    EXPECT_EQ(again, bytes);
  }
}
INSTANTIATE_TEST_SUITE_P(All, ElementTypes, ::testing::Range<size_t>(0, kDTypeCount),
                         [](const auto& instance) {
                           return std::string(DTypeName(static_cast<DType>(instance.param)));
                         });

TEST(ElementTypes, HalvesEqualTheBitLevelConversion) {
  for (uint32_t pattern = 0; pattern < 0x10000; ++pattern) {
    const auto bits = static_cast<uint16_t>(pattern);
    const uint8_t bytes[] = {static_cast<uint8_t>(bits), static_cast<uint8_t>(bits >> 8)};
    double element = 0;
    DecodeElements(DType::kFp16, bytes, std::span(&element, 1));
    const double expected = HalfToDouble(Half{bits});
    ASSERT_EQ(std::signbit(element), std::signbit(expected)) << pattern;
    ASSERT_TRUE(element == expected || (element != element && expected != expected)) << pattern;
  }
}

TEST(ElementTypes, KnownValues) {
  const auto decode = [](DType dtype, std::initializer_list<uint8_t> bytes) {
    double element = 0;
    DecodeElements(dtype, std::span(bytes.begin(), bytes.size()), std::span(&element, 1));
    return element;
  };
  EXPECT_EQ(decode(DType::kFp16, {0x00, 0x3c}), 1);
  EXPECT_EQ(decode(DType::kFp32, {0, 0, 0x80, 0x3f}), 1);
  EXPECT_EQ(decode(DType::kInt8, {0xff}), -1);
  EXPECT_EQ(decode(DType::kUint16, {0xff, 0xff}), 65535);
  EXPECT_EQ(decode(DType::kInt4, {0x0f}), -1);
  EXPECT_EQ(decode(DType::kUint4, {0x0f}), 15);
  EXPECT_EQ(decode(DType::kFp8E4M3, {0x7e}), 448);  // the largest number of E4M3
  EXPECT_EQ(decode(DType::kFp8E4M3, {0x01}), 0x1p-9);
  EXPECT_EQ(decode(DType::kFp8E5M2, {0x7b}), 57344);
  EXPECT_EQ(decode(DType::kFp8E5M2, {0x7c}), kInfinity);
}

// ---- evaluation ---------------------------------------------------------------------------------

TEST(Evaluate, RefusesInputsThatDoNotFit) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {2}, {1, 2}));
  c.graph.AddOutput(c.Unary(OpKind::kRelu, x));
  const auto code = [&](std::vector<Tensor> inputs) {
    const auto result = Evaluate(c.graph, inputs, ConformingContract(2));
    return result.ok() ? ErrorCode::kInternal : result.error().code;
  };
  EXPECT_EQ(code({}), ErrorCode::kInvalid);
  EXPECT_EQ(code({MakeTensor(DType::kFp16, {3}, {1, 2, 3})}), ErrorCode::kInvalid);
  EXPECT_EQ(code({MakeTensor(DType::kInt32, {2}, {1, 2})}), ErrorCode::kInvalid);
  EXPECT_EQ(code({c.inputs[0], c.inputs[0]}), ErrorCode::kInvalid);
  Tensor cut = c.inputs[0];
  cut.bytes.pop_back();
  EXPECT_EQ(code({cut}), ErrorCode::kInvalid);
}

TEST(Evaluate, RefusesGraphsThatWouldNotFitInMemory) {
  Graph graph;
  const TensorType one = {DType::kFp16, {1}};
  graph.AddConst(one, {});
  graph.BeginNode(&GetOp(OpKind::kPad).schema);
  graph.AddArgument(params::Pad::kX, 0);
  const int64_t pad[] = {0, int64_t{1} << 30};
  graph.AddInts(params::Pad::kPad, pad);
  graph.AddOutput(graph.FinishNode().value());
  const auto result = Evaluate(graph, {}, ConformingContract(2));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kLimit);
}

TEST(Evaluate, KeepsEveryIntermediate) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {1}, {1.0}));
  const ValueId tiny = c.Const(MakeTensor(DType::kFp16, {1}, {0x1p-12}));
  const ValueId sum = c.Binary(OpKind::kAdd, x, tiny);  // 1 + 2^-12 rounds to 1
  const ValueId rest = c.Binary(OpKind::kSub, sum, x);  // 0, or 2^-12 if the sum is not rounded
  Evaluation evaluation;
  ASSERT_TRUE(evaluation.Run(c.graph, c.inputs, ConformingContract(2)).ok());
  Estimate estimate;
  evaluation.Intermediate(sum, estimate);
  EXPECT_EQ(estimate.value[0], 1);
  EXPECT_EQ(estimate.low[0], 1);
  EXPECT_EQ(estimate.high[0], 1 + 0x1p-12);
  evaluation.Stored(sum, estimate);
  EXPECT_EQ(estimate.high[0], 1);
  evaluation.Stored(rest, estimate);
  EXPECT_EQ(estimate.value[0], 0);
  EXPECT_EQ(estimate.low[0], 0);
  EXPECT_EQ(estimate.high[0], 0x1p-12);
  ASSERT_TRUE(evaluation.Run(c.graph, c.inputs, IeeeContract()).ok());
  evaluation.Stored(rest, estimate);
  EXPECT_EQ(estimate.high[0], 0);
}

TEST(Evaluate, OverflowStoresInfinityFromHalfwayOn) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {2}, {65504, 65504}));
  const ValueId y = c.Input(MakeTensor(DType::kFp16, {2}, {15, 16}));
  const Estimate sum = c.Run(c.Binary(OpKind::kAdd, x, y));
  EXPECT_EQ(sum.value, (std::vector<double>{65504, kInfinity}));
  EXPECT_EQ(sum.low, sum.value);
  EXPECT_EQ(sum.high, sum.value);
}

TEST(Evaluate, NanPropagatesAndNothingElseIsAdmitted) {
  for (const OpKind kind :
       {OpKind::kAdd, OpKind::kMul, OpKind::kRealDiv, OpKind::kMaximum, OpKind::kMinimum}) {
    Case c;
    const ValueId x = c.Input(MakeTensor(DType::kFp16, {2}, {kNan, 1}));
    const ValueId y = c.Input(MakeTensor(DType::kFp16, {2}, {2, 2}));
    const Estimate estimate = c.Run(c.Binary(kind, x, y));
    EXPECT_EQ(estimate.flags[0], Estimate::kNanAllowed | Estimate::kNanOnly);
    EXPECT_EQ(estimate.flags[1], 0);
    EXPECT_TRUE(std::isnan(estimate.value[0]));
  }
}

TEST(Evaluate, DivisionByZeroFollowsASignOnlyIfItIsCertain) {
  Case c;
  const ValueId one = c.Input(MakeTensor(DType::kFp16, {1}, {1.0}));
  const ValueId zero = c.Input(MakeTensor(DType::kFp16, {1}, {-0.0}));
  const Estimate certain = c.Run(c.Binary(OpKind::kRealDiv, one, zero));
  EXPECT_EQ(certain.low[0], -kInfinity);
  EXPECT_EQ(certain.high[0], -kInfinity);
  const ValueId made = c.Binary(OpKind::kMul, one, zero);
  const Estimate open = c.Run(c.Binary(OpKind::kRealDiv, one, made));
  EXPECT_EQ(open.low[0], -kInfinity);
  EXPECT_EQ(open.high[0], kInfinity);
}

// An infinity times a slope of zero is NaN, but the finite values of the interval have a product.
TEST(Evaluate, ASlopeOfZeroUnderAnIntervalThatReachesInfinityAdmitsMoreThanNan) {
  Case c;
  const ValueId one = c.Input(MakeTensor(DType::kFp16, {1, 1, 1}, {1.0}));
  const ValueId zero = c.Input(MakeTensor(DType::kFp16, {1, 1, 1}, {-0.0}));
  const ValueId slope = c.Const(MakeTensor(DType::kFp16, {1}, {0.0}));
  const ValueId open = c.Binary(OpKind::kRealDiv, one, c.Binary(OpKind::kMul, one, zero));
  c.Begin(OpKind::kPrelu).Arg(params::WithAlpha::kX, open).Arg(params::WithAlpha::kAlpha, slope);
  const Estimate bent = c.Run(c.Finish());
  EXPECT_EQ(bent.flags[0], Estimate::kNanAllowed);
  EXPECT_EQ(bent.low[0], 0);
  EXPECT_EQ(bent.high[0], kInfinity);
}

// A quotient by a zero of unknown sign has an interval between both infinities. The numbers inside
// have products with zero and quotients by infinity.
TEST(Evaluate, AnIntervalBetweenInfinitiesHasNumbersBesidesNan) {
  Case c;
  const ValueId one = c.Input(MakeTensor(DType::kFp16, {1}, {1.0}));
  const ValueId zero = c.Input(MakeTensor(DType::kFp16, {1}, {-0.0}));
  const ValueId infinity = c.Input(MakeTensor(DType::kFp16, {1}, {kInfinity}));
  const ValueId open = c.Binary(OpKind::kRealDiv, one, c.Binary(OpKind::kMul, one, zero));
  const Estimate product = c.Run(c.Binary(OpKind::kMul, open, zero));
  EXPECT_EQ(product.flags[0], Estimate::kNanAllowed);
  EXPECT_TRUE(Admits(product, 0, 0.0));
  EXPECT_FALSE(Admits(product, 0, 1.0));
  const Estimate quotient = c.Run(c.Binary(OpKind::kRealDiv, open, infinity));
  EXPECT_EQ(quotient.flags[0], Estimate::kNanAllowed);
  EXPECT_TRUE(Admits(quotient, 0, 0.0));
}

// A number below the least fp16 number may be flushed to zero, whose product with infinity is NaN.
TEST(Evaluate, AScaleThatMayBeRoundedToZeroHasNoProductWithInfinity) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {1, 1, 1, 1}, {-kInfinity}));
  const ValueId mean = c.Const(MakeTensor(DType::kFp16, {1}, {0.0}));
  const ValueId variance = c.Const(MakeTensor(DType::kFp16, {1}, {4.0}));
  const ValueId gamma = c.Const(MakeTensor(DType::kFp16, {1}, {-0x1p-24}));
  using P = params::BatchNorm;
  c.Begin(OpKind::kBatchNorm).Arg(P::kX, x).Arg(P::kMean, mean);
  c.Arg(P::kVariance, variance).Arg(P::kGamma, gamma);
  const Estimate scaled = c.Run(c.Finish());
  EXPECT_EQ(scaled.flags[0], Estimate::kNanAllowed);
  EXPECT_EQ(scaled.low[0], kInfinity);
  EXPECT_EQ(scaled.high[0], kInfinity);
}

// If every element may be -inf there may be no maximum to subtract.
TEST(Evaluate, SoftmaxOfElementsThatMayAllBeMinusInfinityAdmitsNan) {
  Case c;
  const ValueId least = c.Input(MakeTensor(DType::kFp16, {2}, {0x1p-24, 0x1p-24}));
  const ValueId part = c.Const(MakeTensor(DType::kFp16, {2}, {0.375, 0.375}));
  const ValueId one = c.Const(MakeTensor(DType::kFp16, {2}, {0.375, 1.0}));
  const auto softmax_of_log = [&](ValueId factor) {
    const ValueId product = c.Binary(OpKind::kMul, least, factor);
    const ValueId log = c.Begin(OpKind::kLog).Arg(0, product).Finish();
    return c.Run(c.Begin(OpKind::kSoftmax).Arg(params::Softmax::kX, log).Finish());
  };
  EXPECT_EQ(softmax_of_log(part).flags[0], Estimate::kNanAllowed);
  EXPECT_EQ(softmax_of_log(one).flags[0], 0);
}

// The product of these seven numbers lies 1694 below the middle 2219 * 2^54 of two numbers of fp16
// (in units of 2^-70); the error of intermediate doubles would decide the rounding.
TEST(Evaluate, UpdatesOfOneElementAreRoundedOnce) {
  using P = params::Scatter;
  std::vector<double> factors = {1951, 1523, 997, 569, 257, 338, 273};
  double in_doubles = 1;
  for (double& factor : factors) in_doubles *= factor /= 1024;
  EXPECT_EQ(in_doubles, 2219 * 0x1p-16);
  Case c;
  const ValueId one = c.Const(MakeTensor(DType::kFp16, {1}, {1}));
  const ValueId indices = c.Const(MakeTensor(DType::kInt32, {7}, std::vector<double>(7, 0)));
  const ValueId updates = c.Input(MakeTensor(DType::kFp16, {7}, factors));
  c.Begin(OpKind::kScatter).Arg(P::kData, one).Arg(P::kIndices, indices);
  c.Arg(P::kUpdates, updates).Int(P::kAxis, 0).String(P::kMode, "mul");
  EXPECT_EQ(c.Run(c.Finish()).value[0], 2218 * 0x1p-16);
}

// With steps of two over [3, 7], ceil_mode makes two windows; the first begins at the first
// element.
TEST(Evaluate, AnAddedWindowOfCeilModeMovesNoOther) {
  using P = params::Pool;
  for (const char* type : {"same", "same_lower", "valid"}) {
    Case c;
    const ValueId x = c.Input(MakeTensor(DType::kFp16, {1, 1, 2}, {3, 7}));
    c.Begin(OpKind::kMaxPool).Arg(P::kX, x).Ints(P::kKernelSizes, {1}).Ints(P::kStrides, {2});
    c.String(P::kPadType, type).Bool(P::kCeilMode, true);
    const Estimate pooled = c.Run(c.Finish());
    ASSERT_EQ(pooled.value.size(), 2u) << type;
    EXPECT_EQ(pooled.value[0], 3) << type;
    EXPECT_EQ(pooled.high[0], 3) << type;
  }
}

// The deviations are so small that the default epsilon decides: 1e-5, or 168 * 2^-24 in fp16. With
// 1e-5 the normalized element is -0.04056, which the scale turns into 0.06085.
TEST(Evaluate, TheDefaultEpsilonMayBeRounded) {
  using P = params::LayerNorm;
  const std::vector<double> numbers = {-0x1.8p-14, 0x1.edcp-14, 0x1p-12,    0x1.18p-18,
                                       0x1p-12,    -0x1p-12,    -0x1.16p-16};
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {7}, numbers));
  const ValueId gamma =
      c.Const(MakeTensor(DType::kFp16, {7}, {-1.5, -0.5, 2, 0.75, -1.5, -0.25, 1.5}));
  c.Begin(OpKind::kLayerNorm).Arg(P::kX, x).Arg(P::kGamma, gamma).Ints(P::kAxes, {0});
  const Estimate normal = c.Run(c.Finish());
  EXPECT_TRUE(Admits(normal, 0, 0.060791015625));
  EXPECT_TRUE(Admits(normal, 0, 0.06085205078125));
}

TEST(Evaluate, OddPowersOfZeroFollowItsSignOnlyIfItIsCertain) {
  Case c;
  const ValueId one = c.Input(MakeTensor(DType::kFp16, {2}, {1.0, 1.0}));
  const ValueId zero = c.Input(MakeTensor(DType::kFp16, {2}, {0.0, 0.0}));
  const ValueId below = c.Input(MakeTensor(DType::kFp16, {2}, {-1.0, -2.0}));
  EXPECT_EQ(c.Run(c.Binary(OpKind::kPow, zero, below)).low[0], kInfinity);
  const ValueId made = c.Binary(OpKind::kMul, one, zero);
  const Estimate open = c.Run(c.Binary(OpKind::kPow, made, below));
  EXPECT_EQ(open.low[0], -kInfinity);
  EXPECT_EQ(open.high[0], kInfinity);
  EXPECT_EQ(open.low[1], kInfinity);
}

TEST(Evaluate, IntegersWrapAndCastsSaturate) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kInt32, {2}, {2147483647, 65536}));
  const ValueId y = c.Input(MakeTensor(DType::kInt32, {2}, {1, 65536}));
  EXPECT_EQ(c.Run(c.Binary(OpKind::kAdd, x, y)).value,
            (std::vector<double>{-2147483648.0, 131072}));
  EXPECT_EQ(c.Run(c.Binary(OpKind::kMul, x, y)).value, (std::vector<double>{2147483647, 0}));
  const ValueId f = c.Input(MakeTensor(DType::kFp16, {4}, {-3.75, 300, -300, kInfinity}));
  const auto cast = [&](std::string_view to) {
    return c.Run(c.Begin(OpKind::kCast).Arg(0, f).String(params::Cast::kDtype, to).Finish()).value;
  };
  EXPECT_EQ(cast("int8"), (std::vector<double>{-3, 127, -128, 127}));
  EXPECT_EQ(cast("uint8"), (std::vector<double>{0, 255, 0, 255}));
  EXPECT_EQ(cast("int32"), (std::vector<double>{-3, 300, -300, 2147483647}));
  EXPECT_EQ(cast("bool"), (std::vector<double>{1, 1, 1, 1}));
}

// ---- single operations --------------------------------------------------------------------------

TEST(Softmax, OfOperandsThatMayBeUnroundedIsNarrow) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {1, 3}, {1, 2, 3}));
  const ValueId y = c.Input(MakeTensor(DType::kFp16, {1, 3}, {0x1p-12, 0x1p-12, 0x1p-12}));
  const Estimate estimate = c.Run(c.Unary(OpKind::kSoftmax, c.Binary(OpKind::kAdd, x, y)));
  EXPECT_EQ(c.error, "");
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_LT(estimate.high[i] - estimate.low[i], 0.01);
    EXPECT_FALSE(Admits(estimate, i, kNan));
  }
}

// Because of the infinity, the first element of the l2 norm is 0 or NaN; its value 0 still has the
// roundings that batch_norm may fold.
TEST(Normalization, BatchNormOfAPossibleNanAdmitsNanAndItsRoundings) {
  using P = params::BatchNorm;
  Case c;
  const ValueId x =
      c.Input(MakeTensor(DType::kFp16, {1, 1, 1, 2}, {1, std::numeric_limits<double>::infinity()}));
  const auto constant = [&](double value) {
    return c.Const(MakeTensor(DType::kFp16, {1}, {value}));
  };
  const ValueId mean = constant(1), variance = constant(4), gamma = constant(2), beta = constant(1);
  const ValueId norm = c.Unary(OpKind::kL2Norm, x);
  const ValueId y = c.Begin(OpKind::kBatchNorm)
                        .Arg(P::kX, norm)
                        .Arg(P::kMean, mean)
                        .Arg(P::kVariance, variance)
                        .Arg(P::kGamma, gamma)
                        .Arg(P::kBeta, beta)
                        .Finish();
  const Estimate estimate = c.Run(y);
  ASSERT_EQ(c.error, "");
  EXPECT_TRUE(Admits(estimate, 0, 0));  // scale and offset rounded to 1 and 0
  EXPECT_TRUE(Admits(estimate, 0, estimate.value[0]));
  EXPECT_FALSE(Admits(estimate, 0, 1));
  EXPECT_EQ(Admits(estimate, 0, std::numeric_limits<double>::quiet_NaN()),
            Admits(c.Run(norm), 0, std::numeric_limits<double>::quiet_NaN()));
}

TEST(Integers, SumsWrapAround) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kInt32, {2, 3}, {1, -2, 30, 2147483647, 1, 5}));
  const ValueId sum = c.Begin(OpKind::kReduceSum)
                          .Arg(params::Reduce::kX, x)
                          .Ints(params::Reduce::kAxes, {1})
                          .Bool(params::Reduce::kKeepDims, false)
                          .Finish();
  const Estimate estimate = c.Run(sum);
  EXPECT_EQ(c.error, "");
  const std::vector<double> expected = {29, -2147483643.0};
  EXPECT_EQ(estimate.value, expected);
  EXPECT_EQ(estimate.low, expected);
}

TEST(Table, EveryOperationHasAKernelOrAReason) {
  ASSERT_EQ(AllReferenceKernels().size(), kOpCount);
  for (size_t i = 0; i < kOpCount; ++i) {
    const OpDefinition& op = GetOp(static_cast<OpKind>(i));
    EXPECT_EQ(AllReferenceKernels()[i]->evaluate == nullptr, !op.no_reference_reason.empty())
        << op.schema.name;
  }
}

TEST(LayerNorm, KeepsItsValueIfAnOperandsBoundIsInfinite) {
  const auto build = [](Case& c, double divisor) {
    const ValueId x = c.Input(MakeTensor(DType::kFp16, {1, 2, 4}, {1, 2, 3, 5, 8, 7, 6, 1}));
    // A difference that may be zero divides: the quotient may be infinite.
    const ValueId e = c.Unary(OpKind::kSigmoid, c.Input(MakeTensor(DType::kFp16, {1}, {0})));
    const ValueId zero =
        c.Binary(OpKind::kSub, e, c.Input(MakeTensor(DType::kFp16, {1}, {divisor})));
    const ValueId y = c.Binary(OpKind::kRealDiv, x, zero);
    c.Begin(OpKind::kLayerNorm).Arg(params::LayerNorm::kX, y).Ints(params::LayerNorm::kAxes, {-1});
    return c.Finish();
  };
  Case open;
  const Estimate bounded = open.Run(build(open, 0.499));
  Case ideal;
  const Estimate exact = ideal.Run(build(ideal, 0.499), IeeeContract());
  ASSERT_EQ(bounded.value.size(), 8u) << open.error;
  EXPECT_EQ(bounded.low[0], -kInfinity);
  EXPECT_EQ(bounded.value, exact.value);
}

}  // namespace
}  // namespace anecheck
