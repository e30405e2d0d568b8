// Normalizations: schemas and shape inference.
#include <fmt/format.h>

#include "harness/ops/infer.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "harness/ops/sets.h"

namespace anecheck {
namespace {

constexpr Parameter kLayerNormParameters[] = {
    {.name = "x", .dtypes = kFloats},
    {.name = "axes", .kind = ParameterKind::kInts, .need = Need::kOptional, .default_text = "all"},
    {.name = "gamma", .need = Need::kOptional, .dtypes = kFloats, .constant = true},
    {.name = "beta", .need = Need::kOptional, .dtypes = kFloats, .constant = true},
    {.name = "epsilon",
     .kind = ParameterKind::kFloat,
     .need = Need::kOptional,
     .default_text = "1e-5"},
};

Status InferLayerNorm(const NodeView& node, ResultTypes& results) {
  using P = params::LayerNorm;
  const TensorType& x = node.InputType(P::kX);
  ANECHECK_ASSIGN(const uint32_t mask, AxisMask(node, P::kAxes, x.shape.rank()));
  Shape reduced;
  for (int axis = 0; axis < x.shape.rank(); ++axis) {
    if ((mask >> axis & 1) != 0) reduced.Append(x.shape[axis]);
  }
  for (const int parameter : {P::kGamma, P::kBeta}) {
    if (node.HasInput(parameter) && node.InputShape(parameter) != reduced) {
      return Reject(node, fmt::format("{} is {}, must be {}",
                                      node.schema().parameters[static_cast<size_t>(parameter)].name,
                                      node.InputShape(parameter).ToString(), reduced.ToString()));
    }
  }
  results.Add(x.dtype, x.shape);
  return {};
}

}  // namespace

constinit const OpDefinition kOpLayerNorm = {
    .schema = {.name = "layer_norm",
               .id = static_cast<uint16_t>(OpKind::kLayerNorm),
               .parameters = kLayerNormParameters,
               .infer = InferLayerNorm},
    .op_class = OpClass::kNormalization,
    .family_floor = 2,
    .netlist_unit = "LayerNormalization"};

}  // namespace anecheck
