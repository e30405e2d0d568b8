// Operations of the convolution class that are not plain sums of products, in MPFR.
#include <algorithm>
#include <cmath>

#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "oracles/testing/real.h"
#include "oracles/testing/slow_classes.h"
#include "oracles/testing/structure.h"

namespace anecheck::testing {
namespace {

using Operands = std::span<const std::vector<double>>;

double RoundTo(DType dtype, double x) { return Real(x).RoundedTo(dtype); }

SlowElements LinearActivation(const NodeView& node, Operands operands) {
  using P = params::LinearActivation;
  const DType dtype = node.ResultType().dtype;
  // Literals of operations on fp16 operands are not rounded to fp16.
  const auto literal = [&](int parameter, double fallback) {
    const double number = node.Float(parameter, fallback);
    return dtype == DType::kFp16 && node.HasAttribute(parameter)
               ? static_cast<double>(static_cast<float>(number))
               : RoundTo(dtype, number);
  };
  const double alpha = literal(P::kAlpha, 1);
  const double beta = literal(P::kBeta, 0);
  SlowElements result;
  for (const double x : operands[0]) {
    result.emplace_back();
    if (std::isfinite(x)) result.back() = (Real(x) * alpha + beta).RoundedTo(dtype);
  }
  return result;
}

// The bias is the last operand. A scale before the bias may be absent.
SlowElements GainOffset(const NodeView& node, Operands operands) {
  const Shape& shape = node.ResultType().shape;
  SlowElements result;
  for (size_t i = 0; i < operands[0].size(); ++i) {
    const auto channel = static_cast<size_t>(CoordinatesOf(shape, i)[1]);
    const double scale = operands.size() > 2 ? operands[1][channel] : 1;
    const double bias = operands.back()[channel];
    result.emplace_back();
    const bool finite =
        std::isfinite(operands[0][i]) && std::isfinite(scale) && std::isfinite(bias);
    if (!finite) continue;
    result.back() = (Real(operands[0][i]) * scale + bias).RoundedTo(node.ResultType().dtype);
  }
  return result;
}

SlowElements UnitElementwise(const NodeView& node, Operands operands) {
  const TensorType& type = node.ResultType();
  const std::string_view mode = node.String(params::UnitElementwise::kMode, "");
  SlowElements result;
  for (size_t i = 0; i < static_cast<size_t>(type.shape.Elements()); ++i) {
    const double a = operands[0][BroadcastIndex(node.InputShape(0), type.shape, i)];
    const double b = operands[1][BroadcastIndex(node.InputShape(1), type.shape, i)];
    result.emplace_back();
    if (!std::isfinite(a) || !std::isfinite(b)) continue;
    Real y = mode == "Max" ? std::max(a, b) : std::min(a, b);
    if (mode == "Add") y = Real(a) + b;
    if (mode == "Sub") y = Real(a) - b;
    if (mode == "Mult") y = Real(a) * b;
    result.back() = y.RoundedTo(type.dtype);
  }
  return result;
}

SlowElements Pool(const NodeView& node, Operands operands) {
  const DType dtype = node.ResultType().dtype;
  const bool root = KindOf(node.schema()) == OpKind::kL2Pool;
  const bool average = !root && node.String(params::UnitPool::kMode, "") == "Avg";
  SlowElements result;
  for (const Combined& combined : CombinedElements(node)) {
    Real sum;
    double largest = -HUGE_VAL;
    bool finite = true;
    for (const size_t i : combined.elements) {
      const double x = operands[0][i];
      finite = finite && std::isfinite(x);
      if (finite) sum = sum + (root ? Real(x) * x : Real(x));
      largest = std::max(largest, x);
    }
    result.emplace_back();
    if (!finite || combined.elements.empty()) continue;
    Real y = largest;
    if (root) y = Sqrt(sum);
    if (average) y = sum / static_cast<double>(combined.divisor);
    result.back() = y.RoundedTo(dtype);
  }
  return result;
}

SlowElements Bypass(Operands operands) {
  return SlowElements(operands[0].begin(), operands[0].end());
}

SlowElements Attention(const NodeView& node, Operands operands) {
  const Shape& query = node.InputShape(params::Attention::kQuery);
  const Shape& key = node.InputShape(params::Attention::kKey);
  const Shape& value = node.InputShape(params::Attention::kValue);
  const auto rank = static_cast<size_t>(query.rank());
  const int64_t keys = key[query.rank() - 2];
  const int64_t embedding = query[query.rank() - 1];
  Shape scores = query;
  scores[query.rank() - 1] = keys;
  SlowElements result;
  for (size_t i = 0; i < static_cast<size_t>(node.ResultType().shape.Elements()); ++i) {
    const Coordinates at = CoordinatesOf(node.ResultType().shape, i);
    Real sum;
    Real total;
    bool finite = true;
    for (int64_t k = 0; k < keys; ++k) {
      Real score;
      Coordinates from_query = at;
      Coordinates from_key = at;
      from_key[rank - 2] = k;
      for (int64_t e = 0; e < embedding; ++e) {
        from_query[rank - 1] = from_key[rank - 1] = e;
        score = score +
                Real(operands[0][IndexOf(query, from_query)]) * operands[1][IndexOf(key, from_key)];
      }
      score = score / Sqrt(Real(static_cast<double>(embedding)));
      if (operands.size() > 3) {
        Coordinates cell = at;
        cell[rank - 1] = k;
        const Shape& mask = node.InputShape(params::Attention::kAttnMask);
        score = score + operands[3][BroadcastIndex(mask, scores, IndexOf(scores, cell))];
      }
      Coordinates from_value = at;
      from_value[rank - 2] = k;
      const double v = operands[2][IndexOf(value, from_value)];
      finite = finite && std::isfinite(v);
      if (!finite) continue;
      const Real weight = Exp(score);
      sum = sum + weight * v;
      total = total + weight;
    }
    result.emplace_back();
    if (finite) result.back() = (sum / total).RoundedTo(node.ResultType().dtype);
  }
  return result;
}

}  // namespace

std::optional<std::vector<SlowElements>> SlowConvolution(const NodeView& node, Operands operands) {
  using Results = std::vector<SlowElements>;
  switch (KindOf(node.schema())) {
    case OpKind::kLinearActivation:
      return Results{LinearActivation(node, operands)};
    case OpKind::kPeGoc:
    case OpKind::kNativeDynamicGoc:
      return Results{GainOffset(node, operands)};
    case OpKind::kPeElementwise:
      return Results{UnitElementwise(node, operands)};
    case OpKind::kL2Pool:
    case OpKind::kNePool:
    case OpKind::kPePool:
      return Results{Pool(node, operands)};
    case OpKind::kNeBypass:
      return Results{Bypass(operands)};
    case OpKind::kScaledDotProductAttention:
      return Results{Attention(node, operands)};
    default:
      return std::nullopt;
  }
}

}  // namespace anecheck::testing
