// The two 8-bit floating-point formats of the engine's conversions: E4M3 (FN form) and E5M2.
// Kernels and activations of fp8 type are stored as these bytes and expanded before arithmetic.
#pragma once

#include <cstdint>

#include "harness/base/half.h"
#include "harness/base/rounding.h"

namespace anecheck {

// E4M3: 1/4/3 bits, bias 7, largest finite 448, no infinity, NaN only at 0x7f and 0xff.
// E5M2: 1/5/2 bits, bias 15, largest finite 57344, infinity and NaN as in fp16.
// Source: facts/more/fp8_formats.csv (guide, chapter 36).
enum class Float8Format : uint8_t { kE4M3, kE5M2 };

// The result for a magnitude that rounds beyond the largest finite one, infinity included.
enum class Float8Overflow : uint8_t {
  kSaturate,   // the largest finite value of that sign: 0x7e, 0x7b
  kNonFinite,  // E4M3: NaN, 0x7f; E5M2: infinity, 0x7c
};

// Exact; NaN becomes a quiet NaN of the same sign.
double Float8ToDouble(uint8_t bits, Float8Format format);
// Exact: every fp8 value is an fp16 value. NaN becomes a quiet NaN.
Half Float8ToHalf(uint8_t bits, Float8Format format);

// Rounds once, from the full precision of the argument. Modes that round the sign of `value` toward
// zero clamp a finite overflow to the largest finite value, as IEEE 754 requires. NaN becomes NaN
// of the same sign: 0x7f (E4M3), 0x7e (E5M2).
uint8_t DoubleToFloat8(double value, Float8Format format, Float8Overflow overflow,
                       Rounding mode = Rounding::kNearestEven);

}  // namespace anecheck
