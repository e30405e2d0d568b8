// Compares checked arithmetic with 128-bit integers.
#include "harness/base/checked_math.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <rapidcheck/gtest.h>
#include <vector>

namespace anecheck {
namespace {

__extension__ using Wide = __int128;

template <typename T>
std::optional<T> Narrow(Wide value) {
  if (value < Wide{std::numeric_limits<T>::min()} || value > Wide{std::numeric_limits<T>::max()}) {
    return std::nullopt;
  }
  return static_cast<T>(value);
}

// Draws small numbers, numbers near the ends of the range, and arbitrary numbers.
template <typename T>
rc::Gen<T> Operand() {
  return rc::gen::oneOf(
      rc::gen::arbitrary<T>(), rc::gen::inRange<T>(0, 1 << 16),
      rc::gen::element(std::numeric_limits<T>::max(), std::numeric_limits<T>::min(),
                       std::numeric_limits<T>::max() / 2, T{46341}));
}

RC_GTEST_PROP(CheckedMath, SignedAgreesWithWideArithmetic, ()) {
  const auto a = *Operand<int64_t>();
  const auto b = *Operand<int64_t>();
  RC_ASSERT(CheckedAdd(a, b) == Narrow<int64_t>(Wide{a} + b));
  RC_ASSERT(CheckedMul(a, b) == Narrow<int64_t>(Wide{a} * b));
}

RC_GTEST_PROP(CheckedMath, UnsignedAgreesWithWideArithmetic, ()) {
  const auto a = *Operand<uint32_t>();
  const auto b = *Operand<uint32_t>();
  RC_ASSERT(CheckedAdd(a, b) == Narrow<uint32_t>(Wide{a} + b));
  RC_ASSERT(CheckedMul(a, b) == Narrow<uint32_t>(Wide{a} * b));
}

TEST(CheckedMath, ProductIsExactOrNoneAndZeroWithAZeroFactor) {
  const auto product = [](std::vector<int64_t> factors) {
    return CheckedProduct<int64_t>(factors);
  };
  EXPECT_EQ(product({}), 1);
  EXPECT_EQ(product({2, 3, 7}), 42);
  EXPECT_EQ(product({int64_t{1} << 40, int64_t{1} << 40}), std::nullopt);
  EXPECT_EQ(product({int64_t{1} << 40, int64_t{1} << 40, 2}), std::nullopt);
  EXPECT_EQ(product({int64_t{1} << 40, int64_t{1} << 40, 0}), 0);
}

}  // namespace
}  // namespace anecheck
