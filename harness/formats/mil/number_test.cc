// Numbers of MIL text are exact or rounded once, and written numbers are read back unchanged.
#include "harness/formats/mil/number.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <rapidcheck/gtest.h>
#include <string>

namespace anecheck::mil {
namespace {

std::string Written(Half value) {
  std::string out;
  AppendHalf(out, value);
  return out;
}

uint16_t Bits(std::string_view token) {
  const auto value = ToHalf(token);
  EXPECT_TRUE(value.has_value()) << token;
  return value ? value->bits : 0xdead;
}

// Returns the exact decimal of a double below 2^20 that has at most 60 digits after the point.
std::string ExactDecimal(double value) {
  char text[128];
  std::snprintf(text, sizeof text, "%.60f", value);
  return text;
}

TEST(HalfText, EveryHalfReadsBackFromItsHexForm) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const Half value{static_cast<uint16_t>(bits)};
    ASSERT_EQ(Bits(Written(value)), bits) << Written(value);
  }
}

TEST(HalfText, HexFormEqualsThatOfRealFiles) {
  EXPECT_EQ(Written(Half{0x0000}), "0x0p+0");
  EXPECT_EQ(Written(Half{0x8000}), "-0x0p+0");
  EXPECT_EQ(Written(Half{0x3c00}), "0x1p+0");
  EXPECT_EQ(Written(Half{0x70e2}), "0x1.388p+13");
  EXPECT_EQ(Written(Half{0x35a8}), "0x1.6ap-2");
  EXPECT_EQ(Written(Half{0x0001}), "0x1p-24");
  EXPECT_EQ(Written(Half{0xfc00}), "-inf");
  EXPECT_EQ(Written(Half{0x7e01}), "0x7e01");
}

TEST(HalfText, EveryFiniteHalfReadsFromItsDecimal) {
  for (uint32_t bits = 0; bits < 0x7c00; bits += 7) {
    const Half value{static_cast<uint16_t>(bits)};
    ASSERT_EQ(Bits(ExactDecimal(HalfToDouble(value))), bits);
  }
}

// The exact decimal of a midpoint rounds to even, and a change in one of its last digits breaks the
// tie. A reader that first rounds to double or float gets the midpoint in all three cases.
TEST(HalfText, DecimalsRoundOnceAtMidpoints) {
  for (uint32_t bits = 0; bits < 0x7bff; bits += 11) {
    const Half low{static_cast<uint16_t>(bits)};
    const Half high{static_cast<uint16_t>(bits + 1)};
    const double middle = (HalfToDouble(low) + HalfToDouble(high)) / 2;
    const Half even = (bits & 1) == 0 ? low : high;
    const std::string exact = ExactDecimal(middle);
    ASSERT_EQ(Bits(exact), even.bits) << exact;
    ASSERT_EQ(Bits(exact + "000000000001"), high.bits);
    std::string below = exact;
    below.back() = '9';
    size_t at = below.size() - 2;
    while (below[at] == '0' || below[at] == '.') {
      if (below[at] == '0') below[at] = '9';
      --at;
    }
    --below[at];
    ASSERT_EQ(Bits(below), low.bits) << below;
    ASSERT_EQ(Bits("-" + exact), even.bits | 0x8000);
  }
}

TEST(HalfText, OverflowsToInfinityAndUnderflowsToZero) {
  EXPECT_EQ(Bits("65504"), 0x7bff);
  EXPECT_EQ(Bits("65519.999999999999999999999999"), 0x7bff);
  EXPECT_EQ(Bits("65520"), 0x7c00);
  EXPECT_EQ(Bits("1e6"), 0x7c00);
  EXPECT_EQ(Bits("-1e400"), 0xfc00);
  EXPECT_EQ(Bits("1e999999999999999999999"), 0x7c00);
  EXPECT_EQ(Bits("1e-400"), 0x0000);
  EXPECT_EQ(Bits("-1e-999999999999999999999"), 0x8000);
  EXPECT_EQ(Bits("2.98023223876953125e-8"), 0x0000);  // 2^-25, a tie to even
  EXPECT_EQ(Bits("2.980232238769531250000000000000000000001e-8"), 0x0001);
  EXPECT_EQ(Bits("0.000000059604644775390625"), 0x0001);
  EXPECT_EQ(Bits("0x1p-25"), 0x0000);
  EXPECT_EQ(Bits("0x1.00000000000000000000001p-25"), 0x0001);
  EXPECT_EQ(Bits("0x1p99999999999"), 0x7c00);
  EXPECT_EQ(Bits("0x1p-99999999999"), 0x0000);
}

TEST(HalfText, HexFloatsRoundOnce) {
  EXPECT_EQ(Bits("0x1.002p+0"), 0x3c00);  // a tie, to even
  EXPECT_EQ(Bits("0x1.006p+0"), 0x3c02);  // a tie, to even
  EXPECT_EQ(Bits("0x1.00200000000000000000001p+0"), 0x3c01);
  EXPECT_EQ(Bits("0x1.001fffffffffffffffffffp+0"), 0x3c00);
  EXPECT_EQ(Bits("0x1.ffdp+15"), 0x7bff);
  EXPECT_EQ(Bits("0x1.ffep+15"), 0x7c00);
  EXPECT_EQ(Bits("-0X1.8P1"), 0xc200);
  EXPECT_EQ(Bits("0x100000000000000000000p-80"), 0x3c00);
}

TEST(HalfText, RawWordsAreTheBits) {
  EXPECT_EQ(Bits("0x3c00"), 0x3c00);
  EXPECT_EQ(Bits("0xFFFF"), 0xffff);
  EXPECT_EQ(Bits("0x1"), 0x0001);
  EXPECT_FALSE(ToHalf("0x10000").has_value());
  EXPECT_FALSE(ToHalf("-0x3c00").has_value());
  EXPECT_FALSE(ToHalf("x").has_value());
  EXPECT_FALSE(ToHalf("").has_value());
  EXPECT_EQ(Bits("nan"), 0x7e00);
  EXPECT_EQ(Bits("-nan"), 0xfe00);
  EXPECT_EQ(Bits("inf"), 0x7c00);
}

RC_GTEST_PROP(HalfText, DecimalOfAnyFloatRoundsAsTheFloat, (uint32_t bits)) {
  const auto value = std::bit_cast<float>(bits);
  RC_PRE(std::isfinite(value));
  char text[64];
  std::snprintf(text, sizeof text, "%.9g", static_cast<double>(value));
  // Nine digits identify a float but are not its exact value, so the reference is long double.
  const long double exact = std::strtold(text, nullptr);
  const auto got = ToHalf(text);
  RC_ASSERT(got.has_value());
  const double rounded = static_cast<double>(exact);
  if (static_cast<long double>(rounded) == exact)
    RC_ASSERT(got->bits == DoubleToHalf(rounded).bits);
  RC_ASSERT(UlpDistance(*got, DoubleToHalf(rounded)) <= 1);
}

RC_GTEST_PROP(FloatText, FloatsAndDoublesReadBack, (uint32_t low, uint64_t high)) {
  const auto single = std::bit_cast<float>(low);
  const auto wide = std::bit_cast<double>(high);
  std::string text;
  if (!std::isnan(single)) {
    AppendFloat(text, single);
    RC_ASSERT(std::bit_cast<uint32_t>(*ToFloat(text)) == low);
  }
  text.clear();
  if (!std::isnan(wide)) {
    AppendDouble(text, wide);
    RC_ASSERT(std::bit_cast<uint64_t>(*ToDouble(text)) == high);
  }
}

TEST(FloatText, ReadsTheSpellingsOfRealFiles) {
  EXPECT_EQ(*ToFloat("0x1.f0a3d8p-1"), 0x1.f0a3d8p-1f);
  EXPECT_EQ(*ToFloat("0x1p-149"), std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(*ToFloat("-2.5"), -2.5f);
  EXPECT_EQ(*ToDouble("1e400"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(*ToDouble("-1e-400"), 0.0);
  EXPECT_TRUE(std::signbit(*ToDouble("-1e-400")));
  EXPECT_TRUE(std::isnan(*ToFloat("nan")));
  EXPECT_FALSE(ToFloat("0x3f800000").has_value());
  EXPECT_EQ(*ToDouble("-0x1.8P1"), -3.0);
  EXPECT_EQ(*ToDouble("0x1p+99999"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(*ToFloat("-0x1p+200"), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(*ToFloat("0x1p-200"), 0.0f);
  EXPECT_EQ(*ToFloat("0x1.0000010000000000001p+0"), 0x1.000002p+0f);  // above the midpoint
  EXPECT_EQ(*ToFloat("0x1.000001p+0"), 1.0f);                         // the midpoint, to even
  std::string text;
  AppendFloat(text, 0x1p-149f);
  EXPECT_EQ(text, "0x1p-149");
}

TEST(IntegerText, ReadsWholeNumbersInRange) {
  EXPECT_EQ(ToInteger("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(ToInteger("9223372036854775807"), INT64_MAX);
  EXPECT_FALSE(ToInteger("9223372036854775808").has_value());
  EXPECT_EQ(ToInteger("0x10"), 16);
  EXPECT_EQ(ToInteger("-0"), 0);
  EXPECT_EQ(ToUnsigned("18446744073709551615"), UINT64_MAX);
  EXPECT_FALSE(ToUnsigned("-1").has_value());
  EXPECT_FALSE(ToUnsigned("1.0").has_value());
  EXPECT_FALSE(ToInteger("").has_value());
}

RC_GTEST_PROP(StringText, EscapesReadBack, (const std::string& text)) {
  std::string raw;
  AppendEscaped(raw, text);
  RC_ASSERT(raw.find('\n') == std::string::npos);
  RC_ASSERT(UnescapeString(raw) == text);
}

}  // namespace
}  // namespace anecheck::mil
