#include "oracles/reference/store.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>

#include "oracles/laws.h"
#include "oracles/reference/store_loops.h"
#include "oracles/reference/threads.h"

namespace anecheck::reference {
namespace {

bool IsFiniteDouble(double x) { return std::fabs(x) < kInfinity; }

// If only one end is NaN, an operation on interval ends was invalid. The element is then unbounded.
void SettleNan(double& low, double& high, uint8_t& nan) {
  const bool low_nan = low != low;
  const bool high_nan = high != high;
  if (!low_nan && !high_nan) return;
  nan = 1;
  if (low_nan && high_nan) return;
  low = -kInfinity;
  high = kInfinity;
}

// Calls body(first, last), which does not fail and may run twice, for the blocks of [0, count).
template <typename Body>
void OverElements(Arena& arena, size_t count, const Body& body) {
  constexpr uint64_t kSteps = 4;  // the work for an element, in steps of an inner product
  const Status status = OverBlocks(
      arena, count, kSteps, [&body](Arena&, size_t first, size_t last) { body(first, last); });
  if (!status.ok()) body(size_t{0}, count);  // the system could not start a thread
}

// The roundings of the store. The loops below are instantiated for each.
struct StoreHalf {
  double operator()(double x) const { return RoundToHalf(x); }
};
struct StoreHalfAway {
  double operator()(double x) const { return Grid(DType::kFp16, true).Store(x); }
};
struct StoreSingle {
  double operator()(double x) const { return RoundToFloat(x); }
};

// Stores sums of the fixed-point accumulator.
struct StoreFixed : StoreHalfAway {};

template <typename Store>
double LowEnd(const Store& store, double x, bool wide) {
  if constexpr (std::is_same_v<Store, StoreFixed>) return OuterFixedLow(store, x, wide);
  return OuterLow(store, x, wide);
}
template <typename Store>
double HighEnd(const Store& store, double x, bool wide) {
  if constexpr (std::is_same_v<Store, StoreFixed>) return OuterFixedHigh(store, x, wide);
  return OuterHigh(store, x, wide);
}

// Rounds the values.
template <typename Store>
StoredValues RoundValues(const Store& store, const double* raw, size_t count, double* value) {
  if constexpr (std::is_same_v<Store, StoreHalf>) return RoundValuesToHalf(raw, count, value);
  uint64_t inexact = 0;
  uint64_t special = 0;
  for (size_t i = 0; i < count; ++i) {
    const double stored = store(raw[i]);
    value[i] = stored;
    inexact |= stored < raw[i] || stored > raw[i] ? 1 : 0;
    special |= std::fabs(stored) < kInfinity ? 0 : 1;
  }
  return {inexact == 0, special != 0};
}

// Rounds the ends outward. Precondition: no end is NaN, and no NaN is admitted. Returns whether
// every interval is a point.
template <typename Store>
bool RoundNumberEnds(const Store& store, const double* from_low, const double* from_high, bool wide,
                     BoundedTensor& result) {
  if constexpr (std::is_same_v<Store, StoreHalf>) {
    const StoredEnds ends = RoundEndsToHalf(from_low, from_high, wide, result.value, result.size,
                                            result.low, result.high);
    result.special |= ends.special;
    return ends.point;
  }
  uint64_t open = 0;
  uint64_t special = 0;
  for (size_t i = 0; i < result.size; ++i) {
    const double low = LowEnd(store, from_low[i], wide);
    const double high = HighEnd(store, from_high[i], wide);
    result.low[i] = low;
    result.high[i] = high;
    open |= low == result.value[i] && high == result.value[i] ? 0 : 1;
    special |= std::fabs(low) < kInfinity && std::fabs(high) < kInfinity ? 0 : 1;
  }
  result.special |= special != 0;
  return open == 0;
}

// Calls RoundValues or RoundNumberEnds for a large tensor on several threads.
template <typename Store>
StoredValues RoundAllValues(Arena& arena, const Store& store, const double* raw,
                            const BoundedTensor& result) {
  std::atomic<bool> inexact = false;
  std::atomic<bool> special = false;
  OverElements(arena, result.size, [&](size_t first, size_t last) {
    const StoredValues facts = RoundValues(store, raw + first, last - first, result.value + first);
    if (!facts.exact) inexact = true;
    if (facts.special) special = true;
  });
  return {!inexact, special};
}

template <typename Store>
bool RoundAllEnds(Arena& arena, const Store& store, const double* from_low, const double* from_high,
                  bool wide, BoundedTensor& result) {
  std::atomic<bool> open = false;
  std::atomic<bool> special = false;
  OverElements(arena, result.size, [&](size_t first, size_t last) {
    BoundedTensor part;
    part.size = last - first;
    part.value = result.value + first;
    part.low = result.low + first;
    part.high = result.high + first;
    if (!RoundNumberEnds(store, from_low + first, from_high + first, wide, part)) open = true;
    if (part.special) special = true;
  });
  result.special |= special;
  return !open;
}

template <typename Store>
bool RoundAnyEnds(KernelContext& context, const Store& store, const double* from_low,
                  const double* from_high, const uint8_t* from_nan, bool wide,
                  BoundedTensor& result) {
  result.nan = context.arena().Allocate<uint8_t>(result.size);
  bool point = true;
  for (size_t i = 0; i < result.size; ++i) {
    double low = from_low[i];
    double high = from_high[i];
    uint8_t nan = from_nan == nullptr ? 0 : from_nan[i];
    SettleNan(low, high, nan);
    low = LowEnd(store, low, wide);
    high = HighEnd(store, high, wide);
    result.low[i] = low;
    result.high[i] = high;
    result.nan[i] = nan;
    const bool only_nan = low != low;
    const bool number_point = low == high && low == result.value[i] && nan == 0;
    point &= number_point || (only_nan && result.value[i] != result.value[i]);
    result.special |= nan != 0 || !IsFiniteDouble(low) || !IsFiniteDouble(high);
  }
  return point;
}

bool AnyNan(const Raw& raw, size_t count) {
  uint64_t any = 0;
  for (size_t i = 0; i < count; ++i) {
    any |= raw.low[i] == raw.low[i] && raw.high[i] == raw.high[i] ? 0 : 1;
  }
  for (size_t i = 0; raw.nan != nullptr && i < count; ++i) any |= raw.nan[i];
  return any != 0;
}

template <typename Store>
void StoreWith(KernelContext& context, const Store& store, BoundedTensor& result, const Raw& raw,
               bool wide) {
  const StoredValues facts = RoundAllValues(context.arena(), store, raw.value, result);
  result.special = facts.special;
  const bool raw_point = raw.low == nullptr;
  if (raw_point && (facts.exact || !wide)) return;
  result.low = context.arena().Allocate<double>(result.size);
  result.high = context.arena().Allocate<double>(result.size);
  const double* low = raw_point ? raw.value : raw.low;
  const double* high = raw_point ? raw.value : raw.high;
  const bool nan = raw_point ? facts.special : AnyNan(raw, result.size);
  const bool point = nan ? RoundAnyEnds(context, store, low, high, raw.nan, wide, result)
                         : RoundAllEnds(context.arena(), store, low, high, wide, result);
  if (!point) return;
  result.low = result.high = result.value;
  result.nan = nullptr;
}

// Returns intervals whose ends lie `ulp` neighbours further out than those of `raw`.
Raw Widened(KernelContext& context, const Grid& grid, const Raw& raw, size_t count, int ulp) {
  Raw widened = raw;
  const bool point = raw.low == nullptr;
  widened.low = context.arena().Allocate<double>(count);
  widened.high = context.arena().Allocate<double>(count);
  if (grid.half()) {
    WidenHalfEnds(point ? raw.value : raw.low, point ? raw.value : raw.high, ulp, count,
                  widened.low, widened.high);
    return widened;
  }
  for (size_t i = 0; i < count; ++i) {
    widened.low[i] = Neighbour(grid, point ? raw.value[i] : raw.low[i], -ulp);
    widened.high[i] = Neighbour(grid, point ? raw.value[i] : raw.high[i], ulp);
  }
  return widened;
}

}  // namespace

double Neighbour(const Grid& grid, double end, int ulp) {
  if (end == 0 || !IsFiniteDouble(end)) return end;
  const double moved = grid.RoundAndStep(end, ulp);
  return (moved < 0) == (end < 0) ? moved : 0;
}

Raw AllocateRaw(KernelContext& context, size_t count, bool bounds) {
  Raw raw;
  raw.value = context.arena().Allocate<double>(count);
  if (!bounds) return raw;
  raw.low = context.arena().Allocate<double>(count);
  raw.high = context.arena().Allocate<double>(count);
  raw.nan = context.arena().Allocate<uint8_t>(count);
  if (count != 0) std::memset(raw.nan, 0, count);
  return raw;
}

void PutAnything(const Raw& raw, size_t at, double value) {
  raw.value[at] = value;
  raw.low[at] = -kInfinity;
  raw.high[at] = kInfinity;
  raw.nan[at] = 1;
  if (raw.beyond != nullptr) raw.beyond[at] = 0;
}

double ConstantAt(KernelContext& context, const BoundedTensor& constant, size_t i) {
  const double given = constant.value[i];
  const Grid grid(context.Result().type.dtype);
  if (!grid.half() || constant.type.dtype == DType::kFp16) return given;
  return context.Read(given, grid.Round(given));
}

BoundedTensor& OperandAsRead(KernelContext& context, int parameter) {
  BoundedTensor& given = context.Input(parameter);
  const Grid grid(context.Result().type.dtype);
  const bool rounds =
      given.type.dtype == DType::kInt32 || (grid.half() && given.type.dtype == DType::kFp32);
  if (!IsFloat(context.Result().type.dtype) || !rounds) return given;
  BoundedTensor& read = *std::construct_at(context.arena().Allocate<BoundedTensor>(1), given);
  const auto each = [&](const double* from) {
    auto* const to = context.arena().Allocate<double>(given.size);
    for (size_t i = 0; i < given.size; ++i) {
      to[i] = context.Read(from[i], grid.Round(from[i]));
      read.special |= !IsFiniteDouble(to[i]);
    }
    return to;
  };
  read.value = each(given.value);
  read.low = given.point() ? read.value : each(given.low);
  read.high = given.point() ? read.value : each(given.high);
  read.measured = false;
  return read;
}
BoundedTensor* OptionalAsRead(KernelContext& context, int parameter) {
  return context.HasInput(parameter) ? &OperandAsRead(context, parameter) : nullptr;
}

double Literal(KernelContext& context, DType dtype, int parameter, double fallback) {
  const Grid grid(dtype);
  const NodeView& node = context.node();
  if (!node.HasAttribute(parameter)) {
    const double rounded = grid.Round(fallback);
    const bool perhaps_wider = grid.half() && IsAnyEngine(context.contract().family);
    return perhaps_wider ? context.Read(rounded, RoundToFloat(fallback)) : rounded;
  }
  const double given = RoundToFloat(node.Float(parameter, fallback));  // at most fp32 precision
  return grid.half() ? context.Read(given, grid.Round(given)) : grid.Round(given);
}
double Literal(KernelContext& context, int parameter, double fallback) {
  return Literal(context, context.node().ResultType().dtype, parameter, fallback);
}

BoundedTensor& OpenNumbers(KernelContext& context, BoundedTensor& x) {
  const bool open = LawsOf(context.contract()).plain_numbers && x.type.dtype == DType::kFp16;
  if (!open || !x.special) return x;
  BoundedTensor& read = *std::construct_at(context.arena().Allocate<BoundedTensor>(1), x);
  read.low = context.arena().Allocate<double>(x.size);
  read.high = context.arena().Allocate<double>(x.size);
  read.nan = context.arena().Allocate<uint8_t>(x.size);
  for (size_t i = 0; i < x.size; ++i) {
    const bool nan = x.NanAt(i) || x.low[i] != x.low[i];
    read.low[i] = nan ? -kInfinity : std::min(x.low[i], 0x1p16);
    read.high[i] = nan ? kInfinity : std::max(x.high[i], -0x1p16);
    read.nan[i] = nan ? 1 : 0;
  }
  return read;
}

Grid GridOf(const KernelContext& context, DType dtype) {
  return Grid(dtype, RoundsTiesAway(context.contract()));
}

namespace {

// Keeps the stored ends as the finite ends, and widens [low, high] to the infinities that are also
// admitted.
void AdmitBeyond(KernelContext& context, const Raw& raw, BoundedTensor& result) {
  const std::span<const uint8_t> beyond(raw.beyond, result.size);
  if (std::ranges::all_of(beyond, [](uint8_t bits) { return bits == 0; })) return;
  result.beyond = raw.beyond;
  result.finite_low = result.low;
  result.finite_high = result.high;
  result.low = context.arena().Allocate<double>(result.size);
  result.high = context.arena().Allocate<double>(result.size);
  for (size_t i = 0; i < result.size; ++i) {
    const bool empty = result.finite_low[i] > result.finite_high[i];
    const double low = empty ? kInfinity : result.finite_low[i];
    const double high = empty ? -kInfinity : result.finite_high[i];
    result.low[i] = (beyond[i] & kDownward) != 0 ? -kInfinity : low;
    result.high[i] = (beyond[i] & kUpward) != 0 ? kInfinity : high;
  }
  result.special = true;
}

// A law defines the engine's result, which may differ from the exact one. The value is then the
// nearest number in the interval, so that no kernel reads a value outside its interval.
void KeepWithin(const Grid& grid, BoundedTensor& result) {
  bool point = true;
  for (size_t i = 0; i < result.size; ++i) {
    const double low = result.low[i];
    const double high = result.high[i];
    double& value = result.value[i];
    const bool numbers = low <= high && !(value != value && result.NanAt(i));
    if (numbers && !(low <= value && value <= high)) {
      const double near = value != value ? 0.0 : value;
      value = grid.Store(std::clamp(near, low, high));
    }
    point &= low == value && high == value && !result.NanAt(i);
  }
  if (!point || result.beyond != nullptr) return;
  result.low = result.high = result.value;
  result.nan = nullptr;
}

}  // namespace

void StoreFloats(KernelContext& context, BoundedTensor& result, const Raw& given, int ulp) {
  const Contract& contract = context.contract();
  const bool wide = contract.Allows(Term::kWideIntermediate);
  result.value = context.arena().Allocate<double>(result.size);
  result.low = result.high = result.value;
  result.nan = nullptr;
  Raw raw = contract.ideal ? Raw{.value = given.value} : given;
  const Grid grid = GridOf(context, result.type.dtype);
  if (ulp != 0) raw = Widened(context, grid, raw, result.size, ulp);
  if (!grid.half()) {
    StoreWith(context, StoreSingle{}, result, raw, wide);
  } else if (raw.fixed) {
    StoreWith(context, StoreFixed{}, result, raw, wide);
  } else if (RoundsTiesAway(contract)) {
    StoreWith(context, StoreHalfAway{}, result, raw, wide);
  } else {
    StoreWith(context, StoreHalf{}, result, raw, wide);
  }
  if (raw.beyond != nullptr) AdmitBeyond(context, raw, result);
  const Laws& laws = LawsOf(contract);
  if (grid.half() && !result.point() && (laws.tables || laws.plain_numbers)) {
    KeepWithin(grid, result);
  }
}

void StoreExact(BoundedTensor& result, const Raw& raw) {
  result.value = raw.value;
  bool point = true;
  if (raw.low != nullptr) {
    for (size_t i = 0; i < result.size; ++i) {
      point &= raw.low[i] == raw.value[i] && raw.high[i] == raw.value[i];
    }
  }
  result.low = point ? raw.value : raw.low;
  result.high = point ? raw.value : raw.high;
  result.nan = point ? nullptr : raw.nan;
  result.special = false;
  result.whole = true;
}

}  // namespace anecheck::reference
