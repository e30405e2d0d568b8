#include "oracles/reference/departures.h"

#include <algorithm>

#include "oracles/reference/store.h"

namespace anecheck::reference {

void DepartFromInput(const Contract& contract, Arena& arena, BoundedTensor& tensor) {
  if (!tensor.special || !IsFloat(tensor.type.dtype)) return;
  if (contract.Find(Effect::kNanAsInfinity) == nullptr) return;
  auto* const value = arena.Allocate<double>(tensor.size);
  for (size_t i = 0; i < tensor.size; ++i) {
    value[i] = tensor.value[i] != tensor.value[i] ? kInfinity : tensor.value[i];
  }
  tensor.value = tensor.low = tensor.high = value;
}

namespace {

// A departure's value need be no whole number and no member.
void ForgetSets(BoundedTensor& result) {
  result.whole = false;
  result.members = nullptr;
}

void ReplaceNan(BoundedTensor& result, double by) {
  for (size_t i = 0; i < result.size; ++i) {
    if (result.value[i] != result.value[i]) result.value[i] = by;
    if (result.point()) continue;
    const bool only = result.low[i] != result.low[i];
    if (!only && !result.NanAt(i)) continue;
    result.low[i] = only ? by : std::min(result.low[i], by);
    result.high[i] = only ? by : std::max(result.high[i], by);
    if (result.beyond == nullptr) continue;
    result.finite_low[i] = only ? by : std::min(result.finite_low[i], by);
    result.finite_high[i] = only ? by : std::max(result.finite_high[i], by);
  }
  result.nan = nullptr;
}

// f(x) == value at the operand's elements that `hits` selects.
template <typename Hits>
void FixValue(KernelContext& context, BoundedTensor& result, double value, const Hits& hits) {
  const BoundedTensor& x = context.Value(context.node().Input(0));
  if (x.size != result.size) return;
  ForgetSets(result);
  for (size_t i = 0; i < result.size; ++i) {
    if (hits(x.value[i])) {
      result.value[i] = value;
      if (!result.point()) result.low[i] = result.high[i] = value;
    }
  }
}

void WidenBy(KernelContext& context, BoundedTensor& result, double error) {
  ForgetSets(result);
  auto* const low = context.arena().Allocate<double>(result.size);
  auto* const high = context.arena().Allocate<double>(result.size);
  auto* const nan = context.arena().Allocate<uint8_t>(result.size);
  for (size_t i = 0; i < result.size; ++i) {
    low[i] = result.low[i] - error;
    high[i] = result.high[i] + error;
    nan[i] = result.NanAt(i) ? 1 : 0;
  }
  result.low = low;
  result.high = high;
  result.nan = nan;
}

bool IsMovedCopy(KernelContext& context, const BoundedTensor& result) {
  const ValueId x = context.node().Input(0);
  return x != kNoValue && context.Value(x).value == result.value;
}

}  // namespace

void DepartFromResult(KernelContext& context, BoundedTensor& result) {
  if (!IsFloat(result.type.dtype) || IsMovedCopy(context, result)) return;
  const Contract& contract = context.contract();
  if (contract.Find(Effect::kNanResultAsZero) != nullptr && result.special) ReplaceNan(result, 0);
  const Grid grid(result.type.dtype);
  for (const Departure* departure : contract.active()) {
    if (departure->op.empty() || departure->op != context.node().op()) continue;
    const double value = grid.Round(departure->b);
    // log takes x + epsilon: the documented place is in that sum.
    const int epsilon = context.node().schema().FindParameter("epsilon");
    const double shift = epsilon < 0 ? 0 : grid.Round(context.node().Float(epsilon, 0));
    const double at = departure->a - shift;
    if (departure->effect == Effect::kValueAt) {
      FixValue(context, result, value, [&](double x) { return x == at; });
    } else if (departure->effect == Effect::kValueFrom) {
      FixValue(context, result, value, [&](double x) { return x >= at; });
    } else if (departure->effect == Effect::kAbsoluteError) {
      WidenBy(context, result, departure->a);
    }
  }
}

}  // namespace anecheck::reference
