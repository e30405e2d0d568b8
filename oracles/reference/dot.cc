#include "oracles/reference/dot.h"

#include <algorithm>
#include <vector>

#include "oracles/reference/mac_departures.h"
#include "oracles/reference/number_loops.h"
#include "oracles/reference/packed_sums.h"

namespace anecheck::reference {
namespace {

double PowerOfTwo(int exponent) {
  if (exponent < -1022) return std::ldexp(1.0, exponent);
  return std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}

// The lowest bit of a tensor that holds only zeros, since 0 is a multiple of every power of two.
constexpr int kNoBits = 100;
// The relative error of sums of magnitudes in double is far below this slack.
constexpr double kMagnitudeSlack = 1 + 0x1p-20;

// Adds the sum of rounded products to the admitted interval. Rounding may overflow although the
// exact products do not. Then an infinity is admitted besides the finite numbers, or NaN if
// infinities of both signs may be added.
void Include(Accumulated& sum, double rounded) {
  if (std::fabs(rounded) < kInfinity) {
    sum.low = std::min(sum.low, rounded);
    sum.high = std::max(sum.high, rounded);
    return;
  }
  sum.nan |= rounded != rounded;
  if (!(rounded < 0)) sum.beyond |= kUpward;
  if (!(rounded > 0)) sum.beyond |= kDownward;
}
// Adds [low, high] to the admitted interval. If an end is NaN, admits every number and NaN.
void IncludeEnds(Accumulated& hull, double low, double high) {
  if (low != low || high != high) {
    hull.nan = true;
    hull.low = -kInfinity;
    hull.high = kInfinity;
    return;
  }
  hull.low = std::min(hull.low, low);
  hull.high = std::max(hull.high, high);
  hull.nan |= hull.low == -kInfinity && hull.high == kInfinity;
}

}  // namespace

void MeasureOperand(BoundedTensor& tensor) {
  if (tensor.measured) return;
  tensor.measured = true;
  const Extent extent = MeasureNumbers(tensor.value, tensor.size);
  tensor.lowest_bit = extent.largest == 0 ? kNoBits : std::ilogb(extent.lowest_bit);
  tensor.max_magnitude = extent.largest;
}

Accumulator::Accumulator(KernelContext& context, BoundedTensor& x, BoundedTensor* y)
    : contract_(context.contract()),
      target_(&context.Result()),
      wanted_(context.wanted()),
      grid_(GridOf(context, target_->type.dtype)),
      unit_(context.contract()[y == nullptr ? Term::kReduceUnit : Term::kAccumulatorUnit]),
      product_rounding_(y != nullptr && context.contract().Allows(Term::kProductRounding)),
      bias_rounding_(context.contract().Allows(Term::kBiasRounding)),
      special_(x.special || (y != nullptr && y->special)),
      x_(x),
      y_(y),
      arena_(&context.arena()) {
  MeasureOperand(x);
  int lowest = x.lowest_bit;
  if (y != nullptr) {
    MeasureOperand(*y);
    lowest = std::clamp(lowest + y->lowest_bit, -400, 400);
    const double largest = x.max_magnitude * y->max_magnitude;
    products_in_range_ = largest < 65520;
    products_on_grid_ = grid_.half() && lowest >= -24 && largest <= kHalfMaxValue &&
                        largest < PowerOfTwo(lowest + 11) && x.point() && y->point();
    departs_ = AddOtherwise(contract_);
    packs_ = x.type.dtype == DType::kFp16 && y->type.dtype == DType::kFp16 && !contract_.compared;
    lowest_product_bit_ = lowest;
    largest_product_ = largest;
  }
  may_overflow_ = contract_.departure_count != 0 || (product_rounding_ && !products_in_range_);
  exact_limit_ = PowerOfTwo(lowest + 52);
  // One bit fewer than the accumulator has, because rounded products may be slightly larger than
  // exact ones.
  single_limit_ = (unit_ > 0 ? 0.5 / unit_ : 0x1p23) * PowerOfTwo(lowest);
}

Accumulator Accumulator::For(Arena& arena, BoundedTensor& marks) const {
  Accumulator other = *this;
  other.arena_ = &arena;
  other.target_ = &marks;
  return other;
}

double Accumulator::ExactDot(const double* x, const double* y, size_t count) {
  exact_.Clear();
  for (size_t k = 0; k < count; ++k) exact_.AddProduct(x[k], y[k]);
  return exact_.Odd();
}

double Accumulator::ExactTotal(const double* x, size_t count) {
  exact_.Clear();
  for (size_t k = 0; k < count; ++k) exact_.Add(x[k]);
  return exact_.Odd();
}

// The accumulator adds `count` terms in an unknown order. This takes at most `count` roundings,
// each of which errs by at most half an ulp of a partial sum (Higham, "Accuracy and Stability of
// Numerical Algorithms", section 4.2). On a grid coarse enough for every partial sum there is no
// rounding. The double sums that are the ends of the interval err in proportion to the magnitude.
double Accumulator::Error(double magnitude, double sum, size_t count, bool on_grid) const {
  if (on_grid && magnitude <= single_limit_) return 0;
  const double terms = static_cast<double>(count);
  const double error = terms * unit_ * PartialSumPower(magnitude, sum, terms * unit_);
  if (on_grid && magnitude <= exact_limit_) return error;
  return error + terms * 0x1p-52 * magnitude * kMagnitudeSlack;
}

namespace {

// Each sum has four lanes, so that the loops become vector code. The order of additions does not
// matter, because the sums are exact or the bound contains their error.
struct FourSums {
  double lane[4] = {0, 0, 0, 0};
  double Total() const { return (lane[0] + lane[1]) + (lane[2] + lane[3]); }
};

template <typename Round>
PointSums SumProducts(const double* x, const double* y, size_t count, const Round& round) {
  FourSums sum;
  FourSums magnitude;
  FourSums rounded;
  const size_t whole = count / 4 * 4;
  for (size_t k = 0; k < whole; k += 4) {
    for (size_t lane = 0; lane < 4; ++lane) {
      const double product = x[k + lane] * y[k + lane];
      sum.lane[lane] += product;
      magnitude.lane[lane] += std::fabs(product);
      rounded.lane[lane] += round(product);
    }
  }
  for (size_t k = whole; k < count; ++k) {
    const double product = x[k] * y[k];
    sum.lane[0] += product;
    magnitude.lane[0] += std::fabs(product);
    rounded.lane[0] += round(product);
  }
  return {sum.Total(), magnitude.Total(), rounded.Total()};
}

}  // namespace

// Each of the count additions errs by at most half an ulp of a partial sum.
void Accumulator::Settle(const double* x, const double* y, size_t count, double sum,
                         double magnitude, Accumulated& result) {
  settled_ = {x, y, count, static_cast<double>(count + 4) * 0x1p-53 * magnitude};
  result.settled = RoundsAlike(sum, settled_.error);
}

void Accumulator::SetValue(const double* x, const double* y, size_t count, double sum,
                           double magnitude, Accumulated& result) {
  result.exact = magnitude <= exact_limit_;
  if (!result.exact && settle_) Settle(x, y, count, sum, magnitude, result);
  result.value = result.exact || result.settled ? sum : ExactDot(x, y, count);
}

Accumulated Accumulator::PointDot(const double* x, const double* y, size_t count) {
  PointSums sums;
  if (products_on_grid_ || !product_rounding_) {
    sums = SumProducts(x, y, count, [](double product) { return product; });
  } else if (grid_.half() && products_in_range_) {
    sums = SumProducts(x, y, count, [](double p) { return RoundToHalfInRange(p); });
  } else if (grid_.half()) {
    sums = SumProducts(x, y, count, [](double p) { return RoundToHalf(p); });
  } else {
    sums = SumProducts(x, y, count, [](double p) { return RoundToFloat(p); });
  }
  return FinishPoints(sums, x, y, count);
}

Accumulated Accumulator::ErrorOfPoints(const double* x, const double* y, size_t count) const {
  const PointSums sums = SumProducts(x, y, count, [](double product) { return product; });
  if (unit_ == 0 && !product_rounding_) return {};
  return {.error = Error(sums.magnitude, sums.sum, count, true)};
}

Accumulated Accumulator::FinishPoints(const PointSums& sums, const double* x, const double* y,
                                      size_t count) {
  const auto [sum, magnitude, rounded] = sums;
  Accumulated result;
  SetValue(x, y, count, sum, magnitude, result);
  result.low = result.high = result.value;
  if (unit_ == 0 && !product_rounding_) return result;
  const double error = Error(magnitude, sum, count, true);
  Include(result, rounded);
  result.low -= error;
  result.high += error;
  result.error = error;
  return result;
}

Accumulated Accumulator::IntervalDot(const Lanes& x, const Lanes& y, size_t count) {
  IntervalSums sums;
  for (size_t k = 0; k < count; ++k) {
    const double a = x.low[k] * y.low[k];
    const double b = x.low[k] * y.high[k];
    const double c = x.high[k] * y.low[k];
    const double d = x.high[k] * y.high[k];
    const double least = std::min(std::min(a, b), std::min(c, d));
    const double greatest = std::max(std::max(a, b), std::max(c, d));
    sums.low += least;
    sums.high += greatest;
    if (product_rounding_) {
      sums.rounded_low += grid_.Round(least);
      sums.rounded_high += grid_.Round(greatest);
    }
    sums.magnitude += std::max(std::fabs(least), std::fabs(greatest));
    const double product = x.value[k] * y.value[k];
    sums.value += product;
    sums.value_magnitude += std::fabs(product);
  }
  return FinishIntervals(sums, x.value, y.value, count);
}

Accumulated Accumulator::FinishIntervals(const IntervalSums& sums, const double* x, const double* y,
                                         size_t count) {
  Accumulated result;
  SetValue(x, y, count, sums.value, sums.value_magnitude, result);
  result.low = sums.low;
  result.high = sums.high;
  if (product_rounding_) IncludeEnds(result, sums.rounded_low, sums.rounded_high);
  const double largest = std::max(std::fabs(sums.low), std::fabs(sums.high));
  const double error = Error(sums.magnitude, largest, count, false);
  result.low -= error;
  result.high += error;
  return result;
}

// Sums products with infinities and NaN. The value is a plain IEEE sum if it is not finite. For
// point operands, NaN is the only result if each permitted engine computes an invalid operation.
Accumulated Accumulator::SpecialDot(const Lanes& x, const Lanes& y, size_t count) {
  double sum = 0;
  double magnitude = 0;
  double rounded = 0;
  bool nan = false;
  bool maybe_nan = false;
  bool finite = true;
  bool interval = false;
  for (size_t k = 0; k < count; ++k) {
    const double product = x.value[k] * y.value[k];
    sum += product;
    magnitude += std::fabs(product);
    rounded += grid_.Round(product);
    for (const double end : {x.low[k], x.high[k], y.low[k], y.high[k]}) {
      finite &= std::fabs(end) < kInfinity;
    }
    interval |= x.low[k] != x.high[k] || y.low[k] != y.high[k];
    nan |= x.low[k] != x.low[k] || y.low[k] != y.low[k];
    maybe_nan |= (x.nan != nullptr && x.nan[k] != 0) || (y.nan != nullptr && y.nan[k] != 0);
  }
  if (finite) {
    Accumulated result =
        x.point() && y.point() ? PointDot(x.value, y.value, count) : IntervalDot(x, y, count);
    result.nan |= maybe_nan;
    return result;
  }
  Accumulated result = OpenDot(x, y, count, sum, magnitude, nan, interval || maybe_nan);
  if (!nan && !interval && !maybe_nan && sum == sum && product_rounding_) {
    IncludeEnds(result, rounded, rounded);
  }
  return result;
}

Accumulated Accumulator::OpenDot(const Lanes& x, const Lanes& y, size_t count, double sum,
                                 double magnitude, bool nan, bool interval) {
  Accumulated result{.value = sum, .low = sum, .high = sum};
  if (magnitude < kInfinity) SetValue(x.value, y.value, count, sum, magnitude, result);
  // Some operand is NaN in every engine, or all operands are known and their sum is NaN.
  if (nan || (!interval && sum != sum)) {
    result.low = result.high = kNan;
  } else if (interval) {
    result.nan = true;
    result.low = -kInfinity;
    result.high = kInfinity;
  }
  return result;
}

Accumulated Accumulator::Dot(const Lanes& x, const Lanes& y, size_t count) {
  Accumulated result;
  if (law_ == Law::kFixed) {
    result = LawDot(x, y, count);
  } else if (special_) {
    result = SpecialDot(x, y, count);
  } else if (x.point() && y.point()) {
    result = departs_ && law_ == Law::kNone ? ErrorOfPoints(x.value, y.value, count)
                                            : PointDot(x.value, y.value, count);
  } else {
    result = IntervalDot(x, y, count);
  }
  if (law_ == Law::kFixedOrWide) {
    law_sum_ = LawSumOf(x, y, count);
    AdmitLaw(nullptr, result);
  }
  if (contract_.departure_count != 0) Depart(x, &y, count, result);
  return result;
}

bool Accumulator::RoundsAlike(double sum, double error) const {
  return grid_.Round(sum - error) == grid_.Round(sum + error);
}

Accumulated Accumulator::DotOnGrid(const Lanes& x, const Lanes& y, size_t count) {
  settle_ = true;
  const Accumulated result = Dot(x, y, count);
  settle_ = false;
  return result;
}

namespace {

// With fewer products, sums of one output at a time are faster than packed sums.
constexpr size_t kFewProducts = 4096;

// Facts about each vector of operands.
struct VectorFacts {
  std::vector<uint8_t> open;      // an end of some interval is not finite
  std::vector<uint8_t> nan;       // some number may be NaN
  std::vector<uint8_t> only_nan;  // some number is NaN in every engine
  std::vector<uint8_t> interval;  // some number is not known exactly
};

VectorFacts FactsOf(const Lanes& lanes, size_t vectors, size_t count) {
  VectorFacts facts{std::vector<uint8_t>(vectors), std::vector<uint8_t>(vectors),
                    std::vector<uint8_t>(vectors), std::vector<uint8_t>(vectors)};
  for (size_t i = 0; i < vectors * count; ++i) {
    const double low = lanes.low[i];
    const double high = lanes.high[i];
    const bool finite = std::fabs(low) < kInfinity && std::fabs(high) < kInfinity;
    facts.open[i / count] |= finite ? 0 : 1;
    facts.nan[i / count] |= lanes.nan != nullptr && lanes.nan[i] != 0 ? 1 : 0;
    facts.only_nan[i / count] |= low != low ? 1 : 0;
    facts.interval[i / count] |= low != high ? 1 : 0;
  }
  return facts;
}

bool All(const std::vector<uint8_t>& flags) {
  return !flags.empty() && std::ranges::all_of(flags, [](uint8_t flag) { return flag != 0; });
}

}  // namespace

// The data that one call of Dots needs to turn the sums of a block into results.
struct Accumulator::Block {
  Accumulator& accumulator;
  const Lanes& rows;
  const Lanes& columns;
  size_t count;
  const DotSink& sink;
  VectorFacts row_facts;  // empty if every operand is finite
  VectorFacts column_facts;

  bool Open(size_t row, size_t column) const {
    return !row_facts.open.empty() && (row_facts.open[row] | column_facts.open[column]) != 0;
  }
  bool MayBeNan(size_t row, size_t column) const {
    return !row_facts.open.empty() && (row_facts.nan[row] | column_facts.nan[column]) != 0;
  }
  // Returns the result if an end of some operand is not finite.
  Accumulated OpenSum(const Lanes& x, const Lanes& y, size_t row, size_t column,
                      const IntervalSums& sums) {
    const bool nan = (row_facts.only_nan[row] | column_facts.only_nan[column]) != 0;
    const bool interval =
        (row_facts.interval[row] | column_facts.interval[column]) != 0 || MayBeNan(row, column);
    if (!nan && !interval) return accumulator.Dot(x, y, count);
    return accumulator.OpenDot(x, y, count, sums.value, sums.value_magnitude, nan, interval);
  }

  static void TakePoints(void* self, size_t row, size_t column, const PointSums& sums) {
    auto& block = *static_cast<Block*>(self);
    const Lanes x = block.rows.From(row * block.count);
    const Lanes y = block.columns.From(column * block.count);
    Accumulated result = block.Open(row, column)
                             ? block.accumulator.Dot(x, y, block.count)
                             : block.accumulator.FinishPoints(sums, x.value, y.value, block.count);
    result.nan |= block.MayBeNan(row, column);
    block.sink.take(block.sink.self, row, column, result);
  }
  static void TakeIntervals(void* self, size_t row, size_t column, const IntervalSums& sums) {
    auto& block = *static_cast<Block*>(self);
    const Lanes x = block.rows.From(row * block.count);
    const Lanes y = block.columns.From(column * block.count);
    if (block.Open(row, column)) {
      block.sink.take(block.sink.self, row, column, block.OpenSum(x, y, row, column, sums));
      return;
    }
    Accumulated result = block.accumulator.FinishIntervals(sums, x.value, y.value, block.count);
    result.nan |= block.MayBeNan(row, column);
    block.sink.take(block.sink.self, row, column, result);
  }
};

ProductRounding Accumulator::PackedRounding() const {
  if (products_on_grid_ || !product_rounding_) return ProductRounding::kNone;
  return ProductRounding::kHalf;
}

void Accumulator::Dots(const Lanes& rows, size_t row_count, const Lanes& columns,
                       size_t column_count, size_t count, const DotPlaces& places,
                       const DotSink& sink) {
  const bool points = rows.point() && columns.point();
  const bool packs = packs_ && !leaves_out() && row_count * column_count * count >= kFewProducts &&
                     (!points || !product_rounding_ || products_in_range_);
  settle_ = true;
  if (packs && law_ != Law::kNone && !special_ && PacksLaw(count)) {
    LawDots(rows, row_count, columns, column_count, count, sink);
    settle_ = false;
    return;
  }
  if (packs && law_ == Law::kFixed && special_) {
    SpecialLawDots(rows, row_count, columns, column_count, count, sink);
    settle_ = false;
    return;
  }
  if (!packs || law_ != Law::kNone) {
    for (size_t row = 0; row < row_count; ++row) {
      for (size_t column = 0; column < column_count; ++column) {
        if (leaves_out() && wanted_[places.At(row, column)] == 0) continue;
        sink.take(sink.self, row, column,
                  Dot(rows.From(row * count), columns.From(column * count), count));
      }
    }
    settle_ = false;
    return;
  }
  Block block{*this, rows, columns, count, sink, {}, {}};
  if (special_) {
    block.row_facts = FactsOf(rows, row_count, count);
    block.column_facts = FactsOf(columns, column_count, count);
  }
  if (points) {
    const ProductRounding rounding = PackedRounding();
    SumPoints({rows.value, row_count}, {columns.value, column_count}, count, rounding,
              {Block::TakePoints, &block});
  } else {
    // If all rows or all columns have ends that are not finite, no sums of ends are needed.
    const bool ends = !All(block.row_facts.open) && !All(block.column_facts.open);
    const IntervalWork work = !ends               ? IntervalWork::kValues
                              : product_rounding_ ? IntervalWork::kRoundedEnds
                                                  : IntervalWork::kEnds;
    SumIntervals({rows.value, rows.low, rows.high, row_count},
                 {columns.value, columns.low, columns.high, column_count}, count, work,
                 {Block::TakeIntervals, &block});
  }
  settle_ = false;
}

// Returns the result of a plain sum if an end of some operand is not finite. `sum` is the value.
Accumulated Accumulator::SpecialSum(const Lanes& x, size_t count, double sum) {
  bool nan = false;
  for (size_t k = 0; k < count; ++k) nan |= x.low[k] != x.low[k];
  if (nan) return {.value = kNan, .low = kNan, .high = kNan};
  if (x.point()) return {.value = sum, .low = sum, .high = sum};
  return {.value = sum, .low = -kInfinity, .high = kInfinity, .nan = true};
}

void Accumulator::Depart(const Lanes& x, const Lanes* y, size_t count, Accumulated& sum) {
  if (y != nullptr) {
    DepartFromDot(contract_, grid_, x, *y, count, !special_, sum);
  } else {
    DepartFromSum(contract_, grid_, x, count, !special_, sum);
  }
  target_->loose |= sum.loose;
}

Accumulated Accumulator::Sum(const Lanes& x, size_t count) {
  Accumulated sum = PlainSum(x, count);
  if (contract_.departure_count != 0) Depart(x, nullptr, count, sum);
  return sum;
}

Accumulated Accumulator::PlainSum(const Lanes& x, size_t count) {
  double sum = 0;
  double low = 0;
  double high = 0;
  double magnitude = 0;
  double value_magnitude = 0;
  bool maybe_nan = false;
  for (size_t k = 0; k < count; ++k) {
    sum += x.value[k];
    low += x.low[k];
    high += x.high[k];
    value_magnitude += std::fabs(x.value[k]);
    magnitude += std::max(std::fabs(x.low[k]), std::fabs(x.high[k]));
  }
  if (special_ && x.nan != nullptr) {
    for (size_t k = 0; k < count; ++k) maybe_nan |= x.nan[k] != 0;
  }
  Accumulated result;
  result.exact = value_magnitude <= exact_limit_;
  const bool finite = value_magnitude < kInfinity;
  result.value = result.exact || !finite ? sum : ExactTotal(x.value, count);
  if (!(magnitude < kInfinity)) return SpecialSum(x, count, result.value);
  if (unit_ == 0 && x.point()) {
    result.low = result.high = result.value;
    return result;
  }
  const double largest = std::max(std::fabs(low), std::fabs(high));
  const double error = Error(magnitude, largest, count, x.point());
  result.low = low - error;
  result.high = high + error;
  result.error = error;
  result.nan = maybe_nan;
  return result;
}

Accumulated Accumulator::WithBias(const Accumulated& sum, double value, double low, double high,
                                  bool nan) {
  const BiasRange bias = {value, low, high, nan};
  if (law_ == Law::kFixed) return LawResult(law_sum_, &bias);
  double from = sum.low;
  double to = sum.high;
  if (bias_rounding_ && !sum.empty()) {
    // No source states which of its two tie rules an engine applies to the accumulator.
    from = std::min({from, grid_.Round(from), grid_.Store(from)});
    to = std::max({to, grid_.Round(to), grid_.Store(to)});
  }
  Accumulated result;
  if (sum.exact || !(std::fabs(value) < kInfinity)) {
    result.value = AddOdd(sum.value, value);
  } else if (sum.settled) {
    const double total = sum.value + value;
    const double error = settled_.error + std::fabs(total) * 0x1p-53;
    if (RoundsAlike(total, error)) {
      result.value = total;
    } else {
      ExactDot(settled_.x, settled_.y, settled_.count);
      exact_.Add(value);
      result.value = exact_.Odd();
    }
  } else {
    exact_.Add(value);
    result.value = exact_.Odd();
  }
  result.beyond = sum.beyond;
  const bool up = to == kInfinity || (sum.beyond & kUpward) != 0;
  const bool down = from == -kInfinity || (sum.beyond & kDownward) != 0;
  result.nan = sum.nan || nan || (down && high == kInfinity) || (up && low == -kInfinity);
  result.low = sum.empty() ? kInfinity : AddDown(from, low);
  result.high = sum.empty() ? -kInfinity : AddUp(to, high);
  if (law_ == Law::kFixedOrWide) AdmitLaw(&bias, result);
  return result;
}

Accumulated Accumulator::WithBias(const Accumulated& sum, const BoundedTensor* bias,
                                  size_t channel) {
  if (bias == nullptr) return sum;
  return WithBias(sum, bias->value[channel], bias->low[channel], bias->high[channel],
                  bias->NanAt(channel));
}

Raw AllocateSums(KernelContext& context, const Accumulator& accumulator, size_t count) {
  Raw raw = AllocateRaw(context, count, true);
  raw.fixed = accumulator.follows_fixed_law();
  if (accumulator.may_overflow()) raw.beyond = context.arena().Allocate<uint8_t>(count);
  if (accumulator.leaves_out()) {
    for (size_t i = 0; i < count; ++i) Put(raw, i, {});
  }
  return raw;
}

void Put(const Raw& raw, size_t at, const Accumulated& sum) {
  raw.value[at] = sum.value;
  raw.low[at] = sum.low;
  raw.high[at] = sum.high;
  raw.nan[at] = sum.nan ? 1 : 0;
  if (raw.beyond != nullptr) raw.beyond[at] = sum.beyond;
}

}  // namespace anecheck::reference
