// Scaled dot-product attention. Bounds follow its steps: scores, scale, mask, softmax, weighted
// sum.
#include <algorithm>
#include <bit>
#include <vector>

#include "harness/ops/params.h"
#include "oracles/laws.h"
#include "oracles/reference/departures.h"
#include "oracles/reference/dot.h"
#include "oracles/reference/fixed_point.h"
#include "oracles/reference/lanes.h"
#include "oracles/reference/layout.h"
#include "oracles/reference/mac_departures.h"
#include "oracles/reference/store.h"
#include "oracles/reference/wide.h"

namespace anecheck {
namespace reference {
namespace {

constexpr Term kAttentionTerms[] = {Term::kProductRounding, Term::kAccumulatorUnit,
                                    Term::kBiasRounding,    Term::kNormDifference,
                                    Term::kExponentialUlp,  Term::kDivideUlp};

// The row of one query, with a score for each key. Weigh() computes a key's weight: the exponential
// of the score minus the row's maximum, or of the score itself (D21).
class AttentionRow {
 public:
  AttentionRow(KernelContext& context, DType dtype, size_t keys, const Wide& scale, bool unshifted)
      : contract_(context.contract()),
        grid_(GridOf(context, dtype)),
        wide_scale_(scale),
        scale_(scale.high()),
        rounded_scale_(grid_.Round(scale_)),
        unshifted_(unshifted),
        value_(keys),
        wide_(keys),
        bound_(keys),
        weight_(keys),
        weight_bound_(keys),
        share_(keys),
        least_share_(keys),
        greatest_share_(keys),
        order_(keys) {}

  void SetScore(size_t key, const Accumulated& dot) {
    value_[key] = dot.value * scale_;
    if (std::fabs(value_[key]) < kInfinity) wide_[key] = Wide(dot.value) * wide_scale_;
    Interval bound = Rounded({dot.low, dot.high}, contract_.Allows(Term::kBiasRounding));
    const double most = std::max(scale_, rounded_scale_) * (1 + kDoubleSlack);
    const double least = std::min(scale_, rounded_scale_) * (1 - kDoubleSlack);
    bound.low *= bound.low < 0 ? most : least;
    bound.high *= bound.high < 0 ? least : most;
    bound_[key] = Rounded(bound, contract_.Allows(Term::kBiasRounding));
  }
  void AddMask(size_t key, double value, double low, double high) {
    value_[key] += value;
    if (std::fabs(value_[key]) < kInfinity) wide_[key] = wide_[key] + Wide(value);
    bound_[key] = Rounded({AddDown(bound_[key].low, low), AddUp(bound_[key].high, high)},
                          contract_.Allows(Term::kBiasRounding));
  }
  void Exclude(size_t key) { bound_[key] = {value_[key] = -kInfinity, -kInfinity}; }
  // An engine may exclude the key; `value` says whether the exact mask excludes it.
  void MayExclude(size_t key, bool value) {
    bound_[key].low = -kInfinity;
    if (value) value_[key] = -kInfinity;
  }

  // Computes the exponentials. Returns false if the row has no finite maximum or a score is
  // unbounded; the results are then unbounded.
  bool Weigh() {
    double top = -kInfinity;
    Interval top_bound = {-kInfinity, -kInfinity};
    bool bounded = true;
    for (size_t k = 0; k < value_.size(); ++k) {
      if (value_[k] > top || value_[k] != value_[k]) top = value_[k];
      if (top != top) break;
      top_bound.low = std::max(top_bound.low, bound_[k].low);
      top_bound.high = std::max(top_bound.high, bound_[k].high);
      bounded &= bound_[k].low == bound_[k].low && bound_[k].high < kInfinity;
    }
    total_ = 0;
    top_ = top;
    if (unshifted_) {
      WeighUnshifted();
      return bounded && std::fabs(top) < kInfinity && top_bound.low > -kInfinity;
    }
    for (size_t k = 0; k < value_.size(); ++k) {
      weight_[k] = std::exp(value_[k] - top);
      total_ += weight_[k];
      weight_bound_[k] = {Exponential(bound_[k].low - top_bound.high, -1),
                          Exponential(std::min(0.0, bound_[k].high - top_bound.low), 1)};
    }
    return bounded && std::fabs(top) < kInfinity && top_bound.low > -kInfinity;
  }

  // Whether the mean of v is NaN on every engine: the row's maximum is NaN or +infinity, or an
  // element of v with a positive weight is NaN. Precondition: every engine has the same operands.
  bool IsNan(const Lanes& v) const {
    if (top_ != top_ || top_ == kInfinity) return true;
    bool nan = false;
    for (size_t k = 0; k < weight_bound_.size(); ++k) {
      nan |= v.value[k] != v.value[k] && weight_bound_[k].low > 0;
    }
    return nan;
  }

  // MayBeInvalid: whether on some engine an exponential is an infinity, or all exponentials are 0.
  // IsInvalid: whether this is so on every engine. Every mean then contains infinity / infinity or
  // 0 / 0. Call them only if the weights are exponentials of the scores themselves.
  bool MayBeInvalid() const { return may_overflow_ || least_total_ == 0; }
  bool IsInvalid() const { return overflows_ || greatest_total_ == 0; }

  // Returns the weighted mean of v, or a double that rounds to the same number.
  double Value(const Lanes& v) const {
    double sum = 0;
    double magnitude = 0;
    double score = 0;
    for (size_t k = 0; k < weight_.size(); ++k) {
      sum += weight_[k] * v.value[k];
      magnitude += std::fabs(weight_[k] * v.value[k]);
      if (weight_[k] != 0) score = std::max(score, std::fabs(value_[k]));
    }
    const double mean = sum / total_;
    const double steps = static_cast<double>(weight_.size()) + 8 + 4 * score;
    const double error = steps * 0x1p-52 * magnitude / total_;
    // Under D21 the weights are rounded exponentials, for which no exact mean is defined.
    if (unshifted_ || !(magnitude < kInfinity) || IsSettled(grid_, mean, error)) return mean;
    return WideValue(v);
  }

  // Returns the admitted results for the product of the weights and v. The product runs on the
  // multiply-accumulate path, so the departures of this path apply.
  Accumulated Sum(const Lanes& v) {
    const Interval bound = Bound(v);
    Accumulated sum;
    sum.value = Value(v);
    sum.nan = unshifted_ && MayBeInvalid();
    sum.low = bound.low;
    sum.high = bound.high;
    if (LawsOf(contract_).fixed_sums && grid_.half()) AdmitFixed(v, sum);
    if (contract_.departure_count == 0) return sum;
    DivideWeights();
    const Lanes shares{share_.data(), least_share_.data(), greatest_share_.data(), nullptr};
    DepartFromDot(contract_, grid_, shares, v, share_.size(), false, sum);
    return sum;
  }

 private:
  // Widens the sum by the effects of the fixed-point accumulator: products that it drops or rounds,
  // and its overflow.
  void AdmitFixed(const Lanes& v, Accumulated& sum) const {
    double largest = 0;
    for (size_t k = 0; k < weight_bound_.size(); ++k) {
      if (weight_bound_[k].high == 0) continue;
      largest = std::max({largest, std::fabs(v.low[k]), std::fabs(v.high[k])});
    }
    const auto count = static_cast<double>(weight_bound_.size());
    const double passes = std::floor((count - 1) / static_cast<double>(kFixedPass));
    const double slack =
        2 * count * kFixedUnit + passes * HalfUlp(std::min(2 * largest, kHalfMaxValue)) / 2;
    sum.low -= slack;
    sum.high += slack;
    // The sum of the weights is at most slightly more than 1.
    const double reach = largest * (1 + count * 0x1p-10) + slack;
    if (reach >= kFixedLimit * kFixedUnit) sum.beyond |= kUpward | kDownward;
  }

  // Computes the exponentials of the scores themselves, rounded to the element type. An exponential
  // is an infinity if its score is at least the logarithm of the type's largest number, and 0 if it
  // lies below the type's least number. A weight that may be infinite is bounded by the largest
  // number, since with an infinite weight the row has no mean.
  void WeighUnshifted() {
    const double largest = grid_.Step(kInfinity, -1);
    overflows_ = may_overflow_ = false;
    least_total_ = greatest_total_ = 0;
    for (size_t k = 0; k < value_.size(); ++k) {
      weight_[k] = grid_.Round(std::exp(grid_.Round(value_[k])));
      total_ += weight_[k];
      weight_bound_[k] = {InRange(bound_[k].low, -1), InRange(bound_[k].high, 1)};
      overflows_ |= weight_bound_[k].low == kInfinity;
      may_overflow_ |= weight_bound_[k].high == kInfinity;
      weight_bound_[k].low = std::min(weight_bound_[k].low, largest);
      weight_bound_[k].high = std::min(weight_bound_[k].high, largest);
      least_total_ += weight_bound_[k].low;
      greatest_total_ += weight_bound_[k].high;
    }
  }

  // Returns the rounded exponential if it is 0 or an infinity, else Exponential(score, sign).
  double InRange(double score, int sign) const {
    const double rounded = grid_.Round(std::exp(score));
    return rounded == 0 || rounded == kInfinity ? rounded : Exponential(score, sign);
  }

  // The exponential of the maximum is about 1, so a sum that includes it is about 1 or more.
  double LeastTotal(double total) const { return unshifted_ ? total : std::max(total, 0.5); }

  // Returns the interval of the mean of v over all weights inside their bounds, widened by the
  // error of rounding the weights, the products and the sum.
  Interval Bound(const Lanes& v) {
    Interval mean = {-Largest(v, true), Largest(v, false)};
    const double slack = Slack(v);
    return {mean.low - slack, mean.high + slack};
  }

  // Computes the mean from the scores with about a hundred bits.
  double WideValue(const Lanes& v) const {
    Wide sum(0);
    Wide total(0);
    const auto top = static_cast<size_t>(std::ranges::find(value_, top_) - value_.begin());
    for (size_t k = 0; k < value_.size(); ++k) {
      if (!(value_[k] - top_ > -700)) continue;
      const Wide weight = Exp(wide_[k] - wide_[top]);
      sum = sum + weight * Wide(v.value[k]);
      total = total + weight;
    }
    return (sum / total).Odd();
  }

  void DivideWeights() {
    Interval total;
    for (const Interval& bound : weight_bound_) {
      total.low += bound.low;
      total.high += bound.high;
    }
    total.low = LeastTotal(total.low);
    const auto ulp = static_cast<int>(contract_[Term::kDivideUlp]) + 1;
    for (size_t k = 0; k < share_.size(); ++k) {
      share_[k] = grid_.Round(weight_[k] / total_);
      least_share_[k] = std::max(0.0, grid_.RoundAndStep(weight_bound_[k].low / total.high, -ulp));
      greatest_share_[k] =
          weight_bound_[k].high == 0
              ? 0
              : std::min(1.0, grid_.RoundAndStep(weight_bound_[k].high / total.low, ulp));
    }
  }

  Interval Rounded(const Interval& exact, bool rounds) const {
    if (!rounds) return exact;
    return {std::min({exact.low, grid_.Round(exact.low), grid_.Store(exact.low)}),
            std::max({exact.high, grid_.Round(exact.high), grid_.Store(exact.high)})};
  }
  double Exponential(double difference, int sign) const {
    if (contract_.Allows(Term::kNormDifference)) {
      const double rounded = grid_.Round(difference);
      difference = sign < 0 ? std::min(difference, rounded) : std::max(difference, rounded);
    }
    const double exact = std::exp(difference);
    if (exact == 0) return 0;
    const auto ulp = static_cast<int>(contract_[Term::kExponentialUlp]);
    return std::max(0.0, grid_.RoundAndStep(exact, sign * ulp));
  }

  // Returns the largest mean of v (of -v if `negated`). In this mean the largest elements have
  // their greatest weights, and the other elements have their least weights. Tries every boundary
  // between the two groups.
  double Largest(const Lanes& v, bool negated) {
    const auto at = [&](size_t k) { return negated ? -v.low[k] : v.high[k]; };
    for (size_t k = 0; k < order_.size(); ++k) order_[k] = k;
    std::sort(order_.begin(), order_.end(),
              [&](size_t a, size_t b) { return at(a) != at(b) ? at(a) > at(b) : a < b; });
    double sum = 0;
    double total = 0;
    double magnitude = 0;
    for (size_t k = 0; k < order_.size(); ++k) {
      sum += weight_bound_[k].low * at(k);
      total += weight_bound_[k].low;
      magnitude += weight_bound_[k].high * std::fabs(at(k));
    }
    double best = total > 0 ? sum / total : -kInfinity;
    for (const size_t k : order_) {
      const double more = weight_bound_[k].high - weight_bound_[k].low;
      sum += more * at(k);
      total += more;
      if (total > 0) best = std::max(best, sum / total);
    }
    const auto count = static_cast<double>(order_.size());
    return best + (total > 0 ? magnitude / total * count * kDoubleSlack : 0);
  }

  double Slack(const Lanes& v) const {
    double least_total = 0;
    for (const Interval& bound : weight_bound_) least_total += bound.low;
    least_total = LeastTotal(least_total);
    const double divide = contract_[Term::kDivideUlp] + 1;
    const double unit = contract_[Term::kAccumulatorUnit];
    const auto count = static_cast<double>(weight_bound_.size());
    double slack = 0;
    double magnitude = 0;
    for (size_t k = 0; k < weight_bound_.size(); ++k) {
      const double most = std::max(std::fabs(v.low[k]), std::fabs(v.high[k]));
      if (weight_bound_[k].high == 0) continue;
      const double weight = std::min(1.0, weight_bound_[k].high / least_total);
      slack += most * divide * grid_.Ulp(weight);
      if (contract_.Allows(Term::kProductRounding)) slack += grid_.Ulp(most * weight) / 2;
      magnitude += most * weight;
    }
    // The sum of the weights and the sum of the products have `count` roundings each.
    return slack + magnitude * 2 * (count + 1) * unit * (1 + 0x1p-10);
  }

  const Contract& contract_;
  Grid grid_;
  Wide wide_scale_;
  double scale_;
  double rounded_scale_;
  bool unshifted_;
  bool overflows_ = false, may_overflow_ = false;
  double least_total_ = 0, greatest_total_ = 0;
  std::vector<double> value_;
  std::vector<Wide> wide_;  // the finite elements of value_ with more bits
  std::vector<Interval> bound_;
  std::vector<double> weight_;
  std::vector<Interval> weight_bound_;
  // The weights of the second product, divided by the sum of all weights.
  std::vector<double> share_, least_share_, greatest_share_;
  std::vector<size_t> order_;
  double total_ = 0;
  double top_ = 0;
};

Accumulated Nan() { return {.value = kNan, .low = kNan, .high = kNan, .nan = true}; }

Accumulated Anything(double value) {
  Accumulated any;
  any.value = value;
  any.low = -kInfinity;
  any.high = kInfinity;
  any.nan = true;
  return any;
}

// Whether every engine returns a finite number, or every engine returns the same infinity. Returns
// false for a sum that may overflow in some order of its additions (D01).
bool IsOfOneKind(const Accumulated& dot) {
  return dot.beyond == 0 || (dot.empty() && !dot.nan && std::has_single_bit(dot.beyond));
}

bool AllFinite(const Lanes& lanes, size_t count) {
  bool finite = true;
  for (size_t i = 0; i < count; ++i) {
    finite &= std::fabs(lanes.low[i]) < kInfinity && std::fabs(lanes.high[i]) < kInfinity;
    finite &= lanes.nan == nullptr || lanes.nan[i] == 0;
  }
  return finite;
}

void ApplyMask(AttentionRow& row, size_t key, const BoundedTensor& mask, size_t i) {
  if (mask.type.dtype != DType::kBool) {
    row.AddMask(key, mask.value[i], mask.low[i], mask.high[i]);
  } else if (mask.high[i] == 0) {
    row.Exclude(key);
  } else if (mask.low[i] == 0) {
    row.MayExclude(key, mask.value[i] == 0);
  }
}

struct AttentionOperands {
  BoundedTensor& query;
  BoundedTensor& key;
  const BoundedTensor& value;
  const BoundedTensor* mask;
};
struct AttentionForm {
  size_t keys = 0;
  size_t embedding = 0;  // elements of a query or a key vector
  size_t columns = 0;    // elements of a value vector
  size_t step = 1;       // vectors from one key of a row to the next
  Wide scale;
  bool bounded = true;     // the computed bounds of a score are valid
  bool unshifted = false;  // the weights are exponentials of the scores themselves (D21)
};

// `first(row)` is the index of the first key and value vector for a row of queries, and
// `mask_at(row, key)` is the index of the mask element.
template <typename First, typename MaskAt>
void Attend(KernelContext& context, const AttentionOperands& operands, const AttentionForm& form,
            const First& first, const MaskAt& mask_at) {
  const auto& [query, key, value, mask] = operands;
  const auto [keys, embedding, columns, step, scale, certain, unshifted] = form;
  BoundedTensor& result = context.Result();
  const bool ideal = context.contract().ideal;
  const bool points = query.point() && key.point() && value.point() &&
                      (mask == nullptr || mask->point()) && KeepsNan(context.contract()) &&
                      !LawsOf(context.contract()).plain_numbers;
  Accumulator accumulator(context, query, &key);
  accumulator.RunOnArray(true);
  AttentionRow row(context, query.type.dtype, keys, scale, unshifted);
  LaneBuffer column(context.arena(), keys, value.point());
  Raw raw = ideal ? AllocateRaw(context, result.size, false)
                  : AllocateSums(context, accumulator, result.size);
  raw.fixed = false;  // the scores are fixed-point sums, their weighted means are not
  for (size_t r = 0; r < query.size / embedding; ++r) {
    const size_t start = first(r);
    bool bounded = certain;
    bool alike = true;
    for (size_t k = 0; k < keys; ++k) {
      const Accumulated dot = accumulator.Dot(
          LanesAt(query, r * embedding), LanesAt(key, (start + k * step) * embedding), embedding);
      bounded &= !dot.nan && dot.beyond == 0 && !dot.empty();
      alike &= IsOfOneKind(dot);
      row.SetScore(k, dot);
      if (mask == nullptr) continue;
      const size_t at = mask_at(r, k);
      bounded &= !mask->NanAt(at);
      ApplyMask(row, k, *mask, at);
    }
    bounded &= row.Weigh();
    for (size_t c = 0; c < columns; ++c) {
      const size_t at = r * columns + c;
      GatherStrided(value, static_cast<int64_t>(start * columns + c),
                    static_cast<int64_t>(step * columns), keys, column, 0);
      raw.value[at] = row.Value(column.lanes());
      if (ideal) continue;
      // An infinity may be multiplied by a zero weight, and a row without a maximum has no weights.
      // In both cases the result is unbounded.
      const bool known = bounded && AllFinite(column.lanes(), keys);
      const bool nan = (points && alike && !known && row.IsNan(column.lanes())) ||
                       (known && unshifted && row.IsInvalid());
      Put(raw, at, nan ? Nan() : known ? row.Sum(column.lanes()) : Anything(raw.value[at]));
    }
  }
  StoreFloats(context, result, raw);
}

Status Attention(KernelContext& context) {
  using P = params::Attention;
  BoundedTensor& query = context.Input(P::kQuery);
  BoundedTensor& key = context.Input(P::kKey);
  const BoundedTensor& value = context.Input(P::kValue);
  const BoundedTensor* mask = context.OptionalInput(P::kAttnMask);
  const int rank = query.type.shape.rank();
  const auto rows = static_cast<size_t>(query.type.shape[rank - 2]);
  const auto embedding = static_cast<size_t>(query.type.shape[rank - 1]);
  const auto keys = static_cast<size_t>(key.type.shape[rank - 2]);
  Shape scores = query.type.shape;
  scores[rank - 1] = key.type.shape[rank - 2];
  const std::span<size_t> mask_elements(
      context.arena().Allocate<size_t>(static_cast<size_t>(scores.Elements())),
      static_cast<size_t>(scores.Elements()));
  if (mask != nullptr) {
    ForEachSource(scores, BroadcastStrides(mask->type.shape, scores), 0,
                  [&](size_t at, size_t from) { mask_elements[at] = from; });
  }
  Attend(
      context, {query, key, value, mask},
      {.keys = keys,
       .embedding = embedding,
       .columns = static_cast<size_t>(value.type.shape[rank - 1]),
       .scale = Wide(1) / Sqrt(Wide(static_cast<double>(embedding)))},
      [=](size_t row) { return row / rows * keys; },
      [=](size_t row, size_t k) { return mask_elements[row * keys + k]; });
  return {};
}

// Evaluates the native layer. C is the sequence, H the heads, W the embedding. The scale is an
// operand.
Status NativeAttention(KernelContext& context) {
  using P = params::NativeSdpa;
  BoundedTensor& query = context.Input(P::kQuery);
  BoundedTensor& key = context.Input(P::kKey);
  const BoundedTensor* mask = context.OptionalInput(P::kMask);
  const auto rows = static_cast<size_t>(query.type.shape[1]);
  const auto keys = static_cast<size_t>(key.type.shape[1]);
  const auto heads = static_cast<size_t>(query.type.shape[2]);
  const auto embedding = static_cast<size_t>(query.type.shape[3]);
  // The mask has one plane for all heads, or one plane for each head.
  const size_t planes = mask == nullptr ? 1 : static_cast<size_t>(mask->type.shape[2]);
  const double scale = context.Input(P::kScale).value[0];
  const bool unshifted =
      !context.node().Bool(P::kSubtractMax, false) &&
      context.contract().Find(Effect::kUnshiftedSoftmax, context.node().op()) != nullptr;
  // `plane(head)` is the plane of the mask that a head reads.
  const auto attend = [&](const auto& plane) {
    Attend(
        context, {query, key, context.Input(P::kValue), mask},
        {.keys = keys,
         .embedding = embedding,
         .columns = embedding,
         .step = heads,
         .scale = scale,
         .bounded = scale > 0,
         .unshifted = unshifted},
        [=](size_t row) { return row / heads / rows * keys * heads + row % heads; },
        [=](size_t row, size_t k) {
          return (row / heads % rows * planes + plane(row % heads)) * keys + k;
        });
  };
  const bool one_plane =
      planes > 1 && context.contract().Find(Effect::kOneMaskPlane, context.node().op()) != nullptr;
  if (!one_plane) {
    attend([=](size_t head) { return head % planes; });
    return {};
  }
  std::vector<BoundedTensor> choices;
  const BoundedTensor empty = context.Result();
  for (size_t p = 0; p < planes; ++p) {
    context.Result() = empty;
    attend([=](size_t) { return p; });
    choices.push_back(context.Result());
  }
  context.Result() = empty;
  AdmitAnyOf(context, choices, context.Result());
  return {};
}

}  // namespace
}  // namespace reference

constinit const ReferenceKernel kReferenceScaledDotProductAttention = {
    .evaluate = reference::Attention, .terms = reference::kAttentionTerms};
constinit const ReferenceKernel kReferenceNativeSdpa = {.evaluate = reference::NativeAttention,
                                                        .terms = reference::kAttentionTerms};

}  // namespace anecheck
