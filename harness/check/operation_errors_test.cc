#include "harness/check/operation_errors.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "harness/base/half.h"

namespace anecheck {
namespace {

Tensor Halves(std::initializer_list<double> numbers) {
  Tensor tensor{{DType::kFp16, Shape{static_cast<int64_t>(numbers.size())}}, {}};
  for (const double number : numbers) {
    const uint16_t half = DoubleToHalf(number).bits;
    tensor.bytes.push_back(static_cast<uint8_t>(half));
    tensor.bytes.push_back(static_cast<uint8_t>(half >> 8));
  }
  return tensor;
}

TEST(OperationErrors, AreInUlpRelativeAndDecibel) {
  const OperationError error = MeasureOperation(Halves({3, 4}), Halves({3, 4.00390625}));
  EXPECT_EQ(error.ulp, 1u);
  EXPECT_NEAR(error.relative, 0.00390625 / 5, 1e-12);
  EXPECT_NEAR(error.snr_db, 62.1, 0.1);
}

TEST(OperationErrors, AnEqualAnswerHasNone) {
  const OperationError error = MeasureOperation(Halves({1, 2}), Halves({1, 2}));
  EXPECT_EQ(error.ulp, 0u);
  EXPECT_EQ(error.relative, 0);
  EXPECT_TRUE(std::isinf(error.snr_db));
}

TEST(OperationErrors, AnInfiniteAnswerIsAnInfiniteError) {
  const OperationError error = MeasureOperation(Halves({1, 2}), Halves({1, INFINITY}));
  EXPECT_TRUE(std::isinf(error.relative));
  EXPECT_EQ(MeasureOperation(Halves({INFINITY, 2}), Halves({INFINITY, 2})).elements, 1u);
}

TEST(OperationErrors, HaveAText) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(ErrorText(0, 0, infinity), "exact");
  EXPECT_EQ(ErrorText(3, 0.00048, 66.4), "3 ulp, 0.00048, 66 dB");
  EXPECT_EQ(ErrorText(std::numeric_limits<uint32_t>::max(), infinity, -infinity), "infinite");
}

}  // namespace
}  // namespace anecheck
