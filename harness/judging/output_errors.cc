#include "harness/judging/output_errors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <span>
#include <vector>

#include "oracles/judge.h"

namespace anecheck {

namespace {

// Returns the index of the value's exponent among the even exponents, 0 for kLeastExponent.
size_t MagnitudeIndex(double value) {
  const uint64_t magnitude = std::bit_cast<uint64_t>(std::fabs(value));
  const int exponent = static_cast<int>(magnitude >> 52) - 1023;
  if (!(std::fabs(value) >= 0x1p-24)) return 0;  // NaN too
  return MagnitudeIndexOf(std::min(exponent, kMostExponent));
}

}  // namespace

int MagnitudeExponent(double value) { return MagnitudeExponentAt(MagnitudeIndex(value)); }

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

namespace {

OutputErrors MeasureElements(const Estimate& expected, std::span<const double> elements) {
  OutputErrors errors;
  std::array<MagnitudeErrors, kMagnitudes> by_magnitude{};
  for (size_t i = 0; i < elements.size(); ++i) {
    const double value = expected.value[i];
    if (!std::isfinite(value) || !std::isfinite(elements[i])) continue;
    if (value == elements[i]) {
      ++by_magnitude[MagnitudeIndex(value)].elements;
      ++errors.elements;
      errors.relative_elements += value == 0 ? 0 : 1;
      continue;
    }
    const int64_t signed_ulp =
        UlpError(expected.type.dtype, value, elements[i])
            .value_or(std::copysign(1.0, elements[i] - value) < 0 ? -static_cast<int64_t>(kMostUlp)
                                                                  : static_cast<int64_t>(kMostUlp));
    const auto ulp = std::min(static_cast<uint64_t>(std::llabs(signed_ulp)), kMostUlp);
    by_magnitude[MagnitudeIndex(value)] += {1, ulp, ulp};
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
  errors.by_exponent.reserve(kMagnitudes);
  for (size_t i = 0; i < kMagnitudes; ++i) {
    if (by_magnitude[i].elements == 0) continue;
    errors.by_exponent[MagnitudeExponentAt(i)] = by_magnitude[i];
  }
  return errors;
}

std::vector<double> Decoded(const Estimate& expected, const Tensor& actual) {
  std::vector<double> elements(expected.value.size());
  DecodeElements(actual.type.dtype, actual.bytes, elements);
  return elements;
}

}  // namespace

OutputErrors MeasureOutput(const Estimate& expected, const Tensor& actual) {
  return MeasureElements(expected, Decoded(expected, actual));
}

OutputErrors MeasureOutput(const Estimate& expected, const Tensor& actual, OutputLean& lean) {
  const std::vector<double> elements = Decoded(expected, actual);
  lean = MeasureLean(expected, elements);
  return MeasureElements(expected, elements);
}

}  // namespace anecheck
