// Conversions between stored elements and the engine's working formats, for blocks of elements. The
// simulated engine rounds its results in these functions. Used by every kernel.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "harness/device/numeric_model.h"
#include "harness/device/tensor_type.h"

namespace anecheck::device {

// The number of elements that a kernel handles at once. A few blocks of this size fit the
// first-level cache.
inline constexpr int64_t kBlock = 256;

inline float LoadHalf(uint16_t half) {
  const uint32_t word = static_cast<uint32_t>(half) << 16;
  const uint32_t sign = word & 0x80000000u;
  const uint32_t twice = word + word;
  // `normal` is correct for normal numbers, infinities and NaN. The bits move to their fields of an
  // fp32 number, and the factor corrects the exponent. Both steps are exact.
  const float normal = std::bit_cast<float>((twice >> 4) + (uint32_t{0xe0} << 23)) * 0x1p-112f;
  // `subnormal` is correct for subnormal numbers. The fraction is added to 0.5 as low bits, and 0.5
  // is subtracted again, which is exact.
  const float subnormal = std::bit_cast<float>((twice >> 17) | (uint32_t{126} << 23)) - 0.5f;
  const uint32_t magnitude = twice < (uint32_t{1} << 27) ? std::bit_cast<uint32_t>(subnormal)
                                                         : std::bit_cast<uint32_t>(normal);
  return std::bit_cast<float>(sign | magnitude);
}

// Rounds half to even. An overflow gives infinity.
inline uint16_t StoreHalfNearestEven(float value) {
  const uint32_t word = std::bit_cast<uint32_t>(value);
  const uint32_t twice = word + word;
  // Scaling up and then down turns values that overflow fp16 into infinity.
  float base = (std::bit_cast<float>(word & 0x7fffffffu) * 0x1p+112f) * 0x1p-110f;
  uint32_t bias = twice & 0xff000000u;
  if (bias < 0x71000000u) bias = 0x71000000u;
  // The added power of two makes the last place of the sum equal to that of the fp16 result, so the
  // hardware rounds at that place.
  base = std::bit_cast<float>((bias >> 1) + 0x07800000u) + base;
  const uint32_t bits = std::bit_cast<uint32_t>(base);
  const uint32_t magnitude = ((bits >> 13) & 0x7c00u) + (bits & 0x0fffu);
  return static_cast<uint16_t>(((word & 0x80000000u) >> 16) |
                               (twice > 0xff000000u ? 0x7e00u : magnitude));
}

// Rounds ties away from zero: adds half a unit to the magnitude's bits.
inline uint16_t StoreHalfNearestAway(float value) {
  const uint32_t word = std::bit_cast<uint32_t>(value);
  const uint32_t magnitude = word & 0x7fffffffu;
  const auto sign = static_cast<uint16_t>((word & 0x80000000u) >> 16);
  constexpr uint32_t kSmallestNormal = uint32_t{113} << 23;  // 2^-14
  if (magnitude < kSmallestNormal) return FloatToHalf(value, Rounding::kNearestAway).bits;
  if (magnitude > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00);
  const uint32_t rounded = (magnitude - (uint32_t{112} << 23) + 0x1000u) >> 13;
  return static_cast<uint16_t>(sign | (rounded < 0x7c00u ? rounded : 0x7c00u));
}

inline uint16_t StoreHalf(float value, Rounding rounding) {
  if (rounding == Rounding::kNearestEven) return StoreHalfNearestEven(value);
  if (rounding == Rounding::kNearestAway) return StoreHalfNearestAway(value);
  return FloatToHalf(value, rounding).bits;
}

// Rounds to the nearest number of fp16 and returns it as fp32.
inline float RoundToHalf(float value, Rounding rounding) {
  return LoadHalf(StoreHalf(value, rounding));
}
void RoundToHalves(float* values, int64_t count, Rounding rounding);

// Returns whether fp32 represents every value of `element`. This is false only for the 32- and
// 64-bit integers.
constexpr bool FitsFloat(Element element) {
  return ElementSize(element) < 4 || element == Element::kFp32;
}

// Reads `count` elements, `stride` elements apart, into fp32. Precondition: FitsFloat(element).
void LoadFloats(Element element, const void* from, int64_t stride, int64_t count, float* to);

// Stores `count` dense elements and rounds as the model states. A store as an integer type
// truncates toward zero and saturates; NaN gives 0. A store as bool gives 1 for a value that is not
// zero.
void StoreFloats(Element element, const float* from, int64_t count, const NumericModel& model,
                 void* to);

// Load and store integers and bools, which kernels hold in 64 bits. A store as an integer type
// keeps the low bits.
void LoadInts(Element element, const void* from, int64_t stride, int64_t count, int64_t* to);
void StoreInts(Element element, const int64_t* from, int64_t count, void* to);

// Reads one element of any type.
double LoadNumber(Element element, const void* from, int64_t index);

// Returns the converted value, saturated to the range of the integer type `element`. NaN gives 0.
// For bool, the result is 1 for a value that is not zero. Precondition: `element` is an integer
// type or bool.
int64_t SaturateToInt(Element element, double value);

}  // namespace anecheck::device
