// Kernels of quantize and dequantize. quantize admits every integer to which the quotient may
// round.
#include <algorithm>

#include "harness/ops/params.h"
#include "oracles/reference/integers.h"
#include "oracles/reference/pointwise.h"
#include "oracles/reference/store.h"

namespace anecheck {
namespace reference {
namespace {

constexpr Term kQuantizeTerms[] = {Term::kDivideUlp};

// The scale and the zero point of every element. They are scalars, or vectors along one axis.
class ScaleAxis {
 public:
  ScaleAxis(KernelContext& context, const Shape& shape) {
    using P = params::Dequantize;  // quantize has the same indices
    scale_ = &context.Input(P::kScale);
    if (context.HasInput(P::kZeroPoint)) zero_ = &context.Input(P::kZeroPoint);
    if (scale_->type.shape.rank() == 0) return;
    const int64_t given = context.node().Int(P::kAxis, 0);
    const int axis = static_cast<int>(given < 0 ? given + shape.rank() : given);
    extent_ = static_cast<size_t>(shape[axis]);
    for (int i = axis + 1; i < shape.rank(); ++i) inner_ *= static_cast<size_t>(shape[i]);
  }
  const BoundedTensor& scale() const { return *scale_; }
  size_t At(size_t i) const { return extent_ == 0 ? 0 : i / inner_ % extent_; }
  double Zero(size_t at) const { return zero_ == nullptr ? 0 : zero_->value[at]; }

 private:
  const BoundedTensor* scale_ = nullptr;
  const BoundedTensor* zero_ = nullptr;
  size_t extent_ = 0;  // 0 for scalars
  size_t inner_ = 1;
};

double RoundEven(double x) { return std::nearbyint(x); }
double RoundAway(double x) { return std::round(x); }

double Quotient(double a, double b) {
  const bool plain = std::fabs(a) < kInfinity && std::fabs(b) < kInfinity && b != 0;
  return plain ? DivideOdd(a, b) : a / b;
}

// Computes clip(round(x / scale) + zero point). The engine may round the quotient to the element
// type, take a neighbour of the rounded quotient, or keep the quotient unrounded. No source says
// how the integer rounding treats ties.
Status Quantize(KernelContext& context) {
  const BoundedTensor& x = context.Input(params::Quantize::kInput);
  BoundedTensor& result = context.Result();
  const DType dtype = result.type.dtype;
  const IntegerRange range = RangeOf(dtype);
  const ScaleAxis axis(context, x.type.shape);
  const BoundedTensor& scale = axis.scale();
  const Grid grid = GridOf(context, x.type.dtype);
  const bool ideal = context.contract().ideal;
  const auto ulp = static_cast<int>(context.contract()[Term::kDivideUlp]);
  const Raw raw = AllocateRaw(context, result.size, true);
  for (size_t i = 0; i < result.size; ++i) {
    const size_t at = axis.At(i);
    const double zero = axis.Zero(at);
    const auto finish = [&](double rounded) {
      return rounded != rounded ? 0.0 : std::clamp(rounded + zero, range.low, range.high);
    };
    const double quotient = Quotient(x.value[i], scale.value[at]);
    raw.value[i] = finish(RoundEven(quotient));
    if (ideal) {
      raw.low[i] = raw.high[i] = raw.value[i];
      continue;
    }
    const double corners[] = {Quotient(x.low[i], scale.low[at]), Quotient(x.low[i], scale.high[at]),
                              Quotient(x.high[i], scale.low[at]),
                              Quotient(x.high[i], scale.high[at])};
    double low = kInfinity;
    double high = -kInfinity;
    bool open = x.NanAt(i) || (scale.low[at] <= 0 && scale.high[at] >= 0);
    for (const double corner : corners) {
      open |= corner != corner;
      low = std::min({low, corner, grid.RoundAndStep(corner, -ulp)});
      high = std::max({high, corner, grid.RoundAndStep(corner, ulp)});
    }
    // NaN has no integer, so an engine may return any integer.
    raw.low[i] = open ? range.low : finish(std::min(RoundEven(low), RoundAway(low)));
    raw.high[i] = open ? range.high : finish(std::max(RoundEven(high), RoundAway(high)));
  }
  StoreExact(result, raw);
  return {};
}

// Computes scale * (x - zero point). The difference of two bytes is exact, and its product with an
// fp16 or fp32 scale is exact in double (facts/numerics.md, dequantisation).
Status Dequantize(KernelContext& context) {
  const BoundedTensor& x = context.Input(params::Dequantize::kInput);
  BoundedTensor& result = context.Result();
  const ScaleAxis axis(context, x.type.shape);
  const BoundedTensor& scale = axis.scale();
  const bool bounds = !x.point() || !scale.point();
  const Raw raw = AllocateRaw(context, result.size, bounds);
  for (size_t i = 0; i < result.size; ++i) {
    const size_t at = axis.At(i);
    const double zero = axis.Zero(at);
    raw.value[i] = (x.value[i] - zero) * scale.value[at];
    if (!bounds) continue;
    const Bounds product = Product({x.low[i] - zero, x.high[i] - zero},
                                   {scale.low[at], scale.high[at], scale.NanAt(at)});
    raw.low[i] = product.low;
    raw.high[i] = product.high;
    raw.nan[i] = product.nan ? 1 : 0;
  }
  StoreFloats(context, result, raw);
  return {};
}

}  // namespace
}  // namespace reference

constinit const ReferenceKernel kReferenceQuantize = {.evaluate = reference::Quantize,
                                                      .terms = reference::kQuantizeTerms};
constinit const ReferenceKernel kReferenceDequantize = {.evaluate = reference::Dequantize};

}  // namespace anecheck
