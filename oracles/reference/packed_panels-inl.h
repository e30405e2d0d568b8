// The numbers of a block of rows and columns in the order in which packed_tiles-inl.h reads them.
// Only packed_points.cc includes these files, once for every target of Highway.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <hwy/highway.h>

#include "oracles/reference/packed_points.h"

// The include guard that Highway requires for code compiled for each target.
#if defined(ANECHECK_PACKED_PANELS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ANECHECK_PACKED_PANELS_INL_H
#undef ANECHECK_PACKED_PANELS_INL_H
#else
#define ANECHECK_PACKED_PANELS_INL_H
#endif

HWY_BEFORE_NAMESPACE();
namespace anecheck::reference::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<double>;
using F = hn::ScalableTag<float>;
using U = hn::RebindToUnsigned<F>;
using Part = hn::Rebind<float, D>;  // as many fp32 numbers as a vector of doubles has
using V = hn::Vec<D>;
using FV = hn::Vec<F>;

constexpr size_t kLanes = hn::MaxLanes(D());
constexpr size_t kSingles = hn::MaxLanes(F());
constexpr size_t kParts = kSingles / kLanes;
// The numbers of rows and of vectors of columns that are summed at a time. The registers hold two
// sums for each pair of a row and a vector. A row's number is read once for all vectors, and a
// column's number once for all rows.
constexpr bool kManyRegisters = kLanes >= 8 || HWY_ARCH_ARM_A64;
constexpr size_t kRows = kManyRegisters ? 4 : 2;
constexpr size_t kVectors = 2;
// The number of row tiles whose magnitudes are summed at a time. Magnitudes need fewer registers.
constexpr size_t kMagnitudeTiles = 2;
// The number of columns in a panel.
constexpr size_t kWidth = kVectors * kSingles;

// ---- panels -------------------------------------------------------------------------------------

// If kRounder times a product is added to the product in fp32 and subtracted again, 11 significand
// bits of the product remain, rounded to even. This holds for products of up to 22 bits: the fp32
// step of the sum is a 1024th of the product's power of two, and the multiple, which has as many
// bits as the product, is an even number of steps. If the sum reaches the next power of two, whose
// steps are twice as wide, the product lies so close below a power of two that it rounds to that
// power.
constexpr float kRounder = 0x1p13F;

struct ColumnPanel {
  const float* numbers;   // [count][kWidth]
  const uint32_t* sizes;  // [(count + 1) / 2][kWidth]
  const double* steps;    // [chunks][kWidth]: the units of the sizes
};

// Counts, for each of kPitch vectors, the small nonzero numbers among `count` numbers.
template <size_t kPitch>
HWY_INLINE void CountSmall(const float* HWY_RESTRICT numbers, size_t count, float small,
                           double* HWY_RESTRICT counts) {
  // The span consists of whole vectors for any pitch.
  constexpr size_t kSpan = kPitch % kSingles == 0 ? kPitch : kPitch * kSingles;
  uint32_t found[kSpan] = {};
  const auto is_small = [small](float x) {
    return (x < small && x > 0) || (x > -small && x < 0) ? 1U : 0U;
  };
  const size_t size = small > 0 ? count * kPitch : 0;
  const size_t whole = size / kSpan * kSpan;
  for (size_t at = 0; at < whole; at += kSpan) {
    for (size_t i = 0; i < kSpan; ++i) found[i] += is_small(numbers[at + i]);
  }
  for (size_t at = whole; at < size; ++at) found[at - whole] += is_small(numbers[at]);
  std::fill_n(counts, kPitch, 0.0);
  for (size_t i = 0; i < kSpan; ++i) counts[i % kPitch] += found[i];
}

// A magnitude is stored as an integer number of steps, rounded up. The step of a chunk of kDepth
// numbers of a vector is a power of two. No number has more than kMostSteps steps, and the largest
// has at least half as many. The sum of kDepth products of two such integers has 30 bits.
constexpr uint32_t kMostSteps = 2048;
constexpr size_t kDepth = 256;
constexpr size_t ChunksOf(size_t count) { return (count + kDepth - 1) / kDepth; }

// For each of kPitch vectors, writes the magnitudes of one chunk of `count` numbers, in steps, to
// sizes[(count + 1) / 2][kPitch]. An element of `sizes` is a pair with the second number in the
// high half. Also writes the widths of the steps.
template <size_t kPitch>
HWY_INLINE void MeasureChunk(const float* HWY_RESTRICT numbers, size_t count,
                             uint32_t* HWY_RESTRICT sizes, double* HWY_RESTRICT steps) {
  // The bits of positive fp32 numbers, read as integers, have the order of the numbers.
  uint32_t largest[kPitch] = {};
  for (size_t k = 0; k < count; ++k) {
    for (size_t c = 0; c < kPitch; ++c) {
      const uint32_t bits = std::bit_cast<uint32_t>(numbers[k * kPitch + c]) & 0x7fffffff;
      largest[c] = std::max(largest[c], bits);
    }
  }
  constexpr uint32_t kPowers = 0x7f800000;
  constexpr uint32_t kLog2 = std::bit_width(kMostSteps) - 1;
  float inverse[kPitch];
  for (size_t c = 0; c < kPitch; ++c) {
    // The least power of two above the largest number.
    const uint32_t power = std::max((largest[c] & kPowers) + (1U << 23), uint32_t{64} << 23);
    const auto step = std::bit_cast<float>(power - (kLog2 << 23));
    inverse[c] = 1 / step;
    steps[c] = step;
  }
  const auto whole = [](float scaled) {
    const auto down = static_cast<int32_t>(scaled);
    return static_cast<uint32_t>(down) + (static_cast<float>(down) < scaled ? 1U : 0U);
  };
  for (size_t k = 0; k < count; k += 2) {
    const float* const second = numbers + (k + 1) * kPitch;
    for (size_t c = 0; c < kPitch; ++c) {
      const float one = numbers[k * kPitch + c];
      const float other = k + 1 < count ? second[c] : 0.0F;
      sizes[k / 2 * kPitch + c] = whole((one < 0 ? -one : one) * inverse[c]) |
                                  whole((other < 0 ? -other : other) * inverse[c]) << 16;
    }
  }
}

// As MeasureChunk, for all chunks. Writes sizes[(count + 1) / 2][kPitch] and steps[chunks][kPitch].
template <size_t kPitch>
HWY_INLINE void MeasureSizes(const float* HWY_RESTRICT numbers, size_t count,
                             uint32_t* HWY_RESTRICT sizes, double* HWY_RESTRICT steps) {
  for (size_t begin = 0; begin < count; begin += kDepth) {
    MeasureChunk<kPitch>(numbers + begin * kPitch, std::min(kDepth, count - begin),
                         sizes + begin / 2 * kPitch, steps + begin / kDepth * kPitch);
  }
}

// Copies of the vectors of groups of kPitch, each vector as a contiguous line, for sums that are
// computed again. The lines of a group are made when the first one is needed.
template <size_t kPitch>
class Lines {
 public:
  Lines(Arena& arena, size_t groups, size_t count)
      : count_(count),
        numbers_(arena.Allocate<float>(groups * count * kPitch)),
        made_(arena.Allocate<uint8_t>(groups)) {}

  void Forget(size_t group) { made_[group] = 0; }
  // `numbers` are those of the group, [count][kPitch].
  const float* At(const float* HWY_RESTRICT numbers, size_t group, size_t vector) const {
    float* const lines = numbers_ + group * count_ * kPitch;
    for (size_t c = 0; c < kPitch && made_[group] == 0; ++c) {
      for (size_t k = 0; k < count_; ++k) lines[c * count_ + k] = numbers[k * kPitch + c];
    }
    made_[group] = 1;
    return lines + vector * count_;
  }

 private:
  size_t count_;
  float* numbers_;
  uint8_t* made_;
};

// Consecutive panels of kWidth columns.
class Columns {
 public:
  Columns(Arena& arena, size_t panels, size_t count)
      : count_(count),
        pairs_((count + 1) / 2),
        chunks_(ChunksOf(count)),
        numbers_(arena.Allocate<float>(panels * count * kWidth)),
        sizes_(arena.Allocate<uint32_t>(panels * pairs_ * kWidth)),
        steps_(arena.Allocate<double>(panels * chunks_ * kWidth)),
        small_(arena.Allocate<double>(panels * kWidth)),
        lines_(arena, panels, count) {}

  // Bytes of one number.
  static constexpr size_t kBytes = 2 * sizeof(float) + sizeof(uint16_t);

  void Pack(const PointVectors& columns, size_t first, size_t end, float small) {
    for (size_t panel = 0; first + panel * kWidth < end; ++panel) {
      const size_t begin = first + panel * kWidth;
      const size_t width = std::min(kWidth, end - begin);
      const size_t start = panel * count_ * kWidth;
      float* const HWY_RESTRICT numbers = numbers_ + start;
      if (width < kWidth) std::fill_n(numbers, count_ * kWidth, 0.0F);
      columns.pack(columns.self, begin, width, kWidth, numbers);
      MeasureSizes<kWidth>(numbers, count_, sizes_ + panel * pairs_ * kWidth,
                           steps_ + panel * chunks_ * kWidth);
      CountSmall<kWidth>(numbers, count_, small, small_ + panel * kWidth);
      lines_.Forget(panel);
    }
  }
  ColumnPanel At(size_t panel) const {
    const size_t start = panel * count_ * kWidth;
    return {numbers_ + start, sizes_ + panel * pairs_ * kWidth, steps_ + panel * chunks_ * kWidth};
  }
  const double* small(size_t panel) const { return small_ + panel * kWidth; }
  const float* Line(size_t panel, size_t column) const {
    return lines_.At(numbers_ + panel * count_ * kWidth, panel, column);
  }

 private:
  size_t count_;
  size_t pairs_;
  size_t chunks_;
  float* numbers_;
  uint32_t* sizes_;
  double* steps_;  // [panel][chunk][column of the panel]
  double* small_;  // [column]: how many of its numbers are small
  Lines<kWidth> lines_;
};

// Arrays of shape [count][kRows]. `sizes` holds pairs of numbers.
struct RowTile {
  const float* numbers;
  const float* rounders;  // kRounder times the numbers
  const uint32_t* sizes;
  const double* steps;  // [chunks][kRows]
};

// Consecutive tiles of kRows rows. Rows past the last row are zeros.
class Rows {
 public:
  // Bytes of one number.
  static constexpr size_t kBytes = 3 * sizeof(float) + sizeof(uint16_t);

  Rows(Arena& arena, size_t tiles, size_t count)
      : tile_(count * kRows),
        size_tile_((count + 1) / 2 * kRows),
        step_tile_(ChunksOf(count) * kRows),
        count_(count),
        numbers_(arena.Allocate<float>(tiles * tile_)),
        rounders_(arena.Allocate<float>(tiles * tile_)),
        sizes_(arena.Allocate<uint32_t>(tiles * size_tile_)),
        steps_(arena.Allocate<double>(tiles * step_tile_)),
        small_(arena.Allocate<double>(tiles * kRows)),
        lines_(arena, tiles, count) {}

  void Pack(const PointVectors& rows, size_t first, size_t end, float small) {
    for (size_t tile = 0; first + tile * kRows < end; ++tile) {
      const size_t begin = first + tile * kRows;
      const size_t height = std::min(kRows, end - begin);
      float* const HWY_RESTRICT numbers = numbers_ + tile * tile_;
      float* const HWY_RESTRICT rounders = rounders_ + tile * tile_;
      if (height < kRows) std::fill_n(numbers, tile_, 0.0F);
      rows.pack(rows.self, begin, height, kRows, numbers);
      for (size_t i = 0; i < tile_; ++i) rounders[i] = numbers[i] * kRounder;
      MeasureSizes<kRows>(numbers, count_, sizes_ + tile * size_tile_, steps_ + tile * step_tile_);
      CountSmall<kRows>(numbers, count_, small, small_ + tile * kRows);
      lines_.Forget(tile);
    }
  }
  RowTile At(size_t tile) const {
    const size_t at = tile * tile_;
    return {numbers_ + at, rounders_ + at, sizes_ + tile * size_tile_, steps_ + tile * step_tile_};
  }
  double small(size_t row) const { return small_[row]; }
  const float* Line(size_t row) const {
    const size_t tile = row / kRows;
    return lines_.At(numbers_ + tile * tile_, tile, row % kRows);
  }

 private:
  size_t tile_;       // numbers
  size_t size_tile_;  // pairs of numbers
  size_t step_tile_;
  size_t count_;
  float* numbers_;
  float* rounders_;
  uint32_t* sizes_;
  double* steps_;  // [tile][chunk][row of the tile]
  double* small_;  // [row]: how many of its numbers are small
  Lines<kRows> lines_;
};

}  // namespace anecheck::reference::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
