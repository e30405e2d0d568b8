// Activations: schemas and shape inference.
#include <fmt/format.h>

#include "harness/ops/infer.h"
#include "harness/ops/params.h"
#include "harness/ops/row.h"
#include "harness/ops/sets.h"

namespace anecheck {
namespace {

constexpr Parameter kUnaryParameters[] = {{.name = "x", .dtypes = kFloats}};

// An operation with these parameters takes int32 as well as floats (coremltools,
// elementwise_unary_with_int).
constexpr Parameter kNumberParameters[] = {
    {.name = "x", .dtypes = {DType::kFp16, DType::kFp32, DType::kInt32}}};

constexpr Parameter kClipParameters[] = {
    {.name = "x", .dtypes = kFloats},
    {.name = "alpha", .kind = ParameterKind::kFloat},
    {.name = "beta", .kind = ParameterKind::kFloat},
};

Status InferClip(const NodeView& node, ResultTypes& results) {
  using P = params::Clip;
  if (!(node.Float(P::kAlpha, 0) <= node.Float(P::kBeta, 0))) {
    return Reject(node, "alpha must not be above beta");
  }
  return InferSameAsX(node, results);
}

constexpr std::array<std::string_view, 3> kGeluModes = {"EXACT", "TANH_APPROXIMATION",
                                                        "SIGMOID_APPROXIMATION"};
constexpr Parameter kGeluParameters[] = {
    {.name = "x", .dtypes = kFloats},
    {.name = "mode",
     .kind = ParameterKind::kString,
     .need = Need::kOptional,
     .choices = kGeluModes,
     .fallback = Default::Name("EXACT")},
};

constexpr Parameter kSoftmaxParameters[] = {
    {.name = "x", .dtypes = kFloats},
    {.name = "axis",
     .kind = ParameterKind::kInt,
     .need = Need::kOptional,
     .fallback = Default::Number(-1)},
};

Status InferSoftmax(const NodeView& node, ResultTypes& results) {
  const int rank = node.InputShape(0).rank();
  const int64_t axis = node.Int(params::Softmax::kAxis, -1);
  if (!NormalizeAxis(axis, rank)) {
    return Reject(node, fmt::format("axis {} is outside rank {}", axis, rank));
  }
  return InferSameAsX(node, results);
}

// Defaults of the MIL operation set (coremltools); 1e-45 rounds to zero in fp16.
constexpr Parameter kLogParameters[] = {
    {.name = "x", .dtypes = kFloats},
    {.name = "epsilon",
     .kind = ParameterKind::kFloat,
     .need = Need::kOptional,
     .fallback = Default::Number(1e-45)},
};

}  // namespace

constinit const OpDefinition kOpRelu = Define(OpKind::kRelu, kUnaryParameters, InferSameAsX);
constinit const OpDefinition kOpSigmoid = Define(OpKind::kSigmoid, kUnaryParameters, InferSameAsX);
constinit const OpDefinition kOpTanh = Define(OpKind::kTanh, kUnaryParameters, InferSameAsX);
constinit const OpDefinition kOpClip = Define(OpKind::kClip, kClipParameters, InferClip);
constinit const OpDefinition kOpGelu = Define(OpKind::kGelu, kGeluParameters, InferSameAsX);
constinit const OpDefinition kOpSoftmax =
    Define(OpKind::kSoftmax, kSoftmaxParameters, InferSoftmax);
constinit const OpDefinition kOpRelu6 = Define(OpKind::kRelu6, kUnaryParameters, InferSameAsX);
constinit const OpDefinition kOpSilu = Define(OpKind::kSilu, kUnaryParameters, InferSameAsX);
constinit const OpDefinition kOpSoftplus =
    Define(OpKind::kSoftplus, kUnaryParameters, InferSameAsX);
constinit const OpDefinition kOpSoftsign =
    Define(OpKind::kSoftsign, kUnaryParameters, InferSameAsX);
constinit const OpDefinition kOpErf = Define(OpKind::kErf, kUnaryParameters, InferSameAsX);
constinit const OpDefinition kOpExp = Define(OpKind::kExp, kUnaryParameters, InferSameAsX);
constinit const OpDefinition kOpExp2 = Define(OpKind::kExp2, kNumberParameters, InferSameAsX);
constinit const OpDefinition kOpLog = Define(OpKind::kLog, kLogParameters, InferSameAsX);
constinit const OpDefinition kOpSign = Define(OpKind::kSign, kNumberParameters, InferSameAsX);
constinit const OpDefinition kOpCeil = Define(OpKind::kCeil, kUnaryParameters, InferSameAsX);
constinit const OpDefinition kOpFloor = Define(OpKind::kFloor, kUnaryParameters, InferSameAsX);
constinit const OpDefinition kOpRound = Define(OpKind::kRound, kUnaryParameters, InferSameAsX);

}  // namespace anecheck
