// Quantization and element-type conversion.
#include <algorithm>

#include "harness/ops/params.h"
#include "oracles/reference/integers.h"
#include "oracles/reference/movement.h"
#include "oracles/reference/store.h"

namespace anecheck {
namespace reference {
namespace {

// Integers that do not fit: the reference wraps, as two's complement does; an engine may saturate.
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

// Truncation toward zero with saturation. NaN has no integer: an engine may give any.
void FloatsToIntegers(const BoundedTensor& x, DType dtype, const Raw& raw, size_t size) {
  const IntegerRange range = RangeOf(dtype);
  for (size_t i = 0; i < size; ++i) {
    raw.value[i] = SaturateInteger(dtype, x.value[i]);
    const bool nan = x.value[i] != x.value[i] || x.low[i] != x.low[i] || x.NanAt(i);
    raw.low[i] = nan ? range.low : SaturateInteger(dtype, x.low[i]);
    raw.high[i] = nan ? range.high : SaturateInteger(dtype, x.high[i]);
  }
}

// Everything but zero is true, NaN too.
void ToBools(const BoundedTensor& x, const Raw& raw, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    raw.value[i] = x.value[i] != 0 ? 1 : 0;
    const bool zero_possible = x.low[i] <= 0 && x.high[i] >= 0;
    const bool zero_certain = x.low[i] == 0 && x.high[i] == 0 && !x.NanAt(i);
    raw.low[i] = zero_possible ? 0 : 1;
    raw.high[i] = zero_certain ? 0 : 1;
  }
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
    return {};
  }
  const Raw raw = AllocateRaw(context, result.size, true);
  if (to == DType::kBool) {
    ToBools(x, raw, result.size);
  } else if (IsFloat(from)) {
    FloatsToIntegers(x, to, raw, result.size);
  } else {
    CastIntegers(x, to, raw, result.size);
  }
  StoreExact(result, raw);
  return {};
}

}  // namespace
}  // namespace reference

constinit const ReferenceKernel kReferenceCast = {.evaluate = reference::Cast};

}  // namespace anecheck
