// Reductions: schemas and shape inference.
#include <array>
#include <fmt/format.h>

#include "harness/ops/infer.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"
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

constexpr OpDefinition Reduce(std::string_view name, OpKind kind) {
  return {.schema = {.name = name,
                     .id = static_cast<uint16_t>(kind),
                     .parameters = kReduceParameters,
                     .infer = InferReduce},
          .op_class = OpClass::kReduction,
          .family_floor = 2,
          .netlist_unit = "Reduction"};
}

// Roots and logarithms are truncated to int32 (coremltools).
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

constexpr OpDefinition ReduceReals(std::string_view name, OpKind kind) {
  OpDefinition op = Reduce(name, kind);
  op.schema.parameters = kReduceRealParameters;
  return op;
}

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

constexpr OpDefinition ReduceArg(std::string_view name, OpKind kind, uint8_t floor) {
  return {.schema = {.name = name,
                     .id = static_cast<uint16_t>(kind),
                     .parameters = kReduceArgParameters,
                     .infer = InferReduceArg},
          .op_class = OpClass::kReduction,
          .family_floor = floor,
          .netlist_unit = "ArgMinMax"};
}

constexpr OpDefinition ReduceOnHost(std::string_view name, OpKind kind) {
  OpDefinition op = Reduce(name, kind);
  op.family_floor = kNoFamily;
  op.netlist_unit = {};
  return op;
}

}  // namespace

constinit const OpDefinition kOpReduceSum = Reduce("reduce_sum", OpKind::kReduceSum);
constinit const OpDefinition kOpReduceMax = Reduce("reduce_max", OpKind::kReduceMax);
constinit const OpDefinition kOpReduceMean = Reduce("reduce_mean", OpKind::kReduceMean);
constinit const OpDefinition kOpReduceMin = Reduce("reduce_min", OpKind::kReduceMin);
constinit const OpDefinition kOpReduceSumSquare =
    Reduce("reduce_sum_square", OpKind::kReduceSumSquare);
constinit const OpDefinition kOpReduceL1Norm = Reduce("reduce_l1_norm", OpKind::kReduceL1Norm);
constinit const OpDefinition kOpReduceL2Norm = ReduceReals("reduce_l2_norm", OpKind::kReduceL2Norm);
constinit const OpDefinition kOpReduceLogSum = ReduceReals("reduce_log_sum", OpKind::kReduceLogSum);
constinit const OpDefinition kOpReduceLogSumExp =
    ReduceReals("reduce_log_sum_exp", OpKind::kReduceLogSumExp);
constinit const OpDefinition kOpReduceArgmax = ReduceArg("reduce_argmax", OpKind::kReduceArgmax, 2);
// The conversion route rejects it below A15 (facts/known_defects.csv, D32).
constinit const OpDefinition kOpReduceArgmin = ReduceArg("reduce_argmin", OpKind::kReduceArgmin, 4);
constinit const OpDefinition kOpReduceProd = ReduceOnHost("reduce_prod", OpKind::kReduceProd);

}  // namespace anecheck
