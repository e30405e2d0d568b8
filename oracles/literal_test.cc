// Numbers of fp32 beside fp16 operands: the value uses them as given, and the bound also admits
// engines that round them first. Also rare forms of operations.
#include <cmath>
#include <gtest/gtest.h>

#include "harness/base/half.h"
#include "harness/ops/params.h"
#include "oracles/testing/test_support.h"

namespace anecheck {
namespace {

using testing::Case;
using testing::MakeTensor;

double Half(double x) { return HalfToDouble(DoubleToHalf(x)); }

// The value of fp32(x) in MIL.
double Single(double x) { return static_cast<double>(static_cast<float>(x)); }

Estimate LeakyRelu(double x, double alpha, const Contract& contract) {
  using P = params::WithAlpha;
  Case c;
  const ValueId in = c.Input(MakeTensor(DType::kFp16, {1}, {x}));
  return c.Run(c.Begin(OpKind::kLeakyRelu).Arg(P::kX, in).Float(P::kAlpha, alpha).Finish(),
               contract);
}

TEST(Literals, AreTakenAsGivenAndMayBeRounded) {
  const Estimate y = LeakyRelu(-1001, Single(0.01), ConformingContract(2));
  EXPECT_EQ(y.value[0], Half(-10.01));
  EXPECT_TRUE(Admits(y, 0, Half(-10.01)));
  EXPECT_TRUE(Admits(y, 0, Half(-1001 * Half(0.01))));
  EXPECT_NE(Half(-10.01), Half(-1001 * Half(0.01)));
  EXPECT_FALSE(Admits(y, 0, Half(-9.98)));
  const Estimate ideal = LeakyRelu(-1001, Single(0.01), IeeeContract());
  EXPECT_EQ(ideal.low[0], Half(-10.01));
  EXPECT_EQ(ideal.high[0], Half(-10.01));
}

TEST(Literals, OfFp16AreExact) {
  const Estimate y = LeakyRelu(-1024, 0.125, ConformingContract(2));
  EXPECT_EQ(y.low[0], -128);
  EXPECT_EQ(y.high[0], -128);
}

TEST(Literals, LimitsBetweenNumbersOfTheTypeAreRoundedOnce) {
  using P = params::Clip;
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {2}, {-5, 0.0625}));
  const Estimate y = c.Run(
      c.Begin(OpKind::kClip).Arg(P::kX, x).Float(P::kAlpha, -0.1).Float(P::kBeta, 0.3).Finish());
  EXPECT_EQ(y.value, (std::vector<double>{Half(-0.1), 0.0625}));
  EXPECT_TRUE(Admits(y, 0, Half(-0.1)));
  EXPECT_FALSE(Admits(y, 0, -0.125));
}

TEST(Literals, AnEpsilonBelowFp16IsNoZero) {
  using P = params::WithEpsilon;
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {2}, {0, 1}));
  const Estimate y =
      c.Run(c.Begin(OpKind::kLog).Arg(P::kX, x).Float(P::kEpsilon, Single(1e-8)).Finish());
  EXPECT_EQ(y.value[0], Half(-18.42));
  EXPECT_TRUE(Admits(y, 0, Half(-18.42)));
  EXPECT_TRUE(Admits(y, 0, -HUGE_VAL)) << "rounded to 0 first";
  EXPECT_FALSE(Admits(y, 0, -18));
  EXPECT_EQ(y.value[1], 0);
}

TEST(Literals, ConstantsOfBatchNormMayBeWiderThanItsOperand) {
  using P = params::BatchNorm;
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {1, 1, 1}, {2048}));
  const ValueId mean = c.Const(MakeTensor(DType::kFp32, {1}, {2047.5}));
  const ValueId variance = c.Const(MakeTensor(DType::kFp32, {1}, {1}));
  const Estimate y = c.Run(c.Begin(OpKind::kBatchNorm)
                               .Arg(P::kX, x)
                               .Arg(P::kMean, mean)
                               .Arg(P::kVariance, variance)
                               .Float(P::kEpsilon, 0)
                               .Finish());
  ASSERT_EQ(c.error, "");
  EXPECT_EQ(y.value[0], 0.5);
  EXPECT_TRUE(Admits(y, 0, 0)) << "the mean rounded to 2048";
  EXPECT_FALSE(Admits(y, 0, 16));
}

TEST(Forms, SignOfIntegers) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kInt32, {4}, {-7, 0, 3, 2147483647}));
  const Estimate y = c.Run(c.Unary(OpKind::kSign, x));
  ASSERT_EQ(c.error, "");
  EXPECT_EQ(y.type.dtype, DType::kInt32);
  EXPECT_EQ(y.value, (std::vector<double>{-1, 0, 1, 1}));
  EXPECT_EQ(y.low, y.value);
  EXPECT_EQ(y.high, y.value);
}

// ---- sums that are exact ----

// The mean of four elements under equal weights lies a hair above the middle of two neighbours:
// plain sums in double lose the hair.
TEST(ExactSums, DecideTiesOfAttention) {
  using P = params::Attention;
  Case c;
  const DType dtype = DType::kFp32;
  const ValueId query = c.Input(MakeTensor(dtype, {1, 1, 1}, {0}));
  const ValueId key = c.Input(MakeTensor(dtype, {1, 4, 1}, {0, 0, 0, 0}));
  const ValueId tie = c.Input(MakeTensor(dtype, {1, 4, 1}, {2 + 0x1p-22, 2, 0, 0}));
  const ValueId above = c.Input(MakeTensor(dtype, {1, 4, 1}, {2 + 0x1p-22, 2, 0x1p-60, 0}));
  const auto attend = [&](ValueId value) {
    return c.Run(c.Begin(OpKind::kScaledDotProductAttention)
                     .Arg(P::kQuery, query)
                     .Arg(P::kKey, key)
                     .Arg(P::kValue, value)
                     .Finish());
  };
  EXPECT_EQ(attend(tie).value[0], 1);
  EXPECT_EQ(c.error, "");
  EXPECT_EQ(attend(above).value[0], 1 + 0x1p-23);
}

}  // namespace
}  // namespace anecheck
