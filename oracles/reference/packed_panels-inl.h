// The numbers of a block of rows and columns in the order in which packed_points.cc reads them,
// which alone includes this file, once for every target of Highway.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <hwy/highway.h>

#include "oracles/reference/packed_points.h"

// Highway's way of guarding what is compiled for each target.
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
// The rows and the vectors of columns that are summed at a time: what the registers hold. A number
// of a row is read once for all vectors, one of a column once for all rows.
constexpr size_t kRows = kLanes >= 8 ? 3 : 2;
constexpr size_t kVectors = kLanes >= 8 ? 2 : 1;
// Magnitudes, which need fewer registers, are summed over so many tiles of rows at a time.
constexpr size_t kMagnitudeTiles = 2;
// The columns of a panel.
constexpr size_t kWidth = kVectors * kSingles;

// ---- panels -------------------------------------------------------------------------------------

constexpr uint32_t kSingleOne = uint32_t{127} << 23;

// Sign and power of two of a number; 1 for zero, whose products need no rounding.
HWY_INLINE uint32_t SignAndPower(float x) {
  return x == 0 ? kSingleOne : std::bit_cast<uint32_t>(x) & 0xff800000;
}

// With 2^e <= |x| < 2^(e + 1) and 2^f <= |y| < 2^(f + 1), adding 2^(e + f) (2^14 - 2) of the
// product's sign to it leaves 11 significand bits, whether or not the product reaches
// 2^(e + f + 1): there the sum reaches a power of two, and its steps double. The bits of that
// number are those here plus SignAndPower(x) as an integer.
HWY_INLINE uint32_t RounderOf(float y) {
  constexpr uint32_t kFactor = (uint32_t{127 + 13} << 23) | 0x7ff800;
  static_assert(std::bit_cast<float>(kFactor) == 0x1p14F - 2);
  return SignAndPower(y) + kFactor - 2 * kSingleOne;
}

struct ColumnPanel {
  const float* numbers;      // [count][kWidth]
  const double* doubles;     // the same as doubles; null where the sums need none
  const uint32_t* rounders;  // the same
};

// How many of `count` numbers of each of kPitch vectors are small but not zero.
template <size_t kPitch>
HWY_INLINE void CountSmall(const float* HWY_RESTRICT numbers, size_t count, float small,
                           double* HWY_RESTRICT counts) {
  // Whole vectors whatever the pitch is.
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

// Panels of kWidth columns one after the other.
class Columns {
 public:
  Columns(Arena& arena, size_t panels, size_t count, bool wide)
      : count_(count),
        numbers_(arena.Allocate<float>(panels * count * kWidth)),
        doubles_(wide ? arena.Allocate<double>(panels * count * kWidth) : nullptr),
        rounders_(arena.Allocate<uint32_t>(panels * count * kWidth)),
        small_(arena.Allocate<double>(panels * kWidth)) {}

  // Bytes of one number.
  static constexpr size_t Bytes(bool wide) {
    return sizeof(float) + sizeof(uint32_t) + (wide ? sizeof(double) : 0);
  }

  void Pack(const PointVectors& columns, size_t first, size_t end, float small) {
    for (size_t panel = 0; first + panel * kWidth < end; ++panel) {
      const size_t begin = first + panel * kWidth;
      const size_t width = std::min(kWidth, end - begin);
      const size_t start = panel * count_ * kWidth;
      float* const HWY_RESTRICT numbers = numbers_ + start;
      uint32_t* const HWY_RESTRICT rounders = rounders_ + start;
      if (width < kWidth) std::fill_n(numbers, count_ * kWidth, 0.0F);
      columns.pack(columns.self, begin, width, kWidth, numbers);
      for (size_t i = 0; i < count_ * kWidth; ++i) rounders[i] = RounderOf(numbers[i]);
      if (doubles_ != nullptr) std::copy_n(numbers, count_ * kWidth, doubles_ + start);
      CountSmall<kWidth>(numbers, count_, small, small_ + panel * kWidth);
    }
  }
  ColumnPanel At(size_t panel) const {
    const size_t start = panel * count_ * kWidth;
    return {numbers_ + start, doubles_ == nullptr ? nullptr : doubles_ + start, rounders_ + start};
  }
  const double* small(size_t panel) const { return small_ + panel * kWidth; }

 private:
  size_t count_;
  float* numbers_;
  double* doubles_;
  uint32_t* rounders_;
  double* small_;  // [column]: how many of its numbers are
};

// [count][kRows] each.
struct RowTile {
  const float* numbers;
  const double* doubles;
  const uint32_t* powers;
  const float* magnitudes;
};

// Tiles of kRows rows one after the other; rows past the last are zeros.
class Rows {
 public:
  // Bytes of one number.
  static constexpr size_t kBytes = 2 * sizeof(float) + sizeof(double) + sizeof(uint32_t);

  Rows(Arena& arena, size_t tiles, size_t count)
      : tile_(count * kRows),
        count_(count),
        numbers_(arena.Allocate<float>(tiles * tile_)),
        doubles_(arena.Allocate<double>(tiles * tile_)),
        powers_(arena.Allocate<uint32_t>(tiles * tile_)),
        magnitudes_(arena.Allocate<float>(tiles * tile_)),
        small_(arena.Allocate<double>(tiles * kRows)) {}

  void Pack(const PointVectors& rows, size_t first, size_t end, float small) {
    for (size_t tile = 0; first + tile * kRows < end; ++tile) {
      const size_t begin = first + tile * kRows;
      const size_t height = std::min(kRows, end - begin);
      float* const HWY_RESTRICT numbers = numbers_ + tile * tile_;
      double* const HWY_RESTRICT doubles = doubles_ + tile * tile_;
      uint32_t* const HWY_RESTRICT powers = powers_ + tile * tile_;
      float* const HWY_RESTRICT magnitudes = magnitudes_ + tile * tile_;
      if (height < kRows) std::fill_n(numbers, tile_, 0.0F);
      rows.pack(rows.self, begin, height, kRows, numbers);
      for (size_t i = 0; i < tile_; ++i) {
        doubles[i] = numbers[i];
        powers[i] = SignAndPower(numbers[i]);
        magnitudes[i] = numbers[i] < 0 ? -numbers[i] : numbers[i];
      }
      CountSmall<kRows>(numbers, count_, small, small_ + tile * kRows);
    }
  }
  RowTile At(size_t tile) const {
    const size_t at = tile * tile_;
    return {numbers_ + at, doubles_ + at, powers_ + at, magnitudes_ + at};
  }
  double small(size_t row) const { return small_[row]; }

 private:
  size_t tile_;  // numbers
  size_t count_;
  float* numbers_;
  double* doubles_;
  uint32_t* powers_;
  float* magnitudes_;
  double* small_;  // [row]: how many of its numbers are
};

}  // namespace anecheck::reference::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
