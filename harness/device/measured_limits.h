// The limits of the compiler 10.26.6, which was asked for h16g and h18g
// (facts/silicon/compile_limits_silicon.csv), and of that of macOS 26.6, which was asked for h13
// and h14. They are taken for the whole of their families.
#pragma once

#include <cstdint>
#include <string_view>

#include "harness/device/target.h"
#include "harness/device/tensor_type.h"

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

// ---- limits of the newest compilers alone ----
// An earlier compiler took these, by facts/op_device_matrix.csv. The engine holds these
// limits where CompileSettings::newest_compiler asks for it, so that campaigns judge the values
// else.

// Whether 10.26.6 takes a tensor of that type which the operation `producer` gives: 32-bit integers
// as positions of topk alone, which it narrows (facts/silicon/op_placement_h16g.csv).
inline bool TakesType(const Target& target, const TensorType& type, std::string_view producer) {
  return !HasMeasuredLimits(target) || type.element != Element::kInt32 || producer == "topk";
}

// Whether the compiler of macOS 26.6 takes a constant divisor of so many elements for h13 and h14.
inline bool TakesConstantDivisor(const Target& target, int64_t elements) {
  return (target.family != kFamilyA13 && target.family != kFamilyA14) || elements <= 1;
}

}  // namespace anecheck::device
