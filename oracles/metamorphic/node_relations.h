// The functions of Relation::in_place_of: each builds a replacement of one operation.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "harness/graph/graph.h"

namespace anecheck {

#define ANECHECK_IN_PLACE_OF(Name)                                                               \
  std::vector<ValueId> Name(Graph& graph, const NodeView& node, std::span<const ValueId> places, \
                            uint64_t choice)
// A commutative operation with its operands exchanged.
ANECHECK_IN_PLACE_OF(Commute);
// The same operation on operands whose entries along one axis are in another order; the results are
// then put back into the first order (alike_axes.h).
ANECHECK_IN_PLACE_OF(AtOtherPositions);
// The same operation on two parts along an axis whose entries are independent, and the results
// joined.
ANECHECK_IN_PLACE_OF(InBatches);
// The form into which the compiler, or the host before it, rewrites the operation
// (oracles/plan/decomposition.h), or an arithmetic identity.
ANECHECK_IN_PLACE_OF(Decompose);
// A curve that is flat outside of two knots (clip, relu6, sigmoid_hard), written as linear, relu,
// linear (harness/ops/composed_curve.h). Applies if fp16 represents every constant.
ANECHECK_IN_PLACE_OF(ComposeCurve);
// A product with half of its constant weights and bias, whose result is doubled. A compiler may
// fold this back.
ANECHECK_IN_PLACE_OF(ScaleOutOfWeights);
#undef ANECHECK_IN_PLACE_OF

// An operation that is not compared with its decomposition, and the reason.
struct NotDecomposed {
  std::string_view op, reason;
};
std::span<const NotDecomposed> OperationsNotDecomposed();

}  // namespace anecheck
