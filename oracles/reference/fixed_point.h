// The law of the multiply-accumulate array of A16 and A18, by which sums of products are 32-bit
// fixed-point sums. dot_fixed.cc predicts the bits of sums by this law. Source:
// facts/silicon/numerics_laws.md, L1 to L6 and L8, measured on h16g and h18g.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "oracles/reference/rounding.h"

namespace anecheck::reference {

// One unit of the accumulator is 2^-16. The accumulator holds magnitudes below 2^31 units.
inline constexpr double kFixedUnit = 0x1p-16;
inline constexpr double kFixedLimit = 0x1p31;
// The number of products that were measured in one pass. No source says with which product a later
// pass begins.
inline constexpr size_t kFixedPass = 64;

// Decodes an input with exponent 31 as (1 + m / 1024) * 2^16. A signalling NaN arrives as a quiet
// NaN (L4). `x` is a double that was decoded from fp16.
inline double DecodeAsNumber(double x) {
  if (std::fabs(x) < kInfinity) return x;
  constexpr uint64_t kFraction = (uint64_t{1} << 52) - 1;
  const uint64_t fraction = std::bit_cast<uint64_t>(x) & kFraction;
  return std::copysign(0x1p16 * (1 + static_cast<double>(fraction) * 0x1p-52), x);
}

// Returns the interval of the numbers that the engine reads for an element of [low, high] or for
// NaN. `bits_known` says that the element comes unchanged from an input, so that a NaN's payload is
// known. Otherwise a NaN may be any number with exponent 31 or above.
inline Interval DecodedEnds(double low, double high, bool nan, bool bits_known) {
  if (low != low && bits_known) return {DecodeAsNumber(low), DecodeAsNumber(low)};
  if (low != low || nan) return {-kInfinity, kInfinity};
  if (low == high) return {DecodeAsNumber(low), DecodeAsNumber(high)};
  // An infinite end is either a stored infinity, which is read as 2^16 or -2^16, or a number that
  // is not yet rounded and overflows later.
  return {high == kInfinity ? std::min(low, 0x1p16) : low,
          low == -kInfinity ? std::max(high, -0x1p16) : high};
}

// The nearest whole number, ties away from zero, for magnitudes below 2^52.
inline double RoundUnits(double units) {
  const double size = std::min(std::fabs(units) + 0.5, 0x1p62);
  return std::copysign(static_cast<double>(static_cast<int64_t>(size)), units);
}

// Returns floor(log2 |x|), or -14 for numbers below the least normal fp16 number.
inline int FixedExponent(double x) {
  const auto field = static_cast<int>(std::bit_cast<uint64_t>(x) >> 52 & 0x7ff);
  return std::max(field - 1023, -14);
}

// Returns a product in accumulator units, or 0 if its factors' exponents sum to -17 or less (L3).
inline double FixedProduct(double x, double w) {
  const double units = RoundUnits(x * w / kFixedUnit);
  return FixedExponent(x) + FixedExponent(w) <= -17 ? 0 : units;
}

// A bias in units of the accumulator. The accumulator starts at this value (L6).
inline double FixedStart(double bias) { return RoundUnits(bias / kFixedUnit); }

// Exact sums of products and of their magnitudes, in units of the accumulator. They are whole
// numbers below 2^53. `reach` is the greatest magnitude of a partial sum in the given order, or 0
// if all products fit in one pass.
struct FixedSum {
  double total = 0;
  double size = 0;
  double reach = 0;
};

// The sums of x[k] * w[k] for finite numbers, by L1 to L3.
FixedSum SumFixed(const double* x, const double* w, size_t count);

// Returns the sum of `start` and the products in units, added in the order given, or an infinity if
// a partial sum overflows.
double SumFixedInOrder(const double* x, const double* w, size_t count, double start);

// Returns the sum of integer products times both scales, before it is rounded to fp16, or an
// infinity if the sum reaches 2^31 (L8).
double ScaleFixed(int64_t sum, double scale);

}  // namespace anecheck::reference
