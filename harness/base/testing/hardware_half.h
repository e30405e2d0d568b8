// The processor's own fp16 conversion, F16C, for the tests that compare ours with it. It has four
// of the five rounding modes: all except ties away from zero.
#pragma once

#include <cstdint>

#include "harness/base/rounding.h"

namespace anecheck::testing {

// False on processors without the instructions; the functions below must not be called there.
bool HasF16c();

// The float bits to which the processor converts half bits. Signalling NaNs become quiet.
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
