// Kernels that read and write at computed places. If an index is known as an interval, the result
// may be the element at any place in the interval. An index out of range admits any result, because
// MIL does not define such results.
#include "oracles/reference/gather.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "harness/ops/params.h"
#include "oracles/reference/integers.h"
#include "oracles/reference/movement.h"
#include "oracles/reference/store.h"

namespace anecheck {
namespace reference {
namespace {

void GatherRows(KernelContext& context, const BoundedTensor& x, const BoundedTensor& indices,
                const IndexedRows& rows) {
  BoundedTensor& result = context.Result();
  const auto inner = static_cast<size_t>(rows.inner);
  const size_t count = inner == 0 ? 0 : result.size / inner;
  bool all_known = indices.point();
  for (size_t row = 0; all_known && row < count; ++row) {
    all_known = Addresses(rows, indices, static_cast<int64_t>(row)).all_inside();
  }
  PrepareMove(context, result, x.point() && all_known);
  for (size_t row = 0; row < count; ++row) {
    const Addresses places(rows, indices, static_cast<int64_t>(row));
    const size_t to = row * inner;
    for (size_t i = 0; i < inner; ++i) {
      if (places.inside()) {
        MoveElement(x, places.Value() + i, result, to + i);
      } else {
        PutElement(0, result, to + i);
      }
      if (!places.all_inside()) AdmitAnything(result, to + i);
    }
    if (places.known() || !places.all_inside()) continue;
    const bool counted = places.ForEach([&](size_t from) {
      for (size_t i = 0; i < inner; ++i) AdmitElement(x, from + i, result, to + i);
    });
    for (size_t i = 0; !counted && i < inner; ++i) AdmitAnything(result, to + i);
  }
  FinishMove(x, result);
}

Status Gather(KernelContext& context) {
  using P = params::Gather;
  const BoundedTensor& x = context.Input(P::kX);
  const BoundedTensor& indices = context.Input(P::kIndices);
  const int axis = AxisOf(context.node(), P::kAxis, 0, x.type.shape.rank());
  const auto batch = static_cast<int>(context.node().Int(P::kBatchDims, 0));
  GatherRows(context, x, indices, RowsOfAxis(x.type.shape, indices.type.shape, axis, batch));
  return {};
}

Status GatherAlongAxis(KernelContext& context) {
  using P = params::GatherAlongAxis;
  const BoundedTensor& x = context.Input(P::kX);
  const BoundedTensor& indices = context.Input(P::kIndices);
  const int axis = AxisOf(context.node(), P::kAxis, 0, x.type.shape.rank());
  GatherRows(context, x, indices, RowsAlongAxis(x.type.shape, indices.type.shape, axis));
  return {};
}

Status GatherNd(KernelContext& context) {
  using P = params::GatherNd;
  const BoundedTensor& x = context.Input(P::kX);
  const BoundedTensor& indices = context.Input(P::kIndices);
  const auto batch = static_cast<int>(context.node().Int(P::kBatchDims, 0));
  GatherRows(context, x, indices, RowsOfVectors(x.type.shape, indices.type.shape, batch));
  return {};
}

// ---- scatter --------------------------------------------------------------------------------

enum class Mode : uint8_t { kUpdate, kAdd, kSub, kMul, kDiv, kMax, kMin };

Mode ModeOf(std::string_view name) {
  if (name == "update") return Mode::kUpdate;
  if (name == "sub") return Mode::kSub;
  if (name == "mul") return Mode::kMul;
  if (name == "div") return Mode::kDiv;
  if (name == "max") return Mode::kMax;
  return name == "min" ? Mode::kMin : Mode::kAdd;
}

// Applies the updates of one element in the order of their rows, as in MIL's definition. The value
// is kept as a sum of two doubles, 106 bits, and rounded once at the end. An engine may also round
// after each update, and may add or multiply in any order, since no source defines the order. If
// updates replace the element, the update of the last row remains.
class Scattering {
 public:
  Scattering(KernelContext& context, const BoundedTensor& data, const BoundedTensor& updates,
             Mode mode)
      : context_(context),
        updates_(updates),
        result_(context.Result()),
        mode_(mode),
        grid_(GridOf(context, result_.type.dtype)),
        wide_(context.contract().Allows(Term::kWideIntermediate)),
        ulp_(static_cast<int>(context.contract()[Term::kDivideUlp])) {
    PrepareMove(context, result_, false);
    rest_ = context.arena().Allocate<double>(result_.size);
    sums_ = context.arena().Allocate<Sums>(result_.size);
    for (size_t i = 0; i < result_.size; ++i) {
      MoveElement(data, i, result_, i);
      rest_[i] = 0;
      const double low = result_.low[i];
      const double high = result_.high[i];
      const double magnitude = Magnitude(low, high);
      sums_[i] = {.low = low,
                  .high = high,
                  .magnitude = magnitude,
                  .finite = magnitude < kInfinity ? magnitude : 0,
                  .first_low = low,
                  .first_high = high,
                  .point = low == high};
    }
    FinishMove(data, result_);
    FinishMove(updates, result_);
    result_.members = nullptr;
    result_.whole &= !IsFloat(result_.type.dtype) || mode == Mode::kUpdate || mode == Mode::kMax ||
                     mode == Mode::kMin;
  }

  // Applies the updates row by row. Each element of the updates is applied at every admitted place.
  void Run(const BoundedTensor& indices, const IndexedRows& rows) {
    const auto inner = static_cast<size_t>(rows.inner);
    const size_t count = inner == 0 ? 0 : updates_.size / inner;
    for (size_t row = 0; row < count; ++row) {
      const Addresses places(rows, indices, static_cast<int64_t>(row));
      bool counted = true;
      for (size_t i = 0; i < inner; ++i) {
        const size_t from = row * inner + i;
        if (places.inside()) UpdateValue(from, places.Value() + i);
        counted &= places.ForEach([&](size_t to) { UpdateBounds(from, to + i, places.known()); });
      }
      // No source gives the destination of a write out of range.
      if (places.all_inside() && counted) continue;
      for (size_t i = 0; i < result_.size; ++i) AdmitAnything(result_, i);
    }
  }

  void Finish() {
    const bool adds = mode_ == Mode::kAdd || mode_ == Mode::kSub;
    const bool multiplies = mode_ == Mode::kMul || mode_ == Mode::kDiv;
    for (size_t i = 0; i < result_.size && IsFloat(result_.type.dtype); ++i) {
      if (sums_[i].terms < 2) continue;
      if (adds) AdmitAnySum(i);
      if (multiplies) AdmitAnyProduct(i);
    }
    if (IsFloat(result_.type.dtype)) {
      for (size_t i = 0; i < result_.size; ++i) {
        // The addition of a zero rest would lose the sign of a zero result.
        const double sum = rest_[i] == 0 ? result_.value[i] : AddOdd(result_.value[i], rest_[i]);
        result_.value[i] = grid_.Store(sum);
      }
    }
    if (context_.contract().ideal) {
      for (size_t i = 0; i < result_.size; ++i) {
        result_.low[i] = result_.high[i] = result_.value[i];
        result_.nan[i] = result_.value[i] != result_.value[i] ? 1 : 0;
      }
    }
    for (size_t i = 0; i < result_.size; ++i) {
      result_.special |= !(std::fabs(result_.low[i]) < kInfinity &&
                           std::fabs(result_.high[i]) < kInfinity && result_.nan[i] == 0);
    }
    if (mode_ != Mode::kUpdate) result_.signed_zero = false;
  }

 private:
  // Facts about the numbers that are added to one element or multiplied with it, in any order.
  struct Sums {
    double low = 0;
    double high = 0;
    double magnitude = 0;  // sum of the magnitudes of all terms
    double finite = 0;     // sum of the magnitudes of the finite terms
    double added = 0;      // sum of the magnitudes of all updates
    double first_low = 0;  // the element itself
    double first_high = 0;
    int terms = 0;       // number of updates
    bool point = false;  // all terms are known exactly
    bool zero = false;   // a factor or the element is exactly 0
    // The product of the updates' factors above 1, and the product of those below 1.
    double most = 1;
    double least = 1;
  };
  static double Magnitude(double low, double high) {
    return std::max(std::fabs(low), std::fabs(high));
  }
  static double LeastMagnitude(double low, double high) {
    return low <= 0 && high >= 0 ? 0 : std::min(std::fabs(low), std::fabs(high));
  }
  void Count(size_t from, size_t to, bool sure) {
    const double a = mode_ == Mode::kSub ? -updates_.high[from] : updates_.low[from];
    const double b = mode_ == Mode::kSub ? -updates_.low[from] : updates_.high[from];
    Sums& sums = sums_[to];
    sums.low = AddDown(sums.low, sure ? a : std::min(a, 0.0));
    sums.high = AddUp(sums.high, sure ? b : std::max(b, 0.0));
    sums.magnitude = AddUp(sums.magnitude, Magnitude(a, b));
    const double most = Magnitude(a, b);
    const double least = LeastMagnitude(a, b);
    if (most < kInfinity) sums.finite = AddUp(sums.finite, most);
    sums.added = AddUp(sums.added, most);
    sums.point &= a == b && sure;
    sums.zero |= most == 0 && sure;
    sums.most *= std::max(1.0, mode_ == Mode::kDiv ? 1 / least : most);
    sums.least *= std::min(1.0, mode_ == Mode::kDiv ? 1 / most : least);
    ++sums.terms;
  }
  // An engine may round each of two or more additions. Rounding may raise partial sums above the
  // sum of the magnitudes, so `most` includes rounding errors.
  void AdmitAnySum(size_t i) {
    const Sums& sums = sums_[i];
    if (!(sums.magnitude < kInfinity)) {
      // An infinite term makes the sum infinite, unless finite terms may first sum to the other
      // infinity.
      if (sums.finite > grid_.Step(kInfinity, -1)) AdmitAnything(result_, i);
      return;
    }
    if (sums.magnitude == 0) return;
    double most = 0;
    double error = 0;
    double reached = sums.magnitude;
    while (reached > most) {
      most = grid_.Round(reached);
      if (most < reached) most = grid_.Step(most, 1);
      if (!(most < kInfinity)) return AdmitAnything(result_, i);
      // An addition of y to a number of the grid errs by at most y.
      error = std::min(sums.added, sums.terms * (most - grid_.Step(most, -1)) / 2);
      reached = AddUp(sums.magnitude, error);
    }
    const auto store = [&](double x) { return grid_.Store(x); };
    result_.low[i] = std::min(result_.low[i], OuterLow(store, AddDown(sums.low, -error), wide_));
    result_.high[i] = std::max(result_.high[i], OuterHigh(store, AddUp(sums.high, error), wide_));
  }
  // As AdmitAnySum, for two or more factors. If some partial product, with or without the element,
  // may overflow, the result is unbounded. A subnormal partial product may be flushed, which loses
  // at most the least normal number.
  void AdmitAnyProduct(size_t i) {
    const Sums& sums = sums_[i];
    const double first = Magnitude(sums.first_low, sums.first_high);
    const double least = LeastMagnitude(sums.first_low, sums.first_high);
    const bool divides = mode_ == Mode::kDiv;
    // An engine may compute a quotient as a product with a reciprocal.
    const int roundings = divides ? 2 * sums.terms : sums.terms;
    const double unit = grid_.Step(1, 1) - 1;
    const double growth = std::pow(1 + (divides ? 0.5 + ulp_ : 0.5) * unit, roundings);
    const double normal = grid_.half() ? kHalfMinNormal : std::numeric_limits<float>::min();
    const double most = sums.most * std::max(1.0, first) * growth;
    if (!(most < grid_.Step(kInfinity, -1))) return AdmitAnything(result_, i);
    if (first == 0 || sums.zero) return;
    const bool sinks = sums.least * std::min(1.0, least) / growth < normal;
    const double lost = sinks ? roundings * normal * most : 0;
    const double exact = result_.value[i] + rest_[i];
    const double low = sums.point ? exact : result_.low[i];
    const double high = sums.point ? exact : result_.high[i];
    const auto store = [&](double x) { return grid_.Store(x); };
    const double from = (low < 0 ? low * growth : low / growth) - lost;
    const double to = (high < 0 ? high / growth : high * growth) + lost;
    result_.low[i] = std::min(result_.low[i], OuterLow(store, WidenDown(from), wide_));
    result_.high[i] = std::max(result_.high[i], OuterHigh(store, WidenUp(to), wide_));
  }

  double Exact(double a, double b) const {
    switch (mode_) {
      case Mode::kUpdate:
        return b;
      case Mode::kAdd:
        return a + b;
      case Mode::kSub:
        return a - b;
      case Mode::kMul:
        return a * b;
      case Mode::kDiv:
        return a / b;
      case Mode::kMax:
        return a != a || b != b ? kNan : std::max(a, b);
      case Mode::kMin:
        return a != a || b != b ? kNan : std::min(a, b);
    }
    return kNan;
  }

  void UpdateValue(size_t from, size_t to) {
    const double a = result_.value[to];
    const double b = updates_.value[from];
    if (!IsFloat(result_.type.dtype)) {
      result_.value[to] = Integer(a, b);
      return;
    }
    const double y = Exact(a, b);
    result_.value[to] = y;
    rest_[to] = std::fabs(y) < kInfinity ? Rest(a, b, y, rest_[to]) : 0;
  }
  // Returns the exact result for (a + rest) and b, minus y.
  double Rest(double a, double b, double y, double rest) const {
    switch (mode_) {
      case Mode::kAdd:
        return rest + SumError(a, b, y);
      case Mode::kSub:
        return rest + SumError(a, -b, y);
      case Mode::kMul:
        return rest * b + std::fma(a, b, -y);
      case Mode::kDiv:
        return (rest + std::fma(-y, b, a)) / b;
      default:
        return 0;
    }
  }

  double Integer(double a, double b) const {
    const DType dtype = result_.type.dtype;
    if (mode_ == Mode::kDiv) {
      // No source defines a quotient by zero. By convention the value is 0, as in real_div.
      return b == 0 ? 0 : WrapInteger(dtype, static_cast<int64_t>(a) / static_cast<int64_t>(b));
    }
    if (mode_ == Mode::kMul) {
      return WrapInteger(dtype, static_cast<int64_t>(a) * static_cast<int64_t>(b));
    }
    return WrapInteger(dtype, static_cast<int64_t>(Exact(a, b)));
  }

  // Sets the interval after the update; `sure` says that no other place may get the update instead.
  void UpdateBounds(size_t from, size_t to, bool sure) {
    const double low = result_.low[to];
    const double high = result_.high[to];
    const uint8_t nan = result_.nan[to];
    if (IsFloat(result_.type.dtype)) {
      Count(from, to, sure);
      UpdateFloatBounds(from, to);
    } else {
      UpdateIntegerBounds(from, to);
    }
    if (sure) return;
    const bool only_nan = result_.low[to] != result_.low[to];
    if (only_nan || low < result_.low[to]) result_.low[to] = low;
    if (only_nan || high > result_.high[to]) result_.high[to] = high;
    result_.nan[to] |= nan;
    if (only_nan) result_.nan[to] = 1;
  }

  void UpdateIntegerBounds(size_t from, size_t to) {
    const DType dtype = result_.type.dtype;
    const bool known =
        result_.low[to] == result_.high[to] && updates_.low[from] == updates_.high[from];
    const IntegerRange range = RangeOf(dtype);
    const bool by_zero = mode_ == Mode::kDiv && updates_.low[from] <= 0 && updates_.high[from] >= 0;
    const bool divides = mode_ == Mode::kDiv && !context_.contract().ideal;
    if (divides && !by_zero && updates_.low[from] == updates_.high[from]) {
      // An engine may truncate an integer quotient or take its floor, as in real_div.
      const auto divisor = static_cast<int64_t>(updates_.low[from]);
      const auto least = static_cast<int64_t>(result_.low[to]);
      const auto most = static_cast<int64_t>(result_.high[to]);
      const IntegerRange hull =
          HullOfIntegers(dtype, least / divisor, most / divisor, FloorQuotient(least, divisor),
                         FloorQuotient(most, divisor));
      result_.low[to] = hull.low;
      result_.high[to] = hull.high;
    } else if ((known && !by_zero) || mode_ == Mode::kUpdate || mode_ == Mode::kMax ||
               mode_ == Mode::kMin) {
      result_.low[to] = Integer(result_.low[to], updates_.low[from]);
      result_.high[to] = Integer(result_.high[to], updates_.high[from]);
    } else {
      result_.low[to] = range.low;
      result_.high[to] = range.high;
    }
  }

  void UpdateFloatBounds(size_t from, size_t to) {
    const double corners[] = {
        Exact(result_.low[to], updates_.low[from]), Exact(result_.low[to], updates_.high[from]),
        Exact(result_.high[to], updates_.low[from]), Exact(result_.high[to], updates_.high[from])};
    double low = kInfinity;
    double high = -kInfinity;
    int nans = 0;
    for (const double corner : corners) {
      nans += corner != corner ? 1 : 0;
      low = std::min(low, corner == corner ? corner : low);
      high = std::max(high, corner == corner ? corner : high);
    }
    const bool by_zero = mode_ == Mode::kDiv && updates_.low[from] <= 0 && updates_.high[from] >= 0;
    result_.nan[to] |= updates_.NanAt(from) ? 1 : 0;
    if (mode_ == Mode::kUpdate) result_.nan[to] = updates_.NanAt(from) ? 1 : 0;
    const bool open =
        result_.low[to] != result_.high[to] || updates_.low[from] != updates_.high[from];
    const bool none =
        result_.low[to] != result_.low[to] || updates_.low[from] != updates_.low[from];
    // The corners may all be NaN although numbers between them have a result.
    if (nans == 4 && (none || !open)) {
      result_.low[to] = result_.high[to] = kNan;
      return;
    }
    // The interval contains an invalid operation, or a zero divisor of unknown sign.
    if (nans != 0 || by_zero || (open && HidesInvalid(from, to))) {
      AdmitAnything(result_, to);
      return;
    }
    if (mode_ == Mode::kUpdate || mode_ == Mode::kMax || mode_ == Mode::kMin) {
      result_.low[to] = low;
      result_.high[to] = high;
      return;
    }
    if (mode_ == Mode::kDiv) {
      low = Neighbour(low, -ulp_);
      high = Neighbour(high, ulp_);
    }
    // Corners were computed in double. For two fp16 numbers they are exact, except quotients.
    const bool exact = !open && grid_.half() && mode_ != Mode::kDiv;
    const auto store = [&](double x) { return grid_.Store(x); };
    result_.low[to] = OuterLow(store, exact ? low : WidenDown(low), wide_);
    result_.high[to] = OuterHigh(store, exact ? high : WidenUp(high), wide_);
  }

  // Whether inf - inf, 0 * inf or inf / inf may lie between the corners of the intervals.
  bool HidesInvalid(size_t from, size_t to) const {
    const auto infinite = [](double a, double b) {
      return std::fabs(a) == kInfinity || std::fabs(b) == kInfinity;
    };
    const bool arithmetic = mode_ != Mode::kUpdate && mode_ != Mode::kMax && mode_ != Mode::kMin;
    return arithmetic && (infinite(result_.low[to], result_.high[to]) ||
                          infinite(updates_.low[from], updates_.high[from]));
  }

  double Neighbour(double end, int ulp) const {
    if (end == 0 || !(std::fabs(end) < kInfinity) || ulp == 0) return end;
    const double moved = grid_.RoundAndStep(end, ulp);
    return (moved < 0) == (end < 0) ? moved : 0;
  }

  KernelContext& context_;
  const BoundedTensor& updates_;
  BoundedTensor& result_;
  Mode mode_;
  Grid grid_;
  bool wide_;
  int ulp_;
  double* rest_ = nullptr;
  Sums* sums_ = nullptr;
};

// P is params::Scatter or params::ScatterNd.
template <typename P>
void ScatterRows(KernelContext& context, const IndexedRows& rows) {
  const Mode mode = ModeOf(context.node().String(P::kMode, "add"));
  Scattering scattering(context, context.Input(P::kData), context.Input(P::kUpdates), mode);
  scattering.Run(context.Input(P::kIndices), rows);
  scattering.Finish();
}

Status Scatter(KernelContext& context) {
  using P = params::Scatter;
  const Shape& data = context.Input(P::kData).type.shape;
  const int axis = AxisOf(context.node(), P::kAxis, 0, data.rank());
  ScatterRows<P>(context, RowsOfAxis(data, context.Input(P::kIndices).type.shape, axis, 0));
  return {};
}

Status ScatterAlongAxis(KernelContext& context) {
  using P = params::Scatter;
  const Shape& data = context.Input(P::kData).type.shape;
  const int axis = AxisOf(context.node(), P::kAxis, 0, data.rank());
  ScatterRows<P>(context, RowsAlongAxis(data, context.Input(P::kIndices).type.shape, axis));
  return {};
}

Status ScatterNd(KernelContext& context) {
  using P = params::ScatterNd;
  const Shape& data = context.Input(P::kData).type.shape;
  ScatterRows<P>(context, RowsOfVectors(data, context.Input(P::kIndices).type.shape, 0));
  return {};
}

constexpr Term kScatterTerms[] = {Term::kDivideUlp};

}  // namespace
}  // namespace reference

constinit const ReferenceKernel kReferenceGather = {.evaluate = reference::Gather};
constinit const ReferenceKernel kReferenceGatherAlongAxis = {.evaluate =
                                                                 reference::GatherAlongAxis};
constinit const ReferenceKernel kReferenceGatherNd = {.evaluate = reference::GatherNd};
constinit const ReferenceKernel kReferenceScatter = {.evaluate = reference::Scatter,
                                                     .terms = reference::kScatterTerms};
constinit const ReferenceKernel kReferenceScatterAlongAxis = {
    .evaluate = reference::ScatterAlongAxis, .terms = reference::kScatterTerms};
constinit const ReferenceKernel kReferenceScatterNd = {.evaluate = reference::ScatterNd,
                                                       .terms = reference::kScatterTerms};

}  // namespace anecheck
