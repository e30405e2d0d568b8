// Reductions and normalizations in MPFR.
#include <algorithm>
#include <cmath>
#include <optional>

#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "oracles/testing/real.h"
#include "oracles/testing/slow.h"
#include "oracles/testing/slow_operands.h"
#include "oracles/testing/structure.h"

namespace anecheck::testing {
namespace {

using Operands = std::span<const std::vector<double>>;

bool AllFinite(const std::vector<double>& terms) {
  return std::ranges::all_of(terms, [](double x) { return std::isfinite(x); });
}

template <typename Term>
Real Total(const std::vector<double>& terms, const Term& term) {
  Real sum;
  for (const double x : terms) sum = sum + term(Real(x));
  return sum;
}

Real Itself(const Real& x) { return x; }
Real Squared(const Real& x) { return x * x; }

// Returns the first position of the extreme.
double Position(const std::vector<double>& terms, bool largest) {
  const auto found = largest ? std::ranges::max_element(terms) : std::ranges::min_element(terms);
  return static_cast<double>(found - terms.begin());
}

std::optional<Real> Reduced(OpKind kind, const std::vector<double>& terms) {
  switch (kind) {
    case OpKind::kReduceMean:
      return Total(terms, Itself) / static_cast<double>(terms.size());
    case OpKind::kReduceMin:
      return Real(*std::ranges::min_element(terms));
    case OpKind::kReduceSumSquare:
      return Total(terms, Squared);
    case OpKind::kReduceL1Norm:
      return Total(terms, [](const Real& x) { return Abs(x); });
    case OpKind::kReduceL2Norm:
      return Sqrt(Total(terms, Squared));
    case OpKind::kReduceLogSum:
      return Log(Total(terms, Itself));
    case OpKind::kReduceLogSumExp:
      return Log(Total(terms, [](const Real& x) { return Exp(x); }));
    case OpKind::kReduceProd: {
      Real product(1.0);
      for (const double x : terms) product = product * x;
      return product;
    }
    case OpKind::kReduceArgmax:
      return Real(Position(terms, true));
    case OpKind::kReduceArgmin:
      return Real(Position(terms, false));
    default:
      return std::nullopt;
  }
}

// A literal of an operation on fp16 operands is not rounded to fp16.
double Attribute(const NodeView& node, int parameter, double fallback) {
  const double number = node.Float(parameter, fallback);
  const bool exact = node.HasAttribute(parameter) && node.ResultType().dtype == DType::kFp16;
  return exact ? static_cast<double>(static_cast<float>(number))
               : Real(number).RoundedTo(node.ResultType().dtype);
}

SlowElements InstanceNorm(const NodeView& node, Operands operands) {
  using P = params::InstanceNorm;
  const std::vector<double>& x = operands[0];
  const std::vector<double>* gamma = OperandAt(node, operands, P::kGamma);
  const std::vector<double>* beta = OperandAt(node, operands, P::kBeta);
  const double epsilon = Attribute(node, P::kEpsilon, 1e-5);
  SlowElements result(x.size());
  for (const auto& group : NormalisedGroups(node)) {
    std::vector<double> terms;
    for (const size_t i : group) terms.push_back(x[i]);
    if (!AllFinite(terms)) continue;
    const auto count = static_cast<double>(terms.size());
    const Real mean = Total(terms, Itself) / count;
    const Real variance =
        Total(terms, [&](const Real& term) { return Squared(term - mean); }) / count;
    const auto channel =
        static_cast<size_t>(CoordinatesOf(node.InputShape(P::kX), group.front())[1]);
    for (const size_t i : group) {
      Real y = (Real(x[i]) - mean) / Sqrt(variance + epsilon);
      if (gamma != nullptr) y = y * (*gamma)[channel];
      if (beta != nullptr) y = y + (*beta)[channel];
      if (y.IsNumber()) result[i] = y.RoundedTo(node.ResultType().dtype);
    }
  }
  return result;
}

SlowElements BatchNorm(const NodeView& node, Operands operands) {
  using P = params::BatchNorm;
  const std::vector<double>* gamma = OperandAt(node, operands, P::kGamma);
  const std::vector<double>* beta = OperandAt(node, operands, P::kBeta);
  const double epsilon = Attribute(node, P::kEpsilon, 1e-5);
  SlowElements result;
  for (size_t i = 0; i < operands[0].size(); ++i) {
    const auto c = static_cast<size_t>(CoordinatesOf(node.InputShape(P::kX), i)[1]);
    result.emplace_back();
    if (!std::isfinite(operands[0][i])) continue;
    const Real under = Real((*OperandAt(node, operands, P::kVariance))[c]) + epsilon;
    Real y = (Real(operands[0][i]) - (*OperandAt(node, operands, P::kMean))[c]) / Sqrt(under);
    if (gamma != nullptr) y = y * (*gamma)[c];
    if (beta != nullptr) y = y + (*beta)[c];
    if (y.IsNumber()) result.back() = y.RoundedTo(node.ResultType().dtype);
  }
  return result;
}

SlowElements L2Norm(const NodeView& node, Operands operands) {
  const std::vector<double>& x = operands[0];
  const double epsilon = Attribute(node, params::WithEpsilon::kEpsilon, 1e-6);
  SlowElements result(x.size());
  for (const auto& group : NormalisedGroups(node)) {
    std::vector<double> terms;
    for (const size_t i : group) terms.push_back(x[i]);
    if (!AllFinite(terms)) continue;
    const Real root = Sqrt(Total(terms, Squared) + epsilon);
    for (const size_t i : group) {
      const Real y = Real(x[i]) / root;
      if (y.IsNumber()) result[i] = y.RoundedTo(node.ResultType().dtype);
    }
  }
  return result;
}

SlowElements LocalResponseNorm(const NodeView& node, Operands operands) {
  using P = params::LocalResponseNorm;
  const std::vector<double>& x = operands[0];
  const auto size = static_cast<double>(node.Int(P::kSize, 1));
  SlowElements result;
  for (size_t i = 0; i < x.size(); ++i) {
    std::vector<double> terms;
    for (const size_t j : ResponseWindow(node, i)) terms.push_back(x[j]);
    result.emplace_back();
    if (!AllFinite(terms)) continue;
    const Real under = Real(Attribute(node, P::kAlpha, 1e-4)) / size * Total(terms, Squared) +
                       Attribute(node, P::kK, 1);
    const Real y = Real(x[i]) / Pow(under, Real(Attribute(node, P::kBeta, 0.75)));
    if (y.IsNumber()) result.back() = y.RoundedTo(node.ResultType().dtype);
  }
  return result;
}

}  // namespace

std::optional<SlowElements> SlowReduction(const NodeView& node, Operands operands) {
  const TensorType& type = node.ResultType();
  SlowElements result;
  for (const Combined& combined : CombinedElements(node)) {
    std::vector<double> terms;
    for (const size_t i : combined.elements) terms.push_back(operands[0][i]);
    result.emplace_back();
    if (!AllFinite(terms)) continue;
    const auto reduced = Reduced(KindOf(node.schema()), terms);
    if (!reduced) return std::nullopt;
    if (!reduced->IsNumber()) continue;
    result.back() =
        IsFloat(type.dtype) ? reduced->RoundedTo(type.dtype) : std::trunc(reduced->Odd());
  }
  return result;
}

std::optional<SlowElements> SlowNormalization(const NodeView& node, Operands operands) {
  switch (KindOf(node.schema())) {
    case OpKind::kInstanceNorm:
      return InstanceNorm(node, operands);
    case OpKind::kBatchNorm:
      return BatchNorm(node, operands);
    case OpKind::kL2Norm:
      return L2Norm(node, operands);
    case OpKind::kLocalResponseNorm:
      return LocalResponseNorm(node, operands);
    default:
      return std::nullopt;
  }
}

}  // namespace anecheck::testing
