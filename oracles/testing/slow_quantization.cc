// Quantization and compressed constants, in MPFR.
#include <algorithm>
#include <cmath>

#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "oracles/testing/expand.h"
#include "oracles/testing/real.h"
#include "oracles/testing/slow_classes.h"
#include "oracles/testing/structure.h"

namespace anecheck::testing {
namespace {

using Operands = std::span<const std::vector<double>>;

const std::vector<double>* At(const NodeView& node, Operands operands, int parameter) {
  const auto arguments = node.graph().arguments(node.node());
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].parameter == parameter) return &operands[i];
  }
  return nullptr;
}

// Returns the element of the scale and zero point for element `i` of the input.
size_t ScaleIndex(const NodeView& node, size_t i) {
  using P = params::Dequantize;
  const Shape& shape = node.InputShape(P::kInput);
  if (node.InputShape(P::kScale).rank() == 0) return 0;
  const int64_t axis = node.Int(P::kAxis, 0);
  return static_cast<size_t>(
      CoordinatesOf(shape, i)[static_cast<size_t>(axis < 0 ? axis + shape.rank() : axis)]);
}

// Returns the integer nearest to a quotient of numbers of the element type, ties to even.
double RoundedQuotient(const Real& quotient) {
  const double odd = quotient.Odd();
  const double below = std::floor(odd);
  const double rest = odd - below;
  const bool up = rest > 0.5 || (rest == 0.5 && std::fmod(below, 2) != 0);
  return up ? below + 1 : below;
}

SlowElements Quantize(const NodeView& node, Operands operands) {
  using P = params::Quantize;
  const std::vector<double>* zero = At(node, operands, P::kZeroPoint);
  const bool has_sign = node.ResultType().dtype == DType::kInt8;
  SlowElements result;
  for (size_t i = 0; i < operands[0].size(); ++i) {
    const size_t k = ScaleIndex(node, i);
    const double scale = (*At(node, operands, P::kScale))[k];
    result.emplace_back();
    if (!std::isfinite(operands[0][i]) || scale == 0) continue;
    const double rounded = RoundedQuotient(Real(operands[0][i]) / scale);
    result.back() = std::clamp(rounded + (zero == nullptr ? 0 : (*zero)[k]),
                               has_sign ? -128.0 : 0.0, has_sign ? 127.0 : 255.0);
  }
  return result;
}

SlowElements Dequantize(const NodeView& node, Operands operands) {
  using P = params::Dequantize;
  const std::vector<double>* zero = At(node, operands, P::kZeroPoint);
  SlowElements result;
  for (size_t i = 0; i < operands[0].size(); ++i) {
    const size_t k = ScaleIndex(node, i);
    const Real difference = Real(operands[0][i]) - (zero == nullptr ? 0 : (*zero)[k]);
    result.emplace_back(
        (difference * (*At(node, operands, P::kScale))[k]).RoundedTo(node.ResultType().dtype));
  }
  return result;
}

}  // namespace

std::optional<std::vector<SlowElements>> SlowQuantization(const NodeView& node, Operands operands) {
  using Results = std::vector<SlowElements>;
  const OpKind kind = KindOf(node.schema());
  if (kind == OpKind::kQuantize) return Results{Quantize(node, operands)};
  if (kind == OpKind::kDequantize) return Results{Dequantize(node, operands)};
  const auto expanded = ExpandedConstant(node, operands);
  if (!expanded) return std::nullopt;
  Results results;
  for (size_t r = 0; r < expanded->size(); ++r) {
    const DType dtype = node.ResultType(static_cast<uint32_t>(r)).dtype;
    const bool rounds = dtype == DType::kFp16 || dtype == DType::kFp32;
    SlowElements& result = results.emplace_back();
    for (const double x : (*expanded)[r]) {
      result.emplace_back(rounds && std::isfinite(x) ? Real(x).RoundedTo(dtype) : x);
    }
  }
  return results;
}

}  // namespace anecheck::testing
