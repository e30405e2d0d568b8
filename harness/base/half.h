// IEEE 754 binary16 as bits, with explicit conversions in every rounding mode. The project does not
// compute in a native half type. It computes in wider types and rounds the result once.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "harness/base/rounding.h"

namespace anecheck {

struct Half {
  uint16_t bits = 0;

  friend constexpr bool operator==(Half, Half) = default;  // compares bits: +0 and -0 differ

  constexpr bool IsNan() const { return (bits & 0x7fff) > 0x7c00; }
  constexpr bool IsInf() const { return (bits & 0x7fff) == 0x7c00; }
  constexpr bool IsFinite() const { return (bits & 0x7c00) != 0x7c00; }
  constexpr bool IsZero() const { return (bits & 0x7fff) == 0; }
  constexpr bool IsSubnormal() const { return (bits & 0x7c00) == 0 && (bits & 0x3ff) != 0; }
  constexpr bool IsNegative() const { return (bits & 0x8000) != 0; }
};

inline constexpr Half kHalfMax{0x7bff};  // 65504
inline constexpr Half kHalfInfinity{0x7c00};
inline constexpr Half kHalfNan{0x7e00};  // the canonical quiet NaN
inline constexpr double kHalfMaxValue = 65504.0;
inline constexpr double kHalfMinSubnormal = 0x1p-24;
inline constexpr double kHalfMinNormal = 0x1p-14;

// Converts exactly. A NaN keeps its payload in the top bits of the wider payload.
constexpr double HalfToDouble(Half half);
constexpr float HalfToFloat(Half half);

// Rounds once, from the full precision of the argument. An overflow becomes infinity, or 65504 if
// the mode rounds numbers of that sign toward zero. NaN becomes a quiet NaN of the same sign.
constexpr Half DoubleToHalf(double value, Rounding mode = Rounding::kNearestEven);
constexpr Half FloatToHalf(float value, Rounding mode = Rounding::kNearestEven);

// Returns the distance in representable values. +0 and -0 are one value, and infinity is the
// successor of 65504. Two NaNs are 0 apart; a NaN and a number are UINT32_MAX apart.
constexpr uint32_t UlpDistance(Half a, Half b);

// Returns the index of a half in the order of values: 0 for both zeros, 1 for the smallest positive
// subnormal, negative for negative numbers. Returns INT32_MAX for NaN.
constexpr int32_t HalfOrdinal(Half half);
// The inverse of HalfOrdinal for -0x7c00 to 0x7c00; 0 yields +0.
constexpr Half HalfFromOrdinal(int32_t ordinal);

// Returns one unit in the last place of fp16 at |value|. It is 2^-24 in the subnormal range, and 32
// from 32768 upwards, even beyond 65504.
constexpr double HalfUlp(double value);

// ---- implementation -----------------------------------------------------------------------------

namespace half_internal {

// Rounds the magnitude significand * 2^exponent to the bits of a half without its sign.
// `significand` must be below 2^53.
constexpr uint16_t RoundMagnitude(uint64_t significand, int exponent, bool negative,
                                  Rounding mode) {
  if (significand == 0) return 0;
  const int top = 63 - std::countl_zero(significand) + exponent;  // 2^top <= magnitude
  const bool reaches_infinity = mode == Rounding::kNearestEven || mode == Rounding::kNearestAway ||
                                RoundsAway(mode, negative);
  const uint16_t overflow = reaches_infinity ? 0x7c00 : 0x7bff;
  if (top > 15) return overflow;
  const int quantum = top < -14 ? -24 : top - 10;  // exponent of the last bit kept
  const uint64_t kept = RoundShift(significand, quantum - exponent, negative, mode);
  // `kept` may carry into the next binade; adding it to the biased exponent field propagates the
  // carry.
  const uint64_t biased =
      quantum == -24 ? kept : (static_cast<uint64_t>(quantum + 24) << 10) + kept;
  return biased >= 0x7c00 ? overflow : static_cast<uint16_t>(biased);
}

}  // namespace half_internal

constexpr double HalfToDouble(Half half) {
  const uint64_t sign = static_cast<uint64_t>(half.bits & 0x8000) << 48;
  const uint64_t exponent = (half.bits >> 10) & 0x1f;
  const uint64_t fraction = half.bits & 0x3ff;
  if (exponent == 0x1f) return std::bit_cast<double>(sign | 0x7ff0000000000000 | (fraction << 42));
  if (exponent != 0) {
    return std::bit_cast<double>(sign | ((exponent + 1008) << 52) | (fraction << 42));
  }
  const double magnitude = static_cast<double>(fraction) * 0x1p-24;
  return sign != 0 ? -magnitude : magnitude;
}

constexpr float HalfToFloat(Half half) {
  if (half.IsNan()) {
    return std::bit_cast<float>((static_cast<uint32_t>(half.bits & 0x8000) << 16) | 0x7f800000 |
                                (static_cast<uint32_t>(half.bits & 0x3ff) << 13));
  }
  return static_cast<float>(HalfToDouble(half));
}

constexpr Half DoubleToHalf(double value, Rounding mode) {
  const uint64_t raw = std::bit_cast<uint64_t>(value);
  const bool negative = (raw >> 63) != 0;
  const uint16_t sign = negative ? 0x8000 : 0;
  const int biased = static_cast<int>((raw >> 52) & 0x7ff);
  const uint64_t fraction = raw & 0x000fffffffffffff;
  if (biased == 0x7ff) {
    if (fraction == 0) return Half{static_cast<uint16_t>(sign | 0x7c00)};
    return Half{static_cast<uint16_t>(sign | 0x7e00 | (fraction >> 42))};
  }
  const uint64_t significand = biased == 0 ? fraction : fraction | (uint64_t{1} << 52);
  const int exponent = biased == 0 ? -1074 : biased - 1075;
  return Half{static_cast<uint16_t>(
      sign | half_internal::RoundMagnitude(significand, exponent, negative, mode))};
}

constexpr Half FloatToHalf(float value, Rounding mode) {
  const uint32_t raw = std::bit_cast<uint32_t>(value);
  const bool negative = (raw >> 31) != 0;
  const uint16_t sign = negative ? 0x8000 : 0;
  const int biased = static_cast<int>((raw >> 23) & 0xff);
  const uint32_t fraction = raw & 0x007fffff;
  if (biased == 0xff) {
    if (fraction == 0) return Half{static_cast<uint16_t>(sign | 0x7c00)};
    return Half{static_cast<uint16_t>(sign | 0x7e00 | (fraction >> 13))};
  }
  const uint64_t significand = biased == 0 ? fraction : fraction | (uint32_t{1} << 23);
  const int exponent = biased == 0 ? -149 : biased - 150;
  return Half{static_cast<uint16_t>(
      sign | half_internal::RoundMagnitude(significand, exponent, negative, mode))};
}

constexpr int32_t HalfOrdinal(Half half) {
  if (half.IsNan()) return std::numeric_limits<int32_t>::max();
  const int32_t magnitude = half.bits & 0x7fff;
  return half.IsNegative() ? -magnitude : magnitude;
}

constexpr Half HalfFromOrdinal(int32_t ordinal) {
  return ordinal < 0 ? Half{static_cast<uint16_t>(0x8000 | -ordinal)}
                     : Half{static_cast<uint16_t>(ordinal)};
}

constexpr uint32_t UlpDistance(Half a, Half b) {
  if (a.IsNan() || b.IsNan()) {
    return a.IsNan() && b.IsNan() ? 0 : std::numeric_limits<uint32_t>::max();
  }
  const int32_t difference = HalfOrdinal(a) - HalfOrdinal(b);
  return static_cast<uint32_t>(difference < 0 ? -difference : difference);
}

constexpr double HalfUlp(double value) {
  const uint64_t raw = std::bit_cast<uint64_t>(value) & 0x7fffffffffffffff;
  int exponent = static_cast<int>(raw >> 52) - 1023;
  if (exponent < -14) exponent = -14;
  if (exponent > 15) exponent = 15;
  return std::bit_cast<double>(static_cast<uint64_t>(exponent - 10 + 1023) << 52);
}

}  // namespace anecheck
