// Integer operands: two's complement arithmetic, exact, in every operation that takes them.
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "harness/ops/params.h"
#include "oracles/testing/test_support.h"

namespace anecheck {
namespace {

using testing::Case;
using testing::MakeTensor;
using Numbers = std::vector<double>;

// The value of a result whose every element must be certain.
Numbers Certain(Case& c, ValueId id) {
  const Estimate estimate = c.Run(id);
  EXPECT_EQ(c.error, "");
  EXPECT_EQ(estimate.low, estimate.value);
  EXPECT_EQ(estimate.high, estimate.value);
  return estimate.value;
}

Numbers Pair(OpKind kind, std::initializer_list<double> x, std::initializer_list<double> y,
             DType dtype = DType::kInt32) {
  Case c;
  const auto count = static_cast<int64_t>(x.size());
  const ValueId a = c.Input(MakeTensor(dtype, {count}, x));
  const ValueId b = c.Input(MakeTensor(dtype, {count}, y));
  return Certain(c, c.Binary(kind, a, b));
}

Numbers Single(OpKind kind, std::initializer_list<double> x, DType dtype = DType::kInt32) {
  Case c;
  const ValueId a = c.Input(MakeTensor(dtype, {static_cast<int64_t>(x.size())}, x));
  return Certain(c, c.Unary(kind, a));
}

TEST(Integers, QuotientsAndRemaindersFollowTheDivisor) {
  EXPECT_EQ(Pair(OpKind::kFloorDiv, {7, -7, 7, -7, 6}, {2, 2, -2, -2, 3}),
            (Numbers{3, -4, -4, 3, 2}));
  EXPECT_EQ(Pair(OpKind::kMod, {7, -7, 7, -7, 6}, {2, 2, -2, -2, 3}), (Numbers{1, 1, -1, -1, 0}));
}

// No source says whether a quotient is truncated or floored.
TEST(Integers, InexactNegativeQuotientsMayBeEitherNeighbour) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kInt32, {3}, {-7, 7, -8}));
  const ValueId two = c.Input(MakeTensor(DType::kInt32, {3}, {2, 2, 2}));
  const Estimate quotient = c.Run(c.Binary(OpKind::kRealDiv, x, two));
  EXPECT_EQ(quotient.value, (Numbers{-3, 3, -4}));
  EXPECT_EQ(quotient.low, (Numbers{-4, 3, -4}));
  EXPECT_EQ(quotient.high, (Numbers{-3, 3, -4}));
  const Estimate mean = c.Run(c.Unary(OpKind::kReduceMean, x));
  EXPECT_EQ(mean.value, (Numbers{-2}));
  EXPECT_EQ(mean.low, (Numbers{-3}));
  EXPECT_EQ(mean.high, (Numbers{-2}));
  const Estimate ideal = c.Run(c.Binary(OpKind::kRealDiv, x, two), IeeeContract());
  EXPECT_EQ(ideal.low, ideal.high);
}

TEST(Integers, PowersWrap) {
  EXPECT_EQ(Pair(OpKind::kPow, {3, -2, 2, 1, -1}, {4, 3, 31, -7, -3}),
            (Numbers{81, -8, -2147483648.0, 1, -1}));
}

// The first element must be `first` and nothing else; no source defines the second.
void ExpectSecondOpen(const Estimate& estimate, double first) {
  ASSERT_EQ(estimate.value.size(), 2u);
  EXPECT_EQ(estimate.low[0], first);
  EXPECT_EQ(estimate.high[0], first);
  EXPECT_EQ(estimate.low[1], -128);
  EXPECT_EQ(estimate.high[1], 127);
}

TEST(Integers, QuotientsByZeroAndNegativePowersMayBeAnything) {
  for (const auto& [kind, first] : std::initializer_list<std::pair<OpKind, double>>{
           {OpKind::kRealDiv, 3}, {OpKind::kFloorDiv, 3}, {OpKind::kMod, 0}}) {
    Case c;
    const ValueId x = c.Input(MakeTensor(DType::kInt8, {2}, {6, 5}));
    const ValueId y = c.Input(MakeTensor(DType::kInt8, {2}, {2, 0}));
    ExpectSecondOpen(c.Run(c.Binary(kind, x, y)), first);
    EXPECT_EQ(c.error, "");
  }
  Case power;
  const ValueId base = power.Input(MakeTensor(DType::kInt8, {2}, {-1, 5}));
  const ValueId exponent = power.Input(MakeTensor(DType::kInt8, {2}, {-3, -1}));
  ExpectSecondOpen(power.Run(power.Binary(OpKind::kPow, base, exponent)), -1);
  EXPECT_EQ(power.error, "");
  Case scatter;
  using P = params::Scatter;
  const ValueId data = scatter.Input(MakeTensor(DType::kInt8, {2}, {6, 5}));
  const ValueId updates = scatter.Input(MakeTensor(DType::kInt8, {2}, {2, 0}));
  const ValueId places = scatter.Const(MakeTensor(DType::kInt32, {2}, {0, 1}));
  scatter.Begin(OpKind::kScatter).Arg(P::kData, data).Arg(P::kIndices, places);
  scatter.Arg(P::kUpdates, updates).String(P::kMode, "div");
  ExpectSecondOpen(scatter.Run(scatter.Finish()), 3);
  EXPECT_EQ(scatter.error, "");
}

TEST(Integers, MagnitudesAndSquaresWrap) {
  EXPECT_EQ(Single(OpKind::kAbs, {-5, 4, -128}, DType::kInt8), (Numbers{5, 4, -128}));
  EXPECT_EQ(Single(OpKind::kSquare, {-5, 65536, 3}), (Numbers{25, 0, 9}));
  // Squares of more bits than a double has.
  EXPECT_EQ(Single(OpKind::kSquare, {94906267, 2147483647}), (Numbers{261134297, 1}));
}

TEST(Integers, ComparisonsAreExact) {
  // Two numbers that fp32 cannot tell apart.
  EXPECT_EQ(Pair(OpKind::kLess, {16777216, 2}, {16777217, 1}), (Numbers{1, 0}));
  EXPECT_EQ(Pair(OpKind::kEqual, {16777216, 2}, {16777217, 2}), (Numbers{0, 1}));
}

TEST(Integers, RunningSums) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kInt32, {4}, {1, 2, 3, 4}));
  using P = params::Cumsum;
  EXPECT_EQ(Certain(c, c.Begin(OpKind::kCumsum).Arg(P::kX, x).Finish()), (Numbers{1, 3, 6, 10}));
  EXPECT_EQ(Certain(c, c.Begin(OpKind::kCumsum)
                           .Arg(P::kX, x)
                           .Bool(P::kExclusive, true)
                           .Bool(P::kReverse, true)
                           .Finish()),
            (Numbers{9, 7, 4, 0}));
}

TEST(Integers, Reductions) {
  EXPECT_EQ(Single(OpKind::kReduceMean, {7, 2, -2}), (Numbers{2}));
  EXPECT_EQ(Single(OpKind::kReduceMean, {-7, 2, -1}), (Numbers{-2}));
  EXPECT_EQ(Single(OpKind::kReduceMin, {4, -3, 2}), (Numbers{-3}));
  EXPECT_EQ(Single(OpKind::kReduceSumSquare, {3, -4}), (Numbers{25}));
  EXPECT_EQ(Single(OpKind::kReduceL1Norm, {3, -4}), (Numbers{7}));
  EXPECT_EQ(Single(OpKind::kReduceProd, {3, -4, 5}), (Numbers{-60}));
  EXPECT_EQ(Single(OpKind::kReduceProd, {100, 100}, DType::kInt8), (Numbers{16}));
  EXPECT_EQ(Single(OpKind::kReduceArgmax, {3, 9, 5}), (Numbers{1}));
  EXPECT_EQ(Single(OpKind::kReduceArgmin, {3, 9, 1}), (Numbers{2}));
}

TEST(Integers, PowersOfTwoAndThresholds) {
  EXPECT_EQ(Single(OpKind::kExp2, {0, 3, 30}), (Numbers{1, 8, 0x1p30}));
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kInt32, {3}, {-1, 31, 4}));
  const Estimate power = c.Run(c.Unary(OpKind::kExp2, x));
  EXPECT_EQ(power.value[0], 0);
  EXPECT_EQ(power.low[0], 0);
  EXPECT_EQ(power.high[0], 1);
  EXPECT_EQ(power.low[1], -0x1p31) << "no source defines it";
  using P = params::WithAlpha;
  EXPECT_EQ(Certain(c, c.Begin(OpKind::kThreshold).Arg(P::kX, x).Float(P::kAlpha, 5).Finish()),
            (Numbers{5, 31, 5}));
  EXPECT_EQ(c.Begin(OpKind::kThreshold).Arg(P::kX, x).Float(P::kAlpha, 0.5).Finish(), kNoValue);
}

TEST(Integers, RootsAndLogarithmsOfReductionsAreTruncated) {
  const auto reduce = [](OpKind kind, std::initializer_list<double> elements) {
    Case c;
    const auto count = static_cast<int64_t>(elements.size());
    const ValueId x = c.Input(MakeTensor(DType::kInt32, {count}, elements));
    const Estimate estimate = c.Run(c.Unary(kind, x));
    EXPECT_EQ(c.error, "");
    return estimate;
  };
  const Estimate norm = reduce(OpKind::kReduceL2Norm, {5, -5});  // 7.07
  EXPECT_EQ(norm.value, (Numbers{7}));
  EXPECT_EQ(norm.low, (Numbers{7}));
  EXPECT_EQ(norm.high, (Numbers{8}));
  EXPECT_EQ(reduce(OpKind::kReduceLogSum, {10, 12}).value, (Numbers{3}));  // 3.09
  EXPECT_EQ(reduce(OpKind::kReduceLogSum, {-1, 1}).low, (Numbers{-0x1p31})) << "the logarithm of 0";
  EXPECT_EQ(reduce(OpKind::kReduceLogSumExp, {3, 3}).value, (Numbers{3}));  // 3.69
  EXPECT_EQ(reduce(OpKind::kReduceLogSumExp, {-5, -2000}).value, (Numbers{-4})) << "just above -5";
}

TEST(Integers, PositionsHaveTheRequestedType) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp32, {3}, {1, 2, 3}));
  using P = params::ReduceArg;
  const ValueId y =
      c.Begin(OpKind::kReduceArgmax).Arg(P::kX, x).String(P::kOutputDtype, "uint16").Finish();
  EXPECT_EQ(Certain(c, y), (Numbers{2}));
  EXPECT_EQ(c.graph.type(y).dtype, DType::kUint16);
}

// fp32 operands: the result is rounded to fp32, whose spacing is finer than that of fp16.
TEST(Singles, AreRoundedToSingles) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp32, {2}, {2, 1e20}));
  EXPECT_EQ(c.Run(c.Unary(OpKind::kSqrt, x)).value,
            (Numbers{static_cast<double>(std::sqrt(2.0f)), 1e10}));
  EXPECT_EQ(c.Run(c.Unary(OpKind::kExp, x)).value[0], static_cast<double>(std::exp(2.0f)));
  EXPECT_EQ(c.Run(c.Binary(OpKind::kPow, x, x)).value[0], 4);
}

}  // namespace
}  // namespace anecheck
