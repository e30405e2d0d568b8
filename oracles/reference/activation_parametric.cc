// Kernels of activations that have parameters, such as a slope, a threshold or a scale.
#include <algorithm>

#include "harness/ops/params.h"
#include "oracles/reference/pointwise.h"
#include "oracles/reference/store.h"
#include "oracles/reference/wide.h"

namespace anecheck {
namespace reference {
namespace {

constexpr Term kTanhTerms[] = {Term::kTanhTable, Term::kFunctionUlp};
constexpr Term kSoftplusTerms[] = {Term::kSoftplusTable, Term::kFunctionUlp};
constexpr Term kEluTerms[] = {Term::kEluTable, Term::kFunctionUlp};

double AlphaOf(KernelContext& context) {
  return Literal(context, params::WithAlphaBeta::kAlpha, 0);
}
double BetaOf(KernelContext& context) { return Literal(context, params::WithAlphaBeta::kBeta, 0); }

// Evaluates a function that is a straight line on each side of zero. Products of two fp16 or fp32
// numbers are exact in double.
template <typename Function>
Status TwoLines(KernelContext& context, const Function& function) {
  return Pointwise(context,
                   [&](double low, double high) { return Turning(function, low, high, 0); }, {});
}

Status LeakyRelu(KernelContext& context) {
  const double alpha = AlphaOf(context);
  return TwoLines(context, [=](double x) { return x < 0 ? x * alpha : x; });
}

Status ClampedRelu(KernelContext& context) {
  const double alpha = AlphaOf(context);
  const double beta = BetaOf(context);
  // Turning() handles the turn at zero. The clamp is monotonic, so it keeps the bounds valid.
  const auto line = [=](double x) { return x < 0 ? x * alpha : x; };
  return Pointwise(context,
                   [=](double low, double high) {
                     const Bounds bounds = Turning(line, low, high, 0);
                     const auto clamp = [=](double y) { return y > beta ? beta : y; };
                     return Bounds{clamp(bounds.low), clamp(bounds.high), bounds.nan};
                   },
                   {});
}

Status Threshold(KernelContext& context) {
  const double alpha = AlphaOf(context);
  const auto raise = [=](double x) { return x < alpha ? alpha : x; };
  if (!IsFloat(context.Result().type.dtype)) {
    const BoundedTensor& x = context.Input(params::WithAlpha::kX);
    const Raw raw = AllocateRaw(context, x.size, true);
    for (size_t i = 0; i < x.size; ++i) {
      raw.value[i] = raise(x.value[i]);
      raw.low[i] = raise(x.low[i]);
      raw.high[i] = raise(x.high[i]);
    }
    StoreExact(context.Result(), raw);
    return {};
  }
  return Pointwise(context,
                   [=](double low, double high) { return Bounds{raise(low), raise(high)}; }, {});
}

// Evaluates x for x >= alpha, else 0. The function jumps from 0 to alpha at x = alpha.
Status ThresholdedRelu(KernelContext& context) {
  const double alpha = AlphaOf(context);
  return Pointwise(context,
                   [=](double low, double high) {
                     if (high < alpha) return Bounds{0, 0};
                     if (!(low < alpha)) return Bounds{low, high};
                     return Bounds{std::min(0.0, alpha), std::max(0.0, high)};
                   },
                   {});
}

// ---- exact curves: except at zero, no value is a double or midway between two -----------

// Replaces e^x for x below kLeastExponent. There only the sign of e^x affects the rounded sum.
constexpr double kNothing = 0x1p-1000;
constexpr double kLeastExponent = -700;

// Returns `terms` terms of the power series x (1 + a(2) x (1 + a(3) x ...)) with a = ratio.
template <typename Ratio>
Wide Series(const Wide& x, int terms, const Ratio& ratio) {
  Wide sum(1);
  for (int k = terms; k >= 2; --k) sum = Wide(1) + sum * x * ratio(k);
  return sum * x;
}

// e^x - 1 for x <= 0.
Wide WideExpm1(const Wide& x) {
  constexpr int kTerms = 16;
  if (x.high() > -0x1p-6) return Series(x, kTerms, [](int k) { return Reciprocal(k); });
  return (x.high() < kLeastExponent ? Wide(kNothing) : Exp(x)) - Wide(1);
}

Wide WideTanh(double x) {
  const Wide less = WideExpm1(Wide(-2 * std::fabs(x)));
  const Wide tanh = -less / (less + Wide(2));
  return x < 0 ? -tanh : tanh;
}

// max(x, 0) + ln(1 + e^-|x|).
Wide WideSoftplus(double x) {
  constexpr int kTerms = 16;
  const double size = std::fabs(x);
  const Wide power = size > -kLeastExponent ? Wide(kNothing) : Exp(Wide(-size));
  const auto ratio = [](int k) { return -Wide(k - 1) * Reciprocal(k); };
  const Wide log = power.high() < 0x1p-6 ? Series(power, kTerms, ratio) : Log(Wide(1) + power);
  return x > 0 ? Wide(x) + log : log;
}

// Returns factor * curve for a result on `grid`. `near` approximates the curve. exact() computes
// it.
template <typename Exact>
double ScaledOnce(const Grid& grid, double factor, double near, const Exact& exact) {
  const double value = factor * near;
  if (IsSettled(grid, value, std::fabs(value) * 0x1p-49)) return value;
  const Wide product = Wide(factor) * exact();
  return ToOdd(product.high(), product.low());
}

// The error that the contract grants a function whose result is `y`.
double FunctionError(const Grid& grid, const Contract& contract, Term table, double y) {
  return contract[table] + contract[Term::kFunctionUlp] * grid.Ulp(y);
}

Status Elu(KernelContext& context) {
  const Grid grid(context.Result().type.dtype);
  const double alpha = AlphaOf(context);
  const double table = std::fabs(alpha) * context.contract()[Term::kEluTable];
  const int ulp = FunctionUlp(context);
  const auto near = [=](double x) { return x < 0 ? alpha * std::expm1(x) : x; };
  const auto value = [=](double x) {
    if (!(x < 0)) return x;
    return ScaledOnce(grid, alpha, std::expm1(x), [=] { return WideExpm1(Wide(x)); });
  };
  const auto bounds = [=](double low, double high) {
    Bounds range = Turning(near, low, high, 0);
    if (low < 0) {  // for x >= 0 the result is x, without an error
      range.low = WidenDown(range.low) - table - ulp * grid.Ulp(range.low);
      range.high = WidenUp(range.high) + table + ulp * grid.Ulp(range.high);
    }
    return range;
  };
  return Pointwise(context, value, bounds, {.steps = true});
}

// An engine may round alpha x before it adds beta (facts/numerics.md: scale and bias in fp16).
Status SigmoidHard(KernelContext& context) {
  const Grid grid = GridOf(context, context.Result().type.dtype);
  const Contract& contract = context.contract();
  const double alpha = AlphaOf(context);
  const double beta = BetaOf(context);
  const auto clamp = [](double y) { return y < 0 ? 0 : y > 1 ? 1 : y; };
  return Pointwise(
      context, [=](double x) { return clamp(AddOdd(alpha * x, beta)); },
      [&](double low, double high) {
        const Bounds product = Held(grid, contract, Scaled(low, high, alpha));
        // On an engine without NaN an invalid product is a number.
        if (product.low != product.low && !KeepsNan(contract)) return Bounds{0, 1, true};
        const Bounds sum = Held(
            grid, contract, {AddDown(product.low, beta), AddUp(product.high, beta), product.nan});
        return Bounds{clamp(sum.low), clamp(sum.high), sum.nan};
      },
      {.steps = true});
}

// Returns the bounds of alpha f(beta x) for a rising f. An engine may round beta x and f, and f has
// the error of its table.
template <double (*kFunction)(double)>
Bounds ScaledCurve(const Grid& grid, const Contract& contract, double low, double high,
                   double alpha, double beta, Term table) {
  if (low != low) return {low, high};
  const Bounds inner = Held(grid, contract, Scaled(low, high, beta));
  const double least = kFunction(inner.low), most = kFunction(inner.high);
  const Bounds curve = Held(grid, contract,
                            {WidenDown(least) - FunctionError(grid, contract, table, least),
                             WidenUp(most) + FunctionError(grid, contract, table, most)});
  const Bounds outer = Scaled(curve.low, curve.high, alpha);
  return {WidenDown(outer.low), WidenUp(outer.high), inner.nan || outer.nan};
}

double TanhValue(double x) { return std::tanh(x); }

Status ScaledTanh(KernelContext& context) {
  const Grid grid(context.Result().type.dtype);
  const Contract& contract = context.contract();
  const double alpha = AlphaOf(context);
  const double beta = BetaOf(context);
  return Pointwise(
      context,
      [=](double x) {
        const double inner = beta * x;
        return ScaledOnce(grid, alpha, std::tanh(inner), [=] { return WideTanh(inner); });
      },
      [&](double low, double high) {
        return ScaledCurve<TanhValue>(grid, contract, low, high, alpha, beta, Term::kTanhTable);
      },
      {.steps = true});
}

double SoftplusValue(double x) { return (x > 0 ? x : 0) + std::log1p(std::exp(-std::fabs(x))); }

// Calls visit(element, channel) for each element of a tensor of shape [N, C, ...].
template <typename Visit>
void ForEachChannel(const Shape& shape, const Visit& visit) {
  size_t inner = 1;
  for (int axis = 2; axis < shape.rank(); ++axis) inner *= static_cast<size_t>(shape[axis]);
  const auto channels = static_cast<size_t>(shape[1]);
  const auto count = static_cast<size_t>(shape.Elements());
  for (size_t i = 0; i < count; ++i) visit(i, i / inner % channels);
}

Status SoftplusParametric(KernelContext& context) {
  using P = params::WithAlphaBeta;
  const BoundedTensor& x = context.Input(P::kX);
  const BoundedTensor& alpha = context.Input(P::kAlpha);
  const BoundedTensor& beta = context.Input(P::kBeta);
  BoundedTensor& result = context.Result();
  const Grid grid(result.type.dtype);
  const Contract& contract = context.contract();
  const Raw raw = AllocateRaw(context, result.size, true);
  ForEachChannel(x.type.shape, [&](size_t i, size_t c) {
    const double outer = ConstantAt(context, alpha, c);
    const double inner = ConstantAt(context, beta, c);
    const double place = inner * x.value[i];
    raw.value[i] =
        ScaledOnce(grid, outer, SoftplusValue(place), [=] { return WideSoftplus(place); });
    const Bounds bounds = ScaledCurve<SoftplusValue>(grid, contract, x.low[i], x.high[i], outer,
                                                     inner, Term::kSoftplusTable);
    raw.low[i] = bounds.low;
    raw.high[i] = bounds.high;
    raw.nan[i] = x.NanAt(i) || bounds.nan ? 1 : 0;
  });
  StoreFloats(context, result, raw);
  return {};
}

Status Prelu(KernelContext& context) {
  using P = params::WithAlpha;
  const BoundedTensor& x = OpenNumbers(context, context.Input(P::kX));
  const BoundedTensor& alpha = context.Input(P::kAlpha);
  BoundedTensor& result = context.Result();
  const Raw raw = AllocateRaw(context, result.size, !x.point());
  ForEachChannel(x.type.shape, [&](size_t i, size_t c) {
    const double slope = ConstantAt(context, alpha, c);
    const auto line = [slope](double v) { return v < 0 ? v * slope : v; };
    raw.value[i] = line(x.value[i]);
    if (raw.low == nullptr) return;
    const Bounds bounds = Turning(line, x.low[i], x.high[i], 0);
    raw.low[i] = WidenDown(bounds.low);
    raw.high[i] = WidenUp(bounds.high);
    raw.nan[i] = x.NanAt(i) || bounds.nan ? 1 : 0;
  });
  StoreFloats(context, result, raw);
  return {};
}

}  // namespace
}  // namespace reference

constinit const ReferenceKernel kReferenceLeakyRelu = {.evaluate = reference::LeakyRelu,
                                                       .elementwise = true};
constinit const ReferenceKernel kReferenceClampedRelu = {.evaluate = reference::ClampedRelu,
                                                         .elementwise = true};
constinit const ReferenceKernel kReferenceThreshold = {.evaluate = reference::Threshold,
                                                       .elementwise = true};
constinit const ReferenceKernel kReferenceThresholdedRelu = {.evaluate = reference::ThresholdedRelu,
                                                             .elementwise = true};
constinit const ReferenceKernel kReferenceElu = {
    .evaluate = reference::Elu, .terms = reference::kEluTerms, .elementwise = true};
constinit const ReferenceKernel kReferenceSigmoidHard = {.evaluate = reference::SigmoidHard,
                                                         .elementwise = true};
constinit const ReferenceKernel kReferenceScaledTanh = {
    .evaluate = reference::ScaledTanh, .terms = reference::kTanhTerms, .elementwise = true};
constinit const ReferenceKernel kReferencePrelu = {.evaluate = reference::Prelu};
constinit const ReferenceKernel kReferenceSoftplusParametric = {
    .evaluate = reference::SoftplusParametric, .terms = reference::kSoftplusTerms};

}  // namespace anecheck
