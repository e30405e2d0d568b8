// Draws reductions.
#include <algorithm>
#include <cmath>

#include "generators/drawer.h"
#include "generators/ops/domain.h"
#include "generators/short_list.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

using P = params::Reduce;

// The axes of one reduction, as the attribute spells them, and the number of elements that each
// result combines.
struct Axes {
  AxisList axes;
  int64_t count = 1;
};

// In modes that test the length of an axis, every second call draws only the longest axis.
bool DrawLongest(Drawer& drawer, const Shape& shape, Axes& drawn) {
  const CaseMode mode = drawer.options().mode;
  const bool about_length = mode == CaseMode::kShapeRanges || mode == CaseMode::kLargeAxis;
  if (!about_length || !drawer.choices().Coin()) return false;
  const auto dims = shape.dims();
  const auto longest = std::ranges::max_element(dims);
  drawn.axes.push_back(longest - dims.begin());
  drawn.count = *longest;
  return true;
}

Axes DrawAxes(Drawer& drawer, const Shape& shape) {
  ChoiceStream& choices = drawer.choices();
  Axes drawn;
  if (DrawLongest(drawer, shape, drawn)) return drawn;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (!choices.Chance(1, 2)) continue;
    drawn.axes.push_back(choices.Coin() ? axis : axis - shape.rank());
    drawn.count *= shape[axis];
  }
  if (drawn.axes.empty()) {
    drawn.axes.push_back(shape.rank() - 1);
    drawn.count = shape[shape.rank() - 1];
  }
  return drawn;
}

bool Emit(Drawer& drawer, OpKind kind, ValueId x, const Axes& axes, const ValueRange& range) {
  if (range.Magnitude() > drawer.Ceiling()) return false;
  drawer.Begin(kind);
  drawer.graph().AddArgument(P::kX, x);
  // If the attribute `axes` is absent, all axes are reduced.
  const bool all = axes.axes.size() == static_cast<size_t>(drawer.shape(x).rank());
  if (!all || drawer.choices().Coin()) drawer.AddInts(P::kAxes, axes.axes);
  // The reductions of network descriptions keep their axes.
  drawer.AddBool(P::kKeepDims, drawer.options().direct || drawer.choices().Coin());
  return drawer.Finish(range);
}

// Draws a reduction. `result` computes its range from x's range and the number of elements.
template <typename Result>
bool EmitReduce(Drawer& drawer, OpKind kind, ValueId x, const Result& result) {
  if (drawer.shape(x).rank() < 1) return false;
  const Axes axes = DrawAxes(drawer, drawer.shape(x));
  return Emit(drawer, kind, x, axes, result(drawer.range(x), static_cast<double>(axes.count)));
}

ValueRange Same(const ValueRange& range, double) { return range; }
ValueRange Sum(const ValueRange& range, double count) {
  return {range.low * count, range.high * count, range.integer};
}

bool DrawReduceSum(Drawer& drawer, ValueId x) {
  return EmitReduce(drawer, OpKind::kReduceSum, x, Sum);
}
// Whether to skip a reduction because nearly every result would be `end`, an end of x's range.
// True, except for one call in eight, if x holds the numbers 0 and 1 of bools or if `end` is 0.
bool Saturates(Drawer& drawer, ValueId x, double end) {
  const ValueRange range = drawer.range(x);
  const bool truths = range.integer && range.high - range.low <= 1;
  return (truths || end == 0) && drawer.shape(x).Elements() > 4 && !drawer.DrawsRestful();
}
bool DrawReduceMax(Drawer& drawer, ValueId x) {
  if (Saturates(drawer, x, drawer.range(x).high)) return false;
  return EmitReduce(drawer, OpKind::kReduceMax, x, Same);
}
bool DrawReduceMin(Drawer& drawer, ValueId x) {
  if (Saturates(drawer, x, drawer.range(x).low)) return false;
  return EmitReduce(drawer, OpKind::kReduceMin, x, Same);
}
// The sum before the division must also stay below the ceiling.
bool DrawReduceMean(Drawer& drawer, ValueId x) {
  if (drawer.shape(x).rank() < 1) return false;
  const Axes axes = DrawAxes(drawer, drawer.shape(x));
  const ValueRange range = drawer.range(x);
  if (Sum(range, static_cast<double>(axes.count)).Magnitude() > drawer.Ceiling()) return false;
  return Emit(drawer, OpKind::kReduceMean, x, axes, {range.low, range.high});
}
bool DrawReduceSumSquare(Drawer& drawer, ValueId x) {
  return EmitReduce(drawer, OpKind::kReduceSumSquare, x, [](const ValueRange& r, double count) {
    return ValueRange{0, r.Magnitude() * r.Magnitude() * count, r.integer};
  });
}
bool DrawReduceL1Norm(Drawer& drawer, ValueId x) {
  return EmitReduce(drawer, OpKind::kReduceL1Norm, x, [](const ValueRange& r, double count) {
    return ValueRange{0, r.Magnitude() * count, r.integer};
  });
}
bool DrawReduceL2Norm(Drawer& drawer, ValueId x) {
  if (drawer.shape(x).rank() < 1) return false;
  const Axes axes = DrawAxes(drawer, drawer.shape(x));
  const double magnitude = drawer.range(x).Magnitude();
  const double squares = magnitude * magnitude * static_cast<double>(axes.count);
  if (squares > drawer.Ceiling()) return false;
  return Emit(drawer, OpKind::kReduceL2Norm, x, axes, {0, std::sqrt(squares)});
}
bool DrawReduceLogSum(Drawer& drawer, ValueId x) {
  const ValueId from = NotNegative(drawer, x);
  if (drawer.shape(from).rank() < 1) return false;
  const Axes axes = DrawAxes(drawer, drawer.shape(from));
  const double sum = drawer.range(from).Magnitude() * static_cast<double>(axes.count);
  if (sum > drawer.Ceiling()) return false;
  return Emit(drawer, OpKind::kReduceLogSum, from, axes, {-18, 12});
}
bool DrawReduceLogSumExp(Drawer& drawer, ValueId x) {
  return EmitReduce(drawer, OpKind::kReduceLogSumExp, x, [](const ValueRange& r, double count) {
    return ValueRange{r.low - 1, r.high + std::log(count) + 1};
  });
}
// The host may multiply in any order. The order hardly matters if no partial product leaves the
// range of fp16, so x is clipped.
bool DrawReduceProd(Drawer& drawer, ValueId x) {
  const ValueId from = Within(drawer, x, -2, 2);
  if (drawer.shape(from).rank() < 1) return false;
  const int64_t last = drawer.shape(from).rank() - 1;
  Axes axes = {{drawer.choices().Coin() ? -1 : last}, drawer.shape(from).dims().back()};
  const double magnitude = std::max(1.0, drawer.range(from).Magnitude());
  const double product = std::pow(magnitude, static_cast<double>(axes.count));
  if (product > drawer.Ceiling()) return false;
  return Emit(drawer, OpKind::kReduceProd, from, axes, {-product, product});
}

template <OpKind kKind>
bool DrawReduceArg(Drawer& drawer, ValueId x) {
  using A = params::ReduceArg;
  const Shape shape = drawer.shape(x);
  if (shape.rank() < 1) return false;
  const int64_t axis = drawer.choices().Range(-shape.rank(), shape.rank() - 1);
  const int64_t count = shape[*NormalizeAxis(axis, shape.rank())];
  // On A13, the compiler refuses longer axes (facts/compile_envelope.csv).
  if (count < 2 || count > 2048) return false;
  drawer.Begin(kKind);
  drawer.graph().AddArgument(A::kX, x);
  drawer.AddInt(A::kAxis, axis);
  drawer.AddBool(A::kKeepDims, drawer.choices().Coin());
  if (drawer.choices().Coin()) {
    drawer.AddString(A::kOutputDtype, drawer.choices().Coin() ? "uint16" : "int32");
  }
  return drawer.Finish({0, static_cast<double>(count - 1), true}) && drawer.ToHalf();
}

}  // namespace

constinit const OpGenerator kGeneratorReduceSum = {OpKind::kReduceSum, true, 4, DrawReduceSum};
constinit const OpGenerator kGeneratorReduceMax = {OpKind::kReduceMax, true, 3, DrawReduceMax};
constinit const OpGenerator kGeneratorReduceMin = {OpKind::kReduceMin, true, 2, DrawReduceMin};
constinit const OpGenerator kGeneratorReduceMean = {OpKind::kReduceMean, false, 2, DrawReduceMean};
constinit const OpGenerator kGeneratorReduceSumSquare = {OpKind::kReduceSumSquare, true, 2,
                                                         DrawReduceSumSquare};
constinit const OpGenerator kGeneratorReduceL1Norm = {OpKind::kReduceL1Norm, true, 2,
                                                      DrawReduceL1Norm};
constinit const OpGenerator kGeneratorReduceL2Norm = {OpKind::kReduceL2Norm, false, 2,
                                                      DrawReduceL2Norm};
constinit const OpGenerator kGeneratorReduceLogSum = {OpKind::kReduceLogSum, false, 2,
                                                      DrawReduceLogSum};
constinit const OpGenerator kGeneratorReduceLogSumExp = {OpKind::kReduceLogSumExp, false, 2,
                                                         DrawReduceLogSumExp};
// Not drawn in integer mode. If elements are equal, the resulting position is not unique, but the
// results of integer cases must be unique.
constinit const OpGenerator kGeneratorReduceArgmax = {OpKind::kReduceArgmax, false, 2,
                                                      DrawReduceArg<OpKind::kReduceArgmax>};
constinit const OpGenerator kGeneratorReduceArgmin = {OpKind::kReduceArgmin, false, 2,
                                                      DrawReduceArg<OpKind::kReduceArgmin>};
constinit const OpGenerator kGeneratorReduceProd = {OpKind::kReduceProd, false, 2, DrawReduceProd};

}  // namespace anecheck
