// The limits of the compiler 10.26.6, which was asked for h16g and h18g
// (facts/silicon/compile_limits_silicon.csv). They are taken for the whole of both families.
#pragma once

#include <cstdint>

#include "harness/device/target.h"

namespace anecheck::device {

inline bool HasMeasuredLimits(const Target& target) {
  return target.family == kFamilyA16 || target.family == kFamilyA18;
}

// Whether it takes an fp16 kernel of this height and width: up to 31 by 15; of larger ones 16 by 16
// and 8 by 16, which it decomposes.
inline bool TakesKernel(int64_t height, int64_t width) {
  const bool decomposes = height % 8 == 0 && width % 8 == 0 && height <= 16 && width <= 16;
  return (height <= 31 && width <= 15) || decomposes;
}

// Whether it takes this width of a maximum's window.
inline bool TakesPoolWidth(int64_t width) { return width <= 8 || width == 32; }

// The longest inner extent of a product of two runtime operands that it takes; 49152 was refused,
// and no source speaks of those between.
inline constexpr int64_t kMaxInnerExtent = 32768;

}  // namespace anecheck::device
