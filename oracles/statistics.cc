#include "oracles/statistics.h"

#include <cmath>
#include <limits>
#include <vector>

namespace anecheck {
namespace {

// z follows from count, mean and mean square.
ErrorStatistics WithZ(ErrorStatistics statistics) {
  const auto count = static_cast<double>(statistics.count);
  const double variance = statistics.mean_square - statistics.mean * statistics.mean;
  statistics.z = 0;
  if (statistics.count >= 2 && statistics.mean != 0) {
    // Errors that are all alike have no variance to rounding; the mean is then as certain as the
    // arithmetic here.
    const double deviation = std::sqrt(std::max(variance, 0x1p-40) / count);
    statistics.z = statistics.mean / deviation;
  }
  return statistics;
}

}  // namespace

ErrorStatistics MeasureErrors(const Estimate& expected, const Tensor& actual) {
  std::vector<double> elements(expected.value.size());
  DecodeElements(actual.type.dtype, actual.bytes, elements);
  ErrorStatistics statistics;
  double sum = 0;
  double squares = 0;
  for (size_t i = 0; i < elements.size(); ++i) {
    const double error = elements[i] - expected.value[i];
    const double room =
        error < 0 ? expected.value[i] - expected.low[i] : expected.high[i] - expected.value[i];
    const bool free = expected.high[i] > expected.low[i];
    if (!free || !std::isfinite(error) || !std::isfinite(room)) continue;
    const double share = error == 0 ? 0 : room > 0 ? error / room : std::copysign(1.0, error);
    ++statistics.count;
    statistics.on_end += std::fabs(share) == 1 ? 1 : 0;
    sum += share;
    squares += share * share;
  }
  if (statistics.count == 0) return statistics;
  statistics.mean = sum / static_cast<double>(statistics.count);
  statistics.mean_square = squares / static_cast<double>(statistics.count);
  return WithZ(statistics);
}

ErrorStatistics Merge(const ErrorStatistics& a, const ErrorStatistics& b) {
  ErrorStatistics merged;
  merged.count = a.count + b.count;
  merged.on_end = a.on_end + b.on_end;
  if (merged.count == 0) return merged;
  const double weight = static_cast<double>(b.count) / static_cast<double>(merged.count);
  merged.mean = a.mean * (1 - weight) + b.mean * weight;
  merged.mean_square = a.mean_square * (1 - weight) + b.mean_square * weight;
  return WithZ(merged);
}

}  // namespace anecheck
