// Kernels of functions of one variable other than activations: magnitudes, roots, exponentials,
// logarithms, and roundings to whole numbers.
#include <algorithm>

#include "harness/ops/params.h"
#include "oracles/reference/integers.h"
#include "oracles/reference/pointwise.h"
#include "oracles/reference/store.h"

namespace anecheck {
namespace reference {
namespace {

constexpr Term kRootTerms[] = {Term::kRootUlp};
constexpr Term kDivideTerms[] = {Term::kDivideUlp};
constexpr Term kExponentialTerms[] = {Term::kExponentialUlp};

int UlpOf(const KernelContext& context, Term term) {
  return static_cast<int>(context.contract()[term]);
}

// Functions on floats, and on integers modulo 2^64, because squares of 32-bit integers have more
// bits than a double.
struct AbsValue {
  static double Float(double x) { return std::fabs(x); }
  static int64_t Integer(int64_t x) { return x < 0 ? -x : x; }
};
struct SquareValue {
  static double Float(double x) { return x * x; }
  static int64_t Integer(int64_t x) {
    const auto bits = static_cast<uint64_t>(x);
    return static_cast<int64_t>(bits * bits);
  }
};

// Computes the magnitude or square of integer intervals, wrapped in two's complement.
template <typename Function>
Status IntegerTurning(KernelContext& context) {
  const BoundedTensor& x = context.Input(params::Unary::kX);
  BoundedTensor& result = context.Result();
  const DType dtype = result.type.dtype;
  const IntegerRange range = RangeOf(dtype);
  const Raw raw = AllocateRaw(context, result.size, !x.point());
  const auto apply = [&](double y) {
    return WrapInteger(dtype, Function::Integer(static_cast<int64_t>(y)));
  };
  for (size_t i = 0; i < result.size; ++i) {
    raw.value[i] = apply(x.value[i]);
    if (x.point()) continue;
    const Bounds bounds = Turning(Function::Float, x.low[i], x.high[i], 0);
    const bool fits = bounds.high <= range.high;
    const bool point = x.low[i] == x.high[i];
    raw.low[i] = fits ? bounds.low : point ? apply(x.low[i]) : range.low;
    raw.high[i] = fits ? bounds.high : point ? raw.low[i] : range.high;
  }
  StoreExact(result, raw);
  return {};
}

// The results are exact in double for operands of fp16 and of fp32.
template <typename Function>
Status MagnitudeLike(KernelContext& context) {
  if (!IsFloat(context.Result().type.dtype)) return IntegerTurning<Function>(context);
  return Pointwise(context,
                   [](double low, double high) {
                     const Bounds bounds = Turning(Function::Float, low, high, 0);
                     return low == high ? bounds
                                        : Bounds{WidenDown(bounds.low), WidenUp(bounds.high)};
                   },
                   {});
}

// IEEE 754 requires a correctly rounded root in double, which is wide enough (rounding.h).
double RootValue(double x) { return std::sqrt(x); }

Status SquareRoot(KernelContext& context) {
  return Pointwise(
      context, [](double low, double high) { return OnDomain<RootValue>(low, high, 0, kInfinity); },
      {.ulp = UlpOf(context, Term::kRootUlp), .law = Law{Recorded::kSqrt}});
}

// Returns the table of f(x + epsilon). Constants of a pass are fp16. A given epsilon of 0 may mean
// the default, because the published errors of the inverse fit its default (numerics_laws.md, L13).
Law LawAfterEpsilon(KernelContext& context, Recorded recorded, double fallback) {
  const int parameter = params::WithEpsilon::kEpsilon;
  const double standard = RoundToHalf(fallback);
  const double given = RoundToHalf(context.node().Float(parameter, fallback));
  Law law = {.function = recorded, .epsilon = given, .other = std::nullopt};
  if (given == 0 && standard != 0) law.other = standard;
  return law;
}

// At operands of zero for which `apart(i)` is true, admits the infinities `beyond` besides a finite
// interval, but no number between them. `least` is the low end of the finite interval, or an
// infinity if no finite number is admitted.
template <typename Apart>
void KeepApart(KernelContext& context, const Apart& apart, uint8_t beyond, double least) {
  const BoundedTensor& x = context.Input(0);
  BoundedTensor& result = context.Result();
  const auto here = [&](size_t i) { return x.low[i] == 0 && x.high[i] == 0 && apart(i); };
  size_t first = 0;
  while (first < result.size && !here(first)) ++first;
  if (first == result.size) return;
  result.beyond = context.arena().Allocate<uint8_t>(result.size);
  result.finite_low = context.arena().Allocate<double>(result.size);
  result.finite_high = context.arena().Allocate<double>(result.size);
  for (size_t i = 0; i < result.size; ++i) {
    const bool divided = here(i);
    result.beyond[i] = divided ? beyond : 0;
    result.finite_low[i] = divided ? least : result.low[i];
    result.finite_high[i] = divided && least == kInfinity ? -kInfinity : result.high[i];
  }
}

// If an engine may lose the sign of a zero, infinities of both signs are admitted and no number
// between them.
void KeepInfinitiesApart(KernelContext& context) {
  const BoundedTensor& result = context.Result();
  KeepApart(
      context, [&](size_t i) { return result.low[i] == -kInfinity && result.high[i] == kInfinity; },
      kUpward | kDownward, kInfinity);
}

// Computes f(x + epsilon). An engine may round the sum.
template <typename Value, typename Function>
Status AfterEpsilon(KernelContext& context, double fallback, int ulp, Recorded recorded,
                    const Value& value, const Function& function) {
  const Grid grid(context.Result().type.dtype);
  const Contract& contract = context.contract();
  const double epsilon = Literal(context, params::WithEpsilon::kEpsilon, fallback);
  // A zero epsilon is not added, because the addition would lose the sign of a zero. An engine with
  // the departure kUnsignedZero loses the sign.
  const bool unsigned_zero = contract.Find(Effect::kUnsignedZero) != nullptr;
  const auto shifted = [=](double x) {
    if (epsilon != 0) return x + epsilon;
    return unsigned_zero && x == 0 ? 0.0 : x;
  };
  const bool signed_zero = context.Input(0).signed_zero || unsigned_zero;
  // An engine that is not an ANE may add an epsilon of zero, which turns -0 into +0, or skip the
  // addition.
  const bool perhaps_adds = epsilon == 0 && IsAnyEngine(contract.family) && !contract.ideal;
  const auto bounds = [&](double low, double high) {
    const Bounds at = epsilon == 0 ? Bounds{shifted(low), shifted(high)}
                                   : Held(grid, contract, {shifted(low), shifted(high)});
    const bool either_zero = perhaps_adds && low == 0 && std::signbit(low);
    return function(at.low, at.high, signed_zero && !either_zero);
  };
  ANECHECK_RETURN_IF_ERROR(
      Pointwise(context, [&](double x) { return value(shifted(x)); }, bounds,
                {.ulp = ulp, .steps = true, .law = LawAfterEpsilon(context, recorded, fallback)}));
  if (epsilon == 0) {
    KeepInfinitiesApart(context);
  } else if (IsAnyEngine(contract.family) && grid.Round(epsilon) == 0) {
    // If f(0) is an infinity, no number between f(0) and f(epsilon) is admitted.
    const BoundedTensor& result = context.Result();
    const double least = grid.RoundAndStep(function(epsilon, epsilon, false).low, -ulp);
    KeepApart(
        context,
        [&](size_t i) {
          return result.low[i] == -kInfinity && std::fabs(result.high[i]) < kInfinity;
        },
        kDownward, least);
  }
  return {};
}

double ReciprocalValue(double x) {
  return std::fabs(x) < kInfinity && x != 0 ? DivideOdd(1, x) : 1 / x;
}

Bounds ReciprocalBounds(double low, double high, bool signed_zero) {
  if (low != low) return {low, high};
  if (low <= 0 && high >= 0) {
    if (low == high && signed_zero) return {1 / low, 1 / high};
    return {-kInfinity, kInfinity};
  }
  return {ReciprocalValue(high), ReciprocalValue(low)};
}

Status Inverse(KernelContext& context) {
  return AfterEpsilon(context, 1e-4, UlpOf(context, Term::kDivideUlp), Recorded::kInverse,
                      ReciprocalValue, ReciprocalBounds);
}

double ReciprocalRootValue(double x) { return 1 / std::sqrt(x); }

Bounds ReciprocalRootBounds(double low, double high, bool signed_zero) {
  if (low != low || high < 0) return {kNan, kNan};
  if (low == 0 && high == 0 && signed_zero) {
    return {ReciprocalRootValue(low), ReciprocalRootValue(high)};
  }
  // The function of a negative zero is -infinity.
  const bool negative_zero = low < 0 || (low == 0 && (!signed_zero || std::signbit(low)));
  const double least = negative_zero ? -kInfinity : ReciprocalRootValue(high);
  const double most = low <= 0 ? kInfinity : ReciprocalRootValue(low);
  return {WidenDown(least), WidenUp(most), low < 0};
}

Status ReciprocalRoot(KernelContext& context) {
  return AfterEpsilon(context, 1e-12, UlpOf(context, Term::kRootUlp), Recorded::kRsqrt,
                      ReciprocalRootValue, ReciprocalRootBounds);
}

double LogValue(double x) { return std::log(x); }

Status Logarithm(KernelContext& context) {
  return AfterEpsilon(context, 1e-45, UlpOf(context, Term::kExponentialUlp), Recorded::kLog,
                      LogValue, [](double low, double high, bool) {
                        Bounds bounds = OnDomain<LogValue>(low, high, 0, kInfinity);
                        bounds.low = WidenDown(bounds.low);
                        bounds.high = WidenUp(bounds.high);
                        return bounds;
                      });
}

double ExpValue(double x) { return std::exp(x); }
double Exp2Value(double x) { return std::exp2(x); }
double SoftsignValue(double x) {
  if (std::fabs(x) == kInfinity) return std::copysign(1.0, x);
  return DivideOdd(x, 1 + std::fabs(x));
}

Status Exponential(KernelContext& context) {
  return Pointwise(context, Monotone<ExpValue>,
                   {.ulp = UlpOf(context, Term::kExponentialUlp), .law = Law{Recorded::kExp}});
}

template <double (*kFunction)(double)>
Status Evaluated(KernelContext& context) {
  return Pointwise(context, Monotone<kFunction>, {.ulp = UlpOf(context, Term::kExponentialUlp)});
}

// For negative integers the result is not an integer, and no source gives its rounding. No source
// defines a result that does not fit the type.
Status Exp2(KernelContext& context) {
  BoundedTensor& result = context.Result();
  if (IsFloat(result.type.dtype)) return Evaluated<Exp2Value>(context);
  const BoundedTensor& x = context.Input(params::Unary::kX);
  const IntegerRange range = RangeOf(result.type.dtype);
  const Raw raw = AllocateRaw(context, result.size, true);
  for (size_t i = 0; i < result.size; ++i) {
    raw.value[i] = SaturateInteger(result.type.dtype, std::exp2(x.value[i]));
    const double most = std::exp2(std::max(0.0, x.high[i]));
    const bool defined = most <= range.high;
    raw.low[i] = defined ? std::floor(std::exp2(x.low[i])) : range.low;
    raw.high[i] = defined ? most : range.high;
  }
  StoreExact(result, raw);
  return {};
}

double SignValue(double x) { return x != x ? x : x > 0 ? 1 : x < 0 ? -1 : 0; }
double CeilValue(double x) { return std::ceil(x); }
double FloorValue(double x) { return std::floor(x); }
// Rounds half to even. Does not use the library, because its result depends on the rounding mode of
// the process.
double RoundValue(double x) {
  const double below = std::floor(x);
  const double part = x - below;
  if (!(part < kInfinity)) return x;
  const bool up = part > 0.5 || (part == 0.5 && std::fmod(below, 2) != 0);
  return std::copysign(up ? below + 1 : below, x);
}

// Applies a monotone step function. Admits only the whole numbers between the results at the ends
// of the operand's interval.
template <double (*kFunction)(double)>
Status Steps(KernelContext& context) {
  BoundedTensor& result = context.Result();
  if (!IsFloat(result.type.dtype)) {
    const BoundedTensor& x = context.Input(params::Unary::kX);
    const Raw raw = AllocateRaw(context, result.size, true);
    for (size_t i = 0; i < result.size; ++i) {
      raw.value[i] = kFunction(x.value[i]);
      raw.low[i] = kFunction(x.low[i]);
      raw.high[i] = kFunction(x.high[i]);
    }
    StoreExact(result, raw);
    return {};
  }
  ANECHECK_RETURN_IF_ERROR(Pointwise(context, Monotone<kFunction>, {}));
  context.Result().whole = true;
  return {};
}

}  // namespace
}  // namespace reference

constinit const ReferenceKernel kReferenceAbs = {
    .evaluate = reference::MagnitudeLike<reference::AbsValue>, .elementwise = true};
constinit const ReferenceKernel kReferenceSquare = {
    .evaluate = reference::MagnitudeLike<reference::SquareValue>, .elementwise = true};
constinit const ReferenceKernel kReferenceSqrt = {
    .evaluate = reference::SquareRoot, .terms = reference::kRootTerms, .elementwise = true};
constinit const ReferenceKernel kReferenceRsqrt = {
    .evaluate = reference::ReciprocalRoot, .terms = reference::kRootTerms, .elementwise = true};
constinit const ReferenceKernel kReferenceInverse = {
    .evaluate = reference::Inverse, .terms = reference::kDivideTerms, .elementwise = true};
constinit const ReferenceKernel kReferenceLog = {
    .evaluate = reference::Logarithm, .terms = reference::kExponentialTerms, .elementwise = true};
constinit const ReferenceKernel kReferenceExp = {
    .evaluate = reference::Exponential, .terms = reference::kExponentialTerms, .elementwise = true};
constinit const ReferenceKernel kReferenceExp2 = {
    .evaluate = reference::Exp2, .terms = reference::kExponentialTerms, .elementwise = true};
constinit const ReferenceKernel kReferenceSoftsign = {
    .evaluate = reference::Evaluated<reference::SoftsignValue>,
    .terms = reference::kExponentialTerms,
    .elementwise = true};
constinit const ReferenceKernel kReferenceSign = {
    .evaluate = reference::Steps<reference::SignValue>, .elementwise = true};
constinit const ReferenceKernel kReferenceCeil = {
    .evaluate = reference::Steps<reference::CeilValue>, .elementwise = true};
constinit const ReferenceKernel kReferenceFloor = {
    .evaluate = reference::Steps<reference::FloorValue>, .elementwise = true};
constinit const ReferenceKernel kReferenceRound = {
    .evaluate = reference::Steps<reference::RoundValue>, .elementwise = true};

}  // namespace anecheck
