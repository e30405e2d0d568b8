#include "oracles/reference/packed_fixed.h"

#include <algorithm>
#include <bit>
#include <cstdint>

// Vectors whose size the compiler does not know cannot stand in arrays.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "oracles/reference/packed_fixed.cc"
#include <hwy/foreach_target.h>  // compiles this file once more for every target
// After foreach_target.h, as Highway asks for.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace anecheck::reference::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using FixedF = hn::ScalableTag<float>;
using FixedI = hn::RebindToSigned<FixedF>;

constexpr size_t kFixedLanes = hn::MaxLanes(FixedF());
constexpr size_t kFixedRows = 4;
// Two sums of each row and vector of columns stay in registers.
constexpr size_t kFixedVectors = HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64 ? 2 : 1;
constexpr size_t kFixedWidth = kFixedVectors * kFixedLanes;

// Rows are packed as units, 2^16 times the number, with the least magnitude of a column's number
// whose product with it counts.
struct FixedTile {
  const float* numbers;     // [count][kFixedRows]
  const float* thresholds;  // the same
};

struct FixedTotals {
  double total[kFixedRows * kFixedWidth];
  double size[kFixedRows * kFixedWidth];
};

// A product counts where the exponents of its factors, held at -14 or above, sum to -16 or more.
HWY_INLINE float LeastFactor(float x) {
  const auto field = static_cast<int>(std::bit_cast<uint32_t>(x) >> 23 & 0xff);
  const int exponent = std::max(field - 127, -14);
  const int least = -16 - exponent;
  return least <= -14 ? 0.0F : std::bit_cast<float>(static_cast<uint32_t>(least + 127) << 23);
}

template <bool kDrops>
HWY_INLINE void SumFixedSpan(const FixedTile& tile, const float* HWY_RESTRICT panel, size_t begin,
                             size_t end, FixedTotals& totals) {
  constexpr size_t kBlocks = kFixedRows * kFixedVectors;
  const FixedF f;
  const FixedI integers;
  const auto half = hn::Set(f, 0.5F);
  hn::Vec<FixedI> sum[kBlocks];
  hn::Vec<FixedI> size[kBlocks];
  for (size_t i = 0; i < kBlocks; ++i) sum[i] = size[i] = hn::Zero(integers);
  for (size_t k = begin; k < end; ++k) {
    hn::Vec<FixedF> y[kFixedVectors];
    for (size_t v = 0; v < kFixedVectors; ++v) {
      y[v] = hn::LoadU(f, panel + k * kFixedWidth + v * kFixedLanes);
    }
    for (size_t r = 0; r < kFixedRows; ++r) {
      const auto x = hn::Set(f, tile.numbers[k * kFixedRows + r]);
      for (size_t v = 0; v < kFixedVectors; ++v) {
        const size_t i = r * kFixedVectors + v;
        // Products of two fp16 numbers are exact in fp32, and so is half a unit more of them as far
        // as the whole part is concerned.
        const auto product = hn::Mul(x, y[v]);
        auto moved = hn::Add(product, hn::CopySignToAbs(half, product));
        if constexpr (kDrops) {
          const auto least = hn::Set(f, tile.thresholds[k * kFixedRows + r]);
          moved = hn::IfThenElseZero(hn::Ge(hn::Abs(y[v]), least), moved);
        }
        const auto units = hn::ConvertTo(integers, moved);
        sum[i] = hn::Add(sum[i], units);
        size[i] = hn::Add(size[i], hn::Abs(units));
      }
    }
  }
  HWY_ALIGN int32_t lanes[kFixedLanes];
  for (size_t i = 0; i < kBlocks; ++i) {
    const size_t at = i * kFixedLanes;  // [row][vector][lane]
    hn::Store(sum[i], integers, lanes);
    for (size_t lane = 0; lane < kFixedLanes; ++lane) totals.total[at + lane] += lanes[lane];
    hn::Store(size[i], integers, lanes);
    for (size_t lane = 0; lane < kFixedLanes; ++lane) totals.size[at + lane] += lanes[lane];
  }
}

template <bool kDrops>
void SumFixedTile(const FixedTile& tile, const float* panel, const FixedArithmetic& arithmetic,
                  FixedTotals& totals) {
  std::fill_n(totals.total, kFixedRows * kFixedWidth, 0.0);
  std::fill_n(totals.size, kFixedRows * kFixedWidth, 0.0);
  for (size_t begin = 0; begin < arithmetic.count; begin += arithmetic.span) {
    SumFixedSpan<kDrops>(tile, panel, begin, std::min(arithmetic.count, begin + arithmetic.span),
                         totals);
  }
}

// Rows in tiles of kFixedRows; those past the last are zeros.
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
      thresholds[tile * step + i] = LeastFactor(to[i]);
      to[i] *= 0x1p16F;
    }
  }
}

// What the packed rows of a block take at the most.
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
  const auto kernel = arithmetic.drops ? SumFixedTile<true> : SumFixedTile<false>;
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
          for (size_t c = 0; c < width; ++c) {
            sink.take(sink.self, top + row + r, left + c, {total[c], size[c]});
          }
        }
      }
    }
  }
}

}  // namespace anecheck::reference::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anecheck::reference {

HWY_EXPORT(SumFixedBlockHere);

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

}  // namespace anecheck::reference
#endif
