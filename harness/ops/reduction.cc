// Reductions: schemas and shape inference.
#include "harness/ops/infer.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "harness/ops/sets.h"

namespace anecheck {
namespace {

constexpr Parameter kReduceParameters[] = {
    {.name = "x", .dtypes = kNumbers},
    {.name = "axes", .kind = ParameterKind::kInts, .need = Need::kOptional, .default_text = "all"},
    {.name = "keep_dims",
     .kind = ParameterKind::kBool,
     .need = Need::kOptional,
     .default_text = "false"},
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

}  // namespace

constinit const OpDefinition kOpReduceSum = Reduce("reduce_sum", OpKind::kReduceSum);
constinit const OpDefinition kOpReduceMax = Reduce("reduce_max", OpKind::kReduceMax);

}  // namespace anecheck
