// Elementwise arithmetic with broadcasting: schemas and shape inference.
#include <fmt/format.h>

#include "harness/ops/infer.h"
#include "harness/ops/params.h"
#include "harness/ops/row.h"
#include "harness/ops/sets.h"

namespace anecheck {
namespace {

constexpr Parameter kBinaryParameters[] = {
    {.name = "x", .dtypes = kNumbers},
    {.name = "y", .dtypes = kNumbers},
};

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

}  // namespace

constinit const OpDefinition kOpAdd = Define(OpKind::kAdd, kBinaryParameters, InferBroadcast);
constinit const OpDefinition kOpSub = Define(OpKind::kSub, kBinaryParameters, InferBroadcast);
constinit const OpDefinition kOpMul = Define(OpKind::kMul, kBinaryParameters, InferBroadcast);
constinit const OpDefinition kOpRealDiv =
    Define(OpKind::kRealDiv, kBinaryParameters, InferBroadcast);
constinit const OpDefinition kOpMaximum =
    Define(OpKind::kMaximum, kBinaryParameters, InferBroadcast);
constinit const OpDefinition kOpMinimum =
    Define(OpKind::kMinimum, kBinaryParameters, InferBroadcast);
constinit const OpDefinition kOpFloorDiv =
    Define(OpKind::kFloorDiv, kBinaryParameters, InferBroadcast);
constinit const OpDefinition kOpPow = Define(OpKind::kPow, kBinaryParameters, InferBroadcast);
// mod has no path to the engine on any family (facts/op_device_matrix.csv).
constinit const OpDefinition kOpMod = Define(OpKind::kMod, kBinaryParameters, InferBroadcast);
constinit const OpDefinition kOpAbs = Define(OpKind::kAbs, kNumberParameters, InferSameAsX);
constinit const OpDefinition kOpSquare = Define(OpKind::kSquare, kNumberParameters, InferSameAsX);
// The lowest family of roots is A13 (facts/minimum_family.csv).
constinit const OpDefinition kOpSqrt = Define(OpKind::kSqrt, kFloatParameters, InferSameAsX);
constinit const OpDefinition kOpRsqrt = Define(OpKind::kRsqrt, kRsqrtParameters, InferSameAsX);
constinit const OpDefinition kOpInverse =
    Define(OpKind::kInverse, kInverseParameters, InferSameAsX);
constinit const OpDefinition kOpCumsum = Define(OpKind::kCumsum, kCumsumParameters, InferCumsum);

}  // namespace anecheck
