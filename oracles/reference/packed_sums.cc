#include "oracles/reference/packed_sums.h"

#include <algorithm>
#include <cstdint>
#include <vector>

// Vectors whose size the compiler does not know cannot be elements of arrays.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "oracles/reference/packed_sums.cc"
#include <hwy/foreach_target.h>  // compiles this file once more for every target
// Highway requires this include after foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace anecheck::reference::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<double>;
using I = hn::RebindToUnsigned<D>;
using V = hn::Vec<D>;

constexpr size_t kLanes = hn::MaxLanes(D());
// The numbers of rows and of vectors of columns that are summed at a time, in registers.
constexpr size_t kPointRows = kLanes >= 8 ? 3 : 2;
constexpr size_t kPointVectors = 2;
constexpr size_t kIntervalRows = 2;

constexpr uint64_t kExponent = 0x7ff0000000000000;

// Calls body<rows>() with the number of rows that are left, at most kRows.
template <size_t kRows, typename Body>
HWY_INLINE void WithRows(size_t left, const Body& body) {
  if constexpr (kRows > 1) {
    if (left < kRows) return WithRows<kRows - 1>(left, body);
  }
  body.template operator()<kRows>();
}

// RoundToHalfInRange of a vector. Rounds to 11 bits, and subnormals to multiples of 2^-24.
HWY_INLINE V RoundInRange(V product, V magnitude) {
  const D d;
  const I i;
  const V normal = hn::Max(magnitude, hn::Set(d, 0x1p-14));
  const auto exponent = hn::And(hn::BitCast(i, normal), hn::Set(i, kExponent));
  const auto offset = hn::Set(i, (uint64_t{42} << 52) + 0x0008000000000000);
  const V magic = hn::BitCast(d, hn::Add(exponent, offset));
  return hn::Sub(hn::Add(product, magic), magic);
}

// RoundToHalf of a vector of numbers.
HWY_INLINE V RoundNumbers(V x) {
  const D d;
  const V magnitude = hn::Abs(x);
  const auto in_range = hn::Lt(magnitude, hn::Set(d, 65520.0));
  const V infinity = hn::CopySign(hn::Inf(d), x);
  return hn::IfThenElse(in_range, RoundInRange(x, magnitude), infinity);
}

// ---- points -------------------------------------------------------------------------------------

// The order of addition: four interleaved lanes, with the remaining numbers at the end of the first
// lane. Lane l extends from segment[l] to segment[l + 1].
struct LaneOrder {
  explicit LaneOrder(size_t count) : source(count) {
    const size_t whole = count / 4 * 4;
    size_t at = 0;
    for (size_t lane = 0; lane < 4; ++lane) {
      for (size_t k = lane; k < whole; k += 4) source[at++] = k;
      for (size_t k = whole; lane == 0 && k < count; ++k) source[at++] = k;
      segment[lane + 1] = at;
    }
  }
  std::vector<size_t> source;
  size_t segment[5] = {};
};

template <size_t kRows, ProductRounding kRounding>
HWY_INLINE void SumPointLane(const double* HWY_RESTRICT rows, const double* HWY_RESTRICT panel,
                             size_t begin, size_t end, double* HWY_RESTRICT out) {
  const D d;
  constexpr size_t kWidth = kPointVectors * kLanes;
  const V zero = hn::Zero(d);
  V sum[kRows][kPointVectors];
  V magnitude[kRows][kPointVectors];
  V rounded[kRows][kPointVectors];
  for (size_t r = 0; r < kRows; ++r) {
    for (size_t v = 0; v < kPointVectors; ++v) sum[r][v] = magnitude[r][v] = rounded[r][v] = zero;
  }
  for (size_t k = begin; k < end; ++k) {
    for (size_t v = 0; v < kPointVectors; ++v) {
      const V y = hn::LoadU(d, panel + k * kWidth + v * kLanes);
      const V y_magnitude = hn::Abs(y);
      for (size_t r = 0; r < kRows; ++r) {
        const V x = hn::Set(d, rows[k * kPointRows + r]);
        sum[r][v] = hn::MulAdd(x, y, sum[r][v]);
        if constexpr (kRounding == ProductRounding::kHalf) {
          const V product = hn::Mul(x, y);
          const V size = hn::Abs(product);
          magnitude[r][v] = hn::Add(magnitude[r][v], size);
          rounded[r][v] = hn::Add(rounded[r][v], RoundInRange(product, size));
        } else {
          magnitude[r][v] = hn::MulAdd(hn::Abs(x), y_magnitude, magnitude[r][v]);
        }
      }
    }
  }
  for (size_t r = 0; r < kRows; ++r) {
    for (size_t v = 0; v < kPointVectors; ++v) {
      double* const at = out + r * kWidth + v * kLanes;
      hn::StoreU(sum[r][v], d, at);
      hn::StoreU(magnitude[r][v], d, at + kPointRows * kWidth);
      hn::StoreU(rounded[r][v], d, at + 2 * kPointRows * kWidth);
    }
  }
}

// The number of doubles in a tile. Each pair of a row and a column has three: the sum of the
// products, the sum of their magnitudes and the sum of the rounded products. The tile is laid out
// as [sum, magnitude, rounded][row][column].
constexpr size_t kPointTile = 3 * kPointRows * kPointVectors * kLanes;

template <ProductRounding kRounding>
void SumPointTile(const double* rows, size_t row_count, const double* panel, const LaneOrder& order,
                  double* total) {
  double lanes[4][kPointTile];
  WithRows<kPointRows>(row_count, [&]<size_t kRows>() HWY_ATTR {
    for (size_t lane = 0; lane < 4; ++lane) {
      SumPointLane<kRows, kRounding>(rows, panel, order.segment[lane], order.segment[lane + 1],
                                     lanes[lane]);
    }
    constexpr size_t kWidth = kPointVectors * kLanes;
    for (size_t part = 0; part < 3 * kPointRows; ++part) {
      if (part % kPointRows >= kRows) continue;
      for (size_t i = part * kWidth; i < (part + 1) * kWidth; ++i) {
        total[i] = (lanes[0][i] + lanes[1][i]) + (lanes[2][i] + lanes[3][i]);
      }
    }
  });
}

// Packs rows as [tile of rows][count][kPointRows], in the order of addition.
std::vector<double> PackPointRows(const PackedPoints& rows, size_t count, const LaneOrder& order) {
  const size_t tiles = (rows.vectors + kPointRows - 1) / kPointRows;
  std::vector<double> packed(tiles * kPointRows * count);
  for (size_t row = 0; row < rows.vectors; ++row) {
    double* const tile = packed.data() + row / kPointRows * kPointRows * count + row % kPointRows;
    const double* const from = rows.value + row * count;
    for (size_t k = 0; k < count; ++k) tile[k * kPointRows] = from[order.source[k]];
  }
  return packed;
}

template <ProductRounding kRounding>
void SumPointsRounding(const PackedPoints& rows, const PackedPoints& columns, size_t count,
                       const SumsSink<PointSums>& sink) {
  constexpr size_t kWidth = kPointVectors * kLanes;
  const LaneOrder order(count);
  const std::vector<double> packed = PackPointRows(rows, count, order);
  std::vector<double> numbers(count * kWidth);
  double tile[kPointTile];
  for (size_t first = 0; first < columns.vectors; first += kWidth) {
    const size_t width = std::min(kWidth, columns.vectors - first);
    for (size_t column = 0; column < kWidth; ++column) {
      // Columns past the last column repeat the last column.
      const double* const from = columns.value + (first + std::min(column, width - 1)) * count;
      for (size_t k = 0; k < count; ++k) numbers[k * kWidth + column] = from[order.source[k]];
    }
    for (size_t row = 0; row < rows.vectors; row += kPointRows) {
      const size_t height = std::min(kPointRows, rows.vectors - row);
      SumPointTile<kRounding>(packed.data() + row * count, height, numbers.data(), order, tile);
      for (size_t r = 0; r < height; ++r) {
        const double* const at = tile + r * kWidth;
        for (size_t c = 0; c < width; ++c) {
          const double sum = at[c];
          const double rounded = at[2 * kPointRows * kWidth + c];
          sink.take(sink.self, row + r, first + c,
                    {sum, at[kPointRows * kWidth + c],
                     kRounding == ProductRounding::kNone ? sum : rounded});
        }
      }
    }
  }
}

void SumPointsHere(const PackedPoints& rows, const PackedPoints& columns, size_t count,
                   ProductRounding rounding, const SumsSink<PointSums>& sink) {
  switch (rounding) {
    case ProductRounding::kNone:
      return SumPointsRounding<ProductRounding::kNone>(rows, columns, count, sink);
    case ProductRounding::kHalf:
      return SumPointsRounding<ProductRounding::kHalf>(rows, columns, count, sink);
  }
}

// ---- intervals ----------------------------------------------------------------------------------

constexpr size_t kIntervalParts = 7;  // number of members of IntervalSums

struct IntervalPanel {
  const double* value;  // [count][kLanes]
  const double* low;
  const double* high;
};

enum class Ends { kBoth, kRowsAlone, kColumnsAlone };  // the operands that have intervals

// The ends of the products of two intervals.
template <Ends kEnds>
HWY_INLINE void ProductEnds(V x_low, V x_high, V y_low, V y_high, V& least, V& greatest) {
  const V a = hn::Mul(x_low, y_low);
  const V d = hn::Mul(x_high, y_high);
  least = hn::Min(a, d);
  greatest = hn::Max(a, d);
  if constexpr (kEnds == Ends::kBoth) {
    const V b = hn::Mul(x_low, y_high);
    const V c = hn::Mul(x_high, y_low);
    least = hn::Min(least, hn::Min(b, c));
    greatest = hn::Max(greatest, hn::Max(b, c));
  }
}

template <size_t kRows, Ends kEnds, IntervalWork kWork>
HWY_INLINE void SumIntervalTile(const PackedIntervals& rows, size_t row, size_t count,
                                const IntervalPanel& panel, double* HWY_RESTRICT out) {
  const D d;
  V sums[kRows][kIntervalParts];
  for (size_t r = 0; r < kRows; ++r) {
    for (size_t part = 0; part < kIntervalParts; ++part) sums[r][part] = hn::Zero(d);
  }
  for (size_t k = 0; k < count; ++k) {
    const V y = hn::LoadU(d, panel.value + k * kLanes);
    const V y_low = kEnds == Ends::kRowsAlone ? y : hn::LoadU(d, panel.low + k * kLanes);
    const V y_high = kEnds == Ends::kRowsAlone ? y : hn::LoadU(d, panel.high + k * kLanes);
    for (size_t r = 0; r < kRows; ++r) {
      const size_t at = (row + r) * count + k;
      const V x = hn::Set(d, rows.value[at]);
      if constexpr (kWork != IntervalWork::kValues) {
        const V x_low = kEnds == Ends::kColumnsAlone ? x : hn::Set(d, rows.low[at]);
        const V x_high = kEnds == Ends::kColumnsAlone ? x : hn::Set(d, rows.high[at]);
        V least;
        V greatest;
        ProductEnds<kEnds>(x_low, x_high, y_low, y_high, least, greatest);
        sums[r][0] = hn::Add(sums[r][0], least);
        sums[r][1] = hn::Add(sums[r][1], greatest);
        if constexpr (kWork == IntervalWork::kRoundedEnds) {
          sums[r][2] = hn::Add(sums[r][2], RoundNumbers(least));
          sums[r][3] = hn::Add(sums[r][3], RoundNumbers(greatest));
        }
        sums[r][4] = hn::Add(sums[r][4], hn::Max(hn::Abs(least), hn::Abs(greatest)));
      }
      const V product = hn::Mul(x, y);
      sums[r][5] = hn::Add(sums[r][5], product);
      sums[r][6] = hn::Add(sums[r][6], hn::Abs(product));
    }
  }
  for (size_t r = 0; r < kRows; ++r) {
    for (size_t part = 0; part < kIntervalParts; ++part) {
      hn::StoreU(sums[r][part], d, out + (r * kIntervalParts + part) * kLanes);
    }
  }
}

// Packs the columns from `first` on as [count][kLanes]. Columns past the last repeat the last.
void PackColumns(const double* columns, size_t first, size_t width, size_t count, double* panel) {
  for (size_t column = 0; column < kLanes; ++column) {
    const double* const from = columns + (first + std::min(column, width - 1)) * count;
    for (size_t k = 0; k < count; ++k) panel[k * kLanes + column] = from[k];
  }
}

template <Ends kEnds, IntervalWork kWork>
void SumIntervalsOf(const PackedIntervals& rows, const PackedIntervals& columns, size_t count,
                    const SumsSink<IntervalSums>& sink) {
  std::vector<double> packed(3 * count * kLanes);
  double* const value = packed.data();
  double* const low = value + count * kLanes;
  double* const high = low + count * kLanes;
  double tile[kIntervalRows * kIntervalParts * kLanes];
  for (size_t first = 0; first < columns.vectors; first += kLanes) {
    const size_t width = std::min(kLanes, columns.vectors - first);
    PackColumns(columns.value, first, width, count, value);
    if (kEnds != Ends::kRowsAlone) {
      PackColumns(columns.low, first, width, count, low);
      PackColumns(columns.high, first, width, count, high);
    }
    for (size_t row = 0; row < rows.vectors; row += kIntervalRows) {
      const size_t height = std::min(kIntervalRows, rows.vectors - row);
      WithRows<kIntervalRows>(height, [&]<size_t kRows>() HWY_ATTR {
        SumIntervalTile<kRows, kEnds, kWork>(rows, row, count, {value, low, high}, tile);
      });
      for (size_t r = 0; r < height; ++r) {
        for (size_t c = 0; c < width; ++c) {
          const double* const at = tile + r * kIntervalParts * kLanes + c;
          sink.take(sink.self, row + r, first + c,
                    {at[0], at[kLanes], at[2 * kLanes], at[3 * kLanes], at[4 * kLanes],
                     at[5 * kLanes], at[6 * kLanes]});
        }
      }
    }
  }
}

template <IntervalWork kWork>
void SumIntervalsWith(const PackedIntervals& rows, const PackedIntervals& columns, size_t count,
                      const SumsSink<IntervalSums>& sink) {
  if (columns.low == columns.value || kWork == IntervalWork::kValues) {
    SumIntervalsOf<Ends::kRowsAlone, kWork>(rows, columns, count, sink);
  } else if (rows.low == rows.value) {
    SumIntervalsOf<Ends::kColumnsAlone, kWork>(rows, columns, count, sink);
  } else {
    SumIntervalsOf<Ends::kBoth, kWork>(rows, columns, count, sink);
  }
}

void SumIntervalsHere(const PackedIntervals& rows, const PackedIntervals& columns, size_t count,
                      IntervalWork work, const SumsSink<IntervalSums>& sink) {
  switch (work) {
    case IntervalWork::kValues:
      return SumIntervalsWith<IntervalWork::kValues>(rows, columns, count, sink);
    case IntervalWork::kEnds:
      return SumIntervalsWith<IntervalWork::kEnds>(rows, columns, count, sink);
    case IntervalWork::kRoundedEnds:
      return SumIntervalsWith<IntervalWork::kRoundedEnds>(rows, columns, count, sink);
  }
}

}  // namespace anecheck::reference::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anecheck::reference {

HWY_EXPORT(SumPointsHere);
HWY_EXPORT(SumIntervalsHere);

void SumPoints(const PackedPoints& rows, const PackedPoints& columns, size_t count,
               ProductRounding rounding, const SumsSink<PointSums>& sink) {
  HWY_DYNAMIC_DISPATCH(SumPointsHere)(rows, columns, count, rounding, sink);
}

void SumIntervals(const PackedIntervals& rows, const PackedIntervals& columns, size_t count,
                  IntervalWork work, const SumsSink<IntervalSums>& sink) {
  HWY_DYNAMIC_DISPATCH(SumIntervalsHere)(rows, columns, count, work, sink);
}

}  // namespace anecheck::reference
#endif
