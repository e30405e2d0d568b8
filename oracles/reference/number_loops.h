// Loops over large tensors, compiled for every instruction set (Highway). They decode and measure
// numbers and compute simple elementwise arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>

#include "oracles/reference/store_loops.h"

namespace anecheck::reference {

// Decodes `count` fp16 elements from little-endian `bytes`; returns whether some element is not
// finite.
bool DecodeHalves(const uint8_t* bytes, size_t count, double* elements);

// Measures of the finite nonzero numbers. If there are none, they are infinity and 0.
struct Extent {
  double lowest_bit = 0;  // the value of the lowest set bit among the numbers
  double largest = 0;     // largest magnitude
};
Extent MeasureNumbers(const double* numbers, size_t count);

// The distribution of the magnitudes of finite numbers.
struct Spread {
  uint64_t zeros = 0;
  uint64_t small = 0;      // nonzero numbers below the limit
  uint64_t exponents = 0;  // the sum of the exponent fields of the nonzero numbers as doubles
};
Spread SpreadOfNumbers(const double* numbers, size_t count, double small);

// Writes the bits of fp16 numbers. Every NaN gets the same bits.
void HalvesOfNumbers(const double* numbers, size_t count, uint16_t* halves);

// Sets to[i] to from[i] clamped to [low, high]; a NaN stays. Returns whether some result is not
// finite.
bool ClampNumbers(const double* from, size_t count, double low, double high, double* to);

enum class HalfArithmetic { kAdd, kSub, kMul };

// value[i] = RoundToHalf(x[i] op y[i]) of fp16 numbers.
StoredValues CombineHalves(HalfArithmetic op, const double* x, const double* y, size_t count,
                           double* value);
// Sets low[i] and high[i] to OuterLow and OuterHigh (store.h) of the unrounded x[i] op y[i], with
// true for their parameter `wide`. Precondition: no result is NaN.
StoredEnds CombineEnds(HalfArithmetic op, const double* x, const double* y, size_t count,
                       const double* value, double* low, double* high);

}  // namespace anecheck::reference
