// Systematic errors inside the bound show in the statistics, unbiased ones do not.
#include "oracles/statistics.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "generators/choice_stream.h"
#include "oracles/testing/test_support.h"

namespace anecheck {
namespace {

using testing::MakeTensor;

// fp16 values of 100 that may err by 1 either way.
Estimate Free(size_t count) {
  Estimate estimate;
  estimate.type = {DType::kFp16, {static_cast<int64_t>(count)}};
  estimate.value.assign(count, 100);
  estimate.low.assign(count, 99);
  estimate.high.assign(count, 101);
  estimate.flags.assign(count, 0);
  return estimate;
}

TEST(MeasureErrors, NormalisesByTheRoomOnTheErrorsSide) {
  Estimate expected = Free(3);
  expected.high[1] = 104;
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

TEST(MeasureErrors, TellsABiasFromScatter) {
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
  const auto shape = Shape{static_cast<int64_t>(count)};
  EXPECT_LT(std::fabs(MeasureErrors(expected, MakeTensor(DType::kFp16, shape, scattered)).z), 4);
  EXPECT_GT(MeasureErrors(expected, MakeTensor(DType::kFp16, shape, biased)).z, 8);
  const std::vector<double> constant(count, 99.9375);
  EXPECT_LT(MeasureErrors(expected, MakeTensor(DType::kFp16, shape, constant)).z, -100);
  const std::vector<double> exact(count, 100);
  EXPECT_EQ(MeasureErrors(expected, MakeTensor(DType::kFp16, shape, exact)).z, 0);
}

TEST(Merge, IsTheStatisticsOfBothTogether) {
  const Tensor first = MakeTensor(DType::kFp16, {2}, {99.5, 100.25});
  const Tensor second = MakeTensor(DType::kFp16, {3}, {101, 100, 99.25});
  const Tensor both = MakeTensor(DType::kFp16, {5}, {99.5, 100.25, 101, 100, 99.25});
  const ErrorStatistics merged =
      Merge(MeasureErrors(Free(2), first), MeasureErrors(Free(3), second));
  const ErrorStatistics whole = MeasureErrors(Free(5), both);
  EXPECT_EQ(merged.count, whole.count);
  EXPECT_EQ(merged.on_end, whole.on_end);
  EXPECT_NEAR(merged.mean, whole.mean, 1e-12);
  EXPECT_NEAR(merged.mean_square, whole.mean_square, 1e-12);
  EXPECT_NEAR(merged.z, whole.z, 1e-9);
  EXPECT_EQ(Merge({}, {}).count, 0u);
}

}  // namespace
}  // namespace anecheck
