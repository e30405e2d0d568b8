// Kernels of activations: pointwise functions with the error of the engine's tables.
#include <algorithm>
#include <numbers>

#include "harness/ops/params.h"
#include "oracles/reference/layout.h"
#include "oracles/reference/pointwise.h"
#include "oracles/reference/store.h"

namespace anecheck {
namespace reference {
namespace {

constexpr Term kSigmoidTerms[] = {Term::kSigmoidTable, Term::kFunctionUlp};
constexpr Term kTanhTerms[] = {Term::kTanhTable, Term::kFunctionUlp};
constexpr Term kGeluTerms[] = {Term::kGeluTable, Term::kFunctionUlp};
constexpr Term kSiluTerms[] = {Term::kSiluTable, Term::kFunctionUlp};
constexpr Term kSoftplusTerms[] = {Term::kSoftplusTable, Term::kFunctionUlp};
constexpr Term kErfTerms[] = {Term::kErfTable, Term::kFunctionUlp};

double ReluValue(double x) { return x < 0 ? 0 : x; }

Status Relu(KernelContext& context) { return Clamped(context, 0, kInfinity, Monotone<ReluValue>); }

Status Clip(KernelContext& context) {
  using P = params::Clip;
  const double alpha = Literal(context, P::kAlpha, 0);
  const double beta = Literal(context, P::kBeta, 0);
  const auto clip = [&](double x) { return x < alpha ? alpha : x > beta ? beta : x; };
  const auto bounds = [&](double low, double high) { return Bounds{clip(low), clip(high)}; };
  const Grid grid(context.Result().type.dtype);
  const bool on_grid = grid.Round(alpha) == alpha && grid.Round(beta) == beta;
  return on_grid ? Clamped(context, alpha, beta, bounds) : Pointwise(context, bounds, {});
}

double Relu6Value(double x) { return x < 0 ? 0 : x > 6 ? 6 : x; }

Status Relu6(KernelContext& context) { return Clamped(context, 0, 6, Monotone<Relu6Value>); }

double ErfValue(double x) { return std::erf(x); }

Status Erf(KernelContext& context) {
  return Pointwise(context, Monotone<ErfValue>,
                   {.table_error = context.contract()[Term::kErfTable],
                    .zero_at_zero = true,
                    .ulp = FunctionUlp(context),
                    .least = -1,
                    .most = 1,
                    .law = Law{Recorded::kErf}});
}

double SoftplusValue(double x) { return (x > 0 ? x : 0) + std::log1p(std::exp(-std::fabs(x))); }

Status Softplus(KernelContext& context) {
  return Pointwise(context, Monotone<SoftplusValue>,
                   {.table_error = context.contract()[Term::kSoftplusTable],
                    .ulp = FunctionUlp(context),
                    .least = 0});
}

double SigmoidValue(double x) {
  const double e = std::exp(-std::fabs(x));
  return x < 0 ? e / (1 + e) : 1 / (1 + e);
}

Status Sigmoid(KernelContext& context) {
  return Pointwise(context, Monotone<SigmoidValue>,
                   {.table_error = context.contract()[Term::kSigmoidTable],
                    .ulp = FunctionUlp(context),
                    .least = 0,
                    .most = 1,
                    .law = Law{Recorded::kSigmoid}});
}

double TanhValue(double x) { return std::tanh(x); }

Status Tanh(KernelContext& context) {
  return Pointwise(context, Monotone<TanhValue>,
                   {.table_error = context.contract()[Term::kTanhTable],
                    .zero_at_zero = true,
                    .ulp = FunctionUlp(context),
                    .least = -1,
                    .most = 1,
                    .law = Law{Recorded::kTanh}});
}

// The three forms of GELU, x * Phi(x). Each formula is also accurate for negative arguments.
double GeluExact(double x) { return 0.5 * x * std::erfc(-x / std::numbers::sqrt2); }
double GeluTanh(double x) {
  const double inner = 0.79788456080286535588 * (x + 0.044715 * x * x * x);
  return x / (1 + std::exp(-2 * inner));
}
double GeluSigmoid(double x) { return x / (1 + std::exp(-1.702 * x)); }

// Returns the bounds of GELU or SiLU on [low, high]. Both functions fall to their minimum at `at`
// and rise after it.
template <double (*kFunction)(double)>
Bounds GeluBounds(double low, double high, double at) {
  const auto value = [](double x) { return x == -kInfinity ? -0.0 : kFunction(x); };
  if (low == high) return {value(low), value(low)};
  if (low != low) return {low, high};
  const double a = value(low);
  const double b = value(high);
  if (low >= at) return {a, b};
  if (high <= at) return {b, a};
  return {value(at), std::max(a, b)};
}

double SiluValue(double x) { return x / (1 + std::exp(-x)); }

Status Silu(KernelContext& context) {
  return Pointwise(
      context,
      [](double low, double high) { return GeluBounds<SiluValue>(low, high, -1.2784645427610738); },
      {.table_error = context.contract()[Term::kSiluTable],
       .zero_at_zero = true,
       .ulp = FunctionUlp(context),
       .law = Law{Recorded::kSilu}});
}

Status Gelu(KernelContext& context) {
  const std::string_view mode = context.node().String(params::Gelu::kMode, "EXACT");
  PointwiseBound bound = {.table_error = context.contract()[Term::kGeluTable],
                          .zero_at_zero = true,
                          .ulp = FunctionUlp(context)};
  // Two of the forms share one table (numerics_silicon.csv, N436); no source describes the third.
  if (mode != "SIGMOID_APPROXIMATION") bound.law = Law{Recorded::kGelu};
  if (mode == "TANH_APPROXIMATION") {
    return Pointwise(
        context,
        [](double low, double high) {
          return GeluBounds<GeluTanh>(low, high, -0.7524614220710162);
        },
        bound);
  }
  if (mode == "SIGMOID_APPROXIMATION") {
    return Pointwise(
        context,
        [](double low, double high) {
          return GeluBounds<GeluSigmoid>(low, high, -0.7511542554412889);
        },
        bound);
  }
  return Pointwise(
      context,
      [](double low, double high) { return GeluBounds<GeluExact>(low, high, -0.7517915246935645); },
      bound);
}

}  // namespace
}  // namespace reference

constinit const ReferenceKernel kReferenceRelu = {.evaluate = reference::Relu, .elementwise = true};
constinit const ReferenceKernel kReferenceClip = {.evaluate = reference::Clip, .elementwise = true};
constinit const ReferenceKernel kReferenceSigmoid = {
    .evaluate = reference::Sigmoid, .terms = reference::kSigmoidTerms, .elementwise = true};
constinit const ReferenceKernel kReferenceTanh = {
    .evaluate = reference::Tanh, .terms = reference::kTanhTerms, .elementwise = true};
constinit const ReferenceKernel kReferenceGelu = {
    .evaluate = reference::Gelu, .terms = reference::kGeluTerms, .elementwise = true};
constinit const ReferenceKernel kReferenceRelu6 = {.evaluate = reference::Relu6,
                                                   .elementwise = true};
constinit const ReferenceKernel kReferenceSilu = {
    .evaluate = reference::Silu, .terms = reference::kSiluTerms, .elementwise = true};
constinit const ReferenceKernel kReferenceSoftplus = {
    .evaluate = reference::Softplus, .terms = reference::kSoftplusTerms, .elementwise = true};
constinit const ReferenceKernel kReferenceErf = {
    .evaluate = reference::Erf, .terms = reference::kErfTerms, .elementwise = true};

}  // namespace anecheck
