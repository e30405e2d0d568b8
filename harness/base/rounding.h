// The rounding directions of IEEE 754, and the function that rounds a significand. The conversions
// to half and fp8 use it.
#pragma once

#include <cstdint>

namespace anecheck {

// The five rounding-direction attributes of IEEE 754-2019, section 4.3.
enum class Rounding : uint8_t {
  kNearestEven,
  kNearestAway,  // ties to the larger magnitude
  kTowardZero,
  kUp,    // toward +infinity
  kDown,  // toward -infinity
};

// Returns whether `mode` rounds every inexact value of this sign away from zero.
constexpr bool RoundsAway(Rounding mode, bool negative) {
  return (mode == Rounding::kUp && !negative) || (mode == Rounding::kDown && negative);
}

// Rounds significand * 2^-shift to an integer in `mode`. With a negative shift the result is exact,
// and significand << -shift must be below 2^64.
constexpr uint64_t RoundShift(uint64_t significand, int shift, bool negative, Rounding mode) {
  if (shift <= 0) return significand << -shift;
  const bool away = RoundsAway(mode, negative);
  if (shift > 63) return away && significand != 0 ? 1 : 0;  // significands here are below 2^54
  const uint64_t kept = significand >> shift;
  const uint64_t dropped = significand & ((uint64_t{1} << shift) - 1);
  const uint64_t tie = uint64_t{1} << (shift - 1);
  switch (mode) {
    case Rounding::kNearestEven:
      return kept + (dropped > tie || (dropped == tie && (kept & 1) != 0) ? 1 : 0);
    case Rounding::kNearestAway:
      return kept + (dropped >= tie ? 1 : 0);
    default:
      return kept + (away && dropped != 0 ? 1 : 0);
  }
}

}  // namespace anecheck
