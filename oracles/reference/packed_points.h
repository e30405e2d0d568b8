// Computes sums of products of fp16 points for whole blocks of outputs at once, in vector code for
// the machine that runs it (Highway). Stores the results while the sums are in the cache. Dot
// (dot.h) uses it for large operations. On every instruction set the stored values equal those that
// Dot computes. The bounds may be wider, as StorePoints describes.
#pragma once

#include <cstddef>

#include "oracles/reference/kernel.h"

namespace anecheck::reference {

// Vectors of fp16 numbers in any layout.
struct PointVectors {
  size_t vectors = 0;
  // Writes number k of vector first + c to out[k * pitch + c] for every k and c < width.
  void (*pack)(const void* self, size_t first, size_t width, size_t pitch, float* out) = nullptr;
  const void* self = nullptr;
};

// The form of the sums, and the error that an engine may have.
struct PointArithmetic {
  size_t count = 0;     // products in a sum
  bool rounds = false;  // the products may be rounded to fp16; each rounds to a finite number
  // The number of products, rounded or not, whose sum in fp32 is always exact, or 0 if it is too
  // small to use fp32.
  size_t narrow_terms = 0;
  bool wide = false;  // Term::kWideIntermediate
  bool bias_rounding = false;
  double exact_limit = 0;   // a sum is exact in double up to this sum of magnitudes
  double single_limit = 0;  // the same for the engine's accumulator
  double roundings = 0;     // error of the engine's accumulator, in units of PartialSumPower
  double double_error = 0;  // error of inexact double sums, relative to the sum of magnitudes
  // Products below 2^-14 may be subnormal in fp16. Only vectors with numbers below these magnitudes
  // have such products. 0 if no product is subnormal or rounding changes none.
  double small_row = 0;
  double small_column = 0;
};

// A bias for each row or column of the results, in finite fp16 numbers. At least one is null.
struct PointBias {
  const double* of_rows = nullptr;
  const double* of_columns = nullptr;
};

// A sum whose rounding a sum in double does not decide.
struct OpenPoint {
  size_t row = 0;
  size_t column = 0;
  const double* x = nullptr;  // the numbers, `count` each
  const double* y = nullptr;
  double magnitude = 0;    // sum of the magnitudes of the products
  double rounded_low = 0;  // bounds of the sum of the rounded products
  double rounded_high = 0;
};

// Row-major results of fp16, stored as StoreFloats (store.h) does.
struct PointResults {
  double* value = nullptr;
  double* low = nullptr;
  double* high = nullptr;
  size_t pitch = 0;      // elements between rows
  bool point = true;     // every interval contains only its value
  bool special = false;  // some end is not finite
  // Computes the results of an open sum.
  void (*settle)(void* self, const OpenPoint& open) = nullptr;
  void* self = nullptr;
};

// Computes results [rows.vectors][columns.vectors]. They have the bounds that Dot computes, but
// wider for two reasons:
// - The accumulator's error is proportional to a sum of magnitudes that are larger than those of
//   the products. The magnitude of x y counts as (|x| + 2^-10 X) (|y| + 2^-10 Y), or as 0 if x y is
//   zero. X and Y are the largest magnitudes of their vectors among the 256 numbers to which x and
//   y belong (the first 256 of each vector, the next 256, and so on).
// - If narrow_terms is 0, the sums are less accurate. This adds at most 20 times the error of one
//   addition in the accumulator (half an ulp of the sum of all magnitudes), and 3 * 2^-26 for each
//   product of a small number.
void StorePoints(const PointVectors& rows, const PointVectors& columns,
                 const PointArithmetic& arithmetic, const PointBias& bias, Arena& arena,
                 PointResults& results);

}  // namespace anecheck::reference
