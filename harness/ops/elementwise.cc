// Elementwise arithmetic with broadcasting: schemas and shape inference.
#include <fmt/format.h>

#include "harness/ops/infer.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "harness/ops/sets.h"

namespace anecheck {
namespace {

constexpr Parameter kBinaryParameters[] = {
    {.name = "x", .dtypes = kNumbers},
    {.name = "y", .dtypes = kNumbers},
};

constexpr OpDefinition Binary(std::string_view name, OpKind kind) {
  return {.schema = {.name = name,
                     .id = static_cast<uint16_t>(kind),
                     .parameters = kBinaryParameters,
                     .infer = InferBroadcast},
          .op_class = OpClass::kElementwise,
          .netlist_unit = "ElementWise"};
}

constexpr Parameter kNumberParameters[] = {{.name = "x", .dtypes = kNumbers}};
constexpr Parameter kFloatParameters[] = {{.name = "x", .dtypes = kFloats}};

// Defaults of the MIL operation set (coremltools). In fp16 the last two round to zero.
constexpr Parameter kInverseParameters[] = {
    {.name = "x", .dtypes = kFloats},
    {.name = "epsilon",
     .kind = ParameterKind::kFloat,
     .need = Need::kOptional,
     .fallback = Default::Number(1e-4)},
};
constexpr Parameter kRsqrtParameters[] = {
    {.name = "x", .dtypes = kFloats},
    {.name = "epsilon",
     .kind = ParameterKind::kFloat,
     .need = Need::kOptional,
     .fallback = Default::Number(1e-12)},
};
constexpr Parameter kCumsumParameters[] = {
    {.name = "x", .dtypes = kNumbers},
    {.name = "axis",
     .kind = ParameterKind::kInt,
     .need = Need::kOptional,
     .fallback = Default::Number(0)},
    {.name = "exclusive",
     .kind = ParameterKind::kBool,
     .need = Need::kOptional,
     .fallback = Default::Flag(false)},
    {.name = "reverse",
     .kind = ParameterKind::kBool,
     .need = Need::kOptional,
     .fallback = Default::Flag(false)},
};

Status InferCumsum(const NodeView& node, ResultTypes& results) {
  const int rank = node.InputShape(params::Cumsum::kX).rank();
  const int64_t axis = node.Int(params::Cumsum::kAxis, 0);
  if (!NormalizeAxis(axis, rank)) {
    return Reject(node, fmt::format("axis {} is outside rank {}", axis, rank));
  }
  return InferSameAsX(node, results);
}

constexpr OpDefinition Unary(std::string_view name, OpKind kind,
                             std::span<const Parameter> parameters, std::string_view unit,
                             uint8_t floor = 0) {
  return {.schema = {.name = name,
                     .id = static_cast<uint16_t>(kind),
                     .parameters = parameters,
                     .infer = InferSameAsX},
          .op_class = OpClass::kElementwise,
          .family_floor = floor,
          .netlist_unit = unit};
}

}  // namespace

constinit const OpDefinition kOpAdd = Binary("add", OpKind::kAdd);
constinit const OpDefinition kOpSub = Binary("sub", OpKind::kSub);
constinit const OpDefinition kOpMul = Binary("mul", OpKind::kMul);
constinit const OpDefinition kOpRealDiv = Binary("real_div", OpKind::kRealDiv);
constinit const OpDefinition kOpMaximum = Binary("maximum", OpKind::kMaximum);
constinit const OpDefinition kOpMinimum = Binary("minimum", OpKind::kMinimum);
constinit const OpDefinition kOpFloorDiv = Binary("floor_div", OpKind::kFloorDiv);
constinit const OpDefinition kOpPow = Binary("pow", OpKind::kPow);
// No path on any family (facts/op_device_matrix.csv).
constinit const OpDefinition kOpMod = {.schema = {.name = "mod",
                                                  .id = static_cast<uint16_t>(OpKind::kMod),
                                                  .parameters = kBinaryParameters,
                                                  .infer = InferBroadcast},
                                       .op_class = OpClass::kElementwise,
                                       .family_floor = kNoFamily};
constinit const OpDefinition kOpAbs = Unary("abs", OpKind::kAbs, kNumberParameters, "ElementWise");
constinit const OpDefinition kOpSquare =
    Unary("square", OpKind::kSquare, kNumberParameters, "Neuron");
// Roots floor at A13 (facts/minimum_family.csv).
constinit const OpDefinition kOpSqrt = Unary("sqrt", OpKind::kSqrt, kFloatParameters, "Neuron", 2);
constinit const OpDefinition kOpRsqrt =
    Unary("rsqrt", OpKind::kRsqrt, kRsqrtParameters, "Neuron", 2);
constinit const OpDefinition kOpInverse =
    Unary("inverse", OpKind::kInverse, kInverseParameters, "Neuron");
constinit const OpDefinition kOpCumsum = {.schema = {.name = "cumsum",
                                                     .id = static_cast<uint16_t>(OpKind::kCumsum),
                                                     .parameters = kCumsumParameters,
                                                     .infer = InferCumsum},
                                          .op_class = OpClass::kElementwise};

}  // namespace anecheck
