// Draws comparisons, logic and select. A graph cannot return bools, so each bool is converted or
// consumed at once.
#include <array>
#include <vector>

#include "generators/drawer.h"
#include "generators/tensor_data.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

constexpr ValueRange kTruth = {0, 1, true};

// The maximum or minimum of x along an axis, or kNoValue if every axis has one element. A
// comparison of x with this extreme gives one result at few positions and the other result at most
// positions. The positions depend on the elements of x. The result of a comparison with a constant
// often depends only on the ranges.
ValueId Extreme(Drawer& drawer, OpKind kind, ValueId x) {
  using P = params::Reduce;
  const Shape shape = drawer.shape(x);
  std::vector<int64_t> axes;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] > 1) axes.push_back(axis);
  }
  if (axes.empty()) return kNoValue;
  const bool greatest =
      kind == OpKind::kLess || kind == OpKind::kGreaterEqual ||
      (kind != OpKind::kGreater && kind != OpKind::kLessEqual && drawer.choices().Coin());
  const ValueRange range = drawer.range(x);
  drawer.Begin(greatest ? OpKind::kReduceMax : OpKind::kReduceMin);
  drawer.graph().AddArgument(P::kX, x);
  drawer.AddInts(P::kAxes, std::vector<int64_t>{drawer.choices().Pick(axes)});
  drawer.AddBool(P::kKeepDims, true);
  return drawer.Finish(range) ? drawer.Last() : kNoValue;
}

// The maximum of x and another operand. It equals x at some positions.
ValueId Raised(Drawer& drawer, ValueId x) {
  const ValueId other = drawer.BroadcastPartner(x);
  const ValueRange range = GreaterOf(drawer.range(x), drawer.range(other));
  return drawer.Emit(OpKind::kMaximum, {x, other}, range) ? drawer.Last() : other;
}

// Returns the operand with which x is compared.
ValueId Partner(Drawer& drawer, OpKind kind, ValueId x) {
  const auto allowed = [&](OpKind op) {
    return drawer.options().ops.test(static_cast<size_t>(op));
  };
  const bool reduces = allowed(OpKind::kReduceMax) && allowed(OpKind::kReduceMin);
  if (reduces && drawer.choices().Chance(3, 4)) {
    const ValueId extreme = Extreme(drawer, kind, x);
    if (extreme != kNoValue) return extreme;
  }
  // Numbers drawn independently are rarely equal.
  const bool equality = kind == OpKind::kEqual || kind == OpKind::kNotEqual;
  if (equality && allowed(OpKind::kMaximum) && drawer.choices().Chance(3, 4)) {
    return Raised(drawer, x);
  }
  // If the operand is far larger than x, the comparison has the same result for all elements.
  const double magnitude = drawer.range(x).Magnitude();
  const bool small = magnitude > 0 && magnitude < InputMagnitude(drawer.mode());
  if (small && drawer.type(x).dtype == DType::kFp16) {
    return drawer.NewConst(drawer.BroadcastShape(x), magnitude);
  }
  return drawer.BroadcastPartner(x);
}

// Returns bools of x's shape: x itself, or a comparison of x with a value that broadcasts to x.
ValueId DrawBools(Drawer& drawer, ValueId x) {
  if (drawer.type(x).dtype == DType::kBool) return x;
  constexpr std::array<OpKind, 6> kKinds = {OpKind::kEqual,   OpKind::kNotEqual,
                                            OpKind::kGreater, OpKind::kGreaterEqual,
                                            OpKind::kLess,    OpKind::kLessEqual};
  const OpKind kind = drawer.choices().Pick(kKinds);
  if (!drawer.Emit(kind, {x, Partner(drawer, kind, x)}, kTruth)) return kNoValue;
  return drawer.Last();
}

// Returns the comparison for which Mirrored(kind)(y, x) equals kind(x, y).
constexpr OpKind Mirrored(OpKind kind) {
  switch (kind) {
    case OpKind::kGreater:
      return OpKind::kLess;
    case OpKind::kGreaterEqual:
      return OpKind::kLessEqual;
    case OpKind::kLess:
      return OpKind::kGreater;
    case OpKind::kLessEqual:
      return OpKind::kGreaterEqual;
    default:
      return kind;
  }
}

// Draws a comparison with x as the first or, less often, the second operand.
template <OpKind kKind>
bool DrawCompare(Drawer& drawer, ValueId x) {
  if (!drawer.choices().Chance(1, 4)) {
    return drawer.Emit(kKind, {x, Partner(drawer, kKind, x)}, kTruth) && drawer.ToHalf();
  }
  const ValueId y = Partner(drawer, Mirrored(kKind), x);
  return drawer.Emit(kKind, {y, x}, kTruth) && drawer.ToHalf();
}

template <OpKind kKind>
bool DrawLogical(Drawer& drawer, ValueId x) {
  const ValueId a = DrawBools(drawer, x);
  const ValueId b = DrawBools(drawer, x);
  return a != kNoValue && b != kNoValue && drawer.Emit(kKind, {a, b}, kTruth) && drawer.ToHalf();
}

bool DrawLogicalNot(Drawer& drawer, ValueId x) {
  const ValueId a = DrawBools(drawer, x);
  if (a == kNoValue) return false;
  return drawer.Emit(OpKind::kLogicalNot, {a}, kTruth) && drawer.ToHalf();
}

bool DrawSelect(Drawer& drawer, ValueId x) {
  // Bools choose between two other values.
  const ValueId cond = DrawBools(drawer, x);
  if (cond == kNoValue) return false;
  if (cond == x) x = drawer.NewInput(drawer.shape(x));
  const ValueId other = drawer.BroadcastPartner(x);
  const bool first = drawer.choices().Coin();
  const ValueRange either = EitherOf(drawer.range(x), drawer.range(other));
  return drawer.Emit(OpKind::kSelect, {cond, first ? x : other, first ? other : x}, either);
}

}  // namespace

constinit const OpGenerator kGeneratorEqual = {OpKind::kEqual, true, 2,
                                               DrawCompare<OpKind::kEqual>};
constinit const OpGenerator kGeneratorNotEqual = {OpKind::kNotEqual, true, 2,
                                                  DrawCompare<OpKind::kNotEqual>};
constinit const OpGenerator kGeneratorGreater = {OpKind::kGreater, true, 2,
                                                 DrawCompare<OpKind::kGreater>};
constinit const OpGenerator kGeneratorGreaterEqual = {OpKind::kGreaterEqual, true, 2,
                                                      DrawCompare<OpKind::kGreaterEqual>};
constinit const OpGenerator kGeneratorLess = {OpKind::kLess, true, 2, DrawCompare<OpKind::kLess>};
constinit const OpGenerator kGeneratorLessEqual = {OpKind::kLessEqual, true, 2,
                                                   DrawCompare<OpKind::kLessEqual>};
constinit const OpGenerator kGeneratorLogicalAnd = {OpKind::kLogicalAnd, true, 2,
                                                    DrawLogical<OpKind::kLogicalAnd>};
constinit const OpGenerator kGeneratorLogicalOr = {OpKind::kLogicalOr, true, 2,
                                                   DrawLogical<OpKind::kLogicalOr>};
constinit const OpGenerator kGeneratorLogicalXor = {OpKind::kLogicalXor, true, 2,
                                                    DrawLogical<OpKind::kLogicalXor>};
constinit const OpGenerator kGeneratorLogicalNot = {OpKind::kLogicalNot, true, 2, DrawLogicalNot};
constinit const OpGenerator kGeneratorSelect = {OpKind::kSelect, true, 3, DrawSelect};

}  // namespace anecheck
