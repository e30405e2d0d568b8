// Comparisons, logic on bools and the choice between two operands: schemas and shape inference.
#include <fmt/format.h>

#include "harness/ops/infer.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "harness/ops/sets.h"

namespace anecheck {
namespace {

constexpr Parameter kCompareParameters[] = {
    {.name = "x", .dtypes = kNumbers},
    {.name = "y", .dtypes = kNumbers},
};
constexpr Parameter kLogicalParameters[] = {
    {.name = "x", .dtypes = kBoolOnly},
    {.name = "y", .dtypes = kBoolOnly},
};
constexpr Parameter kNotParameters[] = {{.name = "x", .dtypes = kBoolOnly}};
constexpr Parameter kSelectParameters[] = {
    {.name = "cond", .dtypes = kBoolOnly},
    {.name = "a", .dtypes = kAnything},
    {.name = "b", .dtypes = kAnything},
};

Status InferCompare(const NodeView& node, ResultTypes& results) {
  ResultTypes numbers;
  ANECHECK_RETURN_IF_ERROR(InferBroadcast(node, numbers));
  results.Add(DType::kBool, numbers[0].shape);
  return {};
}

Status InferSelect(const NodeView& node, ResultTypes& results) {
  using P = params::Select;
  const TensorType& a = node.InputType(P::kA);
  const TensorType& b = node.InputType(P::kB);
  if (a.dtype != b.dtype) {
    return Reject(node, fmt::format("a is {} and b is {}, they must agree", DTypeName(a.dtype),
                                    DTypeName(b.dtype)));
  }
  const auto either = BroadcastShapes(a.shape, b.shape);
  if (!either) {
    return Reject(node, fmt::format("a {} and b {} do not broadcast", a.shape.ToString(),
                                    b.shape.ToString()));
  }
  const Shape& cond = node.InputShape(P::kCond);
  const auto shape = BroadcastShapes(cond, *either);
  if (!shape) {
    return Reject(node, fmt::format("cond {} does not broadcast with {}", cond.ToString(),
                                    either->ToString()));
  }
  results.Add(a.dtype, *shape);
  return {};
}

// The validators of native elementwise layers admit these on every family
// (facts/netlist_layers.csv, elementwise).
constexpr OpDefinition Compare(std::string_view name, OpKind kind) {
  return {.schema = {.name = name,
                     .id = static_cast<uint16_t>(kind),
                     .parameters = kCompareParameters,
                     .infer = InferCompare},
          .op_class = OpClass::kComparison,
          .netlist_unit = "ElementWise"};
}

// The public matrix gives these no path on any family (facts/op_device_matrix.csv).
constexpr OpDefinition Logical(std::string_view name, OpKind kind) {
  return {.schema = {.name = name,
                     .id = static_cast<uint16_t>(kind),
                     .parameters = kLogicalParameters,
                     .infer = InferBroadcast},
          .op_class = OpClass::kComparison,
          .family_floor = kNoFamily};
}

}  // namespace

constinit const OpDefinition kOpEqual = Compare("equal", OpKind::kEqual);
constinit const OpDefinition kOpNotEqual = Compare("not_equal", OpKind::kNotEqual);
constinit const OpDefinition kOpGreater = Compare("greater", OpKind::kGreater);
constinit const OpDefinition kOpGreaterEqual = Compare("greater_equal", OpKind::kGreaterEqual);
constinit const OpDefinition kOpLess = Compare("less", OpKind::kLess);
constinit const OpDefinition kOpLessEqual = Compare("less_equal", OpKind::kLessEqual);
constinit const OpDefinition kOpLogicalAnd = Logical("logical_and", OpKind::kLogicalAnd);
constinit const OpDefinition kOpLogicalOr = Logical("logical_or", OpKind::kLogicalOr);
constinit const OpDefinition kOpLogicalXor = Logical("logical_xor", OpKind::kLogicalXor);
constinit const OpDefinition kOpLogicalNot = {
    .schema = {.name = "logical_not",
               .id = static_cast<uint16_t>(OpKind::kLogicalNot),
               .parameters = kNotParameters,
               .infer = InferSameAsX},
    .op_class = OpClass::kComparison,
    .netlist_unit = "ElementWise"};
constinit const OpDefinition kOpSelect = {.schema = {.name = "select",
                                                     .id = static_cast<uint16_t>(OpKind::kSelect),
                                                     .parameters = kSelectParameters,
                                                     .infer = InferSelect},
                                          .op_class = OpClass::kComparison,
                                          .netlist_unit = "ElementWise"};

}  // namespace anecheck
