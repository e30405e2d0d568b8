// The activation tables of the engine. A table has 33 knots at equal distances over a fixed domain,
// and the differences between neighbouring knots. The curve is linear between two knots. Outside
// the domain the curve is constant, unless the table has a tail. Sources: specification 004,
// "Programmable activation LUT"; facts/numerics.md, "activation tables".
#pragma once

#include <array>
#include <cstdint>

#include "harness/device/numeric_model.h"

namespace anecheck::device {

// The rule that extends a table of half a domain to the other half.
enum class CurveSymmetry : uint8_t {
  kNone,         // y = table(x)
  kOdd,          // y = sign(x) * table(|x|)
  kHalfPlusEven  // y = x / 2 + table(|x|)
};

struct CurveTable {
  static constexpr int kKnots = 33;

  CurveSymmetry symmetry = CurveSymmetry::kNone;
  float low = 0;
  float high = 0;
  float knots_a_unit = 0;                  // 32 / (high - low)
  std::array<float, kKnots> knots{};       // on the fp16 grid
  std::array<float, kKnots - 1> deltas{};  // knots[i + 1] - knots[i], on the fp16 grid
  float below = 0;                         // the table's value outside the domain
  float above = 0;
  // Used by kHalfPlusEven only. Above the domain, table(|x|) = tail_slope * |x|.
  float tail_slope = 0;

  // Returns the value in fp32, before it is rounded and stored. The result is NaN if x is NaN. Of
  // `model`, the function reads only the planted defects.
  float Evaluate(float x, const NumericModel& model) const;
};

// Samples `function` over [low, high] and rounds the knots. The function moves each inner knot by
// half of the largest error of the chords beside it, which balances the error. It does not move the
// end knots, so the first knot is exact if `function` is 0 at `low`.
CurveTable MakeCurve(double (*function)(double), double low, double high, CurveSymmetry symmetry);

// Returns a copy of `table` whose first knot is `origin`. In a symmetric table the first knot is at
// x = 0.
CurveTable WithOrigin(CurveTable table, float origin);

}  // namespace anecheck::device
