// Infinities, NaN and zeros inside the steps of operations: a result that may be NaN admits NaN, a
// result that is NaN on every engine admits only NaN, and fp32 literals are used as given.
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

#include "harness/base/half.h"
#include "harness/ops/params.h"
#include "oracles/testing/test_support.h"

namespace anecheck {
namespace {

using testing::Case;
using testing::MakeTensor;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kLeast = 0x1p-24;  // the least positive fp16 number
constexpr uint8_t kNanOnly = Estimate::kNanAllowed | Estimate::kNanOnly;

double Half(double x) { return HalfToDouble(DoubleToHalf(x)); }

bool AdmitsNan(const Estimate& estimate, size_t i) {
  return (estimate.flags.at(i) & Estimate::kNanAllowed) != 0;
}
bool AdmitsItself(const Estimate& estimate) {
  bool itself = !estimate.value.empty();
  for (size_t i = 0; i < estimate.value.size(); ++i) {
    itself = itself && Admits(estimate, i, estimate.value[i]);
  }
  return itself;
}

ValueId Halves(Case& c, const Shape& shape, std::initializer_list<double> elements) {
  return c.Input(MakeTensor(DType::kFp16, shape, elements));
}
// 0.333 squared, exact or rounded to fp16, in every element.
ValueId About(Case& c, const Shape& shape) {
  const std::vector<double> part(static_cast<size_t>(shape.Elements()), 0.333);
  const ValueId x = c.Input(MakeTensor(DType::kFp16, shape, part));
  return c.Binary(OpKind::kMul, x, x);
}
double AboutRounded() { return Half(Half(0.333) * Half(0.333)); }
// In every element either 0 or the root of a negative number.
ValueId ZeroOrNan(Case& c, const Shape& shape) {
  const double exact = Half(0.333) * Half(0.333);
  const std::vector<double> rounded(static_cast<size_t>(shape.Elements()), AboutRounded());
  const ValueId middle = c.Input(MakeTensor(DType::kFp16, shape, rounded));
  const ValueId square = About(c, shape);
  const ValueId difference = exact < AboutRounded() ? c.Binary(OpKind::kSub, square, middle)
                                                    : c.Binary(OpKind::kSub, middle, square);
  return c.Unary(OpKind::kSqrt, difference);
}

// ---- NaN as a number ----

// A16 reads exponent 31 as a number (numerics_laws.md, L4). The sign of a NaN that the graph
// computed is not known, for either factor of a product.
TEST(NanAsANumber, HasNoKnownSignIfTheGraphComputedIt) {
  constexpr int kA16 = 5;
  const auto product = [](bool computed) {
    Case c;
    const ValueId given = Halves(c, {1, 1, 1}, {-kNan});
    const ValueId x = computed ? c.Unary(OpKind::kExp, given) : given;
    const ValueId weight = c.Const(MakeTensor(DType::kFp16, {1, 1, 1}, {-3.5}));
    const ValueId y =
        c.Begin(OpKind::kConv).Arg(params::Conv::kX, x).Arg(params::Conv::kWeight, weight).Finish();
    return c.Run(y, ConformingContract(kA16));
  };
  const Estimate open = product(true);
  EXPECT_TRUE(Admits(open, 0, kInfinity) && Admits(open, 0, -kInfinity));
  const Estimate known = product(false);
  EXPECT_NE(Admits(known, 0, kInfinity), Admits(known, 0, -kInfinity));
}

// ---- overflow ----

// A result may be a step away from the exact one. A result further beyond the largest number is
// infinite on every engine: exp reaches infinity at 11.094 (facts/numerics.md).
TEST(Overflow, IsInfiniteBeyondOneStep) {
  const auto expect = [](OpKind kind, double x, double low) {
    Case c;
    const Estimate estimate = c.Run(c.Unary(kind, Halves(c, Shape{1}, {x})));
    EXPECT_EQ(estimate.low.at(0), low) << x;
  };
  expect(OpKind::kExp, Half(11.0859), 65216);
  expect(OpKind::kExp, Half(11.094), kInfinity);
  expect(OpKind::kExp, 20, kInfinity);
  expect(OpKind::kExp2, 16, kHalfMaxValue);
  expect(OpKind::kExp2, 17, kInfinity);
  expect(OpKind::kCosh, -20, kInfinity);
  const auto quotient = [](double x, double y) {
    Case c;
    const ValueId a = Halves(c, Shape{1}, {x});
    return c.Run(c.Binary(OpKind::kRealDiv, a, Halves(c, Shape{1}, {y})));
  };
  EXPECT_EQ(quotient(60000, Half(0.01)).low.at(0), kInfinity);
  EXPECT_EQ(quotient(-60000, Half(0.01)).high.at(0), -kInfinity);
}

// ---- attention ----

ValueId Attend(Case& c, ValueId value, ValueId mask = kNoValue) {
  using P = params::Attention;
  const ValueId query = Halves(c, {1, 1, 1}, {0.5});
  const ValueId key = Halves(c, {1, 2, 1}, {1, 1});
  c.Begin(OpKind::kScaledDotProductAttention).Arg(P::kQuery, query).Arg(P::kKey, key);
  c.Arg(P::kValue, value);
  if (mask != kNoValue) c.Arg(P::kAttnMask, mask);
  return c.Finish();
}

// The exact square lies on one side of its rounded form; the rounded square equals it.
TEST(Attention, AnUncertainMaskExcludesItsKeyForSomeEnginesOnly) {
  const bool below = Half(0.333) * Half(0.333) < AboutRounded();
  Case c;
  const ValueId x = Halves(c, {1, 2}, {0.333, 1});
  const ValueId limit = Halves(c, {1, 2}, {AboutRounded(), below ? 2.0 : 0.5});
  const ValueId square = c.Binary(OpKind::kMul, x, x);
  const ValueId mask = c.Binary(below ? OpKind::kLess : OpKind::kGreater, square, limit);
  const Estimate held = c.Run(mask);
  ASSERT_EQ(held.value, (std::vector<double>{0, 1})) << c.error;
  ASSERT_EQ(held.high, (std::vector<double>{1, 1}));
  const Estimate mean = c.Run(Attend(c, Halves(c, {1, 2, 1}, {10, -10}), mask));
  ASSERT_EQ(c.error, "");
  EXPECT_EQ(mean.value[0], -10);
  EXPECT_TRUE(Admits(mean, 0, -10)) << "without the first key";
  EXPECT_TRUE(Admits(mean, 0, 0)) << "both keys";
  EXPECT_FALSE(Admits(mean, 0, 10));
}

TEST(Attention, ANanAmongTheValuesGivesNanOnEveryEngine) {
  Case c;
  const Estimate mean = c.Run(Attend(c, Halves(c, {1, 2, 1}, {10, kNan})));
  ASSERT_EQ(c.error, "");
  EXPECT_EQ(mean.flags[0], kNanOnly);
}

// ---- normalizations ----

ValueId LayerNorm(Case& c, ValueId x, double epsilon, ValueId gamma = kNoValue) {
  using P = params::LayerNorm;
  c.Begin(OpKind::kLayerNorm).Arg(P::kX, x).Ints(P::kAxes, {-1}).Float(P::kEpsilon, epsilon);
  if (gamma != kNoValue) c.Arg(P::kGamma, gamma);
  return c.Finish();
}
ValueId InstanceNorm(Case& c, ValueId x, double epsilon, ValueId gamma = kNoValue) {
  using P = params::InstanceNorm;
  c.Begin(OpKind::kInstanceNorm).Arg(P::kX, x).Float(P::kEpsilon, epsilon);
  if (gamma != kNoValue) c.Arg(P::kGamma, gamma);
  return c.Finish();
}

TEST(Normalization, AdmitsTheNanOfItsScale) {
  Case c;
  const ValueId gamma = c.Const(MakeTensor(DType::kFp16, {4}, {kInfinity, 1, kNan, 2}));
  for (const auto& row : {std::initializer_list<double>{1, 1, 1, 1}, {1, 2, 3, 4}}) {
    const Estimate y = c.Run(LayerNorm(c, Halves(c, {1, 4}, row), 1e-5, gamma));
    EXPECT_TRUE(AdmitsItself(y)) << c.error;
    EXPECT_EQ(y.flags[2], kNanOnly);
    EXPECT_EQ(y.flags[1], 0);
  }
  const Estimate constant = c.Run(LayerNorm(c, Halves(c, {1, 4}, {1, 1, 1, 1}), 1e-5, gamma));
  EXPECT_TRUE(std::isnan(constant.value[0])) << "infinity times 0";
  const ValueId x = Halves(c, {1, 2, 1, 4}, {1, 1, 1, 1, 1, 2, 3, 4});
  const ValueId by_channel = c.Const(MakeTensor(DType::kFp16, {2}, {kInfinity, kNan}));
  const Estimate y = c.Run(InstanceNorm(c, x, 1e-5, by_channel));
  EXPECT_TRUE(AdmitsItself(y)) << c.error;
  EXPECT_TRUE(AdmitsNan(y, 0));
  EXPECT_EQ(y.flags[4], kNanOnly);
}

TEST(Normalization, AdmitsItsOwnValueIfTheVarianceVanishes) {
  for (const double epsilon : {0.0, 1e-10, 1e-12}) {
    Case c;
    const Estimate row = c.Run(LayerNorm(c, Halves(c, {1, 4}, {1, 1, 1, 1}), epsilon));
    EXPECT_TRUE(AdmitsItself(row)) << epsilon;
    EXPECT_TRUE(AdmitsNan(row, 0)) << epsilon;
    const Estimate plane = c.Run(InstanceNorm(c, Halves(c, {1, 1, 1, 4}, {1, 1, 1, 1}), epsilon));
    EXPECT_TRUE(AdmitsItself(plane)) << epsilon;
    EXPECT_TRUE(AdmitsNan(plane, 0)) << epsilon;
  }
}

// The reciprocal root of 2^-49 is infinite in fp16.
TEST(Normalization, AReciprocalRootBeyondTheRangeMayMeetZero) {
  Case c;
  const Estimate y = c.Run(LayerNorm(c, Halves(c, {1, 4}, {-kLeast, 0, 0, kLeast}), 0));
  EXPECT_TRUE(AdmitsItself(y)) << c.error;
  EXPECT_TRUE(AdmitsNan(y, 1)) << "0 times infinity";
  EXPECT_TRUE(Admits(y, 3, kInfinity));
  const Estimate plain = c.Run(LayerNorm(c, Halves(c, {1, 4}, {-1, 0, 0, 1}), 0));
  EXPECT_FALSE(AdmitsNan(plain, 1));
  EXPECT_FALSE(Admits(plain, 3, kInfinity));
}

TEST(Normalization, AnEpsilonIsReadAsItIsGiven) {
  const double epsilon = static_cast<double>(3e-8F);
  const double mean = 0x1p-12;
  const double variance = 3 * mean * mean;
  const double exact = 3 * mean / std::sqrt(variance + epsilon);
  const double rounded = 3 * mean / std::sqrt(variance + Half(epsilon));
  ASSERT_GT(exact - rounded, 0.1);
  Case c;
  for (const bool layer : {true, false}) {
    const auto x =
        layer ? Halves(c, {1, 4}, {0, 0, 0, 0x1p-10}) : Halves(c, {1, 1, 1, 4}, {0, 0, 0, 0x1p-10});
    const Estimate y = c.Run(layer ? LayerNorm(c, x, epsilon) : InstanceNorm(c, x, epsilon));
    EXPECT_EQ(y.value[3], Half(exact)) << c.error;
    EXPECT_TRUE(AdmitsItself(y));
    EXPECT_TRUE(Admits(y, 3, Half(rounded)));
    EXPECT_FALSE(Admits(y, 3, Half(exact) * 1.125));
  }
  const double range = 0x1p-20;
  using P = params::NativeMinMaxNorm;
  const ValueId x = Halves(c, {1, 1, 1, 2}, {0, range});
  const Estimate y = c.Run(c.Begin(OpKind::kNativeMinMaxNorm)
                               .Arg(P::kX, x)
                               .String(P::kDimension, "Width")
                               .Float(P::kEpsilon, epsilon)
                               .Finish());
  ASSERT_EQ(c.error, "");
  EXPECT_EQ(y.value[1], Half(range / (range + epsilon)));
  EXPECT_TRUE(Admits(y, 1, Half(range / (range + Half(epsilon)))));
}

// Compares the bound with a bound without the error of 1 / n: both are equal if n is a power of
// two.
TEST(Normalization, AReciprocalThatIsExactHasNoError) {
  Contract exact = ConformingContract(2);
  exact.terms[static_cast<size_t>(Term::kReciprocalRelative)] = 0;
  for (const bool layer : {true, false}) {
    Case c;
    const ValueId four = Halves(c, {1, 1, 1, 4}, {1000, 1000, 1000, 1000.5});
    const ValueId three = Halves(c, {1, 1, 1, 3}, {1000, 1000, 1000.5});
    const auto norm = [&](ValueId x, const Contract& contract) {
      return c.Run(layer ? LayerNorm(c, x, 1e-5) : InstanceNorm(c, x, 1e-5), contract);
    };
    const Estimate of_four = norm(four, ConformingContract(2));
    ASSERT_EQ(c.error, "");
    EXPECT_EQ(of_four.low, norm(four, exact).low);
    EXPECT_EQ(of_four.high, norm(four, exact).high);
    EXPECT_NE(norm(three, ConformingContract(2)).low, norm(three, exact).low);
  }
}

TEST(Normalization, ANanInTheGroupOfAnL2NormIsNanOnEveryEngine) {
  Case c;
  const Estimate y = c.Run(c.Unary(OpKind::kL2Norm, Halves(c, {1, 2, 1, 2}, {kNan, 1, 2, 3})));
  ASSERT_EQ(c.error, "");
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(y.flags[i], kNanOnly) << i;
}

// ---- sums of exponentials ----

TEST(LogSumExp, AnInfinityBelowAddsNothing) {
  const auto sum = [](Case& c, std::initializer_list<double> x) {
    using P = params::Reduce;
    const ValueId row = Halves(c, {static_cast<int64_t>(x.size())}, x);
    c.Begin(OpKind::kReduceLogSumExp).Arg(P::kX, row).Ints(P::kAxes, {0});
    return c.Run(c.Bool(P::kKeepDims, true).Finish());
  };
  Case c;
  const Estimate three = sum(c, {1, 2, 3});
  const Estimate four = sum(c, {1, 2, -kInfinity, 3});
  EXPECT_EQ(four.value, three.value) << c.error;
  EXPECT_EQ(four.flags[0], 0);
  EXPECT_NEAR(four.low[0], three.low[0], 0.01);
  EXPECT_NEAR(four.high[0], three.high[0], 0.01);
  for (const double top : {-kInfinity, kInfinity}) {
    EXPECT_TRUE(AdmitsNan(sum(c, {top, top}), 0)) << "infinity less itself";
  }
}

// ---- scales ----

ValueId ScaledPair(Case& c, ValueId x, ValueId y, double scale) {
  using P = params::NativeScaledElementWise;
  return c.Begin(OpKind::kNativeScaledElementWise)
      .Arg(P::kX, x)
      .Arg(P::kY, y)
      .String(P::kType, "Add")
      .Float(P::kScale, scale)
      .Finish();
}

TEST(Scales, OfPairsAreReadAsTheyAreGiven) {
  const double scale = static_cast<double>(0.1F);
  Case c;
  const ValueId x = Halves(c, {1, 1, 1, 1}, {1000});
  const ValueId y = Halves(c, {1, 1, 1, 1}, {1});
  const Estimate scaled = c.Run(ScaledPair(c, x, y, scale));
  ASSERT_EQ(c.error, "");
  ASSERT_NE(Half(1001 * scale), Half(1001 * Half(scale)));
  EXPECT_EQ(scaled.value[0], Half(1001 * scale));
  EXPECT_TRUE(Admits(scaled, 0, Half(1001 * Half(scale))));
}

TEST(Scales, OfInfinitiesThatAreCertainAdmitNothingElse) {
  Case c;
  const ValueId x = Halves(c, {1, 1, 1, 2}, {kInfinity, kInfinity});
  const ValueId y = Halves(c, {1, 1, 1, 2}, {1, -kInfinity});
  const Estimate scaled = c.Run(ScaledPair(c, x, y, 2));
  ASSERT_EQ(c.error, "");
  EXPECT_EQ(scaled.flags[0], 0);
  EXPECT_EQ(scaled.low[0], kInfinity);
  EXPECT_EQ(scaled.flags[1], kNanOnly);
}

// A curve near 0, whose interval is its table's error, times infinity.
TEST(Scales, ThatAreInfiniteHaveNoProductWithZeroInsideAnInterval) {
  using P = params::WithAlphaBeta;
  Case c;
  const Estimate tanh = c.Run(c.Begin(OpKind::kScaledTanh)
                                  .Arg(P::kX, Halves(c, {1}, {0}))
                                  .Float(P::kAlpha, 1e5)
                                  .Float(P::kBeta, 1)
                                  .Finish());
  ASSERT_EQ(c.error, "");
  EXPECT_TRUE(AdmitsNan(tanh, 0));
  EXPECT_TRUE(AdmitsItself(tanh));
  const ValueId alpha = c.Const(MakeTensor(DType::kFp16, {1}, {kInfinity}));
  const ValueId beta = c.Const(MakeTensor(DType::kFp16, {1}, {1}));
  const Estimate softplus = c.Run(c.Begin(OpKind::kSoftplusParametric)
                                      .Arg(P::kX, Halves(c, {1, 1, 1}, {-kInfinity}))
                                      .Arg(P::kAlpha, alpha)
                                      .Arg(P::kBeta, beta)
                                      .Finish());
  ASSERT_EQ(c.error, "");
  EXPECT_TRUE(AdmitsNan(softplus, 0));
  EXPECT_TRUE(AdmitsItself(softplus));
}

// ---- products and powers ----

Estimate Product(std::initializer_list<double> factors) {
  Case c;
  const ValueId x = Halves(c, {static_cast<int64_t>(factors.size())}, factors);
  return c.Run(c.Begin(OpKind::kReduceProd)
                   .Arg(params::Reduce::kX, x)
                   .Ints(params::Reduce::kAxes, {0})
                   .Bool(params::Reduce::kKeepDims, true)
                   .Finish());
}

TEST(Products, WhosePartsLeaveTheRangeMayMeetZeroOrInfinity) {
  const double big = 65504;
  const Estimate above = Product({big, big, big, big, big, big, big, big, big, 0});
  EXPECT_TRUE(AdmitsNan(above, 0));
  EXPECT_TRUE(AdmitsItself(above));
  const Estimate below =
      Product({kLeast, kLeast, kLeast, kLeast, kLeast, kLeast, kLeast, kLeast, kInfinity});
  EXPECT_TRUE(AdmitsNan(below, 0));
  EXPECT_TRUE(Admits(below, 0, kInfinity));
  EXPECT_FALSE(AdmitsNan(Product({big, 0}), 0));
  EXPECT_FALSE(AdmitsNan(Product({kLeast, kInfinity}), 0));
}

TEST(Powers, OfNanOrWithOneAreNanUnlessTheOtherOperandDecides) {
  Case c;
  const ValueId x = Halves(c, {4}, {2, kNan, 1, kNan});
  const ValueId y = Halves(c, {4}, {kNan, 2, kNan, 0});
  const Estimate power = c.Run(c.Binary(OpKind::kPow, x, y));
  EXPECT_EQ(power.flags[0], kNanOnly);
  EXPECT_EQ(power.flags[1], kNanOnly);
  EXPECT_TRUE(Admits(power, 2, 1));
  EXPECT_TRUE(Admits(power, 3, 1));
}

// ---- quotients and zeros ----

// The exact quotient lies just below zero; rounded first, it is a zero.
TEST(FloorDiv, OfNumbersByInfinitiesOfTheOtherSignIsMinusOneOrZero) {
  Case c;
  const ValueId x = Halves(c, {5}, {1, -1, 5, 3, 0});
  const ValueId y = Halves(c, {5}, {-kInfinity, kInfinity, -kInfinity, kInfinity, -kInfinity});
  const Estimate quotient = c.Run(c.Binary(OpKind::kFloorDiv, x, y));
  ASSERT_EQ(c.error, "");
  EXPECT_EQ(quotient.value, (std::vector<double>{-1, -1, -1, 0, 0}));
  EXPECT_EQ(quotient.low, (std::vector<double>{-1, -1, -1, 0, 0}));
  EXPECT_EQ(quotient.high, (std::vector<double>{0, 0, 0, 0, 0}));
}

TEST(Scatter, KeepsTheSignOfAZero) {
  using P = params::Scatter;
  Case c;
  const ValueId data = Halves(c, {2}, {-0.0, 3});
  const ValueId places = c.Const(MakeTensor(DType::kInt32, {1}, {1}));
  const ValueId updates = Halves(c, {1}, {2});
  c.Begin(OpKind::kScatter).Arg(P::kData, data).Arg(P::kIndices, places).Arg(P::kUpdates, updates);
  const ValueId updated = c.String(P::kMode, "update").Finish();
  const ValueId one = c.Const(MakeTensor(DType::kFp16, {1}, {1}));
  const Estimate quotient = c.Run(c.Binary(OpKind::kRealDiv, one, updated));
  ASSERT_EQ(c.error, "");
  EXPECT_EQ(quotient.value, (std::vector<double>{-kInfinity, 0.5}));
  EXPECT_TRUE(AdmitsItself(quotient));
}

// MIL's text sets elements outside the band to zero; its formula multiplies them by zero.
TEST(BandPart, OfInfinitiesAndNanIsZeroOrNanOutsideTheBand) {
  using P = params::BandPart;
  Case c;
  const ValueId x = Halves(c, {2, 2}, {kInfinity, kInfinity, -2, kNan});
  const ValueId band =
      c.Begin(OpKind::kBandPart).Arg(P::kX, x).Int(P::kLower, 0).Int(P::kUpper, 0).Finish();
  const Estimate part = c.Run(band);
  ASSERT_EQ(c.error, "");
  EXPECT_EQ(part.flags[0], 0);
  EXPECT_EQ(part.low[0], kInfinity);
  EXPECT_EQ(part.flags[1], Estimate::kNanAllowed);
  EXPECT_EQ(part.low[1], 0);
  EXPECT_EQ(part.high[1], 0);
  EXPECT_EQ(part.flags[2], 0) << "a number times zero is zero";
  EXPECT_EQ(part.flags[3], kNanOnly);
}

// ---- images ----

ValueId Resize(Case& c, OpKind kind, ValueId x, int64_t width) {
  using P = params::ResizePlane;
  c.Begin(kind).Arg(P::kX, x).Int(P::kTargetSizeHeight, 1).Int(P::kTargetSizeWidth, width);
  if (kind == OpKind::kResizeBilinear) c.String(P::kSamplingMode, "STRICT_ALIGN_CORNERS");
  return c.Finish();
}

TEST(Images, ANeighbourOfWeightZeroThatIsInfiniteMayMakeNan) {
  Case c;
  const ValueId x = Halves(c, {1, 1, 1, 2}, {1, kInfinity});
  const Estimate y = c.Run(Resize(c, OpKind::kResizeBilinear, x, 3));
  ASSERT_EQ(c.error, "");
  EXPECT_EQ(y.flags[0], Estimate::kNanAllowed);
  EXPECT_EQ(y.low[0], 1);
  EXPECT_EQ(y.high[0], 1);
  const ValueId finite = Halves(c, {1, 1, 1, 2}, {1, 2});
  EXPECT_FALSE(AdmitsNan(c.Run(Resize(c, OpKind::kResizeBilinear, finite, 3)), 0));
}

TEST(Images, ACopiedInfinityIsNoNan) {
  Case c;
  const ValueId x = Halves(c, {1, 1, 1, 2}, {kInfinity, kNan});
  const Estimate y = c.Run(Resize(c, OpKind::kResizeNearestNeighbor, x, 2));
  ASSERT_EQ(c.error, "");
  EXPECT_EQ(y.flags[0], 0);
  EXPECT_EQ(y.low[0], kInfinity);
  EXPECT_EQ(y.flags[1], kNanOnly);
}

TEST(Images, ABoxThatMayBeNanCropsAnything) {
  using P = params::CropResize;
  Case c;
  const ValueId x = Halves(c, {1, 1, 2, 2}, {1, 2, 3, 4});
  const ValueId index = c.Const(MakeTensor(DType::kInt32, {1}, {0}));
  const auto crop = [&](ValueId boxes) {
    return c.Run(c.Begin(OpKind::kCropResize)
                     .Arg(P::kX, x)
                     .Arg(P::kBoxes, boxes)
                     .Arg(P::kBoxIndices, index)
                     .Int(P::kTargetHeight, 1)
                     .Int(P::kTargetWidth, 1)
                     .String(P::kSamplingMode, "STRICT_ALIGN_CORNERS")
                     .Finish());
  };
  const Estimate known = crop(Halves(c, {1, 4}, {0, 0, 1, 1}));
  ASSERT_EQ(c.error, "");
  EXPECT_FALSE(AdmitsNan(known, 0));
  const Estimate open = crop(ZeroOrNan(c, {1, 4}));
  ASSERT_EQ(c.error, "");
  EXPECT_TRUE(AdmitsNan(open, 0));
  EXPECT_TRUE(Admits(open, 0, 4));
  EXPECT_EQ(open.value[0], 1) << "of the box at 0";
}

// ---- quantization ----

// NaN has no integer, so that any from -128 to 127 is admitted: minus 3, times infinity.
TEST(Quantization, AnInfiniteScaleHasNoProductWithADifferenceThatMayBeZero) {
  Case c;
  const ValueId one = c.Const(MakeTensor(DType::kFp16, {}, {1}));
  const ValueId zero = c.Const(MakeTensor(DType::kInt8, {}, {3}));
  const ValueId any = c.Begin(OpKind::kQuantize)
                          .Arg(params::Quantize::kInput, Halves(c, {1}, {kNan}))
                          .Arg(params::Quantize::kScale, one)
                          .String(params::Quantize::kOutputDtype, "int8")
                          .Finish();
  const ValueId scale = c.Const(MakeTensor(DType::kFp16, {}, {kInfinity}));
  const Estimate y = c.Run(c.Begin(OpKind::kDequantize)
                               .Arg(params::Dequantize::kInput, any)
                               .Arg(params::Dequantize::kScale, scale)
                               .Arg(params::Dequantize::kZeroPoint, zero)
                               .Finish());
  ASSERT_EQ(c.error, "");
  EXPECT_TRUE(AdmitsNan(y, 0));
  EXPECT_TRUE(Admits(y, 0, kInfinity));
}

// A value that is one of two numbers or NaN may be any integer.
TEST(Quantization, AChoiceThatMayBeNanHasAnyInteger) {
  using P = params::Select;
  Case c;
  const ValueId rounded = c.Input(MakeTensor(DType::kFp16, {1}, {AboutRounded()}));
  const ValueId open = c.Binary(OpKind::kEqual, About(c, {1}), rounded);
  const ValueId two = c.Const(MakeTensor(DType::kFp16, {1}, {2}));
  const ValueId forty = c.Const(MakeTensor(DType::kFp16, {1}, {40}));
  const auto choose = [&](ValueId a, ValueId b) {
    return c.Begin(OpKind::kSelect).Arg(P::kCond, open).Arg(P::kA, a).Arg(P::kB, b).Finish();
  };
  const auto cast = [&](ValueId x) {
    return c.Run(c.Begin(OpKind::kCast).Arg(0, x).String(params::Cast::kDtype, "int32").Finish());
  };
  EXPECT_FALSE(Admits(cast(choose(two, forty)), 0, 7)) << c.error;
  EXPECT_TRUE(Admits(cast(choose(ZeroOrNan(c, {1}), forty)), 0, 7)) << c.error;
}

}  // namespace
}  // namespace anecheck
