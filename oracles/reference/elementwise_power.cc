// Kernels of running sums, and of elementwise operations whose bounds are not results of interval
// ends (quotients rounded to whole numbers, remainders, powers).
#include <algorithm>
#include <optional>

#include "harness/ops/params.h"
#include "oracles/reference/discrete.h"
#include "oracles/reference/integers.h"
#include "oracles/reference/lanes.h"
#include "oracles/reference/layout.h"
#include "oracles/reference/pointwise.h"
#include "oracles/reference/wide.h"

namespace anecheck {
namespace reference {
namespace {

constexpr Term kDivideTerms[] = {Term::kDivideUlp};
constexpr Term kExponentialTerms[] = {Term::kExponentialUlp};
constexpr Term kSumTerms[] = {Term::kReduceUnit};

struct Range {
  double low = 0;
  double high = 0;
  bool point() const { return low == high; }
  bool HasZero() const { return low <= 0 && high >= 0; }
  bool finite() const { return std::fabs(low) < kInfinity && std::fabs(high) < kInfinity; }
};

// Applies value(a, b) and bound(range of a, range of b) to every pair of elements.
template <typename Value, typename Bound>
Raw ForEachFloats(KernelContext& context, const Value& value, const Bound& bound) {
  using P = params::Binary;
  const BoundedTensor& x = context.Input(P::kX);
  const BoundedTensor& y = context.Input(P::kY);
  const BoundedTensor& result = context.Result();
  const Raw raw = AllocateRaw(context, result.size, !context.contract().ideal);
  ForEachPair(result.type.shape, BroadcastStrides(x.type.shape, result.type.shape),
              BroadcastStrides(y.type.shape, result.type.shape),
              [&](size_t at, size_t i, size_t j) {
                raw.value[at] = value(x.value[i], y.value[j]);
                if (raw.low == nullptr) return;
                const Bounds bounds = bound(Range{x.low[i], x.high[i]}, Range{y.low[j], y.high[j]});
                raw.low[at] = bounds.low;
                raw.high[at] = bounds.high;
                raw.nan[at] = bounds.nan || x.NanAt(i) || y.NanAt(j) ? 1 : 0;
              });
  return raw;
}

// Computes whole-number quotients, remainders or powers of integers. A result is unbounded if an
// operand is not a point, because the function is not monotonic, or if no source defines the result
// (is_defined(x, y) is false). Its value is then a convention.
template <typename Function, typename IsDefined>
Status Integers(KernelContext& context, const Function& function, const IsDefined& is_defined) {
  using P = params::Binary;
  const BoundedTensor& x = context.Input(P::kX);
  const BoundedTensor& y = context.Input(P::kY);
  BoundedTensor& result = context.Result();
  const DType dtype = result.type.dtype;
  const IntegerRange range = RangeOf(dtype);
  const Raw raw = AllocateRaw(context, result.size, true);
  ForEachPair(
      result.type.shape, BroadcastStrides(x.type.shape, result.type.shape),
      BroadcastStrides(y.type.shape, result.type.shape), [&](size_t at, size_t i, size_t j) {
        const auto apply = [&](double a, double b) {
          return WrapInteger(dtype, function(static_cast<int64_t>(a), static_cast<int64_t>(b)));
        };
        raw.value[at] = apply(x.value[i], y.value[j]);
        const bool point =
            x.low[i] == x.high[i] && y.low[j] == y.high[j] && is_defined(x.low[i], y.low[j]);
        raw.low[at] = point ? apply(x.low[i], y.low[j]) : range.low;
        raw.high[at] = point ? raw.low[at] : range.high;
      });
  StoreExact(result, raw);
  return {};
}

// ---- floor_div ----

bool IsDivisor(double, double y) { return y != 0; }

int64_t FloorOrZero(int64_t a, int64_t b) { return b == 0 ? 0 : FloorQuotient(a, b); }

// Whether a / b lies just below zero: a is finite and nonzero, b an infinity of the other sign.
bool IsJustBelowZero(double a, double b) {
  return std::isinf(b) && std::fabs(a) < kInfinity && a != 0 && (a < 0) != (b < 0);
}

// A quotient rounded to odd lies on the same side of every whole number as the exact quotient.
double FloorDivValue(double a, double b) {
  if (IsJustBelowZero(a, b)) return -1;
  const bool plain = std::fabs(a) < kInfinity && std::fabs(b) < kInfinity && b != 0;
  return std::floor(plain ? DivideOdd(a, b) : a / b);
}

// Before it takes the floor, an engine may round the quotient, which has the contract's error. A
// quotient that is a whole number must be exact: floor(6 / 3) = 1 is a documented defect (D33).
Bounds FloorDivBounds(const Grid& grid, const Contract& contract, const Range& a, const Range& b) {
  if (a.low != a.low || b.low != b.low) return {kNan, kNan};
  if (b.HasZero() || !a.finite() || !b.finite()) {
    const bool exact = a.point() && b.point() && !b.HasZero();
    if (!exact) return {-kInfinity, kInfinity, true};
    const double quotient = FloorDivValue(a.low, b.low);
    // An engine may first round a number just below zero to zero.
    return {quotient, IsJustBelowZero(a.low, b.low) ? 0 : quotient};
  }
  if (a.point() && b.point() && std::fmod(a.low, b.low) == 0) {
    const double whole = a.low / b.low;
    const double rounded = contract.ideal ? whole : grid.Round(whole);
    return {std::min(whole, rounded), std::max(whole, rounded)};
  }
  const double corners[] = {a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high};
  const double least = *std::min_element(std::begin(corners), std::end(corners));
  const double most = *std::max_element(std::begin(corners), std::end(corners));
  const auto ulp = static_cast<int>(contract[Term::kDivideUlp]);
  const auto end = [&](double quotient, int steps) {
    if (quotient == 0) return quotient;
    const double moved = grid.RoundAndStep(quotient, steps);
    return (moved < 0) == (quotient < 0) ? moved : 0;
  };
  return {std::floor(std::min(WidenDown(least), end(least, -ulp))),
          std::floor(std::max(WidenUp(most), end(most, ulp)))};
}

Status FloorDiv(KernelContext& context) {
  BoundedTensor& result = context.Result();
  if (!IsFloat(result.type.dtype)) return Integers(context, FloorOrZero, IsDivisor);
  const Grid grid(result.type.dtype);
  const Contract& contract = context.contract();
  const Raw raw = ForEachFloats(context, FloorDivValue, [&](const Range& a, const Range& b) {
    return FloorDivBounds(grid, contract, a, b);
  });
  StoreFloats(context, result, raw);
  result.whole = true;
  return {};
}

// ---- mod: the remainder with the divisor's sign, as MIL defines it ----

int64_t FloorRemainder(int64_t a, int64_t b) { return b == 0 ? 0 : a - FloorQuotient(a, b) * b; }

double ModValue(double a, double b) {
  const double remainder = std::fmod(a, b);  // exact
  if (remainder == 0 || remainder != remainder || (remainder < 0) == (b < 0)) return remainder;
  return AddOdd(remainder, b);
}

// If the whole quotient is the same over both intervals, the remainder is a difference of
// intervals. Otherwise it is any number between zero and the divisor.
Bounds ModBounds(const Range& a, const Range& b) {
  if (a.low != a.low || b.low != b.low) return {kNan, kNan};
  if (a.point() && b.point()) return {ModValue(a.low, b.low), ModValue(a.low, b.low)};
  if (b.HasZero() || !a.finite() || !b.finite()) return {-kInfinity, kInfinity, true};
  const double corners[] = {FloorDivValue(a.low, b.low), FloorDivValue(a.low, b.high),
                            FloorDivValue(a.high, b.low), FloorDivValue(a.high, b.high)};
  const double quotient = corners[0];
  const bool one = std::all_of(std::begin(corners), std::end(corners),
                               [=](double other) { return other == quotient; });
  if (!one) return {std::min(0.0, b.low), std::max(0.0, b.high)};
  const Bounds product = Scaled(b.low, b.high, quotient);
  return {WidenDown(a.low - product.high), WidenUp(a.high - product.low), product.nan};
}

Status Mod(KernelContext& context) {
  BoundedTensor& result = context.Result();
  if (!IsFloat(result.type.dtype)) return Integers(context, FloorRemainder, IsDivisor);
  StoreFloats(context, result, ForEachFloats(context, ModValue, ModBounds));
  return {};
}

// ---- pow ----

bool IsWhole(double x) { return std::floor(x) == x; }

// If its logarithm has a larger magnitude, the result is far outside the range of fp32. Double is
// accurate enough to show this.
constexpr double kPowerRange = 200;

// Returns the power, or a double that rounds to the same number of `grid`. Callers only round
// powers to the grid or move them by its steps.
double PowValue(const Grid& grid, double a, double b) {
  const double magnitude = std::fabs(a);
  const double power = std::pow(a, b);
  const bool plain = magnitude > 0 && magnitude < kInfinity && std::fabs(b) < kInfinity;
  if (!plain || magnitude == 1 || b == 0 || power != power) return power;
  if (IsSettledBetween(grid, power, std::fabs(power) * kDoubleSlack)) return power;
  if (std::fabs(b * std::log(magnitude)) > kPowerRange) return power;
  const double exact = Exp(Wide(b) * Log(Wide(magnitude))).Odd();
  return power < 0 ? -exact : exact;
}

// Whether a power with a NaN operand must be NaN. It need not be if the other operand may decide
// the result (1^NaN, NaN^0).
bool IsNanPower(const Range& a, const Range& b) {
  const auto has = [](const Range& range, double x) { return range.low <= x && range.high >= x; };
  return a.low != a.low ? !has(b, 0) : !has(a, 1);
}

Bounds PowBounds(const Grid& grid, bool signed_zero, bool keeps_nan, const Range& a,
                 const Range& b) {
  if (a.point() && b.point()) {
    const double power = PowValue(grid, a.low, b.low);
    // A negative odd power of a zero of uncertain sign may be either infinity.
    if (!signed_zero && a.low == 0 && b.low < 0 && IsWhole(b.low) && std::fmod(b.low, 2) != 0) {
      return {-kInfinity, kInfinity};
    }
    return {power, power};
  }
  if (a.low != a.low || b.low != b.low) {
    if (keeps_nan && IsNanPower(a, b)) return {kNan, kNan, true};
    return {-kInfinity, kInfinity, true};
  }
  if (a.low > 0) {
    const double corners[] = {std::pow(a.low, b.low), std::pow(a.low, b.high),
                              std::pow(a.high, b.low), std::pow(a.high, b.high)};
    return {WidenDown(*std::min_element(std::begin(corners), std::end(corners))),
            WidenUp(*std::max_element(std::begin(corners), std::end(corners)))};
  }
  if (b.point() && b.low > 0 && IsWhole(b.low)) {
    const auto power = [&](double x) { return std::pow(x, b.low); };
    const Bounds bounds = Turning(power, a.low, a.high, 0);
    return {WidenDown(bounds.low), WidenUp(bounds.high)};
  }
  if (a.low >= 0 && b.low > 0) {
    const double most = std::max(std::pow(a.high, b.low), std::pow(a.high, b.high));
    return {0, WidenUp(most)};
  }
  return {-kInfinity, kInfinity, true};
}

// Whether the power is an integer. A negative power is an integer only for 1 and -1.
bool IsIntegerPower(double a, double b) { return b >= 0 || a == 1 || a == -1; }

int64_t IntegerPower(int64_t a, int64_t b) {
  if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 == 0 ? 1 : -1) : 0;
  uint64_t power = 1;
  auto factor = static_cast<uint64_t>(a);
  for (auto left = static_cast<uint64_t>(b); left != 0; left >>= 1) {
    if ((left & 1) != 0) power *= factor;
    factor *= factor;
  }
  return static_cast<int64_t>(power);
}

Status Pow(KernelContext& context) {
  BoundedTensor& result = context.Result();
  if (!IsFloat(result.type.dtype)) return Integers(context, IntegerPower, IsIntegerPower);
  const auto ulp = static_cast<int>(context.contract()[Term::kExponentialUlp]);
  const Grid grid(result.type.dtype);
  const auto value = [&](double a, double b) { return PowValue(grid, a, b); };
  const bool signed_zero = context.Input(params::Binary::kX).signed_zero;
  const auto bounds = [&](const Range& a, const Range& b) {
    return PowBounds(grid, signed_zero, KeepsNan(context.contract()), a, b);
  };
  StoreFloats(context, result, ForEachFloats(context, value, bounds), ulp);
  return {};
}

// ---- cumsum ----

// The lanes that one result sums: the lanes before the result and, unless the sum is exclusive, the
// lane at the result.
class RunningSum {
 public:
  RunningSum(KernelContext& context, BoundedTensor& x) : x_(x), accumulator_(context, x, nullptr) {
    using P = params::Cumsum;
    const NodeView& node = context.node();
    const Shape& shape = x.type.shape;
    const int64_t given = node.Int(P::kAxis, 0);
    const auto axis = static_cast<size_t>(given < 0 ? given + shape.rank() : given);
    step_ = RowMajorStrides(shape)[axis];
    extent_ = static_cast<size_t>(shape[static_cast<int>(axis)]);
    exclusive_ = node.Bool(P::kExclusive, false);
    reverse_ = node.Bool(P::kReverse, false);
    bases_ = SplitAxes(context.arena(), shape, uint32_t{1} << axis).outer;
    lanes_.emplace(context.arena(), extent_, x.point());
  }

  template <typename Visit>
  void Run(const Visit& visit) {
    for (const int64_t base : bases_) {
      const int64_t from = reverse_ ? base + static_cast<int64_t>(extent_ - 1) * step_ : base;
      const int64_t step = reverse_ ? -step_ : step_;
      GatherStrided(x_, from, step, extent_, *lanes_, 0);
      for (size_t k = 0; k < extent_; ++k) {
        const auto at = static_cast<size_t>(from + static_cast<int64_t>(k) * step);
        visit(at, accumulator_, lanes_->lanes(), exclusive_ ? k : k + 1);
      }
    }
  }

 private:
  BoundedTensor& x_;
  Accumulator accumulator_;
  std::span<int64_t> bases_;
  std::optional<LaneBuffer> lanes_;
  int64_t step_ = 0;
  size_t extent_ = 0;
  bool exclusive_ = false;
  bool reverse_ = false;
};

Status IntegerCumsum(KernelContext& context, BoundedTensor& x) {
  BoundedTensor& result = context.Result();
  const DType dtype = result.type.dtype;
  const IntegerRange range = RangeOf(dtype);
  const Raw raw = AllocateRaw(context, result.size, true);
  RunningSum(context, x).Run([&](size_t at, Accumulator&, const Lanes& lanes, size_t count) {
    int64_t sum = 0;
    double low = 0;
    double high = 0;
    for (size_t k = 0; k < count; ++k) {
      sum += static_cast<int64_t>(lanes.value[k]);
      low += lanes.low[k];
      high += lanes.high[k];
    }
    const bool wraps = low < range.low || high > range.high;
    raw.value[at] = WrapInteger(dtype, sum);
    raw.low[at] = !wraps ? low : low == high ? raw.value[at] : range.low;
    raw.high[at] = !wraps ? high : low == high ? raw.value[at] : range.high;
  });
  StoreExact(result, raw);
  return {};
}

Status Cumsum(KernelContext& context) {
  BoundedTensor& x = context.Input(params::Cumsum::kX);
  BoundedTensor& result = context.Result();
  if (!IsFloat(result.type.dtype)) return IntegerCumsum(context, x);
  const Raw raw = AllocateRaw(context, result.size, true);
  RunningSum(context, x)
      .Run([&](size_t at, Accumulator& accumulator, const Lanes& lanes, size_t count) {
        Put(raw, at, accumulator.Sum(lanes, count));
      });
  StoreFloats(context, result, raw);
  return {};
}

}  // namespace
}  // namespace reference

constinit const ReferenceKernel kReferenceFloorDiv = {
    .evaluate = reference::FloorDiv, .terms = reference::kDivideTerms, .elementwise = true};
constinit const ReferenceKernel kReferenceMod = {.evaluate = reference::Mod, .elementwise = true};
constinit const ReferenceKernel kReferencePow = {
    .evaluate = reference::Pow, .terms = reference::kExponentialTerms, .elementwise = true};
constinit const ReferenceKernel kReferenceCumsum = {.evaluate = reference::Cumsum,
                                                    .terms = reference::kSumTerms};

}  // namespace anecheck
