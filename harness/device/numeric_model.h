// The arithmetic of one family's engine: the roundings, limits and special values that the kernels
// of the simulated engine follow. When a program is compiled, its model is resolved once from the
// family, the quirk switches and the enabled faults. Source of the figures: facts/numerics.md.
#pragma once

#include <cstdint>

#include "harness/base/half.h"

namespace anecheck::device {

// Planted defects of the datapath. One fault in fault_rows.cc describes each of these defects, and
// the defect is set only if that fault is enabled.
enum class Planted : uint8_t {
  kMacHalfAccumulator,
  kMacHalfTiles,
  kMacDropsLastTile,
  kMacDropsOddLane,
  kMacTruncates,
  kMacSaturates,
  kMacFlushes,
  kMacPortHalved,
  kMacHalfAboveSixteen,
  kMacCoarseLattice,
  kBiasDropped,
  kBiasFirstChannelOnly,
  kBiasAddedTwice,
  kBiasOffByOne,
  kPadWrongSide,
  kPadValueOne,
  kStrideTransposed,
  kDilationAsOne,
  kGroupsShareWeights,
  kKernelFlipped,
  kKernelTransposed,
  kWeightTransposed,
  kBatchReused,
  kAverageCountsPadding,
  kAverageIgnoresPadding,
  kMaxPoolPadsZero,
  kMaxPoolFirstTapLost,
  kStoreTruncates,
  kStoreFlushes,
  kStoreSaturates,
  kTableShifted,
  kTableClampsEarly,
  kTableNearestKnot,
  kTableSignLost,
  kTableKnotMoved,
  kTableKnotLost,
  kSoftmaxKeepsMaximum,
  kSoftmaxHalfSum,
  kSoftmaxSkipsLast,
  kNormSampleVariance,
  kNormEpsilonIgnored,
  kNormShortMean,
  kNormGammaIgnored,
  kNormBetaIgnored,
  kNormMeanNotSubtracted,
  kReduceHalfAccumulator,
  kReduceSkipsLast,
  kReduceStartsAtZero,
  kBroadcastWrongAxis,
  kSubSwapped,
  kDivByReciprocal,
  kMaxIgnoresNegative,
  kNanDropped,
  kClipLowerIgnored,
  kClipUpperIgnored,
  kReluSlope,
  kReluSubnormal,
  kSliceOffByOne,
  kConcatSwapsLast,
  kTransposeInverse,
  kPadReflectAsReplicate,
  kPadConstantZero,
  kCastRounds,
  kCastWraps,
  kImageDropsWeight,
  kMaskBitsReversed,
  kCount,
};
static_assert(static_cast<int>(Planted::kCount) <= 128);

// The default flags describe the conforming engine. The conforming engine rounds fp16 results
// correctly, keeps IEEE special values, and multiplies and accumulates in exact tiles of four
// products with an fp32 accumulator. Each flag names the documented defect that it models
// (quirk.h).
struct NumericModel {
  int family = 2;

  // Rounding of every result that is stored as fp16. D15: A17 takes ties away from zero.
  Rounding store_rounding = Rounding::kNearestEven;

  bool mac_port_limit = false;          // D01: |sum| >= 32768 of two or more taps becomes infinity
  bool crop_gain = false;               // D02: a width offset passes through a gain of 16
  bool mac_tile_lattice = false;        // D03: tiles of products add on a 12-bit grid
  bool mac_flush_denormals = false;     // D05
  bool nan_is_infinity = false;         // D06
  bool invalid_is_zero = false;         // D07
  bool zero_sign_lost = false;          // D08
  bool softplus_drops = false;          // D09
  bool softsign_infinity_zero = false;  // D10
  bool log_zero_finite = false;         // D11
  bool gelu_origin_bias = false;        // D12
  bool silu_origin_bias = false;        // D13
  bool trigonometric_seams = false;     // D14
  bool sum_tile_lattice = false;        // D04: tiles of a reduction also add on the grid of D03

  bool Has(Planted planted) const {
    const auto bit = static_cast<unsigned>(planted);
    return (planted_[bit / 64] >> (bit % 64) & 1) != 0;
  }
  bool HasAny() const { return (planted_[0] | planted_[1]) != 0; }
  void Plant(Planted planted) {
    const auto bit = static_cast<unsigned>(planted);
    planted_[bit / 64] |= uint64_t{1} << (bit % 64);
  }

 private:
  uint64_t planted_[2] = {0, 0};
};

}  // namespace anecheck::device
