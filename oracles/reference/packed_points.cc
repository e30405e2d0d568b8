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

#include "oracles/reference/packed_panels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace anecheck::reference::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// ---- sums ---------------------------------------------------------------------------------------

// Sums of a tile at [row][column].
struct TileSums {
  double sum[kRows * kWidth];
  double magnitude[kRows * kWidth];
  double rounded[kRows * kWidth];  // not there where rounding changes no product
};

// Adds a vector of fp32 sums to doubles, or puts them there.
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

// Adds the products from `begin` to `end` of the first kTileRows rows of a tile and kTileVectors
// vectors of the panel to `total`, which product 0 begins, in the order of k: with kNarrow in fp32,
// `block` products at a time, else in double; the rounded products always in fp32, so many at a
// time. The short loops are apart so that compilers unroll each, which keeps the arrays in
// registers.
template <size_t kTileRows, size_t kTileVectors, bool kNarrow, bool kRounds>
void SumTile(const RowTile& rows, const ColumnPanel& panel, size_t begin, size_t end, size_t block,
             TileSums& total) {
  constexpr size_t kBlocks = kTileRows * kTileVectors;
  const D d;
  const F f;
  const U u;
  // What two blocks of rounded products sum to is added in fp32 too.
  constexpr bool kPairs = kRounds && !kNarrow;
  HWY_ALIGN float kept[kBlocks * kSingles];
  bool keeps = false;
  V wide_sum[kBlocks * kParts];
  for (size_t i = 0; i < kBlocks * kParts && !kNarrow; ++i) {
    const size_t row = i / (kTileVectors * kParts);
    const double* const from = total.sum + row * kWidth + i % (kTileVectors * kParts) * kLanes;
    wide_sum[i] = begin == 0 ? hn::Zero(d) : hn::LoadU(d, from);
  }
  bool first = begin == 0;
  for (size_t start = begin; start < end; start += block) {
    const size_t stop = std::min(end, start + block);
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
      hn::Vec<U> bits[kTileVectors];
      for (size_t v = 0; v < kTileVectors && kRounds; ++v) {
        bits[v] = hn::LoadU(u, panel.rounders + at + v * kSingles);
      }
      V y_wide[kTileVectors * kParts];
      for (size_t p = 0; p < kTileVectors * kParts && !kNarrow; ++p) {
        y_wide[p] = hn::LoadU(d, panel.doubles + at + p * kLanes);
      }
      for (size_t r = 0; r < kTileRows; ++r) {
        const FV x = hn::Set(f, rows.numbers[row + r]);
        if constexpr (!kNarrow) {
          const V x_wide = hn::Set(d, rows.doubles[row + r]);
          for (size_t p = 0; p < kTileVectors * kParts; ++p) {
            V& to = wide_sum[r * kTileVectors * kParts + p];
            to = hn::MulAdd(x_wide, y_wide[p], to);
          }
        }
        for (size_t v = 0; v < kTileVectors && kNarrow; ++v) {
          FV& to = sum[r * kTileVectors + v];
          to = hn::MulAdd(x, y[v], to);
        }
        if constexpr (kRounds) {
          const auto power = hn::Set(u, rows.powers[row + r]);
          for (size_t v = 0; v < kTileVectors; ++v) {
            FV& to = rounded[r * kTileVectors + v];
            const FV rounder = hn::BitCast(f, hn::Add(power, bits[v]));
            to = hn::Add(to, hn::Sub(hn::MulAdd(x, y[v], rounder), rounder));
          }
        }
      }
    }
    if (kPairs && !keeps && stop < end) {
      for (size_t i = 0; i < kBlocks; ++i) hn::Store(rounded[i], f, kept + i * kSingles);
      keeps = true;
      continue;
    }
    for (size_t i = 0; i < kBlocks && keeps; ++i) {
      rounded[i] = hn::Add(rounded[i], hn::Load(f, kept + i * kSingles));
    }
    keeps = false;
    for (size_t i = 0; i < kBlocks; ++i) {
      const size_t to = i / kTileVectors * kWidth + i % kTileVectors * kSingles;
      if constexpr (kNarrow) AddSingles(sum[i], first, total.sum + to);
      if constexpr (kRounds) AddSingles(rounded[i], first, total.rounded + to);
    }
    first = false;
  }
  for (size_t i = 0; i < kBlocks * kParts && !kNarrow; ++i) {
    const size_t row = i / (kTileVectors * kParts);
    hn::StoreU(wide_sum[i], d, total.sum + row * kWidth + i % (kTileVectors * kParts) * kLanes);
  }
}

// The same for the magnitudes of the products, of kTiles tiles one after the other, in fp32.
template <size_t kTiles, size_t kTileVectors>
void SumMagnitudes(const float* HWY_RESTRICT magnitudes, size_t count,
                   const float* HWY_RESTRICT numbers, size_t begin, size_t end, size_t block,
                   TileSums* HWY_RESTRICT total) {
  constexpr size_t kBlocks = kTiles * kRows * kTileVectors;
  const F f;
  for (size_t start = begin; start < end; start += block) {
    const size_t stop = std::min(end, start + block);
    FV sum[kBlocks];
    for (size_t i = 0; i < kBlocks; ++i) sum[i] = hn::Zero(f);
    for (size_t k = start; k < stop; ++k) {
      FV y[kTileVectors];
      for (size_t v = 0; v < kTileVectors; ++v) {
        y[v] = hn::Abs(hn::LoadU(f, numbers + k * kWidth + v * kSingles));
      }
      for (size_t r = 0; r < kTiles * kRows; ++r) {
        const FV x = hn::Set(f, magnitudes[(r / kRows * count + k) * kRows + r % kRows]);
        for (size_t v = 0; v < kTileVectors; ++v) {
          FV& to = sum[r * kTileVectors + v];
          to = hn::MulAdd(x, y[v], to);
        }
      }
    }
    for (size_t i = 0; i < kBlocks; ++i) {
      const size_t r = i / kTileVectors;
      double* const of_row = total[r / kRows].magnitude + r % kRows * kWidth;
      AddSingles(sum[i], start == 0, of_row + i % kTileVectors * kSingles);
    }
  }
}

using TileKernel = void (*)(const RowTile& rows, const ColumnPanel& panel, size_t begin, size_t end,
                            size_t block, TileSums& total);

template <size_t kTileRows, size_t kTileVectors>
TileKernel KernelOf(const PointArithmetic& arithmetic) {
  if (arithmetic.narrow_terms == 0) return SumTile<kTileRows, kTileVectors, false, true>;
  return arithmetic.rounds ? SumTile<kTileRows, kTileVectors, true, true>
                           : SumTile<kTileRows, kTileVectors, true, false>;
}

// How the sums of a panel with `vectors` vectors of columns are made.
class Kernels {
 public:
  Kernels(const PointArithmetic& arithmetic, size_t block, size_t magnitude_block)
      : count_(arithmetic.count), block_(block), magnitude_block_(magnitude_block) {
    many_[0] = KernelOf<kRows, 1>(arithmetic);
    one_[0] = KernelOf<1, 1>(arithmetic);
    many_[1] = KernelOf<kRows, kVectors>(arithmetic);
    one_[1] = KernelOf<1, kVectors>(arithmetic);
  }

  // Adds the products from `begin` to `end` of `rows` rows, from the first of `tiles` on.
  void Add(const Rows& tiles, size_t rows, const ColumnPanel& panel, size_t width, size_t begin,
           size_t end, TileSums* sums) const {
    const size_t wide = width > kSingles ? 1 : 0;
    for (size_t row = 0; row < rows; row += kRows) {
      const TileKernel kernel = rows - row == 1 ? one_[wide] : many_[wide];
      kernel(tiles.At(row / kRows), panel, begin, end, block_, sums[row / kRows]);
      if (row / kRows % kMagnitudeTiles == kMagnitudeTiles - 1) {
        AddMagnitudes<kMagnitudeTiles>(tiles, row / kRows - (kMagnitudeTiles - 1), panel, wide,
                                       begin, end, sums);
      }
    }
    const size_t count = (rows + kRows - 1) / kRows;
    for (size_t tile = count - count % kMagnitudeTiles; tile < count; ++tile) {
      AddMagnitudes<1>(tiles, tile, panel, wide, begin, end, sums);
    }
  }

 private:
  template <size_t kTiles>
  void AddMagnitudes(const Rows& tiles, size_t tile, const ColumnPanel& panel, size_t wide,
                     size_t begin, size_t end, TileSums* sums) const {
    const auto sum = wide == 1 ? SumMagnitudes<kTiles, kVectors> : SumMagnitudes<kTiles, 1>;
    sum(tiles.At(tile).magnitudes, count_, panel.numbers, begin, end, magnitude_block_,
        sums + tile);
  }

  size_t count_;
  size_t block_;
  size_t magnitude_block_;
  TileKernel many_[2];  // for one vector of columns and for kVectors
  TileKernel one_[2];   // the same for one row alone
};

// ---- results ------------------------------------------------------------------------------------
//
// Plain loops without branches: what the compiler makes of them for each target is vector code.

struct ToHalf {
  static constexpr double kBeyond = kInfinity;
  double operator()(double x) const { return RoundToHalf(x); }
};
// The same of numbers below kBeyond.
struct ToHalfInRange {
  static constexpr double kBeyond = 65520;
  double operator()(double x) const { return std::copysign(RoundToHalfInRange(x), x); }
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
  size_t block = 0;            // products that are summed in fp32 at a time
  size_t magnitude_block = 0;  // the same of magnitudes
  double settle = 0;           // of the magnitude: each addition in double errs by half an ulp
  double magnitude = 1;        // sums of up to 64 magnitudes in fp32 err by less
  // Of the magnitude: each addition in fp32 but the first of a block errs by half an ulp, and two
  // blocks are added so.
  double rounded = 0;
  // Of a product below 2^-14: rounded to 11 bits it errs by 2^-26, rounded to fp16 by 2^-25.
  double small = 0;
};

struct Allowance {
  explicit Allowance(const PointArithmetic& given) : arithmetic(given) {
    widths.settle = (static_cast<double>(given.count) + 4) * 0x1p-53;
    widths.block = widths.magnitude_block = given.narrow_terms;
    if (given.narrow_terms != 0) return;
    widths.block = std::clamp<size_t>(given.count / 32, 8, 64);
    widths.magnitude_block = 64;
    widths.magnitude = 1 + 0x1p-17;
    widths.rounded = static_cast<double>(widths.block) * 0x1.01p-24;
    widths.small = 3 * 0x1p-26;
  }
  PointArithmetic arithmetic;
  Widths widths;
};

// What is known of one sum.
struct Known {
  double sum;    // in double
  double doubt;  // how far it may be from the exact sum
  double low;    // what an engine may hold
  double high;
};

// `small`: how many products may be subnormal.
Known Bounded(const Allowance& allowance, double sum, double magnitude, double rounded,
              double small) {
  // The relative error of summing magnitudes in double is far below this.
  constexpr double kMagnitudeSlack = 1 + 0x1p-20;
  const PointArithmetic& arithmetic = allowance.arithmetic;
  const Widths& widths = allowance.widths;
  const double size = magnitude * widths.magnitude;
  const bool exact = size <= arithmetic.exact_limit;
  const double factor = exact ? arithmetic.exact_error : arithmetic.open_error;
  const double error = size <= arithmetic.single_limit ? 0 : factor * size * kMagnitudeSlack;
  const double around = widths.rounded * size + widths.small * small;
  const double least = rounded - around;
  const double most = rounded + around;
  return {sum, exact ? 0 : widths.settle * size, (least < sum ? least : sum) - error,
          (most > sum ? most : sum) + error};
}

// The engine adds the bias in the accumulator or after rounding that to the element type.
Known WithBias(const Known& known, double bias, bool rounds) {
  const double total = known.sum + bias;
  const double residue = SumError(known.sum, bias, total);
  const double stored_low = RoundToHalf(known.low);
  const double stored_high = RoundToHalf(known.high);
  const double from = rounds && stored_low < known.low ? stored_low : known.low;
  const double to = rounds && stored_high > known.high ? stored_high : known.high;
  const double low = from + bias;
  const double high = to + bias;
  return {total, known.doubt + (residue == 0 ? 0 : std::fabs(total) * 0x1p-53),
          SumError(from, bias, low) < 0 ? StepDown(low) : low,
          SumError(to, bias, high) > 0 ? StepUp(high) : high};
}

// Whether a sum may round to one number or another.
bool IsOpen(const Known& known) {
  return RoundToHalf(known.sum - known.doubt) != RoundToHalf(known.sum + known.doubt);
}

// False only where IsOpen is. `stored` is the rounded sum.
bool MayBeOpen(const Known& known, double stored) {
  constexpr uint64_t kExponent = 0x7ff0000000000000;
  const double magnitude = std::fabs(known.sum);
  const double normal = magnitude > kHalfMinNormal ? magnitude : kHalfMinNormal;
  const double power = std::bit_cast<double>(std::bit_cast<uint64_t>(normal) & kExponent);
  // Below a power of two the steps are smaller.
  const bool crosses = power > kHalfMinNormal && magnitude - known.doubt < power;
  const bool reaches = std::fabs(known.sum - stored) + known.doubt >= power * 0x1p-11;
  return known.doubt != 0 && (crosses || reaches);
}

// One row of a tile's sums, and what stands beside it.
struct RunSums {
  const double* sum;
  const double* magnitude;
  const double* rounded;
  const double* small_column;  // how many numbers of each column are small
  double small_row;
  const double* bias;  // null where there is none

  Known At(const Allowance& allowance, size_t i) const {
    const Known known =
        Bounded(allowance, sum[i], magnitude[i], rounded[i], small_row + small_column[i]);
    if (bias == nullptr) return known;
    return WithBias(known, bias[i], allowance.arithmetic.bias_rounding);
  }
};

struct RunFacts {
  bool interval = false;  // some interval is not its value alone
  bool special = false;   // some end is not finite
  bool may_be_open = false;
};

// Stores `width` results. With ToHalfInRange they mean nothing where some are special.
template <bool kWide, bool kBiased, typename Store>
RunFacts StoreRun(const Allowance& given, const RunSums& sums, size_t width,
                  double* HWY_RESTRICT value, double* HWY_RESTRICT low, double* HWY_RESTRICT high) {
  const Allowance allowance = given;
  RunSums from = sums;
  if constexpr (!kBiased) from.bias = nullptr;
  uint64_t interval = 0;
  uint64_t special = 0;
  uint64_t open = 0;
  for (size_t i = 0; i < width; ++i) {
    const Known known = from.At(allowance, i);
    const double stored = Store()(known.sum);
    const double least = OuterLow(Store(), known.low, kWide);
    const double most = OuterHigh(Store(), known.high, kWide);
    value[i] = stored;
    low[i] = least;
    high[i] = most;
    interval |= least == stored && most == stored ? 0 : 1;
    special |= std::fabs(least) < Store::kBeyond && std::fabs(most) < Store::kBeyond ? 0 : 1;
    open |= MayBeOpen(known, stored) ? 1 : 0;
  }
  return {interval != 0, special != 0, open != 0};
}

template <bool kWide, bool kBiased>
RunFacts StoreAnyRun(const Allowance& allowance, const RunSums& sums, size_t width, double* value,
                     double* low, double* high) {
  const RunFacts facts =
      StoreRun<kWide, kBiased, ToHalfInRange>(allowance, sums, width, value, low, high);
  if (!facts.special) return facts;
  return StoreRun<kWide, kBiased, ToHalf>(allowance, sums, width, value, low, high);
}

// Where the results of a tile lie.
struct Place {
  size_t row;  // the first
  size_t rows;
  size_t column;  // the first
  size_t width;   // how many columns
  size_t tile;    // in Rows
  size_t panel;   // in Columns
};

// One call of StorePoints.
class Storing {
 public:
  Storing(const PointArithmetic& arithmetic, const PointBias& bias, PointResults& results)
      : arithmetic_(arithmetic), allowance_(arithmetic), bias_(bias), results_(results) {
    const bool biased = bias.of_rows != nullptr || bias.of_columns != nullptr;
    if (arithmetic.wide) {
      store_ = biased ? StoreAnyRun<true, true> : StoreAnyRun<true, false>;
    } else {
      store_ = biased ? StoreAnyRun<false, true> : StoreAnyRun<false, false>;
    }
  }

  const Widths& widths() const { return allowance_.widths; }

  // The results of one tile.
  void Take(const TileSums& sums, const Place& place, const Rows& rows, const Columns& columns) {
    const double* const rounded = arithmetic_.rounds ? sums.rounded : sums.sum;
    for (size_t r = 0; r < place.rows; ++r) {
      const size_t row = place.row + r;
      double of_row[kWidth];
      if (bias_.of_rows != nullptr) std::fill_n(of_row, place.width, bias_.of_rows[row]);
      const double* const bias = bias_.of_rows != nullptr      ? of_row
                                 : bias_.of_columns != nullptr ? bias_.of_columns + place.column
                                                               : nullptr;
      const RunSums run = {
          sums.sum + r * kWidth,      sums.magnitude + r * kWidth,        rounded + r * kWidth,
          columns.small(place.panel), rows.small(place.tile * kRows + r), bias};
      const size_t at = row * results_.pitch + place.column;
      const RunFacts facts = store_(allowance_, run, place.width, results_.value + at,
                                    results_.low + at, results_.high + at);
      results_.point &= !facts.interval;
      results_.special |= facts.special;
      for (size_t i = 0; i < place.width && facts.may_be_open; ++i) {
        if (!IsOpen(run.At(allowance_, i))) continue;
        x_.resize(arithmetic_.count);
        y_.resize(arithmetic_.count);
        for (size_t k = 0; k < arithmetic_.count; ++k) {
          x_[k] = rows.At(place.tile).doubles[k * kRows + r];
          y_[k] = columns.At(place.panel).numbers[k * kWidth + i];
        }
        Settle(run, i, row, place.column + i);
      }
    }
  }

 private:
  // Element `i` of a run, whose numbers are x_ and y_.
  void Settle(const RunSums& run, size_t i, size_t row, size_t column) {
    const Widths& widths = allowance_.widths;
    const double magnitude = run.magnitude[i] * widths.magnitude;
    const double small = run.small_row + run.small_column[i];
    const double around = widths.rounded * magnitude + widths.small * small;
    results_.settle(results_.self, {row, column, x_.data(), y_.data(), magnitude,
                                    run.rounded[i] - around, run.rounded[i] + around});
  }

  using StoreFunction = RunFacts (*)(const Allowance& allowance, const RunSums& sums, size_t width,
                                     double* value, double* low, double* high);

  const PointArithmetic& arithmetic_;
  Allowance allowance_;
  const PointBias& bias_;
  PointResults& results_;
  StoreFunction store_;
  std::vector<double> x_, y_;
};

// What stays in the caches: of a panel the products that all rows of a block are summed with before
// the next, of the rows those of kDepth products, of the columns all panels of a block. Panels that
// are needed once alone are made when they are.
constexpr size_t kChunk = 64;
constexpr size_t kDepth = 256;
constexpr size_t kRowBlockBytes = size_t{1} << 19;
constexpr size_t kColumnBlockBytes = size_t{1} << 23;

size_t BlockOf(size_t bytes, size_t of_each, size_t unit, size_t vectors) {
  const size_t fit = std::max<size_t>(bytes / (of_each * unit), 1);
  return std::min(fit, (vectors + unit - 1) / unit) * unit;
}

// The rows and columns that are summed with each other before others.
struct Block {
  const Rows& rows;
  const Columns& columns;
  size_t top;  // the first row
  size_t height;
  size_t left;  // the first column
  size_t width;
  TileSums* sums;  // [panel][tile]
  size_t tiles;    // of each panel

  size_t panels() const { return (width + kWidth - 1) / kWidth; }
  size_t WidthOf(size_t panel) const { return std::min(kWidth, width - panel * kWidth); }
};

void SumBlock(const Kernels& kernels, const Block& block, size_t count) {
  for (size_t deep = 0; deep < count; deep += kDepth) {
    const size_t bottom = std::min(count, deep + kDepth);
    for (size_t panel = 0; panel < block.panels(); ++panel) {
      for (size_t begin = deep; begin < bottom; begin += kChunk) {
        kernels.Add(block.rows, block.height, block.columns.At(panel), block.WidthOf(panel), begin,
                    std::min(bottom, begin + kChunk), block.sums + panel * block.tiles);
      }
    }
  }
}

void StoreBlock(Storing& storing, const Block& block) {
  for (size_t panel = 0; panel < block.panels(); ++panel) {
    for (size_t row = 0; row < block.height; row += kRows) {
      const size_t tile = row / kRows;
      storing.Take(block.sums[panel * block.tiles + tile],
                   {block.top + row, std::min(kRows, block.height - row),
                    block.left + panel * kWidth, block.WidthOf(panel), tile, panel},
                   block.rows, block.columns);
    }
  }
}

void StorePointsHere(const PointVectors& rows, const PointVectors& columns,
                     const PointArithmetic& arithmetic, const PointBias& bias, Arena& arena,
                     PointResults& results) {
  const size_t count = arithmetic.count;
  const bool wide = arithmetic.narrow_terms == 0;
  const size_t row_block =
      BlockOf(kRowBlockBytes, std::min(count, kDepth) * Rows::kBytes, kRows, rows.vectors);
  const bool once = row_block >= rows.vectors;
  const size_t column_block =
      BlockOf(once ? 1 : kColumnBlockBytes, count * Columns::Bytes(wide), kWidth, columns.vectors);
  Rows tiles(arena, row_block / kRows, count);
  Columns panels(arena, column_block / kWidth, count, wide);
  auto* const sums = arena.Allocate<TileSums>(column_block / kWidth * (row_block / kRows));
  Storing storing(arithmetic, bias, results);
  const Kernels kernels(arithmetic, storing.widths().block, storing.widths().magnitude_block);
  const auto small_row = static_cast<float>(arithmetic.small_row);
  const auto small_column = static_cast<float>(arithmetic.small_column);
  for (size_t left = 0; left < columns.vectors; left += column_block) {
    const size_t width = std::min(column_block, columns.vectors - left);
    panels.Pack(columns, left, left + width, small_column);
    for (size_t top = 0; top < rows.vectors; top += row_block) {
      const size_t height = std::min(row_block, rows.vectors - top);
      if (left == 0 || !once) tiles.Pack(rows, top, top + height, small_row);
      const Block block = {tiles, panels, top, height, left, width, sums, row_block / kRows};
      SumBlock(kernels, block, count);
      StoreBlock(storing, block);
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
