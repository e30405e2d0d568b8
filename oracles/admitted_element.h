// The numbers that an estimate admits of single elements, and the distance of a number from them:
// shared by the judge and its search for known defects (defect_search.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "oracles/oracle.h"

namespace anecheck {

// The distance of a number from one of another kind: NaN, or too far to count.
inline constexpr uint32_t kFarInUlp = std::numeric_limits<uint32_t>::max();

struct Ends {
  double low = 0;
  double high = 0;
};

// The interval of the finite numbers that an element admits, or of the infinities where there are
// none. Bounded by low and high where the estimate does not know them apart.
inline Ends FiniteEnds(const Estimate& expected, size_t i) {
  if (expected.finite_low.empty() || expected.finite_low[i] > expected.finite_high[i]) {
    return {expected.low[i], expected.high[i]};
  }
  return {expected.finite_low[i], expected.finite_high[i]};
}

// Distance in representable values; integers differ by their difference.
uint32_t UlpBetween(DType dtype, double a, double b);

// How far an element lies outside its interval.
uint32_t UlpOutside(const Estimate& expected, size_t i, double actual);

// The largest finite magnitude of its values.
double Amplitude(const Estimate& expected);

// The elements whose number stands in their line already, where numbers must be distinct.
std::vector<bool> Repetitions(const Estimate& expected, std::span<const double> actual);

// Whether a conforming engine may give `actual` as a whole.
bool AdmitsEvery(const Estimate& expected, std::span<const double> actual);

// Whether intervals and NaN alone bound the elements.
inline bool IsPlain(const Estimate& expected) {
  return expected.finite_low.empty() && expected.member_begin.empty() && !expected.whole &&
         expected.distinct_axis < 0;
}

// For a plain estimate: one number is admitted, and it was given. Most elements are so.
inline bool IsOnPoint(const Estimate& expected, size_t i, double actual) {
  return expected.low[i] == actual && expected.high[i] == actual && expected.value[i] == actual &&
         expected.flags[i] == 0 && (actual != 0 || !expected.signed_zeros);
}

}  // namespace anecheck
