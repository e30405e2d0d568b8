// Loops of the multiply-accumulate array.
#include "harness/device/multiply_accumulate.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "harness/device/half_block.h"

namespace anecheck::device {
namespace {

constexpr int kLanes = 4;
constexpr int64_t kColumnBlock = 64;
constexpr float kPortLimit = 32768.0f;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

float LimitPort(float value, float limit) {
  return std::fabs(value) >= limit ? std::copysign(kInfinity, value) : value;
}

// A finite pair only: the scaled values fit 32-bit integers. kBits is 12 but for a planted defect.
template <uint32_t kBits = 12>
inline float AddFiniteOnLattice(float a, float b) {
  const float larger = std::max(std::fabs(a), std::fabs(b));
  // Exponent field of the larger magnitude; products of halves are 0 or at least 2^-48, and the
  // floor keeps the powers below normal.
  const uint32_t field = std::max(std::bit_cast<uint32_t>(larger) >> 23, uint32_t{24});
  const float scale = std::bit_cast<float>((253u + kBits - field) << 23);   // 2^(kBits - E)
  const float quantum = std::bit_cast<float>((field - (kBits - 1)) << 23);  // 2^(E - kBits)
  const int32_t sum = static_cast<int32_t>(a * scale) + static_cast<int32_t>(b * scale);
  return static_cast<float>(sum) * quantum;
}

// The sum of the first kTaps lanes of a tile; lanes past the end of a sum are not added.
template <bool kLattice, int kTaps>
inline float TileSum(float p0, float p1, float p2, float p3) {
  if constexpr (kLattice) {
    float sum = AddFiniteOnLattice(p0, kTaps > 1 ? p1 : 0.0f);
    if constexpr (kTaps > 2) sum = AddFiniteOnLattice(sum, p2);
    if constexpr (kTaps > 3) sum = AddFiniteOnLattice(sum, p3);
    return sum;
  } else {
    double sum = static_cast<double>(p0);
    if constexpr (kTaps > 1) sum += static_cast<double>(p1);
    if constexpr (kTaps > 2) sum += static_cast<double>(p2);
    if constexpr (kTaps > 3) sum += static_cast<double>(p3);
    return static_cast<float>(sum);
  }
}

// Adds one tile of `count` columns to the accumulators.
template <bool kLattice, bool kPort, int kTaps>
void AddTile(const float* left, const float* right, int64_t stride, int64_t count,
             float* accumulators) {
  const float* b[kLanes];
  float a[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    a[lane] = lane < kTaps ? left[lane] : 0.0f;
    b[lane] = lane < kTaps ? right + lane * stride : right;
  }
  for (int64_t c = 0; c < count; ++c) {
    const float sum = accumulators[c] + TileSum<kLattice, kTaps>(a[0] * b[0][c], a[1] * b[1][c],
                                                                 a[2] * b[2][c], a[3] * b[3][c]);
    accumulators[c] = kPort && std::fabs(sum) >= kPortLimit ? std::copysign(kInfinity, sum) : sum;
  }
}

template <bool kLattice, bool kPort>
void AddTileOf(int64_t taps, const float* left, const float* right, int64_t stride, int64_t count,
               float* accumulators) {
  switch (taps) {
    case 1:
      return AddTile<kLattice, kPort, 1>(left, right, stride, count, accumulators);
    case 2:
      return AddTile<kLattice, kPort, 2>(left, right, stride, count, accumulators);
    case 3:
      return AddTile<kLattice, kPort, 3>(left, right, stride, count, accumulators);
    default:
      return AddTile<kLattice, kPort, 4>(left, right, stride, count, accumulators);
  }
}

template <bool kLattice, bool kPort>
void FastLoops(const float* left, const float* right, MacShape shape, float* result) {
  for (int64_t column = 0; column < shape.columns; column += kColumnBlock) {
    const int64_t count = std::min(kColumnBlock, shape.columns - column);
    for (int64_t row = 0; row < shape.rows; ++row) {
      float* accumulators = result + row * shape.columns + column;
      std::fill_n(accumulators, count, 0.0f);
      for (int64_t k = 0; k < shape.inner; k += kLanes) {
        AddTileOf<kLattice, kPort>(std::min<int64_t>(kLanes, shape.inner - k),
                                   left + row * shape.inner + k, right + k * shape.columns + column,
                                   shape.columns, count, accumulators);
      }
    }
  }
}

void ChooseLoops(bool lattice, bool port, const float* left, const float* right, MacShape shape,
                 float* result) {
  if (lattice) {
    return port ? FastLoops<true, true>(left, right, shape, result)
                : FastLoops<true, false>(left, right, shape, result);
  }
  return port ? FastLoops<false, true>(left, right, shape, result)
              : FastLoops<false, false>(left, right, shape, result);
}

float PortLimitOf(const NumericModel& model, int64_t inner) {
  if (!model.mac_port_limit || inner < 2) return kInfinity;
  return model.Has(Planted::kMacPortHalved) ? kPortLimit / 2 : kPortLimit;
}

// The number that leaves the array: rounded, limited, without NaN where the family has none.
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

float SumOfTile(const NumericModel& model, const float (&lanes)[kLanes], int64_t taps) {
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

constexpr double kSteps = 65536;  // a unit
constexpr int64_t kOverflow = int64_t{1} << 31;

int64_t ToSteps(double value) {
  const double steps = std::clamp(value * kSteps, -0x1p60, 0x1p60);
  return static_cast<int64_t>(steps < 0 ? steps - 0.5 : steps + 0.5);
}

// Exponent of an fp16 number carried in fp32; subnormals and zero have the least.
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
  int64_t tile = 0;  // of kMacHalfTiles alone
  for (int64_t k = 0;; ++k) {
    if (std::llabs(sum) >= overflow) {
      return LeaveFixed(model, sum < 0 ? -HUGE_VAL : HUGE_VAL);
    }
    if (k == inner) break;
    const int64_t first = k / kLanes * kLanes;
    if (model.Has(Planted::kMacDropsLastTile) && first > 0 && first + kLanes >= inner) break;
    const bool lost = model.Has(Planted::kMacDropsOddLane) && k % 32 == 31;
    const int64_t product = lost ? 0 : ProductInSteps(model, left[k], right[k * right_stride]);
    const bool ends_tile = k + 1 == inner || k % kLanes == kLanes - 1;
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
    // The exponent field of fp16 infinities and NaN in fp32 is all ones.
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
  for (int64_t k = 0; k < inner; k += kLanes) {
    if (model.Has(Planted::kMacDropsLastTile) && k > 0 && k + kLanes >= inner) break;
    float lanes[kLanes] = {0, 0, 0, 0};
    const int64_t taps = std::min<int64_t>(kLanes, inner - k);
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
  ChooseLoops(model.mac_tile_lattice, limited, left, right, shape, result);
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
