// Numbers of about 100 bits as unevaluated sums of two doubles, for powers, logarithms of sums and
// normalizations. Reference kernels use them mostly if a result in double is too close to a
// rounding boundary.
//
// Sums and products are those of Dekker ("A floating-point technique for extending the available
// precision", 1971) and Knuth's TwoSum. Relative errors stay below 2^-100 for each operation, and
// below 2^-90 for exponentials and logarithms.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "oracles/reference/rounding.h"

namespace anecheck::reference {

class Wide {
 public:
  constexpr Wide(double x = 0) : high_(x) {}  // NOLINT(google-explicit-constructor): mixes freely
  constexpr Wide(double high, double low) : high_(high), low_(low) {}

  double high() const { return high_; }
  double low() const { return low_; }

  friend Wide operator+(const Wide& a, const Wide& b) {
    const double sum = a.high_ + b.high_;
    const double rest = SumError(a.high_, b.high_, sum);
    const double low = a.low_ + b.low_;
    const Wide first = Normal(sum, rest + low);
    return Normal(first.high_, first.low_ + SumError(a.low_, b.low_, low));
  }
  Wide operator-() const { return {-high_, -low_}; }
  friend Wide operator-(const Wide& a, const Wide& b) { return a + -b; }
  friend Wide operator*(const Wide& a, const Wide& b) {
    const double product = a.high_ * b.high_;
    const double rest = std::fma(a.high_, b.high_, -product);
    return Normal(product, rest + (a.high_ * b.low_ + a.low_ * b.high_));
  }
  friend Wide operator/(const Wide& a, const Wide& b) {
    const double first = a.high_ / b.high_;
    Wide rest = a - b * Wide(first);
    const double second = rest.high_ / b.high_;
    rest = rest - b * Wide(second);
    return Wide(first, 0) + Wide(second) + Wide(rest.high_ / b.high_);
  }

  // Returns the number rounded to odd, so that a second rounding is correct. A number within 2^-75
  // of a double counts as that double, so that exact results (2.5^2, the root of a square) are
  // exact. No inexact result of these functions is so close to a double of at most 25 bits.
  double Odd() const {
    const bool exact = std::fabs(low_) <= std::fabs(high_) * 0x1p-75;
    return exact ? high_ : ToOdd(high_, low_);
  }

 private:
  // Precondition: |high| >= |low| or high == 0.
  static Wide Normal(double high, double low) {
    const double sum = high + low;
    if (!(std::fabs(sum) < kInfinity)) return {sum, 0};
    return {sum, low - (sum - high)};
  }

  double high_ = 0;
  double low_ = 0;
};

// Precondition: a >= 0.
inline Wide Sqrt(const Wide& a) {
  if (a.high() <= 0) return 0;
  const Wide root(std::sqrt(a.high()));
  const Wide better = (root + a / root) * Wide(0.5);
  return (better + a / better) * Wide(0.5);
}

// 1 / k for whole numbers of up to 24 bits.
constexpr Wide Reciprocal(int k) {
  const auto number = static_cast<double>(k);
  const double high = 1 / number;
  // Computes 1 - high * k by two products and two differences, which are all exact.
  const double upper = static_cast<double>(static_cast<float>(high));
  return {high, ((1 - upper * number) - (high - upper) * number) / number};
}

// Precondition: |a| <= 700.
inline Wide Exp(const Wide& a) {
  constexpr Wide kLn2(0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56);
  constexpr int kTerms = 18;
  static constexpr auto kReciprocals = [] {
    std::array<Wide, kTerms + 1> reciprocals{};
    for (int k = 1; k <= kTerms; ++k) reciprocals[static_cast<size_t>(k)] = Reciprocal(k);
    return reciprocals;
  }();
  const double turns = std::nearbyint(a.high() / 0x1.62e42fefa39efp-1);
  const Wide rest = (a - kLn2 * Wide(turns)) * Wide(0x1p-4);
  Wide sum(1);
  for (size_t k = kTerms; k >= 1; --k) sum = Wide(1) + sum * rest * kReciprocals[k];
  for (int k = 0; k < 4; ++k) sum = sum * sum;
  return sum * Wide(std::ldexp(1.0, static_cast<int>(turns)));
}

// Precondition: 0 < a < infinity, a normal double.
inline Wide Log(const Wide& a) {
  const double near = std::log(a.high());
  const Wide excess = a * Exp(Wide(-near)) - Wide(1);
  return Wide(near) + (excess - excess * excess * Wide(0.5));
}

// Whether every number within `error` of `value` rounds to the same element.
inline bool IsSettled(const Grid& grid, double value, double error) {
  return grid.Round(value - error) == grid.Round(value + error) || !(std::fabs(value) < kInfinity);
}

// As IsSettled, and no number within `error` of `value` is an element, so that `value` is
// distinguished from every element.
inline bool IsSettledBetween(const Grid& grid, double value, double error) {
  const double below = grid.Round(value - error);
  return below == grid.Round(value + error) && std::fabs(value - below) > error;
}

}  // namespace anecheck::reference
