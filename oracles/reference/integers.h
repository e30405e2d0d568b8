// Two's complement arithmetic on integers that are held in doubles: ranges, wrapping, and intervals
// of wrapped results. Used by elementwise, reduction and cast kernels.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "harness/graph/types.h"

namespace anecheck::reference {

struct IntegerRange {
  double low = 0;
  double high = 0;
};

constexpr bool IsSignedInteger(DType dtype) {
  return dtype == DType::kInt8 || dtype == DType::kInt16 || dtype == DType::kInt32 ||
         dtype == DType::kInt4;
}

// The least and greatest value of an integer or bool type.
constexpr IntegerRange RangeOf(DType dtype) {
  if (dtype == DType::kBool) return {0, 1};
  const int bits = DTypeBits(dtype);
  const auto span = static_cast<double>(uint64_t{1} << bits);
  return IsSignedInteger(dtype) ? IntegerRange{-span / 2, span / 2 - 1} : IntegerRange{0, span - 1};
}

constexpr double WrapInteger(DType dtype, int64_t value) {
  if (dtype == DType::kBool) return value != 0 ? 1 : 0;
  const int shift = 64 - DTypeBits(dtype);
  const uint64_t top = static_cast<uint64_t>(value) << shift;
  if (IsSignedInteger(dtype)) return static_cast<double>(static_cast<int64_t>(top) >> shift);
  return static_cast<double>(top >> shift);
}

// Truncates toward zero and saturates. NaN becomes 0. Integers have no negative zero.
inline double SaturateInteger(DType dtype, double value) {
  if (value != value) return 0;
  const IntegerRange range = RangeOf(dtype);
  return std::clamp(std::trunc(value), range.low, range.high) + 0.0;
}

// The floor of a / b. Precondition: b is not 0.
constexpr int64_t FloorQuotient(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

// Returns the hull of the wrapped corners of an operation on integer intervals. If a corner exceeds
// the type, returns the whole type, because the wrapped results need not be contiguous.
inline IntegerRange HullOfIntegers(DType dtype, int64_t a, int64_t b, int64_t c, int64_t d) {
  const IntegerRange range = RangeOf(dtype);
  const auto low = static_cast<double>(std::min(std::min(a, b), std::min(c, d)));
  const auto high = static_cast<double>(std::max(std::max(a, b), std::max(c, d)));
  if (low == high) return {WrapInteger(dtype, a), WrapInteger(dtype, a)};
  if (low < range.low || high > range.high) return range;
  return {low, high};
}

}  // namespace anecheck::reference
