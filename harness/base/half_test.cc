// Compares fp16 conversion, ordering and ulp distance with an independent definition, which finds
// the neighbours of a value by a search among all halves.
#include "harness/base/half.h"

#include <array>
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "harness/base/testing/generators.h"

namespace anecheck {
namespace {

using testing::AnyDouble;
using testing::AnyFloat;
using testing::AnyRounding;
using testing::NumberHalf;

constexpr std::array kModes = {Rounding::kNearestEven, Rounding::kNearestAway,
                               Rounding::kTowardZero, Rounding::kUp, Rounding::kDown};

// Returns the magnitude of `code` (IEEE 754-2019, section 3.4). For 0x7c00 it is 2^16, which the
// rounding needs at the largest finite value.
double MagnitudeByDefinition(int code) {
  const int exponent = code >> 10;
  const int significand = (code & 1023) + (exponent > 0 ? 1024 : 0);
  return std::ldexp(significand, (exponent > 0 ? exponent : 1) - 25);
}

// Searches all magnitudes for the half that section 4.3 requires.
uint16_t RoundByDefinition(double value, Rounding mode) {
  const bool negative = std::signbit(value);
  const double magnitude = std::fabs(value);
  int low = 0;
  int high = 0x7c00;
  if (magnitude >= MagnitudeByDefinition(high)) {
    low = high - 1;
  } else {
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      (MagnitudeByDefinition(middle) <= magnitude ? low : high) = middle;
    }
  }
  const double border = (MagnitudeByDefinition(low) + MagnitudeByDefinition(high)) / 2;
  bool up = false;
  if (magnitude != MagnitudeByDefinition(low)) {
    if (mode == Rounding::kNearestEven) {
      up = magnitude > border || (magnitude == border && low % 2 == 1);
    } else if (mode == Rounding::kNearestAway) {
      up = magnitude >= border;
    } else if (mode == Rounding::kUp) {
      up = !negative;
    } else if (mode == Rounding::kDown) {
      up = negative;
    }
  }
  if (std::isinf(value)) up = true;
  return static_cast<uint16_t>((negative ? 0x8000 : 0) | (up ? high : low));
}

TEST(Half, EveryFinitePatternHasItsDefinedValue) {
  for (int bits = 0; bits < 0x7c00; ++bits) {
    const Half positive{static_cast<uint16_t>(bits)};
    const Half negative{static_cast<uint16_t>(bits | 0x8000)};
    ASSERT_EQ(HalfToDouble(positive), MagnitudeByDefinition(bits)) << bits;
    ASSERT_EQ(HalfToDouble(negative), -MagnitudeByDefinition(bits)) << bits;
    ASSERT_TRUE(std::signbit(HalfToDouble(negative)));
    ASSERT_EQ(HalfToFloat(positive), static_cast<float>(MagnitudeByDefinition(bits)));
    ASSERT_TRUE(std::signbit(HalfToFloat(negative)));
  }
}

TEST(Half, EveryPatternRoundTripsThroughFloatAndDoubleInEveryMode) {
  for (int bits = 0; bits < 0x10000; ++bits) {
    const Half half{static_cast<uint16_t>(bits)};
    // Conversion makes a NaN quiet (IEEE 754-2019, section 6.2).
    const Half expected{static_cast<uint16_t>(half.IsNan() ? bits | 0x0200 : bits)};
    for (const Rounding mode : kModes) {
      ASSERT_EQ(DoubleToHalf(HalfToDouble(half), mode), expected) << bits;
      ASSERT_EQ(FloatToHalf(HalfToFloat(half), mode), expected) << bits;
    }
  }
}

TEST(Half, InfinitiesAndNansKeepTheirKindAndSign) {
  EXPECT_EQ(HalfToDouble(kHalfInfinity), INFINITY);
  EXPECT_EQ(HalfToDouble(Half{0xfc00}), -INFINITY);
  EXPECT_EQ(HalfToFloat(Half{0xfc00}), -INFINITY);
  EXPECT_TRUE(std::isnan(HalfToDouble(Half{0x7c01})));
  EXPECT_TRUE(std::isnan(HalfToFloat(Half{0x7c01})));
  EXPECT_EQ(DoubleToHalf(-NAN), Half{0xfe00});
  EXPECT_EQ(FloatToHalf(NAN), kHalfNan);
  // A NaN whose payload is only in dropped bits must not become infinity.
  EXPECT_TRUE(DoubleToHalf(std::bit_cast<double>(0x7ff0000000000001)).IsNan());
  EXPECT_TRUE(FloatToHalf(std::bit_cast<float>(0x7f800001)).IsNan());
}

TEST(Half, BordersBetweenNeighboursRoundByDefinitionInEveryMode) {
  for (int code = 0; code < 0x7c00; ++code) {
    const double value = MagnitudeByDefinition(code);
    const double border = (value + MagnitudeByDefinition(code + 1)) / 2;
    for (const double x : {std::nextafter(value, 0.0), value, std::nextafter(value, 1e9),
                           std::nextafter(border, 0.0), border, std::nextafter(border, 1e9)}) {
      for (const Rounding mode : kModes) {
        ASSERT_EQ(DoubleToHalf(x, mode).bits, RoundByDefinition(x, mode)) << x;
        ASSERT_EQ(DoubleToHalf(-x, mode).bits, RoundByDefinition(-x, mode)) << -x;
      }
    }
  }
}

// All floats between two neighbouring floats of this test round to the same half.
TEST(Half, FloatsAtEveryBorderRoundByDefinitionInEveryMode) {
  for (int code = 0; code < 0x7c00; ++code) {
    const auto value = static_cast<float>(MagnitudeByDefinition(code));
    const auto next = static_cast<float>(MagnitudeByDefinition(code + 1));
    const float border = (value + next) / 2;
    for (const float x : {std::nextafter(value, 0.0F), value, std::nextafter(value, 1e9F),
                          std::nextafter(border, 0.0F), border, std::nextafter(border, 1e9F)}) {
      for (const Rounding mode : kModes) {
        const auto wide = static_cast<double>(x);
        ASSERT_EQ(FloatToHalf(x, mode).bits, RoundByDefinition(wide, mode)) << x;
        ASSERT_EQ(FloatToHalf(-x, mode).bits, RoundByDefinition(-wide, mode)) << -x;
      }
    }
  }
}

RC_GTEST_PROP(Half, DoubleRoundsByDefinition, ()) {
  const double value = *AnyDouble();
  const Rounding mode = *AnyRounding();
  RC_PRE(!std::isnan(value));
  RC_ASSERT(DoubleToHalf(value, mode).bits == RoundByDefinition(value, mode));
}

RC_GTEST_PROP(Half, FloatRoundsByDefinition, ()) {
  const float value = *AnyFloat();
  const Rounding mode = *AnyRounding();
  RC_PRE(!std::isnan(value));
  RC_ASSERT(FloatToHalf(value, mode).bits == RoundByDefinition(static_cast<double>(value), mode));
}

TEST(Half, DoublesAreNotRoundedThroughFloat) {
  // Each number is closer to a rounding border than a float can represent. Rounded to float first,
  // it would be on the border, and the tie would round to the wrong side.
  struct Trap {
    double value;
    uint16_t expected;
    uint16_t through_float;
  };
  for (const Trap& trap :
       {Trap{1.0 + 0x1p-11 + 0x1p-40, 0x3c01, 0x3c00},
        Trap{1.0 + 0x3p-11 - 0x1p-40, 0x3c01, 0x3c02}, Trap{0x1p-25 + 0x1p-60, 0x0001, 0x0000},
        Trap{65520.0 - 0x1p-20, 0x7bff, 0x7c00}, Trap{0x3p-25 - 0x1p-60, 0x0001, 0x0002}}) {
    EXPECT_EQ(DoubleToHalf(trap.value).bits, trap.expected) << trap.value;
    EXPECT_EQ(FloatToHalf(static_cast<float>(trap.value)).bits, trap.through_float) << trap.value;
  }
}

TEST(Half, OverflowFollowsTheMode) {
  for (const double value : {65520.0, 65536.0, 1e300, -65520.0, -1e300}) {
    const bool negative = value < 0;
    const uint16_t sign = negative ? 0x8000 : 0;
    EXPECT_EQ(DoubleToHalf(value, Rounding::kNearestEven).bits, sign | 0x7c00);
    EXPECT_EQ(DoubleToHalf(value, Rounding::kNearestAway).bits, sign | 0x7c00);
    EXPECT_EQ(DoubleToHalf(value, Rounding::kTowardZero).bits, sign | 0x7bff);
    EXPECT_EQ(DoubleToHalf(value, Rounding::kUp).bits, negative ? 0xfbff : 0x7c00);
    EXPECT_EQ(DoubleToHalf(value, Rounding::kDown).bits, negative ? 0xfc00 : 0x7bff);
  }
}

TEST(Half, TinyValuesRoundToZeroOrTheSmallestSubnormal) {
  for (const double value : {5e-324, 1e-300, 0x1p-26}) {
    EXPECT_EQ(DoubleToHalf(value).bits, 0x0000);
    EXPECT_EQ(DoubleToHalf(-value).bits, 0x8000);
    EXPECT_EQ(DoubleToHalf(value, Rounding::kUp).bits, 0x0001);
    EXPECT_EQ(DoubleToHalf(-value, Rounding::kDown).bits, 0x8001);
    EXPECT_EQ(DoubleToHalf(-value, Rounding::kUp).bits, 0x8000);
  }
  EXPECT_EQ(DoubleToHalf(0x1p-25).bits, 0x0000);
  EXPECT_EQ(DoubleToHalf(0x1p-25, Rounding::kNearestAway).bits, 0x0001);
}

RC_GTEST_PROP(Half, RoundingKeepsOrder, ()) {
  const double a = *AnyDouble();
  const double b = *AnyDouble();
  const Rounding mode = *AnyRounding();
  RC_PRE(!std::isnan(a) && !std::isnan(b));
  RC_ASSERT(HalfOrdinal(DoubleToHalf(std::fmin(a, b), mode)) <=
            HalfOrdinal(DoubleToHalf(std::fmax(a, b), mode)));
}

TEST(Half, KindsPartitionThePatterns) {
  int nans = 0;
  int infinities = 0;
  int zeros = 0;
  int subnormals = 0;
  int finite = 0;
  int negative = 0;
  for (int bits = 0; bits < 0x10000; ++bits) {
    const Half half{static_cast<uint16_t>(bits)};
    nans += half.IsNan() ? 1 : 0;
    infinities += half.IsInf() ? 1 : 0;
    zeros += half.IsZero() ? 1 : 0;
    subnormals += half.IsSubnormal() ? 1 : 0;
    finite += half.IsFinite() ? 1 : 0;
    negative += half.IsNegative() ? 1 : 0;
    ASSERT_EQ(half.IsNan(), std::isnan(HalfToDouble(half)));
    ASSERT_EQ(half.IsFinite(), std::isfinite(HalfToDouble(half)));
  }
  EXPECT_EQ(nans, 2 * 1023);
  EXPECT_EQ(infinities, 2);
  EXPECT_EQ(zeros, 2);
  EXPECT_EQ(subnormals, 2 * 1023);
  EXPECT_EQ(finite, 2 * 0x7c00);
  EXPECT_EQ(negative, 0x8000);
}

TEST(Half, OrdinalsCountTheValuesInOrder) {
  for (int ordinal = -0x7c00; ordinal < 0x7c00; ++ordinal) {
    const Half half = HalfFromOrdinal(ordinal);
    ASSERT_EQ(HalfOrdinal(half), ordinal);
    ASSERT_LT(HalfToDouble(half), HalfToDouble(HalfFromOrdinal(ordinal + 1)));
  }
  EXPECT_EQ(HalfOrdinal(Half{0x8000}), 0);
  EXPECT_EQ(HalfFromOrdinal(0).bits, 0);
  EXPECT_EQ(HalfOrdinal(kHalfNan), INT32_MAX);
}

TEST(UlpDistance, HasTheNamedValues) {
  EXPECT_EQ(UlpDistance(Half{0x0000}, Half{0x8000}), 0U);
  EXPECT_EQ(UlpDistance(Half{0x0001}, Half{0x8001}), 2U);
  EXPECT_EQ(UlpDistance(kHalfMax, kHalfInfinity), 1U);
  EXPECT_EQ(UlpDistance(kHalfInfinity, Half{0xfc00}), 2U * 0x7c00);
  EXPECT_EQ(UlpDistance(kHalfNan, Half{0xfe01}), 0U);
  EXPECT_EQ(UlpDistance(kHalfNan, kHalfInfinity), UINT32_MAX);
  EXPECT_EQ(UlpDistance(Half{0x3c00}, kHalfNan), UINT32_MAX);
}

RC_GTEST_PROP(UlpDistance, IsAMetricOnNumbers, ()) {
  const Half a = *NumberHalf();
  const Half b = *NumberHalf();
  const Half c = *NumberHalf();
  RC_ASSERT(UlpDistance(a, a) == 0U);
  RC_ASSERT((UlpDistance(a, b) == 0U) == (HalfToDouble(a) == HalfToDouble(b)));
  RC_ASSERT(UlpDistance(a, b) == UlpDistance(b, a));
  RC_ASSERT(UlpDistance(a, c) <= UlpDistance(a, b) + UlpDistance(b, c));
}

RC_GTEST_PROP(UlpDistance, IsOneBetweenNeighbours, ()) {
  const int ordinal = *rc::gen::inRange(-0x7c00, 0x7c00);
  RC_ASSERT(UlpDistance(HalfFromOrdinal(ordinal), HalfFromOrdinal(ordinal + 1)) == 1U);
}

TEST(HalfUlp, IsTheGapToTheNextMagnitude) {
  for (int code = 0; code < 0x7bff; ++code) {
    const double value = MagnitudeByDefinition(code);
    ASSERT_EQ(HalfUlp(value), MagnitudeByDefinition(code + 1) - value);
    ASSERT_EQ(HalfUlp(-value), HalfUlp(value));
  }
  EXPECT_EQ(HalfUlp(1e9), 32.0);
  EXPECT_EQ(HalfUlp(INFINITY), 32.0);
  EXPECT_EQ(HalfUlp(1e-300), 0x1p-24);
}

}  // namespace
}  // namespace anecheck
