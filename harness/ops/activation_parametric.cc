// Activations with slopes, thresholds and scales: schemas and shape inference, as in the MIL
// operation set (coremltools).
#include <cmath>
#include <fmt/format.h>

#include "harness/ops/infer.h"
#include "harness/ops/params.h"
#include "harness/ops/row.h"
#include "harness/ops/sets.h"

namespace anecheck {
namespace {

constexpr Parameter kAlphaParameters[] = {
    {.name = "x", .dtypes = kFloats},
    {.name = "alpha", .kind = ParameterKind::kFloat},
};
constexpr Parameter kThresholdParameters[] = {
    {.name = "x", .dtypes = {DType::kFp16, DType::kFp32, DType::kInt32}},
    {.name = "alpha", .kind = ParameterKind::kFloat},
};
constexpr Parameter kAlphaBetaParameters[] = {
    {.name = "x", .dtypes = kFloats},
    {.name = "alpha", .kind = ParameterKind::kFloat},
    {.name = "beta", .kind = ParameterKind::kFloat},
};
constexpr Parameter kPreluParameters[] = {
    {.name = "x", .dtypes = kFloats},
    {.name = "alpha", .dtypes = kFloats, .constant = true},
};
constexpr Parameter kSoftplusParameters[] = {
    {.name = "x", .dtypes = kFloats},
    {.name = "alpha", .dtypes = kFloats, .constant = true},
    {.name = "beta", .dtypes = kFloats, .constant = true},
};

// The constants must have one number per channel (axis 1 of x). From iOS 17 on, fp32 is also valid
// for fp16 x (coremltools).
Status InferPerChannel(const NodeView& node, ResultTypes& results) {
  const TensorType& x = node.InputType(0);
  if (x.shape.rank() < 3 || x.shape.rank() > 5) {
    return Reject(node, fmt::format("x has rank {}, must have 3 to 5", x.shape.rank()));
  }
  const TensorType wanted{x.dtype, Shape{x.shape[1]}};
  for (int i = 1; i < static_cast<int>(node.schema().parameters.size()); ++i) {
    const TensorType& given = node.InputType(i);
    const bool wider = x.dtype == DType::kFp16 && given == TensorType{DType::kFp32, wanted.shape};
    if (given == wanted || wider) continue;
    return Reject(node, fmt::format("{} is {}, must be {}",
                                    node.schema().parameters[static_cast<size_t>(i)].name,
                                    given.ToString(), wanted.ToString()));
  }
  return InferSameAsX(node, results);
}

// The threshold must be a number of x's type.
Status InferThreshold(const NodeView& node, ResultTypes& results) {
  const double alpha = node.Float(params::WithAlpha::kAlpha, 0);
  const bool whole = std::trunc(alpha) == alpha && std::fabs(alpha) < 0x1p31;
  if (node.InputType(0).dtype == DType::kInt32 && !whole) {
    return Reject(node, fmt::format("alpha is {}, must be an int32 beside int32", alpha));
  }
  return InferSameAsX(node, results);
}

}  // namespace

constinit const OpDefinition kOpLeakyRelu =
    Define(OpKind::kLeakyRelu, kAlphaParameters, InferSameAsX);
constinit const OpDefinition kOpThresholdedRelu =
    Define(OpKind::kThresholdedRelu, kAlphaParameters, InferSameAsX);
constinit const OpDefinition kOpThreshold =
    Define(OpKind::kThreshold, kThresholdParameters, InferThreshold);
constinit const OpDefinition kOpElu = Define(OpKind::kElu, kAlphaParameters, InferSameAsX);
constinit const OpDefinition kOpClampedRelu =
    Define(OpKind::kClampedRelu, kAlphaBetaParameters, InferSameAsX);
constinit const OpDefinition kOpSigmoidHard =
    Define(OpKind::kSigmoidHard, kAlphaBetaParameters, InferSameAsX);
constinit const OpDefinition kOpScaledTanh =
    Define(OpKind::kScaledTanh, kAlphaBetaParameters, InferSameAsX);
constinit const OpDefinition kOpPrelu = Define(OpKind::kPrelu, kPreluParameters, InferPerChannel);
constinit const OpDefinition kOpSoftplusParametric =
    Define(OpKind::kSoftplusParametric, kSoftplusParameters, InferPerChannel);

}  // namespace anecheck
