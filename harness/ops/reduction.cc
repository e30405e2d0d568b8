// Reductions: schemas and shape inference.
#include <array>
#include <fmt/format.h>

#include "harness/ops/infer.h"
#include "harness/ops/params.h"
#include "harness/ops/row.h"
#include "harness/ops/sets.h"

namespace anecheck {
namespace {

constexpr Parameter kReduceParameters[] = {
    {.name = "x", .dtypes = kNumbers},
    {.name = "axes",
     .kind = ParameterKind::kInts,
     .need = Need::kOptional,
     .fallback = Default::Words("all")},
    {.name = "keep_dims",
     .kind = ParameterKind::kBool,
     .need = Need::kOptional,
     .fallback = Default::Flag(false)},
};

Status InferReduce(const NodeView& node, ResultTypes& results) {
  using P = params::Reduce;
  const TensorType& x = node.InputType(P::kX);
  ANECHECK_ASSIGN(const uint32_t mask, AxisMask(node, P::kAxes, x.shape.rank()));
  const bool keep = node.Bool(P::kKeepDims, false);
  Shape shape;
  for (int axis = 0; axis < x.shape.rank(); ++axis) {
    const bool reduced = (mask >> axis & 1) != 0;
    if (!reduced) shape.Append(x.shape[axis]);
    if (reduced && keep) shape.Append(1);
  }
  results.Add(x.dtype, shape);
  return {};
}

// If x is int32, roots and logarithms are truncated to int32 (coremltools).
constexpr Parameter kReduceRealParameters[] = {
    {.name = "x", .dtypes = {DType::kFp16, DType::kFp32, DType::kInt32}},
    {.name = "axes",
     .kind = ParameterKind::kInts,
     .need = Need::kOptional,
     .fallback = Default::Words("all")},
    {.name = "keep_dims",
     .kind = ParameterKind::kBool,
     .need = Need::kOptional,
     .fallback = Default::Flag(false)},
};

constexpr std::array<std::string_view, 2> kIndexTypes = {"int32", "uint16"};
constexpr Parameter kReduceArgParameters[] = {
    {.name = "x", .dtypes = kNumbers},
    {.name = "axis",
     .kind = ParameterKind::kInt,
     .need = Need::kOptional,
     .fallback = Default::Number(-1)},
    {.name = "keep_dims",
     .kind = ParameterKind::kBool,
     .need = Need::kOptional,
     .fallback = Default::Flag(false)},
    {.name = "output_dtype",
     .kind = ParameterKind::kString,
     .need = Need::kOptional,
     .choices = kIndexTypes,
     .fallback = Default::Name("int32")},
};

Status InferReduceArg(const NodeView& node, ResultTypes& results) {
  using P = params::ReduceArg;
  const Shape& x = node.InputShape(P::kX);
  const int64_t given = node.Int(P::kAxis, -1);
  const auto reduced = NormalizeAxis(given, x.rank());
  if (!reduced) return Reject(node, fmt::format("axis {} is outside rank {}", given, x.rank()));
  if (x[*reduced] == 0) return Reject(node, fmt::format("axis {} has no elements", given));
  Shape shape;
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (axis != *reduced) shape.Append(x[axis]);
    if (axis == *reduced && node.Bool(P::kKeepDims, false)) shape.Append(1);
  }
  results.Add(*DTypeFromName(node.String(P::kOutputDtype, "int32")), shape);
  return {};
}

}  // namespace

constinit const OpDefinition kOpReduceSum =
    Define(OpKind::kReduceSum, kReduceParameters, InferReduce);
constinit const OpDefinition kOpReduceMax =
    Define(OpKind::kReduceMax, kReduceParameters, InferReduce);
constinit const OpDefinition kOpReduceMean =
    Define(OpKind::kReduceMean, kReduceParameters, InferReduce);
constinit const OpDefinition kOpReduceMin =
    Define(OpKind::kReduceMin, kReduceParameters, InferReduce);
constinit const OpDefinition kOpReduceSumSquare =
    Define(OpKind::kReduceSumSquare, kReduceParameters, InferReduce);
constinit const OpDefinition kOpReduceL1Norm =
    Define(OpKind::kReduceL1Norm, kReduceParameters, InferReduce);
constinit const OpDefinition kOpReduceL2Norm =
    Define(OpKind::kReduceL2Norm, kReduceRealParameters, InferReduce);
constinit const OpDefinition kOpReduceLogSum =
    Define(OpKind::kReduceLogSum, kReduceRealParameters, InferReduce);
constinit const OpDefinition kOpReduceLogSumExp =
    Define(OpKind::kReduceLogSumExp, kReduceRealParameters, InferReduce);
constinit const OpDefinition kOpReduceArgmax =
    Define(OpKind::kReduceArgmax, kReduceArgParameters, InferReduceArg);
// The conversion route rejects reduce_argmin below A15 (facts/known_defects.csv, D32).
constinit const OpDefinition kOpReduceArgmin =
    Define(OpKind::kReduceArgmin, kReduceArgParameters, InferReduceArg);
constinit const OpDefinition kOpReduceProd =
    Define(OpKind::kReduceProd, kReduceParameters, InferReduce);

}  // namespace anecheck
