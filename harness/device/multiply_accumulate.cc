#include "harness/device/multiply_accumulate.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "harness/device/half_block.h"
#include "harness/device/tile_lattice.h"
#include "harness/device/tile_loops.h"

namespace anecheck::device {
namespace {

constexpr int64_t kColumnBlock = 64;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

float LimitPort(float value, float limit) {
  return std::fabs(value) >= limit ? std::copysign(kInfinity, value) : value;
}

float PortLimitOf(const NumericModel& model, int64_t inner) {
  if (!model.mac_port_limit || inner < 2) return kInfinity;
  return model.Has(Planted::kMacPortHalved) ? kPortLimit / 2 : kPortLimit;
}

// Returns the value that leaves the array. The value is rounded and limited, and on families with
// D07 a NaN becomes 0.
float LeavePort(const NumericModel& model, float accumulator, float limit, bool to_half) {
  float value = accumulator;
  if (to_half) {
    const Rounding rounding =
        model.Has(Planted::kMacTruncates) ? Rounding::kTowardZero : model.store_rounding;
    value = RoundToHalf(value, rounding);
  }
  value = LimitPort(value, limit);
  if (model.Has(Planted::kMacSaturates) && std::isinf(value))
    value = std::copysign(65504.0f, value);
  if (model.invalid_is_zero && std::isnan(value)) value = 0.0f;
  return value;
}

float Product(const NumericModel& model, float a, float b) {
  const float product = a * b;
  if (model.invalid_is_zero && std::isnan(product) && !std::isnan(a) && !std::isnan(b)) return 0;
  if (model.Has(Planted::kMacFlushes) && std::fabs(product) < 0x1p-10f) return 0;
  return product;
}

float SumOfTile(const NumericModel& model, const float (&lanes)[kTileLanes], int64_t taps) {
  if (!model.mac_tile_lattice) {
    double sum = 0;
    for (int64_t lane = 0; lane < taps; ++lane) sum += static_cast<double>(lanes[lane]);
    return static_cast<float>(sum);
  }
  const bool coarse = model.Has(Planted::kMacCoarseLattice);
  float sum = 0;
  for (int64_t lane = 0; lane < taps; ++lane) {
    const bool finite = std::isfinite(sum) && std::isfinite(lanes[lane]);
    sum = coarse && finite ? AddFiniteOnLattice<10>(sum, lanes[lane])
                           : AddOnTileLattice(sum, lanes[lane]);
  }
  return sum;
}

// ---- the fixed-point accumulator ----------------------------------------------------------------

constexpr double kSteps = 65536;  // steps of the accumulator in 1.0
constexpr int64_t kOverflow = int64_t{1} << 31;

int64_t ToSteps(double value) {
  const double steps = std::clamp(value * kSteps, -0x1p60, 0x1p60);
  return static_cast<int64_t>(steps < 0 ? steps - 0.5 : steps + 0.5);
}

// Returns the exponent of an fp16 number stored as fp32; subnormals and zero have the least
// exponent.
int ExponentOf(float value) {
  const uint32_t field = std::bit_cast<uint32_t>(value) >> 23 & 0xff;
  return std::max(static_cast<int>(field) - 127, -14);
}

int64_t ProductInSteps(const NumericModel& model, float a, float b) {
  if (ExponentOf(a) + ExponentOf(b) < -16) return 0;
  const double product = static_cast<double>(a) * static_cast<double>(b);
  if (model.Has(Planted::kMacFlushes) && std::fabs(product) < 0x1p-10) return 0;
  return ToSteps(product);
}

float LeaveFixed(const NumericModel& model, double value) {
  const Rounding rounding =
      model.Has(Planted::kMacTruncates) ? Rounding::kTowardZero : model.store_rounding;
  const double stored = HalfToDouble(DoubleToHalf(value, rounding));
  if (model.Has(Planted::kMacSaturates) && std::isinf(stored)) {
    return std::copysign(65504.0f, static_cast<float>(stored));
  }
  return static_cast<float>(stored);
}

int64_t HalfInSteps(int64_t steps) {
  const double value = static_cast<double>(steps) / kSteps;
  return ToSteps(HalfToDouble(DoubleToHalf(value)));
}

float FixedResult(const NumericModel& model, const float* left, const float* right,
                  int64_t right_stride, int64_t inner, float start) {
  const int64_t overflow = model.Has(Planted::kMacPortHalved) ? kOverflow / 2 : kOverflow;
  const bool narrow = model.Has(Planted::kMacHalfAccumulator) ||
                      (model.Has(Planted::kMacHalfAboveSixteen) && inner > 16);
  const bool narrow_tiles = model.Has(Planted::kMacHalfTiles);
  int64_t sum = ToSteps(static_cast<double>(start));
  int64_t tile = 0;  // the sum of the current tile, used only for kMacHalfTiles
  for (int64_t k = 0;; ++k) {
    if (std::llabs(sum) >= overflow) {
      return LeaveFixed(model, sum < 0 ? -HUGE_VAL : HUGE_VAL);
    }
    if (k == inner) break;
    const int64_t first = k / kTileLanes * kTileLanes;
    if (model.Has(Planted::kMacDropsLastTile) && first > 0 && first + kTileLanes >= inner) break;
    const bool lost = model.Has(Planted::kMacDropsOddLane) && k % 32 == 31;
    const int64_t product = lost ? 0 : ProductInSteps(model, left[k], right[k * right_stride]);
    const bool ends_tile = k + 1 == inner || k % kTileLanes == kTileLanes - 1;
    if (narrow_tiles) {
      tile += product;
      if (ends_tile) sum += HalfInSteps(std::exchange(tile, 0));
    } else {
      sum += product;
    }
    if (narrow && ends_tile) sum = HalfInSteps(sum);
  }
  return LeaveFixed(model, static_cast<double>(sum) / kSteps);
}

// Returns the largest power of two that is not above the magnitude, but at least 2^-14. The array
// determines exponents in this way.
float PowerOf(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value) & 0x7f800000u;
  return std::max(std::bit_cast<float>(bits), 0x1p-14f);
}

// Returns a product, in steps. Precondition: the product's magnitude is below 2^31 steps. A product
// of two fp16 numbers has 22 bits, so fp32 represents it exactly, even with half a step added.
int32_t FewSteps(float a, float power, float b) {
  const float steps = power * PowerOf(b) < 0x1p-16f ? 0.0f : a * b * 65536.0f;
  return static_cast<int32_t>(steps + std::copysign(0.5f, steps));
}

// Computes the sums, in steps, of one row with a block of columns.
class FixedBlock {
 public:
  FixedBlock(const float* row, const float* right, int64_t right_stride, int64_t inner,
             int64_t count)
      : row_(row), right_(right), right_stride_(right_stride), inner_(inner), count_(count) {}

  // Precondition: the sums of the magnitudes stay below 2^31 steps.
  void AddBounded(double* sums) const {
    int32_t bounded[kColumnBlock] = {};
    for (int64_t k = 0; k < inner_; ++k) {
      const float* right = right_ + k * right_stride_;
      const float power = PowerOf(row_[k]);
      for (int64_t c = 0; c < count_; ++c) bounded[c] += FewSteps(row_[k], power, right[c]);
    }
    for (int64_t c = 0; c < count_; ++c) sums[c] += static_cast<double>(bounded[c]);
  }
  // Precondition: the magnitude of every product is below 2^31 steps. `reach` receives the greatest
  // magnitude that each sum reaches on the way.
  void Add(double* sums, double* reach) const {
    for (int64_t k = 0; k < inner_; ++k) {
      const float* right = right_ + k * right_stride_;
      const float power = PowerOf(row_[k]);
      for (int64_t c = 0; c < count_; ++c) {
        sums[c] += static_cast<double>(FewSteps(row_[k], power, right[c]));
        reach[c] = std::max(reach[c], std::fabs(sums[c]));
      }
    }
  }

 private:
  const float* row_;
  const float* right_;
  int64_t right_stride_, inner_, count_;
};

float Largest(const float* values, int64_t count) {
  float largest = 0;
  for (int64_t i = 0; i < count; ++i) largest = std::max(largest, std::fabs(values[i]));
  return largest;
}

// Computes products for a model without planted defects. FixedResult computes the sums that
// overflow, and the rows whose products may overflow.
void FastFixedLoops(const NumericModel& model, const float* left, const float* right,
                    MacShape shape, float* result, const ArrayStart& start) {
  constexpr double kLimit = static_cast<double>(kOverflow) / kSteps;
  const auto of_right = static_cast<double>(Largest(right, shape.inner * shape.columns));
  std::vector<double> of_rows(
      static_cast<size_t>(shape.rows));  // upper bound of the row's products
  for (int64_t row = 0; row < shape.rows; ++row) {
    of_rows[static_cast<size_t>(row)] =
        of_right * static_cast<double>(Largest(left + row * shape.inner, shape.inner));
  }
  for (int64_t column = 0; column < shape.columns; column += kColumnBlock) {
    const int64_t count = std::min(kColumnBlock, shape.columns - column);
    for (int64_t row = 0; row < shape.rows; ++row) {
      const float* of_row = left + row * shape.inner;
      const double largest = of_rows[static_cast<size_t>(row)];
      // The bound includes half a step for each rounding. It uses only half of the limit, because
      // the start may use the other half.
      const bool bounded = (largest + 0x1p-16) * static_cast<double>(shape.inner) < kLimit / 2;
      const FixedBlock block(of_row, right + column, shape.columns, shape.inner, count);
      double sums[kColumnBlock];
      double reach[kColumnBlock];
      for (int64_t c = 0; c < count; ++c) {
        sums[c] = static_cast<double>(ToSteps(static_cast<double>(start.At(row, column + c))));
        const bool overflows =
            bounded ? std::fabs(sums[c]) >= static_cast<double>(kOverflow) / 2 : largest >= kLimit;
        reach[c] = overflows ? HUGE_VAL : std::fabs(sums[c]);
      }
      if (bounded) {
        block.AddBounded(sums);
      } else if (largest < kLimit) {
        block.Add(sums, reach);
      }
      float* results = result + row * shape.columns + column;
      for (int64_t c = 0; c < count; ++c) {
        results[c] = reach[c] < static_cast<double>(kOverflow)
                         ? LeaveFixed(model, sums[c] / kSteps)
                         : FixedResult(model, of_row, right + column + c, shape.columns,
                                       shape.inner, start.At(row, column + c));
      }
    }
  }
}

}  // namespace

void ReadAsNumbers(float* values, int64_t count) {
  constexpr uint32_t kFraction = 0x007fffff;
  for (int64_t i = 0; i < count; ++i) {
    const uint32_t bits = std::bit_cast<uint32_t>(values[i]);
    if ((bits & 0x7f800000u) != 0x7f800000u) continue;
    const float part = static_cast<float>(bits & kFraction) * 0x1p-23f;
    values[i] = std::copysign(65536.0f * (1 + part), values[i]);
  }
}

float AddOnTileLattice(float a, float b) {
  if (!std::isfinite(a) || !std::isfinite(b)) return a + b;
  return AddFiniteOnLattice(a, b);
}

bool PrepareMacOperand(const NumericModel& model, float* values, int64_t count, bool half) {
  bool finite = true;
  for (int64_t i = 0; i < count; ++i) {
    // fp16 infinities and NaN, stored as fp32, have an exponent field of all ones.
    finite &= (std::bit_cast<uint32_t>(values[i]) & 0x7f800000u) != 0x7f800000u;
  }
  if (!finite && half && HasFixedPointArray(model)) {
    ReadAsNumbers(values, count);
    finite = true;
  }
  if (!finite && model.nan_is_infinity) {
    for (int64_t i = 0; i < count; ++i) {
      if (std::isnan(values[i])) values[i] = kInfinity;
    }
  }
  if (model.mac_flush_denormals) {
    for (int64_t i = 0; i < count; ++i) {
      values[i] = std::fabs(values[i]) < 0x1p-14f ? 0.0f : values[i];
    }
  }
  return finite;
}

float MacResult(const NumericModel& model, const float* left, const float* right,
                int64_t right_stride, int64_t inner, bool to_half, float start) {
  if (to_half && HasFixedPointArray(model)) {
    return FixedResult(model, left, right, right_stride, inner, start);
  }
  const float limit = PortLimitOf(model, inner);
  float accumulator = 0;
  for (int64_t k = 0; k < inner; k += kTileLanes) {
    if (model.Has(Planted::kMacDropsLastTile) && k > 0 && k + kTileLanes >= inner) break;
    float lanes[kTileLanes] = {0, 0, 0, 0};
    const int64_t taps = std::min<int64_t>(kTileLanes, inner - k);
    for (int64_t lane = 0; lane < taps; ++lane) {
      lanes[lane] = Product(model, left[k + lane], right[(k + lane) * right_stride]);
    }
    if (model.Has(Planted::kMacDropsOddLane) && k % 32 == 28) lanes[3] = 0;
    float tile = SumOfTile(model, lanes, taps);
    if (model.Has(Planted::kMacHalfTiles)) tile = RoundToHalf(tile, Rounding::kNearestEven);
    accumulator = LimitPort(accumulator + tile, limit);
    if (model.Has(Planted::kMacHalfAccumulator) ||
        (model.Has(Planted::kMacHalfAboveSixteen) && inner > 16)) {
      accumulator = RoundToHalf(accumulator, Rounding::kNearestEven);
    }
  }
  return LeavePort(model, accumulator, limit, to_half);
}

void MultiplyAccumulate(const NumericModel& model, const float* left, const float* right,
                        MacShape shape, bool finite, bool to_half, float* result,
                        const ArrayStart& start) {
  if (finite && to_half && !model.HasAny() && HasFixedPointArray(model)) {
    FastFixedLoops(model, left, right, shape, result, start);
    return;
  }
  if (!finite || model.HasAny() || HasFixedPointArray(model)) {
    for (int64_t row = 0; row < shape.rows; ++row) {
      for (int64_t column = 0; column < shape.columns; ++column) {
        result[row * shape.columns + column] =
            MacResult(model, left + row * shape.inner, right + column, shape.columns, shape.inner,
                      to_half, start.At(row, column));
      }
    }
    return;
  }
  const float limit = PortLimitOf(model, shape.inner);
  const bool limited = limit < kInfinity;
  AddTiles(model.mac_tile_lattice, limited, left, right, shape, result);
  const int64_t count = shape.rows * shape.columns;
  if (to_half) RoundToHalves(result, count, model.store_rounding);
  if (limited) {
    for (int64_t i = 0; i < count; ++i) result[i] = LimitPort(result[i], limit);
  }
  if (model.invalid_is_zero) {
    for (int64_t i = 0; i < count; ++i) result[i] = std::isnan(result[i]) ? 0.0f : result[i];
  }
}

}  // namespace anecheck::device
