// Draws operations that change a tensor's shape, or make a tensor. If the result does not depend on
// the elements of x, it is added to x or, for the operation shape, to the maximum of x. The graph
// then uses x.
#include <algorithm>
#include <cstdlib>

#include "generators/drawer.h"
#include "generators/short_list.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

bool DrawIdentity(Drawer& drawer, ValueId x) {
  return drawer.Emit(OpKind::kIdentity, {x}, drawer.range(x));
}

// The result is flat or has x's own shape. For x's own shape, the first `cut` axes take their
// extents from x, and the other axes take theirs from another tensor of this shape.
bool DrawReshapeLike(Drawer& drawer, ValueId x) {
  using P = params::ReshapeLike;
  const Shape shape = drawer.shape(x);
  if (shape.rank() < 1) return false;
  ChoiceStream& choices = drawer.choices();
  Shape flat;
  flat.Append(shape.Elements());
  const bool to_flat = choices.Coin();
  const ValueId reference = drawer.SameShape(to_flat ? flat : shape, x);
  const auto cut = static_cast<int64_t>(choices.Below(static_cast<uint64_t>(shape.rank()) + 1));
  Graph& graph = drawer.graph();
  drawer.Begin(OpKind::kReshapeLike);
  graph.AddArgument(P::kX, x);
  if (to_flat) {
    graph.AddArgument(P::kRefTensors, reference);
    drawer.AddInts(P::kBegins, AxisList{0});
    drawer.AddInts(P::kEnds, AxisList{1});
    drawer.AddBools(P::kEndMasks, AxisList{choices.Coin() ? 1 : 0});
  } else {
    graph.AddArgument(P::kRefTensors, x);
    graph.AddArgument(P::kRefTensors, reference);
    drawer.AddInts(P::kBegins, AxisList{0, cut});
    drawer.AddInts(P::kEnds, AxisList{cut, 0});
    drawer.AddBools(P::kEndMasks, AxisList{0, 1});
  }
  return drawer.Finish(drawer.range(x));
}

bool DrawExpandDims(Drawer& drawer, ValueId x) {
  using P = params::OverAxes;
  const int rank = drawer.shape(x).rank();
  if (rank >= 5) return false;
  ChoiceStream& choices = drawer.choices();
  const int more = static_cast<int>(choices.Range(1, std::min(2, 5 - rank)));
  AxisList axes;
  for (int axis = 0; axis < rank + more && static_cast<int>(axes.size()) < more; ++axis) {
    const bool needed = rank + more - axis == more - static_cast<int>(axes.size());
    if (needed || choices.Coin()) axes.push_back(choices.Coin() ? axis : axis - rank - more);
  }
  drawer.Begin(OpKind::kExpandDims);
  drawer.graph().AddArgument(P::kX, x);
  drawer.AddInts(P::kAxes, axes);
  return drawer.Finish(drawer.range(x));
}

bool DrawSqueeze(Drawer& drawer, ValueId x) {
  using P = params::OverAxes;
  const Shape shape = drawer.shape(x);
  AxisList axes;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] != 1 || !drawer.choices().Chance(2, 3)) continue;
    axes.push_back(drawer.choices().Coin() ? axis : axis - shape.rank());
  }
  // At least one axis remains. Reductions draw results of rank 0.
  if (axes.empty() || axes.size() == static_cast<size_t>(shape.rank())) return false;
  drawer.Begin(OpKind::kSqueeze);
  drawer.graph().AddArgument(P::kX, x);
  // If the attribute `axes` is absent, all axes of extent 1 are removed.
  const auto ones = static_cast<size_t>(std::ranges::count(shape.dims(), 1));
  if (axes.size() != ones || drawer.choices().Coin()) drawer.AddInts(P::kAxes, axes);
  return drawer.Finish(drawer.range(x));
}

bool DrawFlatten2d(Drawer& drawer, ValueId x) {
  using P = params::Flatten2d;
  drawer.Begin(OpKind::kFlatten2d);
  drawer.graph().AddArgument(P::kX, x);
  const int64_t rank = drawer.shape(x).rank();
  drawer.AddInt(P::kAxis, drawer.choices().Range(-rank, rank));
  return drawer.Finish(drawer.range(x));
}

bool DrawStack(Drawer& drawer, ValueId x) {
  using P = params::Stack;
  const Shape shape = drawer.shape(x);
  if (shape.rank() >= 5 || shape.Elements() > drawer.options().max_elements) return false;
  ChoiceStream& choices = drawer.choices();
  ShortList<ValueId> parts = {x};
  const uint64_t more = choices.Range(0, 2);
  const DType dtype = drawer.type(x).dtype;
  for (uint64_t i = 0; i < more; ++i) parts.push_back(drawer.SameShape(shape, kNoValue, dtype));
  if (choices.Coin()) std::rotate(parts.begin(), parts.begin() + 1, parts.end());
  ValueRange range = drawer.range(x);
  drawer.Begin(OpKind::kStack);
  for (const ValueId part : parts) {
    drawer.graph().AddArgument(P::kValues, part);
    range = EitherOf(range, drawer.range(part));
  }
  const int64_t axis = choices.Range(0, shape.rank());
  drawer.AddInt(P::kAxis, choices.Coin() ? axis : axis - shape.rank() - 1);
  return drawer.Finish(range);
}

bool DrawSplit(Drawer& drawer, ValueId x) {
  using P = params::Split;
  const Shape shape = drawer.shape(x);
  ChoiceStream& choices = drawer.choices();
  if (shape.rank() < 1) return false;
  const auto axis = static_cast<int>(choices.Below(static_cast<uint64_t>(shape.rank())));
  if (shape[axis] < 2) return false;
  AxisList sizes;
  int64_t left = shape[axis];
  while (left > 0 && sizes.size() < 3) {
    sizes.push_back(sizes.size() == 2 ? left : choices.Range(1, left));
    left -= sizes.back();
  }
  int64_t equal = choices.Range(2, 4);
  while (shape[axis] % equal != 0) --equal;
  const bool by_sizes = equal == 1 || choices.Coin();
  drawer.Begin(OpKind::kSplit);
  drawer.graph().AddArgument(P::kX, x);
  drawer.AddInt(P::kAxis, choices.Coin() ? axis : axis - shape.rank());
  if (by_sizes) {
    drawer.AddInts(P::kSplitSizes, sizes);
  } else {
    drawer.AddInt(P::kNumSplits, equal);
  }
  return drawer.Finish(drawer.range(x));
}

// Adds the result of the last node to x.
bool AddToOperand(Drawer& drawer, ValueId x) {
  const ValueId made = drawer.Last();
  const ValueRange a = drawer.range(x);
  const ValueRange b = drawer.range(made);
  return drawer.Emit(OpKind::kAdd, {x, made},
                     {a.low + b.low, a.high + b.high, a.integer && b.integer});
}

constexpr double kFillLimit = 16;

bool HasRoom(const Drawer& drawer, ValueId x, double more) {
  return drawer.range(x).Magnitude() + more <= drawer.Ceiling();
}

// Returns the number that fills a tensor. kNoValue stands for the default, an fp32 zero.
ValueId Filler(Drawer& drawer) {
  return drawer.choices().Chance(1, 6) ? kNoValue : drawer.NewConst(Shape{}, kFillLimit);
}

// Ends the node that fills with `value`, and adds its result to x.
bool FinishFilled(Drawer& drawer, ValueId x, ValueId value) {
  if (value != kNoValue) return drawer.Finish(drawer.range(value)) && AddToOperand(drawer, x);
  return drawer.Finish({0, 0, true}) && drawer.ToHalf() && AddToOperand(drawer, x);
}

bool DrawFill(Drawer& drawer, ValueId x) {
  using P = params::Fill;
  if (!HasRoom(drawer, x, kFillLimit)) return false;
  const ValueId value = Filler(drawer);
  const Shape shape = drawer.shape(x);
  drawer.Begin(OpKind::kFill);
  if (value != kNoValue) drawer.graph().AddArgument(P::kValue, value);
  drawer.AddInts(P::kShape, shape.dims());
  return FinishFilled(drawer, x, value);
}

bool DrawFillLike(Drawer& drawer, ValueId x) {
  using P = params::FillLike;
  if (!HasRoom(drawer, x, kFillLimit)) return false;
  const ValueId value = Filler(drawer);
  drawer.Begin(OpKind::kFillLike);
  drawer.graph().AddArgument(P::kRefTensor, x);
  if (value != kNoValue) drawer.graph().AddArgument(P::kValue, value);
  return FinishFilled(drawer, x, value);
}

// Draws a range with as many elements as x's last axis, so that the range can be added to x.
bool DrawRange1d(Drawer& drawer, ValueId x) {
  using P = params::Range1d;
  const Shape shape = drawer.shape(x);
  if (shape.rank() < 1 || shape[shape.rank() - 1] > 512) return false;
  ChoiceStream& choices = drawer.choices();
  const int64_t count = shape[shape.rank() - 1];
  const int64_t start = choices.Range(-8, 8);
  const int64_t step = choices.Coin() ? choices.Range(1, 3) : choices.Range(-3, -1);
  const auto far = static_cast<double>(std::max(std::abs(start), std::abs(start + step * count)));
  if (!HasRoom(drawer, x, far)) return false;
  // An end between two steps yields the same elements as an end on a step.
  const int64_t past = start + step * (count - 1) + (step > 0 ? 1 : -1);
  const ValueId end = drawer.NewScalar(static_cast<double>(past));
  const ValueId first = drawer.NewScalar(static_cast<double>(start));
  const ValueId by = drawer.NewScalar(static_cast<double>(step));
  drawer.Begin(OpKind::kRange1d);
  drawer.graph().AddArgument(P::kEnd, end);
  drawer.graph().AddArgument(P::kStart, first);
  drawer.graph().AddArgument(P::kStep, by);
  return drawer.Finish({-far, far, true}) && AddToOperand(drawer, x);
}

bool DrawOneHot(Drawer& drawer, ValueId x) {
  using P = params::OneHot;
  const Shape shape = drawer.shape(x);
  // No source states how an integer conversion treats NaN and infinities.
  if (drawer.mode() == CaseMode::kSpecial || shape.rank() > 4 || shape.Elements() > 64) {
    return false;
  }
  ChoiceStream& choices = drawer.choices();
  const ValueId on = drawer.NewConst(Shape{}, kFillLimit);
  const ValueId off = drawer.NewConst(Shape{}, kFillLimit);
  const ValueId indices = drawer.CastTo(DType::kInt32, x);
  if (indices == kNoValue) return false;
  drawer.Begin(OpKind::kOneHot);
  drawer.graph().AddArgument(P::kIndices, indices);
  drawer.graph().AddArgument(P::kOnValue, on);
  drawer.graph().AddArgument(P::kOffValue, off);
  drawer.AddInt(P::kOneHotVectorSize, choices.Range(1, 8));
  drawer.AddInt(P::kAxis, choices.Range(-1, shape.rank()));
  return drawer.Finish(EitherOf(drawer.range(on), drawer.range(off)));
}

// The extents do not depend on the inputs. They are added to the maximum of x, which does.
bool DrawShape(Drawer& drawer, ValueId x) {
  using P = params::Reduce;
  const Shape shape = drawer.shape(x);
  if (shape.rank() < 1) return false;
  double most = 0;
  for (const int64_t dim : shape.dims()) most = std::max(most, static_cast<double>(dim));
  if (most > 2048 || !HasRoom(drawer, x, most)) return false;
  drawer.Begin(OpKind::kShape);
  drawer.graph().AddArgument(params::Unary::kX, x);
  if (!drawer.Finish({0, most, true})) return false;
  const ValueId extents = drawer.CastTo(DType::kFp16, drawer.Last());
  if (extents == kNoValue) return false;
  AxisList axes;
  for (int axis = 0; axis < shape.rank(); ++axis) axes.push_back(axis);
  drawer.Begin(OpKind::kReduceMax);
  drawer.graph().AddArgument(P::kX, x);
  drawer.AddInts(P::kAxes, axes);
  drawer.AddBool(P::kKeepDims, false);
  return drawer.Finish(drawer.range(x)) && AddToOperand(drawer, extents);
}

}  // namespace

constinit const OpGenerator kGeneratorIdentity = {OpKind::kIdentity, true, 1, DrawIdentity};
constinit const OpGenerator kGeneratorReshapeLike = {OpKind::kReshapeLike, true, 1,
                                                     DrawReshapeLike};
constinit const OpGenerator kGeneratorExpandDims = {OpKind::kExpandDims, true, 2, DrawExpandDims};
constinit const OpGenerator kGeneratorSqueeze = {OpKind::kSqueeze, true, 2, DrawSqueeze};
constinit const OpGenerator kGeneratorFlatten2d = {OpKind::kFlatten2d, true, 1, DrawFlatten2d};
constinit const OpGenerator kGeneratorStack = {OpKind::kStack, true, 2, DrawStack};
constinit const OpGenerator kGeneratorSplit = {OpKind::kSplit, true, 2, DrawSplit};
constinit const OpGenerator kGeneratorFill = {OpKind::kFill, true, 1, DrawFill};
constinit const OpGenerator kGeneratorFillLike = {OpKind::kFillLike, true, 1, DrawFillLike};
constinit const OpGenerator kGeneratorRange1d = {OpKind::kRange1d, true, 0, DrawRange1d};
constinit const OpGenerator kGeneratorOneHot = {OpKind::kOneHot, true, 1, DrawOneHot};
constinit const OpGenerator kGeneratorShape = {OpKind::kShape, true, 1, DrawShape};

}  // namespace anecheck
