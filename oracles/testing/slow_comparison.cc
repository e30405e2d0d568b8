// Comparisons, logic and choice on exact numbers.

#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "oracles/testing/slow.h"
#include "oracles/testing/structure.h"

namespace anecheck::testing {
namespace {

using Operands = std::span<const std::vector<double>>;

std::optional<bool> Relation(OpKind kind, double a, double b) {
  switch (kind) {
    case OpKind::kEqual:
      return a == b;
    case OpKind::kNotEqual:
      return a != b;
    case OpKind::kGreater:
      return a > b;
    case OpKind::kGreaterEqual:
      return a >= b;
    case OpKind::kLess:
      return a < b;
    case OpKind::kLessEqual:
      return a <= b;
    case OpKind::kLogicalAnd:
      return a + b == 2;
    case OpKind::kLogicalOr:
      return a + b >= 1;
    case OpKind::kLogicalXor:
      return a + b == 1;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<SlowElements> SlowComparison(const NodeView& node, Operands operands) {
  const OpKind kind = KindOf(node.schema());
  const Shape& shape = node.ResultType().shape;
  SlowElements result(static_cast<size_t>(shape.Elements()));
  for (size_t i = 0; i < result.size(); ++i) {
    const auto at = [&](int parameter) {
      return operands[static_cast<size_t>(parameter)]
                     [BroadcastIndex(node.InputShape(parameter), shape, i)];
    };
    if (kind == OpKind::kLogicalNot) {
      result[i] = at(0) == 0 ? 1 : 0;
    } else if (kind == OpKind::kSelect) {
      using P = params::Select;
      result[i] = at(P::kCond) != 0 ? at(P::kA) : at(P::kB);
    } else if (const auto holds = Relation(kind, at(0), at(1))) {
      result[i] = *holds ? 1 : 0;
    } else {
      return std::nullopt;
    }
  }
  return result;
}

}  // namespace anecheck::testing
