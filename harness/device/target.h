// The chips that the simulated engine compiles for, with the limits that its compiler enforces.
// Sources: facts/targets.csv, facts/limits.csv, facts/more/limits_plus.csv.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace anecheck::device {

// Family indices of specification 003 ("Operation gate").
inline constexpr int kFamilyA11 = 0;
inline constexpr int kFamilyA12 = 1;
inline constexpr int kFamilyA13 = 2;
inline constexpr int kFamilyA14 = 3;
inline constexpr int kFamilyA15 = 4;
inline constexpr int kFamilyA16 = 5;
inline constexpr int kFamilyA17 = 6;
inline constexpr int kFamilyA18 = 7;

struct Target {
  std::string_view name;  // lower case
  int family;             // index of the minimum-family floors, limits and quirks
  int cores;
  int64_t max_width_height;
  int64_t max_depth;
  int64_t max_channels;
  int64_t max_batch;
  bool takes_mil;  // "MIL is only supported for H13+ ANE architectures"
};

std::span<const Target> Targets();

// Returns the target called `name`, in upper or lower case, or null.
const Target* FindTarget(std::string_view name);

// Returns H13, the default target of the engine.
const Target& DefaultTarget();

// Returns the greatest width of an fp16 convolution kernel that code generation takes: 13 elements
// on A13, 15 elements from A14 on (measured, facts/more/limits_plus.csv). The HAL table says 16
// from A14 on.
int64_t MaxKernelWidth(const Target& target);
// Returns the greatest height of a kernel: 29 on A13, 32 from A14 (facts/limits.csv,
// max_kernel_h_large).
int64_t MaxKernelHeight(const Target& target);

// Returns whether weights may have the 8-bit floating types. For E4M3, HAL byte 0x52d decides. That
// byte is set only on A18 (specification 003, table 24.3). No source gives byte 0x52e, that of
// E5M2, for any target; it is assumed to equal byte 0x52d.
bool TakesFloat8(const Target& target);

}  // namespace anecheck::device
