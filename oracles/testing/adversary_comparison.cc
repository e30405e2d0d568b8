// The adversarial engine's comparisons, logic and choice. Only their operands have errors.
#include <cmath>

#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "oracles/testing/adversary.h"
#include "oracles/testing/structure.h"

namespace anecheck::testing {

bool Adversary::RunComparison(const NodeView& node) {
  const OpKind kind = KindOf(node.schema());
  const Shape& shape = node.ResultType().shape;
  Elements& result = values_[node.Result()];
  for (size_t i = 0; i < static_cast<size_t>(shape.Elements()); ++i) {
    const auto at = [&](int parameter) {
      return In(node, parameter)[BroadcastIndex(node.InputShape(parameter), shape, i)];
    };
    switch (kind) {
      case OpKind::kEqual:
        result.push_back(at(0) == at(1) ? 1 : 0);
        break;
      case OpKind::kNotEqual:
        result.push_back(at(0) == at(1) ? 0 : 1);
        break;
      case OpKind::kGreater:
        result.push_back(at(0) > at(1) ? 1 : 0);
        break;
      case OpKind::kGreaterEqual:
        result.push_back(at(0) >= at(1) ? 1 : 0);
        break;
      case OpKind::kLess:
        result.push_back(at(0) < at(1) ? 1 : 0);
        break;
      case OpKind::kLessEqual:
        result.push_back(at(0) <= at(1) ? 1 : 0);
        break;
      case OpKind::kLogicalAnd:
        result.push_back(at(0) * at(1));
        break;
      case OpKind::kLogicalOr:
        result.push_back(std::fmax(at(0), at(1)));
        break;
      case OpKind::kLogicalXor:
        result.push_back(std::fabs(at(0) - at(1)));
        break;
      case OpKind::kLogicalNot:
        result.push_back(1 - at(0));
        break;
      case OpKind::kSelect:
        using P = params::Select;
        result.push_back(at(P::kCond) != 0 ? at(P::kA) : at(P::kB));
        break;
      default:
        return false;
    }
  }
  return true;
}

}  // namespace anecheck::testing
