#include "harness/campaign/output_errors.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "oracles/judge.h"

namespace anecheck {

int MagnitudeExponent(double value) {
  const double magnitude = std::fabs(value);
  if (!(magnitude >= 0x1p-24)) return kLeastExponent;
  const int exponent = std::ilogb(magnitude);
  const int even = exponent - (exponent & 1);
  return std::min(even, kMostExponent);
}

OutputErrors& OutputErrors::operator+=(const OutputErrors& other) {
  elements += other.elements;
  max_ulp = std::max(max_ulp, other.max_ulp);
  sum_ulp += other.sum_ulp;
  sum_signed_ulp += other.sum_signed_ulp;
  relative_elements += other.relative_elements;
  sum_relative += other.sum_relative;
  max_relative = std::max(max_relative, other.max_relative);
  for (const auto& [exponent, errors] : other.by_exponent) by_exponent[exponent] += errors;
  return *this;
}

double OutputErrors::MeanUlp() const {
  return elements == 0 ? 0 : static_cast<double>(sum_ulp) / static_cast<double>(elements);
}

double OutputErrors::Bias() const {
  return elements == 0 ? 0 : static_cast<double>(sum_signed_ulp) / static_cast<double>(elements);
}

double OutputErrors::MeanRelative() const {
  return relative_elements == 0 ? 0 : sum_relative / static_cast<double>(relative_elements);
}

OutputErrors MeasureOutput(const Estimate& expected, const Tensor& actual) {
  std::vector<double> elements(expected.value.size());
  DecodeElements(actual.type.dtype, actual.bytes, elements);
  OutputErrors errors;
  for (size_t i = 0; i < elements.size(); ++i) {
    const double value = expected.value[i];
    if (!std::isfinite(value) || !std::isfinite(elements[i])) continue;
    const int64_t signed_ulp =
        UlpError(expected.type.dtype, value, elements[i])
            .value_or(std::copysign(1.0, elements[i] - value) < 0 ? -static_cast<int64_t>(kMostUlp)
                                                                  : static_cast<int64_t>(kMostUlp));
    const auto ulp = std::min(static_cast<uint64_t>(std::llabs(signed_ulp)), kMostUlp);
    MagnitudeErrors& magnitude = errors.by_exponent[MagnitudeExponent(value)];
    magnitude += {1, ulp, ulp};
    ++errors.elements;
    errors.max_ulp = std::max(errors.max_ulp, ulp);
    errors.sum_ulp += ulp;
    errors.sum_signed_ulp +=
        signed_ulp < 0 ? -static_cast<int64_t>(ulp) : static_cast<int64_t>(ulp);
    if (value == 0) continue;
    const double relative = std::fabs(elements[i] - value) / std::fabs(value);
    ++errors.relative_elements;
    errors.sum_relative += relative;
    errors.max_relative = std::max(errors.max_relative, relative);
  }
  return errors;
}

}  // namespace anecheck
