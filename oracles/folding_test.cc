// Contracts that let a compiler fold constants admit the results of a folding compiler and little
// else.
#include <cmath>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "harness/base/half.h"
#include "harness/ops/params.h"
#include "oracles/testing/test_support.h"

namespace anecheck {
namespace {

using testing::Case;
using testing::MakeTensor;

double Half(double x) { return HalfToDouble(DoubleToHalf(x)); }

const Contract& Float() {
  static const Contract contract = ContractFromName("float").value();
  return contract;
}

constexpr size_t kIn = 4, kOut = 3;

struct Numbers {
  std::vector<double> x, weight, bias, scale, shift;
};

double DrawHalf(double low, double high) {
  return Half(low + (high - low) * *rc::gen::inRange(0, 1 << 20) / (1 << 20));
}
std::vector<double> Draw(size_t count, double low, double high) {
  std::vector<double> numbers(count);
  for (double& number : numbers) number = DrawHalf(low, high);
  return numbers;
}
Numbers DrawNumbers() {
  return {Draw(kIn, -2, 2), Draw(kIn * kOut, -1, 1), Draw(kOut, -1, 1), Draw(kOut, 0.3, 3),
          Draw(kOut, -1, 1)};
}

ValueId Linear(Case& c, const Numbers& n) {
  using P = params::Linear;
  return c.Begin(OpKind::kLinear)
      .Arg(P::kX, c.Input(MakeTensor(DType::kFp16, {1, kIn}, n.x)))
      .Arg(P::kWeight, c.Const(MakeTensor(DType::kFp16, {kOut, kIn}, n.weight)))
      .Arg(P::kBias, c.Const(MakeTensor(DType::kFp16, {kOut}, n.bias)))
      .Finish();
}
ValueId Pair(Case& c, OpKind kind, ValueId x, const std::vector<double>& y) {
  using P = params::Binary;
  return c.Begin(kind)
      .Arg(P::kX, x)
      .Arg(P::kY, c.Const(MakeTensor(DType::kFp16, {kOut}, y)))
      .Finish();
}

// y = scale * (weight x + bias) + shift with weight and bias folded, once for each scale.
double Folded(const Numbers& n, size_t out, int scales, bool shifts) {
  double bias = n.bias[out];
  double sum = 0;
  for (int s = 0; s < scales; ++s) bias = Half(bias * n.scale[out]);
  if (shifts) bias = Half(bias + n.shift[out]);
  for (size_t k = 0; k < kIn; ++k) {
    double weight = n.weight[out * kIn + k];
    for (int s = 0; s < scales; ++s) weight = Half(weight * n.scale[out]);
    sum += n.x[k] * weight;
  }
  return Half(sum + bias);
}
double Magnitude(const Numbers& n, size_t out, int scales) {
  double sum = std::fabs(n.bias[out]) + std::fabs(n.shift[out]);
  for (size_t k = 0; k < kIn; ++k) sum += std::fabs(n.x[k] * n.weight[out * kIn + k]);
  return sum * std::pow(std::max(1.0, n.scale[out]), scales);
}

// Every folded result is admitted. A result that errs by several times the error of folding is not.
void Check(const Numbers& n, int scales, bool shifts) {
  Case c;
  ValueId y = Linear(c, n);
  for (int s = 0; s < scales; ++s) y = Pair(c, OpKind::kMul, y, n.scale);
  if (shifts) y = Pair(c, OpKind::kAdd, y, n.shift);
  const Estimate estimate = c.Run(y, Float());
  for (size_t out = 0; out < kOut; ++out) {
    const double folded = Folded(n, out, scales, shifts);
    RC_ASSERT(Admits(estimate, out, folded));
    const double far = Magnitude(n, out, scales) * 0x1p-7;
    RC_ASSERT(!Admits(estimate, out, Half(estimate.value[out] + far)));
    RC_ASSERT(!Admits(estimate, out, Half(estimate.value[out] - far)));
  }
}

RC_GTEST_PROP(Folding, OfAScaleIsAdmitted, ()) { Check(DrawNumbers(), 1, false); }
RC_GTEST_PROP(Folding, OfAShiftIsAdmitted, ()) { Check(DrawNumbers(), 0, true); }
RC_GTEST_PROP(Folding, OfAScaleAndAShiftIsAdmitted, ()) { Check(DrawNumbers(), 1, true); }
RC_GTEST_PROP(Folding, OfTwoScalesIsAdmitted, ()) { Check(DrawNumbers(), 2, false); }

// x + a + b, or x - a - b.
RC_GTEST_PROP(Folding, OfTwoShiftsOfAnyValueIsAdmitted, ()) {
  const std::vector<double> x = Draw(kOut, -2, 2), a = Draw(kOut, -9, 9), b = Draw(kOut, -9, 9);
  const auto kind = *rc::gen::element(OpKind::kAdd, OpKind::kSub);
  const double sign = kind == OpKind::kAdd ? 1 : -1;
  Case c;
  const ValueId y = Pair(c, kind, c.Input(MakeTensor(DType::kFp16, {kOut}, x)), a);
  const Estimate estimate = c.Run(Pair(c, kind, y, b), Float());
  for (size_t out = 0; out < kOut; ++out) {
    RC_ASSERT(Admits(estimate, out, Half(x[out] + sign * Half(a[out] + b[out]))));
    RC_ASSERT(!Admits(estimate, out, Half(estimate.value[out] + 0.25)));
    RC_ASSERT(!Admits(estimate, out, Half(estimate.value[out] - 0.25)));
  }
}

// The shifts have different values, so that the sum of their constants is rounded.
TEST(Folding, DoesNotJoinShiftsAcrossAnotherReader) {
  const auto width = [](bool shared) {
    Case c;
    const ValueId x = c.Input(MakeTensor(DType::kFp16, {kOut}, {-20, -20, -20}));
    const ValueId first = Pair(c, OpKind::kAdd, x, std::vector<double>(kOut, Half(17.03)));
    const ValueId second = Pair(c, OpKind::kAdd, first, std::vector<double>(kOut, Half(2.957)));
    if (shared) c.Binary(OpKind::kAdd, first, second);
    const Estimate y = c.Run(second, Float());
    return y.high[0] - y.low[0];
  };
  EXPECT_GT(width(false), width(true));
}

TEST(Folding, IsNotAdmittedWithoutTheTerm) {
  const Numbers n = {{1.5, 1.25, -1.75, 0.5},
                     {0.7, 0.3, -0.9, 0.1, 0.2, 0.6, 0.8, -0.4, 0.55, 0.35, 0.15, 0.95},
                     {0.1, 0.2, 0.3},
                     {1.1, 2.3, 0.7},
                     {0, 0, 0}};
  Contract contract = Float();
  contract.terms[static_cast<size_t>(Term::kConstantFolding)] = 0;
  const auto admitted = [&](const Contract& with) {
    Case c;
    Numbers halves = n;
    for (auto* list : {&halves.weight, &halves.bias, &halves.scale}) {
      for (double& number : *list) number = Half(number);
    }
    const Estimate y = c.Run(Pair(c, OpKind::kMul, Linear(c, halves), halves.scale), with);
    int count = 0;
    for (size_t out = 0; out < kOut; ++out) count += Admits(y, out, Folded(halves, out, 1, false));
    return count;
  };
  EXPECT_EQ(admitted(Float()), 3);
  EXPECT_LT(admitted(contract), 3);
}

// A value that two operations read is not folded.
TEST(Folding, LeavesOutValuesThatAreReadElsewhere) {
  const Numbers n = {{2048, 3, -5, 7}, std::vector<double>(kIn * kOut, 0.75), {1, 1, 1}, {}, {}};
  const std::vector<double> scale(kOut, Half(1.1));
  const auto width = [&](bool shared, const Contract& contract) {
    Case c;
    const ValueId sum = Linear(c, n);
    const ValueId scaled = Pair(c, OpKind::kMul, sum, scale);
    if (shared) c.Binary(OpKind::kAdd, sum, scaled);
    const Estimate y = c.Run(scaled, contract);
    return y.high[0] - y.low[0];
  };
  Contract without = Float();
  without.terms[static_cast<size_t>(Term::kConstantFolding)] = 0;
  EXPECT_GT(width(false, Float()), width(false, without));
  EXPECT_EQ(width(true, Float()), width(true, without));
}

}  // namespace
}  // namespace anecheck
