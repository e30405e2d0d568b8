// Comparisons, logic on bools and the choice between two operands: schemas and shape inference.
#include <fmt/format.h>

#include "harness/ops/infer.h"
#include "harness/ops/params.h"
#include "harness/ops/row.h"
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

}  // namespace

constinit const OpDefinition kOpEqual = Define(OpKind::kEqual, kCompareParameters, InferCompare);
constinit const OpDefinition kOpNotEqual =
    Define(OpKind::kNotEqual, kCompareParameters, InferCompare);
constinit const OpDefinition kOpGreater =
    Define(OpKind::kGreater, kCompareParameters, InferCompare);
constinit const OpDefinition kOpGreaterEqual =
    Define(OpKind::kGreaterEqual, kCompareParameters, InferCompare);
constinit const OpDefinition kOpLess = Define(OpKind::kLess, kCompareParameters, InferCompare);
constinit const OpDefinition kOpLessEqual =
    Define(OpKind::kLessEqual, kCompareParameters, InferCompare);
constinit const OpDefinition kOpLogicalAnd =
    Define(OpKind::kLogicalAnd, kLogicalParameters, InferBroadcast);
constinit const OpDefinition kOpLogicalOr =
    Define(OpKind::kLogicalOr, kLogicalParameters, InferBroadcast);
constinit const OpDefinition kOpLogicalXor =
    Define(OpKind::kLogicalXor, kLogicalParameters, InferBroadcast);
constinit const OpDefinition kOpLogicalNot =
    Define(OpKind::kLogicalNot, kNotParameters, InferSameAsX);
constinit const OpDefinition kOpSelect = Define(OpKind::kSelect, kSelectParameters, InferSelect);

}  // namespace anecheck
