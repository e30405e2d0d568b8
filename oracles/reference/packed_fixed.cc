#include "oracles/reference/packed_fixed.h"

#include <algorithm>
#include <bit>
#include <cstdint>

// Vectors whose size the compiler does not know cannot be elements of arrays.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "oracles/reference/packed_fixed.cc"
#include <hwy/foreach_target.h>  // compiles this file once more for every target
// Highway requires this include after foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace anecheck::reference::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using FixedF = hn::ScalableTag<float>;
using FixedI = hn::RebindToSigned<FixedF>;

constexpr size_t kFixedLanes = hn::MaxLanes(FixedF());
constexpr size_t kFixedRows = 4;
// Registers hold two sums for each row and vector of columns.
constexpr size_t kFixedVectors = HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64 ? 2 : 1;
constexpr size_t kFixedWidth = kFixedVectors * kFixedLanes;

// A tile of packed rows, in units, which are 2^16 times the numbers. The threshold of a number is
// the least magnitude of a column's number for which the array does not drop their product.
struct FixedTile {
  const float* numbers;     // [count][kFixedRows]
  const float* thresholds;  // [count][kFixedRows]
};

struct FixedTotals {
  double total[kFixedRows * kFixedWidth];
  double size[kFixedRows * kFixedWidth];
  double reach[kFixedRows * kFixedWidth];
};

// Returns the least magnitude of a factor whose product with `x` is kept. The array keeps a product
// if the exponents of its factors sum to -16 or more. An exponent below -14 is taken as -14.
HWY_INLINE double LeastFactor(double x) {
  const int least = -16 - FixedExponent(x);
  return least <= -14 ? 0.0 : std::bit_cast<double>(static_cast<uint64_t>(least + 1023) << 52);
}

// `kReaches` says that FixedTotals::reach is wanted too.
template <bool kDrops, bool kReaches>
HWY_INLINE void SumFixedSpan(const FixedTile& tile, const float* HWY_RESTRICT panel, size_t begin,
                             size_t end, FixedTotals& totals) {
  constexpr size_t kBlocks = kFixedRows * kFixedVectors;
  const FixedF f;
  const FixedI integers;
  const auto half = hn::Set(f, 0.5F);
  hn::Vec<FixedI> sum[kBlocks];
  hn::Vec<FixedI> size[kBlocks];
  hn::Vec<FixedI> least[kBlocks];
  hn::Vec<FixedI> greatest[kBlocks];
  for (size_t i = 0; i < kBlocks; ++i) {
    sum[i] = size[i] = least[i] = greatest[i] = hn::Zero(integers);
  }
  for (size_t k = begin; k < end; ++k) {
    hn::Vec<FixedF> y[kFixedVectors];
    for (size_t v = 0; v < kFixedVectors; ++v) {
      y[v] = hn::LoadU(f, panel + k * kFixedWidth + v * kFixedLanes);
    }
    for (size_t r = 0; r < kFixedRows; ++r) {
      const auto x = hn::Set(f, tile.numbers[k * kFixedRows + r]);
      for (size_t v = 0; v < kFixedVectors; ++v) {
        const size_t i = r * kFixedVectors + v;
        // Products of two fp16 numbers are exact in fp32. After half a unit is added, the integer
        // part is still exact.
        const auto product = hn::Mul(x, y[v]);
        auto moved = hn::Add(product, hn::CopySignToAbs(half, product));
        if constexpr (kDrops) {
          const auto factor = hn::Set(f, tile.thresholds[k * kFixedRows + r]);
          moved = hn::IfThenElseZero(hn::Ge(hn::Abs(y[v]), factor), moved);
        }
        const auto units = hn::ConvertTo(integers, moved);
        sum[i] = hn::Add(sum[i], units);
        size[i] = hn::Add(size[i], hn::Abs(units));
        if constexpr (kReaches) {
          least[i] = hn::Min(least[i], sum[i]);
          greatest[i] = hn::Max(greatest[i], sum[i]);
        }
      }
    }
  }
  HWY_ALIGN int32_t lanes[kFixedLanes];
  for (size_t i = 0; i < kBlocks; ++i) {
    const size_t at = i * kFixedLanes;  // [row][vector][lane]
    for (size_t side = 0; kReaches && side < 2; ++side) {
      hn::Store(side == 0 ? least[i] : greatest[i], integers, lanes);
      for (size_t lane = 0; lane < kFixedLanes; ++lane) {
        const double partial = std::fabs(totals.total[at + lane] + lanes[lane]);
        totals.reach[at + lane] = std::max(totals.reach[at + lane], partial);
      }
    }
    hn::Store(sum[i], integers, lanes);
    for (size_t lane = 0; lane < kFixedLanes; ++lane) totals.total[at + lane] += lanes[lane];
    hn::Store(size[i], integers, lanes);
    for (size_t lane = 0; lane < kFixedLanes; ++lane) totals.size[at + lane] += lanes[lane];
  }
}

template <bool kDrops, bool kReaches>
void SumFixedTile(const FixedTile& tile, const float* panel, const FixedArithmetic& arithmetic,
                  FixedTotals& totals) {
  std::fill_n(totals.total, kFixedRows * kFixedWidth, 0.0);
  std::fill_n(totals.size, kFixedRows * kFixedWidth, 0.0);
  std::fill_n(totals.reach, kFixedRows * kFixedWidth, 0.0);
  for (size_t begin = 0; begin < arithmetic.count; begin += arithmetic.span) {
    const size_t end = std::min(arithmetic.count, begin + arithmetic.span);
    SumFixedSpan<kDrops, kReaches>(tile, panel, begin, end, totals);
  }
}

// Packs rows in tiles of kFixedRows. Rows past the last row are zeros.
void PackFixedRows(const PointVectors& rows, size_t first, size_t height, size_t count,
                   float* numbers, float* thresholds) {
  const size_t tiles = (height + kFixedRows - 1) / kFixedRows;
  const size_t step = count * kFixedRows;
  for (size_t tile = 0; tile < tiles; ++tile) {
    const size_t begin = tile * kFixedRows;
    const size_t width = std::min(kFixedRows, height - begin);
    float* const to = numbers + tile * step;
    if (width < kFixedRows) std::fill_n(to, step, 0.0F);
    rows.pack(rows.self, first + begin, width, kFixedRows, to);
    for (size_t i = 0; i < step; ++i) {
      thresholds[tile * step + i] = static_cast<float>(LeastFactor(to[i]));
      to[i] *= 0x1p16F;
    }
  }
}

// The largest size of the packed rows of a block in bytes.
constexpr size_t kRowBytes = size_t{1} << 24;

void SumFixedBlockHere(const PointVectors& rows, const PointVectors& columns,
                       const FixedArithmetic& arithmetic, Arena& arena,
                       const SumsSink<FixedSum>& sink) {
  const size_t count = arithmetic.count;
  const size_t tile = std::max<size_t>(count * kFixedRows, 1);
  const size_t tiles = std::clamp<size_t>(kRowBytes / (2 * sizeof(float) * tile), 1,
                                          (rows.vectors + kFixedRows - 1) / kFixedRows);
  auto* const numbers = arena.Allocate<float>(tiles * tile);
  auto* const thresholds = arena.Allocate<float>(tiles * tile);
  auto* const panel = arena.Allocate<float>(count * kFixedWidth);
  using Kernel = decltype(&SumFixedTile<true, true>);
  constexpr Kernel kKernels[2][2] = {{SumFixedTile<false, false>, SumFixedTile<false, true>},
                                     {SumFixedTile<true, false>, SumFixedTile<true, true>}};
  const Kernel kernel = kKernels[arithmetic.drops ? 1 : 0][count > kFixedPass ? 1 : 0];
  FixedTotals totals;
  for (size_t top = 0; top < rows.vectors; top += tiles * kFixedRows) {
    const size_t height = std::min(tiles * kFixedRows, rows.vectors - top);
    PackFixedRows(rows, top, height, count, numbers, thresholds);
    for (size_t left = 0; left < columns.vectors; left += kFixedWidth) {
      const size_t width = std::min(kFixedWidth, columns.vectors - left);
      if (width < kFixedWidth) std::fill_n(panel, count * kFixedWidth, 0.0F);
      columns.pack(columns.self, left, width, kFixedWidth, panel);
      for (size_t row = 0; row < height; row += kFixedRows) {
        const size_t at = row / kFixedRows * tile;
        kernel({numbers + at, thresholds + at}, panel, arithmetic, totals);
        for (size_t r = 0; r < std::min(kFixedRows, height - row); ++r) {
          const double* const total = totals.total + r * kFixedWidth;
          const double* const size = totals.size + r * kFixedWidth;
          const double* const reach = totals.reach + r * kFixedWidth;
          for (size_t c = 0; c < width; ++c) {
            sink.take(sink.self, top + row + r, left + c, {total[c], size[c], reach[c]});
          }
        }
      }
    }
  }
}

// ---- intervals ----------------------------------------------------------------------------------

using FixedD = hn::ScalableTag<double>;
using FixedV = hn::Vec<FixedD>;

constexpr size_t kEndsLanes = hn::MaxLanes(FixedD());
constexpr size_t kEndsParts = 5;  // number of members of FixedEnds

// One end of a row's number, and the least magnitude of a factor whose product with it is kept.
struct RowEnd {
  double number;
  double least;
};

// Returns FixedProduct of a row's number and each number of a vector of columns.
HWY_INLINE FixedV FixedUnits(const RowEnd& x, FixedV y) {
  const FixedD d;
  const FixedV units = hn::Mul(hn::Mul(hn::Set(d, x.number), y), hn::Set(d, 0x1p16));
  const FixedV moved = hn::Add(hn::Abs(units), hn::Set(d, 0.5));
  const FixedV size = hn::Trunc(hn::Min(moved, hn::Set(d, 0x1p62)));
  return hn::IfThenElseZero(hn::Ge(hn::Abs(y), hn::Set(d, x.least)), hn::CopySign(size, units));
}

// The magnitude of a product never decreases if the magnitude of a factor increases, so the ends of
// a product are products of ends. With `kBoth` both factors are intervals.
template <bool kBoth>
HWY_INLINE void SumEndsTile(const RowEnd* HWY_RESTRICT row, size_t count,
                            const double* HWY_RESTRICT low, const double* HWY_RESTRICT high,
                            double* HWY_RESTRICT out) {
  const FixedD d;
  const FixedV zero = hn::Zero(d);
  FixedV sums[kEndsParts] = {zero, zero, zero, zero, zero};
  for (size_t k = 0; k < count; ++k) {
    const RowEnd x_low = row[2 * k];
    const RowEnd x_high = row[2 * k + 1];
    const FixedV y_low = hn::LoadU(d, low + k * kEndsLanes);
    const FixedV y_high = hn::LoadU(d, high + k * kEndsLanes);
    const FixedV a = FixedUnits(x_low, y_low);
    const FixedV b = FixedUnits(x_high, y_high);
    FixedV least = hn::Min(a, b);
    FixedV greatest = hn::Max(a, b);
    if constexpr (kBoth) {
      const FixedV e = FixedUnits(x_low, y_high);
      const FixedV f = FixedUnits(x_high, y_low);
      least = hn::Min(least, hn::Min(e, f));
      greatest = hn::Max(greatest, hn::Max(e, f));
    }
    sums[0] = hn::Add(sums[0], least);
    sums[1] = hn::Add(sums[1], greatest);
    sums[2] = hn::Add(sums[2], hn::Min(least, zero));
    sums[3] = hn::Add(sums[3], hn::Max(greatest, zero));
    sums[4] = hn::Max(sums[4], hn::Max(hn::Abs(sums[0]), hn::Abs(sums[1])));
  }
  for (size_t i = 0; i < kEndsParts; ++i) hn::StoreU(sums[i], d, out + i * kEndsLanes);
}

// Packs the columns from `first` on as [count][kEndsLanes]. Columns past the last repeat the last.
void PackEnds(const double* columns, size_t first, size_t width, size_t count, double* panel) {
  for (size_t column = 0; column < kEndsLanes; ++column) {
    const double* const from = columns + (first + std::min(column, width - 1)) * count;
    for (size_t k = 0; k < count; ++k) panel[k * kEndsLanes + column] = from[k];
  }
}

void SumFixedEndsHere(const PackedIntervals& rows, const PackedIntervals& columns, size_t count,
                      Arena& arena, const SumsSink<FixedEnds>& sink) {
  auto* const packed = arena.Allocate<RowEnd>(2 * rows.vectors * count);
  for (size_t i = 0; i < rows.vectors * count; ++i) {
    packed[2 * i] = {rows.low[i], LeastFactor(rows.low[i])};
    packed[2 * i + 1] = {rows.high[i], LeastFactor(rows.high[i])};
  }
  const bool both = rows.low != rows.value && columns.low != columns.value;
  const auto tile = both ? SumEndsTile<true> : SumEndsTile<false>;
  auto* const low = arena.Allocate<double>(count * kEndsLanes);
  auto* const high = arena.Allocate<double>(count * kEndsLanes);
  double sums[kEndsParts * kEndsLanes];
  for (size_t left = 0; left < columns.vectors; left += kEndsLanes) {
    const size_t width = std::min(kEndsLanes, columns.vectors - left);
    PackEnds(columns.low, left, width, count, low);
    PackEnds(columns.high, left, width, count, high);
    for (size_t row = 0; row < rows.vectors; ++row) {
      tile(packed + 2 * row * count, count, low, high, sums);
      for (size_t c = 0; c < width; ++c) {
        const double* const at = sums + c;
        sink.take(
            sink.self, row, left + c,
            {at[0], at[kEndsLanes], at[2 * kEndsLanes], at[3 * kEndsLanes], at[4 * kEndsLanes]});
      }
    }
  }
}

}  // namespace anecheck::reference::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anecheck::reference {

HWY_EXPORT(SumFixedBlockHere);
HWY_EXPORT(SumFixedEndsHere);

size_t FixedSpan(double largest_x, double largest_y) {
  const double largest = largest_x * largest_y / kFixedUnit + 1;
  if (!(largest < kFixedLimit)) return 0;
  return static_cast<size_t>((kFixedLimit - 1) / largest);
}

void SumFixedBlock(const PointVectors& rows, const PointVectors& columns,
                   const FixedArithmetic& arithmetic, Arena& arena,
                   const SumsSink<FixedSum>& sink) {
  HWY_DYNAMIC_DISPATCH(SumFixedBlockHere)(rows, columns, arithmetic, arena, sink);
}

void SumFixedEnds(const PackedIntervals& rows, const PackedIntervals& columns, size_t count,
                  Arena& arena, const SumsSink<FixedEnds>& sink) {
  HWY_DYNAMIC_DISPATCH(SumFixedEndsHere)(rows, columns, count, arena, sink);
}

}  // namespace anecheck::reference
#endif
