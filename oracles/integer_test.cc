// Integer operands: two's complement arithmetic, exact, in every operation that takes them.
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "harness/ops/params.h"
#include "oracles/testing/test_support.h"

namespace anecheck {
namespace {

using testing::Case;
using testing::MakeTensor;
using Numbers = std::vector<double>;

// The value of a result whose every element must be certain.
Numbers Certain(Case& c, ValueId id) {
  const Estimate estimate = c.Run(id);
  EXPECT_EQ(c.error, "");
  EXPECT_EQ(estimate.low, estimate.value);
  EXPECT_EQ(estimate.high, estimate.value);
  return estimate.value;
}

Numbers Pair(OpKind kind, std::initializer_list<double> x, std::initializer_list<double> y,
             DType dtype = DType::kInt32) {
  Case c;
  const auto count = static_cast<int64_t>(x.size());
  const ValueId a = c.Input(MakeTensor(dtype, {count}, x));
  const ValueId b = c.Input(MakeTensor(dtype, {count}, y));
  return Certain(c, c.Binary(kind, a, b));
}

Numbers Single(OpKind kind, std::initializer_list<double> x, DType dtype = DType::kInt32) {
  Case c;
  const ValueId a = c.Input(MakeTensor(dtype, {static_cast<int64_t>(x.size())}, x));
  return Certain(c, c.Unary(kind, a));
}

TEST(Integers, QuotientsAndRemaindersFollowTheDivisor) {
  EXPECT_EQ(Pair(OpKind::kFloorDiv, {7, -7, 7, -7, 6, 5}, {2, 2, -2, -2, 3, 0}),
            (Numbers{3, -4, -4, 3, 2, 0}));
  EXPECT_EQ(Pair(OpKind::kMod, {7, -7, 7, -7, 6, 5}, {2, 2, -2, -2, 3, 0}),
            (Numbers{1, 1, -1, -1, 0, 0}));
}

TEST(Integers, PowersWrapAndNegativeExponentsVanish) {
  EXPECT_EQ(Pair(OpKind::kPow, {3, -2, 2, 1, -1, 5}, {4, 3, 31, -7, -3, -1}),
            (Numbers{81, -8, -2147483648.0, 1, -1, 0}));
}

TEST(Integers, MagnitudesAndSquaresWrap) {
  EXPECT_EQ(Single(OpKind::kAbs, {-5, 4, -128}, DType::kInt8), (Numbers{5, 4, -128}));
  EXPECT_EQ(Single(OpKind::kSquare, {-5, 65536, 3}), (Numbers{25, 0, 9}));
  // Squares of more bits than a double has.
  EXPECT_EQ(Single(OpKind::kSquare, {94906267, 2147483647}), (Numbers{261134297, 1}));
}

TEST(Integers, ComparisonsAreExact) {
  // Two numbers that fp32 cannot tell apart.
  EXPECT_EQ(Pair(OpKind::kLess, {16777216, 2}, {16777217, 1}), (Numbers{1, 0}));
  EXPECT_EQ(Pair(OpKind::kEqual, {16777216, 2}, {16777217, 2}), (Numbers{0, 1}));
}

TEST(Integers, RunningSums) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kInt32, {4}, {1, 2, 3, 4}));
  using P = params::Cumsum;
  EXPECT_EQ(Certain(c, c.Begin(OpKind::kCumsum).Arg(P::kX, x).Finish()), (Numbers{1, 3, 6, 10}));
  EXPECT_EQ(Certain(c, c.Begin(OpKind::kCumsum)
                           .Arg(P::kX, x)
                           .Bool(P::kExclusive, true)
                           .Bool(P::kReverse, true)
                           .Finish()),
            (Numbers{9, 7, 4, 0}));
}

TEST(Integers, Reductions) {
  EXPECT_EQ(Single(OpKind::kReduceMean, {-7, 2, -2}), (Numbers{-2}));  // -7/3 toward zero
  EXPECT_EQ(Single(OpKind::kReduceMin, {4, -3, 2}), (Numbers{-3}));
  EXPECT_EQ(Single(OpKind::kReduceSumSquare, {3, -4}), (Numbers{25}));
  EXPECT_EQ(Single(OpKind::kReduceL1Norm, {3, -4}), (Numbers{7}));
  EXPECT_EQ(Single(OpKind::kReduceProd, {3, -4, 5}), (Numbers{-60}));
  EXPECT_EQ(Single(OpKind::kReduceProd, {100, 100}, DType::kInt8), (Numbers{16}));
  EXPECT_EQ(Single(OpKind::kReduceArgmax, {3, 9, 5}), (Numbers{1}));
  EXPECT_EQ(Single(OpKind::kReduceArgmin, {3, 9, 1}), (Numbers{2}));
}

TEST(Integers, PositionsComeAsTheTypeAskedFor) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp32, {3}, {1, 2, 3}));
  using P = params::ReduceArg;
  const ValueId y =
      c.Begin(OpKind::kReduceArgmax).Arg(P::kX, x).String(P::kOutputDtype, "uint16").Finish();
  EXPECT_EQ(Certain(c, y), (Numbers{2}));
  EXPECT_EQ(c.graph.type(y).dtype, DType::kUint16);
}

// fp32 operands: the result is rounded to fp32, whose neighbours fp16 does not have.
TEST(Singles, AreRoundedToSingles) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp32, {2}, {2, 1e20}));
  EXPECT_EQ(c.Run(c.Unary(OpKind::kSqrt, x)).value,
            (Numbers{static_cast<double>(std::sqrt(2.0f)), 1e10}));
  EXPECT_EQ(c.Run(c.Unary(OpKind::kExp, x)).value[0], static_cast<double>(std::exp(2.0f)));
  EXPECT_EQ(c.Run(c.Binary(OpKind::kPow, x, x)).value[0], 4);
}

}  // namespace
}  // namespace anecheck
