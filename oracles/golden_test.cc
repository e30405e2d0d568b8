// The published figures of facts/numerics.md: departures must reproduce them, and a conforming
// engine has other values.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>

#include "harness/base/half.h"
#include "harness/ops/params.h"
#include "oracles/judge.h"
#include "oracles/testing/test_support.h"

namespace anecheck {
namespace {

using testing::Case;
using testing::MakeTensor;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Contract With(int family, std::initializer_list<std::string_view> ids) {
  return WithDepartures(family, std::span(ids.begin(), ids.size())).value();
}

// x [1, K] times ones [K, 1].
Estimate SumByMatmul(std::span<const double> x, const Contract& contract) {
  Case c;
  const auto k = static_cast<int64_t>(x.size());
  const ValueId left = c.Input(MakeTensor(DType::kFp16, {1, k}, x));
  const ValueId right =
      c.Input(MakeTensor(DType::kFp16, {k, 1}, std::vector<double>(x.size(), 1.0)));
  return c.Run(c.Binary(OpKind::kMatmul, left, right), contract);
}

void ExpectPoint(const Estimate& estimate, double value) {
  ASSERT_EQ(estimate.value.size(), 1u);
  EXPECT_EQ(estimate.value[0], value);
  EXPECT_EQ(estimate.low[0], value);
  EXPECT_EQ(estimate.high[0], value);
}

TEST(Golden, OneLargeAndManyOnes) {
  std::vector<double> x(1025, 1.0);
  x[0] = 4096;
  ExpectPoint(SumByMatmul(x, ConformingContract(2)), 5120);
  ExpectPoint(SumByMatmul(x, With(2, {"D03"})), 5116);
}

TEST(Golden, SurvivorsOfCancellation) {
  for (const auto& [magnitude, survivors] : std::initializer_list<std::pair<double, double>>{
           {1024, 16}, {3000, 16}, {4090, 16}, {4096, 4}, {8000, 4}, {16000, 4}, {30000, 4}}) {
    for (const bool minus_last : {false, true}) {
      std::vector<double> x;
      for (int i = 0; i < 16; ++i) {
        x.push_back(magnitude);
        x.push_back(minus_last ? 1 : -magnitude);
        x.push_back(minus_last ? -magnitude : 1);
      }
      ExpectPoint(SumByMatmul(x, ConformingContract(2)), 16);
      ExpectPoint(SumByMatmul(x, With(2, {"D03"})), survivors);
    }
  }
}

TEST(Golden, AccumulatorPort) {
  for (const double sign : {1.0, -1.0}) {
    const std::vector<double> passes = {sign * 32736, sign * 16};
    const std::vector<double> overflows = {sign * 32736, sign * 32};
    ExpectPoint(SumByMatmul(passes, With(2, {"D01"})), sign * 32752);
    ExpectPoint(SumByMatmul(overflows, With(2, {"D01"})), sign * kInfinity);
    ExpectPoint(SumByMatmul(overflows, ConformingContract(2)), sign * 32768);
  }
  ExpectPoint(SumByMatmul(std::vector<double>{60000}, With(2, {"D01"})), 60000);
}

TEST(Golden, OnesSumExactly) {
  const std::vector<double> ones(16000, 1.0);
  ExpectPoint(SumByMatmul(ones, ConformingContract(2)), 16000);
}

TEST(Golden, TieOnAGridOfTwo) {
  const std::vector<double> x = {2048, 1};
  ExpectPoint(SumByMatmul(x, ConformingContract(2)), 2048);
  ExpectPoint(SumByMatmul(x, With(6, {"D15"})), 2050);
}

TEST(Golden, WidthSlice) {
  for (const auto& [axis, expected] :
       std::initializer_list<std::pair<int, double>>{{0, 4096}, {1, kInfinity}}) {
    for (const bool exact : {false, true}) {
      Case c;
      const double x = exact ? 4094 : 4096;
      const ValueId input = c.Input(MakeTensor(DType::kFp16, {2, 2}, {x, x, x, x}));
      c.Begin(OpKind::kSliceBySize).Arg(0, input);
      c.Ints(params::SliceBySize::kBegin, {axis == 0 ? 1 : 0, axis == 1 ? 1 : 0});
      c.Ints(params::SliceBySize::kSize, {1, 1});
      ExpectPoint(c.Run(c.Finish(), With(2, {"D02"})), exact ? 4094 : expected);
    }
  }
}

TEST(Golden, GeluAtZero) {
  Case c;
  const ValueId y = c.Unary(OpKind::kGelu, c.Input(MakeTensor(DType::kFp16, {1}, {0.0})));
  ExpectPoint(c.Run(y), 0);
  EXPECT_NEAR(c.Run(y, With(2, {"D12"})).value[0], -0.000543, 1e-6);
}

// facts/numerics.md and facts/known_defects.csv: values of single functions at single arguments.
struct FixedValue {
  OpKind kind;
  double x;
  double conforming;
  std::string_view defect;
  double departed;
};

class FixedValues : public ::testing::TestWithParam<FixedValue> {};

TEST_P(FixedValues, EqualThoseOfTheNotes) {
  const FixedValue& fixed = GetParam();
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {1}, {fixed.x}));
  c.Begin(fixed.kind).Arg(0, x);
  const bool has_epsilon = GetOp(fixed.kind).schema.FindParameter("epsilon") >= 0;
  if (has_epsilon) c.Float(params::WithEpsilon::kEpsilon, 0);
  const ValueId y = c.Finish();
  ASSERT_EQ(c.error, "");
  const Estimate conforming = c.Run(y);
  EXPECT_EQ(conforming.value[0], fixed.conforming);
  EXPECT_FALSE(Admits(conforming, 0, fixed.departed));
  const double departed = c.Run(y, With(2, {fixed.defect})).value[0];
  EXPECT_EQ(departed, HalfToDouble(DoubleToHalf(fixed.departed)));
}
INSTANTIATE_TEST_SUITE_P(
    Functions, FixedValues,
    ::testing::Values(FixedValue{OpKind::kInverse, -0.0, -kInfinity, "D08", kInfinity},
                      FixedValue{OpKind::kRsqrt, -0.0, -kInfinity, "D08", kInfinity},
                      FixedValue{OpKind::kSoftplus, 11, 11, "D09", 0},
                      FixedValue{OpKind::kSoftplus, kInfinity, kInfinity, "D09", 0},
                      FixedValue{OpKind::kSoftsign, kInfinity, 1, "D10", 0},
                      FixedValue{OpKind::kLog, 0, -kInfinity, "D11", -45440},
                      FixedValue{OpKind::kSilu, 0, 0, "D13", -0.001259}),
    [](const auto& instance) {
      return fmt::format("{}_{}", GetOp(instance.param.kind).schema.name, instance.index);
    });

TEST(Golden, LogOfZeroIsZeroAfterEpsilonToo) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {2}, {-1, 0}));
  c.Begin(OpKind::kLog).Arg(0, x);
  c.Float(params::WithEpsilon::kEpsilon, 1);
  const ValueId y = c.Finish();
  ASSERT_EQ(c.error, "");
  const Estimate departed = c.Run(y, With(2, {"D11"}));
  EXPECT_EQ(departed.value[0], HalfToDouble(DoubleToHalf(-45440)));
  EXPECT_EQ(departed.value[1], 0);
}

TEST(Golden, FirstOverflows) {
  const auto at = [](OpKind kind, double x) {
    Case c;
    return c.Run(c.Unary(kind, c.Input(MakeTensor(DType::kFp16, {1}, {x})))).value[0];
  };
  EXPECT_EQ(at(OpKind::kSquare, 256), kInfinity);
  EXPECT_LT(at(OpKind::kSquare, 255.875), kInfinity);
  EXPECT_EQ(at(OpKind::kExp, 11.09375), kInfinity);  // 11.094 in fp16
  EXPECT_LT(at(OpKind::kExp, 11.0859375), kInfinity);
}

TEST(Golden, NanActsAsInfinity) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [kind, expected] : std::initializer_list<std::pair<OpKind, double>>{
           {OpKind::kRelu, kInfinity}, {OpKind::kSigmoid, 1}, {OpKind::kTanh, 1}}) {
    Case c;
    const ValueId y = c.Unary(kind, c.Input(MakeTensor(DType::kFp16, {1}, {nan})));
    const Estimate conforming = c.Run(y);
    EXPECT_TRUE(std::isnan(conforming.value[0]));
    EXPECT_EQ(conforming.flags[0], Estimate::kNanAllowed | Estimate::kNanOnly);
    EXPECT_EQ(c.Run(y, With(2, {"D06"})).value[0], expected);
  }
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {4}, {1, nan, 2, 3}));
  const Estimate mass = c.Run(c.Unary(OpKind::kSoftmax, x), With(2, {"D06", "D07"}));
  EXPECT_EQ(mass.value, (std::vector<double>{0, 1, 0, 0}));
}

TEST(Golden, InvalidOperationGivesZero) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {1}, {kInfinity}));
  const ValueId zero = c.Input(MakeTensor(DType::kFp16, {1}, {0.0}));
  for (const ValueId y : {c.Binary(OpKind::kSub, x, x), c.Binary(OpKind::kMul, x, zero)}) {
    EXPECT_TRUE(std::isnan(c.Run(y).value[0]));
    ExpectPoint(c.Run(y, With(2, {"D07"})), 0);
  }
}

TEST(Golden, SoftmaxSubtractsTheMaximum) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {4}, {1000, 1, 2, 3}));
  const Estimate y = c.Run(c.Unary(OpKind::kSoftmax, x));
  EXPECT_EQ(y.value, (std::vector<double>{1, 0, 0, 0}));
}

TEST(Golden, JudgeNamesThePort) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {1, 2}, {32736, 32}));
  const ValueId ones = c.Input(MakeTensor(DType::kFp16, {2, 1}, {1, 1}));
  const Estimate expected = c.Run(c.Binary(OpKind::kMatmul, x, ones));
  const auto judge = [&](double actual, int family) {
    return Judge(c.graph, c.inputs, 0, expected, MakeTensor(DType::kFp16, {1, 1}, {actual}),
                 family);
  };
  EXPECT_EQ(judge(32768, 2).verdict, Verdict::kPass);
  EXPECT_EQ(judge(kInfinity, 2).verdict, Verdict::kKnownDefect);
  EXPECT_EQ(judge(kInfinity, 2).defects.ToText(), "D01");
  EXPECT_EQ(judge(kInfinity, 5).verdict, Verdict::kWrong);
  EXPECT_EQ(judge(-kInfinity, 2).verdict, Verdict::kWrong);
}

}  // namespace
}  // namespace anecheck
