// Sums of products of fp16 points for whole blocks of outputs at once, in vector code of the
// machine that runs it (Highway), and the stored results made of them while they are in the cache.
// Dot (dot.h) uses it for large operations; the stored values are those that one output at a time
// gives, on every instruction set, the bounds no more than StorePoints says wider.
#pragma once

#include <cstddef>

#include "oracles/reference/kernel.h"

namespace anecheck::reference {

// Vectors of fp16 numbers, wherever they lie.
struct PointVectors {
  size_t vectors = 0;
  // Writes number k of vector first + c to out[k * pitch + c] for every k and c < width.
  void (*pack)(const void* self, size_t first, size_t width, size_t pitch, float* out) = nullptr;
  const void* self = nullptr;
};

// The form of the sum, and how far an engine may be from it.
struct PointArithmetic {
  size_t count = 0;     // products in a sum
  bool rounds = false;  // the products may be rounded to fp16; every one rounds to a finite number
  // How many products, rounded or not, always sum without rounding in fp32; 0: too few to use it.
  size_t narrow_terms = 0;
  bool wide = false;  // Term::kWideIntermediate
  bool bias_rounding = false;
  double exact_limit = 0;   // a sum of magnitudes up to here: exact in double
  double single_limit = 0;  // a sum of magnitudes up to here: exact in the engine's accumulator
  double roundings = 0;     // of the engine's accumulator, in units of PartialSumPower
  double double_error = 0;  // of the double sums that are not exact, part of the sum of magnitudes
  // Products below 2^-14 may be subnormal in fp16; only vectors with numbers below these magnitudes
  // have any. 0: none are, or rounding does not change them.
  double small_row = 0;
  double small_column = 0;
};

// Beside each row or column of the results; at most one is not null. Finite fp16 numbers.
struct PointBias {
  const double* of_rows = nullptr;
  const double* of_columns = nullptr;
};

// A sum whose rounding a sum in double leaves open.
struct OpenPoint {
  size_t row = 0;
  size_t column = 0;
  const double* x = nullptr;  // the numbers, `count` each
  const double* y = nullptr;
  double magnitude = 0;    // of the products, summed
  double rounded_low = 0;  // around the sum of the rounded products
  double rounded_high = 0;
};

// Row-major results of fp16, stored as StoreFloats (store.h) does.
struct PointResults {
  double* value = nullptr;
  double* low = nullptr;
  double* high = nullptr;
  size_t pitch = 0;      // elements between rows
  bool point = true;     // every interval is its value alone
  bool special = false;  // some end is not finite
  // Gives the results of a sum that is open.
  void (*settle)(void* self, const OpenPoint& open) = nullptr;
  void* self = nullptr;
};

// Results [rows.vectors][columns.vectors]. The bounds are those of one output at a time, but that
// ends lie further out:
// - the accumulator's error is in proportion to more than the products' magnitudes: that of x y
//   counts as (|x| + 2^-10 X) (|y| + 2^-10 Y), where X and Y are the largest magnitudes of their
//   vectors among the 256 numbers that theirs is one of (of each vector the first 256, the next,
//   and so on), and as nothing where it is zero;
// - with narrow_terms of 0 by up to 20 times the accumulator's error of one addition, half an ulp
//   of all the magnitudes, and by 3 * 2^-26 for each product of a number that is small: the sums
//   are known no more closely.
void StorePoints(const PointVectors& rows, const PointVectors& columns,
                 const PointArithmetic& arithmetic, const PointBias& bias, Arena& arena,
                 PointResults& results);

}  // namespace anecheck::reference
