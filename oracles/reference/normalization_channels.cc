// Normalizations with given statistics or without a mean: batch norm, l2 norm, local response norm.
#include <algorithm>

#include "harness/ops/params.h"
#include "oracles/reference/dot.h"
#include "oracles/reference/groups.h"
#include "oracles/reference/pointwise.h"
#include "oracles/reference/wide.h"

namespace anecheck {
namespace reference {
namespace {

constexpr Term kBatchTerms[] = {Term::kRootUlp, Term::kNormDifference, Term::kBiasRounding};
constexpr Term kSquareTerms[] = {Term::kAccumulatorUnit, Term::kProductRounding, Term::kRootUlp};
constexpr Term kResponseTerms[] = {Term::kAccumulatorUnit, Term::kProductRounding,
                                   Term::kExponentialUlp};

Bounds Times(const Bounds& a, const Bounds& b) {
  const Bounds product = Product(a, b);
  return {WidenDown(product.low), WidenUp(product.high), product.nan};
}
Bounds Plus(const Bounds& a, const Bounds& b) {
  const auto opposite = [](double x, double y) { return std::isinf(x) && x == -y; };
  const bool nan = a.nan || b.nan || opposite(a.low, b.high) || opposite(a.high, b.low);
  return {AddDown(a.low, b.low), AddUp(a.high, b.high), nan};
}
Bounds Hull(const Bounds& a, const Bounds& b) {
  if (a.low != a.low) return {b.low, b.high, true};
  if (b.low != b.low) return {a.low, a.high, true};
  return {std::min(a.low, b.low), std::max(a.high, b.high), a.nan || b.nan};
}
Bounds RangeOf(const BoundedTensor& tensor, size_t i) {
  return {tensor.low[i], tensor.high[i], tensor.NanAt(i)};
}
bool IsFinite(const Bounds& range) {
  return !range.nan && std::fabs(range.low) < kInfinity && std::fabs(range.high) < kInfinity;
}

// Computes the bounds of single steps of these operations, for one contract and one grid.
class Steps {
 public:
  Steps(const Contract& contract, const Grid& grid) : contract_(contract), grid_(grid) {}

  Bounds Hold(const Bounds& range) const { return Held(grid_, contract_, range); }
  // Returns the bounds of 1 / sqrt. They include the neighbours of the root, which may be rounded.
  Bounds ReciprocalRoot(const Bounds& range) const {
    if (range.high < 0) return {kNan, kNan};
    const double least = 1 / std::sqrt(range.high);
    const double most = range.low > 0 ? 1 / std::sqrt(range.low) : kInfinity;
    return Hold(Neighbours({least, most, range.nan || range.low < 0}, Term::kRootUlp));
  }
  Bounds Neighbours(const Bounds& range, Term term) const {
    const auto ulp = static_cast<int>(contract_[term]);
    const double low = grid_.RoundAndStep(range.low, -ulp);
    const double high = grid_.RoundAndStep(range.high, ulp);
    return {std::min(WidenDown(range.low), std::max(0.0, low)), std::max(WidenUp(range.high), high),
            range.nan};
  }

 private:
  const Contract& contract_;
  const Grid& grid_;
};

// ---- batch norm ----

struct Channel {
  double mean = 0;
  double variance = 0;
  double gamma = 1;
  double beta = 0;
};

class BatchNormalizer {
 public:
  BatchNormalizer(const Contract& contract, const Grid& grid, double epsilon)
      : steps_(contract, grid), grid_(grid), epsilon_(epsilon) {}

  // gamma (x - mean) / sqrt(variance + epsilon) + beta, or a double that rounds to the same number.
  double Value(const Channel& c, double x) const {
    const double under = c.variance + epsilon_;
    if (!(std::fabs(x) < kInfinity) || !(under > 0) || !(under < kInfinity)) {
      return (x - c.mean) * c.gamma / std::sqrt(under) + c.beta;
    }
    const double scaled = (x - c.mean) * c.gamma / std::sqrt(under);
    const double value = scaled + c.beta;
    const double error = (std::fabs(scaled) + std::fabs(value)) * 0x1p-49;
    if (IsSettled(grid_, value, error)) return value;
    const Wide root = Sqrt(Wide(c.variance) + Wide(epsilon_));
    return ((Wide(x) - Wide(c.mean)) * Wide(c.gamma) / root + Wide(c.beta)).Odd();
  }

  // The results of the steps that do not depend on x.
  struct Folded {
    Bounds root, scale, offset;
  };
  Folded Fold(const Channel& c) const {
    const double under = c.variance + epsilon_;
    Folded folded;
    folded.root = steps_.ReciprocalRoot(steps_.Hold({under, under}));
    folded.scale = steps_.Hold(Times(folded.root, {c.gamma, c.gamma}));
    const Bounds shift = steps_.Hold(Times(folded.scale, {-c.mean, -c.mean}));
    folded.offset = steps_.Hold(Plus(shift, {c.beta, c.beta}));
    return folded;
  }
  Bounds Bound(const Channel& c, const Folded& folded, const Bounds& x) const {
    const Bounds numbers = {x.low, x.high};
    Bounds bounds = {-kInfinity, kInfinity, true};
    if (x.low == x.high || IsFinite(numbers)) bounds = InSteps(c, folded, numbers);
    if (x.low != x.low) bounds = {kNan, kNan};
    bounds.nan |= x.nan;
    return bounds;
  }

 private:
  // An engine takes the steps in order, or folds them to a scale and an offset
  // (facts/more/op_notes.csv, batch_norm: "folds to an affine for inference"). Any step may be
  // rounded.
  Bounds InSteps(const Channel& c, const Folded& folded, const Bounds& x) const {
    const Bounds difference = steps_.Hold({AddDown(x.low, -c.mean), AddUp(x.high, -c.mean)});
    const Bounds normal = steps_.Hold(Times(difference, folded.root));
    const Bounds scaled = steps_.Hold(Times(normal, {c.gamma, c.gamma}));
    const Bounds in_order = Plus(scaled, {c.beta, c.beta});
    const Bounds at_once = Plus(steps_.Hold(Times(difference, folded.scale)), {c.beta, c.beta});
    const Bounds affine = Plus(steps_.Hold(Times(x, folded.scale)), folded.offset);
    return Hull(Hull(in_order, at_once), affine);
  }

  Steps steps_;
  const Grid& grid_;
  double epsilon_;
};

// Returns a channel's constant. An engine may round an fp32 constant to fp16 if operands are fp16.
double At(KernelContext& context, const Grid& grid, int parameter, size_t channel,
          double fallback) {
  if (!context.HasInput(parameter)) return fallback;
  const double given = context.Input(parameter).value[channel];
  return context.Read(given, grid.Round(given));
}

Status BatchNorm(KernelContext& context) {
  using P = params::BatchNorm;
  const BoundedTensor& x = OpenNumbers(context, context.Input(P::kX));
  BoundedTensor& result = context.Result();
  const Grid grid = GridOf(context, result.type.dtype);
  const double epsilon = Literal(context, P::kEpsilon, 1e-5);
  const BatchNormalizer normalizer(context.contract(), grid, epsilon);
  const Raw raw = AllocateRaw(context, result.size, !context.contract().ideal);
  const Shape& shape = x.type.shape;
  size_t inner = 1;
  for (int axis = 2; axis < shape.rank(); ++axis) inner *= static_cast<size_t>(shape[axis]);
  const auto channels = static_cast<size_t>(std::max<int64_t>(1, shape[1]));
  auto* const constants = context.arena().Allocate<Channel>(channels);
  auto* const folded = context.arena().Allocate<BatchNormalizer::Folded>(channels);
  for (size_t c = 0; c < channels; ++c) {
    constants[c] = {At(context, grid, P::kMean, c, 0), At(context, grid, P::kVariance, c, 0),
                    At(context, grid, P::kGamma, c, 1), At(context, grid, P::kBeta, c, 0)};
    if (raw.low != nullptr) folded[c] = normalizer.Fold(constants[c]);
  }
  const bool keeps_nan = KeepsNan(context.contract());
  for (size_t i = 0; i < result.size; ++i) {
    const size_t channel = i / inner % channels;
    raw.value[i] = normalizer.Value(constants[channel], x.value[i]);
    if (raw.low == nullptr) continue;
    const Bounds bounds = normalizer.Bound(constants[channel], folded[channel], RangeOf(x, i));
    raw.low[i] = bounds.low;
    raw.high[i] = bounds.high;
    raw.nan[i] = bounds.nan ? 1 : 0;
    // On an engine without NaN an invalid step returns a number, which the next steps use.
    if (bounds.low != bounds.low && !keeps_nan) PutAnything(raw, i, raw.value[i]);
  }
  StoreFloats(context, result, raw);
  return {};
}

// ---- l2 norm ----

// The sum of squares of a group, which is never negative.
Accumulated SquareSum(Accumulator& accumulator, const Lanes& lanes, size_t count) {
  Accumulated sum = accumulator.Dot(lanes, lanes, count);
  if (sum.low < 0) sum.low = 0;
  if ((sum.beyond & kUpward) != 0) sum.high = kInfinity;
  return sum;
}

// Returns x / sqrt(sum + epsilon), or a double that rounds to the same number.
double L2Value(const Grid& grid, double x, double sum, double epsilon) {
  const double value = x / std::sqrt(sum + epsilon);
  if (!(std::fabs(value) < kInfinity) || IsSettled(grid, value, std::fabs(value) * 0x1p-49)) {
    return value;
  }
  return (Wide(x) / Sqrt(Wide(sum) + Wide(epsilon))).Odd();
}

// The last three axes are normalised together (MIL's definition).
Status L2Norm(KernelContext& context) {
  using P = params::WithEpsilon;
  BoundedTensor& x = context.Input(P::kX);
  BoundedTensor& result = context.Result();
  const Grid grid(result.type.dtype);
  const Steps steps(context.contract(), grid);
  const double epsilon = Literal(context, P::kEpsilon, 1e-6);
  const int rank = x.type.shape.rank();
  const uint32_t mask = uint32_t{7} << (rank - 3);
  const AxisSplit split = SplitAxes(context.arena(), x.type.shape, mask);
  Accumulator accumulator(context, x, &x);
  LaneBuffer buffer(context.arena(), split.inner.size(), x.point());
  const Raw raw = AllocateRaw(context, result.size, !context.contract().ideal);
  const bool certain = x.point() && KeepsNan(context.contract());
  for (const int64_t base : split.outer) {
    GatherOffsets(x, base, split.inner, buffer);
    const Accumulated sum = SquareSum(accumulator, buffer.lanes(), split.inner.size());
    const Bounds under =
        steps.Hold(Plus(steps.Hold({sum.low, sum.high, sum.nan}), {epsilon, epsilon}));
    const Bounds root = steps.ReciprocalRoot(under);
    for (const int64_t offset : split.inner) {
      const auto at = static_cast<size_t>(base + offset);
      raw.value[at] = L2Value(grid, x.value[at], sum.value, epsilon);
      if (raw.low == nullptr) continue;
      Bounds bounds = Times(RangeOf(x, at), root);
      if (bounds.low != bounds.low || raw.value[at] != raw.value[at]) {
        bounds = {-kInfinity, kInfinity, true};
      }
      // A sum of squares is NaN only if an element is NaN, and then on every engine.
      if (certain && sum.value != sum.value) bounds = {kNan, kNan, true};
      raw.low[at] = bounds.low;
      raw.high[at] = bounds.high;
      raw.nan[at] = bounds.nan || under.nan ? 1 : 0;
    }
  }
  StoreFloats(context, result, raw);
  return {};
}

// ---- local response norm ----

struct Response {
  int64_t size = 1;
  double alpha = 0;
  double beta = 0;
  double k = 0;
};

// x / (k + alpha / size * sum)^beta.
double ResponseValue(const Grid& grid, const Response& r, double x, double sum) {
  const auto size = static_cast<double>(r.size);
  const double under = r.k + r.alpha / size * sum;
  const double value = x * std::pow(under, -r.beta);
  if (!(std::fabs(value) < kInfinity) || !(under > 0) || !(under < kInfinity) ||
      IsSettled(grid, value, std::fabs(value) * (1 + std::fabs(r.beta)) * 0x1p-48)) {
    return value;
  }
  const Wide exact = Wide(r.k) + Wide(r.alpha) * Wide(sum) / Wide(size);
  return (Wide(x) * Exp(Wide(-r.beta) * Log(exact))).Odd();
}

Bounds ResponseBounds(const Steps& steps, const Response& r, const Bounds& x, const Bounds& sum) {
  // The layer stores alpha / size as one constant (facts/netlist_layers.csv).
  const double scale = r.alpha / static_cast<double>(r.size);
  const Bounds factor = steps.Hold({WidenDown(scale), WidenUp(scale)});
  const Bounds under = steps.Hold(Plus(steps.Hold(Times(sum, factor)), {r.k, r.k}));
  if (!(under.low > 0) || !IsFinite(x) || !IsFinite(under)) return {-kInfinity, kInfinity, true};
  const double a = std::pow(under.low, -r.beta);
  const double b = std::pow(under.high, -r.beta);
  const Bounds power = steps.Hold(
      steps.Neighbours({std::min(a, b), std::max(a, b), under.nan}, Term::kExponentialUlp));
  return Times(x, power);
}

// Computes sums of squares over the windows around channels.
class ResponseWindow {
 public:
  ResponseWindow(KernelContext& context, BoundedTensor& x, int64_t size)
      : x_(x),
        size_(size),
        channels_(x.type.shape[1]),
        stride_(RowMajorStrides(x.type.shape)[1]),
        accumulator_(context, x, &x),
        buffer_(context.arena(), static_cast<size_t>(std::min(size, channels_)), x.point()) {}

  // Returns the sum over the window around the channel of element `here`. The window has `before`
  // channels before this channel.
  Accumulated SumAt(int64_t here, int64_t before) {
    const int64_t channel = here / stride_ % channels_;
    const int64_t first = std::max<int64_t>(0, channel - before);
    const int64_t last = std::min(channels_ - 1, channel + size_ - 1 - before);
    const auto count = static_cast<size_t>(last - first + 1);
    GatherStrided(x_, here + (first - channel) * stride_, stride_, count, buffer_, 0);
    return SquareSum(accumulator_, buffer_.lanes(), count);
  }

 private:
  BoundedTensor& x_;
  int64_t size_;
  int64_t channels_;
  int64_t stride_;
  Accumulator accumulator_;
  LaneBuffer buffer_;
};

// The window surrounds the channel. If its size is even, either side may have the extra channel,
// since MIL does not say which. For the value, it is the side before the channel.
Status LocalResponseNorm(KernelContext& context) {
  using P = params::LocalResponseNorm;
  BoundedTensor& x = context.Input(P::kX);
  BoundedTensor& result = context.Result();
  const NodeView& node = context.node();
  const Grid grid(result.type.dtype);
  const Steps steps(context.contract(), grid);
  const Response response = {node.Int(P::kSize, 1), Literal(context, P::kAlpha, 1e-4),
                             Literal(context, P::kBeta, 0.75), Literal(context, P::kK, 1)};
  ResponseWindow window(context, x, response.size);
  const Raw raw = AllocateRaw(context, result.size, !context.contract().ideal);
  for (size_t at = 0; at < result.size; ++at) {
    const auto here = static_cast<int64_t>(at);
    const auto bounds_of = [&](const Accumulated& sum) {
      return ResponseBounds(steps, response, RangeOf(x, at),
                            steps.Hold({sum.low, sum.high, sum.nan}));
    };
    const Accumulated sum = window.SumAt(here, response.size / 2);
    raw.value[at] = ResponseValue(grid, response, x.value[at], sum.value);
    if (raw.low == nullptr) continue;
    Bounds bounds = bounds_of(sum);
    if (response.size % 2 == 0) {
      const Bounds other = bounds_of(window.SumAt(here, response.size / 2 - 1));
      bounds = {std::min(bounds.low, other.low), std::max(bounds.high, other.high),
                bounds.nan || other.nan};
    }
    raw.low[at] = bounds.low;
    raw.high[at] = bounds.high;
    raw.nan[at] = bounds.nan ? 1 : 0;
  }
  StoreFloats(context, result, raw);
  return {};
}

}  // namespace
}  // namespace reference

constinit const ReferenceKernel kReferenceBatchNorm = {.evaluate = reference::BatchNorm,
                                                       .terms = reference::kBatchTerms};
constinit const ReferenceKernel kReferenceL2Norm = {.evaluate = reference::L2Norm,
                                                    .terms = reference::kSquareTerms};
constinit const ReferenceKernel kReferenceLocalResponseNorm = {
    .evaluate = reference::LocalResponseNorm, .terms = reference::kResponseTerms};

}  // namespace anecheck
