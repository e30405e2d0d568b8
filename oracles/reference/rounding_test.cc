// Rounding inside doubles agrees with the bit-level conversions and with exact integers.
#include "oracles/reference/rounding.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "harness/base/testing/same_number.h"
#include "oracles/reference/exact_sum.h"

namespace anecheck::reference {
namespace {

using testing::SameNumberAndSign;

// Doubles of every kind: any bits, near halves, near midpoints of halves.
double AnyDouble() {
  const auto raw = *rc::gen::arbitrary<uint64_t>();
  const Half half{static_cast<uint16_t>(raw)};
  switch (raw >> 62) {
    case 0:
      return std::bit_cast<double>(*rc::gen::arbitrary<uint64_t>());
    case 1:
      return HalfToDouble(half);
    case 2:
      return (HalfToDouble(half) + StepHalf(HalfToDouble(half), 1)) / 2;
    default:
      return NextUp((HalfToDouble(half) + StepHalf(HalfToDouble(half), 1)) / 2);
  }
}

RC_GTEST_PROP(RoundToHalf, IsTheConversionThereAndBack, ()) {
  const double x = AnyDouble();
  RC_ASSERT(SameNumberAndSign(RoundToHalf(x), HalfToDouble(DoubleToHalf(x))));
}

TEST(RoundToHalf, KeepsEveryHalfAndRoundsEveryMidpoint) {
  for (int32_t ordinal = -0x7bff; ordinal < 0x7bff; ++ordinal) {
    const double low = HalfToDouble(HalfFromOrdinal(ordinal));
    const double high = HalfToDouble(HalfFromOrdinal(ordinal + 1));
    ASSERT_EQ(RoundToHalf(low), low);
    const double middle = (low + high) / 2;
    ASSERT_EQ(RoundToHalf(middle), (ordinal & 1) == 0 ? low : high);
    ASSERT_EQ(RoundToHalf(NextUp(middle)), high);
    ASSERT_EQ(RoundToHalf(NextDown(middle)), low);
  }
  EXPECT_EQ(RoundToHalf(65519.99), 65504);
  EXPECT_EQ(RoundToHalf(65520), kInfinity);
}

TEST(StepHalf, MovesAlongTheOrderOfValues) {
  EXPECT_EQ(StepHalf(1, 1), 1 + 0x1p-10);
  EXPECT_EQ(StepHalf(1, -1), 1 - 0x1p-11);
  EXPECT_EQ(StepHalf(0, -1), -0x1p-24);
  EXPECT_EQ(StepHalf(65504, 1), kInfinity);
  EXPECT_EQ(StepHalf(kInfinity, 5), kInfinity);
  EXPECT_EQ(StepHalf(-kInfinity, 1), -65504);
  EXPECT_TRUE(std::isnan(StepHalf(kNan, 1)));
}

// Compares StepHalf with the order of bit patterns, for every half and every number of steps that
// bounds use.
TEST(StepHalf, EqualsStepsAlongTheBitPatterns) {
  for (int32_t ordinal = -0x7c00; ordinal <= 0x7c00; ++ordinal) {
    for (const int steps : {-2, -1, 0, 1, 2}) {
      const int32_t end = std::clamp(ordinal + steps, -0x7c00, 0x7c00);
      const double from = HalfToDouble(HalfFromOrdinal(ordinal));
      ASSERT_EQ(StepHalf(from, steps), HalfToDouble(HalfFromOrdinal(end))) << from << " " << steps;
    }
  }
}

// Steps bring a result back to the largest number only if it overflows by at most as many steps.
TEST(RoundAndStep, ReturnsToTheGridOnlyFromNearby) {
  struct Row {
    double end;
    int steps;
    double expected;
  };
  constexpr Row kHalves[] = {{65519, -1, 65472},    {65520, -1, 65504},
                             {65560, -1, 65504},    {65570, -1, 65520},
                             {65600, -2, 65504},    {65792, -1, 65727.75},
                             {65760, -5, 65504},    {0x1p30, -2, 0x1p30 - 0x1p21},
                             {65530, 1, kInfinity}, {kInfinity, -1, kInfinity}};
  const Grid halves(DType::kFp16);
  for (const auto& [end, steps, expected] : kHalves) {
    EXPECT_EQ(halves.RoundAndStep(end, steps), expected) << end << " " << steps;
    EXPECT_EQ(halves.RoundAndStep(-end, -steps), -expected) << end << " " << steps;
    EXPECT_EQ(MoveHalfEnd(-end, steps), -expected) << end << " " << steps;
  }
  const Grid floats(DType::kFp32);
  const auto largest = static_cast<double>(std::numeric_limits<float>::max());
  EXPECT_EQ(floats.RoundAndStep(0x1p128, -1), largest);
  EXPECT_EQ(floats.RoundAndStep(0x1.8p128, -1), 0x1.8p128 * (1 - 0x1p-23));
  EXPECT_EQ(floats.RoundAndStep(-0x1.8p128, 1), -0x1.8p128 * (1 - 0x1p-23));
  EXPECT_EQ(floats.RoundAndStep(0x1.8p128, 1), kInfinity);
}

// Compares MoveHalfEnd with RoundAndStep, for every half, its surroundings, and numbers between
// halves.
TEST(MoveHalfEnd, StepsAwayFromZeroAndStopsThere) {
  const auto check = [](double end, int64_t steps) {
    const auto toward = static_cast<int>(end < 0 ? -steps : steps);
    const double moved = Grid(DType::kFp16).RoundAndStep(end, toward);
    const bool kept = end == 0 || !(std::fabs(end) < kInfinity);
    const double expected = kept ? end : (moved < 0) == (end < 0) ? moved : 0;
    return std::bit_cast<uint64_t>(MoveHalfEnd(end, steps)) == std::bit_cast<uint64_t>(expected);
  };
  for (int32_t ordinal = -0x7c00; ordinal <= 0x7c00; ++ordinal) {
    const double half = HalfToDouble(HalfFromOrdinal(ordinal));
    for (const int64_t steps : {-3, -1, 0, 1, 2}) {
      ASSERT_TRUE(check(half, steps)) << half << " " << steps;
      ASSERT_TRUE(check(NextUp(half), steps)) << half << " " << steps;
      ASSERT_TRUE(check(half * (1 + 0x1p-12), steps)) << half << " " << steps;
    }
  }
  for (const double end : {1e-30, -1e-30, 65519.0, 65520.0, 1e9, -1e9, 0x1p-25, 0x1.8p-25, -0.0}) {
    for (const int64_t steps : {-1, 1}) ASSERT_TRUE(check(end, steps)) << end << " " << steps;
  }
  EXPECT_TRUE(std::isnan(MoveHalfEnd(kNan, 1)));
}

TEST(DirectedSteps, EqualNextafter) {
  const double numbers[] = {0.0,
                            -0.0,
                            1.0,
                            -1.0,
                            0x1p-1074,
                            -0x1p-1074,
                            0x1p-1022,
                            -2.5,
                            0x1p52,
                            1e308,
                            -1e308,
                            kInfinity,
                            -kInfinity,
                            0.1,
                            -0.1,
                            65504.0,
                            -65504.0,
                            std::numeric_limits<double>::max(),
                            std::numeric_limits<double>::lowest()};
  for (const double x : numbers) {
    EXPECT_EQ(std::bit_cast<uint64_t>(NextUp(x)),
              std::bit_cast<uint64_t>(std::nextafter(x, kInfinity)))
        << x;
    EXPECT_EQ(std::bit_cast<uint64_t>(NextDown(x)),
              std::bit_cast<uint64_t>(std::nextafter(x, -kInfinity)))
        << x;
  }
  EXPECT_TRUE(std::isnan(NextUp(kNan)));
}

// Compares integers of up to 100 bits, as sums of doubles, with 128-bit arithmetic.
RC_GTEST_PROP(ExactSum, AgreesWithWideIntegers, ()) {
  const auto terms = *rc::gen::container<std::vector<int64_t>>(rc::gen::arbitrary<int64_t>());
  ExactSum sum;
  __int128 expected = 0;
  for (const int64_t term : terms) {
    const auto shift = static_cast<int>(static_cast<uint64_t>(term) % 40);
    const int64_t small = term >> 13;  // exact in a double
    sum.Add(std::ldexp(static_cast<double>(small), shift));
    expected += static_cast<__int128>(small) << shift;
  }
  // Rounding to odd truncates, and sets the last bit if truncation changed the number.
  const bool negative = expected < 0;
  unsigned __int128 magnitude = negative ? -static_cast<unsigned __int128>(expected)
                                         : static_cast<unsigned __int128>(expected);
  int exponent = 0;
  bool inexact = false;
  while (magnitude >= (static_cast<unsigned __int128>(1) << 53)) {
    inexact |= (magnitude & 1) != 0;
    magnitude >>= 1;
    ++exponent;
  }
  if (inexact) magnitude |= 1;
  const double odd = std::ldexp(static_cast<double>(static_cast<uint64_t>(magnitude)), exponent);
  RC_ASSERT(sum.Odd() == (negative ? -odd : odd));
}

RC_GTEST_PROP(DirectedSums, EncloseTheExactSum, ()) {
  const double a = AnyDouble();
  const double b = AnyDouble();
  RC_PRE(std::isfinite(a + b));
  RC_ASSERT(AddDown(a, b) <= AddUp(a, b));
  ExactSum sum;
  sum.Add(a);
  sum.Add(b);
  RC_ASSERT(AddOdd(a, b) == sum.Odd());
  const bool exact = AddDown(a, b) == AddUp(a, b);
  RC_ASSERT(exact == (SumError(a, b, a + b) == 0));
}

TEST(DivideOdd, NeverLandsOnAMidpointByRounding) {
  // 1/3 in double is below a third. Rounding to odd sets its last bit.
  EXPECT_EQ(DivideOdd(6, 3), 2);
  EXPECT_EQ(std::bit_cast<uint64_t>(DivideOdd(1, 3)) & 1, 1u);
  EXPECT_EQ(std::bit_cast<uint64_t>(DivideOdd(-2, 3)) & 1, 1u);
  EXPECT_EQ(DivideOdd(-1, 3), -DivideOdd(1, 3));
}

TEST(Grid, StoresTiesByItsMode) {
  EXPECT_EQ(Grid(DType::kFp16).Store(2049), 2048);
  EXPECT_EQ(Grid(DType::kFp16, true).Store(2049), 2050);
  EXPECT_EQ(Grid(DType::kFp32).Store(1 + 0x1p-24), 1);
  EXPECT_EQ(Grid(DType::kFp32).Step(1, 1), 1 + 0x1p-23);
}

}  // namespace
}  // namespace anecheck::reference
