// Compares fp8 conversion with a search over all codes, by the definition of the formats.
#include "harness/base/float8.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "harness/base/testing/generators.h"

namespace anecheck {
namespace {

constexpr auto kE4M3 = Float8Format::kE4M3;
constexpr auto kE5M2 = Float8Format::kE5M2;
constexpr auto kSaturate = Float8Overflow::kSaturate;
constexpr auto kNonFinite = Float8Overflow::kNonFinite;
constexpr std::array kFormats = {kE4M3, kE5M2};
constexpr std::array kModes = {Rounding::kNearestEven, Rounding::kNearestAway,
                               Rounding::kTowardZero, Rounding::kUp, Rounding::kDown};

TEST(Float8, HasThePublishedValues) {
  // facts/more/fp8_formats.csv
  EXPECT_EQ(Float8ToDouble(0x38, kE4M3), 1.0);
  EXPECT_EQ(Float8ToDouble(0x3c, kE5M2), 1.0);
  EXPECT_EQ(Float8ToDouble(0x7e, kE4M3), 448.0);
  EXPECT_EQ(Float8ToDouble(0x7b, kE5M2), 57344.0);
  EXPECT_EQ(Float8ToDouble(0x01, kE4M3), 0x1p-9);
  EXPECT_EQ(Float8ToDouble(0x01, kE5M2), 0x1p-16);
  EXPECT_EQ(Float8ToDouble(0xb9, kE4M3), -1.125);
  EXPECT_EQ(Float8ToDouble(0xfc, kE5M2), -INFINITY);
  EXPECT_TRUE(std::isnan(Float8ToDouble(0x7f, kE4M3)));
  EXPECT_TRUE(std::isnan(Float8ToDouble(0xff, kE4M3)));
  EXPECT_TRUE(std::isnan(Float8ToDouble(0x7d, kE5M2)));
  EXPECT_TRUE(std::signbit(Float8ToDouble(0x80, kE4M3)));
}

TEST(Float8, E5M2IsTheTopByteOfHalf) {
  for (int code = 0; code < 256; ++code) {
    const Half shifted{static_cast<uint16_t>(code << 8)};
    const Half half = Float8ToHalf(static_cast<uint8_t>(code), kE5M2);
    if (shifted.IsNan()) {
      EXPECT_TRUE(half.IsNan()) << code;
    } else {
      EXPECT_EQ(half, shifted) << code;
    }
  }
}

TEST(Float8, EveryCodeRoundTripsThroughDoubleAndIsExactInHalf) {
  for (const Float8Format format : kFormats) {
    for (int code = 0; code < 256; ++code) {
      const auto bits = static_cast<uint8_t>(code);
      const double value = Float8ToDouble(bits, format);
      if (std::isnan(value)) {
        EXPECT_TRUE(std::isnan(Float8ToDouble(DoubleToFloat8(value, format, kSaturate), format)));
        EXPECT_EQ(DoubleToFloat8(value, format, kNonFinite) & 0x80, bits & 0x80);
        continue;
      }
      EXPECT_EQ(HalfToDouble(Float8ToHalf(bits, format)), value);
      EXPECT_EQ(DoubleToFloat8(value, format, kNonFinite), bits);
    }
  }
}

// Returns the magnitude of `code` as if every exponent were finite, so that the first magnitude
// beyond the largest finite one has a value too.
double Magnitude(int code, Float8Format format) {
  const int fraction_bits = format == kE4M3 ? 3 : 2;
  const int bias = format == kE4M3 ? 7 : 15;
  const int exponent = code >> fraction_bits;
  const int hidden = exponent > 0 ? 1 << fraction_bits : 0;
  const int fraction = code & ((1 << fraction_bits) - 1);
  return std::ldexp(hidden + fraction, std::max(exponent, 1) - bias - fraction_bits);
}

constexpr int Beyond(Float8Format format) { return format == kE4M3 ? 0x7f : 0x7c; }

// Searches the code that the mode requires. Beyond(format) means an overflow.
int RoundByDefinition(double value, Float8Format format, Rounding mode) {
  const bool negative = std::signbit(value);
  const double magnitude = std::fabs(value);
  int low = 0;
  while (low + 1 < Beyond(format) && Magnitude(low + 1, format) <= magnitude) ++low;
  if (magnitude == Magnitude(low, format)) return low;
  const double border = (Magnitude(low, format) + Magnitude(low + 1, format)) / 2;
  switch (mode) {
    case Rounding::kNearestEven:
      return magnitude > border || (magnitude == border && low % 2 == 1) ? low + 1 : low;
    case Rounding::kNearestAway:
      return magnitude >= border ? low + 1 : low;
    case Rounding::kTowardZero:
      return std::isinf(magnitude) ? low + 1 : low;
    case Rounding::kUp:
      return std::isinf(magnitude) || !negative ? low + 1 : low;
    case Rounding::kDown:
      return std::isinf(magnitude) || negative ? low + 1 : low;
  }
  return low;
}

// Returns whether the conversion follows the definition with both overflow rules.
bool RoundsByDefinition(double value, Float8Format format, Rounding mode) {
  const int code = RoundByDefinition(value, format, mode);
  const int sign = std::signbit(value) ? 0x80 : 0;
  const int saturated = sign | std::min(code, Beyond(format) - 1);
  return DoubleToFloat8(value, format, kNonFinite, mode) == (sign | code) &&
         DoubleToFloat8(value, format, kSaturate, mode) == saturated;
}

RC_GTEST_PROP(Float8, RoundsByDefinitionInEveryMode, ()) {
  const double value = *rc::gen::oneOf(
      testing::AnyDouble(),
      rc::gen::map(testing::AnyFloat(), [](float narrow) { return static_cast<double>(narrow); }));
  RC_PRE(!std::isnan(value));
  RC_ASSERT(RoundsByDefinition(value, *rc::gen::element(kE4M3, kE5M2), *testing::AnyRounding()));
}

TEST(Float8, BordersRoundByDefinitionInEveryMode) {
  for (const Float8Format format : kFormats) {
    for (int code = 0; code < Beyond(format); ++code) {
      const double value = Magnitude(code, format);
      const double border = (value + Magnitude(code + 1, format)) / 2;
      for (const double x : {std::nextafter(value, 0.0), value, std::nextafter(value, 1e9),
                             std::nextafter(border, 0.0), border, std::nextafter(border, 1e9)}) {
        for (const Rounding mode : kModes) {
          ASSERT_TRUE(RoundsByDefinition(x, format, mode)) << x;
          ASSERT_TRUE(RoundsByDefinition(-x, format, mode)) << -x;
        }
      }
    }
  }
}

TEST(Float8, OverflowSaturatesOrBecomesNonFinite) {
  EXPECT_EQ(DoubleToFloat8(464.0, kE4M3, kNonFinite), 0x7e);  // a tie: 448 is even
  EXPECT_EQ(DoubleToFloat8(464.5, kE4M3, kNonFinite), 0x7f);
  EXPECT_EQ(DoubleToFloat8(464.5, kE4M3, kSaturate), 0x7e);
  EXPECT_EQ(DoubleToFloat8(61440.0, kE5M2, kNonFinite), 0x7c);  // a tie: infinity is even
  EXPECT_EQ(DoubleToFloat8(61440.0, kE5M2, kSaturate), 0x7b);
  EXPECT_EQ(DoubleToFloat8(-1e300, kE4M3, kNonFinite), 0xff);
  EXPECT_EQ(DoubleToFloat8(-1e300, kE4M3, kSaturate), 0xfe);
  EXPECT_EQ(DoubleToFloat8(INFINITY, kE4M3, kSaturate), 0x7e);
  EXPECT_EQ(DoubleToFloat8(-INFINITY, kE5M2, kSaturate), 0xfb);
  EXPECT_EQ(DoubleToFloat8(-INFINITY, kE5M2, kNonFinite, Rounding::kTowardZero), 0xfc);
  EXPECT_EQ(DoubleToFloat8(1e9, kE5M2, kNonFinite, Rounding::kTowardZero), 0x7b);
  EXPECT_EQ(DoubleToFloat8(1e9, kE4M3, kNonFinite, Rounding::kDown), 0x7e);
  EXPECT_EQ(DoubleToFloat8(-1e9, kE4M3, kNonFinite, Rounding::kUp), 0xfe);
  EXPECT_EQ(DoubleToFloat8(-1e9, kE4M3, kNonFinite, Rounding::kDown), 0xff);
}

TEST(Float8, NanStaysNanUnderEachOverflowRule) {
  EXPECT_EQ(DoubleToFloat8(NAN, kE4M3, kSaturate), 0x7f);
  EXPECT_EQ(DoubleToFloat8(-NAN, kE4M3, kNonFinite), 0xff);
  EXPECT_EQ(DoubleToFloat8(NAN, kE5M2, kSaturate), 0x7e);
}

}  // namespace
}  // namespace anecheck
