#include "harness/device/curve_table.h"

#include <algorithm>
#include <cmath>

#include "harness/device/half_block.h"

namespace anecheck::device {
namespace {

// The knot that planted defects change, far from both ends of every domain.
constexpr int kPlantedKnot = 12;

float OnGrid(double value) { return static_cast<float>(HalfToDouble(DoubleToHalf(value))); }

void FillDeltas(CurveTable& table) {
  for (size_t i = 0; i + 1 < table.knots.size(); ++i) {
    table.deltas[i] =
        OnGrid(static_cast<double>(table.knots[i + 1]) - static_cast<double>(table.knots[i]));
  }
}

float Lookup(const CurveTable& table, float x, const NumericModel& model) {
  float high = table.high;
  if (model.Has(Planted::kTableClampsEarly)) {
    // Near the end of the domain, a clamp changes a curve with a tail only a little. The planted
    // clamp therefore begins earlier for such a curve.
    const float part = table.symmetry == CurveSymmetry::kHalfPlusEven ? 0.5f : 0.75f;
    high = table.low + (high - table.low) * part;
  }
  if (x <= table.low) return x < table.low ? table.below : table.knots.front();
  if (x >= high) {
    if (table.symmetry == CurveSymmetry::kHalfPlusEven) return table.tail_slope * x;
    return table.above;
  }
  const float position = (x - table.low) * table.knots_a_unit;
  int index = std::min(static_cast<int>(position), CurveTable::kKnots - 2);
  float fraction = position - static_cast<float>(index);
  if (model.Has(Planted::kTableShifted)) index = std::min(index + 1, CurveTable::kKnots - 2);
  if (model.Has(Planted::kTableNearestKnot)) fraction = 0;
  const auto at = static_cast<size_t>(index);
  if (index == kPlantedKnot && model.Has(Planted::kTableKnotMoved)) {
    return table.knots[at] + 0x1p-6f + table.deltas[at] * fraction;
  }
  if (index == kPlantedKnot && model.Has(Planted::kTableKnotLost)) {
    return table.knots[at - 1] + table.deltas[at] * fraction;
  }
  return table.knots[at] + table.deltas[at] * fraction;
}

}  // namespace

float CurveTable::Evaluate(float x, const NumericModel& model) const {
  if (std::isnan(x)) return x;
  switch (symmetry) {
    case CurveSymmetry::kNone:
      return Lookup(*this, x, model);
    case CurveSymmetry::kOdd: {
      const float value = Lookup(*this, std::fabs(x), model);
      return x < 0 && !model.Has(Planted::kTableSignLost) ? -value : value;
    }
    case CurveSymmetry::kHalfPlusEven: {
      if (std::isinf(x)) return x > 0 ? x : 0.0f;
      const float half = x * 0.5f;
      return half + Lookup(*this, std::fabs(x), model);
    }
  }
  return x;
}

CurveTable MakeCurve(double (*function)(double), double low, double high, CurveSymmetry symmetry) {
  CurveTable table;
  table.symmetry = symmetry;
  table.low = static_cast<float>(low);
  table.high = static_cast<float>(high);
  constexpr double kSpans = CurveTable::kKnots - 1;
  const double step = (high - low) / kSpans;
  table.knots_a_unit = static_cast<float>(1 / step);
  for (int i = 0; i < CurveTable::kKnots; ++i) {
    const double x = low + step * i;
    double value = function(x);
    // The largest error of the chord is an eighth of this second difference.
    if (i > 0 && i < CurveTable::kKnots - 1) {
      const double curvature = function(x - step) - 2 * value + function(x + step);
      value -= curvature / 16;
    }
    table.knots[static_cast<size_t>(i)] = OnGrid(value);
  }
  FillDeltas(table);
  table.below = table.knots.front();
  table.above = table.knots.back();
  if (symmetry == CurveSymmetry::kHalfPlusEven) table.tail_slope = 0.5f;
  return table;
}

CurveTable WithOrigin(CurveTable table, float origin) {
  table.knots[0] = origin;
  FillDeltas(table);
  table.below = origin;
  return table;
}

}  // namespace anecheck::device
