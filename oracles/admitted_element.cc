#include "oracles/admitted_element.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "oracles/judge.h"

namespace anecheck {

uint32_t UlpBetween(DType dtype, double a, double b) {
  if (a != a && b != b) return 0;
  const std::optional<int64_t> error = UlpError(dtype, a, b);
  return error ? static_cast<uint32_t>(std::llabs(*error)) : kFarInUlp;
}

uint32_t UlpOutside(const Estimate& expected, size_t i, double actual) {
  if (Admits(expected, i, actual)) return 0;
  if (actual != actual || expected.low[i] != expected.low[i]) return kFarInUlp;
  const bool no_number =
      !expected.finite_low.empty() && expected.finite_low[i] > expected.finite_high[i];
  if (no_number) {
    return std::min(UlpBetween(expected.type.dtype, actual, expected.low[i]),
                    UlpBetween(expected.type.dtype, actual, expected.high[i]));
  }
  // The number lies inside the interval, but is not whole or not a member of the set: it is at
  // least one step off.
  const Ends ends = FiniteEnds(expected, i);
  if (ends.low <= actual && actual <= ends.high) return 1;
  return UlpBetween(expected.type.dtype, actual, actual < ends.low ? ends.low : ends.high);
}

double Amplitude(const Estimate& expected) {
  double amplitude = 0;
  for (const double value : expected.value) {
    const double magnitude = std::fabs(value);
    if (magnitude < std::numeric_limits<double>::infinity())
      amplitude = std::max(amplitude, magnitude);
  }
  return amplitude;
}

std::vector<bool> Repetitions(const Estimate& expected, std::span<const double> actual) {
  std::vector<bool> repeated(actual.size(), false);
  if (expected.distinct_axis < 0) return repeated;
  const Shape& shape = expected.type.shape;
  const auto count = static_cast<size_t>(shape[expected.distinct_axis]);
  size_t step = 1;
  for (int axis = expected.distinct_axis + 1; axis < shape.rank(); ++axis) {
    step *= static_cast<size_t>(shape[axis]);
  }
  std::set<double> seen;
  for (size_t line = 0; line < actual.size() / std::max<size_t>(count, 1); ++line) {
    seen.clear();
    for (size_t k = 0; k < count; ++k) {
      const size_t at = line / step * count * step + k * step + line % step;
      repeated[at] = !seen.insert(actual[at]).second;
    }
  }
  return repeated;
}

bool AdmitsEvery(const Estimate& expected, std::span<const double> actual) {
  const std::vector<bool> repeated = Repetitions(expected, actual);
  for (size_t i = 0; i < actual.size(); ++i) {
    if (repeated[i] || !Admits(expected, i, actual[i])) return false;
  }
  return true;
}

}  // namespace anecheck
