// Operations that recorded programs compute in several tasks, each of which rounds. The contract
// admits the results of these tasks and little else.
#include <cmath>
#include <gtest/gtest.h>

#include "harness/base/half.h"
#include "harness/ops/params.h"
#include "oracles/admitted_element.h"
#include "oracles/testing/test_support.h"

namespace anecheck {
namespace {

using testing::Case;
using testing::MakeTensor;

constexpr int kA13 = 2;
constexpr int kA14 = 3;
constexpr int kA16 = 5;

double Half(double x) { return HalfToDouble(DoubleToHalf(x)); }
double HalfAway(double x) { return HalfToDouble(DoubleToHalf(x, Rounding::kNearestAway)); }

Estimate Line(OpKind kind, double x, double alpha, double beta, int family) {
  using P = params::LinearActivation;
  Case c;
  const ValueId input = c.Input(MakeTensor(DType::kFp16, {1}, {x}));
  c.Begin(kind).Arg(P::kX, input).Float(P::kAlpha, alpha).Float(P::kBeta, beta);
  return c.Run(c.Finish(), ConformingContract(family));
}

// facts/later_programs/weights_layout_later.md: a line between knots 1 / 64 apart, then a product.
TEST(RealDiv, AdmitsTheReciprocalByItsTable) {
  const double low = 0.53125, step = 1.0 / 64;  // knots 2 and 3
  const double y = Half(low + step / 2);
  const double reciprocal = Half((Half(1 / low) + Half(1 / (low + step))) / 2);
  const double x = 1023.5;
  Case c;
  const ValueId a = c.Input(MakeTensor(DType::kFp16, {1}, {x}));
  const ValueId b = c.Input(MakeTensor(DType::kFp16, {1}, {y}));
  const Estimate quotient = c.Run(c.Binary(OpKind::kRealDiv, a, b), ConformingContract(kA13));
  EXPECT_TRUE(Admits(quotient, 0, Half(x * reciprocal)));
  EXPECT_TRUE(Admits(quotient, 0, Half(x / y)));
  EXPECT_FALSE(Admits(quotient, 0, Half(x / y) * (1 + 0x1p-8)));
}

// A16 stores a product with ties away from zero before it adds.
TEST(SigmoidHard, AdmitsATieOfTheProductAwayFromZero) {
  const double x = 1 + 3 * 0x1p-10, alpha = 0.75, beta = -0x1p-13;
  ASSERT_NE(Half(x * alpha), HalfAway(x * alpha));
  const Estimate line = Line(OpKind::kSigmoidHard, x, alpha, beta, kA16);
  EXPECT_TRUE(Admits(line, 0, HalfAway(HalfAway(x * alpha) + beta)));
}

// Exponent 31 in more than one sum or product was not measured (numerics_laws.md, L7).
TEST(LinearActivation, OfAnInfinityIsANumberOrAnInfinityIfExponent31IsANumber) {
  const Estimate open = Line(OpKind::kLinearActivation, INFINITY, 0.75, 0, kA16);
  EXPECT_TRUE(Admits(open, 0, 49152));
  EXPECT_TRUE(Admits(open, 0, INFINITY));
  EXPECT_FALSE(Admits(open, 0, 40000));
  EXPECT_FALSE(Admits(Line(OpKind::kLinearActivation, INFINITY, 0.75, 0, kA14), 0, 49152));
}

// facts/numerics.md states +0 on A13, whose tables the later families have too.
TEST(Roots, BelowZeroAreNanOrZeroAfterA13) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {1}, {-1}));
  const ValueId y = c.Unary(OpKind::kSqrt, x);
  for (const int family : {kA14, kA16}) {
    const Estimate root = c.Run(y, ConformingContract(family));
    EXPECT_TRUE(Admits(root, 0, 0));
    EXPECT_TRUE(Admits(root, 0, NAN));
    EXPECT_FALSE(Admits(root, 0, 1));
  }
}

// facts/h13_program/execution.md: the mean of layer_norm is the result of a task.
TEST(LayerNorm, AdmitsAMeanThatWasRounded) {
  using P = params::LayerNorm;
  const std::vector<double> x = {1025, 1026, 1027, 1028};  // their mean lies between two numbers
  const double mean = Half(1026.5);
  double variance = 0;
  for (const double value : x) variance += (value - mean) * (value - mean) / 4;
  Case c;
  const ValueId input = c.Input(MakeTensor(DType::kFp16, {1, 4}, x));
  c.Begin(OpKind::kLayerNorm).Arg(P::kX, input).Ints(P::kAxes, {1});
  const Estimate normal = c.Run(c.Finish(), ConformingContract(kA13));
  const double root = Half(1 / std::sqrt(variance + 1e-5));
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_TRUE(Admits(normal, i, Half((x[i] - mean) * root))) << i;
  }
  EXPECT_FALSE(Admits(normal, 0, Half((x[0] - mean - 3) * root)));
}

// Exponentials by their table, and the reciprocal of their sum rounded (numerics_laws.md, L14).
TEST(Softmax, AdmitsTheExponentialsOfItsTable) {
  using P = params::Softmax;
  const double low = -6.5, t = Half(low * 1.4423828125);
  const double whole = std::floor(t), part = (t - whole) * 32, knot = std::floor(part);
  const auto at = [](double k) { return Half(std::exp2(k / 32)); };
  const double line = at(knot) + (part - knot) * (at(knot + 1) - at(knot));
  const double power = Half(std::ldexp(line, static_cast<int>(whole)));
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {1, 2}, {0, low}));
  c.Begin(OpKind::kSoftmax).Arg(P::kX, x).Int(P::kAxis, 1);
  const Estimate parts = c.Run(c.Finish(), ConformingContract(kA13));
  EXPECT_TRUE(Admits(parts, 1, Half(power * Half(1 / (1 + power)))));
  EXPECT_FALSE(Admits(parts, 1, Half(power * 1.02)));
}

}  // namespace
}  // namespace anecheck
