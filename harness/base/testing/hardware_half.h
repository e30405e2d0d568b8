// The processor's own fp16 conversion (F16C), with which tests compare that of the project. It has
// four of the five rounding modes, all except ties away from zero.
#pragma once

#include <cstdint>

#include "harness/base/rounding.h"

namespace anecheck::testing {

// Whether the processor has the instructions, without which the functions below must not be called.
bool HasF16c();

// Returns the float bits to which the processor converts half bits. Signalling NaNs become quiet.
uint32_t HardwareHalfToFloatBits(uint16_t bits);

struct Disagreements {
  uint64_t count = 0;
  uint32_t first = 0;  // float bits; 0 if there is none
};

// Compares the floats whose bits are begin, begin + stride, ... below `end`. Returns those that
// FloatToHalf and the processor round differently. Precondition: `mode` is not ties away from zero.
// Thread-safe.
Disagreements CompareFloatToHalf(Rounding mode, uint64_t begin, uint64_t end, uint64_t stride);

}  // namespace anecheck::testing
