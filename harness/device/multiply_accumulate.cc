// Loops of the multiply-accumulate array.
#include "harness/device/multiply_accumulate.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "harness/device/half_block.h"

namespace anecheck::device {
namespace {

constexpr int64_t kLanes = 4;
constexpr int64_t kColumnBlock = 64;
constexpr float kPortLimit = 32768.0f;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

float LimitPort(float value, float limit) {
  return std::fabs(value) >= limit ? std::copysign(kInfinity, value) : value;
}

// A finite pair only: the scaled values fit 32-bit integers.
inline float AddFiniteOnLattice(float a, float b) {
  const float larger = std::max(std::fabs(a), std::fabs(b));
  // Exponent field of the larger magnitude; products of halves are 0 or at least 2^-48, and the
  // floor keeps the powers below normal.
  const uint32_t field = std::max(std::bit_cast<uint32_t>(larger) >> 23, uint32_t{24});
  const float scale = std::bit_cast<float>((265u - field) << 23);   // 2^(12 - E)
  const float quantum = std::bit_cast<float>((field - 11u) << 23);  // 2^(E - 12)
  const int32_t sum = static_cast<int32_t>(a * scale) + static_cast<int32_t>(b * scale);
  return static_cast<float>(sum) * quantum;
}

template <bool kLattice>
inline float TileSum(float p0, float p1, float p2, float p3) {
  if constexpr (kLattice) {
    return AddFiniteOnLattice(AddFiniteOnLattice(AddFiniteOnLattice(p0, p1), p2), p3);
  } else {
    return static_cast<float>((static_cast<double>(p0) + static_cast<double>(p1)) +
                              (static_cast<double>(p2) + static_cast<double>(p3)));
  }
}

// Adds one tile of `count` columns to the accumulators. `taps` of the four lanes are live.
template <bool kLattice, bool kPort>
void AddTile(const float* left, const float* right, int64_t stride, int64_t taps, int64_t count,
             float* accumulators) {
  const float a0 = left[0];
  const float a1 = taps > 1 ? left[1] : 0.0f;
  const float a2 = taps > 2 ? left[2] : 0.0f;
  const float a3 = taps > 3 ? left[3] : 0.0f;
  const float* b0 = right;
  const float* b1 = taps > 1 ? right + stride : right;
  const float* b2 = taps > 2 ? right + 2 * stride : right;
  const float* b3 = taps > 3 ? right + 3 * stride : right;
  for (int64_t c = 0; c < count; ++c) {
    const float sum =
        accumulators[c] + TileSum<kLattice>(a0 * b0[c], a1 * b1[c], a2 * b2[c], a3 * b3[c]);
    accumulators[c] = kPort && std::fabs(sum) >= kPortLimit ? std::copysign(kInfinity, sum) : sum;
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
        AddTile<kLattice, kPort>(left + row * shape.inner + k, right + k * shape.columns + column,
                                 shape.columns, std::min(kLanes, shape.inner - k), count,
                                 accumulators);
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

// What leaves the array: rounded, limited, without NaN where the family has none.
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

float SumOfTile(const NumericModel& model, const float (&lanes)[kLanes]) {
  if (model.mac_tile_lattice) {
    return AddOnTileLattice(AddOnTileLattice(AddOnTileLattice(lanes[0], lanes[1]), lanes[2]),
                            lanes[3]);
  }
  return TileSum<false>(lanes[0], lanes[1], lanes[2], lanes[3]);
}

}  // namespace

float AddOnTileLattice(float a, float b) {
  if (!std::isfinite(a) || !std::isfinite(b)) return a + b;
  return AddFiniteOnLattice(a, b);
}

bool PrepareMacOperand(const NumericModel& model, float* values, int64_t count) {
  bool finite = true;
  for (int64_t i = 0; i < count; ++i) {
    // The exponent field of fp16 infinities and NaN in fp32 is all ones.
    finite &= (std::bit_cast<uint32_t>(values[i]) & 0x7f800000u) != 0x7f800000u;
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
                int64_t right_stride, int64_t inner, bool to_half) {
  const float limit = PortLimitOf(model, inner);
  float accumulator = 0;
  for (int64_t k = 0; k < inner; k += kLanes) {
    if (model.Has(Planted::kMacDropsLastTile) && k > 0 && k + kLanes >= inner) break;
    float lanes[kLanes] = {0, 0, 0, 0};
    for (int64_t lane = 0; lane < std::min(kLanes, inner - k); ++lane) {
      lanes[lane] = Product(model, left[k + lane], right[(k + lane) * right_stride]);
    }
    if (model.Has(Planted::kMacDropsOddLane) && k % 32 == 28) lanes[3] = 0;
    float tile = SumOfTile(model, lanes);
    if (model.Has(Planted::kMacHalfTiles)) tile = RoundToHalf(tile, Rounding::kNearestEven);
    accumulator = LimitPort(accumulator + tile, limit);
    if (model.Has(Planted::kMacHalfAccumulator)) {
      accumulator = RoundToHalf(accumulator, Rounding::kNearestEven);
    }
  }
  return LeavePort(model, accumulator, limit, to_half);
}

void MultiplyAccumulate(const NumericModel& model, const float* left, const float* right,
                        MacShape shape, bool finite, bool to_half, float* result) {
  if (!finite || model.HasAny()) {
    for (int64_t row = 0; row < shape.rows; ++row) {
      for (int64_t column = 0; column < shape.columns; ++column) {
        result[row * shape.columns + column] = MacResult(
            model, left + row * shape.inner, right + column, shape.columns, shape.inner, to_half);
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
