// Sums of products of tiles of rows with panels of columns. Only packed_points.cc includes this
// file, once for every target of Highway.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hwy/highway.h>

#include "oracles/reference/packed_panels-inl.h"
#include "oracles/reference/packed_points.h"

// The include guard that Highway requires for code compiled for each target.
#if defined(ANECHECK_PACKED_TILES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ANECHECK_PACKED_TILES_INL_H
#undef ANECHECK_PACKED_TILES_INL_H
#else
#define ANECHECK_PACKED_TILES_INL_H
#endif

HWY_BEFORE_NAMESPACE();
namespace anecheck::reference::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Sums of a tile at [row][column].
struct TileSums {
  double sum[kRows * kWidth];
  double magnitude[kRows * kWidth];
  double rounded[kRows * kWidth];  // unset if rounding changes no product
};

// Adds a vector of fp32 sums to doubles, or stores them if `first`.
HWY_INLINE void AddSingles(FV sums, bool first, double* HWY_RESTRICT total) {
  const D d;
#if HWY_TARGET == HWY_SCALAR
  const V wide[kParts] = {hn::PromoteTo(d, sums)};
#else
  const Part part;
  const V wide[kParts] = {hn::PromoteTo(d, hn::LowerHalf(part, sums)),
                          hn::PromoteTo(d, hn::UpperHalf(part, sums))};
#endif
  for (size_t p = 0; p < kParts; ++p) {
    double* const to = total + p * kLanes;
    hn::StoreU(first ? wide[p] : hn::Add(hn::LoadU(d, to), wide[p]), d, to);
  }
}

// The numbers of products that are added in fp32 before the sum moves to the next level.
struct Spans {
  size_t block = 0;  // products that are added to each other one by one
  size_t span =
      0;  // products whose block sums are added in fp32; sums of spans are added in double
};

// Adds products `begin` to `end` to `total`, in the order of k, for the first kTileRows rows of a
// tile and kTileVectors vectors of the panel. If kRounds is true, also adds the rounded products.
// Product 0 initializes `total`. The short loops are separate so that compilers unroll each, which
// keeps the arrays in registers.
template <size_t kTileRows, size_t kTileVectors, bool kRounds>
void SumTile(const RowTile& rows, const ColumnPanel& panel, size_t begin, size_t end,
             const Spans& spans, TileSums& total) {
  constexpr size_t kBlocks = kTileRows * kTileVectors;
  const F f;
  HWY_ALIGN float kept[2 * kBlocks * kSingles];
  size_t kept_products = 0;
  bool first = begin == 0;
  for (size_t start = begin; start < end; start += spans.block) {
    const size_t stop = std::min(end, start + spans.block);
    FV sum[kBlocks];
    FV rounded[kBlocks];
    for (size_t i = 0; i < kBlocks; ++i) sum[i] = hn::Zero(f);
    for (size_t i = 0; i < kBlocks; ++i) rounded[i] = hn::Zero(f);
    size_t row = start * kRows;
    for (size_t at = start * kWidth; at < stop * kWidth; at += kWidth, row += kRows) {
      FV y[kTileVectors];
      for (size_t v = 0; v < kTileVectors; ++v) {
        y[v] = hn::LoadU(f, panel.numbers + at + v * kSingles);
      }
      for (size_t r = 0; r < kTileRows; ++r) {
        const FV x = hn::Set(f, rows.numbers[row + r]);
        for (size_t v = 0; v < kTileVectors; ++v) {
          FV& to = sum[r * kTileVectors + v];
          to = hn::MulAdd(x, y[v], to);
        }
        if constexpr (kRounds) {
          const FV multiple = hn::Set(f, rows.rounders[row + r]);
          for (size_t v = 0; v < kTileVectors; ++v) {
            FV& to = rounded[r * kTileVectors + v];
            const FV rounder = hn::Mul(multiple, y[v]);
            to = hn::Add(to, hn::Sub(hn::MulAdd(x, y[v], rounder), rounder));
          }
        }
      }
    }
    for (size_t i = 0; i < kBlocks && kept_products != 0; ++i) {
      sum[i] = hn::Add(sum[i], hn::Load(f, kept + i * kSingles));
      if constexpr (!kRounds) continue;
      rounded[i] = hn::Add(rounded[i], hn::Load(f, kept + (kBlocks + i) * kSingles));
    }
    kept_products += stop - start;
    if (kept_products < spans.span && stop < end) {
      for (size_t i = 0; i < kBlocks; ++i) {
        hn::Store(sum[i], f, kept + i * kSingles);
        if constexpr (kRounds) hn::Store(rounded[i], f, kept + (kBlocks + i) * kSingles);
      }
      continue;
    }
    for (size_t i = 0; i < kBlocks; ++i) {
      const size_t to = i / kTileVectors * kWidth + i % kTileVectors * kSingles;
      AddSingles(sum[i], first, total.sum + to);
      if constexpr (kRounds) AddSingles(rounded[i], first, total.rounded + to);
    }
    kept_products = 0;
    first = false;
  }
}

using I = hn::RebindToSigned<F>;

// Adds integer sums in units of row_step * column_steps to doubles, or stores them if `first`.
HWY_INLINE void AddIntegers(hn::Vec<I> sums, bool first, double row_step,
                            const double* HWY_RESTRICT column_steps, double* HWY_RESTRICT total) {
  const D d;
#if HWY_TARGET == HWY_SCALAR
  V wide[kParts] = {hn::PromoteTo(d, sums)};
#else
  const hn::Rebind<int32_t, D> part;
  V wide[kParts] = {hn::PromoteTo(d, hn::LowerHalf(part, sums)),
                    hn::PromoteTo(d, hn::UpperHalf(part, sums))};
#endif
  for (size_t p = 0; p < kParts; ++p) {
    double* const to = total + p * kLanes;
    // The factors are powers of two, so nothing is rounded.
    wide[p] =
        hn::Mul(wide[p], hn::Mul(hn::Set(d, row_step), hn::LoadU(d, column_steps + p * kLanes)));
    hn::StoreU(first ? wide[p] : hn::Add(hn::LoadU(d, to), wide[p]), d, to);
  }
}

// The numbers of pairs and of steps in a tile.
struct TileSizes {
  size_t pairs;
  size_t steps;
};

// As SumTile, for the magnitudes of a chunk of products of kTiles consecutive tiles.
template <size_t kTiles, size_t kTileVectors>
void SumMagnitudes(const RowTile& tile, const TileSizes& of_tile, const ColumnPanel& panel,
                   size_t begin, size_t end, TileSums* HWY_RESTRICT total) {
  const uint32_t* const HWY_RESTRICT rows = tile.sizes;
  const uint32_t* const HWY_RESTRICT columns = panel.sizes;
  constexpr size_t kBlocks = kTiles * kRows * kTileVectors;
  const I integers;
  const U u;
  hn::Vec<I> even[kBlocks];
  hn::Vec<I> odd[kBlocks];
  for (size_t i = 0; i < kBlocks; ++i) even[i] = odd[i] = hn::Zero(integers);
  for (size_t k = begin / 2; k < (end + 1) / 2; ++k) {
    hn::Vec<U> y[kTileVectors];
    for (size_t v = 0; v < kTileVectors; ++v) {
      y[v] = hn::LoadU(u, columns + k * kWidth + v * kSingles);
    }
    for (size_t r = 0; r < kTiles * kRows; ++r) {
      const auto x = hn::Set(u, rows[r / kRows * of_tile.pairs + k * kRows + r % kRows]);
      for (size_t v = 0; v < kTileVectors; ++v) {
        const size_t i = r * kTileVectors + v;
#if HWY_TARGET == HWY_SCALAR
        const uint32_t a = hn::GetLane(x);
        const uint32_t b = hn::GetLane(y[v]);
        const uint32_t products = (a & 0xffff) * (b & 0xffff) + (a >> 16) * (b >> 16);
        even[i] = hn::Add(even[i], hn::Set(integers, static_cast<int32_t>(products)));
#else
        const hn::Repartition<int16_t, I> halves;
        even[i] = hn::ReorderWidenMulAccumulate(integers, hn::BitCast(halves, x),
                                                hn::BitCast(halves, y[v]), even[i], odd[i]);
#endif
      }
    }
  }
  const double* const row_steps = tile.steps + begin / kDepth * kRows;
  const double* const column_steps = panel.steps + begin / kDepth * kWidth;
  for (size_t i = 0; i < kBlocks; ++i) {
    const size_t r = i / kTileVectors;
    double* const of_row = total[r / kRows].magnitude + r % kRows * kWidth;
#if HWY_TARGET != HWY_SCALAR
    even[i] = hn::RearrangeToOddPlusEven(even[i], odd[i]);
#endif
    const size_t v = i % kTileVectors * kSingles;
    AddIntegers(even[i], begin == 0, row_steps[r / kRows * of_tile.steps + r % kRows],
                column_steps + v, of_row + v);
  }
}

// A sum of products in double.
HWY_INLINE double DotOf(const float* HWY_RESTRICT x, const float* HWY_RESTRICT y, size_t count) {
  constexpr size_t kChains = 4;
  const D d;
  const Part part;
  V sum[kChains];
  for (size_t i = 0; i < kChains; ++i) sum[i] = hn::Zero(d);
  size_t k = 0;
  for (; k + kChains * kLanes <= count; k += kChains * kLanes) {
    for (size_t i = 0; i < kChains; ++i) {
      const V a = hn::PromoteTo(d, hn::LoadU(part, x + k + i * kLanes));
      const V b = hn::PromoteTo(d, hn::LoadU(part, y + k + i * kLanes));
      sum[i] = hn::MulAdd(a, b, sum[i]);
    }
  }
  const V pairs = hn::Add(hn::Add(sum[0], sum[1]), hn::Add(sum[2], sum[3]));
  double total = hn::GetLane(hn::SumOfLanes(d, pairs));
  for (; k < count; ++k) total += static_cast<double>(x[k]) * static_cast<double>(y[k]);
  return total;
}

using TileKernel = void (*)(const RowTile& rows, const ColumnPanel& panel, size_t begin, size_t end,
                            const Spans& spans, TileSums& total);

template <size_t kTileRows, size_t kTileVectors>
TileKernel KernelOf(const PointArithmetic& arithmetic) {
  return arithmetic.rounds ? SumTile<kTileRows, kTileVectors, true>
                           : SumTile<kTileRows, kTileVectors, false>;
}

// The functions that compute the sums of a panel, by the number of rows and of vectors of columns.
class Kernels {
 public:
  Kernels(const PointArithmetic& arithmetic, const Spans& spans)
      : of_tile_{(arithmetic.count + 1) / 2 * kRows, ChunksOf(arithmetic.count) * kRows},
        spans_(spans) {
    many_[0] = KernelOf<kRows, 1>(arithmetic);
    one_[0] = KernelOf<1, 1>(arithmetic);
    many_[1] = KernelOf<kRows, kVectors>(arithmetic);
    one_[1] = KernelOf<1, kVectors>(arithmetic);
  }

  // Adds products `begin` to `end` for the first `rows` rows of `tiles`.
  void Add(const Rows& tiles, size_t rows, const ColumnPanel& panel, size_t width, size_t begin,
           size_t end, TileSums* sums) const {
    const size_t wide = width > kSingles ? 1 : 0;
    for (size_t row = 0; row < rows; row += kRows) {
      const TileKernel kernel = rows - row == 1 ? one_[wide] : many_[wide];
      kernel(tiles.At(row / kRows), panel, begin, end, spans_, sums[row / kRows]);
    }
  }
  // As Add, for the magnitudes of a chunk of products. The chunk must begin at a multiple of
  // kDepth.
  void AddMagnitudes(const Rows& tiles, size_t rows, const ColumnPanel& panel, size_t width,
                     size_t begin, size_t end, TileSums* sums) const {
    const bool wide = width > kSingles;
    const auto many =
        wide ? SumMagnitudes<kMagnitudeTiles, kVectors> : SumMagnitudes<kMagnitudeTiles, 1>;
    const auto one = wide ? SumMagnitudes<1, kVectors> : SumMagnitudes<1, 1>;
    const size_t count = (rows + kRows - 1) / kRows;
    const size_t whole = count - count % kMagnitudeTiles;
    for (size_t tile = 0; tile < whole; tile += kMagnitudeTiles) {
      many(tiles.At(tile), of_tile_, panel, begin, end, sums + tile);
    }
    for (size_t tile = whole; tile < count; ++tile) {
      one(tiles.At(tile), of_tile_, panel, begin, end, sums + tile);
    }
  }

 private:
  TileSizes of_tile_;
  Spans spans_;
  TileKernel many_[2];  // for one vector of columns and for kVectors
  TileKernel one_[2];   // as many_, for a single row
};

}  // namespace anecheck::reference::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
