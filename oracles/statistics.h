// Statistics of the errors of one output inside its bound. As TOSA's dot-product check does, they
// show small systematic errors that no single element reveals. `anecheck judge` prints them for
// each output; campaigns and numeric baselines count errors in ulp over many cases instead
// (harness/judging/output_errors.h).
#pragma once

#include <cmath>
#include <cstdint>

#include "harness/graph/graph.h"
#include "oracles/oracle.h"

namespace anecheck {

// Each error is a share of the distance from the value to the end of the interval on the error's
// side, so that the contract permits -1 to 1. An element whose interval is a single number does
// not count, and neither does an infinite one. Elements with the same value and interval count
// once, by their mean error, since their errors are not independent.
struct ErrorStatistics {
  uint64_t count = 0;
  double mean = 0;
  double mean_square = 0;
  // The mean divided by its standard error, assuming independent errors; 0 if count < 2 or every
  // error is 0.
  double z = 0;
  uint64_t on_end = 0;  // elements at either end of their interval
  // The number of elements whose interval contains more than kFewNumbers numbers, and the mean
  // square of their errors.
  uint64_t wide = 0;
  double wide_mean_square = 0;
};
// In an interval of at most this many numbers most numbers are near an end, since one rounding can
// lead from one number to the next.
inline constexpr uint32_t kFewNumbers = 8;

// Independent errors around 0 exceed this |z| in one of 10^9 outputs.
inline constexpr double kLeaningZ = 6.1;

// Fewer elements than this do not show a distribution.
inline constexpr uint64_t kLeastCount = 30;

// Whether the errors lie to one side. This does not violate the bound: errors of one output may be
// correlated (a common scale), and a contract may permit truncation. It is the first sign of a
// wrong rounding mode, a dropped small term or a wrong table.
inline bool Leans(const ErrorStatistics& errors) {
  return errors.count >= kLeastCount && std::fabs(errors.z) > kLeaningZ;
}

// Whether the errors are larger, on average, than numbers spread evenly over the bounds. The
// squares of such numbers have a mean of 1 / 3 and a variance of 4 / 45. Worst cases are rare in an
// engine that keeps its bounds.
inline bool Fills(const ErrorStatistics& errors) {
  const double deviation = std::sqrt(4.0 / 45 / static_cast<double>(errors.wide));
  return errors.wide >= kLeastCount && errors.wide_mean_square > 1.0 / 3 + kLeaningZ * deviation;
}

// Precondition: `actual` has the type of `expected`.
ErrorStatistics MeasureErrors(const Estimate& expected, const Tensor& actual);

// The statistics of the elements of `a` and `b` together; the order does not matter.
ErrorStatistics Merge(const ErrorStatistics& a, const ErrorStatistics& b);

}  // namespace anecheck
