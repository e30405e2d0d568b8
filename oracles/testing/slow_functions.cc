// Functions of one variable, pairs and running sums, in MPFR.
#include <cmath>
#include <optional>

#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "oracles/testing/real.h"
#include "oracles/testing/slow.h"
#include "oracles/testing/structure.h"

namespace anecheck::testing {
namespace {

using Operands = std::span<const std::vector<double>>;

// For large x only the sign of the other addend matters, because it decides ties. The addend stays
// large enough to affect the bits of the sum.
Real Softplus(const Real& x) {
  if (x < Real(0.0)) return Log1p(Exp(x));
  return x + Log1p(Exp(x < Real(100.0) ? -x : Real(-100.0)));
}

// The attributes of the node that a function needs.
struct Parameters {
  Real alpha, beta, epsilon;
};

double Rounded(const NodeView& node, double x) {
  return Real(x).RoundedTo(node.ResultType().dtype);
}

Parameters ParametersOf(const NodeView& node, Operands operands, size_t channel) {
  using P = params::WithAlphaBeta;
  const OpKind kind = KindOf(node.schema());
  if (kind == OpKind::kPrelu) return {operands[1][channel], 0.0, 0.0};
  if (kind == OpKind::kSoftplusParametric) {
    return {operands[1][channel], operands[2][channel], 0.0};
  }
  const double epsilon = kind == OpKind::kInverse ? 1e-4 : kind == OpKind::kRsqrt ? 1e-12 : 1e-45;
  const auto attribute = [&](int parameter, double fallback) {
    const bool present = static_cast<size_t>(parameter) < node.schema().parameters.size();
    // A literal of an operation on fp16 operands is not rounded to fp16.
    const bool exact =
        present && node.HasAttribute(parameter) && node.ResultType().dtype == DType::kFp16;
    const double number = present ? node.Float(parameter, fallback) : fallback;
    return Real(exact ? static_cast<double>(static_cast<float>(number)) : Rounded(node, number));
  };
  return {attribute(P::kAlpha, 0), attribute(P::kBeta, 0),
          attribute(params::WithEpsilon::kEpsilon, epsilon)};
}

Real Minimum(const Real& a, const Real& b) { return b < a ? b : a; }
Real Maximum(const Real& a, const Real& b) { return a < b ? b : a; }

// A zero epsilon is not added, because the addition would lose the sign of a zero.
Real Shifted(const Real& x, const Parameters& p) {
  return p.epsilon.Odd() == 0 ? x : x + p.epsilon;
}

std::optional<Real> Arithmetic(OpKind kind, const Real& x, const Parameters& p) {
  const Real zero(0.0);
  switch (kind) {
    case OpKind::kAbs:
      return Abs(x);
    case OpKind::kSquare:
      return x * x;
    case OpKind::kSqrt:
      return Sqrt(x);
    case OpKind::kRsqrt:
      return Real(1.0) / Sqrt(Shifted(x, p));
    case OpKind::kInverse:
      return Real(1.0) / Shifted(x, p);
    case OpKind::kRelu6:
      return Minimum(Maximum(x, zero), 6.0);
    case OpKind::kLeakyRelu:
    case OpKind::kPrelu:
      return x < zero ? x * p.alpha : x;
    case OpKind::kClampedRelu:
      return Minimum(x < zero ? x * p.alpha : x, p.beta);
    case OpKind::kThreshold:
      return Maximum(x, p.alpha);
    case OpKind::kThresholdedRelu:
      return x < p.alpha ? zero : x;
    case OpKind::kSigmoidHard:
      return Minimum(Maximum(x * p.alpha + p.beta, zero), 1.0);
    case OpKind::kSoftsign:
      return x / (Real(1.0) + Abs(x));
    case OpKind::kSign:
      return x < zero ? Real(-1.0) : zero < x ? Real(1.0) : zero;
    case OpKind::kCeil:
      return Ceil(x);
    case OpKind::kFloor:
      return Floor(x);
    case OpKind::kRound:
      return Nearest(x);
    default:
      return std::nullopt;
  }
}

std::optional<Real> Transcendental(OpKind kind, const Real& x, const Parameters& p) {
  switch (kind) {
    case OpKind::kElu:
      return x < Real(0.0) ? p.alpha * Expm1(x) : x;
    case OpKind::kScaledTanh:
      return p.alpha * Tanh(p.beta * x);
    case OpKind::kSilu:
      return x / (Real(1.0) + Exp(-x));
    case OpKind::kSoftplus:
      return Softplus(x);
    case OpKind::kSoftplusParametric:
      return p.alpha * Softplus(p.beta * x);
    case OpKind::kErf:
      return Erf(x);
    case OpKind::kExp:
      return Exp(x);
    case OpKind::kExp2:
      return Exp2(x);
    case OpKind::kLog:
      return Log(x + p.epsilon);
    case OpKind::kSin:
      return Sin(x);
    case OpKind::kCos:
      return Cos(x);
    case OpKind::kTan:
      return Tan(x);
    case OpKind::kAsin:
      return Asin(x);
    case OpKind::kAcos:
      return Acos(x);
    case OpKind::kAtan:
      return Atan(x);
    case OpKind::kSinh:
      return Sinh(x);
    case OpKind::kCosh:
      return Cosh(x);
    case OpKind::kAsinh:
      return Asinh(x);
    case OpKind::kAcosh:
      return Acosh(x);
    case OpKind::kAtanh:
      return Atanh(x);
    default:
      return std::nullopt;
  }
}

// Returns the value at an infinity or NaN: that of the formula, or its limit if the formula has no
// value there.
Real AtSpecial(OpKind kind, double x, const Real& formula) {
  if (std::isnan(x)) return x;
  if (kind == OpKind::kSoftsign) return std::copysign(1, x);
  if (kind == OpKind::kSilu && x < 0) return 0.0;
  return formula;
}

std::optional<SlowElements> OneVariable(const NodeView& node, Operands operands) {
  const OpKind kind = KindOf(node.schema());
  const Shape& shape = node.ResultType().shape;
  const bool by_channel = kind == OpKind::kPrelu || kind == OpKind::kSoftplusParametric;
  SlowElements result;
  for (size_t i = 0; i < operands[0].size(); ++i) {
    const size_t channel = by_channel ? static_cast<size_t>(CoordinatesOf(shape, i)[1]) : 0;
    const Parameters p = ParametersOf(node, operands, channel);
    std::optional<Real> y = Arithmetic(kind, operands[0][i], p);
    if (!y) y = Transcendental(kind, operands[0][i], p);
    if (!y) return std::nullopt;
    const double x = operands[0][i];
    if (!std::isfinite(x)) y = AtSpecial(kind, x, *y);
    result.emplace_back(y->RoundedTo(node.ResultType().dtype));
  }
  return result;
}

SlowElements Pairs(const NodeView& node, Operands operands) {
  const OpKind kind = KindOf(node.schema());
  const Shape& shape = node.ResultType().shape;
  SlowElements result(static_cast<size_t>(shape.Elements()));
  for (size_t i = 0; i < result.size(); ++i) {
    const double a = operands[0][BroadcastIndex(node.InputShape(0), shape, i)];
    const double b = operands[1][BroadcastIndex(node.InputShape(1), shape, i)];
    if (!std::isfinite(a) || !std::isfinite(b)) continue;
    if (kind != OpKind::kPow && b == 0) continue;
    const Real quotient = kind == OpKind::kPow ? Real(0.0) : Floor(Real(a) / b);
    Real y = quotient;
    if (kind == OpKind::kMod) y = Real(a) - quotient * b;
    if (kind == OpKind::kPow) y = Pow(Real(a), Real(b));
    if (y.IsNumber()) result[i] = y.RoundedTo(node.ResultType().dtype);
  }
  return result;
}

SlowElements RunningSums(const NodeView& node, Operands operands) {
  using P = params::Cumsum;
  const Shape& shape = node.ResultType().shape;
  const int64_t given = node.Int(P::kAxis, 0);
  const auto axis = static_cast<size_t>(given < 0 ? given + shape.rank() : given);
  SlowElements result;
  for (size_t i = 0; i < operands[0].size(); ++i) {
    Coordinates at = CoordinatesOf(shape, i);
    const int64_t here = at[axis];
    Real sum;
    bool finite = true;
    for (int64_t k = 0; k < shape[static_cast<int>(axis)]; ++k) {
      const bool before = node.Bool(P::kReverse, false) ? k > here : k < here;
      if (!before && (k != here || node.Bool(P::kExclusive, false))) continue;
      at[axis] = k;
      const double x = operands[0][IndexOf(shape, at)];
      finite = finite && std::isfinite(x);
      if (finite) sum = sum + x;
    }
    result.emplace_back();
    if (finite) result.back() = sum.RoundedTo(node.ResultType().dtype);
  }
  return result;
}

SlowElements CrossProducts(const NodeView& node, Operands operands) {
  const Shape& shape = node.ResultType().shape;
  SlowElements result;
  for (size_t i = 0; i < operands[0].size(); ++i) {
    Coordinates at = CoordinatesOf(shape, i);
    const int64_t component = at[1];
    const auto element = [&](size_t operand, int64_t offset) {
      at[1] = (component + offset) % 3;
      return operands[operand][IndexOf(shape, at)];
    };
    const double a = element(0, 1), b = element(1, 2), c = element(0, 2), d = element(1, 1);
    result.emplace_back();
    if (std::isfinite(a) && std::isfinite(b) && std::isfinite(c) && std::isfinite(d)) {
      result.back() = (Real(a) * b - Real(c) * d).RoundedTo(node.ResultType().dtype);
    }
  }
  return result;
}

}  // namespace

std::optional<SlowElements> SlowFunction(const NodeView& node, Operands operands) {
  switch (KindOf(node.schema())) {
    case OpKind::kFloorDiv:
    case OpKind::kMod:
    case OpKind::kPow:
      return Pairs(node, operands);
    case OpKind::kCumsum:
      return RunningSums(node, operands);
    case OpKind::kCrossProduct:
      return CrossProducts(node, operands);
    default:
      return OneVariable(node, operands);
  }
}

}  // namespace anecheck::testing
