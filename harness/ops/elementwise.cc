// Elementwise arithmetic with broadcasting: schemas and shape inference.
#include "harness/ops/infer.h"
#include "harness/ops/op.h"
#include "harness/ops/sets.h"

namespace anecheck {
namespace {

constexpr Parameter kBinaryParameters[] = {
    {.name = "x", .dtypes = kNumbers},
    {.name = "y", .dtypes = kNumbers},
};

constexpr OpDefinition Binary(std::string_view name, OpKind kind) {
  return {.schema = {.name = name,
                     .id = static_cast<uint16_t>(kind),
                     .parameters = kBinaryParameters,
                     .infer = InferBroadcast},
          .op_class = OpClass::kElementwise,
          .netlist_unit = "ElementWise"};
}

}  // namespace

constinit const OpDefinition kOpAdd = Binary("add", OpKind::kAdd);
constinit const OpDefinition kOpSub = Binary("sub", OpKind::kSub);
constinit const OpDefinition kOpMul = Binary("mul", OpKind::kMul);
constinit const OpDefinition kOpRealDiv = Binary("real_div", OpKind::kRealDiv);
constinit const OpDefinition kOpMaximum = Binary("maximum", OpKind::kMaximum);
constinit const OpDefinition kOpMinimum = Binary("minimum", OpKind::kMinimum);

}  // namespace anecheck
