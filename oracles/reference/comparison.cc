// Kernels of comparisons, logic and choice. Their results are sets: a comparison of two intervals
// may be true or false, and a choice returns one of two operands, never a number between them.
#include <algorithm>

#include "harness/ops/params.h"
#include "oracles/reference/discrete.h"
#include "oracles/reference/layout.h"
#include "oracles/reference/movement.h"
#include "oracles/reference/store.h"

namespace anecheck {
namespace reference {
namespace {

// kWithNan is the result of a comparison with a NaN operand. It is true only for "not equal".
struct Less {
  static constexpr bool kWithNan = false;
  static bool Holds(double a, double b) { return a < b; }
  static Truth Possible(const Interval& a, const Interval& b) {
    return {a.low < b.high, a.high >= b.low};
  }
};
struct LessEqual {
  static constexpr bool kWithNan = false;
  static bool Holds(double a, double b) { return a <= b; }
  static Truth Possible(const Interval& a, const Interval& b) {
    return {a.low <= b.high, a.high > b.low};
  }
};
struct Equal {
  static constexpr bool kWithNan = false;
  static bool Holds(double a, double b) { return a == b; }
  static Truth Possible(const Interval& a, const Interval& b) {
    const bool one_value = a.low == a.high && b.low == b.high && a.low == b.low;
    return {a.low <= b.high && b.low <= a.high, !one_value};
  }
};
struct NotEqual {
  static constexpr bool kWithNan = true;
  static bool Holds(double a, double b) { return a != b; }
  static Truth Possible(const Interval& a, const Interval& b) {
    const Truth equal = Equal::Possible(a, b);
    return {equal.may_fail, equal.may_hold};
  }
};
template <typename Relation>
struct Swapped {
  static constexpr bool kWithNan = Relation::kWithNan;
  static bool Holds(double a, double b) { return Relation::Holds(b, a); }
  static Truth Possible(const Interval& a, const Interval& b) { return Relation::Possible(b, a); }
};

template <typename Relation>
Truth Compare(const BoundedTensor& x, size_t i, const BoundedTensor& y, size_t j) {
  const bool only_nan = x.low[i] != x.low[i] || y.low[j] != y.low[j];
  Truth truth;
  if (!only_nan) truth = Relation::Possible({x.low[i], x.high[i]}, {y.low[j], y.high[j]});
  if (only_nan || x.NanAt(i) || y.NanAt(j)) {
    (Relation::kWithNan ? truth.may_hold : truth.may_fail) = true;
  }
  return truth;
}

void PutTruth(const Raw& raw, size_t at, bool value, const Truth& truth) {
  raw.value[at] = value ? 1 : 0;
  if (raw.low == nullptr) return;
  raw.low[at] = truth.may_fail ? 0 : 1;
  raw.high[at] = truth.may_hold ? 1 : 0;
}

template <typename Relation>
Status Comparison(KernelContext& context) {
  using P = params::Binary;
  const BoundedTensor& x = context.Input(P::kX);
  const BoundedTensor& y = context.Input(P::kY);
  BoundedTensor& result = context.Result();
  const bool bounds = !x.point() || !y.point();
  const Raw raw = AllocateRaw(context, result.size, bounds);
  ForEachPair(result.type.shape, BroadcastStrides(x.type.shape, result.type.shape),
              BroadcastStrides(y.type.shape, result.type.shape),
              [&](size_t at, size_t i, size_t j) {
                PutTruth(raw, at, Relation::Holds(x.value[i], y.value[j]),
                         bounds ? Compare<Relation>(x, i, y, j) : Truth{});
              });
  StoreExact(result, raw);
  return {};
}

bool AndOf(bool a, bool b) { return a && b; }
bool OrOf(bool a, bool b) { return a || b; }
bool XorOf(bool a, bool b) { return a != b; }

// Returns the results of kFunction for all pairs of bools that the operands admit.
template <bool (*kFunction)(bool, bool)>
Truth Combine(const BoundedTensor& x, size_t i, const BoundedTensor& y, size_t j) {
  Truth truth;
  for (const bool a : {false, true}) {
    for (const bool b : {false, true}) {
      if (a ? x.high[i] == 0 : x.low[i] == 1) continue;
      if (b ? y.high[j] == 0 : y.low[j] == 1) continue;
      (kFunction(a, b) ? truth.may_hold : truth.may_fail) = true;
    }
  }
  return truth;
}

template <bool (*kFunction)(bool, bool)>
Status Logical(KernelContext& context) {
  using P = params::Binary;
  const BoundedTensor& x = context.Input(P::kX);
  const BoundedTensor& y = context.Input(P::kY);
  BoundedTensor& result = context.Result();
  const Raw raw = AllocateRaw(context, result.size, true);
  ForEachPair(result.type.shape, BroadcastStrides(x.type.shape, result.type.shape),
              BroadcastStrides(y.type.shape, result.type.shape),
              [&](size_t at, size_t i, size_t j) {
                PutTruth(raw, at, kFunction(x.value[i] != 0, y.value[j] != 0),
                         Combine<kFunction>(x, i, y, j));
              });
  StoreExact(result, raw);
  return {};
}

Status LogicalNot(KernelContext& context) {
  const BoundedTensor& x = context.Input(params::Unary::kX);
  BoundedTensor& result = context.Result();
  const Raw raw = AllocateRaw(context, result.size, true);
  for (size_t i = 0; i < result.size; ++i) {
    raw.value[i] = 1 - x.value[i];
    raw.low[i] = 1 - x.high[i];
    raw.high[i] = 1 - x.low[i];
  }
  StoreExact(result, raw);
  return {};
}

// A result of which each element is one of two elements. It admits the hull of both elements, or
// only the list of their values if both can be listed.
class Choice {
 public:
  Choice(KernelContext& context, BoundedTensor& result) : result_(result), sets_(context) {}

  void Put(size_t at, const BoundedTensor& a, size_t i, const BoundedTensor& b, size_t j,
           bool first) {
    result_.value[at] = first ? a.value[i] : b.value[j];
    result_.low[at] = std::fmin(a.low[i], b.low[j]);
    result_.high[at] = std::fmax(a.high[i], b.high[j]);
    result_.signed_zero &= !MixesZeros(a.low[i], a.high[i], b.low[j], b.high[j]);
    const bool any_nan = a.low[i] != a.low[i] || b.low[j] != b.low[j];
    result_.nan[at] = any_nan || a.NanAt(i) || b.NanAt(j) ? 1 : 0;
    result_.special |= result_.nan[at] != 0;
    if (any_nan || result_.low[at] == result_.high[at]) return;
    numbers_.clear();
    const auto collect = [&](double number) { numbers_.push_back(number); };
    if (!ForEachMember(a, i, kMost, collect) || !ForEachMember(b, j, kMost, collect)) return;
    std::ranges::sort(numbers_);
    const auto repeated = std::ranges::unique(numbers_);
    numbers_.erase(repeated.begin(), repeated.end());
    sets_.Set(at, numbers_);
  }
  void Finish() const { sets_.MergeInto(result_); }

 private:
  static constexpr uint32_t kMost = 16;
  BoundedTensor& result_;
  MemberSets sets_;
  std::vector<double> numbers_;
};

Status Select(KernelContext& context) {
  using P = params::Select;
  const BoundedTensor& cond = context.Input(P::kCond);
  const BoundedTensor& a = context.Input(P::kA);
  const BoundedTensor& b = context.Input(P::kB);
  BoundedTensor& result = context.Result();
  const Shape& shape = result.type.shape;
  auto* const condition = context.arena().Allocate<size_t>(result.size);
  ForEachSource(shape, BroadcastStrides(cond.type.shape, shape), 0,
                [&](size_t at, size_t from) { condition[at] = from; });
  PrepareMove(context, result, cond.point() && a.point() && b.point());
  Choice choice(context, result);
  ForEachPair(shape, BroadcastStrides(a.type.shape, shape), BroadcastStrides(b.type.shape, shape),
              [&](size_t at, size_t i, size_t j) {
                const size_t c = condition[at];
                if (cond.low[c] != cond.high[c]) {
                  choice.Put(at, a, i, b, j, cond.value[c] != 0);
                } else if (cond.value[c] != 0) {
                  MoveElement(a, i, result, at);
                } else {
                  MoveElement(b, j, result, at);
                }
              });
  FinishMove(a, result);
  FinishMove(b, result);
  result.whole = a.whole && b.whole;
  choice.Finish();
  return {};
}

}  // namespace
}  // namespace reference

constinit const ReferenceKernel kReferenceEqual = {
    .evaluate = reference::Comparison<reference::Equal>, .elementwise = true};
constinit const ReferenceKernel kReferenceNotEqual = {
    .evaluate = reference::Comparison<reference::NotEqual>, .elementwise = true};
constinit const ReferenceKernel kReferenceGreater = {
    .evaluate = reference::Comparison<reference::Swapped<reference::Less>>, .elementwise = true};
constinit const ReferenceKernel kReferenceGreaterEqual = {
    .evaluate = reference::Comparison<reference::Swapped<reference::LessEqual>>,
    .elementwise = true};
constinit const ReferenceKernel kReferenceLess = {
    .evaluate = reference::Comparison<reference::Less>, .elementwise = true};
constinit const ReferenceKernel kReferenceLessEqual = {
    .evaluate = reference::Comparison<reference::LessEqual>, .elementwise = true};
constinit const ReferenceKernel kReferenceLogicalAnd = {
    .evaluate = reference::Logical<reference::AndOf>, .elementwise = true};
constinit const ReferenceKernel kReferenceLogicalOr = {
    .evaluate = reference::Logical<reference::OrOf>, .elementwise = true};
constinit const ReferenceKernel kReferenceLogicalXor = {
    .evaluate = reference::Logical<reference::XorOf>, .elementwise = true};
constinit const ReferenceKernel kReferenceLogicalNot = {.evaluate = reference::LogicalNot,
                                                        .elementwise = true};
constinit const ReferenceKernel kReferenceSelect = {.evaluate = reference::Select,
                                                    .elementwise = true};

}  // namespace anecheck
