#include "oracles/reference/packed_points.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "oracles/reference/store.h"

// Vectors whose size the compiler does not know cannot be elements of arrays.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "oracles/reference/packed_points.cc"
#include <hwy/foreach_target.h>  // compiles this file once more for every target
// Highway requires this include after foreach_target.h.
#include <hwy/highway.h>

#include "oracles/reference/packed_panels-inl.h"
#include "oracles/reference/packed_tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace anecheck::reference::HWY_NAMESPACE {

// ---- results ------------------------------------------------------------------------------------
//
// Plain loops without branches, of which the compiler makes vector code for each target.

struct ToHalf {
  static constexpr double kBeyond = kInfinity;
  double operator()(double x) const { return RoundToHalf(x); }
};
// As ToHalf, for numbers with magnitudes below kBeyond.
struct ToHalfInRange {
  static constexpr double kBeyond = 65520;
  double operator()(double x) const { return std::copysign(RoundToHalfInRange(x), x); }
};

// NextUp and NextDown for finite numbers, inlined.
HWY_INLINE double StepUp(double x) {
  const auto raw = std::bit_cast<int64_t>(x);
  const double moved = std::bit_cast<double>(x < 0 ? raw - 1 : raw + 1);
  return x == 0 ? std::bit_cast<double>(int64_t{1}) : moved;
}
HWY_INLINE double StepDown(double x) { return -StepUp(-x); }

// The constants that depend only on the number of products.
struct Widths {
  Spans spans;
  double single = 0;  // error of sums that are computed partly in fp32, relative to the magnitude
  double settle = 0;  // relative error of sums in double: each addition errs by half an ulp
  // Error of a product below 2^-14: 2^-26 by rounding to 11 bits, and 2^-25 by rounding to fp16.
  double small = 0;
};

struct Allowance {
  explicit Allowance(const PointArithmetic& given) : arithmetic(given) {
    widths.settle = (static_cast<double>(given.count) + 4) * 0x1p-53;
    if (given.narrow_terms != 0) {
      widths.spans = {given.narrow_terms, given.narrow_terms};
      return;
    }
    widths.spans = {8, given.count < 256 ? size_t{16} : size_t{32}};
    // Each addition in fp32 errs by half an ulp, except the first addition in a block and the first
    // addition of block sums.
    const auto [block, span] = widths.spans;
    const size_t additions = block - 1 + (span / block - 1);
    widths.single = static_cast<double>(additions) * 0x1.01p-24;
    widths.small = 3 * 0x1p-26;
  }
  PointArithmetic arithmetic;
  Widths widths;
};

// The known facts about one sum.
struct Known {
  double sum;    // in double
  double doubt;  // largest distance of `sum` from the exact sum
  double low;    // the values that an engine may hold
  double high;
};

// `small` is the number of products that may be subnormal.
HWY_INLINE Known Bounded(const Allowance& allowance, double sum, double size, double rounded,
                         double small) {
  // The relative error of sums of magnitudes in double is far below this slack.
  constexpr double kMagnitudeSlack = 1 + 0x1p-20;
  const PointArithmetic& arithmetic = allowance.arithmetic;
  const Widths& widths = allowance.widths;
  const bool exact = size <= arithmetic.exact_limit;
  const double single = widths.single * size;
  const double power = PartialSumPower(size, std::fabs(sum) + single, arithmetic.roundings);
  const double in_doubles = exact ? 0 : arithmetic.double_error * size * kMagnitudeSlack;
  const double error =
      size <= arithmetic.single_limit ? 0 : arithmetic.roundings * power + in_doubles;
  const double around = single + widths.small * small;
  const double least = rounded - around < sum - single ? rounded - around : sum - single;
  const double most = rounded + around > sum + single ? rounded + around : sum + single;
  return {sum, single + (exact ? 0 : widths.settle * size), least - error, most + error};
}

// The engine adds the bias in the accumulator, or after the accumulator was rounded to the element
// type.
HWY_INLINE Known WithBias(const Known& known, double bias, bool rounds) {
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

// Whether a sum may round to either of two numbers.
HWY_INLINE bool IsOpen(const Known& known) {
  return RoundToHalf(known.sum - known.doubt) != RoundToHalf(known.sum + known.doubt);
}

// A cheaper test. If it returns false, IsOpen also returns false. `stored` is the rounded sum.
HWY_INLINE bool MayBeOpen(const Known& known, double stored) {
  constexpr uint64_t kExponent = 0x7ff0000000000000;
  const double magnitude = std::fabs(known.sum);
  const double normal = magnitude > kHalfMinNormal ? magnitude : kHalfMinNormal;
  const double power = std::bit_cast<double>(std::bit_cast<uint64_t>(normal) & kExponent);
  // Below a power of two the steps are smaller.
  const bool crosses = power > kHalfMinNormal && magnitude - known.doubt < power;
  const bool reaches = std::fabs(known.sum - stored) + known.doubt >= power * 0x1p-11;
  return known.doubt != 0 && (crosses || reaches);
}

// One row of a tile's sums, and the facts that bound them.
struct RunSums {
  const double* sum;
  const double* magnitude;
  const double* rounded;
  const double* small_column;  // how many numbers of each column are small
  double small_row;
  const double* bias;  // null if there is none

  HWY_INLINE Known At(const Allowance& allowance, size_t i) const {
    const Known known =
        Bounded(allowance, sum[i], magnitude[i], rounded[i], small_row + small_column[i]);
    if (bias == nullptr) return known;
    return WithBias(known, bias[i], allowance.arithmetic.bias_rounding);
  }
  // The known facts about the value if its sum was computed in double.
  Known InDouble(const Allowance& allowance, size_t i, double total) const {
    const double size = magnitude[i];
    const bool exact = size <= allowance.arithmetic.exact_limit;
    const Known known = {total, exact ? 0 : allowance.widths.settle * size, total, total};
    return bias == nullptr ? known : WithBias(known, bias[i], false);
  }
};

struct RunFacts {
  bool interval = false;  // some interval contains more than its value
  bool special = false;   // some end is not finite
  bool may_be_open = false;
};

// Stores `width` results, and flags those that may be open. With ToHalfInRange all results are
// invalid if one is special.
template <bool kWide, bool kBiased, typename Store>
RunFacts StoreRun(const Allowance& given, const RunSums& sums, size_t width,
                  double* HWY_RESTRICT value, double* HWY_RESTRICT low, double* HWY_RESTRICT high,
                  uint64_t* HWY_RESTRICT may_be_open) {
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
    may_be_open[i] = MayBeOpen(known, stored) ? 1 : 0;
    open |= may_be_open[i];
  }
  return {interval != 0, special != 0, open != 0};
}

template <bool kWide, bool kBiased>
RunFacts StoreAnyRun(const Allowance& allowance, const RunSums& sums, size_t width, double* value,
                     double* low, double* high, uint64_t* may_be_open) {
  const RunFacts facts = StoreRun<kWide, kBiased, ToHalfInRange>(allowance, sums, width, value, low,
                                                                 high, may_be_open);
  if (!facts.special) return facts;
  return StoreRun<kWide, kBiased, ToHalf>(allowance, sums, width, value, low, high, may_be_open);
}

// The place of a tile's results.
struct Place {
  size_t row;  // the first row
  size_t rows;
  size_t column;  // the first column
  size_t width;   // number of columns
  size_t tile;    // index in Rows
  size_t panel;   // index in Columns
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

  // Stores the results of one tile.
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
      uint64_t may_be_open[kWidth];
      const RunFacts facts = store_(allowance_, run, place.width, results_.value + at,
                                    results_.low + at, results_.high + at, may_be_open);
      results_.point &= !facts.interval;
      results_.special |= facts.special;
      for (size_t i = 0; i < place.width && facts.may_be_open; ++i) {
        if (may_be_open[i] == 0) continue;
        const float* const x = rows.Line(place.tile * kRows + r);
        const float* const y = columns.Line(place.panel, i);
        const Known known = run.InDouble(allowance_, i, DotOf(x, y, arithmetic_.count));
        if (!IsOpen(known)) {
          results_.value[at + i] = RoundToHalf(known.sum);
          continue;
        }
        const std::vector<double> x_wide(x, x + arithmetic_.count);
        const std::vector<double> y_wide(y, y + arithmetic_.count);
        Settle(run, i,
               {.row = row, .column = place.column + i, .x = x_wide.data(), .y = y_wide.data()});
      }
    }
  }

 private:
  // Settles element `i` of a run.
  void Settle(const RunSums& run, size_t i, OpenPoint open) {
    const Widths& widths = allowance_.widths;
    open.magnitude = run.magnitude[i];
    const double small = run.small_row + run.small_column[i];
    const double around = widths.single * open.magnitude + widths.small * small;
    open.rounded_low = run.rounded[i] - around;
    open.rounded_high = run.rounded[i] + around;
    results_.settle(results_.self, open);
  }

  using StoreFunction = RunFacts (*)(const Allowance& allowance, const RunSums& sums, size_t width,
                                     double* value, double* low, double* high,
                                     uint64_t* may_be_open);

  const PointArithmetic& arithmetic_;
  Allowance allowance_;
  const PointBias& bias_;
  PointResults& results_;
  StoreFunction store_;
};

// The sizes are chosen so that three sets of data stay in the caches:
// - the columns of one panel over kDepth products, which are used with all rows of a block before
//   the next panel is read;
// - the rows of that block over the same products;
// - all panels of a block of columns.
// A panel that is needed only once is made when it is needed.
constexpr size_t kRowBlockBytes = size_t{1} << 19;
constexpr size_t kColumnBlockBytes = size_t{1} << 23;

size_t BlockOf(size_t bytes, size_t of_each, size_t unit, size_t vectors) {
  const size_t fit = std::max<size_t>(bytes / (of_each * unit), 1);
  return std::min(fit, (vectors + unit - 1) / unit) * unit;
}

// Rows and columns whose sums of products are computed before the next block.
struct Block {
  const Rows& rows;
  const Columns& columns;
  size_t top;  // the first row
  size_t height;
  size_t left;  // the first column
  size_t width;
  TileSums* sums;  // [panel][tile]
  size_t tiles;    // in each panel

  size_t panels() const { return (width + kWidth - 1) / kWidth; }
  size_t WidthOf(size_t panel) const { return std::min(kWidth, width - panel * kWidth); }
};

void SumBlock(const Kernels& kernels, const Block& block, size_t count) {
  for (size_t deep = 0; deep < count; deep += kDepth) {
    const size_t bottom = std::min(count, deep + kDepth);
    for (size_t panel = 0; panel < block.panels(); ++panel) {
      kernels.Add(block.rows, block.height, block.columns.At(panel), block.WidthOf(panel), deep,
                  bottom, block.sums + panel * block.tiles);
      kernels.AddMagnitudes(block.rows, block.height, block.columns.At(panel), block.WidthOf(panel),
                            deep, bottom, block.sums + panel * block.tiles);
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
  const size_t row_block =
      BlockOf(kRowBlockBytes, std::min(count, kDepth) * Rows::kBytes, kRows, rows.vectors);
  const bool once = row_block >= rows.vectors;
  const size_t column_block =
      BlockOf(once ? 1 : kColumnBlockBytes, count * Columns::kBytes, kWidth, columns.vectors);
  Rows tiles(arena, row_block / kRows, count);
  Columns panels(arena, column_block / kWidth, count);
  auto* const sums = arena.Allocate<TileSums>(column_block / kWidth * (row_block / kRows));
  Storing storing(arithmetic, bias, results);
  const Kernels kernels(arithmetic, storing.widths().spans);
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
