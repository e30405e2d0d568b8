// Tests that the engine's own conversions agree with the definition of binary16 in harness/base.
#include "harness/device/half_block.h"

#include <bit>
#include <gtest/gtest.h>
#include <limits>
#include <rapidcheck/gtest.h>

#include "harness/base/testing/generators.h"

namespace anecheck::device {
namespace {

TEST(HalfBlock, LoadsEveryHalfExactly) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const Half half{static_cast<uint16_t>(bits)};
    const float loaded = LoadHalf(half.bits);
    if (half.IsNan()) {
      EXPECT_NE(loaded, loaded) << bits;
    } else {
      ASSERT_EQ(std::bit_cast<uint32_t>(loaded), std::bit_cast<uint32_t>(HalfToFloat(half)))
          << bits;
    }
  }
}

RC_GTEST_PROP(HalfBlock, StoresRoundedToNearest, ()) {
  const float value = *anecheck::testing::AnyFloat();
  const Half even{StoreHalfNearestEven(value)};
  const Half away{StoreHalfNearestAway(value)};
  const Half expected_even = FloatToHalf(value);
  const Half expected_away = FloatToHalf(value, Rounding::kNearestAway);
  RC_ASSERT(even.IsNan() == expected_even.IsNan());
  RC_ASSERT(away.IsNan() == expected_away.IsNan());
  if (even.IsNan()) return;
  RC_ASSERT(even == expected_even);
  RC_ASSERT(away == expected_away);
}

// Tests every half, the midpoint to its next neighbour, and the values next to that midpoint.
TEST(HalfBlock, RoundsTiesToEvenOrAwayFromZero) {
  for (int32_t ordinal = 0; ordinal < 0x7bff; ++ordinal) {
    const Half low = HalfFromOrdinal(ordinal);
    const Half high = HalfFromOrdinal(ordinal + 1);
    const float middle = (HalfToFloat(low) + HalfToFloat(high)) / 2;
    ASSERT_EQ(StoreHalfNearestEven(middle), (ordinal % 2 == 0 ? low : high).bits);
    ASSERT_EQ(StoreHalfNearestAway(middle), high.bits);
    ASSERT_EQ(StoreHalfNearestEven(std::nextafter(middle, 0.0f)), low.bits);
    ASSERT_EQ(StoreHalfNearestAway(std::nextafter(middle, 0.0f)), low.bits);
    ASSERT_EQ(StoreHalfNearestAway(-middle), high.bits | 0x8000);
  }
}

TEST(HalfBlock, IntegersTruncateAndSaturate) {
  const float values[] = {1.9f,
                          -1.9f,
                          300,
                          -300,
                          std::numeric_limits<float>::quiet_NaN(),
                          std::numeric_limits<float>::infinity()};
  int8_t narrow[6];
  StoreFloats(Element::kInt8, values, 6, NumericModel{}, narrow);
  EXPECT_EQ(narrow[0], 1);
  EXPECT_EQ(narrow[1], -1);
  EXPECT_EQ(narrow[2], 127);
  EXPECT_EQ(narrow[3], -128);
  EXPECT_EQ(narrow[4], 0);
  EXPECT_EQ(narrow[5], 127);
  uint8_t unsigned_narrow[6];
  StoreFloats(Element::kUint8, values, 6, NumericModel{}, unsigned_narrow);
  EXPECT_EQ(unsigned_narrow[1], 0);
  EXPECT_EQ(unsigned_narrow[2], 255);
}

TEST(HalfBlock, StridesReachEveryOtherElement) {
  const uint16_t halves[] = {0x3c00, 0x4000, 0x4200, 0x4400};
  float read[4];
  LoadFloats(Element::kFp16, halves, 2, 2, read);
  EXPECT_EQ(read[0], 1);
  EXPECT_EQ(read[1], 3);
  LoadFloats(Element::kFp16, halves + 1, 0, 4, read);
  EXPECT_EQ(read[3], 2);
}

}  // namespace
}  // namespace anecheck::device
