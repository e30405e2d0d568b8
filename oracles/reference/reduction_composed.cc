// Reductions of squares, magnitudes, exponentials and products, and functions of sums.
#include <algorithm>
#include <bit>

#include "harness/ops/params.h"
#include "oracles/reference/dot.h"
#include "oracles/reference/groups.h"
#include "oracles/reference/integers.h"
#include "oracles/reference/pointwise.h"
#include "oracles/reference/wide.h"

namespace anecheck {
namespace reference {
namespace {

constexpr Term kSumTerms[] = {Term::kReduceUnit};
constexpr Term kMeanTerms[] = {Term::kReduceUnit, Term::kBiasRounding, Term::kReciprocalRelative};
constexpr Term kSquareTerms[] = {Term::kAccumulatorUnit, Term::kProductRounding};
constexpr Term kRootTerms[] = {Term::kAccumulatorUnit, Term::kProductRounding, Term::kRootUlp};
constexpr Term kProductTerms[] = {Term::kAccumulatorUnit};
constexpr Term kLogTerms[] = {Term::kReduceUnit, Term::kExponentialUlp};
constexpr Term kLogExpTerms[] = {Term::kAccumulatorUnit, Term::kExponentialUlp,
                                 Term::kNormDifference};

uint32_t ReducedMask(const KernelContext& context, const BoundedTensor& x) {
  return MaskOfAxes(context.node(), params::Reduce::kAxes, x.type.shape.rank());
}

BoundedTensor& Operand(KernelContext& context) { return context.Input(params::Reduce::kX); }

// Reduces integers in two's complement. A result of uncertain operands is unbounded. An engine may
// return the result of `other` instead of that of `function`.
template <typename Function, typename Other>
Status IntegerReduce(KernelContext& context, const Function& function, const Other& other) {
  const BoundedTensor& x = Operand(context);
  BoundedTensor& result = context.Result();
  const DType dtype = result.type.dtype;
  const IntegerRange range = RangeOf(dtype);
  const Raw raw = AllocateRaw(context, result.size, true);
  ForEachGroup(context, x, ReducedMask(context, x),
               [&](size_t at, const LaneBuffer& buffer, size_t count) {
                 const Lanes lanes = buffer.lanes();
                 raw.value[at] = WrapInteger(dtype, function(lanes.value, count));
                 const double second = WrapInteger(dtype, other(lanes.value, count));
                 raw.low[at] = x.point() ? std::min(raw.value[at], second) : range.low;
                 raw.high[at] = x.point() ? std::max(raw.value[at], second) : range.high;
               });
  StoreExact(result, raw);
  return {};
}
// As above, if no engine may return another number.
template <typename Function>
Status IntegerReduce(KernelContext& context, const Function& function) {
  const BoundedTensor& x = Operand(context);
  BoundedTensor& result = context.Result();
  const DType dtype = result.type.dtype;
  const IntegerRange range = RangeOf(dtype);
  const Raw raw = AllocateRaw(context, result.size, !x.point());
  ForEachGroup(context, x, ReducedMask(context, x),
               [&](size_t at, const LaneBuffer& buffer, size_t count) {
                 raw.value[at] = WrapInteger(dtype, function(buffer.lanes().value, count));
                 if (raw.low == nullptr) return;
                 raw.low[at] = range.low;
                 raw.high[at] = range.high;
               });
  StoreExact(result, raw);
  return {};
}

template <typename Step>
int64_t Fold(const double* values, size_t count, uint64_t start, const Step& step) {
  uint64_t total = start;
  for (size_t k = 0; k < count; ++k)
    total = step(total, static_cast<uint64_t>(static_cast<int64_t>(values[k])));
  return static_cast<int64_t>(total);
}

// Stores finish(sum) for each group; accumulate(lanes, count) returns the group's sum.
template <typename Accumulate, typename Finish>
Status FloatReduce(KernelContext& context, int ulp, const Accumulate& accumulate,
                   const Finish& finish) {
  const BoundedTensor& x = Operand(context);
  BoundedTensor& result = context.Result();
  const Raw raw = AllocateRaw(context, result.size, true);
  ForEachGroup(context, x, ReducedMask(context, x),
               [&](size_t at, const LaneBuffer& buffer, size_t count) {
                 const Accumulated reduced = finish(accumulate(buffer, count), count);
                 raw.value[at] = reduced.value;
                 raw.low[at] = reduced.low;
                 raw.high[at] = reduced.high;
                 raw.nan[at] = reduced.nan ? 1 : 0;
               });
  StoreFloats(context, result, raw, ulp);
  return {};
}

Accumulated Keep(const Accumulated& sum, size_t) { return sum; }

// ---- mean ----

Status ReduceMean(KernelContext& context) {
  BoundedTensor& x = Operand(context);
  const DType dtype = context.Result().type.dtype;
  if (!IsFloat(dtype)) {
    // No source says whether an engine truncates the mean or takes its floor.
    const auto sum = [](const double* values, size_t count) {
      return Fold(values, count, 0, [](uint64_t a, uint64_t b) { return a + b; });
    };
    const auto truncated = [&](const double* values, size_t count) {
      return sum(values, count) / static_cast<int64_t>(count);
    };
    if (context.contract().ideal) return IntegerReduce(context, truncated);
    return IntegerReduce(context, truncated, [&](const double* values, size_t count) {
      return FloorQuotient(sum(values, count), static_cast<int64_t>(count));
    });
  }
  const Contract& contract = context.contract();
  const Grid grid(dtype);
  Accumulator accumulator(context, x, nullptr);
  return FloatReduce(
      context, 0,
      [&](const LaneBuffer& buffer, size_t n) { return accumulator.Sum(buffer.lanes(), n); },
      [&](const Accumulated& sum, size_t n) {
        const auto divisor = static_cast<double>(n);
        Accumulated mean = sum;
        mean.value = DivideOdd(sum.value, divisor);
        Bounds range{sum.low, sum.high};
        // An engine may round the accumulator before it multiplies by 1/n (exact for powers of
        // two).
        if (contract.Allows(Term::kBiasRounding)) range = Held(grid, contract, range);
        const double relative =
            (n & (n - 1)) == 0 ? 0 : contract[Term::kReciprocalRelative] + kDoubleSlack;
        mean.low = range.low / divisor;
        mean.high = range.high / divisor;
        if (std::fabs(mean.low) < kInfinity) mean.low -= std::fabs(mean.low) * relative;
        if (std::fabs(mean.high) < kInfinity) mean.high += std::fabs(mean.high) * relative;
        return mean;
      });
}

// ---- squares and magnitudes ----

// Returns the sum of squares. No square is negative, although products of interval ends may be.
Accumulated SquareSum(Accumulator& accumulator, const LaneBuffer& buffer, size_t count) {
  const Lanes lanes = buffer.lanes();
  Accumulated sum = accumulator.Dot(lanes, lanes, count);
  if (sum.low < 0) sum.low = 0;
  if ((sum.beyond & kUpward) != 0) sum.high = kInfinity;
  return sum;
}

Status ReduceSumSquare(KernelContext& context) {
  BoundedTensor& x = Operand(context);
  if (!IsFloat(context.Result().type.dtype)) {
    return IntegerReduce(context, [](const double* values, size_t count) {
      return Fold(values, count, 0, [](uint64_t a, uint64_t b) { return a + b * b; });
    });
  }
  Accumulator accumulator(context, x, &x);
  return FloatReduce(
      context, 0,
      [&](const LaneBuffer& buffer, size_t n) { return SquareSum(accumulator, buffer, n); }, Keep);
}

// Computes a root or a logarithm of integers, which is of(values, count) truncated to an integer
// (coremltools). `of` returns NaN if the result is undefined. No source gives the format and the
// rounding of an engine, so fp16 and both directions are admitted.
template <typename Function>
Status IntegerOfReal(KernelContext& context, Term term, const Function& of) {
  const BoundedTensor& x = Operand(context);
  BoundedTensor& result = context.Result();
  const IntegerRange range = RangeOf(result.type.dtype);
  const auto ulp = static_cast<int>(context.contract()[term]);
  const Raw raw = AllocateRaw(context, result.size, true);
  ForEachGroup(context, x, ReducedMask(context, x),
               [&](size_t at, const LaneBuffer& buffer, size_t count) {
                 const double real = of(buffer.lanes().value, count);
                 const bool known = x.point() && std::fabs(real) < kHalfMaxValue;
                 raw.value[at] = SaturateInteger(result.type.dtype, real);
                 const double low = std::min(real, StepHalf(RoundToHalf(real), -ulp));
                 const double high = std::max(real, StepHalf(RoundToHalf(real), ulp));
                 raw.low[at] = known ? std::floor(low) : range.low;
                 raw.high[at] = known ? std::ceil(high) : range.high;
               });
  StoreExact(result, raw);
  return {};
}

// Returns the sum of term(element), or NaN if the sum does not fit int32.
template <typename Term>
double IntegerTotal(const double* values, size_t count, const Term& term) {
  double sum = 0;
  for (size_t k = 0; k < count; ++k) sum += term(values[k]);
  return std::fabs(sum) < 0x1p31 ? sum : kNan;
}

double RootOdd(double x) {
  const double root = std::sqrt(x);
  if (!(root > 0) || !(root < kInfinity)) return root;
  return ToOdd(root, std::fma(-root, root, x));
}

Status ReduceL2Norm(KernelContext& context) {
  if (!IsFloat(context.Result().type.dtype)) {
    return IntegerOfReal(context, Term::kRootUlp, [](const double* values, size_t count) {
      return std::sqrt(IntegerTotal(values, count, [](double v) { return v * v; }));
    });
  }
  BoundedTensor& x = Operand(context);
  const Contract& contract = context.contract();
  const Grid grid(context.Result().type.dtype);
  Accumulator accumulator(context, x, &x);
  return FloatReduce(
      context, static_cast<int>(contract[Term::kRootUlp]),
      [&](const LaneBuffer& buffer, size_t n) { return SquareSum(accumulator, buffer, n); },
      [&](const Accumulated& sum, size_t) {
        const Bounds held = Held(grid, contract, {sum.low, sum.high});
        Accumulated root = sum;
        root.value = RootOdd(sum.value);
        root.low = WidenDown(std::sqrt(held.low));
        root.high = WidenUp(std::sqrt(held.high));
        return root;
      });
}

Status ReduceL1Norm(KernelContext& context) {
  BoundedTensor& x = Operand(context);
  BoundedTensor& result = context.Result();
  if (!IsFloat(result.type.dtype)) {
    return IntegerReduce(context, [](const double* values, size_t count) {
      return Fold(values, count, 0, [](uint64_t a, uint64_t b) {
        return a + (static_cast<int64_t>(b) < 0 ? uint64_t{0} - b : b);
      });
    });
  }
  const AxisSplit split = SplitAxes(context.arena(), x.type.shape, ReducedMask(context, x));
  LaneBuffer lanes(context.arena(), split.inner.size(), x.point());
  Accumulator accumulator(context, x, nullptr);
  const Raw raw = AllocateRaw(context, result.size, true);
  for (size_t at = 0; at < split.outer.size(); ++at) {
    for (size_t k = 0; k < split.inner.size(); ++k) {
      lanes.SetMagnitude(k, x, static_cast<size_t>(split.outer[at] + split.inner[k]));
    }
    Put(raw, at, accumulator.Sum(lanes.lanes(), split.inner.size()));
    raw.low[at] = raw.low[at] < 0 ? 0 : raw.low[at];
  }
  StoreFloats(context, result, raw);
  return {};
}

// ---- logarithms ----

// Returns the logarithm, or a double that rounds to the same number of `grid`.
double LogOf(const Grid& grid, double x) {
  const double log = std::log(x);
  if (!(x > 0 && x < kInfinity)) return log;
  return IsSettledBetween(grid, log, std::fabs(log) * kDoubleSlack) ? log : Log(Wide(x)).Odd();
}

Status ReduceLogSum(KernelContext& context) {
  if (!IsFloat(context.Result().type.dtype)) {
    return IntegerOfReal(context, Term::kExponentialUlp, [](const double* values, size_t count) {
      return std::log(IntegerTotal(values, count, [](double v) { return v; }));
    });
  }
  BoundedTensor& x = Operand(context);
  const Contract& contract = context.contract();
  const Grid grid(context.Result().type.dtype);
  Accumulator accumulator(context, x, nullptr);
  return FloatReduce(
      context, static_cast<int>(contract[Term::kExponentialUlp]),
      [&](const LaneBuffer& buffer, size_t n) { return accumulator.Sum(buffer.lanes(), n); },
      [&](const Accumulated& sum, size_t) {
        const Bounds held = Held(grid, contract, {sum.low, sum.high});
        Accumulated log = sum;
        log.value = LogOf(grid, sum.value);
        log.low =
            held.low < 0 ? (held.high < 0 ? kNan : -kInfinity) : WidenDown(std::log(held.low));
        log.high = WidenUp(std::log(held.high));
        log.nan |= held.low < 0;
        return log;
      });
}

// Computes log(sum exp(x - top)) + top in the steps of softmax.
class LogSumExp {
 public:
  LogSumExp(const Contract& contract, DType dtype)
      : contract_(contract),
        grid_(dtype),
        ulp_(static_cast<int>(contract[Term::kExponentialUlp])) {}

  Accumulated Reduce(const LaneBuffer& buffer, size_t count) const {
    const Lanes lanes = buffer.lanes();
    const double top = Largest(lanes.value, count);
    if (top != top) return lanes.point() ? All(kNan, kNan, kNan) : Anything(kNan);
    // Even if an end of an operand is not finite, the value is computed as usual.
    const double value = std::fabs(top) < kInfinity ? Value(lanes.value, count, top) : top;
    if (!HasTop(buffer, count)) return Anything(value);
    Accumulated result = Bound(lanes, count);
    result.value = value;
    return result;
  }

 private:
  static Accumulated All(double value, double low, double high) {
    return {.value = value, .low = low, .high = high};
  }
  // Also admits NaN, because an intermediate inf - inf is NaN even if the formula has a limit.
  static Accumulated Anything(double value) {
    Accumulated result = All(value, -kInfinity, kInfinity);
    result.nan = true;
    return result;
  }
  // Whether every engine subtracts a finite maximum and every element is a number or -infinity,
  // whose exponential is 0.
  static bool HasTop(const LaneBuffer& buffer, size_t count) {
    const Lanes lanes = buffer.lanes();
    return !buffer.AnyNan(count) && std::fabs(Largest(lanes.low, count)) < kInfinity &&
           std::fabs(Largest(lanes.high, count)) < kInfinity;
  }

  double Value(const double* x, size_t count, double top) const {
    double sum = 0;
    for (size_t k = 0; k < count; ++k) sum += std::exp(x[k] - top);
    const double log = std::log(sum);
    const double error =
        (static_cast<double>(count) + 8) * 0x1p-52 * (1 + log) + std::fabs(top) * 0x1p-52;
    const double value = top + log;
    return IsSettled(grid_, value, error) ? value : WideValue(x, count, top);
  }
  static double WideValue(const double* x, size_t count, double top) {
    Wide sum(0);
    for (size_t k = 0; k < count; ++k) {
      const Wide difference = Wide(x[k]) - Wide(top);
      if (difference.high() > -700) sum = sum + Exp(difference);
    }
    return (Log(sum) + Wide(top)).Odd();
  }

  double ExponentialEnd(double exact, int steps) const {
    if (exact == 0) return 0;
    const double moved = grid_.RoundAndStep(exact, steps);
    return std::max(0.0, moved);
  }
  double LogEnd(double x, int steps) const {
    const double log = std::log(x);
    return log == 0 ? 0 : grid_.RoundAndStep(log, steps);
  }

  Accumulated Bound(const Lanes& x, size_t count) const {
    const double top_low = Largest(x.low, count);
    const double top_high = Largest(x.high, count);
    double low = 0;
    double high = 0;
    for (size_t k = 0; k < count; ++k) {
      double from = x.low[k] - top_high;
      double to = std::min(0.0, x.high[k] - top_low);
      if (contract_.Allows(Term::kNormDifference)) {
        from = std::min(from, grid_.Round(from));
        to = std::max(to, grid_.Round(to));
      }
      const double least = std::exp(from);
      const double most = std::exp(to);
      low += std::min(WidenDown(least), ExponentialEnd(least, -ulp_));
      high += std::max(WidenUp(most), ExponentialEnd(most, ulp_));
    }
    const double error =
        (static_cast<double>(count) + 2) * contract_[Term::kAccumulatorUnit] * (1 + 0x1p-10) +
        kDoubleSlack;
    const Bounds sum = Held(grid_, contract_, {low * (1 - error), high * (1 + error)});
    const double least = std::min(WidenDown(std::log(sum.low)), LogEnd(sum.low, -ulp_));
    const double most = std::max(WidenUp(std::log(sum.high)), LogEnd(sum.high, ulp_));
    const Bounds log = Held(grid_, contract_, {least, most});
    return All(0, AddDown(log.low, top_low), AddUp(log.high, top_high));
  }

  const Contract& contract_;
  Grid grid_;
  int ulp_;
};

// Adds log(1 + s) to the largest element. `s` is the sum of exp(x - largest) over the others.
// Elements far below the largest element still make the result greater than the largest element.
double LogSumExpOf(const double* values, size_t count) {
  const size_t top = static_cast<size_t>(std::max_element(values, values + count) - values);
  double others = 0;
  for (size_t k = 0; k < count; ++k) {
    if (k != top) others += std::max(std::exp(values[k] - values[top]), 0x1p-1000);
  }
  return AddOdd(values[top], std::log1p(others));
}

Status ReduceLogSumExp(KernelContext& context) {
  if (!IsFloat(context.Result().type.dtype)) {
    return IntegerOfReal(context, Term::kExponentialUlp, LogSumExpOf);
  }
  const LogSumExp reduction(context.contract(), context.Result().type.dtype);
  return FloatReduce(
      context, 0, [&](const LaneBuffer& buffer, size_t n) { return reduction.Reduce(buffer, n); },
      Keep);
}

// ---- products ----

// Returns the product. Keeps a separate power of two, so that no long product overflows or
// underflows.
double ScaledProduct(const double* values, size_t count) {
  Wide product(1);
  int exponent = 0;
  double special = 1;
  for (size_t k = 0; k < count; ++k) {
    if (!(std::fabs(values[k]) < kInfinity) || values[k] == 0) {
      special *= values[k];
      continue;
    }
    int shift = 0;
    product = product * Wide(std::frexp(values[k], &shift));
    exponent += shift;
    const Wide one(std::frexp(product.high(), &shift) / product.high());
    product = product * one;  // exact, because the factor is a power of two
    exponent += shift;
  }
  const double odd = product.Odd();
  if (special != 1) return special * odd;
  return std::ldexp(odd, std::clamp(exponent, -1000, 1000));
}

// Returns the number of significant bits of a finite double.
int SignificantBits(double x) {
  if (x == 0) return 0;
  int exponent = 0;
  const auto digits = static_cast<uint64_t>(std::ldexp(std::fabs(std::frexp(x, &exponent)), 53));
  return 53 - std::countr_zero(digits);
}

// Bounds products in single precision in any order. Partial products may leave the range of fp32.
class ProductBound {
 public:
  void Multiply(double low, double high) {
    const double corners[] = {low_ * low, low_ * high, high_ * low, high_ * high};
    low_ = *std::min_element(std::begin(corners), std::end(corners));
    high_ = *std::max_element(std::begin(corners), std::end(corners));
    // Double rounds a product of more than 53 bits.
    bits_ += low == high ? SignificantBits(low) : 53;
    if (bits_ > 53) {
      low_ = WidenDown(low_);
      high_ = WidenUp(high_);
    }
    zero_ |= low <= 0 && high >= 0;
    const double magnitude = std::max(std::fabs(low), std::fabs(high));
    if (magnitude > 0) {
      (magnitude > 1 ? growth_ : decay_) += std::log2(magnitude);
    }
    const double largest = std::max(std::fabs(low_), std::fabs(high_));
    if (!(largest > 0)) return;
    const int shift = std::ilogb(largest);
    low_ = std::ldexp(low_, -shift);
    high_ = std::ldexp(high_, -shift);
    exponent_ += shift;
  }
  // Whether some partial product may be smaller than the normal numbers of single precision.
  bool MayVanish() const { return decay_ < -126; }
  Bounds Range(double relative) const {
    // An infinite partial product times 0, or times a product that underflowed to 0, is NaN.
    if (growth_ > 127) return {-kInfinity, kInfinity, MayVanish() || zero_};
    const int exponent = std::clamp(exponent_, -1000, 1000);
    Bounds range{std::ldexp(low_ - std::fabs(low_) * relative, exponent),
                 std::ldexp(high_ + std::fabs(high_) * relative, exponent)};
    if (MayVanish()) range = {std::min(range.low, 0.0), std::max(range.high, 0.0)};
    return range;
  }

 private:
  double low_ = 1;
  double high_ = 1;
  int exponent_ = 0;
  int bits_ = 0;
  double growth_ = 0;
  double decay_ = 0;
  bool zero_ = false;  // some factor may be 0
};

// Returns how many products of `count` factors may be inexact in single precision. All are exact if
// their bits fit. The first product of two fp16 numbers is always exact.
double InexactProducts(const Lanes& lanes, size_t count, bool half) {
  int bits = 0;
  for (size_t k = 0; k < count; ++k) bits += SignificantBits(lanes.value[k]);
  if (lanes.point() && bits <= 24) return 0;
  const size_t exact = lanes.point() && half ? 2 : 1;
  return count <= exact ? 0 : static_cast<double>(count - exact);
}

Accumulated ReduceProduct(const Contract& contract, bool half, const LaneBuffer& buffer,
                          size_t count) {
  const Lanes lanes = buffer.lanes();
  Accumulated product;
  product.value = ScaledProduct(lanes.value, count);
  ProductBound bound;
  bool finite = !buffer.AnyNan(count);
  for (size_t k = 0; k < count; ++k) {
    const bool number = std::fabs(lanes.low[k]) < kInfinity && std::fabs(lanes.high[k]) < kInfinity;
    finite &= number;
    if (number) bound.Multiply(lanes.low[k], lanes.high[k]);
  }
  if (!finite) {
    product.low = lanes.point() ? product.value : -kInfinity;
    product.high = lanes.point() ? product.value : kInfinity;
    // An infinity times a partial product that underflowed to 0 is NaN.
    product.nan = !lanes.point() || bound.MayVanish();
    return product;
  }
  const Bounds range = bound.Range(InexactProducts(lanes, count, half) *
                                   contract[Term::kAccumulatorUnit] * (1 + 0x1p-10));
  product.low = range.low;
  product.high = range.high;
  product.nan = range.nan;
  return product;
}

Status ReduceProd(KernelContext& context) {
  if (!IsFloat(context.Result().type.dtype)) {
    return IntegerReduce(context, [](const double* values, size_t count) {
      return Fold(values, count, 1, [](uint64_t a, uint64_t b) { return a * b; });
    });
  }
  const Contract& contract = context.contract();
  const bool half = context.Result().type.dtype == DType::kFp16;
  return FloatReduce(
      context, 0,
      [&](const LaneBuffer& buffer, size_t n) { return ReduceProduct(contract, half, buffer, n); },
      Keep);
}

}  // namespace
}  // namespace reference

constinit const ReferenceKernel kReferenceReduceMean = {.evaluate = reference::ReduceMean,
                                                        .terms = reference::kMeanTerms};
constinit const ReferenceKernel kReferenceReduceSumSquare = {.evaluate = reference::ReduceSumSquare,
                                                             .terms = reference::kSquareTerms};
constinit const ReferenceKernel kReferenceReduceL1Norm = {.evaluate = reference::ReduceL1Norm,
                                                          .terms = reference::kSumTerms};
constinit const ReferenceKernel kReferenceReduceL2Norm = {.evaluate = reference::ReduceL2Norm,
                                                          .terms = reference::kRootTerms};
constinit const ReferenceKernel kReferenceReduceLogSum = {.evaluate = reference::ReduceLogSum,
                                                          .terms = reference::kLogTerms};
constinit const ReferenceKernel kReferenceReduceLogSumExp = {.evaluate = reference::ReduceLogSumExp,
                                                             .terms = reference::kLogExpTerms};
constinit const ReferenceKernel kReferenceReduceProd = {.evaluate = reference::ReduceProd,
                                                        .terms = reference::kProductTerms};

}  // namespace anecheck
