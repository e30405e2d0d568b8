#include "generators/composed_curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "harness/base/half.h"
#include "harness/ops/composed_curve.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

// fp16 represents every knot, slope and change of slope exactly, because the distances between
// knots are powers of two and the values are multiples of 1/8.
std::vector<CurveKnot> DrawKnots(ChoiceStream& choices) {
  constexpr std::array<double, 3> kDistances = {0.5, 1, 2};
  const auto count = static_cast<size_t>(choices.Range(2, 6));
  std::vector<CurveKnot> knots;
  double x = static_cast<double>(choices.Range(-16, 0)) / 4;
  for (size_t i = 0; i < count; ++i) {
    knots.push_back({x, static_cast<double>(choices.Range(-16, 16)) / 8});
    x += choices.Pick(kDistances);
  }
  // A curve of equal values would give the same result for every input.
  if (knots[0].y == knots[1].y) knots[1].y += 0.125;
  return knots;
}

ValueId NewHalves(Drawer& drawer, const Shape& shape, std::span<const double> numbers) {
  std::vector<uint8_t> bytes;
  double limit = 0;
  for (const double number : numbers) {
    const Half half = DoubleToHalf(number);
    bytes.push_back(static_cast<uint8_t>(half.bits & 0xff));
    bytes.push_back(static_cast<uint8_t>(half.bits >> 8));
    limit = std::max(limit, std::fabs(number));
  }
  return drawer.NewConstOf({DType::kFp16, shape}, bytes, limit);
}

bool EmitReshape(Drawer& drawer, ValueId x, const Shape& shape) {
  const ValueRange range = drawer.range(x);
  drawer.Begin(OpKind::kReshape);
  drawer.graph().AddArgument(params::Reshape::kX, x);
  drawer.graph().AddInts(params::Reshape::kShape, shape.dims());
  return drawer.Finish(range);
}

bool EmitLayer(Drawer& drawer, ValueId x, ValueId weight, ValueId bias, const ValueRange& range) {
  return drawer.Emit(OpKind::kLinear, {x, weight, bias}, range);
}

// The range of the last sum. It allows for the rounding of every difference before the sum.
ValueRange RangeOfSum(const CurveConstants& curve, double farthest) {
  double bound = std::fabs(curve.start);
  for (const double change : curve.changes) bound += std::fabs(change) * farthest;
  return {-bound, bound};
}

}  // namespace

bool DrawComposedCurve(Drawer& drawer, ValueId x) {
  constexpr std::array kOps = {OpKind::kReshape, OpKind::kLinear, OpKind::kRelu};
  const auto drawn = [&](OpKind kind) {
    const auto at = static_cast<size_t>(kind);
    return drawer.options().ops.test(at) && drawer.options().spelt.test(at);
  };
  const Shape shape = drawer.shape(x);
  const int64_t points = shape.Elements();
  if (!std::ranges::all_of(kOps, drawn) || shape.rank() < 1) return false;
  const std::vector<CurveKnot> knots = DrawKnots(drawer.choices());
  const auto rows = static_cast<int64_t>(knots.size());
  if (points > drawer.options().longest_axis || points * rows > drawer.options().max_products) {
    return false;
  }
  const CurveConstants curve = ConstantsOfCurve(knots);
  const double most =
      std::max(std::fabs(knots.front().x), std::fabs(knots.back().x)) + drawer.range(x).Magnitude();
  const ValueRange sum = RangeOfSum(curve, most);
  if (sum.high > drawer.Ceiling()) return false;
  const ValueId ones = NewHalves(drawer, {rows, 1}, std::vector<double>(knots.size(), 1));
  const ValueId distances = NewHalves(drawer, {rows}, curve.distances);
  const ValueId changes = NewHalves(drawer, {1, rows}, curve.changes);
  const ValueId start = NewHalves(drawer, {1}, std::array{curve.start});
  return EmitReshape(drawer, x, {points, 1}) &&
         EmitLayer(drawer, drawer.Last(), ones, distances, {-most, most}) &&
         drawer.Emit(OpKind::kRelu, {drawer.Last()}, {0, most}) &&
         EmitLayer(drawer, drawer.Last(), changes, start, sum) &&
         EmitReshape(drawer, drawer.Last(), shape);
}

}  // namespace anecheck
