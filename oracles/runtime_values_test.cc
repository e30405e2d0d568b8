// Tests operations whose documentation differs from Core ML's results or leaves them open. The
// results are the numbers that coremltools' runtime tests compare with Core ML's own predictions,
// and those in the notes of Core ML's format.
#include <cmath>
#include <gtest/gtest.h>
#include <initializer_list>
#include <vector>

#include "generators/choice_stream.h"
#include "harness/base/half.h"
#include "harness/ops/params.h"
#include "oracles/judge.h"
#include "oracles/testing/test_support.h"

namespace anecheck {
namespace {

using testing::Case;
using testing::MakeTensor;

ValueId Single(Case& c, const Shape& shape, std::initializer_list<double> numbers) {
  return c.Const(MakeTensor(DType::kFp32, shape, numbers));
}

void ExpectNear(const Estimate& estimate, std::initializer_list<double> expected) {
  ASSERT_EQ(estimate.value.size(), expected.size());
  size_t i = 0;
  for (const double x : expected) {
    EXPECT_NEAR(estimate.value[i], x, 1e-6) << i;
    EXPECT_TRUE(Admits(estimate, i, estimate.value[i])) << i;
    ++i;
  }
}

// ---- recurrent cells: gates far from zero are 1 or 0 ----

// One step of two cells on x = 1: the reset gates are 1 and 0, the update gates 0, so that h is the
// output of the new gate. W_o = 0, R_o = [1 2; 4 8], h = [0.5 0.25].
struct Reset {
  bool after = false;
  bool two_biases = false;
};
Estimate ResetCell(const Reset& reset, const Contract& contract) {
  using P = params::Gru;
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp32, {1, 1, 1}, {1}));
  const ValueId h = Single(c, {1, 2}, {0.5, 0.25});
  const ValueId ih = Single(c, {6, 1}, {64, -64, 0, 0, -64, -64});
  const ValueId hh = Single(c, {6, 2}, {0, 0, 0, 0, 1, 2, 4, 8, 0, 0, 0, 0});
  const ValueId bias = Single(c, {6}, {0, 0, 2, 2, 0, 0});
  const ValueId own = Single(c, {6}, {0, 0, 1, 1, 0, 0});
  c.Begin(OpKind::kGru).Arg(P::kX, x).Arg(P::kInitialH, h).Arg(P::kWeightIh, ih);
  c.Arg(P::kWeightHh, hh).String(P::kActivation, "linear");
  if (reset.two_biases) c.Arg(P::kBias, bias).Arg(P::kInputBias, own);
  if (reset.after) c.Bool(P::kResetAfter, true);
  const Estimate estimate = c.Run(c.Finish(), contract);
  EXPECT_EQ(c.error, "");
  return estimate;
}

TEST(RuntimeValues, TheResetGateOfGruActsOnTheState) {
  ExpectNear(ResetCell({}, IeeeContract()), {0.5, 2});
  const Estimate family = ResetCell({}, ConformingContract(2));
  EXPECT_FALSE(Admits(family, 0, 1));
  EXPECT_FALSE(Admits(family, 1, 0));
  ExpectNear(ResetCell({.two_biases = true}, IeeeContract()), {3.5, 5});
}

TEST(RuntimeValues, ResetAfterActsOnTheRecurrentSum) {
  ExpectNear(ResetCell({.after = true}, IeeeContract()), {1, 0});
  ExpectNear(ResetCell({.after = true, .two_biases = true}, IeeeContract()), {4, 1});
}

// All gates are 1: c = 2 + 3 and -2 - 3 before the clip.
TEST(RuntimeValues, LstmClipsTheStateBeforeTheOutputGate) {
  using P = params::Lstm;
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp32, {1, 1, 1}, {1}));
  const ValueId h = Single(c, {1, 2}, {0, 0});
  const ValueId before = Single(c, {1, 2}, {2, -2});
  const ValueId ih = Single(c, {8, 1}, {64, 64, 64, 64, 64, 64, 3, -3});
  const ValueId hh = Single(c, {8, 2}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  c.Begin(OpKind::kLstm).Arg(P::kX, x).Arg(P::kInitialH, h).Arg(P::kInitialC, before);
  c.Arg(P::kWeightIh, ih).Arg(P::kWeightHh, hh).Float(P::kClip, 1);
  c.String(P::kCellActivation, "linear").String(P::kActivation, "linear");
  const ValueId sequence = c.Finish();
  ASSERT_EQ(c.error, "");
  ExpectNear(c.Run(sequence, IeeeContract()), {1, -1});
  ExpectNear(c.Run(sequence + 2, IeeeContract()), {1, -1});
  EXPECT_FALSE(Admits(c.Run(sequence + 2), 0, 3));
}

// One step of rnn without a state: the curve of the product.
Estimate Activated(const char* curve, std::initializer_list<double> x) {
  using P = params::Rnn;
  Case c;
  const auto batch = static_cast<int64_t>(x.size());
  const ValueId input = c.Input(MakeTensor(DType::kFp32, {1, batch, 1}, x));
  const std::vector<double> none(x.size(), 0);
  const ValueId h = c.Const(MakeTensor(DType::kFp32, {batch, 1}, none));
  const ValueId one = Single(c, {1, 1}, {1});
  c.Begin(OpKind::kRnn).Arg(P::kX, input).Arg(P::kInitialH, h).Arg(P::kWeightIh, one);
  const Estimate estimate =
      c.Run(c.Arg(P::kWeightHh, one).String(P::kActivation, curve).Finish(), IeeeContract());
  EXPECT_EQ(c.error, "");
  return estimate;
}

TEST(RuntimeValues, CurvesOfCellsWithTheirOwnCoefficients) {
  for (const char* name : {"hard_sigmoid", "sigmoid_hard"}) {
    ExpectNear(Activated(name, {-3, -1, 0, 2, 3}), {0, 0.3, 0.5, 0.9, 1});
  }
  ExpectNear(Activated("scaled_tanh", {-1, 0.5}), {std::tanh(-1.0), std::tanh(0.5)});
}

// ---- boxes: two that do not overlap, in a result with room for three ----

constexpr double kBoxes[] = {10, 10, 4, 4, 50, 50, 4, 4};

Estimate Suppressed(double threshold, uint32_t result, const Contract& contract) {
  using P = params::NonMaximumSuppression;
  Case c;
  const ValueId boxes = c.Input(MakeTensor(DType::kFp16, {1, 2, 4}, kBoxes));
  const ValueId scores = c.Input(MakeTensor(DType::kFp16, {1, 2, 1}, {0.25, 0.5}));
  c.Begin(OpKind::kNonMaximumSuppression).Arg(P::kBoxes, boxes).Arg(P::kScores, scores);
  c.Float(P::kIouThreshold, 0.5).Float(P::kScoreThreshold, threshold);
  const Estimate estimate = c.Run(c.Int(P::kMaxBoxes, 3).Finish() + result, contract);
  EXPECT_EQ(c.error, "");
  return estimate;
}

TEST(RuntimeValues, IfNoBoxSurvivesTheBestIsGiven) {
  for (const Contract& contract : {IeeeContract(), ConformingContract(2)}) {
    const Estimate count = Suppressed(0.75, 3, contract);
    EXPECT_TRUE(Admits(count, 0, 1));
    EXPECT_FALSE(Admits(count, 0, 0));
    const Estimate indices = Suppressed(0.75, 2, contract);
    EXPECT_TRUE(Admits(indices, 0, 1));
    EXPECT_FALSE(Admits(indices, 0, 0));
    EXPECT_FALSE(Admits(indices, 0, -1));
    EXPECT_TRUE(Admits(Suppressed(0.75, 0, contract), 0, 50));
    EXPECT_FALSE(Admits(Suppressed(0.75, 1, contract), 0, 0.25));
  }
}

// A suppression of four boxes below the threshold. Two of the boxes share the highest score, and
// the result has room for three.
Estimate SuppressedOfEqual(uint32_t result) {
  using P = params::NonMaximumSuppression;
  Case c;
  const ValueId boxes = c.Input(MakeTensor(
      DType::kFp16, {1, 4, 4}, {10, 10, 4, 4, 50, 50, 4, 4, 90, 90, 4, 4, 130, 130, 4, 4}));
  const ValueId scores = c.Input(MakeTensor(DType::kFp16, {1, 4, 1}, {0.25, 0.5, 0.5, 0.375}));
  c.Begin(OpKind::kNonMaximumSuppression).Arg(P::kBoxes, boxes).Arg(P::kScores, scores);
  c.Float(P::kIouThreshold, 0.5).Float(P::kScoreThreshold, 0.75);
  const Estimate estimate = c.Run(c.Int(P::kMaxBoxes, 3).Finish() + result, ConformingContract(2));
  EXPECT_EQ(c.error, "");
  return estimate;
}

TEST(RuntimeValues, IfNoBoxSurvivesAnyOfTheBestIsGivenAndNoOther) {
  const Estimate count = SuppressedOfEqual(3);
  EXPECT_TRUE(Admits(count, 0, 1));
  EXPECT_FALSE(Admits(count, 0, 0) || Admits(count, 0, 2));
  const Estimate indices = SuppressedOfEqual(2);
  EXPECT_TRUE(Admits(indices, 0, 1) && Admits(indices, 0, 2));
  EXPECT_FALSE(Admits(indices, 0, 0) || Admits(indices, 0, 3) || Admits(indices, 0, -1));
  EXPECT_TRUE(Admits(indices, 1, -1));
  EXPECT_FALSE(Admits(indices, 1, 2));
  const Estimate scores = SuppressedOfEqual(1);
  EXPECT_TRUE(Admits(scores, 0, 0.5));
  EXPECT_FALSE(Admits(scores, 0, 0.375) || Admits(scores, 1, 0.5));
  const Estimate boxes = SuppressedOfEqual(0);
  EXPECT_TRUE(Admits(boxes, 0, 50) && Admits(boxes, 0, 90));
  EXPECT_FALSE(Admits(boxes, 0, 10) || Admits(boxes, 4, 50));
}

TEST(RuntimeValues, SelectionsArePaddedWithZerosAndNoIndex) {
  for (const Contract& contract : {IeeeContract(), ConformingContract(2)}) {
    const Estimate boxes = Suppressed(0.375, 0, contract);
    EXPECT_TRUE(Admits(boxes, 4, 0));
    EXPECT_FALSE(Admits(boxes, 4, 10));
    const Estimate scores = Suppressed(0.375, 1, contract);
    EXPECT_TRUE(Admits(scores, 1, 0));
    EXPECT_FALSE(Admits(scores, 1, 0.25));
    const Estimate indices = Suppressed(0.375, 2, contract);
    EXPECT_TRUE(Admits(indices, 2, -1));
    EXPECT_FALSE(Admits(indices, 2, 0));
  }
}

// ---- pixels ----

Estimate ResizedRows(int64_t from, int64_t to, const Contract& contract) {
  using P = params::Resize;
  Case c;
  std::vector<double> rows;
  for (int64_t i = 0; i < from; ++i) rows.push_back(static_cast<double>(i));
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {1, 1, from, 1}, rows));
  c.Begin(OpKind::kResize).Arg(P::kX, x).Ints(P::kShape, {to, 1}).Int(P::kResizedDims, 2);
  c.String(P::kInterpolationMode, "NEAREST_NEIGHBOR").String(P::kSamplingMode, "DEFAULT");
  const Estimate estimate = c.Run(c.Finish(), contract);
  EXPECT_EQ(c.error, "");
  return estimate;
}

TEST(RuntimeValues, ResizeTakesTheRowAtTheCentre) {
  EXPECT_EQ(ResizedRows(2, 3, IeeeContract()).value, (std::vector<double>{0, 1, 1}));
  // From 4 rows to 3: the centres lie at 2/3, 2 and 10/3, the corners at 0, 4/3 and 8/3.
  const Estimate rows = ResizedRows(4, 3, ConformingContract(2));
  EXPECT_FALSE(Admits(rows, 2, 2));
  EXPECT_TRUE(Admits(rows, 2, 3));
  // A centre on a border may fall to either side.
  EXPECT_TRUE(Admits(rows, 1, 1) && Admits(rows, 1, 2));
  EXPECT_FALSE(Admits(rows, 1, 3));
  // From 2 rows to 3: the middle centre is on a border, so that row 0 is admitted too; its grid
  // point 2/3 would admit only row 1.
  const Estimate more = ResizedRows(2, 3, ConformingContract(2));
  EXPECT_TRUE(Admits(more, 1, 0) && Admits(more, 1, 1));
}

TEST(RuntimeValues, UpsampleTakesTheColumnAtTheCorner) {
  using P = params::Upsample;
  const auto columns = [](double factor) {
    Case c;
    const ValueId x = c.Input(MakeTensor(DType::kFp16, {1, 1, 1, 3}, {1.5, -2.5, 3.5}));
    c.Begin(OpKind::kUpsampleNearestNeighbor).Arg(P::kX, x);
    const Estimate estimate = c.Run(c.Float(P::kScaleFactorWidth, factor).Finish());
    EXPECT_EQ(c.error, "");
    return estimate;
  };
  EXPECT_EQ(columns(0.67).value, (std::vector<double>{1.5, -2.5}));
  EXPECT_FALSE(Admits(columns(0.67), 1, 3.5));
  EXPECT_EQ(columns(1.12).value, (std::vector<double>{1.5, -2.5, 3.5}));
}

// From 16 rows to 2: the centres lie on the borders before 4 and before 12, the points of MIL's
// grid at 0 and 8. Nothing between the two readings is admitted.
TEST(RuntimeValues, ResizeTakesTheCentreOrTheGridOfTheText) {
  const Estimate rows = ResizedRows(16, 2, ConformingContract(2));
  std::vector<double> admitted;
  for (int row = 0; row < 16; ++row) {
    if (Admits(rows, 1, row)) admitted.push_back(row);
  }
  EXPECT_EQ(admitted, (std::vector<double>{8, 12}));
  EXPECT_TRUE(Admits(rows, 0, 0) && Admits(rows, 0, 4));
  // A point halfway between two rows may fall to either: 3 / 2, from 3 rows to 2.
  const Estimate half = ResizedRows(3, 2, ConformingContract(2));
  EXPECT_TRUE(Admits(half, 1, 1) && Admits(half, 1, 2));
  EXPECT_FALSE(Admits(half, 1, 0));
}

// ---- several updates of one element ----

// 2048, 1 and 1 in fp16: 2048 + 1 is rounded to 2048, but with 1 + 1 first the sum is 2050.
TEST(RuntimeValues, UpdatesOfOneElementAreAddedInAnyOrder) {
  using P = params::Scatter;
  for (const double last : {2048.0, 1.0}) {
    Case c;
    const ValueId data = c.Input(MakeTensor(DType::kFp16, {1}, {0}));
    const ValueId rows = c.Input(MakeTensor(DType::kInt32, {3}, {0, 0, 0}));
    const ValueId updates =
        c.Input(MakeTensor(DType::kFp16, {3}, {last == 1 ? 2048.0 : 1.0, 1, last}));
    c.Begin(OpKind::kScatter).Arg(P::kData, data).Arg(P::kIndices, rows);
    c.Arg(P::kUpdates, updates).Int(P::kAxis, 0).String(P::kMode, "add");
    const Estimate sum = c.Run(c.Finish());
    ASSERT_EQ(c.error, "");
    EXPECT_EQ(sum.value[0], 2050);
    EXPECT_TRUE(Admits(sum, 0, 2048)) << last;
    EXPECT_TRUE(Admits(sum, 0, 2050)) << last;
    EXPECT_FALSE(Admits(sum, 0, 2060)) << last;
  }
}

// The result of `updates` to the one element `data`.
Estimate Scattered(const char* mode, DType dtype, double data, const std::vector<double>& updates) {
  using P = params::Scatter;
  Case c;
  const auto count = static_cast<int64_t>(updates.size());
  const ValueId x = c.Input(MakeTensor(dtype, {1}, {data}));
  const ValueId rows =
      c.Input(MakeTensor(DType::kInt32, {count}, std::vector<double>(updates.size())));
  const ValueId y = c.Input(MakeTensor(dtype, {count}, updates));
  c.Begin(OpKind::kScatter).Arg(P::kData, x).Arg(P::kIndices, rows);
  c.Arg(P::kUpdates, y).Int(P::kAxis, 0).String(P::kMode, mode);
  Estimate estimate = c.Run(c.Finish());
  EXPECT_EQ(c.error, "");
  return estimate;
}

double RoundHalf(double x) { return HalfToDouble(DoubleToHalf(x)); }

// Partial sums that are rounded upward may exceed the sum of the magnitudes, here into the next
// binade.
TEST(RuntimeValues, PartialSumsMayReachTheNextBinade) {
  const double small = RoundHalf(1.0098);
  std::vector<double> updates(4, small);
  updates.resize(14, 1.5);
  double sum = 2028;
  for (size_t k = updates.size(); k-- > 0;) sum = RoundHalf(sum + updates[k]);
  EXPECT_EQ(sum, 2056);
  EXPECT_TRUE(Admits(Scattered("add", DType::kFp16, 2028, updates), 0, sum));
}

TEST(RuntimeValues, EveryOrderOfRoundedSumsAndProductsIsInside) {
  ChoiceStream choices = ChoiceStream::FromSeed(11);
  const auto draw = [&](double low, double high) {
    return RoundHalf(low + (high - low) * static_cast<double>(choices.Below(4096)) / 4096);
  };
  for (int turn = 0; turn < 4000; ++turn) {
    const bool adds = turn % 2 == 0;
    const bool divides = turn % 4 == 3;
    const double data = adds ? draw(2000, 2048) : draw(1, 2);
    std::vector<double> updates(2 + choices.Below(15));
    for (double& update : updates) update = adds ? draw(0.5, 2) : draw(0.75, 1.5);
    const Estimate estimate = Scattered(adds      ? "add"
                                        : divides ? "div"
                                                  : "mul",
                                        DType::kFp16, data, updates);
    double result = data;
    std::vector<double> left = updates;
    while (!left.empty()) {
      const size_t at = choices.Below(left.size());
      const double y = left[at];
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(at));
      result = RoundHalf(adds ? result + y : divides ? result / y : result * y);
    }
    ASSERT_TRUE(Admits(estimate, 0, result))
        << turn << ": " << result << " of [" << estimate.low[0] << ", " << estimate.high[0] << "]";
    // The bound must not admit everything, for example half of the result.
    ASSERT_FALSE(Admits(estimate, 0, RoundHalf(result / 2))) << turn;
  }
}

TEST(RuntimeValues, APartialProductMayOverflowInOneOrder) {
  const Estimate product = Scattered("mul", DType::kFp16, 1, {0.25, 2, 60000});
  EXPECT_EQ(product.value[0], 30000);
  EXPECT_TRUE(Admits(product, 0, HUGE_VAL));
  EXPECT_TRUE(Admits(product, 0, 30000));
}

TEST(RuntimeValues, ScatteredProductsAreAsNarrowAsTheirRoundings) {
  const Estimate whole = Scattered("mul", DType::kFp16, 2, {3, 4});
  EXPECT_TRUE(Admits(whole, 0, 24));
  EXPECT_LE(whole.high[0] - whole.low[0], 4 * HalfUlp(24));
  for (const Estimate& zero :
       {Scattered("mul", DType::kFp16, 0, {2, 3}), Scattered("mul", DType::kFp16, 3, {0, 2}),
        Scattered("div", DType::kFp16, 0, {3, 4})}) {
    EXPECT_EQ(zero.low[0], 0);
    EXPECT_EQ(zero.high[0], 0);
  }
  EXPECT_FALSE(Admits(Scattered("mul", DType::kFp16, 0.001, {0.01, 0.01}), 0, 0.01));
}

TEST(RuntimeValues, ManySmallUpdatesKeepABound) {
  const Estimate sum = Scattered("add", DType::kFp16, 0, std::vector<double>(5000, 0.001));
  EXPECT_FALSE(Admits(sum, 0, -3) || Admits(sum, 0, 12));
  const Estimate counted = Scattered("add", DType::kFp16, 0, std::vector<double>(3000, 1));
  EXPECT_TRUE(Admits(counted, 0, 2048) && Admits(counted, 0, 3000));
  EXPECT_FALSE(Admits(counted, 0, -1) || Admits(counted, 0, 6010));
}

TEST(RuntimeValues, AnInfinityAddedLateMayMeetTheOther) {
  EXPECT_TRUE(Admits(Scattered("add", DType::kFp16, 60000, {-HUGE_VAL, 60000}), 0, NAN));
  EXPECT_FALSE(Admits(Scattered("add", DType::kFp16, 6, {-HUGE_VAL, 6}), 0, NAN));
}

TEST(RuntimeValues, ScatteredQuotientsOfIntegersMayBeEitherNeighbour) {
  const Estimate twice = Scattered("div", DType::kInt32, -7, {2, 3});
  EXPECT_EQ(twice.low[0], -2);
  EXPECT_EQ(twice.high[0], -1);
  const Estimate quotient = Scattered("div", DType::kInt32, -7, {2});
  EXPECT_TRUE(Admits(quotient, 0, -3) && Admits(quotient, 0, -4));
  EXPECT_FALSE(Admits(quotient, 0, -5) || Admits(quotient, 0, -2));
}

// ---- integers ----

TEST(RuntimeValues, IntegersHaveNoNegativeZero) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {1}, {-0.5}));
  const ValueId one = c.Input(MakeTensor(DType::kFp16, {1}, {1}));
  const auto cast = [&](ValueId from, const char* to) {
    return c.Begin(OpKind::kCast).Arg(0, from).String(params::Cast::kDtype, to).Finish();
  };
  const ValueId zero = cast(cast(x, "int32"), "fp16");
  const Estimate quotient = c.Run(c.Binary(OpKind::kRealDiv, one, zero), IeeeContract());
  ASSERT_EQ(c.error, "");
  EXPECT_EQ(quotient.value[0], HUGE_VAL);
  EXPECT_TRUE(Admits(quotient, 0, HUGE_VAL));
}

TEST(RuntimeValues, AnIntegerOutOfRangeWrapsOrSaturates) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kInt32, {2}, {300, -1}));
  const ValueId y = c.Begin(OpKind::kCast).Arg(0, x).String(params::Cast::kDtype, "uint8").Finish();
  const Estimate estimate = c.Run(y);
  ASSERT_EQ(c.error, "");
  EXPECT_TRUE(Admits(estimate, 0, 44) && Admits(estimate, 0, 255));
  EXPECT_FALSE(Admits(estimate, 0, 150));
  EXPECT_TRUE(Admits(estimate, 1, 255) && Admits(estimate, 1, 0));
  EXPECT_FALSE(Admits(estimate, 1, 7));
}

}  // namespace
}  // namespace anecheck
