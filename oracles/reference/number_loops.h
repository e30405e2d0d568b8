// The loops that read and measure the numbers of large tensors and the plainest elementwise
// arithmetic, compiled for every instruction set (Highway).
#pragma once

#include <cstddef>
#include <cstdint>

#include "oracles/reference/store_loops.h"

namespace anecheck::reference {

// The elements of fp16 `bytes` (little-endian, `count` of them); gives whether some is not finite.
bool DecodeHalves(const uint8_t* bytes, size_t count, double* elements);

// Over the finite numbers that are not zero; infinity and 0 if there are none.
struct Extent {
  double lowest_bit = 0;  // the least power of two that is a set bit of one of them
  double largest = 0;     // magnitude
};
Extent MeasureNumbers(const double* numbers, size_t count);

// How the magnitudes of finite numbers lie.
struct Spread {
  uint64_t zeros = 0;
  uint64_t small = 0;      // not zero, below a limit
  uint64_t exponents = 0;  // those of the numbers that are not zero, as double has them, summed
};
Spread SpreadOfNumbers(const double* numbers, size_t count, double small);

// The bits of fp16 numbers, every NaN the same.
void HalvesOfNumbers(const double* numbers, size_t count, uint16_t* halves);

// to[i] is from[i] or the end of [low, high] beyond which it lies; a NaN stays. Gives whether some
// result is not finite.
bool ClampNumbers(const double* from, size_t count, double low, double high, double* to);

enum class HalfArithmetic { kAdd, kSub, kMul };

// value[i] = RoundToHalf(x[i] op y[i]) of fp16 numbers.
StoredValues CombineHalves(HalfArithmetic op, const double* x, const double* y, size_t count,
                           double* value);
// low[i] and high[i] as OuterLow and OuterHigh (store.h) give them, with `wide`, for the same
// before rounding. No result is NaN.
StoredEnds CombineEnds(HalfArithmetic op, const double* x, const double* y, size_t count,
                       const double* value, double* low, double* high);

}  // namespace anecheck::reference
