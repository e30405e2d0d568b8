// Kernels of quantization and of element-type conversion.
#include <algorithm>

#include "harness/ops/params.h"
#include "oracles/reference/discrete.h"
#include "oracles/reference/integers.h"
#include "oracles/reference/movement.h"
#include "oracles/reference/store.h"

namespace anecheck {
namespace reference {
namespace {

// Converts integers. If one does not fit, it wraps in two's complement, but an engine may saturate.
void CastIntegers(const BoundedTensor& x, DType dtype, const Raw& raw, size_t size) {
  const auto wrap = [&](double v) { return WrapInteger(dtype, static_cast<int64_t>(v)); };
  const IntegerRange range = RangeOf(dtype);
  for (size_t i = 0; i < size; ++i) {
    raw.value[i] = wrap(x.value[i]);
    const double low = SaturateInteger(dtype, x.low[i]);
    const double high = SaturateInteger(dtype, x.high[i]);
    const bool fits = x.low[i] >= range.low && x.high[i] <= range.high;
    const bool point = x.low[i] == x.high[i];
    raw.low[i] = fits ? low : point ? std::min(low, raw.value[i]) : range.low;
    raw.high[i] = fits ? high : point ? std::max(high, raw.value[i]) : range.high;
  }
}

// Returns the low bits of a whole number outside the type. Saturates infinities and fp32 numbers of
// 2^62 or more.
double WrapFloat(DType dtype, double x) {
  const double whole = std::trunc(x);
  if (!(std::fabs(whole) < 0x1p62)) return SaturateInteger(dtype, x);
  return WrapInteger(dtype, static_cast<int64_t>(whole));
}

// Truncates toward zero and saturates. NaN has no integer, so an engine may return any integer.
void FloatsToIntegers(const BoundedTensor& x, DType dtype, const Raw& raw, size_t size,
                      bool wraps) {
  const IntegerRange range = RangeOf(dtype);
  for (size_t i = 0; i < size; ++i) {
    raw.value[i] = SaturateInteger(dtype, x.value[i]);
    const bool nan = x.value[i] != x.value[i] || x.low[i] != x.low[i] || x.NanAt(i);
    raw.low[i] = nan ? range.low : SaturateInteger(dtype, x.low[i]);
    raw.high[i] = nan ? range.high : SaturateInteger(dtype, x.high[i]);
    const bool fits = x.low[i] > range.low - 1 && x.high[i] < range.high + 1;
    if (!wraps || nan || fits) continue;
    const bool point = x.low[i] == x.high[i];
    if (point) raw.value[i] = WrapFloat(dtype, x.value[i]);
    raw.low[i] = point ? std::min(raw.low[i], raw.value[i]) : range.low;
    raw.high[i] = point ? std::max(raw.high[i], raw.value[i]) : range.high;
  }
}

// Every number except zero is true, and NaN too.
void ToBools(const BoundedTensor& x, const Raw& raw, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    raw.value[i] = x.value[i] != 0 ? 1 : 0;
    const bool zero_possible = x.low[i] <= 0 && x.high[i] >= 0;
    const bool zero_certain = x.low[i] == 0 && x.high[i] == 0 && !x.NanAt(i);
    raw.low[i] = zero_possible ? 0 : 1;
    raw.high[i] = zero_certain ? 0 : 1;
  }
}

// Returns the admitted numbers of element `i`: its set, or its only number. Returns an empty list
// if they are not listed.
std::span<const double> NumbersAt(const BoundedTensor& x, size_t i) {
  if (x.members != nullptr && x.members[i].count != 0) {
    return std::span(x.members[i].data, x.members[i].count);
  }
  return std::span(x.value + i, x.low[i] == x.high[i] ? 1 : 0);
}

// Converts the sets of `x`'s elements like the elements themselves. An engine may keep a float
// unrounded. An integer that an engine may wrap or saturate becomes two numbers.
void CastMembers(KernelContext& context, const BoundedTensor& x, BoundedTensor& result,
                 bool wraps) {
  if (result.point()) return;
  const DType to = result.type.dtype;
  if (x.members == nullptr && (IsFloat(to) || !wraps)) return;
  MemberSets sets(context);
  std::vector<double> numbers;
  for (size_t i = 0; i < result.size; ++i) {
    // NaN has no integer, so any integer is admitted.
    if (!IsFloat(to) && (x.NanAt(i) || x.value[i] != x.value[i])) continue;
    if (result.low[i] == result.high[i]) continue;
    numbers.clear();
    for (const double number : NumbersAt(x, i)) {
      if (IsFloat(to)) numbers.push_back(Grid(to).Round(number));
      if (!IsFloat(to) && wraps) numbers.push_back(WrapFloat(to, number));
      numbers.push_back(IsFloat(to) ? number : SaturateInteger(to, number));
    }
    if (numbers.empty()) continue;
    std::ranges::sort(numbers);
    const auto repeated = std::ranges::unique(numbers);
    numbers.erase(repeated.begin(), repeated.end());
    sets.Set(i, numbers);
  }
  sets.Give(result);
}

Status Cast(KernelContext& context) {
  const BoundedTensor& x = context.Input(params::Cast::kX);
  BoundedTensor& result = context.Result();
  const DType from = x.type.dtype;
  const DType to = result.type.dtype;
  if (from == to) {
    Alias(x, result);
    return {};
  }
  if (IsFloat(to)) {
    Raw raw{.value = x.value};
    if (!x.point()) raw = {x.value, x.low, x.high, x.nan};
    StoreFloats(context, result, raw);
    result.signed_zero = x.signed_zero;
    result.whole = x.whole;
    CastMembers(context, x, result, false);
    return {};
  }
  const Raw raw = AllocateRaw(context, result.size, true);
  if (to == DType::kBool) {
    ToBools(x, raw, result.size);
    StoreExact(result, raw);
    return {};
  }
  const bool wraps = !IsFloat(from) || context.contract().Find(Effect::kCastWraps) != nullptr;
  if (IsFloat(from)) {
    FloatsToIntegers(x, to, raw, result.size, wraps);
  } else {
    CastIntegers(x, to, raw, result.size);
  }
  StoreExact(result, raw);
  CastMembers(context, x, result, wraps);
  return {};
}

}  // namespace
}  // namespace reference

constinit const ReferenceKernel kReferenceCast = {.evaluate = reference::Cast, .elementwise = true};

}  // namespace anecheck
