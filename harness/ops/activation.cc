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

// Of int32 too (coremltools, elementwise_unary_with_int).
constexpr Parameter kNumberParameters[] = {
    {.name = "x", .dtypes = {DType::kFp16, DType::kFp32, DType::kInt32}}};
constexpr OpDefinition UnaryOfNumbers(std::string_view name, OpKind kind) {
  OpDefinition op = Unary(name, kind);
  op.schema.parameters = kNumberParameters;
  return op;
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

// Error functions and exponentials of two floor at A13 (facts/minimum_family.csv).
constexpr OpDefinition UnaryFromA13(std::string_view name, OpKind kind) {
  OpDefinition op = Unary(name, kind);
  op.family_floor = 2;
  return op;
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
constinit const OpDefinition kOpRelu6 = Unary("relu6", OpKind::kRelu6);
constinit const OpDefinition kOpSilu = Unary("silu", OpKind::kSilu);
constinit const OpDefinition kOpSoftplus = Unary("softplus", OpKind::kSoftplus);
constinit const OpDefinition kOpSoftsign = Unary("softsign", OpKind::kSoftsign);
constinit const OpDefinition kOpErf = UnaryFromA13("erf", OpKind::kErf);
constinit const OpDefinition kOpExp = Unary("exp", OpKind::kExp);
constinit const OpDefinition kOpExp2 = [] {
  OpDefinition op = UnaryFromA13("exp2", OpKind::kExp2);
  op.schema.parameters = kNumberParameters;
  return op;
}();
constinit const OpDefinition kOpLog = {.schema = {.name = "log",
                                                  .id = static_cast<uint16_t>(OpKind::kLog),
                                                  .parameters = kLogParameters,
                                                  .infer = InferSameAsX},
                                       .op_class = OpClass::kActivation,
                                       .netlist_unit = "Neuron"};
constinit const OpDefinition kOpSign = UnaryOfNumbers("sign", OpKind::kSign);
constinit const OpDefinition kOpCeil = Unary("ceil", OpKind::kCeil);
constinit const OpDefinition kOpFloor = Unary("floor", OpKind::kFloor);
constinit const OpDefinition kOpRound = Unary("round", OpKind::kRound);

}  // namespace anecheck
