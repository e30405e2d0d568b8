// How comparisons, logic and choice are drawn: bools never leave the graph, so each is converted
// or consumed at once.
#include <algorithm>
#include <array>
#include <vector>

#include "generators/drawer.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

constexpr ValueRange kTruth = {0, 1, true};

bool Emit(Drawer& drawer, OpKind kind, ValueId x, ValueId y) {
  using P = params::Binary;
  drawer.Begin(kind);
  drawer.graph().AddArgument(P::kX, x);
  drawer.graph().AddArgument(P::kY, y);
  return drawer.Finish(kTruth);
}

// The greatest or the least of x along an axis, or kNoValue where every axis has one element. x
// against it is true in few places and false in the others, or the reverse, and another x changes
// which: against a constant a comparison would often be decided by the ranges alone.
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

// What x is compared with.
ValueId Partner(Drawer& drawer, OpKind kind, ValueId x) {
  const GeneratorOptions& options = drawer.options();
  const bool reduces = options.ops.test(static_cast<size_t>(OpKind::kReduceMax)) &&
                       options.ops.test(static_cast<size_t>(OpKind::kReduceMin));
  const ValueId extreme =
      reduces && drawer.choices().Chance(3, 4) ? Extreme(drawer, kind, x) : kNoValue;
  return extreme != kNoValue ? extreme : drawer.BroadcastPartner(x);
}

// Bools of x's shape: x, or x compared with something that broadcasts to it.
ValueId DrawBools(Drawer& drawer, ValueId x) {
  if (drawer.type(x).dtype == DType::kBool) return x;
  constexpr std::array<OpKind, 6> kKinds = {OpKind::kEqual,   OpKind::kNotEqual,
                                            OpKind::kGreater, OpKind::kGreaterEqual,
                                            OpKind::kLess,    OpKind::kLessEqual};
  const OpKind kind = drawer.choices().Pick(kKinds);
  if (!Emit(drawer, kind, x, Partner(drawer, kind, x))) return kNoValue;
  return drawer.graph().nodes().back().first_result;
}

template <OpKind kKind>
bool DrawCompare(Drawer& drawer, ValueId x) {
  return Emit(drawer, kKind, x, Partner(drawer, kKind, x)) && drawer.ToHalf();
}

template <OpKind kKind>
bool DrawLogical(Drawer& drawer, ValueId x) {
  const ValueId a = DrawBools(drawer, x);
  const ValueId b = DrawBools(drawer, x);
  return a != kNoValue && b != kNoValue && Emit(drawer, kKind, a, b) && drawer.ToHalf();
}

bool DrawLogicalNot(Drawer& drawer, ValueId x) {
  const ValueId a = DrawBools(drawer, x);
  if (a == kNoValue) return false;
  drawer.Begin(OpKind::kLogicalNot);
  drawer.graph().AddArgument(params::Unary::kX, a);
  return drawer.Finish(kTruth) && drawer.ToHalf();
}

bool DrawSelect(Drawer& drawer, ValueId x) {
  using P = params::Select;
  // Bools choose between two other values.
  const ValueId cond = DrawBools(drawer, x);
  if (cond == kNoValue) return false;
  if (cond == x) x = drawer.NewInput(drawer.shape(x));
  const ValueId other = drawer.BroadcastPartner(x);
  const bool first = drawer.choices().Coin();
  const ValueRange& a = drawer.range(x);
  const ValueRange& b = drawer.range(other);
  const ValueRange either = {std::min(a.low, b.low), std::max(a.high, b.high),
                             a.integer && b.integer};
  drawer.Begin(OpKind::kSelect);
  drawer.graph().AddArgument(P::kCond, cond);
  drawer.graph().AddArgument(P::kA, first ? x : other);
  drawer.graph().AddArgument(P::kB, first ? other : x);
  return drawer.Finish(either);
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
