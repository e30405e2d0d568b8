// The numbers that an estimate admits for a single element, and the distance of a number from them.
// The judge and its search for known defects (defect_search.h) share this file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "oracles/oracle.h"

namespace anecheck {

// The distance from a number to NaN, or to a number too far away to count.
inline constexpr uint32_t kFarInUlp = std::numeric_limits<uint32_t>::max();

struct Ends {
  double low = 0;
  double high = 0;
};

// The interval of the finite numbers that an element admits. If it admits none, or if the estimate
// has no separate finite interval, returns low and high.
inline Ends FiniteEnds(const Estimate& expected, size_t i) {
  if (expected.finite_low.empty() || expected.finite_low[i] > expected.finite_high[i]) {
    return {expected.low[i], expected.high[i]};
  }
  return {expected.finite_low[i], expected.finite_high[i]};
}

// The distance from `a` to `b`, counted in representable values; for integers, the absolute
// difference.
uint32_t UlpBetween(DType dtype, double a, double b);

// The distance in ulp of `actual` from the numbers that element `i` admits; 0 if it is one of them.
uint32_t UlpOutside(const Estimate& expected, size_t i, double actual);

// The largest finite magnitude in `expected.value`.
double Amplitude(const Estimate& expected);

// Marks the elements whose number already occurs earlier in their line, if the numbers of a line
// must be distinct. Otherwise marks none.
std::vector<bool> Repetitions(const Estimate& expected, std::span<const double> actual);

// Whether a conforming engine may return all of `actual`.
bool AdmitsEvery(const Estimate& expected, std::span<const double> actual);

// Whether an interval and the NaN flags are all that bounds each element.
inline bool IsPlain(const Estimate& expected) {
  return expected.finite_low.empty() && expected.member_begin.empty() && !expected.whole &&
         expected.distinct_axis < 0;
}

// For a plain estimate, returns whether exactly one number is admitted and `actual` is that number.
// This is the usual case.
inline bool IsOnPoint(const Estimate& expected, size_t i, double actual) {
  return expected.low[i] == actual && expected.high[i] == actual && expected.value[i] == actual &&
         expected.flags[i] == 0 && (actual != 0 || !expected.signed_zeros);
}

}  // namespace anecheck
