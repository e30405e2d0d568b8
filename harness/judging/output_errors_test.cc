// Tests the errors against the oracle's value, in ulp with their sign, and by magnitude.
#include "harness/judging/output_errors.h"

#include <gtest/gtest.h>
#include <limits>
#include <rapidcheck/gtest.h>

#include "harness/base/half.h"

namespace anecheck {
namespace {

Estimate Expected(std::vector<double> values) {
  Estimate estimate;
  estimate.type = {DType::kFp16, Shape({static_cast<int64_t>(values.size())})};
  estimate.low = estimate.high = estimate.value = values;
  estimate.flags.resize(values.size());
  return estimate;
}

Tensor Actual(const std::vector<double>& values) {
  Tensor tensor = {{DType::kFp16, Shape({static_cast<int64_t>(values.size())})},
                   std::vector<uint8_t>(values.size() * 2)};
  EncodeElements(DType::kFp16, values, tensor.bytes);
  return tensor;
}

TEST(MeasureOutput, CountsErrorsWithTheirSigns) {
  const OutputErrors errors =
      MeasureOutput(Expected({1, 1, 4, -1}), Actual({1 + 0x1p-10, 1 - 0x1p-11, 4, -1 - 0x1p-9}));
  EXPECT_EQ(errors.elements, 4u);
  EXPECT_EQ(errors.sum_ulp, 1u + 1u + 0u + 2u);
  EXPECT_EQ(errors.sum_signed_ulp, 1 - 1 + 0 - 2);
  EXPECT_EQ(errors.max_ulp, 2u);
  EXPECT_DOUBLE_EQ(errors.MeanUlp(), 1);
  EXPECT_DOUBLE_EQ(errors.Bias(), -0.5);
  EXPECT_DOUBLE_EQ(errors.max_relative, 0x1p-9);
  EXPECT_DOUBLE_EQ(errors.MeanRelative(), (0x1p-10 + 0x1p-11 + 0x1p-9) / 4);
  ASSERT_EQ(errors.by_exponent.size(), 2u);
  EXPECT_EQ(*errors.by_exponent.Find(0), (MagnitudeErrors{3, 4, 2}));
  EXPECT_EQ(*errors.by_exponent.Find(2), (MagnitudeErrors{1, 0, 0}));
  EXPECT_EQ(errors.by_exponent.Find(4), nullptr);
}

TEST(MeasureOutput, LeavesOutInfinitiesAndNan) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const OutputErrors errors =
      MeasureOutput(Expected({infinity, nan, 1, 1, 0}), Actual({infinity, 1, nan, infinity, 1}));
  EXPECT_EQ(errors.elements, 1u);
  EXPECT_EQ(errors.relative_elements, 0u) << "an expected 0 has no relative error";
  EXPECT_EQ(errors.by_exponent.begin()->first, kLeastExponent);
}

TEST(MagnitudeExponent, IsEvenAndBounded) {
  EXPECT_EQ(MagnitudeExponent(0), kLeastExponent);
  EXPECT_EQ(MagnitudeExponent(0x1p-25), kLeastExponent);
  EXPECT_EQ(MagnitudeExponent(0x1p-24), -24);
  EXPECT_EQ(MagnitudeExponent(-0.5), -2);
  EXPECT_EQ(MagnitudeExponent(3.9), 0);
  EXPECT_EQ(MagnitudeExponent(65504), 14);
  EXPECT_EQ(MagnitudeExponent(1e30), kMostExponent);
}

RC_GTEST_PROP(OutputErrors, AddUpAsIfMeasuredTogether, (const std::vector<uint16_t>& bits)) {
  std::vector<double> values, answers;
  for (const uint16_t word : bits) {
    values.push_back(HalfToDouble(Half{static_cast<uint16_t>(word & 0x7bff)}));
    answers.push_back(HalfToDouble(Half{static_cast<uint16_t>((word ^ 3) & 0x7bff)}));
  }
  const size_t half = bits.size() / 2;
  const auto part = [&](size_t from, size_t to) {
    const std::vector<double> v(values.begin() + static_cast<std::ptrdiff_t>(from),
                                values.begin() + static_cast<std::ptrdiff_t>(to));
    const std::vector<double> a(answers.begin() + static_cast<std::ptrdiff_t>(from),
                                answers.begin() + static_cast<std::ptrdiff_t>(to));
    return MeasureOutput(Expected(v), Actual(a));
  };
  const OutputErrors whole = part(0, bits.size());
  OutputErrors sum = part(0, half);
  sum += part(half, bits.size());
  RC_ASSERT(sum.elements == whole.elements);
  RC_ASSERT(sum.sum_ulp == whole.sum_ulp);
  RC_ASSERT(sum.sum_signed_ulp == whole.sum_signed_ulp);
  RC_ASSERT(sum.max_ulp == whole.max_ulp);
  RC_ASSERT(sum.by_exponent == whole.by_exponent);
}

}  // namespace
}  // namespace anecheck
