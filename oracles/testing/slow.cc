#include "oracles/testing/slow.h"

#include <algorithm>
#include <cmath>

#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "oracles/testing/expand.h"
#include "oracles/testing/real.h"
#include "oracles/testing/slow_classes.h"
#include "oracles/testing/slow_operands.h"
#include "oracles/testing/structure.h"

namespace anecheck::testing {
namespace {

using Operands = std::span<const std::vector<double>>;

double RoundTo(DType dtype, double x) { return Real(x).RoundedTo(dtype); }

// Returns the result of IEEE 754 for a pair with an infinity, a NaN or a zero divisor.
double SpecialPair(OpKind kind, double a, double b) {
  if (kind == OpKind::kAdd) return a + b;
  if (kind == OpKind::kSub) return a - b;
  if (kind == OpKind::kMul) return a * b;
  if (kind == OpKind::kRealDiv) return a / b;
  if (std::isnan(a) || std::isnan(b)) return NAN;
  return kind == OpKind::kMaximum ? std::max(a, b) : std::min(a, b);
}

SlowElements Binary(const NodeView& node, Operands operands) {
  const TensorType& type = node.ResultType();
  const OpKind kind = KindOf(node.schema());
  SlowElements result(static_cast<size_t>(type.shape.Elements()));
  for (size_t i = 0; i < result.size(); ++i) {
    const double a = operands[0][BroadcastIndex(node.InputShape(0), type.shape, i)];
    const double b = operands[1][BroadcastIndex(node.InputShape(1), type.shape, i)];
    if (!std::isfinite(a) || !std::isfinite(b) || (kind == OpKind::kRealDiv && b == 0)) {
      if (IsFloat(type.dtype)) result[i] = SpecialPair(kind, a, b);
      continue;
    }
    Real y;
    if (kind == OpKind::kAdd) y = Real(a) + b;
    if (kind == OpKind::kSub) y = Real(a) - b;
    if (kind == OpKind::kMul) y = Real(a) * b;
    if (kind == OpKind::kRealDiv) y = Real(a) / b;
    if (kind == OpKind::kMaximum) y = std::max(a, b);
    if (kind == OpKind::kMinimum) y = std::min(a, b);
    if (IsFloat(type.dtype)) {
      result[i] = y.RoundedTo(type.dtype);
    } else if (kind != OpKind::kRealDiv) {
      // Wraps in two's complement. The product of two int32 fits 64 bits.
      const int shift = 64 - DTypeBits(type.dtype);
      const auto wide = static_cast<uint64_t>(kind == OpKind::kMul ? static_cast<int64_t>(a) *
                                                                         static_cast<int64_t>(b)
                                                                   : static_cast<int64_t>(y.Odd()));
      const bool has_sign =
          type.dtype == DType::kInt32 || type.dtype == DType::kInt16 || type.dtype == DType::kInt8;
      result[i] = has_sign ? static_cast<double>(static_cast<int64_t>(wide << shift) >> shift)
                           : static_cast<double>((wide << shift) >> shift);
    }
  }
  return result;
}

Real Sigmoid(const Real& x) { return Real(1.0) / (Real(1.0) + Exp(-x)); }

Real Gelu(std::string_view mode, const Real& x) {
  if (mode == "SIGMOID_APPROXIMATION") return x * Sigmoid(x * Real(1702.0) / 1000.0);
  if (mode == "TANH_APPROXIMATION") {
    const Real inner = Sqrt(Real(2.0) / Real::Pi()) * (x + Real(44715.0) / 1e6 * x * x * x);
    return x / 2.0 * (Real(1.0) + Tanh(inner));
  }
  return x / 2.0 * Erfc(-x / Sqrt(Real(2.0)));
}

SlowElements Unary(const NodeView& node, Operands operands) {
  const DType dtype = node.ResultType().dtype;
  SlowElements result;
  for (const double x : operands[0]) {
    result.emplace_back();
    if (!std::isfinite(x)) {
      if (std::isnan(x)) result.back() = x;
      continue;
    }
    switch (KindOf(node.schema())) {
      case OpKind::kRelu:
        result.back() = std::max(x, 0.0);
        break;
      case OpKind::kClip: {
        const bool half = dtype == DType::kFp16;  // then a literal is not rounded to fp16
        const auto limit = [&](int parameter) {
          const double given = node.Float(parameter, 0);
          return half ? static_cast<double>(static_cast<float>(given)) : RoundTo(dtype, given);
        };
        result.back() =
            RoundTo(dtype, std::clamp(x, limit(params::Clip::kAlpha), limit(params::Clip::kBeta)));
        break;
      }
      case OpKind::kSigmoid:
        result.back() = Sigmoid(x).RoundedTo(dtype);
        break;
      case OpKind::kTanh:
        result.back() = Tanh(Real(x)).RoundedTo(dtype);
        break;
      default:
        result.back() = Gelu(node.String(params::Gelu::kMode, "EXACT"), x).RoundedTo(dtype);
        break;
    }
  }
  return result;
}

// Returns the expanded second operand, rounded once, if the operation expands it.
std::optional<std::vector<double>> Expanded(const NodeView& node, Operands operands) {
  const DType dtype = node.ResultType().dtype;
  return ExpandedWeight(
      node, operands, [](double x) { return x; }, [&](double x) { return RoundTo(dtype, x); });
}

// `right` is the second operand of the sums, expanded if necessary.
std::optional<double> ProductsOf(const NodeView& node, Operands operands,
                                 const std::vector<double>& right, const ProductSum& products) {
  // Operations without a bias have an attribute or nothing at this index.
  const std::vector<double>* bias = OperandAt(node, operands, params::Conv::kBias);
  Real sum;
  bool finite = true;
  for (const auto& [i, j] : products.pairs) {
    finite = finite && std::isfinite(operands[0][i]) && std::isfinite(right[j]);
    if (finite) sum = sum + Real(operands[0][i]) * right[j];
  }
  if (bias != nullptr) {
    finite = finite && std::isfinite((*bias)[products.bias]);
    if (finite) sum = sum + (*bias)[products.bias];
  }
  const DType dtype = node.ResultType().dtype;
  if (!finite || (!IsFloat(dtype) && !(std::fabs(sum.Odd()) < 0x1p52))) return std::nullopt;
  if (IsFloat(dtype)) return sum.RoundedTo(dtype);
  // int32 wraps.
  const auto whole = static_cast<int64_t>(sum.Odd());
  return static_cast<double>(static_cast<int32_t>(static_cast<uint32_t>(whole)));
}

SlowElements MultiplyAccumulate(const NodeView& node, Operands operands) {
  const auto expanded = Expanded(node, operands);
  const std::vector<double>& right = expanded ? *expanded : operands[1];
  SlowElements result;
  for (const ProductSum& products : ProductSums(node)) {
    result.push_back(ProductsOf(node, operands, right, products));
  }
  return result;
}

SlowElements Combine(const NodeView& node, Operands operands) {
  SlowElements result;
  const OpKind kind = KindOf(node.schema());
  const DType dtype = node.ResultType().dtype;
  for (const Combined& combined : CombinedElements(node)) {
    Real sum;
    double largest = -HUGE_VAL;
    bool finite = true;
    for (const size_t i : combined.elements) {
      const double x = operands[0][i];
      finite = finite && std::isfinite(x);
      if (finite) sum = sum + x;
      largest = std::max(largest, x);
    }
    result.emplace_back();
    if (!finite || combined.elements.empty()) continue;
    if (kind == OpKind::kMaxPool || kind == OpKind::kReduceMax) {
      result.back() = largest;
    } else if (kind == OpKind::kAvgPool) {
      result.back() = (sum / static_cast<double>(combined.divisor)).RoundedTo(dtype);
    } else if (IsFloat(dtype)) {
      result.back() = sum.RoundedTo(dtype);
    } else if (std::fabs(sum.Odd()) < 0x1p31) {
      result.back() = sum.Odd();
    }
  }
  return result;
}

bool AllFinite(const std::vector<double>& x, const std::vector<size_t>& group) {
  return std::ranges::all_of(group, [&](size_t i) { return std::isfinite(x[i]); });
}

SlowElements Softmax(const NodeView& node, Operands operands) {
  const std::vector<double>& x = operands[0];
  SlowElements result(x.size());
  for (const auto& group : NormalisedGroups(node)) {
    if (!AllFinite(x, group)) continue;
    Real sum;
    for (const size_t i : group) sum = sum + Exp(Real(x[i]));
    for (const size_t i : group) {
      result[i] = (Exp(Real(x[i])) / sum).RoundedTo(node.ResultType().dtype);
    }
  }
  return result;
}

SlowElements LayerNorm(const NodeView& node, Operands operands) {
  using P = params::LayerNorm;
  const DType dtype = node.ResultType().dtype;
  const std::vector<double>& x = operands[0];
  const std::vector<double>* gamma = OperandAt(node, operands, P::kGamma);
  const std::vector<double>* beta = OperandAt(node, operands, P::kBeta);
  const double given = node.Float(P::kEpsilon, 1e-5);
  // An epsilon that is given has type fp32.
  const double epsilon = RoundTo(node.HasAttribute(P::kEpsilon) ? DType::kFp32 : dtype, given);
  SlowElements result(x.size());
  for (const auto& group : NormalisedGroups(node)) {
    if (!AllFinite(x, group)) continue;
    const auto count = static_cast<double>(group.size());
    Real sum;
    for (const size_t i : group) sum = sum + x[i];
    const Real mean = sum / count;
    Real squares;
    for (const size_t i : group) squares = squares + (Real(x[i]) - mean) * (Real(x[i]) - mean);
    const Real root = Sqrt(squares / count + epsilon);
    for (size_t k = 0; k < group.size(); ++k) {
      Real y = (Real(x[group[k]]) - mean) / root;
      if (gamma != nullptr) y = y * (*gamma)[k];
      if (beta != nullptr) y = y + (*beta)[k];
      if (std::isfinite(y.Odd())) result[group[k]] = y.RoundedTo(dtype);
    }
  }
  return result;
}

double FromSource(DType dtype, Operands operands, const Source& source) {
  if (source.operand >= 0) return operands[static_cast<size_t>(source.operand)][source.element];
  return IsFloat(dtype) ? RoundTo(dtype, source.constant) : std::trunc(source.constant);
}

SlowElements Move(const NodeView& node, Operands operands, uint32_t index) {
  SlowElements result;
  const DType dtype = node.ResultType(index).dtype;
  for (const Source& source : MovedElements(node, operands, index)) {
    result.emplace_back(FromSource(dtype, operands, source));
  }
  return result;
}

Real Applied(std::string_view mode, const Real& a, double b) {
  if (mode == "add") return a + b;
  if (mode == "sub") return a - b;
  if (mode == "mul") return a * b;
  if (mode == "div") return a / b;
  if (mode == "max") return a.Odd() > b ? a : Real(b);
  if (mode == "min") return a.Odd() < b ? a : Real(b);
  return b;
}

SlowElements Scatter(const NodeView& node, Operands operands) {
  const int parameter = node.schema().FindParameter("mode");
  const std::string_view mode = node.String(parameter, "add");
  const DType dtype = node.ResultType().dtype;
  const auto updates = ScatteredUpdates(node, operands);
  SlowElements result;
  for (size_t i = 0; i < updates.size(); ++i) {
    result.emplace_back();
    Real y = operands[0][i];
    bool finite = std::isfinite(operands[0][i]);
    for (const size_t from : updates[i]) {
      const double update = operands[2][from];
      if (mode == "update") finite = true;
      finite = finite && std::isfinite(update) && !(mode == "div" && update == 0);
      if (finite) y = Applied(mode, y, update);
    }
    if (finite && IsFloat(dtype)) result.back() = y.RoundedTo(dtype);
  }
  return result;
}

SlowElements Cast(const NodeView& node, Operands operands) {
  const DType to = node.ResultType().dtype;
  SlowElements result;
  for (const double x : operands[0]) {
    result.emplace_back();
    if (!std::isfinite(x)) continue;
    if (to == DType::kBool) {
      result.back() = x != 0 ? 1 : 0;
    } else if (IsFloat(to)) {
      result.back() = RoundTo(to, x);
    } else if (std::fabs(x) < 128) {
      const bool has_sign = to == DType::kInt32 || to == DType::kInt16 || to == DType::kInt8;
      if (has_sign || x >= 0) result.back() = std::trunc(x);
    }
  }
  return result;
}

std::optional<SlowElements> SlowOfClass(const NodeView& node, Operands operands) {
  switch (DefinitionOf(node.schema()).op_class) {
    case OpClass::kComparison:
      return SlowComparison(node, operands);
    case OpClass::kElementwise:
    case OpClass::kActivation:
    case OpClass::kTrigonometric:
      return SlowFunction(node, operands);
    case OpClass::kReduction:
      return SlowReduction(node, operands);
    case OpClass::kNormalization:
      return SlowNormalization(node, operands);
    default:
      return std::nullopt;
  }
}

std::optional<SlowElements> ValuesInOrder(const NodeView& node, Operands operands,
                                          uint32_t result) {
  if (IsMovement(node)) return Move(node, operands, result);
  if (IsScatter(node)) return Scatter(node, operands);
  if (auto image = SlowImage(node, operands, result)) return image;
  if (DefinitionOf(node.schema()).products != Products::kNone) {
    return MultiplyAccumulate(node, operands);
  }
  switch (KindOf(node.schema())) {
    case OpKind::kAdd:
    case OpKind::kSub:
    case OpKind::kMul:
    case OpKind::kRealDiv:
    case OpKind::kMaximum:
    case OpKind::kMinimum:
      return Binary(node, operands);
    case OpKind::kRelu:
    case OpKind::kClip:
    case OpKind::kSigmoid:
    case OpKind::kTanh:
    case OpKind::kGelu:
      return Unary(node, operands);
    case OpKind::kAvgPool:
    case OpKind::kMaxPool:
    case OpKind::kReduceSum:
    case OpKind::kReduceMax:
      return Combine(node, operands);
    case OpKind::kSoftmax:
      return Softmax(node, operands);
    case OpKind::kLayerNorm:
      return LayerNorm(node, operands);
    case OpKind::kCast:
      return Cast(node, operands);
    default:
      break;
  }
  for (const auto slow :
       {SlowConvolution, SlowQuantization, SlowRecurrent, SlowControl, SlowNative}) {
    const auto results = slow(node, operands);
    if (results && result < results->size()) return (*results)[result];
  }
  return result == 0 ? SlowOfClass(node, operands) : std::nullopt;
}

}  // namespace

SlowElements SlowProducts(const NodeView& node, Operands operands,
                          std::span<const size_t> elements) {
  const auto expanded = Expanded(node, operands);
  const std::vector<double>& right = expanded ? *expanded : operands[1];
  SlowElements sample;
  for (const size_t at : elements) {
    sample.push_back(ProductsOf(node, operands, right, ProductSumOf(node, at)));
  }
  return sample;
}

double SlowMoved(const NodeView& node, Operands operands, uint32_t result, size_t index) {
  return FromSource(node.ResultType(result).dtype, operands,
                    MovedElement(node, operands, result, index));
}

std::optional<SlowElements> SlowValues(const NodeView& node, Operands operands, uint32_t result) {
  const InSchemaOrder ordered(node, operands);
  return ValuesInOrder(ordered.node(), ordered.operands(), result);
}

}  // namespace anecheck::testing
