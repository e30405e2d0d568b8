// Limits measured on two compilers: version 10.26.6, probed for h16g and h18g
// (facts/silicon/compile_limits_silicon.csv), and the compiler of macOS 26.6, probed for h13 and
// h14. The limits are assumed to apply to all targets of these families.
#pragma once

#include <cstdint>
#include <string_view>

#include "harness/device/target.h"
#include "harness/device/tensor_type.h"

namespace anecheck::device {

inline bool HasMeasuredLimits(const Target& target) {
  return target.family == kFamilyA16 || target.family == kFamilyA18;
}

// Returns whether the compiler takes an fp16 kernel of this height and width. The compiler takes
// kernels up to a height of 31 and a width of 15. Of larger kernels it takes only 16 by 16 and 8 by
// 16, which it decomposes.
inline bool TakesKernel(int64_t height, int64_t width) {
  const bool decomposes = height % 8 == 0 && width % 8 == 0 && height <= 16 && width <= 16;
  return (height <= 31 && width <= 15) || decomposes;
}

// Whether the compiler takes a window of this width in max_pool.
inline bool TakesPoolWidth(int64_t width) { return width <= 8 || width == 32; }

// The longest inner extent that the compiler takes in a product of two runtime operands. The
// compiler refused 49152. No source covers the extents between 32768 and 49152.
inline constexpr int64_t kMaxInnerExtent = 32768;

// ---- limits of the newest compilers alone ----
// By facts/op_device_matrix.csv, an earlier compiler took the programs that these limits exclude.
// The engine therefore enforces the limits only if CompileSettings::newest_compiler is set. If it
// is not set, the engine computes the programs, so that campaigns can judge their values.

// Returns whether compiler 10.26.6 takes a tensor of that type as a result of the operation
// `producer`. The compiler takes 32-bit integers only as positions of topk, which it narrows
// (facts/silicon/op_placement_h16g.csv).
inline bool TakesType(const Target& target, const TensorType& type, std::string_view producer) {
  return !HasMeasuredLimits(target) || type.element != Element::kInt32 || producer == "topk";
}

// Whether the compiler of macOS 26.6 takes a constant divisor of `elements` elements for h13 and
// h14.
inline bool TakesConstantDivisor(const Target& target, int64_t elements) {
  return (target.family != kFamilyA13 && target.family != kFamilyA14) || elements <= 1;
}

}  // namespace anecheck::device
