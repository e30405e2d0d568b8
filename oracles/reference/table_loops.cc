#include "oracles/reference/table_loops.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "oracles/reference/table_loops.cc"
#include <hwy/foreach_target.h>  // compiles this file once more for every target
// Highway requires this include after foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace anecheck::reference::HWY_NAMESPACE {

// Expands whole vectors of elements. Returns the number of expanded elements. Loads four entries as
// four vectors and transposes them.
#if HWY_ARCH_X86 && HWY_MAX_BYTES >= 32
size_t ExpandVectors(const TableEntry* HWY_RESTRICT entries, const uint16_t* HWY_RESTRICT halves,
                     size_t count, double* HWY_RESTRICT value, double* HWY_RESTRICT low,
                     double* HWY_RESTRICT high) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::FixedTag<double, 4> d;
  size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const auto a = hn::LoadU(d, &entries[halves[i]].value);
    const auto b = hn::LoadU(d, &entries[halves[i + 1]].value);
    const auto a_b_even = hn::InterleaveLower(d, a, b);
    const auto a_b_odd = hn::InterleaveUpper(d, a, b);
    const auto e = hn::LoadU(d, &entries[halves[i + 2]].value);
    const auto f = hn::LoadU(d, &entries[halves[i + 3]].value);
    const auto e_f_even = hn::InterleaveLower(d, e, f);
    const auto e_f_odd = hn::InterleaveUpper(d, e, f);
    hn::StoreU(hn::ConcatLowerLower(d, e_f_even, a_b_even), d, value + i);
    hn::StoreU(hn::ConcatLowerLower(d, e_f_odd, a_b_odd), d, low + i);
    hn::StoreU(hn::ConcatUpperUpper(d, e_f_even, a_b_even), d, high + i);
  }
  return i;
}
#else
size_t ExpandVectors(const TableEntry*, const uint16_t*, size_t, double*, double*, double*) {
  return 0;
}
#endif

void Expand(const TableEntry* HWY_RESTRICT entries, const uint16_t* HWY_RESTRICT halves,
            size_t count, double* HWY_RESTRICT value, double* HWY_RESTRICT low,
            double* HWY_RESTRICT high) {
  for (size_t i = ExpandVectors(entries, halves, count, value, low, high); i < count; ++i) {
    const TableEntry& entry = entries[halves[i]];
    value[i] = entry.value;
    low[i] = entry.low;
    high[i] = entry.high;
  }
}

}  // namespace anecheck::reference::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anecheck::reference {

HWY_EXPORT(Expand);

void ExpandEntries(const TableEntry* entries, const uint16_t* halves, size_t count, double* value,
                   double* low, double* high) {
  HWY_DYNAMIC_DISPATCH(Expand)(entries, halves, count, value, low, high);
}

}  // namespace anecheck::reference
#endif
