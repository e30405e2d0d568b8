// Sums on the 12-bit grid of D03 and D04.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace anecheck::device {

// The number of products in a tile of the multiply-accumulate array.
inline constexpr int kTileLanes = 4;
inline constexpr float kPortLimit = 32768.0f;

// Returns the sum of two numbers on the grid of kBits bits. Precondition: `a` and `b` are finite,
// so that the scaled values fit 32-bit integers. kBits is 12 unless a planted defect changes it.
template <uint32_t kBits = 12>
inline float AddFiniteOnLattice(float a, float b) {
  const float larger = std::max(std::fabs(a), std::fabs(b));
  // `field` is the exponent field of the larger magnitude. Products of halves are 0 or at least
  // 2^-48, and the lower limit of 24 keeps `scale` and `quantum` normal numbers.
  const uint32_t field = std::max(std::bit_cast<uint32_t>(larger) >> 23, uint32_t{24});
  const float scale = std::bit_cast<float>((253u + kBits - field) << 23);   // 2^(kBits - E)
  const float quantum = std::bit_cast<float>((field - (kBits - 1)) << 23);  // 2^(E - kBits)
  const int32_t sum = static_cast<int32_t>(a * scale) + static_cast<int32_t>(b * scale);
  return static_cast<float>(sum) * quantum;
}

}  // namespace anecheck::device
