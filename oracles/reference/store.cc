#include "oracles/reference/store.h"

#include <cstring>

namespace anecheck::reference {
namespace {

bool IsFiniteDouble(double x) { return std::fabs(x) < kInfinity; }

// `ulp` neighbours beyond the rounded end; exact zeros and infinities have no error, and no error
// changes the sign.
double Neighbour(const Grid& grid, double end, int ulp) {
  if (end == 0 || !IsFiniteDouble(end)) return end;
  const double moved = grid.Step(grid.Round(end), ulp);
  return (moved < 0) == (end < 0) ? moved : 0;
}

// One NaN end of two means that the kernel met an invalid operation at a corner: anything may
// stand there.
void SettleNan(double& low, double& high, uint8_t& nan) {
  const bool low_nan = low != low;
  const bool high_nan = high != high;
  if (!low_nan && !high_nan) return;
  nan = 1;
  if (low_nan && high_nan) return;
  low = -kInfinity;
  high = kInfinity;
}

// Rounds point results; gives whether every one was representable.
bool RoundPoint(const Grid& grid, const double* raw, BoundedTensor& result) {
  bool exact = true;
  bool special = false;
  for (size_t i = 0; i < result.size; ++i) {
    const double stored = grid.Store(raw[i]);
    result.value[i] = stored;
    exact &= stored == raw[i] || raw[i] != raw[i];
    special |= !IsFiniteDouble(stored);
  }
  result.special = special;
  return exact;
}

}  // namespace

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

Grid GridOf(const KernelContext& context, DType dtype) {
  return Grid(dtype, context.contract().Find(Effect::kTiesAway) != nullptr);
}

void StoreFloats(KernelContext& context, BoundedTensor& result, const Raw& raw, int ulp) {
  const Grid grid = GridOf(context, result.type.dtype);
  const bool wide = context.contract().Allows(Term::kWideIntermediate);
  result.value = context.arena().Allocate<double>(result.size);
  result.low = result.high = result.value;
  result.nan = nullptr;
  const bool exact = RoundPoint(grid, raw.value, result);
  const bool raw_point = raw.low == nullptr || context.contract().ideal;
  if (raw_point && ulp == 0 && (exact || !wide)) return;

  const double* from_low = raw_point ? raw.value : raw.low;
  const double* from_high = raw_point ? raw.value : raw.high;
  result.low = context.arena().Allocate<double>(result.size);
  result.high = context.arena().Allocate<double>(result.size);
  result.nan = context.arena().Allocate<uint8_t>(result.size);
  bool point = true;
  for (size_t i = 0; i < result.size; ++i) {
    double low = from_low[i];
    double high = from_high[i];
    uint8_t nan = raw.nan == nullptr ? 0 : raw.nan[i];
    SettleNan(low, high, nan);
    if (ulp != 0) {
      low = Neighbour(grid, low, -ulp);
      high = Neighbour(grid, high, ulp);
    }
    low = OuterLow(grid, low, wide);
    high = OuterHigh(grid, high, wide);
    result.low[i] = low;
    result.high[i] = high;
    result.nan[i] = nan;
    const bool only_nan = low != low;
    const bool number_point = low == high && low == result.value[i] && nan == 0;
    point &= number_point || (only_nan && result.value[i] != result.value[i]);
    result.special |= nan != 0 || !IsFiniteDouble(low) || !IsFiniteDouble(high);
  }
  if (point) {
    result.low = result.high = result.value;
    result.nan = nullptr;
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
}

}  // namespace anecheck::reference
