// Computes the numbers of both linear layers that express any piecewise-linear function of one
// argument as linear, relu, linear (specification 004, "Programmable activation LUT").
#pragma once

#include <span>
#include <vector>

namespace anecheck {

struct CurveKnot {
  double x = 0;
  double y = 0;
};

// y = start + sum of changes[i] * max(0, x + distances[i]) is the curve through the knots; it is
// constant outside of the knots. The first layer has weights of 1 and the biases `distances`, the
// second the weights `changes` and the bias `start`.
struct CurveConstants {
  std::vector<double> distances;
  std::vector<double> changes;  // of the slope at each knot
  double start = 0;
};

// Precondition: two knots or more, finite, with ascending x.
CurveConstants ConstantsOfCurve(std::span<const CurveKnot> knots);

}  // namespace anecheck
