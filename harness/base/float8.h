// The two 8-bit floating-point formats of the engine's conversions: E4M3 (FN form) and E5M2. The
// engine stores kernels and activations in them and expands them before arithmetic.
#pragma once

#include <cstdint>

#include "harness/base/half.h"
#include "harness/base/rounding.h"

namespace anecheck {

// E4M3 has 1 bit of sign, 4 of exponent (bias 7) and 3 of fraction. Its largest finite value is
// 448; it has no infinity, and only 0x7f and 0xff are NaN. E5M2 has 1 bit of sign, 5 of exponent
// (bias 15) and 2 of fraction. Its largest finite value is 57344, and it has infinity and NaN as
// fp16 does. Source: facts/more/fp8_formats.csv (guide, chapter 36).
enum class Float8Format : uint8_t { kE4M3, kE5M2 };

// Selects the result for an infinity and for a number that rounds beyond the largest finite value.
enum class Float8Overflow : uint8_t {
  kSaturate,   // the largest finite value of that sign: 0x7e in E4M3, 0x7b in E5M2
  kNonFinite,  // NaN (0x7f) in E4M3, infinity (0x7c) in E5M2
};

// Converts exactly. NaN becomes a quiet NaN of the same sign.
double Float8ToDouble(uint8_t bits, Float8Format format);
// Converts exactly, because every fp8 value is an fp16 value. NaN becomes a quiet NaN.
Half Float8ToHalf(uint8_t bits, Float8Format format);

// Rounds once, from the full precision of the argument. A mode that rounds numbers of this sign
// toward zero clamps a finite overflow to the largest finite value, as IEEE 754 requires. NaN
// becomes NaN of the same sign, which is 0x7f in E4M3 and 0x7e in E5M2, plus the sign bit.
uint8_t DoubleToFloat8(double value, Float8Format format, Float8Overflow overflow,
                       Rounding mode = Rounding::kNearestEven);

}  // namespace anecheck
