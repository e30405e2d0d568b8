// Computes the Accumulator's sums of products that follow the law of the fixed-point accumulator
// (fixed_point.h). For one pass the sums are exact to the bit. For several passes they are
// intervals, because no source says how the passes are divided and rounded.
#include <algorithm>

#include "oracles/laws.h"
#include "oracles/reference/dot.h"
#include "oracles/reference/fixed_point.h"
#include "oracles/reference/packed_fixed.h"
#include "oracles/reference/packed_sums.h"

namespace anecheck::reference {
namespace {

constexpr double kLimit = kFixedLimit * kFixedUnit;
// A partial sum of at least this magnitude may be rounded to the limit between two passes.
constexpr double kLargestPartial = 32752;
// The least number of products added in registers for which packing a block saves time.
constexpr size_t kShortSpan = 8;

// Whether a departure defines how products are summed. Such a departure replaces the law.
bool DepartsInSums(const Contract& contract) {
  for (const Effect effect : {Effect::kPortOverflow, Effect::kInteriorOverflow,
                              Effect::kTileLattice, Effect::kFlushInMac}) {
    if (contract.Find(effect) != nullptr) return true;
  }
  return false;
}

// Returns the largest change of a sum by roundings of partial sums to fp16 between passes.
// `largest` is the greatest partial sum at the end of a pass.
double PassError(size_t count, double largest) {
  if (count <= kFixedPass) return 0;
  const size_t later_passes = (count - 1) / kFixedPass;
  const auto roundings = static_cast<double>(later_passes);
  // Each rounding moves a partial sum, which earlier roundings have moved, by up to half a unit in
  // the last place.
  return roundings * HalfUlp(std::min(largest * (1 + roundings * 0x1p-10), kHalfMaxValue)) / 2;
}

bool IsFinite(const Lanes& lanes, size_t count) {
  for (size_t k = 0; k < count; ++k) {
    if (!(std::fabs(lanes.low[k]) < kInfinity && std::fabs(lanes.high[k]) < kInfinity)) {
      return false;
    }
  }
  return true;
}

bool ArePoints(const Lanes& lanes, size_t count) {
  return lanes.point() || std::equal(lanes.low, lanes.low + count, lanes.high);
}

// Returns consecutive vectors of `count` numbers.
StridedPoints VectorsOf(const double* numbers, size_t count) {
  return {numbers, count, static_cast<int64_t>(count)};
}

}  // namespace

void Accumulator::RunOnArray(bool source_order) {
  const Laws& laws = LawsOf(contract_);
  if (!laws.fixed_sums && !laws.perhaps_fixed_sums) return;
  if (!grid_.half() || DepartsInSums(contract_)) return;
  law_ = laws.fixed_sums ? Law::kFixed : Law::kFixedOrWide;
  source_order_ = source_order;
  may_overflow_ = true;
}

// Checks both operands, because kernels may pass the lanes of either operand first.
bool Accumulator::KnowsBits() const {
  const auto knows = [](const BoundedTensor& tensor) {
    return !tensor.special || (tensor.point() && tensor.signed_zero);
  };
  return knows(x_) && knows(*y_);
}

bool Accumulator::DecodeLanes(const Lanes& from, size_t count, bool bits_known, DecodedLanes& to) {
  to.value.resize(count);
  to.low.resize(count);
  to.high.resize(count);
  for (size_t k = 0; k < count; ++k) {
    const bool nan = from.nan != nullptr && from.nan[k] != 0;
    const Interval range = DecodedEnds(from.low[k], from.high[k], nan, bits_known);
    to.value[k] = DecodeAsNumber(from.value[k]);
    to.low[k] = range.low;
    to.high[k] = range.high;
  }
  return IsFinite(to.lanes(), count);
}

Accumulator::LawSum Accumulator::KnownLawSum(const FixedSum& fixed, const Lanes& x, const Lanes& y,
                                             size_t count) {
  return {.value = fixed.total,
          .size = fixed.size,
          .low = fixed.total,
          .high = fixed.total,
          .positive = (fixed.size + fixed.total) / 2,
          .negative = (fixed.total - fixed.size) / 2,
          .reach = fixed.reach,
          .x = x,
          .y = y,
          .count = count};
}

Accumulator::LawSum Accumulator::LawSumOfEnds(const FixedSum& values, const FixedEnds& ends,
                                              const Lanes& x, const Lanes& y, size_t count) {
  LawSum sum = KnownLawSum(values, x, y, count);
  sum.points = ends.low == ends.high && ArePoints(x, count) && ArePoints(y, count);
  if (sum.points) return sum;
  sum.low = ends.low;
  sum.high = ends.high;
  sum.positive = ends.positive;
  sum.negative = ends.negative;
  sum.reach = ends.reach;
  return sum;
}

Accumulator::LawSum Accumulator::LawSumOf(const Lanes& x, const Lanes& y, size_t count) {
  Lanes a = x;
  Lanes b = y;
  bool numbers = true;
  if (special_) {
    numbers = DecodeLanes(x, count, KnowsBits(), decoded_x_);
    numbers &= DecodeLanes(y, count, KnowsBits(), decoded_y_);
    a = decoded_x_.lanes();
    b = decoded_y_.lanes();
  }
  return LawSumOfNumbers(a, b, count, numbers);
}

Accumulator::LawSum Accumulator::LawSumOfNumbers(const Lanes& a, const Lanes& b, size_t count,
                                                 bool numbers) {
  LawSum sum = KnownLawSum(SumFixed(a.value, b.value, count), a, b, count);
  sum.numbers = numbers;
  sum.points = ArePoints(a, count) && ArePoints(b, count);
  if (sum.points || !numbers) return sum;
  sum.low = sum.high = sum.positive = sum.negative = sum.reach = 0;
  for (size_t k = 0; k < count; ++k) {
    const double corners[] = {FixedProduct(a.low[k], b.low[k]), FixedProduct(a.low[k], b.high[k]),
                              FixedProduct(a.high[k], b.low[k]),
                              FixedProduct(a.high[k], b.high[k])};
    const auto [least, most] = std::ranges::minmax(corners);
    sum.low += least;
    sum.high += most;
    sum.positive += std::max(most, 0.0);
    sum.negative += std::min(least, 0.0);
    sum.reach = std::max({sum.reach, std::fabs(sum.low), std::fabs(sum.high)});
  }
  return sum;
}

Accumulated Accumulator::LawDot(const Lanes& x, const Lanes& y, size_t count) {
  law_sum_ = LawSumOf(x, y, count);
  return LawResult(law_sum_, nullptr);
}

// Returns the array's result for the operands' values. It is an infinity if the order of additions
// is known and the sum overflows in this order.
double Accumulator::LawValue(const LawSum& sum, double start) const {
  const bool fits = sum.size + std::fabs(start) < kFixedLimit;
  if (fits || !source_order_ || sum.count > kFixedPass) return (sum.value + start) * kFixedUnit;
  return SumFixedInOrder(sum.x.value, sum.y.value, sum.count, start) * kFixedUnit;
}

Accumulated Accumulator::LawResult(LawSum sum, const BiasRange* bias) const {
  BiasRange start;
  if (bias != nullptr) {
    const Interval range = DecodedEnds(bias->low, bias->high, bias->nan, true);
    start = {FixedStart(DecodeAsNumber(bias->value)), FixedStart(range.low),
             FixedStart(range.high)};
    sum.numbers &= std::fabs(range.low) < kInfinity && std::fabs(range.high) < kInfinity;
    sum.numbers &= !bias->nan && bias->low == bias->low;
    sum.points &= range.low == range.high;
  }
  Accumulated result{.value = LawValue(sum, start.value)};
  if (!sum.numbers) {
    result.low = -kInfinity;
    result.high = kInfinity;
    result.nan = true;
    return result;
  }
  if (sum.points && source_order_ && sum.count <= kFixedPass) {
    result.low = result.high = result.value;
    return result;
  }
  const double positive = (sum.positive + std::max(start.high, 0.0)) * kFixedUnit;
  const double negative = (sum.negative + std::min(start.low, 0.0)) * kFixedUnit;
  const double start_size = std::max(std::fabs(start.low), std::fabs(start.high));
  const double partial =
      source_order_ ? (sum.reach + start_size) * kFixedUnit : std::max(positive, -negative);
  const double error = PassError(sum.count, partial);
  const double reach = sum.count <= kFixedPass ? kLimit : kLargestPartial - error;
  if (positive >= reach) result.beyond |= kUpward;
  if (-negative >= reach) result.beyond |= kDownward;
  result.low = (sum.low + start.low) * kFixedUnit - error;
  result.high = (sum.high + start.high) * kFixedUnit + error;
  // A sum that ends beyond the limit overflows in every order.
  if (result.low >= kLimit || result.high <= -kLimit) {
    result.value = result.low >= kLimit ? kInfinity : -kInfinity;
    result.low = kInfinity;
    result.high = -kInfinity;
    return result;
  }
  result.low = std::max(result.low, -kLimit);
  result.high = std::min(result.high, kLimit);
  if (std::fabs(result.value) < kInfinity) {
    result.value = std::clamp(result.value, result.low, result.high);
  }
  return result;
}

void Accumulator::AdmitLaw(const BiasRange* bias, Accumulated& sum) const {
  if (law_sum_.count == 0 || special_ || sum.nan || sum.empty()) return;
  const Accumulated law = LawResult(law_sum_, bias);
  const bool finite = std::fabs(law.low) < kInfinity && std::fabs(law.high) < kInfinity;
  if (law.nan || law.beyond != 0 || !finite) return;
  sum.low = std::min(sum.low, law.low);
  sum.high = std::max(sum.high, law.high);
}

// ---- blocks -------------------------------------------------------------------------------------

// The array drops only products smaller than two units, which are 2^-15.
bool Accumulator::MayDrop() const { return lowest_product_bit_ < -15; }

bool Accumulator::PacksLaw(size_t count) const {
  return law_ == Law::kFixed &&
         FixedSpan(x_.max_magnitude, y_->max_magnitude) >= std::min(count, kShortSpan);
}

bool Accumulator::StoresLaw(size_t count, const BoundedTensor* bias) const {
  // If the fixed-point accumulator overflows, the sum of the wide accumulator stays admitted.
  if (law_ == Law::kFixedOrWide) {
    return FixedSpan(x_.max_magnitude, y_->max_magnitude) >= std::min(count, kShortSpan);
  }
  double start = 0;
  for (size_t i = 0; bias != nullptr && i < bias->size; ++i) {
    start = std::max(start, std::fabs(bias->value[i]));
  }
  const double largest = x_.max_magnitude * y_->max_magnitude * static_cast<double>(count) + start;
  // Returns true if no order of additions overflows.
  return largest + PassError(count, largest) + 1 < kLargestPartial / 2;
}

// Vectors in which numbers with exponent 31 are decoded.
struct Accumulator::LawVectors {
  Lanes lanes;            // all finite: a value replaces each infinite or NaN end
  const uint8_t* finite;  // for each vector, whether every end is finite
  double largest;         // largest magnitude of the values
};

// The sums of a block of values, and their results.
struct Accumulator::LawBlock {
  Accumulator& accumulator;
  const Lanes& rows;
  const Lanes& columns;
  size_t column_count;
  size_t count;
  const DotSink& sink;
  FixedSum* values = nullptr;  // [row][column] if the operands are intervals
  // The original operands, and flags of finite vectors. Null if every operand is finite.
  const Lanes* given_rows = nullptr;
  const Lanes* given_columns = nullptr;
  const uint8_t* finite_rows = nullptr;
  const uint8_t* finite_columns = nullptr;

  bool AreNumbers(size_t row, size_t column) const {
    return finite_rows == nullptr || (finite_rows[row] != 0 && finite_columns[column] != 0);
  }
  void Take(size_t row, size_t column, const LawSum& sum) const {
    accumulator.law_sum_ = sum;
    accumulator.law_sum_.numbers = AreNumbers(row, column);
    Accumulated result = accumulator.LawResult(accumulator.law_sum_, nullptr);
    if (accumulator.contract_.departure_count != 0) {
      const Lanes x = (given_rows == nullptr ? rows : *given_rows).From(row * count);
      const Lanes y = (given_columns == nullptr ? columns : *given_columns).From(column * count);
      accumulator.Depart(x, &y, count, result);
    }
    sink.take(sink.self, row, column, result);
  }
  static void TakePoints(void* self, size_t row, size_t column, const FixedSum& sum) {
    const auto& block = *static_cast<const LawBlock*>(self);
    block.Take(row, column,
               KnownLawSum(sum, block.rows.From(row * block.count),
                           block.columns.From(column * block.count), block.count));
  }
  static void Keep(void* self, size_t row, size_t column, const FixedSum& sum) {
    const auto& block = *static_cast<const LawBlock*>(self);
    block.values[row * block.column_count + column] = sum;
  }
  static void TakeIntervals(void* self, size_t row, size_t column, const FixedEnds& sums) {
    const auto& block = *static_cast<const LawBlock*>(self);
    block.Take(row, column,
               LawSumOfEnds(block.values[row * block.column_count + column], sums,
                            block.rows.From(row * block.count),
                            block.columns.From(column * block.count), block.count));
  }
};

void Accumulator::LawDots(const Lanes& rows, size_t row_count, const Lanes& columns,
                          size_t column_count, size_t count, const DotSink& sink) {
  LawBlock block{*this, rows, columns, column_count, count, sink};
  SumLawBlock(block, row_count, FixedSpan(x_.max_magnitude, y_->max_magnitude));
}

void Accumulator::SumLawBlock(LawBlock& block, size_t row_count, size_t span) {
  const Workspace workspace(*arena_);
  const Lanes& rows = block.rows;
  const Lanes& columns = block.columns;
  const bool points = rows.point() && columns.point();
  if (!points) block.values = arena_->Allocate<FixedSum>(row_count * block.column_count);
  const FixedArithmetic arithmetic = {.count = block.count, .span = span, .drops = MayDrop()};
  const StridedPoints of_rows = VectorsOf(rows.value, block.count);
  const StridedPoints of_columns = VectorsOf(columns.value, block.count);
  SumFixedBlock(of_rows.Vectors(row_count), of_columns.Vectors(block.column_count), arithmetic,
                *arena_, {points ? LawBlock::TakePoints : LawBlock::Keep, &block});
  if (points) return;
  SumFixedEnds({rows.value, rows.low, rows.high, row_count},
               {columns.value, columns.low, columns.high, block.column_count}, block.count, *arena_,
               {LawBlock::TakeIntervals, &block});
}

Accumulator::LawVectors Accumulator::VectorsAsNumbers(const Lanes& lanes, size_t vectors,
                                                      size_t count) const {
  const bool bits_known = KnowsBits();
  const size_t size = vectors * count;
  auto* value = arena_->Allocate<double>(size);
  auto* low = arena_->Allocate<double>(size);
  auto* high = arena_->Allocate<double>(size);
  auto* finite = arena_->Allocate<uint8_t>(vectors);
  double largest = 0;
  bool points = true;
  for (size_t i = 0; i < size; ++i) {
    if (i % count == 0) finite[i / count] = 1;
    const bool nan = lanes.nan != nullptr && lanes.nan[i] != 0;
    Interval range = DecodedEnds(lanes.low[i], lanes.high[i], nan, bits_known);
    value[i] = DecodeAsNumber(lanes.value[i]);
    largest = std::max(largest, std::fabs(value[i]));
    if (!(std::fabs(range.low) < kInfinity && std::fabs(range.high) < kInfinity)) {
      finite[i / count] = 0;
      range = {value[i], value[i]};
    }
    low[i] = range.low;
    high[i] = range.high;
    points &= range.low == range.high;
  }
  if (points) return {{value, value, value, nullptr}, finite, largest};
  return {{value, low, high, nullptr}, finite, largest};
}

void Accumulator::SpecialLawDots(const Lanes& rows, size_t row_count, const Lanes& columns,
                                 size_t column_count, size_t count, const DotSink& sink) {
  const Workspace workspace(*arena_);
  const LawVectors x = VectorsAsNumbers(rows, row_count, count);
  const LawVectors y = VectorsAsNumbers(columns, column_count, count);
  LawBlock block{*this, x.lanes, y.lanes, column_count, count, sink};
  block.given_rows = &rows;
  block.given_columns = &columns;
  block.finite_rows = x.finite;
  block.finite_columns = y.finite;
  const size_t span = FixedSpan(x.largest, y.largest);
  if (span >= std::min(count, kShortSpan)) {
    SumLawBlock(block, row_count, span);
    return;
  }
  for (size_t row = 0; row < row_count; ++row) {
    for (size_t column = 0; column < column_count; ++column) {
      block.Take(row, column,
                 LawSumOfNumbers(x.lanes.From(row * count), y.lanes.From(column * count), count,
                                 block.AreNumbers(row, column)));
    }
  }
}

struct Accumulator::LawStore {
  const Accumulator& accumulator;
  size_t count;
  const PointBias& bias;
  PointResults& results;

  static void Take(void* self, size_t row, size_t column, const FixedSum& fixed) {
    const auto& to = *static_cast<const LawStore*>(self);
    const double bias = to.bias.of_rows != nullptr      ? to.bias.of_rows[row]
                        : to.bias.of_columns != nullptr ? to.bias.of_columns[column]
                                                        : 0;
    const double start = FixedStart(bias);
    const double sum = (fixed.total + start) * kFixedUnit;
    const double size = (fixed.size + std::fabs(start)) * kFixedUnit;
    const double largest = (size + std::fabs(sum)) / 2;
    const double partial =
        to.accumulator.source_order_ ? (fixed.reach + std::fabs(start)) * kFixedUnit : largest;
    const double error = PassError(to.count, partial);
    const bool wide_or = to.accumulator.law_ == Law::kFixedOrWide;
    if (wide_or && largest >= (to.count <= kFixedPass ? kLimit : kLargestPartial - error)) return;
    const Grid& grid = to.accumulator.grid_;
    const auto store = [&grid](double x) { return grid.Store(x); };
    const bool wide = to.accumulator.contract_.Allows(Term::kWideIntermediate);
    const size_t at = row * to.results.pitch + column;
    double low = OuterFixedLow(store, sum - error, wide);
    double high = OuterFixedHigh(store, sum + error, wide);
    if (wide_or) {
      low = std::min(low, to.results.low[at]);
      high = std::max(high, to.results.high[at]);
    } else {
      to.results.value[at] = store(sum);
    }
    to.results.low[at] = low;
    to.results.high[at] = high;
    to.results.point &= low == to.results.value[at] && high == to.results.value[at];
  }
};

void Accumulator::StoreLawDots(const PointVectors& rows, const PointVectors& columns, size_t count,
                               const PointBias& bias, PointResults& results) {
  LawStore store{*this, count, bias, results};
  const FixedArithmetic arithmetic = {
      .count = count, .span = FixedSpan(x_.max_magnitude, y_->max_magnitude), .drops = MayDrop()};
  SumFixedBlock(rows, columns, arithmetic, *arena_, {LawStore::Take, &store});
}

}  // namespace anecheck::reference
