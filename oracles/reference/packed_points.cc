#include "oracles/reference/packed_points.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "oracles/reference/store.h"

// Vectors whose size the compiler does not know cannot stand in arrays.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "oracles/reference/packed_points.cc"
#include <hwy/foreach_target.h>  // compiles this file once more for every target
// After foreach_target.h, as Highway asks for.
#include <hwy/highway.h>

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
// The columns of a panel.
constexpr size_t kWidth = hn::MaxLanes(F());
constexpr size_t kParts = kWidth / kLanes;
// The rows that are summed at a time: what the registers hold.
constexpr size_t kRows = kLanes >= 8 ? 6 : 2;

// ---- panels -------------------------------------------------------------------------------------

constexpr uint32_t kSingleOne = uint32_t{127} << 23;

// Sign and power of two of a number; 1 for zero, whose products need no rounding.
uint32_t SignAndPower(float x) {
  return x == 0 ? kSingleOne : std::bit_cast<uint32_t>(x) & 0xff800000;
}

// With 2^e <= |x| < 2^(e + 1) and 2^f <= |y| < 2^(f + 1), adding 2^(e + f) (2^14 - 2) of the
// product's sign to it leaves 11 significand bits, whether or not the product reaches
// 2^(e + f + 1): there the sum reaches a power of two, and its steps double. The bits of that
// number are those here plus SignAndPower(x) as an integer.
uint32_t RounderOf(float y) {
  constexpr uint32_t kFactor = (uint32_t{127 + 13} << 23) | 0x7ff800;
  static_assert(std::bit_cast<float>(kFactor) == 0x1p14F - 2);
  return SignAndPower(y) + kFactor - 2 * kSingleOne;
}

struct RowNumber {
  float number;
  float magnitude;
  uint32_t power;
};
struct ColumnPanel {
  const float* numbers;      // [count][kWidth]
  const uint32_t* rounders;  // the same
};

// How many of `count` numbers of each of kPitch vectors are small but not zero.
template <size_t kPitch>
void CountSmall(const float* HWY_RESTRICT numbers, size_t count, float small,
                double* HWY_RESTRICT counts) {
  uint32_t found[kPitch] = {};
  for (size_t k = 0; k < count; ++k) {
    for (size_t c = 0; c < kPitch; ++c) {
      const float x = numbers[k * kPitch + c];
      found[c] += (x < small && x > 0) || (x > -small && x < 0) ? 1 : 0;
    }
  }
  for (size_t c = 0; c < kPitch; ++c) counts[c] = found[c];
}

// Panels of kWidth columns one after the other.
class Columns {
 public:
  Columns(Arena& arena, size_t panels, size_t count)
      : count_(count),
        numbers_(arena.Allocate<float>(panels * count * kWidth)),
        rounders_(arena.Allocate<uint32_t>(panels * count * kWidth)),
        small_(arena.Allocate<double>(panels * kWidth)) {}

  void Pack(const PointVectors& columns, size_t first, size_t end, float small) {
    for (size_t panel = 0; first + panel * kWidth < end; ++panel) {
      const size_t begin = first + panel * kWidth;
      const size_t width = std::min(kWidth, end - begin);
      float* const numbers = numbers_ + panel * count_ * kWidth;
      uint32_t* const rounders = rounders_ + panel * count_ * kWidth;
      if (width < kWidth) std::fill_n(numbers, count_ * kWidth, 0.0F);
      columns.pack(columns.self, begin, width, kWidth, numbers);
      for (size_t i = 0; i < count_ * kWidth; ++i) rounders[i] = RounderOf(numbers[i]);
      CountSmall<kWidth>(numbers, count_, small, small_ + panel * kWidth);
    }
  }
  ColumnPanel At(size_t panel) const {
    return {numbers_ + panel * count_ * kWidth, rounders_ + panel * count_ * kWidth};
  }
  const double* small(size_t panel) const { return small_ + panel * kWidth; }

 private:
  size_t count_;
  float* numbers_;
  uint32_t* rounders_;
  double* small_;  // [column]: how many of its numbers are
};

struct RowTile {
  const RowNumber* numbers;  // [count][kRows]
  const double* doubles;     // the same as doubles
};

// Tiles of kRows rows one after the other; rows past the last are zeros.
class Rows {
 public:
  Rows(Arena& arena, size_t tiles, size_t count)
      : count_(count),
        numbers_(arena.Allocate<RowNumber>(tiles * count * kRows)),
        doubles_(arena.Allocate<double>(tiles * count * kRows)),
        singles_(arena.Allocate<float>(count * kRows)),
        small_(arena.Allocate<double>(tiles * kRows)) {}

  void Pack(const PointVectors& rows, size_t first, size_t end, float small) {
    for (size_t tile = 0; first + tile * kRows < end; ++tile) {
      const size_t begin = first + tile * kRows;
      const size_t height = std::min(kRows, end - begin);
      if (height < kRows) std::fill_n(singles_, count_ * kRows, 0.0F);
      rows.pack(rows.self, begin, height, kRows, singles_);
      RowNumber* HWY_RESTRICT numbers = numbers_ + tile * count_ * kRows;
      double* HWY_RESTRICT doubles = doubles_ + tile * count_ * kRows;
      for (size_t i = 0; i < count_ * kRows; ++i) {
        const float x = singles_[i];
        numbers[i] = {x, x < 0 ? -x : x, SignAndPower(x)};
        doubles[i] = x;
      }
      CountSmall<kRows>(singles_, count_, small, small_ + tile * kRows);
    }
  }
  RowTile At(size_t tile) const {
    return {numbers_ + tile * count_ * kRows, doubles_ + tile * count_ * kRows};
  }
  double small(size_t row) const { return small_[row]; }

 private:
  size_t count_;
  RowNumber* numbers_;
  double* doubles_;
  float* singles_;
  double* small_;  // [row]: how many of its numbers are
};

// ---- sums ---------------------------------------------------------------------------------------

// Sums of a tile at [row][column].
struct TileSums {
  double sum[kRows * kWidth] = {};
  double magnitude[kRows * kWidth] = {};
  double rounded[kRows * kWidth] = {};
};

// Adds a vector of fp32 sums to doubles.
HWY_INLINE void AddSingles(FV sums, double* HWY_RESTRICT total) {
  const D d;
#if HWY_TARGET == HWY_SCALAR
  hn::StoreU(hn::Add(hn::LoadU(d, total), hn::PromoteTo(d, sums)), d, total);
#else
  const Part part;
  const V lower = hn::PromoteTo(d, hn::LowerHalf(part, sums));
  const V upper = hn::PromoteTo(d, hn::UpperHalf(part, sums));
  hn::StoreU(hn::Add(hn::LoadU(d, total), lower), d, total);
  hn::StoreU(hn::Add(hn::LoadU(d, total + kLanes), upper), d, total + kLanes);
#endif
}

// Adds the products from `begin` to `end` of the first kTileRows rows of a tile to `total`, in the
// order of k: with kNarrow in fp32, `block` products at a time, else in double; their magnitudes
// and the rounded products always in fp32, so many at a time. The short loops are apart so that
// compilers unroll each, which keeps the arrays in registers.
template <size_t kTileRows, bool kNarrow, bool kRounds>
void SumTile(const RowTile& rows, const ColumnPanel& panel, size_t begin, size_t end, size_t block,
             TileSums& total) {
  const D d;
  const F f;
  const U u;
  const float* HWY_RESTRICT numbers = panel.numbers;
  const uint32_t* HWY_RESTRICT rounders = panel.rounders;
  V wide_sum[kTileRows * kParts];
  for (size_t i = 0; i < kTileRows * kParts; ++i) {
    wide_sum[i] = hn::LoadU(d, total.sum + i * kLanes);
  }
  for (size_t start = begin; start < end; start += block) {
    const size_t stop = std::min(end, start + block);
    FV sum[kTileRows];
    FV magnitude[kTileRows];
    FV rounded[kTileRows];
    for (size_t r = 0; r < kTileRows; ++r) sum[r] = hn::Zero(f);
    for (size_t r = 0; r < kTileRows; ++r) magnitude[r] = hn::Zero(f);
    for (size_t r = 0; r < kTileRows; ++r) rounded[r] = hn::Zero(f);
    for (size_t k = start; k < stop; ++k) {
      const FV y = hn::LoadU(f, numbers + k * kWidth);
      const FV y_magnitude = hn::Abs(y);
      const auto bits = hn::LoadU(u, rounders + k * kWidth);
      V wide[kParts];
      for (size_t p = 0; p < kParts; ++p) {
        wide[p] = hn::PromoteTo(d, hn::LoadU(Part(), numbers + k * kWidth + p * kLanes));
      }
      for (size_t r = 0; r < kTileRows; ++r) {
        const RowNumber& row = rows.numbers[k * kRows + r];
        const FV x = hn::Set(f, row.number);
        if constexpr (kNarrow) {
          sum[r] = hn::MulAdd(x, y, sum[r]);
        } else {
          const V x_wide = hn::Set(d, rows.doubles[k * kRows + r]);
          for (size_t p = 0; p < kParts; ++p) {
            wide_sum[r * kParts + p] = hn::MulAdd(x_wide, wide[p], wide_sum[r * kParts + p]);
          }
        }
        magnitude[r] = hn::MulAdd(hn::Set(f, row.magnitude), y_magnitude, magnitude[r]);
        if constexpr (kRounds) {
          const FV rounder = hn::BitCast(f, hn::Add(hn::Set(u, row.power), bits));
          rounded[r] = hn::Add(rounded[r], hn::Sub(hn::MulAdd(x, y, rounder), rounder));
        }
      }
    }
    if constexpr (kNarrow) {
      for (size_t r = 0; r < kTileRows; ++r) AddSingles(sum[r], total.sum + r * kWidth);
    }
    for (size_t r = 0; r < kTileRows; ++r) AddSingles(magnitude[r], total.magnitude + r * kWidth);
    if constexpr (kRounds) {
      for (size_t r = 0; r < kTileRows; ++r) AddSingles(rounded[r], total.rounded + r * kWidth);
    }
  }
  if constexpr (!kNarrow) {
    for (size_t i = 0; i < kTileRows * kParts; ++i) {
      hn::StoreU(wide_sum[i], d, total.sum + i * kLanes);
    }
  }
}

using TileKernel = void (*)(const RowTile& rows, const ColumnPanel& panel, size_t begin, size_t end,
                            size_t block, TileSums& total);

template <size_t kTileRows>
TileKernel KernelOf(const PointArithmetic& arithmetic) {
  if (arithmetic.narrow_terms == 0) return SumTile<kTileRows, false, true>;
  return arithmetic.rounds ? SumTile<kTileRows, true, true> : SumTile<kTileRows, true, false>;
}

// ---- results ------------------------------------------------------------------------------------
//
// Plain loops without branches: what the compiler makes of them for each target is vector code.

struct ToHalf {
  double operator()(double x) const { return RoundToHalf(x); }
};

// NextUp and NextDown of finite numbers without a call.
double StepUp(double x) {
  const auto raw = std::bit_cast<int64_t>(x);
  const double moved = std::bit_cast<double>(x < 0 ? raw - 1 : raw + 1);
  return x == 0 ? std::bit_cast<double>(int64_t{1}) : moved;
}
double StepDown(double x) { return -StepUp(-x); }

// What depends on the number of products alone.
struct Widths {
  size_t block = 0;      // products that are summed in fp32 at a time
  double settle = 0;     // of the magnitude: each addition in double errs by half an ulp
  double magnitude = 1;  // sums of up to 64 magnitudes in fp32 err by less
  double rounded = 0;    // of the magnitude: each addition in fp32 errs by half an ulp
  // Of a product below 2^-14: rounded to 11 bits it errs by 2^-26, rounded to fp16 by 2^-25.
  double small = 0;
};

struct Allowance {
  explicit Allowance(const PointArithmetic& given) : arithmetic(given) {
    widths.settle = (static_cast<double>(given.count) + 4) * 0x1p-53;
    widths.block = given.narrow_terms;
    if (given.narrow_terms != 0) return;
    widths.block = std::clamp<size_t>(given.count / 32, 8, 64);
    widths.magnitude = 1 + 0x1p-17;
    widths.rounded = static_cast<double>(widths.block) * 0x1.01p-24;
    widths.small = 3 * 0x1p-26;
  }
  const PointArithmetic& arithmetic;
  Widths widths;
};

struct RunFacts {
  uint64_t interval = 0;  // some interval is not its value alone
  uint64_t special = 0;   // some end is not finite
};

// What is known of a run of kWidth sums.
struct Run {
  double sum[kWidth];    // with the bias
  double doubt[kWidth];  // how far it may be from the exact sum
  double low[kWidth];    // what an engine may hold
  double high[kWidth];
};

void BoundRun(const Allowance& allowance, const double* HWY_RESTRICT sum,
              const double* HWY_RESTRICT magnitude, const double* HWY_RESTRICT rounded,
              double small_row, const double* HWY_RESTRICT small_column, Run& run) {
  // The relative error of summing magnitudes in double is far below this.
  constexpr double kMagnitudeSlack = 1 + 0x1p-20;
  const PointArithmetic arithmetic = allowance.arithmetic;
  const double settle = allowance.widths.settle;
  const double of_magnitude = allowance.widths.magnitude;
  const double of_rounded = allowance.widths.rounded;
  const double of_small = allowance.widths.small;
  for (size_t i = 0; i < kWidth; ++i) {
    const double size = magnitude[i] * of_magnitude;
    const bool exact = size <= arithmetic.exact_limit;
    const double factor = exact ? arithmetic.exact_error : arithmetic.open_error;
    const double error = size <= arithmetic.single_limit ? 0 : factor * size * kMagnitudeSlack;
    const double around = of_rounded * size + of_small * (small_row + small_column[i]);
    const double least = rounded[i] - around;
    const double most = rounded[i] + around;
    run.sum[i] = sum[i];
    run.doubt[i] = exact ? 0 : settle * size;
    run.low[i] = (least < sum[i] ? least : sum[i]) - error;
    run.high[i] = (most > sum[i] ? most : sum[i]) + error;
  }
}

// The engine adds the bias in the accumulator or after rounding that to the element type.
void AddBias(bool rounds, const double* HWY_RESTRICT bias, Run& run) {
  for (size_t i = 0; i < kWidth; ++i) {
    const double total = run.sum[i] + bias[i];
    const double residue = SumError(run.sum[i], bias[i], total);
    const double stored_low = RoundToHalf(run.low[i]);
    const double stored_high = RoundToHalf(run.high[i]);
    const double from = rounds && stored_low < run.low[i] ? stored_low : run.low[i];
    const double to = rounds && stored_high > run.high[i] ? stored_high : run.high[i];
    const double low = from + bias[i];
    const double high = to + bias[i];
    run.doubt[i] += residue == 0 ? 0 : std::fabs(total) * 0x1p-53;
    run.low[i] = SumError(from, bias[i], low) < 0 ? StepDown(low) : low;
    run.high[i] = SumError(to, bias[i], high) > 0 ? StepUp(high) : high;
    run.sum[i] = total;
  }
}

// Whether some sum may round to one number or another.
bool IsOpen(const Run& run) {
  uint64_t doubts = 0;
  for (size_t i = 0; i < kWidth; ++i) doubts |= run.doubt[i] != 0 ? 1 : 0;
  if (doubts == 0) return false;
  uint64_t open = 0;
  for (size_t i = 0; i < kWidth; ++i) {
    const double down = RoundToHalf(run.sum[i] - run.doubt[i]);
    const double up = RoundToHalf(run.sum[i] + run.doubt[i]);
    open |= down == up ? 0 : 1;
  }
  return open != 0;
}

template <bool kWide>
void StoreRun(const Run& run, size_t width, double* HWY_RESTRICT value, double* HWY_RESTRICT low,
              double* HWY_RESTRICT high, RunFacts& facts) {
  uint64_t interval = 0;
  uint64_t special = 0;
  for (size_t i = 0; i < width; ++i) {
    const double stored = RoundToHalf(run.sum[i]);
    const double least = OuterLow(ToHalf{}, run.low[i], kWide);
    const double most = OuterHigh(ToHalf{}, run.high[i], kWide);
    value[i] = stored;
    low[i] = least;
    high[i] = most;
    interval |= least == stored && most == stored ? 0 : 1;
    special |= std::fabs(least) < kInfinity && std::fabs(most) < kInfinity ? 0 : 1;
  }
  facts.interval |= interval;
  facts.special |= special;
}

// One call of StorePoints.
class Storing {
 public:
  Storing(const PointArithmetic& arithmetic, const PointBias& bias, PointResults& results)
      : arithmetic_(arithmetic), allowance_(arithmetic), bias_(bias), results_(results) {}

  size_t block() const { return allowance_.widths.block; }

  // The results of a tile from (row, column) on.
  void Take(const TileSums& sums, size_t row, size_t rows, size_t column, size_t width,
            const RowTile& tile, const ColumnPanel& panel, const Rows& row_panel, size_t tile_row,
            const double* small_column) {
    const double* const rounded = arithmetic_.rounds ? sums.rounded : sums.sum;
    for (size_t r = 0; r < rows; ++r) {
      const double small_row = row_panel.small(tile_row + r);
      Run run;
      BoundRun(allowance_, sums.sum + r * kWidth, sums.magnitude + r * kWidth, rounded + r * kWidth,
               small_row, small_column, run);
      if (bias_.of_rows != nullptr || bias_.of_columns != nullptr) {
        double bias[kWidth] = {};
        for (size_t i = 0; i < width; ++i) {
          bias[i] =
              bias_.of_rows != nullptr ? bias_.of_rows[row + r] : bias_.of_columns[column + i];
        }
        AddBias(arithmetic_.bias_rounding, bias, run);
      }
      const size_t at = (row + r) * results_.pitch + column;
      RunFacts facts;
      if (arithmetic_.wide) {
        StoreRun<true>(run, width, results_.value + at, results_.low + at, results_.high + at,
                       facts);
      } else {
        StoreRun<false>(run, width, results_.value + at, results_.low + at, results_.high + at,
                        facts);
      }
      results_.point &= facts.interval == 0;
      results_.special |= facts.special != 0;
      if (!IsOpen(run)) continue;
      for (size_t i = 0; i < width; ++i) {
        if (RoundToHalf(run.sum[i] - run.doubt[i]) == RoundToHalf(run.sum[i] + run.doubt[i])) {
          continue;
        }
        Settle(sums, r, i, row + r, column + i, tile, panel, small_row + small_column[i]);
      }
    }
  }

 private:
  void Settle(const TileSums& sums, size_t r, size_t c, size_t row, size_t column,
              const RowTile& tile, const ColumnPanel& panel, double small) {
    x_.resize(arithmetic_.count);
    y_.resize(arithmetic_.count);
    for (size_t k = 0; k < arithmetic_.count; ++k) {
      x_[k] = tile.doubles[k * kRows + r];
      y_[k] = panel.numbers[k * kWidth + c];
    }
    const double magnitude = sums.magnitude[r * kWidth + c] * allowance_.widths.magnitude;
    const double rounded = sums.rounded[r * kWidth + c];
    const double around = allowance_.widths.rounded * magnitude + allowance_.widths.small * small;
    results_.settle(results_.self, {row, column, x_.data(), y_.data(), magnitude, rounded - around,
                                    rounded + around});
  }

  const PointArithmetic& arithmetic_;
  Allowance allowance_;
  const PointBias& bias_;
  PointResults& results_;
  std::vector<double> x_, y_;
};

// What stays in the caches: the products of a panel that all rows are summed with before the next,
// a block of rows, a block of columns.
constexpr size_t kChunk = 128;
constexpr size_t kRowBlockBytes = size_t{1} << 18;
constexpr size_t kColumnBlockBytes = size_t{1} << 23;

size_t BlockOf(size_t bytes, size_t of_each, size_t unit, size_t vectors) {
  const size_t fit = std::max<size_t>(bytes / (of_each * unit), 1);
  return std::min(fit, (vectors + unit - 1) / unit) * unit;
}

void StorePointsHere(const PointVectors& rows, const PointVectors& columns,
                     const PointArithmetic& arithmetic, const PointBias& bias, Arena& arena,
                     PointResults& results) {
  const size_t count = arithmetic.count;
  const size_t row_block = BlockOf(kRowBlockBytes, count * sizeof(RowNumber), kRows, rows.vectors);
  const size_t column_block = BlockOf(kColumnBlockBytes, count * 8, kWidth, columns.vectors);
  Rows row_tiles(arena, row_block / kRows, count);
  Columns panels(arena, column_block / kWidth, count);
  Storing storing(arithmetic, bias, results);
  const TileKernel many = KernelOf<kRows>(arithmetic);
  const TileKernel one = KernelOf<1>(arithmetic);
  const auto small_row = static_cast<float>(arithmetic.small_row);
  const auto small_column = static_cast<float>(arithmetic.small_column);
  std::vector<TileSums> sums(row_block / kRows);
  for (size_t left = 0; left < columns.vectors; left += column_block) {
    const size_t right = std::min(columns.vectors, left + column_block);
    panels.Pack(columns, left, right, small_column);
    for (size_t top = 0; top < rows.vectors; top += row_block) {
      const size_t bottom = std::min(rows.vectors, top + row_block);
      const size_t tiles = (bottom - top + kRows - 1) / kRows;
      row_tiles.Pack(rows, top, bottom, small_row);
      for (size_t column = left; column < right; column += kWidth) {
        const size_t index = (column - left) / kWidth;
        const ColumnPanel panel = panels.At(index);
        std::fill_n(sums.begin(), tiles, TileSums{});
        for (size_t begin = 0; begin < count; begin += kChunk) {
          const size_t end = std::min(count, begin + kChunk);
          for (size_t tile = 0; tile < tiles; ++tile) {
            const TileKernel kernel = bottom - top - tile * kRows == 1 ? one : many;
            kernel(row_tiles.At(tile), panel, begin, end, storing.block(), sums[tile]);
          }
        }
        for (size_t tile = 0; tile < tiles; ++tile) {
          const size_t row = tile * kRows;
          storing.Take(sums[tile], top + row, std::min(kRows, bottom - top - row), column,
                       std::min(kWidth, right - column), row_tiles.At(tile), panel, row_tiles, row,
                       panels.small(index));
        }
      }
    }
  }
}

}  // namespace anecheck::reference::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anecheck::reference {

HWY_EXPORT(StorePointsHere);

void StorePoints(const PointVectors& rows, const PointVectors& columns,
                 const PointArithmetic& arithmetic, const PointBias& bias, Arena& arena,
                 PointResults& results) {
  HWY_DYNAMIC_DISPATCH(StorePointsHere)(rows, columns, arithmetic, bias, arena, results);
}

}  // namespace anecheck::reference
#endif
