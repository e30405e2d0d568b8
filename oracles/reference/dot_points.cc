// Functions of Accumulator for large operations on points. They compute all sums of a block at once
// (packed_points.h), and an output separately only if its rounding stays uncertain.
#include <algorithm>

#include "oracles/reference/dot.h"
#include "oracles/reference/number_loops.h"

namespace anecheck::reference {
namespace {

// With fewer products, sums of one output at a time are faster than packed sums.
constexpr size_t kFewProducts = 4096;
// A panel has up to 16 columns. With fewer columns than this, most of its work is wasted.
constexpr size_t kFewColumns = 6;
// With fewer products, StoreDots requires that sums of rounded products are exact.
constexpr size_t kFewTerms = 32;

// Sums in fp32 save time from kFewNarrowTerms terms on. More than kMostNarrowTerms terms at a time
// save no more time.
constexpr size_t kFewNarrowTerms = 16;
constexpr size_t kMostNarrowTerms = 128;

// If each operand is at least its limit here, their product is a normal fp16 number. The ratio of
// the limits is about that of the operands' largest magnitudes.
struct SmallNumbers {
  SmallNumbers(double largest_x, double largest_y) {
    const int apart = largest_x == 0 || largest_y == 0 ? 0 : std::ilogb(largest_x / largest_y);
    const int exponent = std::clamp((apart - 14) / 2, -24, 10);
    x = std::ldexp(1.0, exponent);
    y = std::ldexp(1.0, -14 - exponent);
  }
  double x = 0;
  double y = 0;
};

double Log2OfTypical(const Spread& spread, size_t size) {
  const auto numbers = static_cast<double>(size - spread.zeros);
  return numbers == 0 ? 0 : static_cast<double>(spread.exponents) / numbers - 1023;
}

}  // namespace

// Returns the number of terms whose sum is exact in the 24 bits of fp32, or 0 if it is too small.
// Rounding to fp16 may raise a product by 2^-11 of its magnitude.
size_t Accumulator::NarrowTerms() const {
  if (!products_on_grid_ && lowest_product_bit_ < -24) return 0;
  if (largest_product_ == 0) return kMostNarrowTerms;
  const double terms =
      std::ldexp(1.0, lowest_product_bit_ + 24) / (largest_product_ * (1 + 0x1p-10));
  return terms < kFewNarrowTerms ? 0
                                 : static_cast<size_t>(std::min<double>(terms, kMostNarrowTerms));
}

bool Accumulator::Stores(size_t rows, size_t columns, size_t count,
                         const BoundedTensor* bias) const {
  if (!packs_ || leaves_out() || special_ || unit_ == 0) return false;
  if (!product_rounding_ || !products_in_range_) return false;
  if (!x_.point() || !y_->point()) return false;
  if (bias != nullptr && (!bias->point() || bias->special)) return false;
  if (law_ != Law::kNone && !StoresLaw(count, bias)) return false;
  if (columns < kFewColumns || rows * columns * count < kFewProducts) return false;
  if (NarrowTerms() != 0 || law_ == Law::kFixed) return true;
  if (count < kFewTerms) return false;
  if (lowest_product_bit_ >= -24) return true;
  // The error of small products should be small compared with the accumulator's error.
  const SmallNumbers small(x_.max_magnitude, y_->max_magnitude);
  const Spread x = SpreadOfNumbers(x_.value, x_.size, small.x);
  const Spread y = SpreadOfNumbers(y_->value, y_->size, small.y);
  const auto share = [](uint64_t part, size_t size) {
    return static_cast<double>(part) / static_cast<double>(size);
  };
  const double products =
      static_cast<double>(count) * (1 - share(x.zeros, x_.size)) * (1 - share(y.zeros, y_->size));
  const double magnitude =
      products * std::exp2(Log2OfTypical(x, x_.size) + Log2OfTypical(y, y_->size));
  return 6 * (share(x.small, x_.size) + share(y.small, y_->size)) <= magnitude;
}

PointArithmetic Accumulator::ArithmeticOf(size_t count) const {
  const auto terms = static_cast<double>(count);
  PointArithmetic arithmetic{.count = count,
                             .rounds = !products_on_grid_,
                             .narrow_terms = NarrowTerms(),
                             .wide = contract_.Allows(Term::kWideIntermediate),
                             .bias_rounding = bias_rounding_,
                             .exact_limit = exact_limit_,
                             .single_limit = single_limit_,
                             .roundings = terms * unit_,
                             .double_error = terms * 0x1p-52};
  if (arithmetic.narrow_terms == 0 && lowest_product_bit_ < -24) {
    const SmallNumbers small(x_.max_magnitude, y_->max_magnitude);
    arithmetic.small_row = small.x;
    arithmetic.small_column = small.y;
  }
  return arithmetic;
}

PointResults Accumulator::StartDots(KernelContext& context, BoundedTensor& result) const {
  const auto allocate = [&] { return context.arena().Allocate<double>(result.size); };
  PointResults results;
  results.value = allocate();
  results.low = allocate();
  results.high = allocate();
  return results;
}

struct Accumulator::Opened {
  Accumulator& accumulator;
  const PointArithmetic& arithmetic;
  const PointBias& bias;
  PointResults& results;

  static void Settle(void* self, const OpenPoint& open) {
    auto& opened = *static_cast<Opened*>(self);
    Accumulator& accumulator = opened.accumulator;
    PointResults& results = opened.results;
    Accumulated sum;
    sum.value = accumulator.ExactDot(open.x, open.y, opened.arithmetic.count);
    sum.exact = open.magnitude <= accumulator.exact_limit_;
    const double error =
        accumulator.Error(open.magnitude, sum.value, opened.arithmetic.count, true);
    sum.low = std::min(sum.value, open.rounded_low) - error;
    sum.high = std::max(sum.value, open.rounded_high) + error;
    const double* const of_rows = opened.bias.of_rows;
    const double* const of_columns = opened.bias.of_columns;
    if (of_rows != nullptr || of_columns != nullptr) {
      const double bias = of_rows != nullptr ? of_rows[open.row] : of_columns[open.column];
      sum = accumulator.WithBias(sum, bias, bias, bias, false);
    }
    const auto store = [](double x) { return RoundToHalf(x); };
    const size_t at = open.row * results.pitch + open.column;
    const double value = store(sum.value);
    const double low = OuterLow(store, sum.low, opened.arithmetic.wide);
    const double high = OuterHigh(store, sum.high, opened.arithmetic.wide);
    results.value[at] = value;
    results.low[at] = low;
    results.high[at] = high;
    results.point &= low == value && high == value;
    results.special |= !(std::fabs(low) < kInfinity && std::fabs(high) < kInfinity);
  }
};

void Accumulator::StoreDots(const PointVectors& rows, const PointVectors& columns, size_t count,
                            const PointBias& bias, size_t start, PointResults& results) {
  PointResults part = results;
  part.value += start;
  part.low += start;
  part.high += start;
  part.pitch = columns.vectors;
  const Workspace workspace(*arena_);
  if (law_ != Law::kFixed) StoreWideDots(rows, columns, count, bias, part);
  if (law_ != Law::kNone) StoreLawDots(rows, columns, count, bias, part);
  results.point &= part.point;
  results.special |= part.special;
}

void Accumulator::StoreWideDots(const PointVectors& rows, const PointVectors& columns, size_t count,
                                const PointBias& bias, PointResults& results) {
  law_sum_ = {};
  const PointArithmetic arithmetic = ArithmeticOf(count);
  Opened opened{*this, arithmetic, bias, results};
  results.settle = Opened::Settle;
  results.self = &opened;
  StorePoints(rows, columns, arithmetic, bias, *arena_, results);
}

void Accumulator::FinishDots(const PointResults& results, BoundedTensor& result) {
  result.value = results.value;
  result.low = results.point ? results.value : results.low;
  result.high = results.point ? results.value : results.high;
  result.nan = nullptr;
  result.special = results.special;
}

void StridedPoints::Pack(const void* self, size_t first, size_t width, size_t pitch, float* out) {
  const auto& points = *static_cast<const StridedPoints*>(self);
  const double* const from = points.value + static_cast<int64_t>(first) * points.vector_stride;
  if (points.vector_stride == 1) {
    for (size_t k = 0; k < points.count; ++k) {
      const double* const numbers = from + static_cast<int64_t>(k) * points.number_stride;
      for (size_t c = 0; c < width; ++c) out[k * pitch + c] = static_cast<float>(numbers[c]);
    }
    return;
  }
  for (size_t c = 0; c < width; ++c) {
    const double* number = from + static_cast<int64_t>(c) * points.vector_stride;
    for (size_t k = 0; k < points.count; ++k, number += points.number_stride) {
      out[k * pitch + c] = static_cast<float>(*number);
    }
  }
}

}  // namespace anecheck::reference
