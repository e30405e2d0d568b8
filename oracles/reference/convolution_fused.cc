// Kernels of transposed convolution, einsum, L2 pooling and affine operations. They compute exact
// sums and products, and the bounds of the multiply-accumulate path.
#include <algorithm>
#include <array>

#include "harness/ops/params.h"
#include "oracles/reference/dot.h"
#include "oracles/reference/lanes.h"
#include "oracles/reference/layout.h"
#include "oracles/reference/movement.h"
#include "oracles/reference/pointwise.h"
#include "oracles/reference/window.h"

namespace anecheck {
namespace reference {
namespace {

constexpr Term kMacTerms[] = {Term::kProductRounding, Term::kAccumulatorUnit, Term::kBiasRounding};
constexpr Term kAverageTerms[] = {Term::kReduceUnit, Term::kBiasRounding,
                                  Term::kReciprocalRelative};
constexpr Term kRootTerms[] = {Term::kProductRounding, Term::kAccumulatorUnit, Term::kBiasRounding,
                               Term::kRootUlp};
constexpr Term kAffineTerms[] = {Term::kBiasRounding};

// ---- transposed convolution ---------------------------------------------------------------------

// One spatial axis. Source() gives the input element that a kernel element multiplies.
struct TransposedAxis {
  int64_t input = 1, kernel = 1, output = 1, stride = 1, dilation = 1, before = 0;

  // Returns the input element that kernel element `tap` multiplies for result `position`, or -1.
  int64_t Source(int64_t position, int64_t tap) const {
    const int64_t reach = position + before - tap * dilation;
    if (reach < 0 || reach % stride != 0) return -1;
    return reach / stride < input ? reach / stride : -1;
  }
};

// If an operation has fewer than three spatial axes, axes of extent 1 precede them.
using TransposedAxes = std::array<TransposedAxis, 3>;

TransposedAxes AxesOf(const NodeView& node, const Shape& x, const Shape& weight,
                      const Shape& result) {
  using P = params::ConvTranspose;
  TransposedAxes axes;
  const auto spatial = static_cast<size_t>(x.rank() - 2);
  const std::string_view type = node.String(P::kPadType, "valid");
  for (size_t i = 0; i < spatial; ++i) {
    TransposedAxis& axis = axes[3 - spatial + i];
    const int at = static_cast<int>(i) + 2;
    axis.input = x[at];
    axis.kernel = weight[at];
    axis.output = result[at];
    if (!node.Ints(P::kStrides).empty()) axis.stride = node.Ints(P::kStrides)[i];
    if (!node.Ints(P::kDilations).empty()) axis.dilation = node.Ints(P::kDilations)[i];
    if (type == "custom") axis.before = node.Ints(P::kPad)[2 * i];
    if (type == "same") {
      // Drops half of the surplus elements at each side. If their number is odd, the last one is
      // dropped at the end.
      const int64_t whole = (axis.input - 1) * axis.stride + (axis.kernel - 1) * axis.dilation + 1;
      axis.before = std::max<int64_t>(0, whole - axis.output) / 2;
    }
  }
  return axes;
}

// Calls visit(kernel element, offset in the input plane) for every pair of elements that are
// multiplied for result `position`.
template <typename Visit>
void ForEachMeeting(const TransposedAxes& axes, int64_t position, const Visit& visit) {
  const std::array<int64_t, 3> at = {position / (axes[1].output * axes[2].output),
                                     position / axes[2].output % axes[1].output,
                                     position % axes[2].output};
  size_t tap = 0;
  for (int64_t a = 0; a < axes[0].kernel; ++a) {
    const int64_t d = axes[0].Source(at[0], a);
    for (int64_t b = 0; b < axes[1].kernel; ++b) {
      const int64_t h = axes[1].Source(at[1], b);
      for (int64_t c = 0; c < axes[2].kernel; ++c, ++tap) {
        const int64_t w = axes[2].Source(at[2], c);
        if (d < 0 || h < 0 || w < 0) continue;
        visit(tap, (d * axes[1].input + h) * axes[2].input + w);
      }
    }
  }
}

Status ConvTranspose(KernelContext& context) {
  using P = params::ConvTranspose;
  BoundedTensor& x = context.Input(P::kX);
  BoundedTensor& weight = OperandAsRead(context, P::kWeight);
  const BoundedTensor* bias = OptionalAsRead(context, P::kBias);
  BoundedTensor& result = context.Result();
  const TransposedAxes axes =
      AxesOf(context.node(), x.type.shape, weight.type.shape, result.type.shape);
  const int64_t groups = context.node().Int(P::kGroups, 1);
  const int64_t channels = x.type.shape[1] / groups;
  const int64_t outputs = weight.type.shape[1];
  const int64_t taps = axes[0].kernel * axes[1].kernel * axes[2].kernel;
  const int64_t plane = axes[0].input * axes[1].input * axes[2].input;
  const int64_t positions = axes[0].output * axes[1].output * axes[2].output;
  const auto capacity = static_cast<size_t>(channels * taps);

  Accumulator accumulator(context, x, &weight);
  accumulator.RunOnArray(taps == 1);
  LaneBuffer patch(context.arena(), capacity, x.point());
  LaneBuffer kernel(context.arena(), capacity, weight.point());
  // Products with zero do not change an exact sum. But no layer is a transposed convolution
  // (facts/op_device_matrix.csv). It runs as a convolution with reversed taps over an input with
  // inserted zeros. The documented defects of sums depend on each product's position there.
  const bool spread = context.contract().departure_count != 0 || accumulator.follows_law();
  const Raw raw = AllocateSums(context, accumulator, result.size);
  for (size_t at = 0; at < result.size; ++at) {
    const int64_t position = static_cast<int64_t>(at) % positions;
    const int64_t channel = static_cast<int64_t>(at) / positions % (groups * outputs);
    const int64_t n = static_cast<int64_t>(at) / positions / (groups * outputs);
    const int64_t group = channel / outputs;
    size_t count = spread ? capacity : 0;
    for (size_t lane = 0; lane < count; ++lane) {
      patch.SetZero(lane);
      kernel.SetZero(lane);
    }
    for (int64_t c = group * channels; c < (group + 1) * channels; ++c) {
      const auto last = static_cast<size_t>((c - group * channels + 1) * taps - 1);
      ForEachMeeting(axes, position, [&](size_t tap, int64_t offset) {
        const size_t lane = spread ? last - tap : count++;
        patch.Set(lane, x, static_cast<size_t>((n * x.type.shape[1] + c) * plane + offset));
        kernel.Set(lane, weight,
                   static_cast<size_t>((c * outputs + channel % outputs) * taps) + tap);
      });
    }
    const Accumulated sum = accumulator.DotOnGrid(patch.lanes(), kernel.lanes(), count);
    Put(raw, at, accumulator.WithBias(sum, bias, static_cast<size_t>(channel)));
  }
  StoreFloats(context, result, raw);
  return {};
}

// ---- einsum -------------------------------------------------------------------------------------

// Computes [n, c, h, u] from [n, c, h, w] and [n, w, h, u]. Operands of rank 3 have no n. n and h
// broadcast.
Status Einsum(KernelContext& context) {
  const auto values = context.node().InputList(params::Einsum::kValues);
  BoundedTensor& x = context.Value(values[0]);
  BoundedTensor& y = context.Value(values[1]);
  BoundedTensor& result = context.Result();
  const int lead = 4 - result.type.shape.rank();
  const auto extent = [lead](const BoundedTensor& tensor, int axis) {
    return axis < lead ? int64_t{1} : tensor.type.shape[axis - lead];
  };
  const int64_t inner = extent(x, 3);
  const int64_t columns = extent(y, 3);
  Accumulator accumulator(context, x, &y);
  accumulator.RunOnArray(true);
  LaneBuffer row(context.arena(), static_cast<size_t>(inner), x.point());
  LaneBuffer column(context.arena(), static_cast<size_t>(inner), y.point());
  const Raw raw = AllocateSums(context, accumulator, result.size);
  const auto one_if_repeated = [](int64_t index, int64_t own) { return own == 1 ? 0 : index; };
  for (size_t at = 0; at < result.size; ++at) {
    auto rest = static_cast<int64_t>(at);
    const int64_t u = rest % columns;
    rest /= columns;
    const int64_t h = rest % extent(result, 2);
    rest /= extent(result, 2);
    const int64_t c = rest % extent(result, 1);
    const int64_t n = rest / extent(result, 1);
    const int64_t x_start = ((one_if_repeated(n, extent(x, 0)) * extent(x, 1) + c) * extent(x, 2) +
                             one_if_repeated(h, extent(x, 2))) *
                            inner;
    const int64_t y_start = (one_if_repeated(n, extent(y, 0)) * inner * extent(y, 2) +
                             one_if_repeated(h, extent(y, 2))) *
                                columns +
                            u;
    GatherStrided(x, x_start, 1, static_cast<size_t>(inner), row, 0);
    GatherStrided(y, y_start, extent(y, 2) * columns, static_cast<size_t>(inner), column, 0);
    Put(raw, at, accumulator.DotOnGrid(row.lanes(), column.lanes(), static_cast<size_t>(inner)));
  }
  StoreFloats(context, result, raw);
  return {};
}

// ---- L2 pooling ---------------------------------------------------------------------------------

// Returns the square root rounded to odd. The residue of the rounded root shows on which side of it
// the exact root lies.
double RootOdd(double x) {
  const double root = std::sqrt(x);
  if (!(root < kInfinity)) return root;
  return ToOdd(root, std::fma(-root, root, x));
}

Status L2Pool(KernelContext& context) {
  using P = params::Pool;
  BoundedTensor& x = context.Input(P::kX);
  BoundedTensor& result = context.Result();
  const SlidingWindow window(context.node(), x.type.shape, result.type.shape,
                             context.node().Ints(P::kKernelSizes),
                             {P::kStrides, P::kPadType, P::kPad, -1});
  const Contract& contract = context.contract();
  const Grid grid = GridOf(context, x.type.dtype);
  Accumulator accumulator(context, x, &x);
  LaneBuffer patch(context.arena(), static_cast<size_t>(window.KernelElements()), x.point());
  const Raw raw = AllocateRaw(context, result.size, true);
  const int64_t positions = window.OutputElements();
  for (size_t at = 0; at < result.size; ++at) {
    const int64_t plane = static_cast<int64_t>(at) / positions;
    const size_t count = window.GatherValid(x, plane, static_cast<int64_t>(at) % positions, patch);
    if (count == 0) {
      PutAnything(raw, at, 0);
      continue;
    }
    Accumulated sum = accumulator.Dot(patch.lanes(), patch.lanes(), count);
    // Squares overflow only upward.
    if (sum.beyond != 0 || sum.empty()) sum.high = kInfinity;
    if (contract.Allows(Term::kBiasRounding)) {
      sum.low = std::min(sum.low, grid.Round(sum.low));
      sum.high = std::max(sum.high, grid.Round(sum.high));
    }
    // A sum of squares is never negative, although products of interval ends may be.
    raw.value[at] = RootOdd(sum.value);
    raw.low[at] = sum.low != sum.low ? kNan : WidenDown(std::sqrt(std::max(sum.low, 0.0)));
    raw.high[at] = sum.high != sum.high ? kNan : WidenUp(std::sqrt(std::max(sum.high, 0.0)));
    raw.nan[at] = sum.nan ? 1 : 0;
  }
  StoreFloats(context, result, raw, static_cast<int>(contract[Term::kRootUlp]));
  return {};
}

// ---- scale and offset ---------------------------------------------------------------------------

struct Operand {
  double value = 0;
  double low = 0;
  double high = 0;
};

// Stores x * scale + offset at one element. The engine may round the product to the element type.
void PutAffine(const Raw& raw, size_t at, const Operand& x, const Operand& scale,
               const Operand& offset, const Grid& grid, bool rounds_product) {
  raw.value[at] = AddOdd(x.value * scale.value, offset.value);
  Bounds product = Product({x.low, x.high}, {scale.low, scale.high});
  if (rounds_product) {
    product.low = std::min({product.low, grid.Round(product.low), grid.Store(product.low)});
    product.high = std::max({product.high, grid.Round(product.high), grid.Store(product.high)});
  }
  raw.low[at] = AddDown(product.low, offset.low);
  raw.high[at] = AddUp(product.high, offset.high);
  const bool opposite = (product.low == -kInfinity && offset.high == kInfinity) ||
                        (product.high == kInfinity && offset.low == -kInfinity);
  raw.nan[at] = product.nan || opposite ? 1 : 0;
}

Operand At(const BoundedTensor& tensor, size_t i) {
  return {tensor.value[i], tensor.low[i], tensor.high[i]};
}

Status LinearActivation(KernelContext& context) {
  using P = params::LinearActivation;
  const BoundedTensor& x = OpenNumbers(context, context.Input(P::kX));
  BoundedTensor& result = context.Result();
  const Grid grid = GridOf(context, x.type.dtype);
  const double alpha = Literal(context, P::kAlpha, 1);
  const double beta = Literal(context, P::kBeta, 0);
  const Raw raw = AllocateRaw(context, result.size, true);
  const bool rounds = context.contract().Allows(Term::kBiasRounding);
  const bool keeps_nan = KeepsNan(context.contract());
  for (size_t i = 0; i < result.size; ++i) {
    PutAffine(raw, i, At(x, i), {alpha, alpha, alpha}, {beta, beta, beta}, grid, rounds);
    raw.nan[i] |= x.NanAt(i) ? 1 : 0;
    // On an engine without NaN an invalid product is a number, to which beta is added.
    if (raw.low[i] != raw.low[i] && !keeps_nan) PutAnything(raw, i, raw.value[i]);
  }
  StoreFloats(context, result, raw);
  return {};
}

// Scale and offset of channels. Assumed: DynamicGOC may round like the constant form.
Status GainOffset(KernelContext& context) {
  using P = params::GainOffset;
  const BoundedTensor& x = context.Input(P::kX);
  const BoundedTensor* scale = context.OptionalInput(P::kScale);
  const BoundedTensor& bias = context.Input(P::kBias);
  BoundedTensor& result = context.Result();
  const Grid grid = GridOf(context, x.type.dtype);
  const Shape& shape = x.type.shape;
  size_t plane = 1;
  for (int axis = 2; axis < shape.rank(); ++axis) plane *= static_cast<size_t>(shape[axis]);
  const Raw raw = AllocateRaw(context, result.size, true);
  const bool rounds = context.contract().Allows(Term::kBiasRounding);
  for (size_t i = 0; i < result.size; ++i) {
    const size_t channel = i / plane % static_cast<size_t>(shape[1]);
    const Operand gain = scale == nullptr ? Operand{1, 1, 1} : At(*scale, channel);
    PutAffine(raw, i, At(x, i), gain, At(bias, channel), grid, rounds);
    const bool nan = scale != nullptr && scale->NanAt(channel);
    raw.nan[i] |= nan || x.NanAt(i) || bias.NanAt(channel) ? 1 : 0;
  }
  StoreFloats(context, result, raw);
  return {};
}

// ---- private units of the compute lanes ---------------------------------------------------------

Status NeConv(KernelContext& context) { return kReferenceConv.evaluate(context); }
Status NeMatmul(KernelContext& context) { return kReferenceMatmul.evaluate(context); }

// The pooling parameters have the same indices in avg_pool, max_pool and the units.
Status UnitPool(KernelContext& context) {
  const bool average = context.node().String(params::UnitPool::kMode, "Avg") == "Avg";
  return (average ? kReferenceAvgPool : kReferenceMaxPool).evaluate(context);
}

Status UnitElementwise(KernelContext& context) {
  const std::string_view mode = context.node().String(params::UnitElementwise::kMode, "Add");
  if (mode == "Add") return kReferenceAdd.evaluate(context);
  if (mode == "Mult") return kReferenceMul.evaluate(context);
  if (mode == "Sub") return kReferenceSub.evaluate(context);
  if (mode == "Max") return kReferenceMaximum.evaluate(context);
  return kReferenceMinimum.evaluate(context);
}

Status Bypass(KernelContext& context) {
  Alias(context.Input(0), context.Result());
  return {};
}

}  // namespace
}  // namespace reference

constinit const ReferenceKernel kReferenceConvTranspose = {.evaluate = reference::ConvTranspose,
                                                           .terms = reference::kMacTerms};
constinit const ReferenceKernel kReferenceEinsum = {.evaluate = reference::Einsum,
                                                    .terms = reference::kMacTerms};
constinit const ReferenceKernel kReferenceL2Pool = {.evaluate = reference::L2Pool,
                                                    .terms = reference::kRootTerms};
constinit const ReferenceKernel kReferenceLinearActivation = {
    .evaluate = reference::LinearActivation, .terms = reference::kAffineTerms};
constinit const ReferenceKernel kReferencePeGoc = {.evaluate = reference::GainOffset,
                                                   .terms = reference::kAffineTerms};
constinit const ReferenceKernel kReferenceNativeDynamicGoc = {.evaluate = reference::GainOffset,
                                                              .terms = reference::kAffineTerms};
constinit const ReferenceKernel kReferenceNeConv = {.evaluate = reference::NeConv,
                                                    .terms = reference::kMacTerms};
constinit const ReferenceKernel kReferenceNeMatmul = {.evaluate = reference::NeMatmul,
                                                      .terms = reference::kMacTerms};
constinit const ReferenceKernel kReferenceNePool = {.evaluate = reference::UnitPool,
                                                    .terms = reference::kAverageTerms};
constinit const ReferenceKernel kReferencePePool = {.evaluate = reference::UnitPool,
                                                    .terms = reference::kAverageTerms};
constinit const ReferenceKernel kReferencePeElementwise = {.evaluate = reference::UnitElementwise};
constinit const ReferenceKernel kReferenceNeBypass = {.evaluate = reference::Bypass};

}  // namespace anecheck
