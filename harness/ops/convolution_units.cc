// The private units of the two compute engines (ne_*: the multiply-accumulate engine, pe_*: the
// planar engine): schemas and shape inference. No public text shows these units. Each unit is
// assumed to have the argument names of the operation whose hardware atom it shares
// (facts/more/op_notes.csv). Modes are spelled as in facts/enums.json.
#include <fmt/format.h>

#include "harness/ops/infer.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "harness/ops/row.h"
#include "harness/ops/sets.h"
#include "harness/ops/window_parameters.h"

namespace anecheck {
namespace {

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

// There is one gain and one offset for each channel on axis 1 (specification 004,
// gain_offset_control).
Status InferGainOffset(const NodeView& node, ResultTypes& results) {
  using P = params::GainOffset;
  const TensorType& x = node.InputType(P::kX);
  if (x.shape.rank() < 2) return Reject(node, "x needs a channel axis, rank 2 or more");
  for (const int parameter : {P::kScale, P::kBias}) {
    const TensorType& given = node.InputType(parameter);
    if (given.shape != Shape{x.shape[1]} || given.dtype != x.dtype) {
      return Reject(node,
                    fmt::format("{} is {}, must be one per channel, {}",
                                node.schema().parameters[static_cast<size_t>(parameter)].name,
                                given.ToString(), TensorType{x.dtype, {x.shape[1]}}.ToString()));
    }
  }
  return InferSameAsX(node, results);
}

constexpr Parameter kBypassParameters[] = {{.name = "x", .dtypes = kFloats}};

}  // namespace

constinit const OpDefinition kOpNeConv = Define(OpKind::kNeConv, kConvParameters, InferConv);
constinit const OpDefinition kOpNeMatmul =
    Define(OpKind::kNeMatmul, kMatmulParameters, InferMatmul);
constinit const OpDefinition kOpNePool = Define(OpKind::kNePool, kUnitPoolParameters, InferPool);
constinit const OpDefinition kOpPePool = Define(OpKind::kPePool, kUnitPoolParameters, InferPool);
constinit const OpDefinition kOpPeElementwise =
    Define(OpKind::kPeElementwise, kElementwiseParameters, InferBroadcast);
constinit const OpDefinition kOpPeGoc =
    Define(OpKind::kPeGoc, kGainOffsetParameters, InferGainOffset);
constinit const OpDefinition kOpNeBypass =
    Define(OpKind::kNeBypass, kBypassParameters, InferSameAsX);

}  // namespace anecheck
