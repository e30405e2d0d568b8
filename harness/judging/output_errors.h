// Statistics of the distances between an output's elements and the oracle's values. Numeric
// baselines store them, and results files contain them by magnitude.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "harness/graph/graph.h"
#include "harness/results/store.h"
#include "oracles/lean.h"
#include "oracles/oracle.h"

namespace anecheck {

// Returns log2 |value| rounded down to an even number, and at most kMostExponent. Returns
// kLeastExponent for 0, NaN and every |value| below 2^-24. Elements are counted by this exponent.
inline constexpr int kLeastExponent = -26;
inline constexpr int kMostExponent = 30;
int MagnitudeExponent(double value);
// The number of exponents, and the conversion between exponents and their indices from 0.
inline constexpr size_t kMagnitudes = (kMostExponent - kLeastExponent) / 2 + 1;
constexpr size_t MagnitudeIndexOf(int exponent) {
  return static_cast<size_t>((exponent - kLeastExponent) / 2);
}
constexpr int MagnitudeExponentAt(size_t index) {
  return kLeastExponent + 2 * static_cast<int>(index);
}

// Larger errors count as this number, so that one error does not dominate a sum.
inline constexpr uint64_t kMostUlp = 65536;

// Errors by MagnitudeExponent, ascending. One array is enough, because there are few exponents.
class ErrorsByExponent {
 public:
  using Entry = std::pair<int, MagnitudeErrors>;

  // Inserts an entry if the exponent has none.
  MagnitudeErrors& operator[](int exponent) {
    const auto place = std::ranges::lower_bound(entries_, exponent, {}, &Entry::first);
    if (place != entries_.end() && place->first == exponent) return place->second;
    return entries_.insert(place, Entry(exponent, {}))->second;
  }
  // Returns null if the exponent has no entry.
  const MagnitudeErrors* Find(int exponent) const {
    const auto place = std::ranges::lower_bound(entries_, exponent, {}, &Entry::first);
    return place != entries_.end() && place->first == exponent ? &place->second : nullptr;
  }
  void reserve(size_t count) { entries_.reserve(count); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  bool operator==(const ErrorsByExponent&) const = default;

 private:
  std::vector<Entry> entries_;
};

// The errors of elements whose expected value and answer are finite.
struct OutputErrors {
  uint64_t elements = 0;
  uint64_t max_ulp = 0;
  uint64_t sum_ulp = 0;
  int64_t sum_signed_ulp = 0;      // positive if the answers are too large
  uint64_t relative_elements = 0;  // elements whose expected value is not 0
  double sum_relative = 0;         // |answer - value| / |value|
  double max_relative = 0;
  ErrorsByExponent by_exponent;

  OutputErrors& operator+=(const OutputErrors& other);
  double MeanUlp() const;
  double Bias() const;  // the mean of the signed errors in ulp
  double MeanRelative() const;
};

// Precondition: `actual` has the type of `expected`.
OutputErrors MeasureOutput(const Estimate& expected, const Tensor& actual);
// Does the same, and also measures the lean of these elements.
OutputErrors MeasureOutput(const Estimate& expected, const Tensor& actual, OutputLean& lean);

}  // namespace anecheck
