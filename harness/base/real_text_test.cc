// Tests real numbers that are read from text. The whole text must be a number. The number is
// rounded once, becomes infinity or zero beyond the range, and is the same in every locale.
#include "harness/base/real_text.h"

#include <clocale>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>
#include <rapidcheck/gtest.h>
#include <string>

namespace anecheck {
namespace {

TEST(RealText, ReadsDecimals) {
  EXPECT_EQ(RealFromText<double>("0.5"), 0.5);
  EXPECT_EQ(RealFromText<double>("-1e-3"), -1e-3);
  EXPECT_EQ(RealFromText<double>(".25"), 0.25);
  EXPECT_EQ(RealFromText<double>("90"), 90.0);
  EXPECT_EQ(RealFromText<double>("-inf"), -HUGE_VAL);
  EXPECT_EQ(RealFromText<double>("Infinity"), HUGE_VAL);
  EXPECT_TRUE(std::isnan(*RealFromText<double>("nan")));
  const std::string_view part = std::string_view("12345").substr(1, 2);
  EXPECT_EQ(RealFromText<double>(part), 23.0) << "a view without a terminating NUL";
}

TEST(RealText, RefusesTextThatIsNotEntirelyANumber) {
  for (const char* text : {"", "-", " 1", "1 ", "+1", "--1", "1s", "0x10", "-0X1p3", "1e", "1,5",
                           "e3", "x", ".", "infinite", "\t1"}) {
    EXPECT_EQ(RealFromText<double>(text), std::nullopt) << text;
  }
  EXPECT_EQ(RealFromText<double>(std::string_view("1\0", 2)), std::nullopt);
}

TEST(RealText, ReadsHexadecimalWithoutItsPrefix) {
  EXPECT_EQ(RealFromHexText<double>("1.8p+1"), 3.0);
  EXPECT_EQ(RealFromHexText<double>("-ap-1"), -5.0);
  EXPECT_EQ(RealFromHexText<float>("1p-149"), std::numeric_limits<float>::denorm_min());
  for (const char* text : {"", "-", "0x1p3", "1.8p", "g", "inf", " 1p3"}) {
    EXPECT_EQ(RealFromHexText<double>(text), std::nullopt) << text;
  }
}

TEST(RealText, NumbersBeyondTheRangeBecomeInfinityOrZeroOfTheirSign) {
  EXPECT_EQ(RealFromText<double>("1e400"), HUGE_VAL);
  EXPECT_EQ(RealFromText<double>("-1e400"), -HUGE_VAL);
  EXPECT_EQ(RealFromText<float>("1e39"), HUGE_VALF);
  EXPECT_EQ(RealFromHexText<double>("1p99999999999"), HUGE_VAL);
  const auto tiny = RealFromText<double>("-1e-400");
  ASSERT_TRUE(tiny);
  EXPECT_EQ(*tiny, 0);
  EXPECT_TRUE(std::signbit(*tiny));
  EXPECT_EQ(RealFromText<double>("5e-324"), std::numeric_limits<double>::denorm_min());
}

TEST(RealText, FloatsAreRoundedOnce) {
  // The number is just above the midpoint of 1 and the next float. The nearest double is that
  // midpoint, which would round down to 1.
  EXPECT_EQ(RealFromText<float>("1.00000005960464477539062500000001"), 1 + 0x1p-23F);
}

TEST(RealText, TheLocaleHasNoEffect) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "C.UTF-8"}) {
    if (std::setlocale(LC_ALL, name) == nullptr) continue;
    EXPECT_EQ(RealFromText<double>("1.5"), 1.5) << name;
    EXPECT_EQ(RealFromText<double>("1,5"), std::nullopt) << name;
  }
  std::setlocale(LC_ALL, before.c_str());
}

TEST(RealText, NumbersPrintInTheFewestDigitsAndNanWithoutItsSign) {
  EXPECT_EQ(NumberText(0.1), "0.1");
  EXPECT_EQ(NumberText(-65504), "-65504");
  EXPECT_EQ(NumberText(-HUGE_VAL), "-inf");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(NumberText(nan), "nan");
  EXPECT_EQ(NumberText(std::copysign(nan, -1.0)), "nan");
}

RC_GTEST_PROP(RealText, EveryDoubleReadsBackFromItsText, (uint64_t bits)) {
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  RC_PRE(!std::isnan(value));
  const auto decimal = RealFromText<double>(NumberText(value));
  RC_ASSERT(decimal && *decimal == value && std::signbit(*decimal) == std::signbit(value));
  RC_PRE(std::isfinite(value));
  std::string hex = fmt::format("{:a}", value);
  hex.erase(hex.find("0x"), 2);
  const auto back = RealFromHexText<double>(hex);
  RC_ASSERT(back && *back == value);
}

}  // namespace
}  // namespace anecheck
