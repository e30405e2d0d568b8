// How far the elements of an output lie from the oracle's value: what numeric baselines keep and
// what results files count by magnitude.
#pragma once

#include <cstdint>
#include <map>

#include "harness/campaign/store.h"
#include "harness/graph/graph.h"
#include "oracles/oracle.h"

namespace anecheck {

// The exponent under which an element of that value is counted: the even number at or below
// log2 |value|, from kLeastExponent (0 and everything below 2^-24) to kMostExponent.
inline constexpr int kLeastExponent = -26;
inline constexpr int kMostExponent = 30;
int MagnitudeExponent(double value);

// An error of more than this counts as this much in sums, so that one infinity does not drown the
// rest.
inline constexpr uint64_t kMostUlp = 65536;

// Over the elements whose expected value and answer are both finite.
struct OutputErrors {
  uint64_t elements = 0;
  uint64_t max_ulp = 0;
  uint64_t sum_ulp = 0;
  int64_t sum_signed_ulp = 0;      // positive where the answers lie above
  uint64_t relative_elements = 0;  // those whose expected value is not 0
  double sum_relative = 0;         // |answer - value| / |value|
  double max_relative = 0;
  std::map<int, MagnitudeErrors> by_exponent;

  OutputErrors& operator+=(const OutputErrors& other);
  double MeanUlp() const;
  double Bias() const;  // the mean of the signed errors in ulp
  double MeanRelative() const;
};

// Precondition: `actual` has the type of `expected`.
OutputErrors MeasureOutput(const Estimate& expected, const Tensor& actual);

}  // namespace anecheck
