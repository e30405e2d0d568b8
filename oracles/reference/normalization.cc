// Kernels of layer and instance normalization. They derive bounds through mean, variance,
// reciprocal root and scale.
#include <algorithm>

#include "harness/ops/params.h"
#include "oracles/reference/dot.h"
#include "oracles/reference/lanes.h"
#include "oracles/reference/layout.h"
#include "oracles/reference/pointwise.h"
#include "oracles/reference/store.h"
#include "oracles/reference/wide.h"

namespace anecheck {
namespace reference {
namespace {

constexpr Term kNormTerms[] = {Term::kAccumulatorUnit,    Term::kReduceUnit,
                               Term::kReciprocalRelative, Term::kRootUlp,
                               Term::kNormDifference,     Term::kBiasRounding};

Bounds Times(const Bounds& a, const Bounds& b) {
  const Bounds product = Product(a, b);
  return {WidenDown(product.low), WidenUp(product.high), product.nan};
}
Bounds Plus(const Bounds& a, const Bounds& b) {
  const auto opposite = [](double x, double y) { return std::isinf(x) && x == -y; };
  const bool nan = a.nan || b.nan || opposite(a.low, b.high) || opposite(a.high, b.low);
  return {AddDown(a.low, b.low), AddUp(a.high, b.high), nan};
}

// An epsilon in two forms, as given and rounded to the element type. Exact values use `value`, and
// bounds use both forms.
struct Epsilon {
  double value = 0;
  double other = 0;
};

// Computes the steps of one group after its sum. Each step uses the bounds of the step before.
class LayerNormGroup {
 public:
  LayerNormGroup(KernelContext& context, DType dtype, size_t count, const Epsilon& epsilon)
      : contract_(context.contract()),
        grid_(GridOf(context, dtype)),
        count_(static_cast<double>(count)),
        epsilon_(epsilon.value),
        epsilon_low_(std::min(epsilon.value, epsilon.other)),
        epsilon_high_(std::max(epsilon.value, epsilon.other)),
        // 1 / n is exact for powers of two.
        reciprocal_error_((count & (count - 1)) == 0 ? 0 : contract_[Term::kReciprocalRelative]),
        centred_(context.arena().Allocate<double>(count)),
        differences_(context.arena().Allocate<Interval>(count)) {}

  // Takes x and the sum of its values.
  void Centre(const Lanes& x, size_t n, const Accumulated& sum) {
    CentreValues(x, n, sum.value);
    if (!contract_.ideal) CentreBounds(x, n, sum);
  }

  // Whether x - mean, rounded to the element type, may overflow, or the variance may have no root.
  // Later values may then be NaN.
  bool Overflows() const { return overflows_; }
  double Value(size_t i) const { return centred_[i] / value_root_; }
  // The relative error of Value, which is a sum of n squares, a root and a quotient in double.
  double ValueError() const { return (count_ + 6) * 0x1p-52; }
  Wide WideValue(size_t i) {
    if (!has_wide_root_) {
      Wide squares = Wide(epsilon_ * count_) * Wide(count_) * Wide(count_);
      for (size_t k = 0; k < static_cast<size_t>(count_); ++k) {
        squares = squares + Wide(centred_[k]) * Wide(centred_[k]);
      }
      wide_root_ = Sqrt(squares / Wide(count_));
      has_wide_root_ = true;
    }
    return Wide(centred_[i]) / wide_root_;
  }
  // The normalised element before scale and offset, rounded to the grid or unrounded.
  Bounds Bound(size_t i) const {
    Bounds y = Times({differences_[i].low, differences_[i].high}, reciprocal_);
    // A reciprocal root that overflows makes elements infinite, or NaN for a difference of 0.
    if (!(reciprocal_.high < kInfinity)) return Round(y);
    // For every rounding of the differences, an element is at most sqrt(n) standard deviations from
    // the mean. The reciprocal root errs by less than 2^-9.
    const double limit = std::sqrt(count_) * (1 + 0x1p-8) * (1 + error_);
    y.low = std::clamp(y.low, -limit, limit);
    y.high = std::clamp(y.high, -limit, limit);
    return Round(y);
  }
  Bounds Round(const Bounds& y) const { return Held(grid_, contract_, y); }

 private:
  // n x - sum is exact on the operands' grid, so no error grows by cancellation.
  void CentreValues(const Lanes& x, size_t n, double sum) {
    has_wide_root_ = false;
    double squares = 0;
    for (size_t i = 0; i < n; ++i) {
      centred_[i] = count_ * x.value[i] - sum;
      squares += centred_[i] * centred_[i];
    }
    value_root_ = std::sqrt(squares / count_ + epsilon_ * count_ * count_);
  }

  // Returns the possible changes of a mean by rounding to the element type. They include 0.
  Interval MeanMoves(const Interval& mean) const {
    const double low = grid_.Store(mean.low);
    const double high = grid_.Store(mean.high);
    if (low == high) return {std::min(0.0, low - mean.high), std::max(0.0, low - mean.low)};
    const double half = grid_.Ulp(std::max(std::fabs(low), std::fabs(high))) / 2;
    return {-half, half};
  }

  void CentreBounds(const Lanes& x, size_t n, const Accumulated& sum) {
    double total_low = 0;
    double total_high = 0;
    double magnitude = 0;
    for (size_t i = 0; i < n; ++i) {
      total_low += x.low[i];
      total_high += x.high[i];
      magnitude += std::max(std::fabs(x.low[i]), std::fabs(x.high[i]));
    }
    const double mean_error = (std::max({0.0, total_low - sum.low, sum.high - total_high}) +
                               magnitude * (reciprocal_error_ + kDoubleSlack * count_)) /
                              count_;
    const Interval moved =
        MeanMoves({total_low / count_ - mean_error, total_high / count_ + mean_error});
    double squares_low = 0;
    double squares_high = 0;
    overflows_ = false;
    for (size_t i = 0; i < n; ++i) {
      Interval& d = differences_[i];
      d.low = (x.low[i] * (count_ - 1) - (total_high - x.high[i])) / count_ - mean_error;
      d.high = (x.high[i] * (count_ - 1) - (total_low - x.low[i])) / count_ + mean_error;
      if (contract_.Allows(Term::kNormDifference)) {
        d = {d.low - moved.high, d.high - moved.low};
        d.low = std::min({d.low, grid_.Round(d.low), grid_.Store(d.low)});
        d.high = std::max({d.high, grid_.Round(d.high), grid_.Store(d.high)});
      }
      overflows_ |= !(std::fabs(d.low) < kInfinity) || !(std::fabs(d.high) < kInfinity);
      const double least = d.low > 0 ? d.low : d.high < 0 ? -d.high : 0;
      const double greatest = std::max(std::fabs(d.low), std::fabs(d.high));
      squares_low += least * least;
      squares_high += greatest * greatest;
    }
    error_ = (count_ + 2) * contract_[Term::kAccumulatorUnit] * (1 + 0x1p-10) + reciprocal_error_ +
             kDoubleSlack * count_;
    const double variance_low = squares_low / count_ * (1 - error_) + epsilon_low_;
    const double variance_high = squares_high / count_ * (1 + error_) + epsilon_high_;
    overflows_ |= variance_low < 0;  // with a negative epsilon, the root may not exist
    const auto ulp = static_cast<int>(contract_[Term::kRootUlp]);
    reciprocal_.low =
        std::max(0.0, grid_.RoundAndStep(1 / std::sqrt(variance_high) * (1 - 0x1p-23), -ulp));
    reciprocal_.high = grid_.RoundAndStep(1 / std::sqrt(variance_low) * (1 + 0x1p-23), ulp);
  }

  const Contract& contract_;
  Grid grid_;
  double count_;
  double epsilon_;
  double epsilon_low_;  // as given, or rounded to the element type
  double epsilon_high_;
  double reciprocal_error_;  // relative error of 1 / n
  double* centred_;          // n x - sum
  Interval* differences_;    // x - mean
  double value_root_ = 0;    // n times the standard deviation
  Wide wide_root_;           // value_root_ in more bits, computed if double is too inaccurate
  bool has_wide_root_ = false;
  Bounds reciprocal_;
  double error_ = 0;
  bool overflows_ = false;
};

// The scales and offsets, by the lane of an element in its group.
struct Affine {
  const BoundedTensor* gamma = nullptr;
  const BoundedTensor* beta = nullptr;

  // Returns the exact result, or a double that rounds to the same number.
  double Value(LayerNormGroup& group, const Grid& grid, size_t i, size_t lane) const {
    const double scale = gamma == nullptr ? 1 : gamma->value[lane];
    const double offset = beta == nullptr ? 0 : beta->value[lane];
    const double scaled = group.Value(i) * scale;
    const double value = scaled + offset;
    const double error = std::fabs(scaled) * group.ValueError() + std::fabs(value) * 0x1p-52;
    if (IsSettled(grid, value, error)) return value;
    return (group.WideValue(i) * Wide(scale) + Wide(offset)).Odd();
  }
  Bounds Bound(const LayerNormGroup& group, Bounds y, size_t lane) const {
    if (gamma != nullptr) {
      y = Times(y, {gamma->low[lane], gamma->high[lane], gamma->NanAt(lane)});
      if (beta != nullptr) y = group.Round(y);
    }
    if (beta == nullptr) return y;
    return Plus(y, {beta->low[lane], beta->high[lane], beta->NanAt(lane)});
  }
};

bool AllFinite(const Lanes& lanes, size_t count) {
  bool finite = true;
  for (size_t i = 0; i < count; ++i) {
    finite &= std::fabs(lanes.low[i]) < kInfinity && std::fabs(lanes.high[i]) < kInfinity;
    finite &= lanes.nan == nullptr || lanes.nan[i] == 0;
  }
  return finite;
}

// An infinity or a NaN makes the mean invalid and thus every element. If an engine reads NaN as an
// infinity (departure kNanAsInfinity), no source documents the result, so it is unbounded.
void FillInvalid(const Raw& raw, std::span<const int64_t> offsets, int64_t base, bool certain) {
  for (const int64_t offset : offsets) {
    const auto at = static_cast<size_t>(base + offset);
    raw.value[at] = kNan;
    if (raw.low == nullptr) continue;
    raw.low[at] = certain ? kNan : -kInfinity;
    raw.high[at] = certain ? kNan : kInfinity;
    raw.nan[at] = 1;
  }
}

// The differences between the two normalizations: the groups, and the constants of an element.
struct NormForm {
  uint32_t mask = 0;
  Epsilon epsilon;
  Affine affine;
  // Whether a group has the constant of its channel. If not, each lane has its own (layer_norm).
  bool by_channel = false;
};

size_t ChannelOf(const Shape& shape, int64_t element) {
  int64_t inner = 1;
  for (int axis = 2; axis < shape.rank(); ++axis) inner *= shape[axis];
  return static_cast<size_t>(element / inner % shape[1]);
}

Status Normalise(KernelContext& context, const NormForm& form) {
  BoundedTensor& x = OpenNumbers(context, context.Input(0));
  BoundedTensor& result = context.Result();
  const AxisSplit split = SplitAxes(context.arena(), x.type.shape, form.mask);
  const size_t count = split.inner.size();
  const Contract& contract = context.contract();
  const Grid grid = GridOf(context, result.type.dtype);
  const Raw raw = AllocateRaw(context, result.size, !contract.ideal);
  Accumulator accumulator(context, x, nullptr);
  LaneBuffer lanes(context.arena(), count, x.point());
  LayerNormGroup group(context, x.type.dtype, count, form.epsilon);
  const bool documented = contract.Find(Effect::kNanAsInfinity) == nullptr;
  for (const int64_t base : split.outer) {
    GatherOffsets(x, base, split.inner, lanes);
    const Lanes elements = lanes.lanes();
    if (x.special && !AllFinite(elements, count)) {
      FillInvalid(raw, split.inner, base, documented && x.point());
      const Lanes values = {elements.value, elements.value, elements.value};
      if (!AllFinite(values, count)) continue;
      // Only the ends are not finite, so the value is computed as usual.
      group.Centre(values, count, accumulator.Sum(values, count));
      for (size_t i = 0; i < count; ++i) {
        const auto at = static_cast<size_t>(base + split.inner[i]);
        const size_t lane = form.by_channel ? ChannelOf(x.type.shape, base) : i;
        raw.value[at] = form.affine.Value(group, grid, i, lane);
      }
      continue;
    }
    group.Centre(elements, count, accumulator.Sum(elements, count));
    const size_t channel = form.by_channel ? ChannelOf(x.type.shape, base) : 0;
    for (size_t i = 0; i < count; ++i) {
      const auto at = static_cast<size_t>(base + split.inner[i]);
      const size_t lane = form.by_channel ? channel : i;
      raw.value[at] = form.affine.Value(group, grid, i, lane);
      if (contract.ideal) continue;
      const Bounds bound = group.Overflows() ? Bounds{-kInfinity, kInfinity, true}
                                             : form.affine.Bound(group, group.Bound(i), lane);
      raw.low[at] = bound.low;
      raw.high[at] = bound.high;
      raw.nan[at] = bound.nan ? 1 : 0;
    }
  }
  StoreFloats(context, result, raw);
  return {};
}

// Returns the epsilon as given, rounded to fp32. An absent epsilon is rounded to the element type,
// but an engine may hold it in a wider type.
Epsilon EpsilonOf(const KernelContext& context, int parameter) {
  const double epsilon = RoundToFloat(context.node().Float(parameter, 1e-5));
  const double rounded = Grid(context.node().ResultType().dtype).Round(epsilon);
  if (context.node().HasAttribute(parameter)) return {epsilon, rounded};
  return {rounded, epsilon};
}

Status LayerNorm(KernelContext& context) {
  using P = params::LayerNorm;
  const int rank = context.Input(P::kX).type.shape.rank();
  return Normalise(
      context, {.mask = MaskOfAxes(context.node(), P::kAxes, rank),
                .epsilon = EpsilonOf(context, P::kEpsilon),
                .affine = {OptionalAsRead(context, P::kGamma), OptionalAsRead(context, P::kBeta)}});
}

// Normalizes each channel of each example separately.
Status InstanceNorm(KernelContext& context) {
  using P = params::InstanceNorm;
  const int rank = context.Input(P::kX).type.shape.rank();
  return Normalise(
      context, {.mask = ((uint32_t{1} << rank) - 1) & ~uint32_t{3},
                .epsilon = EpsilonOf(context, P::kEpsilon),
                .affine = {OptionalAsRead(context, P::kGamma), OptionalAsRead(context, P::kBeta)},
                .by_channel = true});
}

}  // namespace
}  // namespace reference

constinit const ReferenceKernel kReferenceLayerNorm = {.evaluate = reference::LayerNorm,
                                                       .terms = reference::kNormTerms};
constinit const ReferenceKernel kReferenceInstanceNorm = {.evaluate = reference::InstanceNorm,
                                                          .terms = reference::kNormTerms};

}  // namespace anecheck
