// The loops over large tensors agree with their definitions, for every instruction set.
#include "oracles/reference/number_loops.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "harness/base/half.h"
#include "harness/base/testing/same_number.h"
#include "oracles/reference/store.h"
#include "oracles/testing/targets.h"

namespace anecheck::reference {
namespace {

using testing::SameNumberAndSign;

std::vector<uint8_t> EveryHalf() {
  std::vector<uint8_t> bytes(2 * 65536);
  for (size_t bits = 0; bits < 65536; ++bits) {
    bytes[2 * bits] = static_cast<uint8_t>(bits);
    bytes[2 * bits + 1] = static_cast<uint8_t>(bits >> 8);
  }
  return bytes;
}

std::vector<double> EveryNumber() {
  std::vector<double> numbers(65536);
  for (size_t bits = 0; bits < numbers.size(); ++bits) {
    numbers[bits] = HalfToDouble(Half{static_cast<uint16_t>(bits)});
  }
  return numbers;
}

std::vector<double> FiniteNumbers() {
  std::vector<double> numbers = EveryNumber();
  std::erase_if(numbers, [](double x) { return !(std::fabs(x) < kInfinity); });
  return numbers;
}

TEST(NumberLoops, DecodeEveryHalfAndGiveItsBits) {
  const std::vector<uint8_t> bytes = EveryHalf();
  const std::vector<double> expected = EveryNumber();
  testing::ForEachTarget([&](const char* target) {
    std::vector<double> numbers(expected.size());
    EXPECT_TRUE(DecodeHalves(bytes.data(), numbers.size(), numbers.data()));
    EXPECT_FALSE(DecodeHalves(bytes.data(), 0x7c00, numbers.data()));
    std::vector<uint16_t> halves(numbers.size());
    HalvesOfNumbers(expected.data(), expected.size(), halves.data());
    for (size_t bits = 0; bits < numbers.size(); ++bits) {
      EXPECT_TRUE(SameNumberAndSign(numbers[bits], expected[bits])) << target << " " << bits;
      const double back = HalfToDouble(Half{halves[bits]});
      EXPECT_TRUE(SameNumberAndSign(back, expected[bits])) << target << " " << bits;
    }
  });
}

TEST(NumberLoops, MeasureTheLowestBitAndTheLargestMagnitude) {
  const struct {
    std::vector<double> numbers;
    double lowest_bit;
    double largest;
  } cases[] = {{{}, kInfinity, 0},
               {{0, -0.0, kNan, kInfinity}, kInfinity, 0},
               {{-6}, 2, 6},
               {{1, -1.5, 0}, 0.5, 1.5},
               {{0x1.8p-20, 65504, -kInfinity}, 0x1p-21, 65504},
               {{0x1p-149, 1}, 0x1p-149, 1}};
  testing::ForEachTarget([&](const char* target) {
    for (const auto& one : cases) {
      const Extent extent = MeasureNumbers(one.numbers.data(), one.numbers.size());
      EXPECT_EQ(extent.lowest_bit, one.lowest_bit) << target;
      EXPECT_EQ(extent.largest, one.largest) << target;
    }
  });
}

TEST(NumberLoops, CountZerosAndSmallNumbers) {
  const std::vector<double> numbers = {0, -0.0, 0x1p-24, -0x1.8p-9, 0x1p-8, -4};
  testing::ForEachTarget([&](const char* target) {
    const Spread spread = SpreadOfNumbers(numbers.data(), numbers.size(), 0x1p-8);
    EXPECT_EQ(spread.zeros, 2u) << target;
    EXPECT_EQ(spread.small, 2u) << target;
    EXPECT_EQ(spread.exponents, 4u * 1023 - 24 - 9 - 8 + 2) << target;
  });
}

TEST(NumberLoops, ClampToAnInterval) {
  const std::vector<double> numbers = EveryNumber();
  testing::ForEachTarget([&](const char* target) {
    std::vector<double> clamped(numbers.size());
    EXPECT_TRUE(ClampNumbers(numbers.data(), numbers.size(), -1, 6, clamped.data()));
    for (size_t i = 0; i < numbers.size(); ++i) {
      const double x = numbers[i];
      EXPECT_TRUE(SameNumberAndSign(clamped[i], x < -1 ? -1 : x > 6 ? 6 : x)) << target << " " << x;
    }
    const double infinite[] = {-kInfinity, kInfinity};
    EXPECT_FALSE(ClampNumbers(infinite, 2, -1, 6, clamped.data()));
  });
}

double Combined(HalfArithmetic op, double x, double y) {
  return op == HalfArithmetic::kAdd ? x + y : op == HalfArithmetic::kSub ? x - y : x * y;
}

TEST(NumberLoops, CombineNumbersAndKeepUnroundedOnes) {
  const std::vector<double> x = FiniteNumbers();
  std::vector<double> y(x);
  std::ranges::rotate(y, y.begin() + 20011);
  const auto store = [](double number) { return RoundToHalf(number); };
  for (const auto op : {HalfArithmetic::kAdd, HalfArithmetic::kSub, HalfArithmetic::kMul}) {
    testing::ForEachTarget([&](const char* target) {
      std::vector<double> value(x.size());
      std::vector<double> low(x.size());
      std::vector<double> high(x.size());
      const StoredValues values = CombineHalves(op, x.data(), y.data(), x.size(), value.data());
      const StoredEnds ends =
          CombineEnds(op, x.data(), y.data(), x.size(), value.data(), low.data(), high.data());
      EXPECT_FALSE(values.exact);
      EXPECT_FALSE(ends.point);
      EXPECT_EQ(values.special, std::ranges::any_of(value, [](double one) {
                  return !(std::fabs(one) < kInfinity);
                }));
      EXPECT_EQ(ends.special, values.special);
      for (size_t i = 0; i < x.size(); ++i) {
        const double raw = Combined(op, x[i], y[i]);
        EXPECT_TRUE(SameNumberAndSign(value[i], RoundToHalf(raw)) &&
                    SameNumberAndSign(low[i], OuterLow(store, raw, true)) &&
                    SameNumberAndSign(high[i], OuterHigh(store, raw, true)))
            << target << " " << x[i] << " " << y[i];
      }
    });
  }
}

// One inexact result at any place of a vector makes the whole tensor inexact.
TEST(NumberLoops, EachRoundedResultIsNoticed) {
  const std::vector<double> numbers = FiniteNumbers();
  constexpr size_t kCount = 16;
  std::vector<double> x(kCount, 1);
  std::vector<double> y(kCount, 2);
  for (const auto op : {HalfArithmetic::kAdd, HalfArithmetic::kSub, HalfArithmetic::kMul}) {
    testing::ForEachTarget([&](const char* target) {
      double value[kCount];
      for (size_t i = 0; i < numbers.size(); i += 3) {
        const size_t place = i % kCount;
        x[place] = numbers[i];
        y[place] = numbers[(i * 7919 + 31) % numbers.size()];
        const double raw = Combined(op, x[place], y[place]);
        EXPECT_EQ(CombineHalves(op, x.data(), y.data(), kCount, value).exact,
                  RoundToHalf(raw) == raw)
            << target << " " << x[place] << " " << y[place];
        x[place] = 1;
        y[place] = 2;
      }
      // The addends are so far apart that fp32 rounds their sum to the larger addend.
      for (const double small : {0x1p-24, -0x1p-24}) {
        x[5] = kHalfMaxValue;
        y[5] = small;
        EXPECT_EQ(CombineHalves(op, x.data(), y.data(), kCount, value).exact,
                  op == HalfArithmetic::kMul)
            << target;
        x[5] = 1;
        y[5] = 2;
      }
    });
  }
}

TEST(NumberLoops, ExactSumsArePoints) {
  const double x[] = {1, 2, -3};
  const double y[] = {0.5, -2, 3};
  double value[3];
  double low[3];
  double high[3];
  testing::ForEachTarget([&](const char* target) {
    const StoredValues values = CombineHalves(HalfArithmetic::kAdd, x, y, 3, value);
    const StoredEnds ends = CombineEnds(HalfArithmetic::kAdd, x, y, 3, value, low, high);
    EXPECT_TRUE(values.exact && !values.special && ends.point && !ends.special) << target;
  });
}

}  // namespace
}  // namespace anecheck::reference
