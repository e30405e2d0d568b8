#include "oracles/reference/store_loops.h"

#include "oracles/reference/store.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "oracles/reference/store_loops.cc"
#include <hwy/foreach_target.h>  // compiles this file once more for every target
// Highway requires this include after foreach_target.h.
#include <hwy/highway.h>

// Plain loops without branches, of which the compiler makes vector code for each target.
HWY_BEFORE_NAMESPACE();
namespace anecheck::reference::HWY_NAMESPACE {

struct ToHalf {
  double operator()(double x) const { return RoundToHalf(x); }
};

StoredValues RoundValues(const double* HWY_RESTRICT raw, size_t count, double* HWY_RESTRICT value) {
  uint64_t inexact = 0;
  uint64_t special = 0;
  for (size_t i = 0; i < count; ++i) {
    const double stored = RoundToHalf(raw[i]);
    value[i] = stored;
    inexact |= stored < raw[i] || stored > raw[i] ? 1 : 0;
    special |= std::fabs(stored) < kInfinity ? 0 : 1;
  }
  return {inexact == 0, special != 0};
}

template <bool kWide>
StoredEnds RoundEndsWide(const double* HWY_RESTRICT from_low, const double* HWY_RESTRICT from_high,
                         const double* HWY_RESTRICT value, size_t count, double* HWY_RESTRICT low,
                         double* HWY_RESTRICT high) {
  uint64_t open = 0;
  uint64_t special = 0;
  for (size_t i = 0; i < count; ++i) {
    const double least = OuterLow(ToHalf{}, from_low[i], kWide);
    const double most = OuterHigh(ToHalf{}, from_high[i], kWide);
    low[i] = least;
    high[i] = most;
    open |= least == value[i] && most == value[i] ? 0 : 1;
    special |= std::fabs(least) < kInfinity && std::fabs(most) < kInfinity ? 0 : 1;
  }
  return {open == 0, special != 0};
}

StoredEnds RoundEnds(const double* from_low, const double* from_high, bool wide,
                     const double* value, size_t count, double* low, double* high) {
  return wide ? RoundEndsWide<true>(from_low, from_high, value, count, low, high)
              : RoundEndsWide<false>(from_low, from_high, value, count, low, high);
}

void WidenEnds(const double* from_low, const double* from_high, int ulp, size_t count,
               double* HWY_RESTRICT low, double* HWY_RESTRICT high) {
  for (size_t i = 0; i < count; ++i) {
    const double least = from_low[i];
    const double most = from_high[i];
    low[i] = MoveHalfEnd(least, least < 0 ? ulp : -ulp);
    high[i] = MoveHalfEnd(most, most < 0 ? -ulp : ulp);
  }
}

}  // namespace anecheck::reference::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anecheck::reference {

HWY_EXPORT(RoundValues);
HWY_EXPORT(RoundEnds);
HWY_EXPORT(WidenEnds);

StoredValues RoundValuesToHalf(const double* raw, size_t count, double* value) {
  return HWY_DYNAMIC_DISPATCH(RoundValues)(raw, count, value);
}

StoredEnds RoundEndsToHalf(const double* from_low, const double* from_high, bool wide,
                           const double* value, size_t count, double* low, double* high) {
  return HWY_DYNAMIC_DISPATCH(RoundEnds)(from_low, from_high, wide, value, count, low, high);
}

void WidenHalfEnds(const double* from_low, const double* from_high, int ulp, size_t count,
                   double* low, double* high) {
  HWY_DYNAMIC_DISPATCH(WidenEnds)(from_low, from_high, ulp, count, low, high);
}

}  // namespace anecheck::reference
#endif
