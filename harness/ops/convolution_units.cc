// The private units of the two compute lanes (ne_*: the multiply-accumulate engine, pe_*: the
// planar engine): schemas and shape inference. No public text writes them; they take the argument
// names of the operation whose atom they share (facts/more/op_notes.csv), which is assumed, and
// their modes are spelled as the compiler's enumerations are (facts/enums.json).
#include <fmt/format.h>

#include "harness/ops/infer.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "harness/ops/sets.h"

namespace anecheck {
namespace {

constexpr std::array<std::string_view, 4> kPadTypes = {"valid", "same", "same_lower", "custom"};

constexpr Parameter kNeConvParameters[] = {
    {.name = "x", .dtypes = kFloats},
    {.name = "weight", .dtypes = kFloats},
    {.name = "bias", .need = Need::kOptional, .dtypes = kFloats, .constant = true},
    {.name = "strides",
     .kind = ParameterKind::kInts,
     .need = Need::kOptional,
     .default_text = "1 an axis"},
    {.name = "pad_type",
     .kind = ParameterKind::kString,
     .need = Need::kOptional,
     .choices = kPadTypes,
     .default_text = "valid"},
    {.name = "pad", .kind = ParameterKind::kInts, .need = Need::kOptional, .default_text = "0"},
    {.name = "dilations",
     .kind = ParameterKind::kInts,
     .need = Need::kOptional,
     .default_text = "1 an axis"},
    {.name = "groups", .kind = ParameterKind::kInt, .need = Need::kOptional, .default_text = "1"},
};

constexpr Parameter kNeMatmulParameters[] = {
    {.name = "x", .dtypes = kFloats},
    {.name = "y", .dtypes = kFloats},
    {.name = "transpose_x",
     .kind = ParameterKind::kBool,
     .need = Need::kOptional,
     .default_text = "false"},
    {.name = "transpose_y",
     .kind = ParameterKind::kBool,
     .need = Need::kOptional,
     .default_text = "false"},
};

constexpr std::array<std::string_view, 2> kPoolModes = {"Avg", "Max"};
constexpr Parameter kPoolParameters[] = {
    {.name = "x", .dtypes = kFloats},
    {.name = "kernel_sizes", .kind = ParameterKind::kInts},
    {.name = "strides",
     .kind = ParameterKind::kInts,
     .need = Need::kOptional,
     .default_text = "1 an axis"},
    {.name = "pad_type", .kind = ParameterKind::kString, .choices = kPadTypes},
    {.name = "pad", .kind = ParameterKind::kInts, .need = Need::kOptional, .default_text = "0"},
    {.name = "ceil_mode",
     .kind = ParameterKind::kBool,
     .need = Need::kOptional,
     .default_text = "false"},
    {.name = "exclude_padding_from_average",
     .kind = ParameterKind::kBool,
     .need = Need::kOptional,
     .default_text = "false"},
    {.name = "mode", .kind = ParameterKind::kString, .choices = kPoolModes},
};

constexpr std::array<std::string_view, 5> kElementwiseModes = {"Add", "Mult", "Sub", "Max", "Min"};
constexpr Parameter kElementwiseParameters[] = {
    {.name = "x", .dtypes = kFloats},
    {.name = "y", .dtypes = kFloats},
    {.name = "mode", .kind = ParameterKind::kString, .choices = kElementwiseModes},
};

constexpr Parameter kGainOffsetParameters[] = {
    {.name = "x", .dtypes = kFloats},
    {.name = "scale", .dtypes = kFloats, .constant = true},
    {.name = "bias", .dtypes = kFloats, .constant = true},
};

// One gain and one offset a channel, axis 1 (specification 004, gain_offset_control).
Status InferGainOffset(const NodeView& node, ResultTypes& results) {
  using P = params::GainOffset;
  const TensorType& x = node.InputType(P::kX);
  if (x.shape.rank() < 2) return Reject(node, "x needs a channel axis, rank 2 or more");
  for (const int parameter : {P::kScale, P::kBias}) {
    const TensorType& given = node.InputType(parameter);
    if (given.shape != Shape{x.shape[1]} || given.dtype != x.dtype) {
      return Reject(node,
                    fmt::format("{} is {}, must be one a channel, {}",
                                node.schema().parameters[static_cast<size_t>(parameter)].name,
                                given.ToString(), TensorType{x.dtype, {x.shape[1]}}.ToString()));
    }
  }
  return InferSameAsX(node, results);
}

constexpr Parameter kBypassParameters[] = {{.name = "x", .dtypes = kFloats}};

constexpr OpDefinition Row(std::string_view name, OpKind kind,
                           std::span<const Parameter> parameters,
                           Status (*infer)(const NodeView&, ResultTypes&)) {
  return {.schema = {.name = name,
                     .id = static_cast<uint16_t>(kind),
                     .parameters = parameters,
                     .infer = infer},
          .op_class = OpClass::kConvolution};
}

}  // namespace

constinit const OpDefinition kOpNeConv =
    Row("ne_conv", OpKind::kNeConv, kNeConvParameters, InferConv);
constinit const OpDefinition kOpNeMatmul =
    Row("ne_matmul", OpKind::kNeMatmul, kNeMatmulParameters, InferMatmul);
constinit const OpDefinition kOpNePool =
    Row("ne_pool", OpKind::kNePool, kPoolParameters, InferPool);
constinit const OpDefinition kOpPePool =
    Row("pe_pool", OpKind::kPePool, kPoolParameters, InferPool);
constinit const OpDefinition kOpPeElementwise =
    Row("pe_elementwise", OpKind::kPeElementwise, kElementwiseParameters, InferBroadcast);
constinit const OpDefinition kOpPeGoc =
    Row("pe_goc", OpKind::kPeGoc, kGainOffsetParameters, InferGainOffset);
constinit const OpDefinition kOpNeBypass =
    Row("ne_bypass", OpKind::kNeBypass, kBypassParameters, InferSameAsX);

}  // namespace anecheck
