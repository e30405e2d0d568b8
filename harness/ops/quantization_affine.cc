// quantize and dequantize at run time: schemas and shape inference (coremltools op reference, iOS17
// quantization ops).
#include <fmt/format.h>

#include "harness/ops/infer.h"
#include "harness/ops/params.h"
#include "harness/ops/row.h"
#include "harness/ops/sets.h"

namespace anecheck {
namespace {

constexpr DTypeSet kBytes = {DType::kInt8, DType::kUint8};
constexpr std::array<std::string_view, 2> kByteNames = {"int8", "uint8"};

constexpr Parameter kQuantizeParameters[] = {
    {.name = "input", .dtypes = kFloats},
    {.name = "scale", .dtypes = kFloats, .constant = true},
    {.name = "zero_point",
     .need = Need::kOptional,
     .dtypes = kBytes,
     .constant = true,
     .fallback = Default::Number(0)},
    {.name = "axis", .kind = ParameterKind::kInt, .need = Need::kOptional},
    {.name = "output_dtype", .kind = ParameterKind::kString, .choices = kByteNames},
};
constexpr Parameter kDequantizeParameters[] = {
    {.name = "input", .dtypes = kBytes},
    {.name = "scale", .dtypes = kFloats, .constant = true},
    {.name = "zero_point",
     .need = Need::kOptional,
     .dtypes = kBytes,
     .constant = true,
     .fallback = Default::Number(0)},
    {.name = "axis", .kind = ParameterKind::kInt, .need = Need::kOptional},
};

// Scale and zero point must be scalars if there is no axis, or vectors of the axis's extent.
Status CheckScale(const NodeView& node) {
  using P = params::Dequantize;
  const Shape& input = node.InputShape(P::kInput);
  const Shape& scale = node.InputShape(P::kScale);
  if (node.HasInput(P::kZeroPoint) && node.InputShape(P::kZeroPoint) != scale) {
    return Reject(node, fmt::format("zero_point {} and scale {} must have one shape",
                                    node.InputShape(P::kZeroPoint).ToString(), scale.ToString()));
  }
  if (scale.rank() == 0) {
    if (node.HasAttribute(P::kAxis)) return Reject(node, "a scalar scale takes no axis");
    return {};
  }
  if (!node.HasAttribute(P::kAxis)) return Reject(node, "a vector scale needs an axis");
  const auto axis = NormalizeAxis(node.Int(P::kAxis, 0), input.rank());
  if (!axis) return Reject(node, fmt::format("axis is outside rank {}", input.rank()));
  if (scale != Shape{input[*axis]}) {
    return Reject(node, fmt::format("scale is {}, axis {} of the input has extent {}",
                                    scale.ToString(), *axis, input[*axis]));
  }
  return {};
}

Status InferQuantize(const NodeView& node, ResultTypes& results) {
  using P = params::Quantize;
  ANECHECK_RETURN_IF_ERROR(CheckScale(node));
  const DType dtype = *DTypeFromName(node.String(P::kOutputDtype, "int8"));
  if (node.HasInput(P::kZeroPoint) && node.InputType(P::kZeroPoint).dtype != dtype) {
    return Reject(node, "zero_point must be of output_dtype");
  }
  if (node.InputType(P::kScale).dtype != node.InputType(P::kInput).dtype) {
    return Reject(node, "scale must be of the input's element type");
  }
  results.Add(dtype, node.InputShape(P::kInput));
  return {};
}

Status InferDequantize(const NodeView& node, ResultTypes& results) {
  using P = params::Dequantize;
  ANECHECK_RETURN_IF_ERROR(CheckScale(node));
  if (node.HasInput(P::kZeroPoint) &&
      node.InputType(P::kZeroPoint).dtype != node.InputType(P::kInput).dtype) {
    return Reject(node, "zero_point must be of the input's element type");
  }
  results.Add(node.InputType(P::kScale).dtype, node.InputShape(P::kInput));
  return {};
}

}  // namespace

constinit const OpDefinition kOpQuantize =
    Define(OpKind::kQuantize, kQuantizeParameters, InferQuantize);
constinit const OpDefinition kOpDequantize =
    Define(OpKind::kDequantize, kDequantizeParameters, InferDequantize);

}  // namespace anecheck
