// Kernels of elementwise arithmetic with broadcasting. They compute intervals from the ends of the
// operands' intervals.
#include <algorithm>

#include "harness/ops/params.h"
#include "oracles/laws.h"
#include "oracles/reference/fixed_point.h"
#include "oracles/reference/integers.h"
#include "oracles/reference/layout.h"
#include "oracles/reference/number_loops.h"
#include "oracles/reference/pointwise.h"
#include "oracles/reference/store.h"

namespace anecheck {
namespace reference {
namespace {

using Range = Bounds;

bool HasInfinity(const Range& a) { return a.high == kInfinity || a.low == -kInfinity; }
bool HasZero(const Range& a) { return a.low <= 0 && a.high >= 0; }
bool Degenerate(const Range& a) { return a.low == a.high; }

// Returns the hull of four corners. If a corner is NaN, one end is NaN, and the store admits every
// result.
Range Hull(double a, double b, double c, double d) {
  if (a != a || b != b || c != c || d != d) return {kNan, kInfinity};
  return {std::min(std::min(a, b), std::min(c, d)), std::max(std::max(a, b), std::max(c, d))};
}

Range Widen(const Range& range) { return {WidenDown(range.low), WidenUp(range.high), range.nan}; }

struct Add {
  static double Value(double a, double b) { return AddOdd(a, b); }
  static constexpr HalfArithmetic kHalves = HalfArithmetic::kAdd;
  static Range Bound(const Range& a, const Range& b, bool) {
    Range sum{AddDown(a.low, b.low), AddUp(a.high, b.high)};
    sum.nan = (a.high == kInfinity && b.low == -kInfinity) ||
              (a.low == -kInfinity && b.high == kInfinity);
    return sum;
  }
  static int64_t Integer(int64_t a, int64_t b) { return a + b; }
};

struct Sub {
  static double Value(double a, double b) { return AddOdd(a, -b); }
  static constexpr HalfArithmetic kHalves = HalfArithmetic::kSub;
  static Range Bound(const Range& a, const Range& b, bool) {
    return Add::Bound(a, {-b.high, -b.low, b.nan}, false);
  }
  static int64_t Integer(int64_t a, int64_t b) { return a - b; }
};

struct Mul {
  // Products of two fp16 or two fp32 numbers are exact in double.
  static double Value(double a, double b) { return a * b; }
  static constexpr HalfArithmetic kHalves = HalfArithmetic::kMul;
  static Range Bound(const Range& a, const Range& b, bool) {
    if (Degenerate(a) && Degenerate(b)) {
      const double product = a.low * b.low;
      return {product, product};
    }
    return Widen(Product(a, b));
  }
  static int64_t Integer(int64_t a, int64_t b) { return a * b; }
};

struct RealDiv {
  static double Value(double a, double b) {
    const bool plain = std::fabs(a) < kInfinity && std::fabs(b) < kInfinity && b != 0;
    return plain ? DivideOdd(a, b) : a / b;
  }
  static Range Bound(const Range& a, const Range& b, bool signed_zero) {
    if (Degenerate(a) && Degenerate(b) && (b.low != 0 || signed_zero)) {
      const double quotient = Value(a.low, b.low);
      return {quotient, quotient};
    }
    if (b.low != b.low || a.low != a.low) return {kNan, kNan};
    if (HasZero(b)) {
      if (Degenerate(b) && Degenerate(a) && a.low == 0) return {kNan, kNan};
      return {-kInfinity, kInfinity, HasZero(a) || (HasInfinity(a) && HasInfinity(b))};
    }
    return Widen(Hull(a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high));
  }
  // The quotient is truncated toward zero. No source excludes the floor, so an engine may also
  // return the floor. No source defines a quotient by zero: its value is 0 by convention.
  static int64_t Integer(int64_t a, int64_t b) { return b == 0 ? 0 : a / b; }
};

// Returns the quotient of real_div's recorded program, which rounds the table's reciprocal and the
// product (facts/later_programs/weights_layout_later.md). Returns nothing if the table has no
// record, as for a divisor that may be 0.
std::optional<Range> ByReciprocal(const Grid& grid, const Range& a, const Range& b) {
  const std::optional<Interval> table =
      Law{.function = Recorded::kInverse}.Over(grid, b.low, b.high);
  if (!table || a.low != a.low) return std::nullopt;
  const Range product = Product(a, {grid.Store(table->low), grid.Store(table->high)});
  return product.low == product.low ? std::optional(product) : std::nullopt;
}

// If an operand is NaN, the result is NaN.
struct Maximum {
  static double Value(double a, double b) { return a != a ? a : b != b ? b : a > b ? a : b; }
  static Range Bound(const Range& a, const Range& b, bool) {
    return {Value(a.low, b.low), Value(a.high, b.high)};
  }
  static int64_t Integer(int64_t a, int64_t b) { return std::max(a, b); }
};

struct Minimum {
  static double Value(double a, double b) { return a != a ? a : b != b ? b : a < b ? a : b; }
  static Range Bound(const Range& a, const Range& b, bool) {
    return {Value(a.low, b.low), Value(a.high, b.high)};
  }
  static int64_t Integer(int64_t a, int64_t b) { return std::min(a, b); }
};

Range At(const BoundedTensor& tensor, size_t i) {
  return {tensor.low[i], tensor.high[i], tensor.NanAt(i)};
}

// Returns the least floor of a quotient of integers in these intervals. b must not contain zero.
double LeastFloor(const Range& a, const Range& b) {
  double least = kInfinity;
  for (const double x : {a.low, a.high}) {
    for (const double y : {b.low, b.high}) {
      const int64_t floor = FloorQuotient(static_cast<int64_t>(x), static_cast<int64_t>(y));
      least = std::min(least, static_cast<double>(floor));
    }
  }
  return least;
}

template <typename Op>
void Integers(KernelContext& context, BoundedTensor& x, BoundedTensor& y, const Strides& sx,
              const Strides& sy) {
  BoundedTensor& result = context.Result();
  const DType dtype = result.type.dtype;
  const bool divides = std::is_same_v<Op, RealDiv>;
  const bool bounds = divides || !x.point() || !y.point();
  const Raw raw = AllocateRaw(context, result.size, bounds);
  const auto apply = [](double a, double b) {
    return Op::Integer(static_cast<int64_t>(a), static_cast<int64_t>(b));
  };
  ForEachPair(result.type.shape, sx, sy, [&](size_t at, size_t i, size_t j) {
    raw.value[at] = WrapInteger(dtype, apply(x.value[i], y.value[j]));
    if (!bounds) return;
    const bool open = divides && HasZero(At(y, j));
    const IntegerRange range =
        open ? RangeOf(dtype)
             : HullOfIntegers(dtype, apply(x.low[i], y.low[j]), apply(x.low[i], y.high[j]),
                              apply(x.high[i], y.low[j]), apply(x.high[i], y.high[j]));
    raw.low[at] = range.low;
    raw.high[at] = range.high;
    const bool may_floor = divides && !open && !context.contract().ideal;
    if (may_floor) raw.low[at] = std::min(range.low, LeastFloor(At(x, i), At(y, j)));
  });
  StoreExact(result, raw);
}

// Whether both operands are finite fp16 points. Sums, differences and products are then exact in
// double.
bool CombinesHalves(const Contract& contract, const BoundedTensor& x, const BoundedTensor& y,
                    const BoundedTensor& result) {
  return contract.departure_count == 0 && !RoundsTiesAway(contract) &&
         x.type.dtype == DType::kFp16 && y.type.dtype == DType::kFp16 && x.point() && y.point() &&
         !x.special && !y.special && x.size == result.size && y.size == result.size;
}

// As StoreFloats, but keeps no unrounded results. Handles blocks that stay in the cache.
void StoreHalves(KernelContext& context, HalfArithmetic op, const BoundedTensor& x,
                 const BoundedTensor& y, BoundedTensor& result) {
  constexpr size_t kElements = 512;
  Arena& arena = context.arena();
  const bool wide = context.contract().Allows(Term::kWideIntermediate);
  result.value = arena.Allocate<double>(result.size);
  result.low = result.high = result.value;
  bool point = true;
  for (size_t at = 0; at < result.size; at += kElements) {
    const size_t count = std::min(kElements, result.size - at);
    const StoredValues facts =
        CombineHalves(op, x.value + at, y.value + at, count, result.value + at);
    result.special |= facts.special;
    if (!wide || (result.low == result.value && facts.exact)) continue;
    if (result.low == result.value) {  // the first block that is not exact
      result.low = arena.Allocate<double>(result.size);
      result.high = arena.Allocate<double>(result.size);
      std::copy_n(result.value, at, result.low);
      std::copy_n(result.value, at, result.high);
    }
    const StoredEnds ends = CombineEnds(op, x.value + at, y.value + at, count, result.value + at,
                                        result.low + at, result.high + at);
    point &= ends.point;
    result.special |= ends.special;
  }
  if (point) result.low = result.high = result.value;
}

// Returns an operand as an engine reads it by the law L4: numbers with exponent 31 are finite. The
// bits of a NaN that the graph computed are not known.
BoundedTensor& DecodedOperand(KernelContext& context, BoundedTensor& x) {
  if (!x.special || x.type.dtype != DType::kFp16) return x;
  BoundedTensor& read = *std::construct_at(context.arena().Allocate<BoundedTensor>(1), x);
  read.value = context.arena().Allocate<double>(x.size);
  read.low = context.arena().Allocate<double>(x.size);
  read.high = context.arena().Allocate<double>(x.size);
  read.nan = context.arena().Allocate<uint8_t>(x.size);
  for (size_t i = 0; i < x.size; ++i) {
    const Interval range = DecodedEnds(x.low[i], x.high[i], x.NanAt(i), x.point() && x.signed_zero);
    read.value[i] = DecodeAsNumber(x.value[i]);
    read.low[i] = range.low;
    read.high[i] = range.high;
    read.nan[i] = 0;
  }
  return read;
}

template <typename Op>
void Floats(KernelContext& context, BoundedTensor& x, BoundedTensor& y, const Strides& sx,
            const Strides& sy, int ulp) {
  BoundedTensor& result = context.Result();
  // A division by a zero of uncertain sign admits both infinities. An engine may lose the sign.
  const bool drops_sign =
      std::is_same_v<Op, RealDiv> && context.contract().Find(Effect::kUnsignedZero) != nullptr;
  const double sign_lost = drops_sign ? 0.0 : -0.0;  // -0 + 0 is +0, and -0 + -0 is -0
  const bool signed_zero = y.signed_zero || drops_sign;
  const bool zero_matters = std::is_same_v<Op, RealDiv> && !signed_zero;
  const Grid grid = GridOf(context, result.type.dtype);
  const bool by_table = std::is_same_v<Op, RealDiv> && grid.half() &&
                        x.type.dtype == DType::kFp16 && LawsOf(context.contract()).tables;
  const bool bounds =
      !context.contract().ideal && (!x.point() || !y.point() || zero_matters || by_table);
  if constexpr (requires { Op::kHalves; }) {
    if (CombinesHalves(context.contract(), x, y, result)) {
      StoreHalves(context, Op::kHalves, x, y, result);
      return;
    }
  }
  const Raw raw = AllocateRaw(context, result.size, bounds);
  ForEachPair(result.type.shape, sx, sy, [&](size_t at, size_t i, size_t j) {
    raw.value[at] = Op::Value(x.value[i], y.value[j] + sign_lost);
    if (!bounds) return;
    const Range right{y.low[j] + sign_lost, y.high[j] + sign_lost, y.NanAt(j)};
    const Range range = Op::Bound(At(x, i), right, signed_zero);
    raw.low[at] = range.low;
    raw.high[at] = range.high;
    raw.nan[at] = range.nan || x.NanAt(i) || y.NanAt(j) ? 1 : 0;
    const auto recorded = by_table ? ByReciprocal(grid, At(x, i), right) : std::nullopt;
    if (!by_table || range.low != range.low || range.high != range.high) return;
    raw.low[at] = Neighbour(grid, range.low, -ulp);
    raw.high[at] = Neighbour(grid, range.high, ulp);
    if (!recorded) return;
    raw.low[at] = std::min(raw.low[at], recorded->low);
    raw.high[at] = std::max(raw.high[at], recorded->high);
    raw.nan[at] |= recorded->nan ? 1 : 0;
  });
  StoreFloats(context, result, raw, by_table ? 0 : ulp);
}

template <typename Op>
Status Binary(KernelContext& context) {
  using P = params::Binary;
  BoundedTensor& x = context.Input(P::kX);
  BoundedTensor& y = context.Input(P::kY);
  const Shape& shape = context.Result().type.shape;
  const Strides sx = BroadcastStrides(x.type.shape, shape);
  const Strides sy = BroadcastStrides(y.type.shape, shape);
  if (!IsFloat(context.Result().type.dtype)) {
    Integers<Op>(context, x, y, sx, sy);
    return {};
  }
  const double ulp = std::is_same_v<Op, RealDiv> ? context.contract()[Term::kDivideUlp] : 0;
  constexpr bool kArithmetic =
      std::is_same_v<Op, Add> || std::is_same_v<Op, Sub> || std::is_same_v<Op, Mul>;
  const bool decodes = kArithmetic && LawsOf(context.contract()).plain_numbers &&
                       context.Result().type.dtype == DType::kFp16;
  const auto read = [&](BoundedTensor& operand) -> BoundedTensor& {
    if (!kArithmetic) return OpenNumbers(context, operand);
    return decodes ? DecodedOperand(context, operand) : operand;
  };
  Floats<Op>(context, read(x), read(y), sx, sy, static_cast<int>(ulp));
  return {};
}

constexpr Term kDivideTerms[] = {Term::kDivideUlp};

}  // namespace
}  // namespace reference

constinit const ReferenceKernel kReferenceAdd = {.evaluate = reference::Binary<reference::Add>,
                                                 .elementwise = true};
constinit const ReferenceKernel kReferenceSub = {.evaluate = reference::Binary<reference::Sub>,
                                                 .elementwise = true};
constinit const ReferenceKernel kReferenceMul = {.evaluate = reference::Binary<reference::Mul>,
                                                 .elementwise = true};
constinit const ReferenceKernel kReferenceRealDiv = {
    .evaluate = reference::Binary<reference::RealDiv>,
    .terms = reference::kDivideTerms,
    .elementwise = true};
constinit const ReferenceKernel kReferenceMaximum = {
    .evaluate = reference::Binary<reference::Maximum>, .elementwise = true};
constinit const ReferenceKernel kReferenceMinimum = {
    .evaluate = reference::Binary<reference::Minimum>, .elementwise = true};

}  // namespace anecheck
