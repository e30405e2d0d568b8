// Sums doubles without rounding. Needed if the cheap test of a plain sum (magnitude compared with
// the lowest set bit) does not show that it is exact. Used by the multiply-accumulate kernels.
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "oracles/reference/rounding.h"

namespace anecheck::reference {

// Keeps the sum as an expansion of doubles that do not overlap (Shewchuk, "Adaptive precision
// floating-point arithmetic", 1997). All summands must be finite.
class ExactSum {
 public:
  void Clear() { parts_.clear(); }

  void Add(double x) {
    size_t kept = 0;
    for (double y : parts_) {
      if (std::fabs(x) < std::fabs(y)) std::swap(x, y);
      const double sum = x + y;
      const double rest = y - (sum - x);
      if (rest != 0) parts_[kept++] = rest;
      x = sum;
    }
    parts_.resize(kept);
    if (x != 0) parts_.push_back(x);
  }
  // Adds a * b. The result is exact if the product lies in the normal range of double.
  void AddProduct(double a, double b) {
    const double product = a * b;
    Add(product);
    const double rest = std::fma(a, b, -product);
    if (rest != 0) Add(rest);
  }

  // The sum rounded to odd.
  double Odd() const {
    if (parts_.empty()) return 0;
    size_t i = parts_.size();
    double sum = parts_[--i];
    while (i > 0) {
      const double next = parts_[--i];
      const double before = sum;
      sum = before + next;
      const double rest = next - (sum - before);
      if (rest != 0) return ToOdd(sum, rest);
    }
    return sum;
  }

 private:
  std::vector<double> parts_;  // in the order of increasing magnitude
};

}  // namespace anecheck::reference
