// Wide numbers keep about a hundred bits, and their exact results are exact.
#include "oracles/reference/wide.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "oracles/testing/real.h"

namespace anecheck {
namespace {

using reference::Wide;
using testing::Real;

// |wide - real| / |real|, rounded to double.
double RelativeError(const Wide& wide, const Real& real) {
  const Real parts = Real(wide.high()) + Real((wide - Wide(wide.high())).high());
  return std::fabs(((parts - real) / real).Odd());
}

double Draw(double low, double high) {
  const auto part = static_cast<double>(*rc::gen::inRange<uint32_t>(0, 1u << 30)) * 0x1p-30;
  return low + (high - low) * part;
}

RC_GTEST_PROP(Wide, ArithmeticKeepsAHundredBits, ()) {
  const double a = Draw(0.5, 1000);
  const double b = Draw(0.5, 1000);
  const double c = Draw(0.5, 1000);
  const Wide quotient = Wide(a) / Wide(b);
  RC_ASSERT(RelativeError(quotient, Real(a) / b) < 0x1p-98);
  RC_ASSERT(RelativeError(quotient * Wide(c), Real(a) / b * c) < 0x1p-97);
  RC_ASSERT(RelativeError(quotient + Wide(c), Real(a) / b + c) < 0x1p-97);
  RC_ASSERT(RelativeError(Sqrt(Wide(a)), Sqrt(Real(a))) < 0x1p-97);
}

RC_GTEST_PROP(Wide, ExponentialsAndLogarithmsKeepNinety, ()) {
  const double a = Draw(-600, 600);
  RC_ASSERT(RelativeError(Exp(Wide(a)), Exp(Real(a))) < 0x1p-88);
  const double b = Draw(0x1p-10, 60000);
  if (std::fabs(b - 1) > 0x1p-10) {
    RC_ASSERT(RelativeError(Log(Wide(b)), Log(Real(b))) < 0x1p-85);
  }
}

TEST(Wide, ExactResultsAreExact) {
  EXPECT_EQ(Sqrt(Wide(2.25)).Odd(), 1.5);
  EXPECT_EQ(Log(Wide(1)).Odd(), 0);
  EXPECT_EQ(Exp(Wide(0)).Odd(), 1);
  EXPECT_EQ(Exp(Wide(3) * Log(Wide(2.5))).Odd(), 15.625);
  EXPECT_EQ((Wide(7) / Wide(4)).Odd(), 1.75);
}

// 1 + 2^-70 is not a double: rounded to odd it lies above 1, like the number itself.
TEST(Wide, OddKeepsTheSideOfABoundary) {
  EXPECT_GT((Wide(1) + Wide(0x1p-70)).Odd(), 1);
  EXPECT_LT((Wide(1) - Wide(0x1p-70)).Odd(), 1);
}

TEST(IsSettled, AsksWhetherTheErrorReachesABoundary) {
  const reference::Grid grid(DType::kFp16);
  EXPECT_TRUE(IsSettled(grid, 1.0, 0x1p-13));
  EXPECT_FALSE(IsSettled(grid, 1.0 + 0x1p-11, 0x1p-40));
}

}  // namespace
}  // namespace anecheck
