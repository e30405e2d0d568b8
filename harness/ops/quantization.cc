// Quantization and element-type conversion: schemas and shape inference.

#include "harness/ops/infer.h"
#include "harness/ops/params.h"
#include "harness/ops/row.h"
#include "harness/ops/sets.h"

namespace anecheck {
namespace {

constexpr std::array<std::string_view, 8> kCastTypes = {"fp16",  "fp32",   "int8",  "uint8",
                                                        "int16", "uint16", "int32", "bool"};
constexpr Parameter kCastParameters[] = {
    {.name = "x", .dtypes = kAnything},
    {.name = "dtype", .kind = ParameterKind::kString, .choices = kCastTypes},
};

Status InferCast(const NodeView& node, ResultTypes& results) {
  const auto dtype = DTypeFromName(node.String(params::Cast::kDtype, ""));
  if (!dtype) return Reject(node, "dtype is not an element type");
  results.Add(*dtype, node.InputShape(params::Cast::kX));
  return {};
}

}  // namespace

constinit const OpDefinition kOpCast = Define(OpKind::kCast, kCastParameters, InferCast);

}  // namespace anecheck
