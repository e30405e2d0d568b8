// Tests the documented defects outside the multiply-accumulate path, and the rules that were never
// measured: the values that each admits, and the operations and families for which it admits them.
// Every number of the documented list must be a departure or have a reason not to be one.
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <set>

#include "harness/base/half.h"
#include "harness/ops/params.h"
#include "oracles/defect_search.h"
#include "oracles/judge.h"
#include "oracles/testing/test_support.h"

namespace anecheck {
namespace {

using testing::Case;
using testing::MakeTensor;
constexpr int kA11 = 0;
constexpr int kA12 = 1;
constexpr int kA13 = 2;
constexpr int kA14 = 3;
constexpr int kA15 = 4;
constexpr int kA16 = 5;
constexpr int kA17 = 6;
constexpr int kA18 = 7;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Numbers = std::vector<double>;

// The judge's answer to `actual` as the result of the last node: the defects or the verdict.
std::string Named(Case& c, ValueId output, const Numbers& actual, int family = kA13) {
  const Estimate expected = c.Run(output, ConformingContract(family));
  EXPECT_EQ(c.error, "");
  const OutputJudgement judgement =
      Judge(c.graph, c.inputs, 0, expected,
            MakeTensor(expected.type.dtype, expected.type.shape, actual), family);
  if (judgement.verdict == Verdict::kKnownDefect) return judgement.defects.ToText();
  return std::string(ToText(judgement.verdict));
}

std::vector<std::string_view> Unmeasured(Case& c, ValueId output, const Numbers& actual,
                                         int family) {
  const Estimate expected = c.Run(output, ConformingContract(family));
  return UnmeasuredDepartures(c.graph, c.inputs, 0,
                              MakeTensor(expected.type.dtype, expected.type.shape, actual), family);
}

ValueId Vector(Case& c, const Numbers& x) {
  return c.Input(MakeTensor(DType::kFp16, {static_cast<int64_t>(x.size())}, x));
}

// The rows of the documented list whose kind is numeric (facts/known_defects.csv).
TEST(Catalogue, EveryNumericRowIsADepartureOrHasAReasonNotToBe) {
  const std::set<std::string_view> numeric = {
      "D01", "D02", "D03", "D04", "D05", "D06", "D07", "D08", "D09", "D10", "D11", "D12",
      "D13", "D14", "D15", "D21", "D22", "D23", "D24", "D25", "D27", "D33", "D34"};
  std::set<std::string_view> departures;
  for (const Departure& row : KnownDepartures()) departures.insert(row.id);
  std::set<std::string_view> all = departures;
  for (const UnnamedDefect& row : UnnamedDefects()) {
    EXPECT_FALSE(row.reason.empty()) << row.id;
    EXPECT_TRUE(all.insert(row.id).second)
        << row.id << " is a departure and has a reason not to be";
  }
  EXPECT_EQ(all, numeric);
}

TEST(Catalogue, NoFamilyBothHasADefectAndIsMeasuredNotTo) {
  for (const Departure& row : KnownDepartures()) {
    EXPECT_EQ(row.families & row.holds, 0u) << row.id << " " << row.op;
  }
  for (const Departure& row : OpenRules()) EXPECT_EQ(row.families, 0u) << row.id;
}

// ---- a matrix product times its gate ----

// r * sigmoid_hard(r) for r = [[1, 2]] times a 2 by 1 matrix of twos if `product`, else for r = [1,
// 2].
ValueId HardSwish(Case& c, bool product) {
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {1, 2}, {1, 2}));
  ValueId r = x;
  if (product) {
    r = c.Begin(OpKind::kMatmul)
            .Arg(params::Matmul::kX, x)
            .Arg(params::Matmul::kY, c.Input(MakeTensor(DType::kFp16, {2, 1}, {2, 2})))
            .Finish();
  }
  const ValueId gate = c.Begin(OpKind::kSigmoidHard)
                           .Arg(params::WithAlphaBeta::kX, r)
                           .Float(params::WithAlphaBeta::kAlpha, 0.125)
                           .Float(params::WithAlphaBeta::kBeta, 0)
                           .Finish();
  return c.Begin(OpKind::kMul).Arg(params::Binary::kX, gate).Arg(params::Binary::kY, r).Finish();
}

TEST(HardSwish, OfAMatrixProductErrsByFourPercent) {
  Case c;
  const ValueId y = HardSwish(c, true);  // 6 * 0.75
  EXPECT_EQ(Named(c, y, {4.5}, kA17), "pass");
  EXPECT_EQ(Named(c, y, {4.5 * 1.04}, kA17), "D34");
  EXPECT_EQ(Named(c, y, {4.5 * 0.96}, kA17), "D34");
  EXPECT_EQ(Named(c, y, {4.5 * 1.1}, kA17), "wrong");
  EXPECT_EQ(Named(c, y, {4.5 * 1.04}, kA13), "wrong");
}

// A product that may be 0 or 8, times its gate. The defect widens the result only a little.
TEST(HardSwish, OfAnUncertainProductIsNamedByTheDefectsSummand) {
  Case c;
  const double held = HalfToDouble(DoubleToHalf(0.333));
  const ValueId third = c.Input(MakeTensor(DType::kFp16, {1, 1}, {held}));
  const ValueId square = c.Binary(OpKind::kMul, third, third);
  const ValueId stored = c.Const(MakeTensor(DType::kFp16, {1, 1}, {held * held}));
  const ValueId equal = c.Binary(OpKind::kEqual, square, stored);
  const ValueId one =
      c.Begin(OpKind::kCast).Arg(0, equal).String(params::Cast::kDtype, "fp16").Finish();
  const ValueId r = c.Begin(OpKind::kMatmul)
                        .Arg(params::Matmul::kX, one)
                        .Arg(params::Matmul::kY, c.Input(MakeTensor(DType::kFp16, {1, 1}, {8})))
                        .Finish();
  const ValueId gate = c.Begin(OpKind::kSigmoidHard)
                           .Arg(params::WithAlphaBeta::kX, r)
                           .Float(params::WithAlphaBeta::kAlpha, 0.25)
                           .Float(params::WithAlphaBeta::kBeta, 0.25)
                           .Finish();
  const ValueId y = c.Binary(OpKind::kMul, r, gate);
  EXPECT_EQ(Named(c, y, {8}, kA17), "inconclusive");
  EXPECT_EQ(Named(c, y, {8.32}, kA17), "D34");
  EXPECT_EQ(Named(c, y, {8.8}, kA17), "wrong");
}

TEST(HardSwish, OfOtherOperandsDoesNotErr) {
  Case c;
  const ValueId y = HardSwish(c, false);  // 1 * 0.125, 2 * 0.25
  EXPECT_EQ(Named(c, y, {0.125, 0.5}, kA17), "pass");
  EXPECT_EQ(Named(c, y, {0.13, 0.52}, kA17), "wrong");
}

// ---- sums without products ----

ValueId Total(Case& c, const Numbers& x) {
  return c.Begin(OpKind::kReduceSum)
      .Arg(params::Reduce::kX, Vector(c, x))
      .Ints(params::Reduce::kAxes, {0})
      .Bool(params::Reduce::kKeepDims, true)
      .Finish();
}

TEST(ReductionTree, LosesTwelveOfSixteenOnes) {
  Numbers x;
  for (int i = 0; i < 16; ++i) x.insert(x.end(), {4096, -4096, 1});
  Case c;
  const ValueId sum = Total(c, x);
  EXPECT_EQ(Named(c, sum, {16}), "pass");
  EXPECT_EQ(Named(c, sum, {4}), "D04");
  EXPECT_EQ(Named(c, sum, {5}), "wrong");
  EXPECT_EQ(Named(c, sum, {4}, kA17), "wrong");
}

TEST(ReductionTree, HasTheFullRangeOfItsType) {
  Case c;
  EXPECT_EQ(Named(c, Total(c, {20000, 20000}), {kInfinity}), "wrong");
}

TEST(ReductionTree, ANarrowAccumulatorIsUnconfirmed) {
  Case c;
  c.Run(Total(c, {2048, 1, 1, 1, 1}));
  const auto terms = [&](double actual) {
    return ForbiddingTerms(c.graph, c.inputs, 0, MakeTensor(DType::kFp16, {1}, {actual}), kA13);
  };
  EXPECT_TRUE(terms(2052).empty());
  EXPECT_EQ(terms(2048), std::vector{Term::kReduceUnit});
  EXPECT_TRUE(terms(1024).empty());
}

// ---- departures of interval operands ----

// The sum is too large by 0.5, and its operands may be rounded or not. The lattice could have
// truncated that much from some numbers of their intervals.
TEST(Vagueness, ALargeDepartureOfIntervalOperandsIsVague) {
  Case c;
  Numbers x(256, 1.5);
  for (size_t i = 1; i < x.size(); i += 2) x[i] = -1.25;
  const auto n = static_cast<int64_t>(x.size());
  const ValueId left = c.Input(MakeTensor(DType::kFp16, {1, n}, x));
  const ValueId right = c.Input(MakeTensor(DType::kFp16, {1, n}, Numbers(x.size(), 0x1p-12)));
  const ValueId ones = c.Const(MakeTensor(DType::kFp16, {n, 1}, Numbers(x.size(), 1)));
  const ValueId sum = c.Binary(OpKind::kMatmul, c.Binary(OpKind::kAdd, left, right), ones);
  const Estimate expected = c.Run(sum);
  const OutputJudgement judgement =
      Judge(c.graph, c.inputs, 0, expected,
            MakeTensor(DType::kFp16, {1, 1}, {expected.value[0] + 0.5}), kA13);
  EXPECT_EQ(judgement.defects.ToText(), "D03");
  EXPECT_TRUE(judgement.vague);
}

// ---- quotients ----

ValueId Quotient(Case& c, OpKind kind, const Numbers& x, const Numbers& d, bool constant) {
  const Tensor divisor = MakeTensor(DType::kFp16, {static_cast<int64_t>(d.size())}, d);
  const ValueId left = Vector(c, x);
  return c.Binary(kind, left, constant ? c.Const(divisor) : c.Input(divisor));
}

TEST(FloorDiv, WholeQuotientsAreExact) {
  Case c;
  const ValueId quotient = Quotient(c, OpKind::kFloorDiv, {6, 1000, -6, 7}, {3, 10, 3, 3}, false);
  EXPECT_EQ(Named(c, quotient, {2, 100, -2, 2}), "pass");
  EXPECT_EQ(Named(c, quotient, {1, 100, -2, 2}), "wrong");
  EXPECT_EQ(Named(c, quotient, {2, 99, -2, 2}), "wrong");
  EXPECT_EQ(Named(c, quotient, {2, 100, -3, 2}), "wrong");
  EXPECT_EQ(Named(c, quotient, {1, 100, -2, 2}, kA11), "wrong") << "the divisor is no constant";
}

TEST(FloorDiv, MultipliesByTheReciprocalOfAConstantOnOldFamilies) {
  Case c;
  const ValueId quotient = Quotient(c, OpKind::kFloorDiv, {6, 9}, {3}, true);
  EXPECT_EQ(Named(c, quotient, {1, 2}, kA11), "D33");
  EXPECT_EQ(Named(c, quotient, {0, 2}, kA11), "wrong");
  EXPECT_EQ(Named(c, quotient, {1, 2}, kA13), "wrong");
  EXPECT_EQ(Unmeasured(c, quotient, {1, 2}, kA13), std::vector<std::string_view>{"D33"});
  EXPECT_TRUE(Unmeasured(c, quotient, {1, 2}, kA17).empty()) << "measured to hold";
}

TEST(RealDiv, LosesTheSignOfAZero) {
  Case c;
  const ValueId quotient = Quotient(c, OpKind::kRealDiv, {1, 1}, {-0.0, 0}, false);
  EXPECT_EQ(Named(c, quotient, {-kInfinity, kInfinity}), "pass");
  EXPECT_EQ(Named(c, quotient, {kInfinity, kInfinity}), "D08");
  EXPECT_EQ(Named(c, quotient, {-kInfinity, -kInfinity}), "wrong");
  EXPECT_EQ(Named(c, quotient, {kInfinity, kInfinity}, kA17), "wrong");
}

// ---- invalid operations ----

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The engine reads a NaN operand as +inf, which makes none of these operations invalid. A zero is
// therefore wrong.
TEST(InvalidOperations, ANanOperandIsNoInvalidOperation) {
  const auto named = [](OpKind kind, double other) {
    Case c;
    return Named(c, c.Unary(kind, Vector(c, {kNan, other})), {0, other});
  };
  EXPECT_EQ(named(OpKind::kRelu, 1), "wrong");
  EXPECT_EQ(named(OpKind::kSigmoid, kInfinity), "wrong");
  EXPECT_EQ(named(OpKind::kSqrt, 1), "wrong");
  Case sum;
  const ValueId x = Vector(sum, {1, kNan});
  EXPECT_EQ(Named(sum, sum.Binary(OpKind::kAdd, x, x), {2, 0}), "wrong");
  EXPECT_EQ(Named(sum, sum.Binary(OpKind::kAdd, x, x), {2, kInfinity}), "D06");
  Case moved;
  const ValueId matrix = moved.Input(MakeTensor(DType::kFp16, {2, 2}, {1, kNan, 2, kNan}));
  const ValueId turned = moved.Begin(OpKind::kTranspose)
                             .Arg(params::Transpose::kX, matrix)
                             .Ints(params::Transpose::kPerm, {1, 0})
                             .Finish();
  EXPECT_EQ(Named(moved, turned, {1, 2, 0, 0}), "wrong");
}

TEST(InvalidOperations, GiveZeroAlsoNextToANan) {
  Case c;
  const ValueId y = Vector(c, {kInfinity, kNan, 2});
  EXPECT_EQ(Named(c, c.Binary(OpKind::kSub, y, y), {0, kNan, 0}), "D07");
  EXPECT_EQ(Named(c, c.Unary(OpKind::kSqrt, Vector(c, {-1, kNan, 4})), {0, kNan, 2}), "D07");
  EXPECT_EQ(Named(c, c.Unary(OpKind::kSqrt, Vector(c, {-1, kNan, 4})), {0, 0, 2}), "wrong");
}

// ---- functions ----

TEST(Seams, ErrorsAreAdmittedOnlyBeyondTheFirstSeam) {
  Case c;
  const ValueId atan = c.Unary(OpKind::kAtan, Vector(c, {0, 0.25, 1}));
  const auto plus = [&](size_t i, double error) {
    Numbers y = {0, std::atan(0.25), std::atan(1)};
    y[i] = HalfToDouble(DoubleToHalf(y[i] + error));
    return y;
  };
  EXPECT_EQ(Named(c, atan, plus(2, 0.1)), "D14");
  EXPECT_EQ(Named(c, atan, plus(0, 0.1)), "wrong");
  EXPECT_EQ(Named(c, atan, plus(1, 0.1)), "wrong");
  EXPECT_EQ(Named(c, atan, plus(2, 0.2)), "wrong");
}

TEST(Softplus, DropsFromTheLogarithmOfThePort) {
  Case c;
  const ValueId y = c.Unary(OpKind::kSoftplus, Vector(c, {10.3984375, 10.390625}));
  EXPECT_EQ(Named(c, y, {0, 10.390625}), "D09");
  EXPECT_EQ(Named(c, y, {10.3984375, 0}), "wrong");
}

// Between the thresholds of the two sources an engine may give 0 or softplus, but no value between
// them.
TEST(Softplus, MayDropToZeroFromEitherSourcesThreshold) {
  Case c;
  const ValueId y = c.Unary(OpKind::kSoftplus, Vector(c, {10.703125, 12}));
  EXPECT_EQ(Named(c, y, {10.703125, 0}, kA17), "D09");
  EXPECT_EQ(Named(c, y, {0, 0}, kA17), "D09");
  EXPECT_EQ(Named(c, y, {5, 0}, kA17), "wrong") << "between 0 and softplus";
  EXPECT_EQ(Named(c, y, {0, 5}, kA17), "wrong");
  const ValueId eleven = c.Unary(OpKind::kSoftplus, Vector(c, {11, 11.0625}));
  EXPECT_EQ(Named(c, eleven, {11, 0}, kA16), "D09");
  EXPECT_EQ(Named(c, eleven, {0, 0}, kA17), "D09");
  EXPECT_EQ(Named(c, eleven, {5, 0}, kA17), "wrong");
  const ValueId sum = c.Begin(OpKind::kReduceSum)
                          .Arg(params::Reduce::kX, y)
                          .Ints(params::Reduce::kAxes, {0})
                          .Bool(params::Reduce::kKeepDims, true)
                          .Finish();
  EXPECT_EQ(Named(c, sum, {10.703125}, kA17), "D09");
  EXPECT_EQ(Named(c, sum, {0}, kA17), "D09");
  EXPECT_EQ(Named(c, sum, {12}, kA17), "wrong");
}

// ---- native layers ----

// Two heads of one row over two keys, each masked to another key; the values are 1, 5 and 3, 7.
TEST(NativeAttention, MayApplyOnePlaneOfTheMaskToAllHeads) {
  using P = params::NativeSdpa;
  Case c;
  const ValueId query = c.Input(MakeTensor(DType::kFp16, {1, 1, 2, 1}, {0, 0}));
  const ValueId key = c.Input(MakeTensor(DType::kFp16, {1, 2, 2, 1}, {0, 0, 0, 0}));
  const ValueId value = c.Input(MakeTensor(DType::kFp16, {1, 2, 2, 1}, {1, 5, 3, 7}));
  const ValueId mask = c.Input(MakeTensor(DType::kFp16, {1, 1, 2, 2}, {0, -60000, -60000, 0}));
  c.Begin(OpKind::kNativeSdpa).Arg(P::kQuery, query).Arg(P::kKey, key).Arg(P::kValue, value);
  c.Arg(P::kScale, c.Const(MakeTensor(DType::kFp16, {1}, {1}))).Arg(P::kMask, mask);
  const ValueId y = c.Bool(P::kSubtractMax, true).Finish();
  ASSERT_EQ(c.error, "");
  EXPECT_EQ(Named(c, y, {1, 7}, kA17), "pass");
  EXPECT_EQ(Named(c, y, {1, 5}, kA17), "D24") << "the first plane";
  EXPECT_EQ(Named(c, y, {3, 7}, kA17), "D24") << "the second plane";
  EXPECT_EQ(Named(c, y, {2, 7}, kA17), "wrong") << "neither plane";
  EXPECT_EQ(Named(c, y, {1, 5}, kA13), "wrong");
}

// One row over two keys whose values are 1 and 3, with the scores `scores`.
ValueId OneRow(Case& c, const Numbers& scores, bool subtracts) {
  using P = params::NativeSdpa;
  const ValueId query = c.Input(MakeTensor(DType::kFp16, {1, 1, 1, 1}, {1}));
  const ValueId key = c.Input(MakeTensor(DType::kFp16, {1, 2, 1, 1}, scores));
  const ValueId value = c.Input(MakeTensor(DType::kFp16, {1, 2, 1, 1}, {1, 3}));
  c.Begin(OpKind::kNativeSdpa).Arg(P::kQuery, query).Arg(P::kKey, key).Arg(P::kValue, value);
  c.Arg(P::kScale, c.Const(MakeTensor(DType::kFp16, {1}, {1})));
  return c.Bool(P::kSubtractMax, subtracts).Finish();
}

// One row of ones over two keys whose values are ones and threes; the second score is 16.
ValueId FirstScore(Case& c, const Numbers& addends) {
  using P = params::NativeSdpa;
  Numbers keys = addends;
  keys.insert(keys.end(), {0, 0, 16});
  const ValueId query = c.Input(MakeTensor(DType::kFp16, {1, 1, 1, 3}, {1, 1, 1}));
  const ValueId key = c.Input(MakeTensor(DType::kFp16, {1, 2, 1, 3}, keys));
  const ValueId value = c.Input(MakeTensor(DType::kFp16, {1, 2, 1, 3}, {1, 1, 1, 3, 3, 3}));
  c.Begin(OpKind::kNativeSdpa).Arg(P::kQuery, query).Arg(P::kKey, key).Arg(P::kValue, value);
  c.Arg(P::kScale, c.Const(MakeTensor(DType::kFp16, {1}, {1})));
  return c.Bool(P::kSubtractMax, true).Finish();
}

// The order in which a score is summed is unknown. A score whose partial sums reach the port's
// limit on both sides may be either infinity. If it is negative, only the other key counts.
TEST(NativeAttention, AScoreMayOverflowEitherWay) {
  Case either;
  const ValueId y = FirstScore(either, {-40000, 40000, 40000});
  EXPECT_EQ(Named(either, y, {1, 1, 1}, kA14), "pass");
  EXPECT_EQ(Named(either, y, {3, 3, 3}, kA14), "D01");
  EXPECT_EQ(Named(either, y, {NAN, NAN, NAN}, kA14), "D01") << "no maximum to subtract";
  Case upward;
  const ValueId z = FirstScore(upward, {-4, 40000, 0});
  EXPECT_EQ(Named(upward, z, {NAN, NAN, NAN}, kA14), "D01");
  EXPECT_EQ(Named(upward, z, {3, 3, 3}, kA14), "wrong");
}

TEST(NativeAttention, OverflowsIfTheMaximumIsNotSubtracted) {
  Case c;
  const ValueId y = OneRow(c, {16, 16}, false);
  EXPECT_EQ(Named(c, y, {2}), "pass");
  // Infinity divided by infinity, and its value under D07.
  EXPECT_EQ(Named(c, y, {NAN}), "D21");
  EXPECT_EQ(Named(c, y, {NAN}, kA17), "D21");
  EXPECT_EQ(Named(c, y, {0}), "D07,D21");
  EXPECT_EQ(Named(c, y, {0}, kA17), "wrong");
  EXPECT_EQ(Named(c, y, {1.5}), "wrong") << "no value of the departure";
  EXPECT_EQ(Named(c, y, {kInfinity}), "wrong");
}

// exp(-17.5) is below half of the least subnormal and exp(-17) above: only one weight is left. For
// smaller scores both weights are 0, and the mean is 0 / 0.
TEST(NativeAttention, UnderflowsIfTheMaximumIsNotSubtracted) {
  Case c;
  const ValueId y = OneRow(c, {-17, -17.5}, false);  // the softmax's mean is 1.755
  EXPECT_EQ(Named(c, y, {1.7548828125}, kA17), "pass");
  EXPECT_EQ(Named(c, y, {1}, kA17), "D21");
  EXPECT_EQ(Named(c, y, {3}, kA17), "wrong");
  Case none;
  const ValueId nan = OneRow(none, {-20, -20}, false);
  EXPECT_EQ(Named(none, nan, {NAN}, kA17), "D21");
  EXPECT_EQ(Named(none, nan, {1}, kA17), "wrong");
}

TEST(NativeAttention, ThatSubtractsTheMaximumDoesNotOverflow) {
  Case c;
  EXPECT_EQ(Named(c, OneRow(c, {16, 16}, true), {NAN}), "wrong");
  Case small;
  EXPECT_EQ(Named(small, OneRow(small, {1, 1}, false), {2}), "pass");
  EXPECT_EQ(Named(small, OneRow(small, {1, 1}, false), {NAN}), "wrong") << "nothing overflows";
}

TEST(ScaledProduct, ForgetsItsScale) {
  using P = params::NativeScaledElementWise;
  const auto named = [](std::string_view type, const Numbers& given, int family) {
    Case c;
    c.Begin(OpKind::kNativeScaledElementWise).Arg(P::kX, Vector(c, {1, 2}));
    c.Arg(P::kY, Vector(c, {3, 4})).String(P::kType, type);
    return Named(c, c.Float(P::kScale, 2).Finish(), given, family);
  };
  EXPECT_EQ(named("Mult", {6, 16}, kA17), "pass");
  EXPECT_EQ(named("Mult", {3, 8}, kA17), "D25");
  EXPECT_EQ(named("Mult", {3, 9}, kA17), "wrong");
  EXPECT_EQ(named("Mult", {3, 8}, kA13), "wrong");
  EXPECT_EQ(named("Add", {4, 6}, kA17), "wrong") << "a sum keeps it";
}

TEST(Ties, AreTakenAwayFromZeroOnA14Too) {
  Case c;
  const ValueId sum = c.Binary(OpKind::kAdd, Vector(c, {2048}), Vector(c, {1}));
  EXPECT_EQ(Named(c, sum, {2050}, kA14), "D15");
  EXPECT_EQ(Named(c, sum, {2050}, kA13), "wrong");
  EXPECT_TRUE(Unmeasured(c, sum, {2050}, kA13).empty()) << "measured to hold";
  EXPECT_EQ(Unmeasured(c, sum, {2050}, kA15), std::vector<std::string_view>{"D15"});
  EXPECT_EQ(Named(c, sum, {2050}, kA16), "pass") << "law of that family";
  EXPECT_EQ(Named(c, sum, {2048}, kA16), "wrong");
}

// ---- gather ----

TEST(Gather, GivesAnyElementOfTheLastAxis) {
  using P = params::Gather;
  const auto gather = [](Case& c, int64_t axis, DType dtype = DType::kFp16) {
    const ValueId x = c.Input(MakeTensor(dtype, {2, 3}, {100, 200, 300, 400, 500, 600}));
    const ValueId indices = c.Const(MakeTensor(DType::kInt32, {2}, {0, 1}));
    return c.Begin(OpKind::kGather)
        .Arg(P::kX, x)
        .Arg(P::kIndices, indices)
        .Int(P::kAxis, axis)
        .Finish();
  };
  Case last;
  const ValueId y = gather(last, 1);
  EXPECT_EQ(Named(last, y, {100, 200, 400, 500}), "pass");
  EXPECT_EQ(Named(last, y, {300, 100, 600, 600}, kA14), "D27");
  EXPECT_EQ(Named(last, y, {400, 200, 400, 500}), "wrong") << "an element of another line";
  EXPECT_EQ(Named(last, y, {150, 200, 400, 500}), "wrong");
  EXPECT_EQ(Named(last, y, {300, 100, 600, 600}, kA16), "wrong");
  Case integers;
  const ValueId z = gather(integers, 1, DType::kUint16);
  EXPECT_EQ(Named(integers, z, {300, 100, 600, 600}, kA14), "D27") << "elements of any type";
  EXPECT_EQ(Named(integers, z, {400, 200, 400, 500}, kA14), "wrong");
  Case first;
  EXPECT_EQ(Named(first, gather(first, 0), {400, 500, 600, 400, 500, 600}), "wrong");
}

// A line of eight small integers: one wrong element is weak evidence, all of them are enough,
// unless the line contains every integer between its ends.
TEST(Gather, ManyWrongSmallIntegersAreEvidence) {
  using P = params::Gather;
  const auto judged = [](const Numbers& line, const Numbers& given) {
    Case c;
    const ValueId x = c.Input(MakeTensor(DType::kFp16, {8}, line));
    const ValueId indices = c.Const(MakeTensor(DType::kInt32, {8}, {0, 1, 2, 3, 4, 5, 6, 7}));
    c.Begin(OpKind::kGather).Arg(P::kX, x).Arg(P::kIndices, indices);
    const Estimate expected = c.Run(c.Int(P::kAxis, 0).Finish());
    return Judge(c.graph, c.inputs, 0, expected, MakeTensor(DType::kFp16, {8}, given), kA13);
  };
  const Numbers sparse = {-14, 3, -9, 12, 0, 7, -4, 15};
  const OutputJudgement one = judged(sparse, {3, 3, -9, 12, 0, 7, -4, 15});
  EXPECT_EQ(one.defects.ToText(), "D27");
  EXPECT_TRUE(one.vague);
  const OutputJudgement all = judged(sparse, {3, -9, 12, 0, 7, -4, 15, 15});
  EXPECT_EQ(all.defects.ToText(), "D27");
  EXPECT_FALSE(all.vague);
  const OutputJudgement dense = judged({0, 1, 2, 3, 4, 5, 6, 7}, {1, 2, 3, 4, 5, 6, 7, 7});
  EXPECT_EQ(dense.defects.ToText(), "D27");
  EXPECT_TRUE(dense.vague);
}

// ---- rules that were never measured ----

TEST(OpenRules, AreNamedIfOnlyTheyForbidAValue) {
  Case cast;
  const ValueId x = Vector(cast, {300, -1.5});
  const ValueId bytes = cast.Begin(OpKind::kCast)
                            .Arg(params::Cast::kX, x)
                            .String(params::Cast::kDtype, "int8")
                            .Finish();
  EXPECT_EQ(Unmeasured(cast, bytes, {44, -1}, kA13),
            std::vector<std::string_view>{"cast_saturation"});
  EXPECT_TRUE(Unmeasured(cast, bytes, {43, -1}, kA13).empty());
  EXPECT_TRUE(Unmeasured(cast, bytes, {127, -1}, kA13).empty()) << "nothing lies outside";
  Case tanh;
  const ValueId y = tanh.Unary(OpKind::kTanh, Vector(tanh, {0}));
  EXPECT_EQ(Unmeasured(tanh, y, {0.001}, kA13), std::vector<std::string_view>{"earlier_tables"});
  EXPECT_TRUE(Unmeasured(tanh, y, {0.01}, kA13).empty());
}

// The table gives 5.49609375 for rsqrt(0.033203125), which the source prints as "5.5".
TEST(OpenRules, AdmitValuesOfTablesThatPrintAlike) {
  Case c;
  const ValueId y = c.Unary(OpKind::kRsqrt, Vector(c, {0.033203125}));
  EXPECT_EQ(Unmeasured(c, y, {5.5}, kA18), std::vector<std::string_view>{"printed_digits"});
  EXPECT_TRUE(Unmeasured(c, y, {5.5078125}, kA18).empty()) << "printed as 5.51";
  Case sigmoid;
  const ValueId one = sigmoid.Unary(OpKind::kSigmoid, Vector(sigmoid, {11}));
  EXPECT_TRUE(Unmeasured(sigmoid, one, {1.0009765625}, kA18).empty())
      << "beyond the range of sigmoid";
}

TEST(NeverMeasured, NamesATermOrElseADeparture) {
  const auto reason = [](OpKind op, double value, double given, int family) {
    Case c;
    c.Run(c.Unary(op, Vector(c, {value})));
    return NeverMeasured(c.graph, c.inputs, 0, MakeTensor(DType::kFp16, {1}, {given}), family);
  };
  EXPECT_EQ(reason(OpKind::kSigmoid, 0, 0.506, kA12), "sigmoid_table");
  EXPECT_EQ(reason(OpKind::kSigmoid, 0, 0.502, kA16), "earlier_tables");
  EXPECT_EQ(reason(OpKind::kGelu, 0, -0.000543, kA16), "D12");
  EXPECT_EQ(reason(OpKind::kRelu, NAN, kInfinity, kA17), "D06");
  EXPECT_EQ(reason(OpKind::kRelu, 1, 1.5, kA16), "");
}

// gelu(0) and silu(0), in this order, after an operation that neither defect changes.
TEST(FirstToDepart, IsTheOperationWithTheDefectAndNotALaterOne) {
  Case c;
  const ValueId x = c.Unary(OpKind::kAbs, Vector(c, {0, 1, kInfinity}));
  const ValueId gelu = c.Unary(OpKind::kGelu, x);
  c.graph.AddOutput(c.Unary(OpKind::kAbs, c.Binary(OpKind::kSub, gelu, gelu)));
  c.graph.AddOutput(c.Unary(OpKind::kSilu, x));
  ASSERT_EQ(c.error, "");
  const auto first = [&](std::string_view ids, int family) {
    return FirstToDepart(c.graph, c.inputs, family, DefectSet::FromText(ids));
  };
  EXPECT_EQ(first("D12", kA13), 1u);
  EXPECT_EQ(first("D13", kA13), 4u);
  EXPECT_EQ(first("D12,D13", kA13), 1u);
  EXPECT_EQ(first("D11", kA13), kNoNode) << "no logarithm";
  EXPECT_EQ(first("D12", kA16), kNoNode) << "not documented there";
}

}  // namespace
}  // namespace anecheck
