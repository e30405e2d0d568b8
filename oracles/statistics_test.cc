// Systematic errors inside the bound show in the statistics; unbiased errors do not.
#include "oracles/statistics.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "generators/choice_stream.h"
#include "oracles/testing/test_support.h"

namespace anecheck {
namespace {

using testing::MakeTensor;

// fp16 values of 100 that may err by about 1 to either side, each with a different bound.
Estimate Free(size_t count) {
  Estimate estimate;
  estimate.type = {DType::kFp16, {static_cast<int64_t>(count)}};
  estimate.value.assign(count, 100);
  for (size_t i = 0; i < count; ++i) {
    const double room = 1 + static_cast<double>(i) * 0x1p-40;
    estimate.low.push_back(100 - room);
    estimate.high.push_back(100 + room);
  }
  estimate.flags.assign(count, 0);
  return estimate;
}

ErrorStatistics Measured(const Estimate& expected, const std::vector<double>& actual) {
  return MeasureErrors(expected, MakeTensor(DType::kFp16, expected.type.shape, actual));
}

TEST(MeasureErrors, NormalisesByTheRoomOnTheErrorsSide) {
  Estimate expected = Free(3);
  expected.high = {101, 104, 101};
  expected.low = {99, 99, 99.25};
  const Tensor actual = MakeTensor(DType::kFp16, {3}, {99.5, 102, 101});
  const ErrorStatistics statistics = MeasureErrors(expected, actual);
  EXPECT_EQ(statistics.count, 3u);
  EXPECT_DOUBLE_EQ(statistics.mean, (-0.5 + 0.5 + 1) / 3);
  EXPECT_DOUBLE_EQ(statistics.mean_square, 1.5 / 3);
  EXPECT_EQ(statistics.on_end, 1u);
}

TEST(MeasureErrors, LeavesOutElementsWithoutFreedomAndInfinities) {
  Estimate expected = Free(3);
  expected.low[0] = expected.high[0] = 100;
  expected.high[2] = std::numeric_limits<double>::infinity();
  const Tensor actual = MakeTensor(DType::kFp16, {3}, {100, 100.5, 200});
  EXPECT_EQ(MeasureErrors(expected, actual).count, 1u);
}

TEST(MeasureErrors, DistinguishesABiasFromScatter) {
  const size_t count = 1000;
  const Estimate expected = Free(count);
  ChoiceStream choices = ChoiceStream::FromSeed(5);
  std::vector<double> scattered;
  std::vector<double> biased;
  for (size_t i = 0; i < count; ++i) {
    const double error = static_cast<double>(choices.Range(-8, 8)) / 16;
    scattered.push_back(100 + error);
    biased.push_back(100 + error + 0.125);
  }
  EXPECT_LT(std::fabs(Measured(expected, scattered).z), 4);
  EXPECT_GT(Measured(expected, biased).z, 8);
  EXPECT_LT(Measured(expected, std::vector(count, 99.9375)).z, -100);
  EXPECT_EQ(Measured(expected, std::vector(count, 100.0)).z, 0);
}

// Many equal elements count as one error.
TEST(MeasureErrors, EqualElementsAreOneObservation) {
  const size_t count = 1000;
  Estimate alike = Free(count);
  alike.low.assign(count, 99);
  alike.high.assign(count, 101);
  const std::vector above(count, 100.5);
  const ErrorStatistics one = Measured(alike, above);
  EXPECT_EQ(one.count, 1u);
  EXPECT_DOUBLE_EQ(one.mean, 0.5);
  EXPECT_FALSE(Leans(one));
  EXPECT_TRUE(Leans(Measured(Free(count), above)));
  EXPECT_FALSE(Leans(Measured(Free(8), std::vector(8, 100.5)))) << "too few elements for a result";
}

// Each error is at one end of its bound, by chance: there is no preferred side, but no engine has
// such errors.
TEST(MeasureErrors, FindsErrorsThatFillTheirBound) {
  const size_t count = 1000;
  const Estimate expected = Free(count);
  ChoiceStream choices = ChoiceStream::FromSeed(6);
  std::vector<double> ends;
  std::vector<double> spread;
  for (size_t i = 0; i < count; ++i) {
    ends.push_back(choices.Coin() ? 99 : 101);
    spread.push_back(100 + static_cast<double>(choices.Range(-16, 16)) / 16);
  }
  EXPECT_FALSE(Leans(Measured(expected, ends)));
  EXPECT_TRUE(Fills(Measured(expected, ends)));
  EXPECT_FALSE(Fills(Measured(expected, spread)));
  Estimate narrow = expected;
  for (size_t i = 0; i < count; ++i) {
    narrow.low[i] = 100 - (100 - expected.low[i]) / 16;
    narrow.high[i] = 100 + (expected.high[i] - 100) / 16;
  }
  EXPECT_FALSE(Fills(Measured(narrow, std::vector(count, 100.0625))))
      << "these bounds admit only the neighbours";
}

TEST(Merge, EqualsTheStatisticsOfBothParts) {
  const Tensor first = MakeTensor(DType::kFp16, {2}, {101, 100.25});
  const Tensor second = MakeTensor(DType::kFp16, {3}, {99.5, 100, 99.25});
  const Tensor both = MakeTensor(DType::kFp16, {5}, {101, 100.25, 99.5, 100, 99.25});
  const ErrorStatistics merged =
      Merge(MeasureErrors(Free(2), first), MeasureErrors(Free(3), second));
  const ErrorStatistics whole = MeasureErrors(Free(5), both);
  EXPECT_EQ(merged.count, whole.count);
  EXPECT_EQ(merged.on_end, whole.on_end);
  EXPECT_NEAR(merged.mean, whole.mean, 1e-12);
  EXPECT_NEAR(merged.mean_square, whole.mean_square, 1e-12);
  EXPECT_NEAR(merged.z, whole.z, 1e-9);
  EXPECT_EQ(merged.wide, whole.wide);
  EXPECT_NEAR(merged.wide_mean_square, whole.wide_mean_square, 1e-12);
  EXPECT_EQ(Merge({}, {}).count, 0u);
}

}  // namespace
}  // namespace anecheck
