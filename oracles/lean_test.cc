// The sequential test of many outputs: its answer for engines that round to nearest, for engines
// that lean, and the results that it must leave out.
#include "oracles/lean.h"

#include <gtest/gtest.h>
#include <limits>
#include <vector>

#include "generators/choice_stream.h"
#include "oracles/testing/test_support.h"

namespace anecheck {
namespace {

constexpr int kA13 = 2;
constexpr int kA15 = 4;

const LeanSums& Of(const OperationLeans& leans, Lean lean) {
  return leans[static_cast<size_t>(lean)];
}

Estimate Room(const std::vector<double>& values, double room) {
  Estimate estimate;
  estimate.type = {DType::kFp16, {static_cast<int64_t>(values.size())}};
  estimate.value = values;
  for (const double value : values) {
    estimate.low.push_back(value - room);
    estimate.high.push_back(value + room);
  }
  estimate.flags.assign(values.size(), 0);
  return estimate;
}

TEST(MeasureLean, MeasuresErrorsUpwardAndAwayFromZero) {
  const Estimate expected = Room({100, -100, 0, 100}, 2);
  const OutputLean lean = MeasureLean(expected, std::vector<double>{101, -101, 2, 100});
  EXPECT_EQ(lean.free, 4u);
  EXPECT_DOUBLE_EQ(lean.up, (0.5 - 0.5 + 1 + 0) / 4);
  EXPECT_DOUBLE_EQ(lean.away, (0.5 + 0.5 + 0 + 0) / 4) << "zero lies on neither side of zero";
  EXPECT_EQ(lean.wide, 4u);
  EXPECT_DOUBLE_EQ(lean.mean_square, (0.25 + 0.25 + 1 + 0) / 4);
}

// An interval as wide as the tensor's numbers is no evidence, nor is an error in it.
TEST(MeasureLean, LeavesOutWideIntervals) {
  Estimate expected = Room({1, 1000}, 0.25);
  expected.low[0] = -600;
  expected.high[0] = 600;
  EXPECT_EQ(MeasureLean(expected, std::vector<double>{500, 1000}).free, 1u);
}

TEST(MeasureLean, LeavesOutElementsWithoutRoomOrNumber) {
  Estimate expected = Room({100, 100, 100, 100}, 1);
  expected.low[0] = expected.high[0] = 100;
  expected.high[1] = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(MeasureLean(expected, std::vector<double>{100, 101, nan, 101}).free, 1u);
}

// In each of a million cases the errors lie at one end of their bound, chosen by a coin. This is
// the hardest case of an engine without a preferred side.
TEST(LeanSums, AMillionOutputsWithoutAPreferredSideAreNotSignificant) {
  ChoiceStream choices = ChoiceStream::FromSeed(1);
  OperationLeans leans;
  for (uint64_t i = 0; i < 1'000'000; ++i) {
    const double up = choices.Coin() ? 1 : -1;
    AddOutput({.free = 1, .up = up, .away = up}, i, leans);
    for (const LeanSums& sums : leans) ASSERT_FALSE(sums.Significant()) << i;
  }
  EXPECT_EQ(Of(leans, Lean::kUp).outputs, 1'000'000u);
  EXPECT_EQ(Of(leans, Lean::kFills).outputs, 0u) << "no output had wide intervals";
}

// If the mean stays below the test's threshold, no number of outputs is significant.
TEST(LeanSums, ALeanBelowTheThresholdIsNeverSignificant) {
  LeanSums sums;
  for (uint64_t i = 0; i < 1'000'000; ++i) sums.Add(i, kLeastLean);
  EXPECT_FALSE(sums.Significant());
  EXPECT_NEAR(sums.Mean(), kLeastLean, 1e-6);
}

TEST(LeanSums, ALeanShowsAfterSomeHundredOutputs) {
  ChoiceStream choices = ChoiceStream::FromSeed(2);
  OperationLeans leans;
  uint64_t outputs = 0;
  while (!Of(leans, Lean::kToward).Significant() && outputs < 10'000) {
    const double away = static_cast<double>(choices.Range(-96, 32)) / 128;  // -0.25 in the mean
    AddOutput({.free = 8, .up = 0, .away = away}, outputs++, leans);
  }
  EXPECT_LT(outputs, 500u);
  EXPECT_GT(outputs, 50u);
  EXPECT_FALSE(Of(leans, Lean::kAway).Significant());
  EXPECT_FALSE(Of(leans, Lean::kUp).Significant());
}

TEST(LeanSums, ErrorsThatFillTheirBoundsShow) {
  OperationLeans evenly, ends;
  for (uint64_t i = 0; i < 1000; ++i) {
    AddOutput({.free = 8, .wide = 8, .mean_square = 1.0 / 3}, i, evenly);
    AddOutput({.free = 8, .wide = 8, .mean_square = 0.75}, i, ends);
  }
  EXPECT_FALSE(Of(evenly, Lean::kFills).Significant());
  EXPECT_TRUE(Of(ends, Lean::kFills).Significant());
}

// The sums depend neither on the order of the outputs nor on how they are divided: the sums of
// shards, processes and runs are added up.
TEST(LeanSums, DoNotDependOnTheOrder) {
  ChoiceStream choices = ChoiceStream::FromSeed(3);
  LeanSums whole, first, second;
  for (uint64_t i = 0; i < 1000; ++i) {
    const double says = static_cast<double>(choices.Range(-64, 64)) / 64;
    whole.Add(i, says);
    (i % 3 == 0 ? first : second).Add(i, says);
  }
  LeanSums backward = second;
  backward += first;
  first += second;
  EXPECT_EQ(first, whole);
  EXPECT_EQ(backward, whole);
  LeanSums rising, falling;
  for (uint64_t i = 0; i < 8; ++i) {
    rising.Add(i, 0.5);
    falling.Add(7 - i, 0.5);
  }
  EXPECT_EQ(falling, rising);
  LeanSums none;
  none += LeanSums();
  EXPECT_EQ(none, LeanSums());
}

TEST(LeanSums, RememberTheFirstOutputThatLeansMost) {
  LeanSums sums;
  sums.Add(5, 0.25);
  sums.Add(7, 0.5);
  sums.Add(9, 0.5);
  EXPECT_EQ(sums.extreme_case, 7u);
  EXPECT_DOUBLE_EQ(LeanSums::Part(sums.extreme), 0.5);
}

// Whether the test covers a graph of op(x), or of op(x) squared if `behind`.
bool Tested(OpKind op, int family, bool behind = false) {
  testing::Case item;
  const ValueId x = item.Input(testing::MakeTensor(DType::kFp16, {2, 3}, {1, 2, 3, 4, 5, 6}));
  ValueId result = 0;
  if (op == OpKind::kReduceSum) {
    result = item.Begin(op).Arg(0, x).Ints(1, {1}).Finish();
  } else if (op == OpKind::kMatmul) {
    const ValueId y = item.Input(testing::MakeTensor(DType::kFp16, {3, 2}, {1, 2, 3, 4, 5, 6}));
    result = item.Begin(op).Arg(0, x).Arg(1, y).Finish();
  } else {
    result = item.Begin(op).Arg(0, x).Finish();
  }
  if (behind) result = item.Begin(OpKind::kSquare).Arg(0, result).Finish();
  item.graph.AddOutput(result);
  return IsTested(item.graph, 0, family);
}

TEST(IsTested, LeavesOutTablesAndTheirReaders) {
  EXPECT_TRUE(Tested(OpKind::kExp2, kA13));
  EXPECT_FALSE(Tested(OpKind::kExp, kA13)) << "its table is recorded";
  EXPECT_FALSE(Tested(OpKind::kSigmoid, kA13));
  EXPECT_FALSE(Tested(OpKind::kSin, kA15)) << "its lines lie below the curve";
  EXPECT_TRUE(Tested(OpKind::kExp2, kA13, true));
  EXPECT_FALSE(Tested(OpKind::kSigmoid, kA13, true));
}

// The greater of two numbers that may err to both sides is too great on average, and so are values
// computed from it. Numbers without an error are tested.
TEST(IsTested, LeavesOutExtremesOfInexactOperands) {
  testing::Case item;
  const ValueId x = item.Input(testing::MakeTensor(DType::kFp16, {2, 3}, {1, 2, 3, 4, 5, 6}));
  const ValueId exact = item.Binary(OpKind::kMaximum, x, x);
  const ValueId root = item.Unary(OpKind::kExp2, exact);
  const ValueId greater = item.Binary(OpKind::kMaximum, root, x);
  const ValueId behind = item.Unary(OpKind::kExp, greater);
  for (const ValueId output : {root, greater, behind}) item.graph.AddOutput(output);
  ASSERT_EQ(item.error, "");
  EXPECT_TRUE(IsTested(item.graph, 0, kA15));
  EXPECT_FALSE(IsTested(item.graph, 1, kA15));
  EXPECT_FALSE(IsTested(item.graph, 2, kA15));
}

// The error of a mean's reciprocal depends on the number of elements, and a position has no error,
// also if a cast makes it a number.
TEST(IsTested, LeavesOutMeansAndPositions) {
  testing::Case item;
  const ValueId x = item.Input(testing::MakeTensor(DType::kFp16, {2, 3}, {1, 2, 3, 4, 5, 6}));
  const ValueId mean = item.Begin(OpKind::kReduceMean).Arg(0, x).Ints(1, {1}).Finish();
  const ValueId at = item.Begin(OpKind::kReduceArgmax).Arg(0, x).Int(1, 1).Finish();
  const ValueId number = item.Begin(OpKind::kCast).Arg(0, at).String(1, "fp16").Finish();
  const ValueId whole = item.Begin(OpKind::kCast).Arg(0, x).String(1, "int32").Finish();
  const ValueId back = item.Begin(OpKind::kCast).Arg(0, whole).String(1, "fp16").Finish();
  const ValueId root = item.Unary(OpKind::kExp2, x);
  for (const ValueId output : {mean, number, back, root}) item.graph.AddOutput(output);
  ASSERT_EQ(item.error, "");
  for (size_t i = 0; i < 3; ++i) EXPECT_FALSE(IsTested(item.graph, i, kA15)) << i;
  EXPECT_TRUE(IsTested(item.graph, 3, kA15));
}

// D03 and D04 truncate on A13.
TEST(IsTested, LeavesOutOperationsThatDocumentedDefectsMakeLean) {
  EXPECT_FALSE(Tested(OpKind::kMatmul, kA13));
  EXPECT_TRUE(Tested(OpKind::kMatmul, kA15));
  EXPECT_FALSE(Tested(OpKind::kReduceSum, kA13));
  EXPECT_TRUE(Tested(OpKind::kReduceSum, kA15));
}

}  // namespace
}  // namespace anecheck
