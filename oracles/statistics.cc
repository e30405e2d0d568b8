#include "oracles/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "oracles/admitted_element.h"

namespace anecheck {
namespace {

// Computes z from count, mean and mean square.
ErrorStatistics WithZ(ErrorStatistics statistics) {
  const auto count = static_cast<double>(statistics.count);
  const double variance = statistics.mean_square - statistics.mean * statistics.mean;
  statistics.z = 0;
  if (statistics.count >= 2 && statistics.mean != 0) {
    // Equal errors have no variance beyond rounding; the mean is then as accurate as this
    // arithmetic.
    const double deviation = std::sqrt(std::max(variance, 0x1p-40) / count);
    statistics.z = statistics.mean / deviation;
  }
  return statistics;
}

// The error of one element as a part of the bound on its side.
struct Share {
  std::array<double, 3> element{};  // value and ends
  double share = 0;
};

std::vector<Share> SharesOf(const Estimate& expected, std::span<const double> actual) {
  std::vector<Share> shares;
  for (size_t i = 0; i < actual.size(); ++i) {
    const double error = actual[i] - expected.value[i];
    const double room =
        error < 0 ? expected.value[i] - expected.low[i] : expected.high[i] - expected.value[i];
    const bool free = expected.high[i] > expected.low[i];
    if (!free || !std::isfinite(error) || !std::isfinite(room)) continue;
    const double share = error == 0 ? 0 : room > 0 ? error / room : std::copysign(1.0, error);
    shares.push_back({{expected.value[i], expected.low[i], expected.high[i]}, share});
  }
  return shares;
}

}  // namespace

ErrorStatistics MeasureErrors(const Estimate& expected, const Tensor& actual) {
  std::vector<double> elements(expected.value.size());
  DecodeElements(actual.type.dtype, actual.bytes, elements);
  std::vector<Share> shares = SharesOf(expected, elements);
  std::ranges::sort(shares, {}, &Share::element);
  ErrorStatistics statistics;
  double sum = 0;
  double squares = 0;
  double wide_squares = 0;
  for (size_t first = 0; first < shares.size();) {
    size_t end = first;
    double total = 0;
    for (; end < shares.size() && shares[end].element == shares[first].element; ++end) {
      total += shares[end].share;
    }
    const double share = total / static_cast<double>(end - first);
    first = end;
    ++statistics.count;
    statistics.on_end += std::fabs(share) == 1 ? 1 : 0;
    sum += share;
    squares += share * share;
    const auto& element = shares[end - 1].element;
    if (UlpBetween(expected.type.dtype, element[1], element[2]) <= kFewNumbers) continue;
    ++statistics.wide;
    wide_squares += share * share;
  }
  if (statistics.wide != 0) {
    statistics.wide_mean_square = wide_squares / static_cast<double>(statistics.wide);
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
  merged.wide = a.wide + b.wide;
  if (merged.wide != 0) {
    const double of_b = static_cast<double>(b.wide) / static_cast<double>(merged.wide);
    merged.wide_mean_square = a.wide_mean_square * (1 - of_b) + b.wide_mean_square * of_b;
  }
  merged.mean_square = a.mean_square * (1 - weight) + b.mean_square * weight;
  return WithZ(merged);
}

}  // namespace anecheck
