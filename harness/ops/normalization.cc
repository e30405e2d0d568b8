// Normalizations: schemas and shape inference.
#include <fmt/format.h>

#include "harness/ops/infer.h"
#include "harness/ops/params.h"
#include "harness/ops/row.h"
#include "harness/ops/sets.h"

namespace anecheck {
namespace {

constexpr Parameter kLayerNormParameters[] = {
    {.name = "x", .dtypes = kFloats},
    {.name = "axes",
     .kind = ParameterKind::kInts,
     .need = Need::kOptional,
     .fallback = Default::Words("all")},
    {.name = "gamma", .need = Need::kOptional, .dtypes = kFloats, .constant = true},
    {.name = "beta", .need = Need::kOptional, .dtypes = kFloats, .constant = true},
    {.name = "epsilon",
     .kind = ParameterKind::kFloat,
     .need = Need::kOptional,
     .fallback = Default::Number(1e-5)},
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

constexpr Parameter Channels(std::string_view name, Need need) {
  return {.name = name, .need = need, .dtypes = kFloats, .constant = true};
}
constexpr Parameter Epsilon(double fallback) {
  return {.name = "epsilon",
          .kind = ParameterKind::kFloat,
          .need = Need::kOptional,
          .fallback = Default::Number(fallback)};
}

constexpr Parameter kBatchNormParameters[] = {
    {.name = "x", .dtypes = kFloats},      Channels("mean", Need::kRequired),
    Channels("variance", Need::kRequired), Channels("gamma", Need::kOptional),
    Channels("beta", Need::kOptional),     Epsilon(1e-5),
};
constexpr Parameter kInstanceNormParameters[] = {
    {.name = "x", .dtypes = kFloats},
    Channels("gamma", Need::kOptional),
    Channels("beta", Need::kOptional),
    Epsilon(1e-5),
};
constexpr Parameter kL2NormParameters[] = {{.name = "x", .dtypes = kFloats}, Epsilon(1e-6)};
constexpr Parameter kLocalResponseNormParameters[] = {
    {.name = "x", .dtypes = kFloats},
    {.name = "size", .kind = ParameterKind::kInt},
    {.name = "alpha",
     .kind = ParameterKind::kFloat,
     .need = Need::kOptional,
     .fallback = Default::Number(1e-4)},
    {.name = "beta",
     .kind = ParameterKind::kFloat,
     .need = Need::kOptional,
     .fallback = Default::Number(0.75)},
    {.name = "k",
     .kind = ParameterKind::kFloat,
     .need = Need::kOptional,
     .fallback = Default::Number(1)},
};

// x must have `least` to `most` axes, and every constant operand must have one number per channel
// (axis 1).
Status InferChannels(const NodeView& node, int least, int most, ResultTypes& results) {
  const TensorType& x = node.InputType(0);
  if (x.shape.rank() < least || x.shape.rank() > most) {
    return Reject(node,
                  fmt::format("x has rank {}, must have {} to {}", x.shape.rank(), least, most));
  }
  const auto parameters = node.schema().parameters;
  for (int i = 1; i < static_cast<int>(parameters.size()); ++i) {
    const Parameter& parameter = parameters[static_cast<size_t>(i)];
    if (!IsTensorKind(parameter.kind) || !node.HasInput(i)) continue;
    // From iOS 17 on the float type may differ from x's (coremltools), so only the shape counts.
    if (node.InputShape(i) == Shape{x.shape[1]}) continue;
    return Reject(node,
                  fmt::format("{} is {}, must be {}", parameter.name, node.InputType(i).ToString(),
                              TensorType{x.dtype, Shape{x.shape[1]}}.ToString()));
  }
  results.Add(x.dtype, x.shape);
  return {};
}

Status InferBatchNorm(const NodeView& node, ResultTypes& results) {
  return InferChannels(node, 3, 5, results);
}
Status InferInstanceNorm(const NodeView& node, ResultTypes& results) {
  return InferChannels(node, 3, 4, results);
}
Status InferL2Norm(const NodeView& node, ResultTypes& results) {
  const int rank = node.InputShape(0).rank();
  if (rank < 3) return Reject(node, fmt::format("x has rank {}, must have 3 or more", rank));
  return InferSameAsX(node, results);
}
Status InferLocalResponseNorm(const NodeView& node, ResultTypes& results) {
  const int64_t size = node.Int(params::LocalResponseNorm::kSize, 0);
  if (size < 1) return Reject(node, fmt::format("size is {}, must be at least 1", size));
  return InferChannels(node, 3, 4, results);
}

}  // namespace

constinit const OpDefinition kOpBatchNorm =
    Define(OpKind::kBatchNorm, kBatchNormParameters, InferBatchNorm);
constinit const OpDefinition kOpInstanceNorm =
    Define(OpKind::kInstanceNorm, kInstanceNormParameters, InferInstanceNorm);
constinit const OpDefinition kOpL2Norm = Define(OpKind::kL2Norm, kL2NormParameters, InferL2Norm);
constinit const OpDefinition kOpLocalResponseNorm =
    Define(OpKind::kLocalResponseNorm, kLocalResponseNormParameters, InferLocalResponseNorm);
constinit const OpDefinition kOpLayerNorm =
    Define(OpKind::kLayerNorm, kLayerNormParameters, InferLayerNorm);

}  // namespace anecheck
