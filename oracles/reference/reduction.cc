// Kernels of reductions along axes. Sums are exact and have the wide accumulator's bound.

#include "harness/ops/params.h"
#include "oracles/reference/dot.h"
#include "oracles/reference/groups.h"
#include "oracles/reference/integers.h"
#include "oracles/reference/lanes.h"
#include "oracles/reference/layout.h"
#include "oracles/reference/store.h"

namespace anecheck {
namespace reference {
namespace {

constexpr Term kSumTerms[] = {Term::kReduceUnit};

// Visits the groups of the axes that the attribute names.
template <typename Visit>
void ForEachGroup(KernelContext& context, const BoundedTensor& x, const Visit& visit) {
  ForEachGroup(context, x, MaskOfAxes(context.node(), params::Reduce::kAxes, x.type.shape.rank()),
               visit);
}

double IntegerSum(DType dtype, const double* values, size_t count) {
  int64_t sum = 0;
  for (size_t i = 0; i < count; ++i) sum += static_cast<int64_t>(values[i]);
  return WrapInteger(dtype, sum);
}

Status IntegerReduceSum(KernelContext& context, const BoundedTensor& x) {
  BoundedTensor& result = context.Result();
  const DType dtype = result.type.dtype;
  const IntegerRange range = RangeOf(dtype);
  const Raw raw = AllocateRaw(context, result.size, !x.point());
  ForEachGroup(context, x, [&](size_t at, const LaneBuffer& buffer, size_t count) {
    const Lanes lanes = buffer.lanes();
    raw.value[at] = IntegerSum(dtype, lanes.value, count);
    if (x.point()) return;
    double low = 0;
    double high = 0;
    for (size_t i = 0; i < count; ++i) {
      low += lanes.low[i];
      high += lanes.high[i];
    }
    const bool wraps = low < range.low || high > range.high;
    raw.low[at] = wraps ? range.low : low;
    raw.high[at] = wraps ? range.high : high;
  });
  StoreExact(result, raw);
  return {};
}

Status ReduceSum(KernelContext& context) {
  BoundedTensor& x = context.Input(params::Reduce::kX);
  BoundedTensor& result = context.Result();
  if (!IsFloat(result.type.dtype)) return IntegerReduceSum(context, x);
  Accumulator accumulator(context, x, nullptr);
  const Raw raw = AllocateRaw(context, result.size, true);
  ForEachGroup(context, x, [&](size_t at, const LaneBuffer& buffer, size_t count) {
    Put(raw, at, accumulator.Sum(buffer.lanes(), count));
  });
  StoreFloats(context, result, raw);
  return {};
}

template <double (*kExtreme)(const double*, size_t)>
Status ReduceExtreme(KernelContext& context) {
  BoundedTensor& x = OpenNumbers(context, context.Input(params::Reduce::kX));
  BoundedTensor& result = context.Result();
  const Raw raw = AllocateRaw(context, result.size, !x.point());
  ForEachGroup(context, x, [&](size_t at, const LaneBuffer& buffer, size_t count) {
    const Lanes lanes = buffer.lanes();
    raw.value[at] = kExtreme(lanes.value, count);
    if (x.point()) return;
    raw.low[at] = kExtreme(lanes.low, count);
    raw.high[at] = kExtreme(lanes.high, count);
    raw.nan[at] = buffer.AnyNan(count) ? 1 : 0;
  });
  if (IsFloat(result.type.dtype)) {
    StoreFloats(context, result, raw);
  } else {
    StoreExact(result, raw);
  }
  return {};
}

}  // namespace
}  // namespace reference

constinit const ReferenceKernel kReferenceReduceSum = {.evaluate = reference::ReduceSum,
                                                       .terms = reference::kSumTerms};
constinit const ReferenceKernel kReferenceReduceMax = {
    .evaluate = reference::ReduceExtreme<reference::Largest>};
constinit const ReferenceKernel kReferenceReduceMin = {
    .evaluate = reference::ReduceExtreme<reference::Smallest>};

}  // namespace anecheck
