// Compares numbers for tests. Any NaN equals any other NaN.
#pragma once

#include <cmath>

namespace anecheck::testing {

inline bool SameNumber(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// Like SameNumber, but +0 and -0 differ.
inline bool SameNumberAndSign(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

}  // namespace anecheck::testing
