#include "harness/device/tile_loops.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/base/parallel_for.h"
#include "harness/device/tile_lattice.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "harness/device/tile_loops.cc"
#include <hwy/foreach_target.h>  // compiles this file once more for every target
// Highway requires this include after foreach_target.h.
#include <hwy/highway.h>

// Loops without branches, which the compiler vectorises for each target.
HWY_BEFORE_NAMESPACE();
namespace anecheck::device::HWY_NAMESPACE {

constexpr int64_t kTileColumns = 64;

// Returns the sum of the first kTaps products of a tile. The last tile of a sum has fewer products.
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
void AddTile(const float* HWY_RESTRICT left, const float* HWY_RESTRICT right, int64_t stride,
             int64_t count, float* HWY_RESTRICT accumulators) {
  const float* b[kTileLanes];
  float a[kTileLanes];
  for (int lane = 0; lane < kTileLanes; ++lane) {
    a[lane] = lane < kTaps ? left[lane] : 0.0f;
    b[lane] = lane < kTaps ? right + lane * stride : right;
  }
  for (int64_t c = 0; c < count; ++c) {
    const float sum = accumulators[c] + TileSum<kLattice, kTaps>(a[0] * b[0][c], a[1] * b[1][c],
                                                                 a[2] * b[2][c], a[3] * b[3][c]);
    accumulators[c] = kPort && std::fabs(sum) >= kPortLimit
                          ? std::copysign(std::numeric_limits<float>::infinity(), sum)
                          : sum;
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
void TileLoops(const float* left, const float* right, MacShape shape, float* result) {
  for (int64_t column = 0; column < shape.columns; column += kTileColumns) {
    const int64_t count = std::min(kTileColumns, shape.columns - column);
    for (int64_t row = 0; row < shape.rows; ++row) {
      float* accumulators = result + row * shape.columns + column;
      std::fill_n(accumulators, count, 0.0f);
      for (int64_t k = 0; k < shape.inner; k += kTileLanes) {
        AddTileOf<kLattice, kPort>(std::min<int64_t>(kTileLanes, shape.inner - k),
                                   left + row * shape.inner + k, right + k * shape.columns + column,
                                   shape.columns, count, accumulators);
      }
    }
  }
}

void AddTilesHere(bool lattice, bool port, const float* left, const float* right, MacShape shape,
                  float* result) {
  if (lattice) {
    return port ? TileLoops<true, true>(left, right, shape, result)
                : TileLoops<true, false>(left, right, shape, result);
  }
  return port ? TileLoops<false, true>(left, right, shape, result)
              : TileLoops<false, false>(left, right, shape, result);
}

}  // namespace anecheck::device::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anecheck::device {

HWY_EXPORT(AddTilesHere);

// The number of products above which several threads are faster: about 30 ms of one thread. The
// cases of a campaign have fewer products, so that its workers do not compete for the processors.
constexpr int64_t kWorthThreads = int64_t{1} << 25;

void AddTiles(bool lattice, bool port, const float* left, const float* right, MacShape shape,
              float* result) {
  const bool large = shape.rows > 1 &&
                     shape.rows * shape.columns > kWorthThreads / std::max<int64_t>(shape.inner, 1);
  const int jobs = large ? DefaultJobs() : 1;
  const int64_t together = (shape.rows + jobs - 1) / jobs;
  const auto add = [&](uint64_t begin, uint64_t end) -> Status {
    const auto first = static_cast<int64_t>(begin);
    MacShape rows = shape;
    rows.rows = static_cast<int64_t>(end) - first;
    HWY_DYNAMIC_DISPATCH(AddTilesHere)(lattice, port, left + first * shape.inner, right, rows,
                                       result + first * shape.columns);
    return {};
  };
  // The loops cannot fail.
  [[maybe_unused]] const Status done =
      ParallelChunks(static_cast<uint64_t>(shape.rows), static_cast<uint64_t>(together), jobs, add);
}

}  // namespace anecheck::device
#endif
