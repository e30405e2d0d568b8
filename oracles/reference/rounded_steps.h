// Intervals of results that an engine computes in steps. It may round each step to the element
// type, to fp32 or not at all. Used if an engine makes decisions by these results, such as overlaps
// of boxes and distances of points.
#pragma once

#include <algorithm>

#include "oracles/reference/rounding.h"

namespace anecheck::reference {

struct StepBounds {
  double low = 0;
  double high = 0;
};

// Computes the interval of each step. If `rounds` is true, an engine may round steps. Otherwise
// they are exact except for the last bit of double.
class RoundedSteps {
 public:
  RoundedSteps(const Grid& grid, bool rounds) : grid_(grid), rounds_(rounds) {}

  StepBounds Add(const StepBounds& a, const StepBounds& b) const {
    return Step(AddDown(a.low, b.low), AddUp(a.high, b.high));
  }
  StepBounds Subtract(const StepBounds& a, const StepBounds& b) const {
    return Add(a, {-b.high, -b.low});
  }
  // Precondition: `a` and `b` are not negative.
  StepBounds Multiply(const StepBounds& a, const StepBounds& b) const {
    return Step(WidenDown(a.low * b.low), WidenUp(a.high * b.high));
  }
  StepBounds Square(const StepBounds& a) const {
    const double near =
        a.low <= 0 && a.high >= 0 ? 0 : std::min(std::fabs(a.low), std::fabs(a.high));
    const double far = std::max(std::fabs(a.low), std::fabs(a.high));
    return Step(WidenDown(near * near), WidenUp(far * far));
  }
  // Precondition: `a` is not negative. The root also errs by `ulp` neighbours.
  StepBounds Root(const StepBounds& a, int ulp) const {
    return Near(WidenDown(std::sqrt(a.low)), WidenUp(std::sqrt(a.high)), ulp);
  }
  // Precondition: `a` is not negative, `b` is positive. The quotient also errs by `ulp` neighbours.
  StepBounds Divide(const StepBounds& a, const StepBounds& b, int ulp) const {
    return Near(WidenDown(a.low / b.high), WidenUp(a.high / b.low), ulp);
  }
  // Returns the sum of three numbers, added in any order.
  StepBounds Add(const StepBounds& a, const StepBounds& b, const StepBounds& c) const {
    const StepBounds orders[] = {Add(Add(a, b), c), Add(Add(a, c), b), Add(Add(b, c), a)};
    StepBounds hull = orders[0];
    for (const StepBounds& order : orders) {
      hull = {std::min(hull.low, order.low), std::max(hull.high, order.high)};
    }
    return hull;
  }

 private:
  // An infinite end means that the interval is unbounded. An end that is NaN, the difference of two
  // infinities, becomes infinite.
  StepBounds Step(double low, double high) const {
    if (low != low) low = -kInfinity;
    if (high != high) high = kInfinity;
    if (!rounds_) return {low, high};
    const double least = std::min(low, RoundToFloat(low));
    const double most = std::max(high, RoundToFloat(high));
    return {std::min(least, grid_.Round(least)), std::max(most, grid_.Round(most))};
  }
  StepBounds Near(double low, double high, int ulp) const {
    StepBounds bounds = Step(low, high);
    if (!rounds_ || ulp == 0) return bounds;
    if (bounds.low > 0) bounds.low = std::max(0.0, grid_.RoundAndStep(bounds.low, -ulp));
    if (bounds.high > 0) bounds.high = grid_.RoundAndStep(bounds.high, ulp);
    return bounds;
  }

  Grid grid_;
  bool rounds_;
};

}  // namespace anecheck::reference
