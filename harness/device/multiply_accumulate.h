// The multiply-accumulate array of the simulated engine. The array adds products to a wide
// accumulator in tiles of four consecutive products. Sums leave the array through a port that
// rounds to fp16. Used by convolution, linear and matrix multiply. Source of the figures:
// facts/numerics.md, facts/more/numerics_plus.csv.
#pragma once

#include <cstdint>

#include "harness/device/numeric_model.h"

namespace anecheck::device {

struct MacShape {
  int64_t rows = 0;     // rows of the left operand
  int64_t inner = 0;    // taps of each result
  int64_t columns = 0;  // columns of the right operand
};

// Returns whether the array of the family is a 32-bit fixed-point accumulator that starts at the
// bias. On these families the array, and also sums, differences and products of fp16 elements,
// treat exponent 31 as any other exponent (facts/silicon/numerics_laws.md, L1 to L7). This
// behaviour was measured on h16g and h18g, and is inferred for the other targets of both families.
inline bool HasFixedPointArray(const NumericModel& model) {
  constexpr int kA16 = 5;
  constexpr int kA18 = 7;
  return model.family == kA16 || model.family == kA18;
}

// Changes the values of an operand in place, as the engine does before they enter the array. If the
// array is a fixed-point accumulator, infinities and NaN of halves become numbers. On families with
// D06 NaN becomes +infinity, and on families with D05 subnormals become +0. Values are fp16 stored
// as fp32. Returns whether all values are finite after the change.
bool PrepareMacOperand(const NumericModel& model, float* values, int64_t count, bool half = true);

// The start values of a fixed-point accumulator: one value per row, or one per column. Arrays of
// other families add the bias after the port.
struct ArrayStart {
  const float* of_rows = nullptr;
  const float* of_columns = nullptr;

  float At(int64_t row, int64_t column) const {
    if (of_rows != nullptr) return of_rows[row];
    return of_columns != nullptr ? of_columns[column] : 0.0f;
  }
};

// Computes result[r][c] = the sum over k of left[r][k] * right[k][c]; all matrices are row-major.
// The caller must have prepared both operands with PrepareMacOperand. `finite` states whether all
// values of both operands are finite. With `to_half` the port rounds each result once to fp16;
// otherwise the results are the values of the fp32 accumulator.
void MultiplyAccumulate(const NumericModel& model, const float* left, const float* right,
                        MacShape shape, bool finite, bool to_half, float* result,
                        const ArrayStart& start = {});

// Computes one result by the plain definition, with every option of the model and all planted
// defects. `right_stride` is the distance between elements of the right operand. The fast loops of
// MultiplyAccumulate return the same result.
float MacResult(const NumericModel& model, const float* left, const float* right,
                int64_t right_stride, int64_t inner, bool to_half, float start = 0);

// Turns infinities and NaN of fp16, stored as fp32, into the numbers (1 + m / 1024) * 2^16, where m
// is the fraction field.
void ReadAsNumbers(float* values, int64_t count);

// Returns the sum of two numbers on the 12-bit grid of D03 and D04. The function truncates both
// numbers to a multiple of 2^(E-12), where 2^E is the smallest power of two above the larger
// magnitude.
float AddOnTileLattice(float a, float b);

}  // namespace anecheck::device
