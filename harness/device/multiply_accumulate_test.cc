// Tests the multiply-accumulate array: tiles, lattice, port and special values.
#include "harness/device/multiply_accumulate.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <rapidcheck/gtest.h>
#include <span>
#include <vector>

#include "harness/base/testing/generators.h"
#include "harness/device/quirk.h"
#include "harness/device/target.h"

namespace anecheck::device {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

NumericModel Family(int family) { return ResolveNumericModel(QuirkSwitches(), family); }

// Returns the sum of `values` as one result of the array, with a right operand of ones.
float Sum(const NumericModel& model, const std::vector<float>& values) {
  std::vector<float> left = values;
  std::vector<float> ones(values.size(), 1.0f);
  const auto inner = static_cast<int64_t>(values.size());
  const bool finite = PrepareMacOperand(model, left.data(), inner);
  float result = 0;
  MultiplyAccumulate(model, left.data(), ones.data(), {1, inner, 1}, finite, true, &result);
  return result;
}

std::vector<float> Survivors(float big) {
  std::vector<float> values;
  for (int i = 0; i < 16; ++i) values.insert(values.end(), {big, -big, 1});
  return values;
}

TEST(MultiplyAccumulate, ConformingTilesAreExact) {
  std::vector<float> values(1025, 1.0f);
  values[0] = 4096;
  EXPECT_EQ(Sum(NumericModel{}, values), 5120);
  for (const float big : {1024.0f, 4096.0f, 30000.0f}) {
    EXPECT_EQ(Sum(NumericModel{}, Survivors(big)), 16) << big;
  }
}

// By facts/numerics.md, the sum is 5116. Of 16 small addends, 16 count if the large one is below
// 4096, otherwise 4.
TEST(MultiplyAccumulate, LatticeOfA13GivesThePublishedSums) {
  std::vector<float> values(1025, 1.0f);
  values[0] = 4096;
  EXPECT_EQ(Sum(Family(kFamilyA13), values), 5116);
  for (const float big : {1024.0f, 3000.0f, 4090.0f}) {
    EXPECT_EQ(Sum(Family(kFamilyA13), Survivors(big)), 16) << big;
  }
  for (const float big : {4096.0f, 8000.0f, 16000.0f, 30000.0f}) {
    EXPECT_EQ(Sum(Family(kFamilyA13), Survivors(big)), 4) << big;
  }
}

TEST(MultiplyAccumulate, LatticeTruncatesBothLanes) {
  // For 2048, 2^E is 4096, so the grid has steps of 1.
  EXPECT_EQ(AddOnTileLattice(2048, 1.75f), 2049);
  EXPECT_EQ(AddOnTileLattice(-2048, -1.75f), -2049);
  // For 4096, 2^E is 8192, so the grid has steps of 2.
  EXPECT_EQ(AddOnTileLattice(4096, 1), 4096);
  EXPECT_EQ(AddOnTileLattice(1, 4096), 4096);
  EXPECT_EQ(AddOnTileLattice(0x1p-24f, 0x1p-24f), 0x1p-23f);
  EXPECT_EQ(AddOnTileLattice(0, 0), 0);
}

TEST(MultiplyAccumulate, PortTurnsLargeResultsIntoInfinity) {
  const NumericModel a13 = Family(kFamilyA13);
  EXPECT_EQ(Sum(a13, {16376, 16376}), 32752);
  EXPECT_EQ(Sum(a13, {16384, 16384}), kInfinity);
  EXPECT_EQ(Sum(a13, {-16384, -16384}), -kInfinity);
  EXPECT_EQ(Sum(NumericModel{}, {16384, 16384}), 32768);
  // A single product has the full range.
  EXPECT_EQ(Sum(a13, {60000}), 60000);
  // A partial sum in the middle overflows, although the final sum would not.
  std::vector<float> values(8, 16384.0f);
  for (int i = 4; i < 8; ++i) values[static_cast<size_t>(i)] = -16384;
  EXPECT_TRUE(std::isinf(Sum(a13, values)));
  EXPECT_EQ(Sum(NumericModel{}, values), 0);
}

TEST(MultiplyAccumulate, DenormalsAreFlushedOnA13Only) {
  EXPECT_EQ(Sum(Family(kFamilyA13), {0x1p-20f, 0x1p-20f}), 0);
  EXPECT_EQ(Sum(Family(kFamilyA17), {0x1p-20f, 0x1p-20f}), 0x1p-19f);
}

TEST(MultiplyAccumulate, NanAndInvalidProducts) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(Sum(NumericModel{}, {nan, 1})));
  EXPECT_EQ(Sum(Family(kFamilyA13), {nan, 1}), kInfinity);
  EXPECT_EQ(Sum(Family(kFamilyA13), {kInfinity, -kInfinity}), 0);
  EXPECT_TRUE(std::isnan(Sum(NumericModel{}, {kInfinity, -kInfinity})));
}

TEST(MultiplyAccumulate, TiesRoundAwayOnA17) {
  EXPECT_EQ(Sum(Family(kFamilyA13), {2048, 1}), 2048);
  EXPECT_EQ(Sum(Family(kFamilyA17), {2048, 1}), 2050);
}

// The blocked loops agree with the definition, on every family.
RC_GTEST_PROP(MultiplyAccumulate, FastLoopsFollowTheDefinition, ()) {
  const int family = *rc::gen::inRange(2, 8);
  const NumericModel model = Family(family);
  const MacShape shape{*rc::gen::inRange<int64_t>(1, 4), *rc::gen::inRange<int64_t>(1, 14),
                       *rc::gen::inRange<int64_t>(1, 70)};
  const auto halves = [](int64_t count) {
    return *rc::gen::container<std::vector<Half>>(static_cast<size_t>(count),
                                                  anecheck::testing::FiniteHalf());
  };
  const auto floats = [](const std::vector<Half>& from) {
    std::vector<float> values;
    for (const Half half : from) values.push_back(HalfToFloat(half));
    return values;
  };
  std::vector<float> left = floats(halves(shape.rows * shape.inner));
  std::vector<float> right = floats(halves(shape.inner * shape.columns));
  RC_ASSERT(PrepareMacOperand(model, left.data(), shape.rows * shape.inner));
  RC_ASSERT(PrepareMacOperand(model, right.data(), shape.inner * shape.columns));
  std::vector<float> result(static_cast<size_t>(shape.rows * shape.columns));
  MultiplyAccumulate(model, left.data(), right.data(), shape, true, true, result.data());
  for (int64_t row = 0; row < shape.rows; ++row) {
    for (int64_t column = 0; column < shape.columns; ++column) {
      RC_ASSERT(result[static_cast<size_t>(row * shape.columns + column)] ==
                MacResult(model, left.data() + row * shape.inner, right.data() + column,
                          shape.columns, shape.inner, true));
    }
  }
}

// A product of this size is computed on several threads, but a single row is not.
TEST(MultiplyAccumulate, ARowOfALargeProductIsThatRowAlone) {
  const NumericModel model = Family(kFamilyA13);
  const MacShape shape = {37, 1000, 1000};
  const auto pattern = [](int64_t count, int64_t step) {
    std::vector<float> numbers(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) {
      numbers[static_cast<size_t>(i)] = static_cast<float>(i * step % 257 - 128);
    }
    return numbers;
  };
  std::vector<float> left = pattern(shape.rows * shape.inner, 31);
  std::vector<float> right = pattern(shape.inner * shape.columns, 89);
  std::vector<float> whole(static_cast<size_t>(shape.rows * shape.columns));
  MultiplyAccumulate(model, left.data(), right.data(), shape, true, true, whole.data());
  std::vector<float> row(static_cast<size_t>(shape.columns));
  for (int64_t r = 0; r < shape.rows; ++r) {
    MultiplyAccumulate(model, left.data() + r * shape.inner, right.data(),
                       {1, shape.inner, shape.columns}, true, true, row.data());
    ASSERT_TRUE(std::ranges::equal(
        row, std::span(whole).subspan(static_cast<size_t>(r) * row.size(), row.size())))
        << r;
  }
}

// The inputs lie near the limit of the fixed-point accumulator or near its least product. Sums
// start with an initial value.
RC_GTEST_PROP(MultiplyAccumulate, FastFixedLoopsFollowTheDefinition, ()) {
  const NumericModel model = Family(*rc::gen::element(5, 7));
  const MacShape shape{*rc::gen::inRange<int64_t>(1, 4), *rc::gen::inRange<int64_t>(1, 40),
                       *rc::gen::inRange<int64_t>(1, 70)};
  const int largest = *rc::gen::inRange(-14, 9);
  const auto numbers = [&](int64_t count) {
    std::vector<float> values(static_cast<size_t>(count));
    for (float& value : values) {
      const int exponent = largest - *rc::gen::inRange(0, 12);
      const auto fraction = static_cast<float>(*rc::gen::inRange(-2047, 2048));
      value = HalfToFloat(FloatToHalf(std::ldexp(fraction * 0x1p-10f, exponent)));
    }
    return values;
  };
  const std::vector<float> left = numbers(shape.rows * shape.inner);
  const std::vector<float> right = numbers(shape.inner * shape.columns);
  const std::vector<float> starts = numbers(shape.columns);
  std::vector<float> result(static_cast<size_t>(shape.rows * shape.columns));
  MultiplyAccumulate(model, left.data(), right.data(), shape, true, true, result.data(),
                     {.of_columns = starts.data()});
  for (int64_t row = 0; row < shape.rows; ++row) {
    for (int64_t column = 0; column < shape.columns; ++column) {
      RC_ASSERT(result[static_cast<size_t>(row * shape.columns + column)] ==
                MacResult(model, left.data() + row * shape.inner, right.data() + column,
                          shape.columns, shape.inner, true, starts[static_cast<size_t>(column)]));
    }
  }
}

}  // namespace
}  // namespace anecheck::device
