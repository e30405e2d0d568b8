// Kernels of trigonometric and hyperbolic functions, and of the cross product.
#include <algorithm>
#include <numbers>

#include "harness/ops/params.h"
#include "oracles/reference/dot.h"
#include "oracles/reference/lanes.h"
#include "oracles/reference/pointwise.h"
#include "oracles/reference/store.h"

namespace anecheck {
namespace reference {
namespace {

constexpr Term kExponentialTerms[] = {Term::kExponentialUlp};
constexpr Term kTurnTerms[] = {Term::kTurnTable, Term::kTurnPart, Term::kTurnReduction,
                               Term::kFunctionUlp};
constexpr Term kArcTangentTerms[] = {Term::kArcTangentTable, Term::kFunctionUlp};
constexpr Term kMacTerms[] = {Term::kProductRounding, Term::kAccumulatorUnit};

int EvaluatedUlp(const KernelContext& context) {
  return static_cast<int>(context.contract()[Term::kExponentialUlp]);
}

Bounds Widened(const Bounds& bounds) {
  return {WidenDown(bounds.low), WidenUp(bounds.high), bounds.nan};
}

// Whether [low, high] contains first + k * step for a whole k.
bool Holds(double low, double high, double first, double step) {
  return std::floor((high - first) / step) >= std::ceil((low - first) / step);
}

// Bounds a function of period 2 pi and range [-1, 1] whose maxima are at `top` + 2 k pi.
template <double (*kFunction)(double)>
Bounds Wave(double low, double high, double top) {
  constexpr double kTurn = 2 * std::numbers::pi;
  if (low == high || low != low) return {kFunction(low), kFunction(high)};
  if (!(high - low < kTurn)) return {-1, 1, !(high - low < kInfinity)};
  // Looks for extremes in a slightly wider interval, because pi is not a double.
  const double slack = (std::fabs(low) + std::fabs(high) + 1) * kDoubleSlack;
  const double a = kFunction(low);
  const double b = kFunction(high);
  const bool least = Holds(low - slack, high + slack, top + std::numbers::pi, kTurn);
  const bool most = Holds(low - slack, high + slack, top, kTurn);
  return Widened({least ? -1 : std::min(a, b), most ? 1 : std::max(a, b)});
}

double SinValue(double x) { return std::sin(x); }
double CosValue(double x) { return std::cos(x); }
double TanValue(double x) { return std::tan(x); }
double AtanValue(double x) { return std::atan(x); }
double AsinValue(double x) { return std::asin(x); }
double AcosValue(double x) { return std::acos(x); }
double SinhValue(double x) { return std::sinh(x); }
double CoshValue(double x) { return std::cosh(x); }
double AsinhValue(double x) { return std::asinh(x); }
double AcoshValue(double x) { return std::acosh(x); }
double AtanhValue(double x) { return std::atanh(x); }

template <double (*kFunction)(double), int kHalfPis>
Status Periodic(KernelContext& context) {
  const double reduction = context.contract()[Term::kTurnReduction];
  return Pointwise(context,
                   [](double low, double high) {
                     return Wave<kFunction>(low, high, kHalfPis * std::numbers::pi / 2);
                   },
                   {.table_error = context.contract()[Term::kTurnTable],
                    .table_part = context.contract()[Term::kTurnPart],
                    .operand_part = reduction,
                    .ulp = FunctionUlp(context),
                    .least = -1,
                    .most = 1,
                    .law = Law{.function = kHalfPis == 0 ? Recorded::kCos : Recorded::kSin,
                               .operand_part = reduction}});
}

Status Tangent(KernelContext& context) {
  return Pointwise(context,
                   [](double low, double high) {
                     if (low == high || low != low) return Bounds{TanValue(low), TanValue(high)};
                     const double slack = (std::fabs(low) + std::fabs(high) + 1) * kDoubleSlack;
                     const bool pole =
                         !(high - low < kInfinity) ||
                         Holds(low - slack, high + slack, std::numbers::pi / 2, std::numbers::pi);
                     if (pole) return Bounds{-kInfinity, kInfinity, !(high - low < kInfinity)};
                     return Widened({TanValue(low), TanValue(high)});
                   },
                   {.ulp = EvaluatedUlp(context)});
}

Status ArcTangent(KernelContext& context) {
  return Pointwise(context, Monotone<AtanValue>,
                   {.table_error = context.contract()[Term::kArcTangentTable],
                    .zero_at_zero = true,
                    .ulp = FunctionUlp(context),
                    .least = AtanValue(-kInfinity),
                    .most = AtanValue(kInfinity)});
}

template <double (*kFunction)(double)>
Status Rising(KernelContext& context) {
  return Pointwise(context, Monotone<kFunction>, {.ulp = EvaluatedUlp(context)});
}

template <double (*kFunction)(double), int kLeast, int kMost>
Status OnUnit(KernelContext& context) {
  return Pointwise(context,
                   [](double low, double high) {
                     const double most = kMost == 0 ? kInfinity : kMost;
                     return Widened(OnDomain<kFunction>(low, high, kLeast, most));
                   },
                   {.ulp = EvaluatedUlp(context)});
}

Status HyperbolicCosine(KernelContext& context) {
  return Pointwise(
      context, [](double low, double high) { return Widened(Turning(CoshValue, low, high, 0)); },
      {.ulp = EvaluatedUlp(context)});
}

// Each component is a difference of two products along axis 1 of [N, 3, 1, W].
Status CrossProduct(KernelContext& context) {
  using P = params::Binary;
  BoundedTensor& x = context.Input(P::kX);
  BoundedTensor& y = context.Input(P::kY);
  BoundedTensor& result = context.Result();
  const auto width = static_cast<size_t>(x.type.shape[3]);
  Accumulator accumulator(context, x, &y);
  LaneBuffer left(context.arena(), 2, x.point());
  LaneBuffer right(context.arena(), 2, y.point());
  const Raw raw = AllocateSums(context, accumulator, result.size);
  for (size_t at = 0; at < result.size; ++at) {
    const size_t component = at / width % 3;
    const size_t base = at - component * width;
    const size_t next = base + (component + 1) % 3 * width;
    const size_t last = base + (component + 2) % 3 * width;
    left.Set(0, x, next);
    right.Set(0, y, last);
    left.SetNegated(1, x, last);
    right.Set(1, y, next);
    Put(raw, at, accumulator.Dot(left.lanes(), right.lanes(), 2));
  }
  StoreFloats(context, result, raw);
  return {};
}

}  // namespace
}  // namespace reference

constinit const ReferenceKernel kReferenceSin = {
    .evaluate = reference::Periodic<reference::SinValue, 1>,
    .terms = reference::kTurnTerms,
    .elementwise = true};
constinit const ReferenceKernel kReferenceCos = {
    .evaluate = reference::Periodic<reference::CosValue, 0>,
    .terms = reference::kTurnTerms,
    .elementwise = true};
constinit const ReferenceKernel kReferenceTan = {
    .evaluate = reference::Tangent, .terms = reference::kExponentialTerms, .elementwise = true};
constinit const ReferenceKernel kReferenceAtan = {
    .evaluate = reference::ArcTangent, .terms = reference::kArcTangentTerms, .elementwise = true};
constinit const ReferenceKernel kReferenceAsin = {
    .evaluate = reference::OnUnit<reference::AsinValue, -1, 1>,
    .terms = reference::kExponentialTerms,
    .elementwise = true};
constinit const ReferenceKernel kReferenceAcos = {
    .evaluate = reference::OnUnit<reference::AcosValue, -1, 1>,
    .terms = reference::kExponentialTerms,
    .elementwise = true};
constinit const ReferenceKernel kReferenceAtanh = {
    .evaluate = reference::OnUnit<reference::AtanhValue, -1, 1>,
    .terms = reference::kExponentialTerms,
    .elementwise = true};
constinit const ReferenceKernel kReferenceAcosh = {
    .evaluate = reference::OnUnit<reference::AcoshValue, 1, 0>,
    .terms = reference::kExponentialTerms,
    .elementwise = true};
constinit const ReferenceKernel kReferenceAsinh = {
    .evaluate = reference::Rising<reference::AsinhValue>,
    .terms = reference::kExponentialTerms,
    .elementwise = true};
constinit const ReferenceKernel kReferenceSinh = {
    .evaluate = reference::Rising<reference::SinhValue>,
    .terms = reference::kExponentialTerms,
    .elementwise = true};
constinit const ReferenceKernel kReferenceCosh = {.evaluate = reference::HyperbolicCosine,
                                                  .terms = reference::kExponentialTerms,
                                                  .elementwise = true};
constinit const ReferenceKernel kReferenceCrossProduct = {.evaluate = reference::CrossProduct,
                                                          .terms = reference::kMacTerms};
constinit const ReferenceKernel kReferenceMatrixDecomposition = {};

}  // namespace anecheck
