// Discrete results are judged as sets: the results that the operands' intervals admit, and no value
// between them.
#include "oracles/reference/discrete.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <set>

#include "harness/ops/params.h"
#include "oracles/judge.h"
#include "oracles/judge_pairs.h"
#include "oracles/testing/test_support.h"

namespace anecheck {
namespace {

using reference::FindPlaces;
using reference::Lanes;
using reference::Places;
using testing::Case;
using testing::MakeTensor;

// 1 + 2^-11, halfway between 1 and its successor: an engine may keep it or round it to 1.
ValueId AboutOne(Case& c) {
  const ValueId one = c.Input(MakeTensor(DType::kFp16, {1}, {1}));
  const ValueId little = c.Input(MakeTensor(DType::kFp16, {1}, {0x1p-11}));
  return c.Binary(OpKind::kAdd, one, little);
}

Estimate Compare(OpKind kind, double with) {
  Case c;
  const ValueId x = AboutOne(c);
  const ValueId y = c.Input(MakeTensor(DType::kFp16, {1}, {with}));
  return c.Run(c.Binary(kind, x, y));
}

// rsqrt of a value that may be either of two numbers.
Estimate RootOfEither(double a, double b) {
  Case c;
  const ValueId one = c.Input(MakeTensor(DType::kFp16, {1}, {1}));
  const ValueId open = c.Binary(OpKind::kEqual, AboutOne(c), one);
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {1}, {a}));
  const ValueId y = c.Input(MakeTensor(DType::kFp16, {1}, {b}));
  using P = params::Select;
  const ValueId either =
      c.Begin(OpKind::kSelect).Arg(P::kCond, open).Arg(P::kA, x).Arg(P::kB, y).Finish();
  const Estimate estimate = c.Run(
      c.Begin(OpKind::kRsqrt).Arg(0, either).Float(params::WithEpsilon::kEpsilon, 0).Finish());
  EXPECT_EQ(c.error, "");
  return estimate;
}

// The sign of a zero decides which infinity its root gives.
TEST(Select, KeepsTheSignOfAnAdmittedZero) {
  EXPECT_TRUE(Admits(RootOfEither(4, -0.0), 0, -HUGE_VAL));
  EXPECT_TRUE(Admits(RootOfEither(-0.0, 4), 0, -HUGE_VAL));
  EXPECT_FALSE(Admits(RootOfEither(4, 0.0), 0, -HUGE_VAL));
  EXPECT_TRUE(Admits(RootOfEither(4, 0.0), 0, HUGE_VAL));
  EXPECT_TRUE(Admits(RootOfEither(0.0, -0.0), 0, -HUGE_VAL));
  EXPECT_TRUE(Admits(RootOfEither(-0.0, 0.0), 0, HUGE_VAL));
}

TEST(Comparison, UncertainOperandsAdmitBothAnswers) {
  for (const OpKind kind :
       {OpKind::kEqual, OpKind::kNotEqual, OpKind::kGreater, OpKind::kLessEqual}) {
    const Estimate estimate = Compare(kind, 1);
    EXPECT_TRUE(Admits(estimate, 0, 0)) << GetOp(kind).schema.name;
    EXPECT_TRUE(Admits(estimate, 0, 1)) << GetOp(kind).schema.name;
    EXPECT_FALSE(IsInformative(estimate, 0, 1));
  }
}

TEST(Comparison, CertainAnswersAreTheOnlyOnes) {
  const Estimate below = Compare(OpKind::kLess, 2);
  EXPECT_TRUE(Admits(below, 0, 1));
  EXPECT_FALSE(Admits(below, 0, 0));
  EXPECT_TRUE(IsInformative(below, 0, 1));
  EXPECT_FALSE(Admits(Compare(OpKind::kLess, 1), 0, 1));
  EXPECT_FALSE(Admits(Compare(OpKind::kGreaterEqual, 1), 0, 0));
  EXPECT_FALSE(Admits(Compare(OpKind::kEqual, 3), 0, 1));
}

TEST(Comparison, NanEqualsNothing) {
  Case c;
  const ValueId nan = c.Input(MakeTensor(DType::kFp16, {1}, {NAN}));
  for (const OpKind kind : {OpKind::kEqual, OpKind::kGreater, OpKind::kGreaterEqual, OpKind::kLess,
                            OpKind::kLessEqual}) {
    EXPECT_EQ(c.Run(c.Binary(kind, nan, nan)).value[0], 0) << GetOp(kind).schema.name;
  }
  EXPECT_EQ(c.Run(c.Binary(OpKind::kNotEqual, nan, nan)).value[0], 1);
}

TEST(Logic, AdmitsResultsOfAllAdmittedOperands) {
  Case c;
  const ValueId open =
      c.Binary(OpKind::kEqual, AboutOne(c), c.Input(MakeTensor(DType::kFp16, {1}, {1})));
  const ValueId no = c.Input(MakeTensor(DType::kBool, {1}, {0}));
  const ValueId yes = c.Input(MakeTensor(DType::kBool, {1}, {1}));
  const Estimate never = c.Run(c.Binary(OpKind::kLogicalAnd, open, no));
  EXPECT_FALSE(Admits(never, 0, 1));
  const Estimate always = c.Run(c.Binary(OpKind::kLogicalOr, open, yes));
  EXPECT_FALSE(Admits(always, 0, 0));
  const Estimate either = c.Run(c.Binary(OpKind::kLogicalXor, open, yes));
  EXPECT_TRUE(Admits(either, 0, 0) && Admits(either, 0, 1));
  const Estimate negated = c.Run(c.Unary(OpKind::kLogicalNot, open));
  EXPECT_TRUE(Admits(negated, 0, 0) && Admits(negated, 0, 1));
}

// The result of an uncertain choice between 2 and 40 is one of the two, also after a cast and a
// move.
TEST(Select, AdmitsEitherOperandAndNothingBetween) {
  Case c;
  const ValueId cond =
      c.Binary(OpKind::kEqual, AboutOne(c), c.Input(MakeTensor(DType::kFp16, {1}, {1})));
  const ValueId a = c.Const(MakeTensor(DType::kInt32, {1}, {2}));
  const ValueId b = c.Const(MakeTensor(DType::kInt32, {1}, {40}));
  using P = params::Select;
  const ValueId chosen =
      c.Begin(OpKind::kSelect).Arg(P::kCond, cond).Arg(P::kA, a).Arg(P::kB, b).Finish();
  const ValueId cast =
      c.Begin(OpKind::kCast).Arg(0, chosen).String(params::Cast::kDtype, "fp16").Finish();
  const ValueId moved = c.Begin(OpKind::kConcat)
                            .Arg(params::Concat::kValues, cast)
                            .Int(params::Concat::kAxis, 0)
                            .Finish();
  for (const ValueId id : {chosen, cast, moved}) {
    const Estimate estimate = c.Run(id);
    ASSERT_EQ(estimate.value.size(), 1u) << c.error;
    EXPECT_TRUE(Admits(estimate, 0, 2));
    EXPECT_TRUE(Admits(estimate, 0, 40));
    EXPECT_FALSE(Admits(estimate, 0, 3));
    EXPECT_EQ(CountAdmitted(estimate, 0), 2u);
  }
}

// Either of two numbers may be the larger: 1 + 2^-11, kept or rounded to 1, and 1. Both values and
// both positions are admitted, but a value only with a position that can have it.
TEST(Pairs, PositionsAreJudgedTogetherWithTheirValues) {
  using P = params::Topk;
  Case c;
  const ValueId left = c.Input(MakeTensor(DType::kFp16, {3}, {1, 1, 64}));
  const ValueId right = c.Input(MakeTensor(DType::kFp16, {3}, {0x1p-11, 0, 0x1p-5}));
  const ValueId x = c.Binary(OpKind::kAdd, left, right);
  const ValueId values = c.Begin(OpKind::kTopk).Arg(P::kX, x).Int(P::kK, 2).Finish();
  ASSERT_NE(values, kNoValue) << c.error;
  c.graph.ClearOutputs();
  c.graph.AddOutput(values);
  c.graph.AddOutput(values + 1);
  Evaluation evaluation;
  ASSERT_TRUE(evaluation.Run(c.graph, c.inputs, ConformingContract(2)).ok());
  const auto unpaired = [&](std::initializer_list<double> given,
                            std::initializer_list<double> positions) {
    const std::vector<Tensor> actual = {MakeTensor(DType::kFp16, {2}, given),
                                        MakeTensor(DType::kInt32, {2}, positions)};
    return FindUnpaired(c.graph, actual, ConformingContract(2), evaluation);
  };
  EXPECT_FALSE(unpaired({64, 1}, {2, 0}));
  EXPECT_FALSE(unpaired({64, 1}, {2, 1}));
  const auto found = unpaired({64, 1}, {1, 2});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->output, 1u);
  EXPECT_EQ(found->element, 0);
  EXPECT_EQ(found->reason, "position 1 was given beside 64, and the value there lies in [1, 1]");
}

TEST(Judge, ANumberInsideThatIsNoMemberIsWrong) {
  Case c;
  const ValueId cond =
      c.Binary(OpKind::kEqual, AboutOne(c), c.Input(MakeTensor(DType::kFp16, {1}, {1})));
  const ValueId a = c.Const(MakeTensor(DType::kFp16, {1}, {2}));
  const ValueId b = c.Const(MakeTensor(DType::kFp16, {1}, {40}));
  using P = params::Select;
  const ValueId chosen =
      c.Begin(OpKind::kSelect).Arg(P::kCond, cond).Arg(P::kA, a).Arg(P::kB, b).Finish();
  const Estimate expected = c.Run(chosen);
  const auto verdict = [&](double actual) {
    return Judge(c.graph, c.inputs, 0, expected, MakeTensor(DType::kFp16, {1}, {actual}), 2);
  };
  EXPECT_NE(verdict(40).verdict, Verdict::kWrong);
  EXPECT_EQ(verdict(39).verdict, Verdict::kWrong);
  EXPECT_EQ(verdict(39).worst_ulp, 1u);
}

// A sum may be kept unrounded or stored in fp16, so that its floor is one of two whole numbers.
TEST(Steps, AdmitWholeNumbersOnly) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {2}, {2047, 1023.5}));
  const ValueId y = c.Input(MakeTensor(DType::kFp16, {2}, {1.75, 0.375}));
  const Estimate estimate = c.Run(c.Unary(OpKind::kFloor, c.Binary(OpKind::kAdd, x, y)));
  // 2048.75 unrounded; 2048 stored (the grid has steps of 2 there).
  EXPECT_TRUE(Admits(estimate, 0, 2048));
  EXPECT_FALSE(Admits(estimate, 0, 2048.5));
  // 1023.875 unrounded, 1024 stored.
  EXPECT_TRUE(Admits(estimate, 1, 1023));
  EXPECT_TRUE(Admits(estimate, 1, 1024));
  EXPECT_FALSE(Admits(estimate, 1, 1023.5));
  EXPECT_EQ(CountAdmitted(estimate, 1), 2u);
}

Estimate ArgmaxOf(std::initializer_list<double> values, const Contract& contract) {
  Case c;
  const auto count = static_cast<int64_t>(values.size());
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {count}, values));
  return c.Run(c.Unary(OpKind::kReduceArgmax, x), contract);
}

TEST(Argmax, AdmitsAnyOfEqualElementsAndNoOther) {
  const Estimate estimate = ArgmaxOf({9, 1, 2, 9, 3}, ConformingContract(2));
  EXPECT_EQ(estimate.value[0], 0);
  EXPECT_TRUE(Admits(estimate, 0, 0));
  EXPECT_TRUE(Admits(estimate, 0, 3));
  EXPECT_FALSE(Admits(estimate, 0, 1));
  const Estimate ideal = ArgmaxOf({9, 1, 2, 9, 3}, IeeeContract());
  EXPECT_FALSE(Admits(ideal, 0, 3));
}

// Positions above 2048 that are not fp16 numbers may come back rounded to fp16.
TEST(Argmax, PositionsMayPassThroughHalf) {
  Case c;
  std::vector<double> values(2100, 0);
  values[2051] = 1;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {2100}, values));
  const Estimate estimate = c.Run(c.Unary(OpKind::kReduceArgmax, x));
  EXPECT_EQ(estimate.value[0], 2051);
  EXPECT_TRUE(Admits(estimate, 0, 2051));
  EXPECT_TRUE(Admits(estimate, 0, 2052));
  EXPECT_FALSE(Admits(estimate, 0, 2050));
}

TEST(FloorDiv, AdmitsTheFloorOfTheRoundedQuotient) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {2}, {2046, 7}));
  const ValueId y = c.Input(MakeTensor(DType::kFp16, {2}, {0.99951171875, 2}));
  const Estimate estimate = c.Run(c.Binary(OpKind::kFloorDiv, x, y));
  EXPECT_EQ(estimate.value[0], 2046);      // of 2046.9995
  EXPECT_TRUE(Admits(estimate, 0, 2047));  // the quotient rounded
  EXPECT_FALSE(Admits(estimate, 0, 2046.5));
  EXPECT_FALSE(Admits(estimate, 0, 2045));
  EXPECT_EQ(estimate.value[1], 3);
  EXPECT_FALSE(Admits(estimate, 1, 4));
  EXPECT_FALSE(Admits(estimate, 1, 3.5));
}

// Every place that an element has under some assignment of values within the intervals is admitted.
// The test tries the ends of the intervals.
RC_GTEST_PROP(Places, ContainThePlacesOfEveryAssignment, ()) {
  const auto count = *rc::gen::inRange<size_t>(1, 7);
  std::vector<double> low(count), high(count);
  for (size_t k = 0; k < count; ++k) {
    low[k] = *rc::gen::inRange(0, 6);
    high[k] = low[k] + *rc::gen::inRange(0, 3);
  }
  const Lanes lanes{low.data(), low.data(), high.data()};
  const bool descending = *rc::gen::arbitrary<bool>();
  std::vector<Places> places(count);
  FindPlaces(ConformingContract(2), lanes, count, descending, places);
  std::vector<std::set<uint32_t>> seen(count);
  for (uint32_t ends = 0; ends < 1u << count; ++ends) {
    const auto at = [&](size_t k) { return (ends >> k & 1) != 0 ? high[k] : low[k]; };
    for (size_t k = 0; k < count; ++k) {
      uint32_t before = 0;
      uint32_t equal = 0;
      for (size_t j = 0; j < count; ++j) {
        if (j == k) continue;
        before += descending ? at(j) > at(k) : at(j) < at(k);
        equal += at(j) == at(k) ? 1 : 0;
      }
      seen[k].insert(before);
      seen[k].insert(before + equal);
    }
  }
  for (size_t k = 0; k < count; ++k) {
    RC_ASSERT(*seen[k].begin() == places[k].least);
    RC_ASSERT(*seen[k].rbegin() == places[k].most);
  }
}

TEST(Places, OfPointsUnderTheIeeeContractAreThePositions) {
  const double values[] = {3, 1, 3, 2};
  const Lanes lanes{values, values, values};
  Places places[4];
  FindPlaces(IeeeContract(), lanes, 4, true, places);
  const uint32_t expected[] = {0, 3, 1, 2};
  for (size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(places[k].least, expected[k]);
    EXPECT_EQ(places[k].most, expected[k]);
  }
}

TEST(FirstExtreme, IsTheFirstOfEqualOnesAndTheFirstNan) {
  const double values[] = {1, 5, 5, -2, -2};
  EXPECT_EQ(reference::FirstExtreme(values, 5, true), 1u);
  EXPECT_EQ(reference::FirstExtreme(values, 5, false), 3u);
  const double with_nan[] = {1, 5, NAN, 7, NAN};
  EXPECT_EQ(reference::FirstExtreme(with_nan, 5, true), 2u);
}

// ---- overflow ----

// 300 * 300 - 300 * 300: a partial sum may overflow. Nothing between 0 and an infinity is admitted,
// also after a move.
TEST(Overflow, IsAnInfinityOrNoneAlsoAfterAMove) {
  Case c;
  const ValueId row = c.Input(MakeTensor(DType::kFp16, {1, 2}, {300, 300}));
  const ValueId column = c.Input(MakeTensor(DType::kFp16, {2, 1}, {300, -300}));
  const ValueId sum = c.Binary(OpKind::kMatmul, row, column);
  const ValueId reshaped = c.Begin(OpKind::kReshape)
                               .Arg(params::Reshape::kX, sum)
                               .Ints(params::Reshape::kShape, {1})
                               .Finish();
  const ValueId turned = c.Begin(OpKind::kTranspose)
                             .Arg(params::Transpose::kX, sum)
                             .Ints(params::Transpose::kPerm, {1, 0})
                             .Finish();
  const ValueId joined = c.Begin(OpKind::kConcat)
                             .Arg(params::Concat::kValues, column)
                             .Arg(params::Concat::kValues, sum)
                             .Int(params::Concat::kAxis, 0)
                             .Finish();
  ASSERT_EQ(c.error, "");
  for (const ValueId moved : {sum, reshaped, turned, joined}) {
    const Estimate expected = c.Run(moved, ConformingContract(6));
    const size_t last = expected.value.size() - 1;
    EXPECT_TRUE(Admits(expected, last, 0)) << moved;
    EXPECT_TRUE(Admits(expected, last, INFINITY)) << moved;
    EXPECT_FALSE(Admits(expected, last, 5)) << moved;
    EXPECT_TRUE(IsInformative(expected, last, 1)) << moved;
    if (last > 0) {
      EXPECT_FALSE(Admits(expected, 0, 5)) << "the element before the sum";
    }
  }
}

// ---- computed places ----

TEST(Places, NegativeIndicesAdmitAnything) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kInt8, {3}, {5, 6, 7}));
  const ValueId indices = c.Const(MakeTensor(DType::kInt32, {2}, {-1, 1}));
  using P = params::Gather;
  const Estimate gathered =
      c.Run(c.Begin(OpKind::kGather).Arg(P::kX, x).Arg(P::kIndices, indices).Finish());
  ASSERT_EQ(c.error, "");
  EXPECT_EQ(gathered.value, (std::vector<double>{7, 6}));
  EXPECT_EQ(gathered.low, (std::vector<double>{-128, 6}));
  EXPECT_EQ(gathered.high, (std::vector<double>{127, 6}));
  using S = params::Scatter;
  const ValueId updates = c.Input(MakeTensor(DType::kInt8, {2}, {1, 2}));
  c.Begin(OpKind::kScatter).Arg(S::kData, x).Arg(S::kIndices, indices).Arg(S::kUpdates, updates);
  const Estimate scattered = c.Run(c.Finish());
  ASSERT_EQ(c.error, "");
  EXPECT_EQ(scattered.value, (std::vector<double>{5, 8, 8}));
  EXPECT_EQ(scattered.low, (std::vector<double>{-128, -128, -128}));
}

// ---- pixels ----

// Four pixels are resized to six: some results may be either neighbour, but no value between them.
TEST(Nearest, GivesOneOfTheNeighbours) {
  using P = params::ResizePlane;
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {1, 1, 1, 4}, {0, 100, 0, 100}));
  const Estimate y = c.Run(c.Begin(OpKind::kResizeNearestNeighbor)
                               .Arg(P::kX, x)
                               .Int(P::kTargetSizeHeight, 1)
                               .Int(P::kTargetSizeWidth, 6)
                               .Finish());
  ASSERT_EQ(c.error, "");
  EXPECT_TRUE(Admits(y, 1, 0));
  EXPECT_TRUE(Admits(y, 1, 100));
  EXPECT_FALSE(Admits(y, 1, 50));
  EXPECT_FALSE(Admits(y, 4, 50));
  EXPECT_TRUE(Admits(y, 0, 0));
  EXPECT_FALSE(Admits(y, 0, 100));
}

// ---- boxes ----

// The result `result` of a suppression of two boxes, 9.5 wide and 10 high, whose centres lie 5
// apart. Result 3 is the number of selected boxes.
Estimate Selected(double centre, double threshold, const Contract& contract, uint32_t result = 3) {
  using P = params::NonMaximumSuppression;
  Case c;
  const ValueId boxes = c.Input(
      MakeTensor(DType::kFp16, {1, 2, 4}, {centre, 100, 9.5, 10, centre + 5, 100, 9.5, 10}));
  const ValueId scores = c.Input(MakeTensor(DType::kFp16, {1, 2, 1}, {0.75, 0.5}));
  c.Begin(OpKind::kNonMaximumSuppression).Arg(P::kBoxes, boxes).Arg(P::kScores, scores);
  c.Float(P::kIouThreshold, threshold).Float(P::kScoreThreshold, 0.25).Int(P::kMaxBoxes, 2);
  const ValueId first = c.Bool(P::kPerClassSuppression, false).Finish();
  const Estimate estimate = c.Run(first + result, contract);
  EXPECT_EQ(c.error, "");
  return estimate;
}

// Corners near 1000 lie on a grid of half a pixel: the overlap of 0.310 may then be 0.357.
TEST(Suppression, IsOpenIfRoundedCornersDecideOtherwise) {
  const Estimate far = Selected(1000, 0.33, ConformingContract(2));
  EXPECT_TRUE(Admits(far, 0, 1) && Admits(far, 0, 2));
  const Estimate near = Selected(10, 0.33, ConformingContract(2));
  EXPECT_TRUE(!Admits(near, 0, 1) && Admits(near, 0, 2));
  const Estimate certain = Selected(1000, 0.1, ConformingContract(2));
  EXPECT_TRUE(Admits(certain, 0, 1) && !Admits(certain, 0, 2));
  // The second entry is entirely a box or entirely padding.
  const Estimate scores = Selected(1000, 0.33, ConformingContract(2), 1);
  EXPECT_TRUE(Admits(scores, 1, 0.5) && Admits(scores, 1, 0));
  EXPECT_FALSE(Admits(scores, 1, 1) || Admits(scores, 1, -0.5) || Admits(scores, 0, 0.5));
  const Estimate indices = Selected(1000, 0.33, ConformingContract(2), 2);
  EXPECT_TRUE(Admits(indices, 1, 1) && Admits(indices, 1, -1));
  EXPECT_FALSE(Admits(indices, 1, 2) || Admits(indices, 0, 1));
  const Estimate ideal = Selected(1000, 0.33, IeeeContract());
  EXPECT_TRUE(!Admits(ideal, 0, 1) && Admits(ideal, 0, 2));
}

// A search with radius 5: points at 0, 5 and 9 of one axis, centroids at 0 and 4.
Estimate Within(const Contract& contract) {
  using P = params::NativeRadiusSearch;
  Case c;
  const ValueId centroids = c.Input(MakeTensor(DType::kFp16, {1, 3, 1, 2}, {0, 4, 0, 0, 0, 0}));
  const ValueId points =
      c.Input(MakeTensor(DType::kFp16, {1, 3, 1, 3}, {0, 5, 9, 0, 0, 0, 0, 0, 0}));
  const ValueId flags = c.Begin(OpKind::kNativeRadiusSearch)
                            .Arg(P::kCentroids, centroids)
                            .Arg(P::kPoints, points)
                            .Float(P::kRadius, 5)
                            .Finish();
  const Estimate estimate = c.Run(flags, contract);
  EXPECT_EQ(c.error, "");
  return estimate;
}

TEST(RadiusSearch, IdealFlagsAreInTheLowByteOfTheirCell) {
  const Estimate estimate = Within(IeeeContract());
  const std::vector<double> expected = {0x1p-24, 0x1p-24, 0x1p-24, 0x1p-24, 0, 0x1p-24};
  EXPECT_EQ(estimate.value, expected);
  EXPECT_EQ(estimate.low, expected);
  EXPECT_EQ(estimate.high, expected);
}

// Two sources disagree. The result of each interpretation passes, and no other result does.
TEST(RadiusSearch, BothPlacementsOfTheFlagsPass) {
  const Estimate estimate = Within(ConformingContract(2));
  EXPECT_TRUE(Admits(estimate, 0, 0x1p-24));    // a cell of its own
  EXPECT_TRUE(Admits(estimate, 0, 0x101p-24));  // both flags of the row
  EXPECT_FALSE(Admits(estimate, 0, 0));         // the first flag is set
  EXPECT_FALSE(Admits(estimate, 0, 0x2p-24));
  EXPECT_FALSE(Admits(estimate, 0, 0x100p-24));
  EXPECT_TRUE(Admits(estimate, 1, 0x1p-24));
  EXPECT_TRUE(Admits(estimate, 1, 0));  // after the packed flags
  EXPECT_FALSE(Admits(estimate, 1, 0x101p-24));
  // 5 is within 5 of 0 and of 4: the root of 25 may be a neighbour of 5, so the first distance may
  // count as too far.
  EXPECT_TRUE(Admits(estimate, 2, 0x100p-24));
  EXPECT_TRUE(Admits(estimate, 2, 0));
  EXPECT_FALSE(Admits(estimate, 4, 0x1p-24));  // 9 is not within 5 of 0
}

TEST(RadiusSearch, WithOneCentroidBothPlacementsAgree) {
  using P = params::NativeRadiusSearch;
  Case c;
  const ValueId centroid = c.Input(MakeTensor(DType::kFp16, {1, 3, 1, 1}, {0, 0, 0}));
  const ValueId points =
      c.Input(MakeTensor(DType::kFp16, {1, 3, 1, 3}, {1, 2, NAN, 0, 3, 0, 0, 4, 0}));
  const Estimate estimate = c.Run(c.Begin(OpKind::kNativeRadiusSearch)
                                      .Arg(P::kCentroids, centroid)
                                      .Arg(P::kPoints, points)
                                      .Float(P::kRadius, 2)
                                      .Finish());
  ASSERT_EQ(estimate.value.size(), 3u) << c.error;
  EXPECT_TRUE(Admits(estimate, 0, 0x1p-24) && !Admits(estimate, 0, 0));
  EXPECT_TRUE(Admits(estimate, 1, 0) && !Admits(estimate, 1, 0x1p-24));
  EXPECT_TRUE(Admits(estimate, 2, 0) && Admits(estimate, 2, 0x1p-24))
      << "NaN may be at any distance";
}

TEST(RadiusSearch, ThePlacementIsAnAssumedTerm) {
  using P = params::NativeRadiusSearch;
  Case c;
  const ValueId centroids = c.Input(MakeTensor(DType::kFp16, {1, 3, 1, 1}, {0, 0, 0}));
  const ValueId points = c.Input(MakeTensor(DType::kFp16, {1, 3, 1, 1}, {1, 0, 0}));
  c.graph.AddOutput(c.Begin(OpKind::kNativeRadiusSearch)
                        .Arg(P::kCentroids, centroids)
                        .Arg(P::kPoints, points)
                        .Float(P::kRadius, 2)
                        .Finish());
  EXPECT_EQ(AssumedTerms(c.graph, 0, 2),
            (std::vector{Term::kRootUlp, Term::kPackedFlags, Term::kDistanceRounding}));
}

}  // namespace
}  // namespace anecheck
