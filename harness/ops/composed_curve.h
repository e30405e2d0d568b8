// Expresses a piecewise-linear function of one argument as a linear layer, a relu and a linear
// layer, and computes their constants (specification 004, "Programmable activation LUT").
#pragma once

#include <span>
#include <vector>

namespace anecheck {

struct CurveKnot {
  double x = 0;
  double y = 0;
};

// y = start + sum of changes[i] * max(0, x + distances[i]) is the curve through the knots; outside
// of the knots it is constant. The first linear layer has weights of 1 and the biases `distances`.
// The second one has the weights `changes` and the bias `start`.
struct CurveConstants {
  std::vector<double> distances;
  std::vector<double> changes;  // of the slope at each knot
  double start = 0;
};

// Precondition: there are two knots or more, which are finite and have ascending x.
CurveConstants ConstantsOfCurve(std::span<const CurveKnot> knots);

}  // namespace anecheck
