// Applies a function of one variable to every element. Computes values, and bounds from the
// operand's interval and the error that the contract grants. Used by activations and maths.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>

#include "oracles/laws.h"
#include "oracles/reference/distinct.h"
#include "oracles/reference/number_loops.h"
#include "oracles/reference/recorded_tables.h"
#include "oracles/reference/store.h"

namespace anecheck::reference {

// The least and greatest value of a function over an interval.
struct Bounds {
  double low = 0;
  double high = 0;
  bool nan = false;  // the function has no value on part of the interval
};

// Returns `x` with the relative error `part`, which an engine may use instead. Zeros and infinities
// stay unchanged.
inline double Off(double x, double part) {
  return x == 0 || std::isinf(x) ? x : x + part * std::fabs(x);
}

// The table that computes an operation, and the number that is added to its operand first.
struct Law {
  Recorded function = Recorded::kSigmoid;
  double epsilon = 0;
  // Another epsilon that an engine may use instead of `epsilon`.
  std::optional<double> other;
  double operand_part = 0;  // relative error of the operand of the table

  // The table's value for a number, or nothing if it is not recorded.
  std::optional<double> At(const Grid& grid, double x) const {
    const double from = epsilon == 0 ? x : grid.Store(x + epsilon);
    if (!HasRecord(function, from)) return std::nullopt;
    return RecordedValue(function, from, grid);
  }
  // The table's values over an interval of the operand, or nothing if one is not recorded.
  std::optional<Interval> Over(const Grid& grid, double low, double high) const {
    std::optional<Interval> bounds = With(grid, epsilon, low, high);
    if (!bounds || !other) return bounds;
    const std::optional<Interval> more = With(grid, *other, low, high);
    if (!more) return std::nullopt;
    return Interval{std::min(bounds->low, more->low), std::max(bounds->high, more->high)};
  }

 private:
  std::optional<Interval> With(const Grid& grid, double added, double low, double high) const {
    const double from = added == 0 ? low : grid.Store(low + added);
    const double to = added == 0 ? high : grid.Store(high + added);
    if (!HasRecord(function, from) || !HasRecord(function, to)) return std::nullopt;
    if (function == Recorded::kInverse && (from < 0) != (to < 0)) return std::nullopt;
    return RecordedBounds(function, Off(from, -operand_part), Off(to, operand_part), grid);
  }
};

// The errors that the contract permits besides rounding.
struct PointwiseBound {
  double table_error = 0;         // absolute error of the engine's table
  double table_part = kInfinity;  // its relative error; the smaller of both errors applies
  double operand_part = 0;        // relative error of the operand of the table
  bool zero_at_zero = false;      // the table is exact at 0
  int ulp = 0;                    // number of admitted neighbours of the rounded result
  bool steps = false;             // intermediate steps may be rounded, so even a point has bounds
  // The range of the function. No engine's result lies outside it, whatever the error of its table.
  double least = -kInfinity;
  double most = kInfinity;
  std::optional<Law> law;  // applies to results of fp16 if the contract has tables
};

// The permitted error in fp16 neighbours of functions that an ANE evaluates by tables.
inline int FunctionUlp(const KernelContext& context) {
  return static_cast<int>(context.contract()[Term::kFunctionUlp]);
}

// The number of decimal digits to which the contract knows the values of recorded tables (`a` of
// the departure). 0 means an earlier compiler's tables, whose errors are terms.
inline std::optional<double> DigitsOfTables(const Contract& contract) {
  const Departure* departure = contract.Find(Effect::kTableAtZero);
  return departure == nullptr ? std::nullopt : std::optional(departure->a);
}

// Whether the operation's bound is its law, not an interval around the exact result.
inline bool FollowsTable(const KernelContext& context, const BoundedTensor& result,
                         const PointwiseBound& bound) {
  const Contract& contract = context.contract();
  return bound.law && LawsOf(contract).tables && result.type.dtype == DType::kFp16 &&
         DigitsOfTables(contract) != 0;
}

template <double (*kFunction)(double)>
struct MonotoneBounds {
  Bounds operator()(double low, double high) const { return {kFunction(low), kFunction(high)}; }
};
// This constant has a function's name because callers use it as a function.
template <double (*kFunction)(double)>
inline constexpr MonotoneBounds<kFunction> Monotone{};  // NOLINT(readability-identifier-naming)

// Returns the bounds of a function over the part of [low, high] inside its domain [least,
// greatest], on which it is monotonic. Returns NaN if no part is inside.
template <double (*kFunction)(double)>
inline Bounds OnDomain(double low, double high, double least, double greatest) {
  if (low == high || low != low) return {kFunction(low), kFunction(high)};
  if (!(high >= least && low <= greatest)) return {kNan, kNan};
  const double a = kFunction(low < least ? least : low);
  const double b = kFunction(high > greatest ? greatest : high);
  return {std::min(a, b), std::max(a, b), low < least || high > greatest};
}

// The value of `function` at one end of an interval. At an infinite end without a value (infinity
// times zero), sets `nan` and returns the value at the largest finite number.
template <typename Function>
inline double AtEnd(const Function& function, double end, bool& nan) {
  const double value = function(end);
  if (value == value || !std::isinf(end)) return value;
  nan = true;
  return function(std::copysign(std::numeric_limits<double>::max(), end));
}

// Returns the hull over [low, high] of a function that is monotonic on each side of `turn`.
template <typename Function>
inline Bounds Turning(const Function& function, double low, double high, double turn) {
  if (low != low) return {low, high};
  if (low == high) {
    const double value = function(low);
    return {value, value};
  }
  bool nan = false;
  const double a = AtEnd(function, low, nan);
  const double b = AtEnd(function, high, nan);
  if (!(low < turn && turn < high)) return {std::min(a, b), std::max(a, b), nan};
  const double c = function(turn);
  return {std::min(std::min(a, b), c), std::max(std::max(a, b), c), nan};
}

// Returns the unrounded bounds of all products of a number in `a` and a number in `b`. Zero times
// infinity sets `nan`. The ends are NaN only if there is no other product.
inline Bounds Product(const Bounds& a, const Bounds& b) {
  const bool none = a.low != a.low || b.low != b.low;
  const auto infinite = [](const Bounds& x) { return std::isinf(x.low) || std::isinf(x.high); };
  const auto zero = [](const Bounds& x) { return x.low <= 0 && x.high >= 0; };
  const bool left = zero(b) && infinite(a);
  const bool right = zero(a) && infinite(b);
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  Bounds product = {kInfinite, -kInfinite, a.nan || b.nan || left || right || none};
  // If an interval has an infinite end, its finite numbers times zero are zero.
  if ((left && a.low != a.high) || (right && b.low != b.high)) product.low = product.high = 0;
  for (const double corner : {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high}) {
    if (corner != corner) continue;
    product.low = std::min(product.low, corner);
    product.high = std::max(product.high, corner);
  }
  if (none || product.low > product.high) {
    product.low = product.high = std::numeric_limits<double>::quiet_NaN();
  }
  return product;
}

// Returns the bounds of an interval times a number, as Product does.
inline Bounds Scaled(double low, double high, double factor) {
  return Product({low, high}, {factor, factor});
}

// The bounds of an interval that an engine may round to the element type or keep unrounded.
inline Bounds Held(const Grid& grid, const Contract& contract, const Bounds& range) {
  const bool wide = contract.Allows(Term::kWideIntermediate);
  // A task that stores its result rounds ties like every store. A task that does not store it
  // rounds half to even.
  const auto least = [&grid](double x) { return std::min(grid.Round(x), grid.Store(x)); };
  const auto most = [&grid](double x) { return std::max(grid.Round(x), grid.Store(x)); };
  return {OuterLow(least, range.low, wide), OuterHigh(most, range.high, wide), range.nan};
}

// Returns the hull of `number` and of all numbers that have the same print with `digits` digits.
inline Interval PrintingAlike(double number, double digits) {
  const double size = std::fabs(number);
  if (size == 0 || !(size < kInfinity)) return {number, number};
  const double unit = std::pow(10.0, std::floor(std::log10(size)) + 1 - digits);
  const double printed = std::round(number / unit) * unit;
  return {std::min(number, printed - unit / 2), std::max(number, printed + unit / 2)};
}

// The law's values of an element, as precisely as the contract knows them. Printed results were
// rounded by a store before they were printed.
inline Bounds KnownValues(const Contract& contract, const Grid& grid, const PointwiseBound& bound,
                          const Interval& law) {
  const std::optional<double> digits = DigitsOfTables(contract);
  if (!digits) return {law.low, law.high};
  const double low = std::min(law.low, PrintingAlike(grid.Store(law.low), *digits).low);
  const double high = std::max(law.high, PrintingAlike(grid.Store(law.high), *digits).high);
  return {std::max(low, std::min(bound.least, law.low)),
          std::min(high, std::max(bound.most, law.high))};
}

// Computes element `at` by the law. If the law does not cover the whole interval of the operand,
// the bound is kept, widened by `bound.ulp`, and includes the results of the law at the ends that
// it covers.
inline void PutLaw(const Contract& contract, const Grid& grid, const PointwiseBound& bound,
                   const BoundedTensor& x, size_t at, const Raw& raw) {
  const Law& law = *bound.law;
  if (const auto given = law.At(grid, x.value[at])) raw.value[at] = *given;
  const double low = x.low[at];
  const double high = x.high[at];
  const bool numbers = low == low && high == high;
  const auto whole = numbers ? law.Over(grid, low, high) : std::nullopt;
  if (whole && !x.NanAt(at)) {
    const Bounds known = KnownValues(contract, grid, bound, *whole);
    raw.low[at] = known.low;
    raw.high[at] = known.high;
    raw.nan[at] = 0;
    return;
  }
  raw.low[at] = raw.low[at] == 0 ? 0 : grid.RoundAndStep(raw.low[at], -bound.ulp);
  raw.high[at] = raw.high[at] == 0 ? 0 : grid.RoundAndStep(raw.high[at], bound.ulp);
  const bool root = law.function == Recorded::kSqrt || law.function == Recorded::kRsqrt;
  if (root && LawsOf(contract).perhaps_zero_roots && low < 0) {
    raw.nan[at] = 1;
    raw.low[at] = std::min(raw.low[at] == raw.low[at] ? raw.low[at] : 0.0, 0.0);
    raw.high[at] = raw.high[at] == raw.high[at] ? raw.high[at] : 0.0;
  }
  if (!numbers) return;
  for (const double end : {low, high}) {
    const auto part = law.Over(grid, end, end);
    if (!part) continue;
    raw.low[at] = std::min(raw.low[at], part->low);
    raw.high[at] = std::max(raw.high[at], part->high);
  }
}

// The error that a table may have if the exact result is `y`.
inline double TableError(const PointwiseBound& bound, double y) {
  return std::min(bound.table_error, bound.table_part * std::fabs(y));
}

// Applies Pointwise to `x`. Stores into `result`, whose type and size must be set.
template <typename Value, typename Function>
void PointwiseOf(KernelContext& context, const BoundedTensor& x, BoundedTensor& result,
                 const Value& value, const Function& function, const PointwiseBound& bound) {
  const bool follows = FollowsTable(context, result, bound);
  const bool moved = bound.operand_part != 0;
  const bool bounds = !context.contract().ideal &&
                      (!x.point() || bound.table_error != 0 || bound.steps || moved || follows);
  const Grid grid = GridOf(context, result.type.dtype);
  const bool zero_at_zero = bound.zero_at_zero && DigitsOfTables(context.contract()) != 0;
  const Raw raw = AllocateRaw(context, result.size, bounds);
  for (size_t i = 0; i < result.size; ++i) {
    raw.value[i] = value(x.value[i]);
    if (!bounds) continue;
    const Bounds at = {raw.value[i], raw.value[i]};
    const bool same = x.low[i] == x.value[i] && x.high[i] == x.value[i];
    const Bounds range =
        same && !bound.steps && !moved
            ? at
            : function(Off(x.low[i], -bound.operand_part), Off(x.high[i], bound.operand_part));
    const bool exact = same && zero_at_zero && x.value[i] == 0;
    const double below = exact ? 0 : TableError(bound, range.low);
    const double above = exact ? 0 : TableError(bound, range.high);
    raw.low[i] = WidenDown(range.low - below, below);
    raw.high[i] = WidenUp(range.high + above, above);
    raw.nan[i] = x.NanAt(i) || range.nan ? 1 : 0;
    if (raw.low[i] < bound.least) raw.low[i] = bound.least;
    if (raw.high[i] > bound.most) raw.high[i] = bound.most;
    if (follows) PutLaw(context.contract(), grid, bound, x, i, raw);
  }
  StoreFloats(context, result, raw, follows ? 0 : bound.ulp);
}

// Computes a function of each element of parameter 0. `value(x)` must return the function of x with
// an error of at most about two ulp of double. `function(low, high)` must return bounds of the
// function over [low, high]. If `low` or `high` is NaN, the bound on that side must be NaN.
template <typename Value, typename Function>
Status Pointwise(KernelContext& context, const Value& value, const Function& function,
                 const PointwiseBound& bound) {
  const BoundedTensor& x = OpenNumbers(context, context.Input(0));
  BoundedTensor& result = context.Result();
  if (!RepeatsNumbers(context.contract(), x)) {
    PointwiseOf(context, x, result, value, function, bound);
    return {};
  }
  if constexpr (std::is_empty_v<Value> && std::is_empty_v<Function>) {
    if (FillsATable(context.contract(), x)) {
      static FunctionTables tables;
      const Contract& contract = context.contract();
      const TableKey key = {.ideal = contract.ideal,
                            .wide = contract.Allows(Term::kWideIntermediate),
                            .zero_at_zero = bound.zero_at_zero,
                            .steps = bound.steps,
                            .follows_table = FollowsTable(context, result, bound),
                            .ties_away = RoundsTiesAway(contract),
                            .ulp = bound.ulp,
                            .table_error = bound.table_error,
                            .table_part = bound.table_part,
                            .operand_part = bound.operand_part,
                            .digits = DigitsOfTables(contract)};
      const FunctionTable& table = tables.For(key, [&] {
        const BoundedTensor numbers = AllNumbers(context.arena());
        BoundedTensor results = result;
        results.size = numbers.size;
        PointwiseOf(context, numbers, results, value, function, bound);
        return FunctionTable(results);
      });
      table.Expand(context.arena(), x, result);
      return {};
    }
  }
  const DistinctNumbers distinct(context.arena(), x);
  BoundedTensor results = result;
  results.size = distinct.numbers().size;
  PointwiseOf(context, distinct.numbers(), results, value, function, bound);
  distinct.Expand(context.arena(), results, result);
  return {};
}

// The value of a function whose bounds over a point equal its value. Stateless if Function is.
template <typename Function>
struct LowOverAPoint : Function {
  double operator()(double x) const { return static_cast<const Function&>(*this)(x, x).low; }
};

// As above, for a function whose bounds over a point equal its value.
template <typename Function>
Status Pointwise(KernelContext& context, const Function& function, const PointwiseBound& bound) {
  if constexpr (std::is_class_v<Function> && std::is_empty_v<Function>) {
    return Pointwise(context, LowOverAPoint<Function>{function}, function, bound);
  } else {
    return Pointwise(context, [&](double x) { return function(x, x).low; }, function, bound);
  }
}

// Clamps the operand to [low, high], which must be numbers of its element type. `function` clamps
// the ends of intervals.
template <typename Function>
Status Clamped(KernelContext& context, double low, double high, const Function& function) {
  const BoundedTensor& x = OpenNumbers(context, context.Input(0));
  BoundedTensor& result = context.Result();
  if (context.contract().departure_count != 0 || !x.point() || x.type.dtype != DType::kFp16) {
    return Pointwise(context, function, {});
  }
  result.value = result.low = result.high = context.arena().Allocate<double>(result.size);
  result.special = ClampNumbers(x.value, x.size, low, high, result.value);
  return {};
}

}  // namespace anecheck::reference
