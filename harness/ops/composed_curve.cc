#include "harness/ops/composed_curve.h"

#include <cstddef>

namespace anecheck {

CurveConstants ConstantsOfCurve(std::span<const CurveKnot> knots) {
  CurveConstants constants;
  constants.start = knots.front().y;
  double slope = 0;
  for (size_t i = 0; i < knots.size(); ++i) {
    constants.distances.push_back(-knots[i].x);
    const bool last = i + 1 == knots.size();
    const double next = last ? 0 : (knots[i + 1].y - knots[i].y) / (knots[i + 1].x - knots[i].x);
    constants.changes.push_back(next - slope);
    slope = next;
  }
  return constants;
}

}  // namespace anecheck
