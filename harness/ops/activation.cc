// Activations: schemas and shape inference.
#include <fmt/format.h>

#include "harness/ops/infer.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "harness/ops/sets.h"

namespace anecheck {
namespace {

constexpr Parameter kUnaryParameters[] = {{.name = "x", .dtypes = kFloats}};

constexpr OpDefinition Unary(std::string_view name, OpKind kind) {
  return {.schema = {.name = name,
                     .id = static_cast<uint16_t>(kind),
                     .parameters = kUnaryParameters,
                     .infer = InferSameAsX},
          .op_class = OpClass::kActivation,
          .netlist_unit = "Neuron"};
}

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
     .default_text = "EXACT"},
};

constexpr Parameter kSoftmaxParameters[] = {
    {.name = "x", .dtypes = kFloats},
    {.name = "axis", .kind = ParameterKind::kInt, .need = Need::kOptional, .default_text = "-1"},
};

Status InferSoftmax(const NodeView& node, ResultTypes& results) {
  const int rank = node.InputShape(0).rank();
  const int64_t axis = node.Int(params::Softmax::kAxis, -1);
  if (!NormalizeAxis(axis, rank)) {
    return Reject(node, fmt::format("axis {} is outside rank {}", axis, rank));
  }
  return InferSameAsX(node, results);
}

}  // namespace

constinit const OpDefinition kOpRelu = Unary("relu", OpKind::kRelu);
constinit const OpDefinition kOpSigmoid = Unary("sigmoid", OpKind::kSigmoid);
constinit const OpDefinition kOpTanh = Unary("tanh", OpKind::kTanh);
constinit const OpDefinition kOpClip = {.schema = {.name = "clip",
                                                   .id = static_cast<uint16_t>(OpKind::kClip),
                                                   .parameters = kClipParameters,
                                                   .infer = InferClip},
                                        .op_class = OpClass::kActivation,
                                        .netlist_unit = "Neuron"};
constinit const OpDefinition kOpGelu = {.schema = {.name = "gelu",
                                                   .id = static_cast<uint16_t>(OpKind::kGelu),
                                                   .parameters = kGeluParameters,
                                                   .infer = InferSameAsX},
                                        .op_class = OpClass::kActivation,
                                        .netlist_unit = "Neuron"};
constinit const OpDefinition kOpSoftmax = {.schema = {.name = "softmax",
                                                      .id = static_cast<uint16_t>(OpKind::kSoftmax),
                                                      .parameters = kSoftmaxParameters,
                                                      .infer = InferSoftmax},
                                           .op_class = OpClass::kActivation,
                                           .family_floor = 2,
                                           .capability = 0x815,
                                           .netlist_unit = "Softmax"};

}  // namespace anecheck
