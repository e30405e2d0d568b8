#include "harness/lifting/steps.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "harness/ops/params.h"

namespace anecheck::lifting {
namespace {

using params::Binary;

struct Relation {
  OpKind kind;
  std::array<bool, 3> truth;  // if the first operand is smaller, equal or larger
};
constexpr Relation kRelations[] = {
    {OpKind::kLess, {true, false, false}},    {OpKind::kLessEqual, {true, true, false}},
    {OpKind::kEqual, {false, true, false}},   {OpKind::kNotEqual, {true, false, true}},
    {OpKind::kGreater, {false, false, true}}, {OpKind::kGreaterEqual, {false, true, true}},
};

}  // namespace

// Returns the node of this kind that computes the elements of a value, if there is one.
std::optional<NodeId> Steps::ProducerOf(ValueId value, OpKind kind) const {
  const Graph& graph = build_.graph();
  const Value& made = graph.value(WithoutReshapes(graph, value));
  if (made.kind != ValueKind::kResult) return std::nullopt;
  if (KindOf(*graph.node(made.producer).schema) != kind) return std::nullopt;
  return made.producer;
}

// If an fp16 value is cast from bools, returns the bools in the value's shape; else kNoValue.
Result<ValueId> Steps::TruthOf(ValueId number) {
  const auto cast = ProducerOf(number, OpKind::kCast);
  if (!cast) return kNoValue;
  const ValueId bools = NodeView(build_.graph(), *cast).Input(params::Cast::kX);
  if (!build_.IsBool(bools)) return kNoValue;
  const Shape shape = build_.ShapeOf(number);
  return build_.Reshape(bools, shape);
}

Result<ValueId> Steps::OfTable(std::array<bool, 3> truth, ValueId value) {
  const auto relation = std::ranges::find(kRelations, truth, &Relation::truth);
  if (relation == std::end(kRelations)) return kNoValue;
  ANECHECK_ASSIGN(const ValueId bools, TruthOf(value));
  if (bools != kNoValue && truth[1] != truth[2]) {
    return truth[2] ? Result<ValueId>(bools) : build_.Unary(OpKind::kLogicalNot, bools);
  }
  const Shape shape = build_.ShapeOf(value);
  // Two finite numbers differ by 0 only if they are equal, and H13 stores 0 for inf - inf.
  if (const auto difference = ProducerOf(value, OpKind::kSub)) {
    const NodeView node(build_.graph(), *difference);
    const ValueId x = node.Input(Binary::kX), y = node.Input(Binary::kY);
    ANECHECK_ASSIGN(const ValueId holds, build_.Binary(relation->kind, x, y));
    return build_.Reshape(holds, shape);
  }
  ANECHECK_ASSIGN(const ValueId zero, build_.Scalar(0));
  return build_.Binary(relation->kind, value, zero);
}

Result<ValueId> Steps::Whole(ValueId x) {
  if (const auto known = wholes_.find(x); known != wholes_.end()) return known->second;
  ANECHECK_ASSIGN(const ValueId sign, build_.Unary(OpKind::kSign, x));
  ANECHECK_ASSIGN(const ValueId size, build_.Unary(OpKind::kAbs, x));
  ANECHECK_ASSIGN(const ValueId floor, build_.Unary(OpKind::kFloor, size));
  ANECHECK_ASSIGN(const ValueId whole, build_.Binary(OpKind::kMul, sign, floor));
  wholes_.emplace(x, whole);
  return whole;
}

Result<ValueId> Steps::Fraction(ValueId x) {
  ANECHECK_ASSIGN(const ValueId whole, Whole(x));
  return build_.Binary(OpKind::kSub, x, whole);
}

Result<ValueId> Steps::Completed(ValueId a, ValueId b, bool difference) {
  ANECHECK_ASSIGN(const ValueId rounded, Rounded(a, b, difference));
  if (rounded != kNoValue || difference) return rounded;
  ANECHECK_ASSIGN(const ValueId other, Rounded(b, a, false));
  return other != kNoValue ? Result<ValueId>(other) : Chosen(a, b);
}

// Elements of floor are the whole part, minus 1 if x is smaller. Elements of ceil are the whole
// part, plus 1 if x is greater.
Result<ValueId> Steps::Rounded(ValueId whole, ValueId step, bool down) {
  const ValueId stored = WithoutReshapes(build_.graph(), whole);
  const auto known = std::ranges::find(wholes_, stored, &decltype(wholes_)::value_type::second);
  ANECHECK_ASSIGN(const ValueId bools, TruthOf(step));
  if (known == wholes_.end() || bools == kNoValue) return kNoValue;
  const auto compared = ProducerOf(bools, down ? OpKind::kLess : OpKind::kGreater);
  if (!compared) return kNoValue;
  const NodeView node(build_.graph(), *compared);
  if (node.Input(Binary::kX) != known->first || node.Input(Binary::kY) != stored) return kNoValue;
  const Shape shape = build_.ShapeOf(whole);
  ANECHECK_ASSIGN(const ValueId rounded,
                  build_.Unary(down ? OpKind::kFloor : OpKind::kCeil, known->first));
  return build_.Reshape(rounded, shape);
}

// Whether b is the logical negation of a, element by element.
bool Steps::AreOpposite(ValueId a, ValueId b) const {
  const Graph& graph = build_.graph();
  const auto inverse = ProducerOf(b, OpKind::kLogicalNot);
  if (!inverse || build_.ShapeOf(a) != build_.ShapeOf(b)) return false;
  const ValueId inverted = NodeView(graph, *inverse).Input(params::Unary::kX);
  return WithoutReshapes(graph, inverted) == WithoutReshapes(graph, a);
}

// Returns the choice between two operands, multiplied by bools and by their negation.
Result<ValueId> Steps::Chosen(ValueId a, ValueId b) {
  struct Term {
    ValueId truth, value;
  };
  const std::array products = {ProducerOf(a, OpKind::kMul), ProducerOf(b, OpKind::kMul)};
  if (!products[0] || !products[1]) return kNoValue;
  const Shape whole = build_.ShapeOf(WithoutReshapes(build_.graph(), a));
  if (whole != build_.ShapeOf(WithoutReshapes(build_.graph(), b))) return kNoValue;
  std::array<std::vector<Term>, 2> terms;
  for (size_t i = 0; i < terms.size(); ++i) {
    const NodeView node(build_.graph(), *products[i]);
    const ValueId x = node.Input(Binary::kX), y = node.Input(Binary::kY);
    for (const auto& [factor, value] : {std::pair(x, y), std::pair(y, x)}) {
      ANECHECK_ASSIGN(const ValueId truth, TruthOf(factor));
      if (truth != kNoValue) terms[i].push_back({truth, value});
    }
  }
  for (const Term& first : terms[0]) {
    for (const Term& second : terms[1]) {
      const bool straight = AreOpposite(first.truth, second.truth);
      if (!straight && !AreOpposite(second.truth, first.truth)) continue;
      const Term& yes = straight ? first : second;
      const Term& no = straight ? second : first;
      const Shape shape = build_.ShapeOf(a);
      ANECHECK_ASSIGN(const ValueId chosen, build_.Select(yes.truth, yes.value, no.value));
      return build_.ShapeOf(chosen) == whole ? build_.Reshape(chosen, shape)
                                             : Result<ValueId>(kNoValue);
    }
  }
  return kNoValue;
}

}  // namespace anecheck::lifting
