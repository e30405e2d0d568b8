// Tests that tables as a compiler wrote them follow their functions at the knots and between them.
// The halfwords are those of the public repository eiln/ane, anec/kernels.tar.gz, blob ddcde13e.
#include "harness/emulator/activation_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

#include "harness/base/half.h"

namespace anecheck::emulator {
namespace {

using Halves = std::array<uint16_t, kTableBytes / 2>;

ActivationTable Parsed(const Halves& halves) {
  std::array<uint8_t, kTableBytes> bytes;
  std::memcpy(bytes.data(), halves.data(), bytes.size());
  return ParseTable(bytes, "it").value();
}

// kernels/activation/selu.bin: 33 knots from -8 to 0, and a line on the right.
constexpr Halves kSelu = {0xc800, 0x7c00, 0xbf08, 0x7c00, 0xbf07, 0xbf07, 0xbf07, 0xbf07, 0xbf06,
                          0xbf06, 0xbf05, 0xbf05, 0xbf04, 0xbf03, 0xbf01, 0xbeff, 0xbefb, 0xbef8,
                          0xbef4, 0xbeef, 0xbee7, 0xbede, 0xbed1, 0xbec3, 0xbeaf, 0xbe94, 0xbe74,
                          0xbe4a, 0xbe14, 0xbdcf, 0xbd77, 0xbd04, 0xbc72, 0xbb6c, 0xb988, 0xb639,
                          0x0000, 0x0000, 0xbf08, 0x3c34, 0x0000, 0x0002, 0x0002};
// kernels/unary/atan.bin: atan(x) - atan(2) with a knot at every second integer. The program adds
// the result to the value of another table.
constexpr Halves kAtanAbove2 = {
    0x4000, 0x67d0, 0x0000, 0x3769, 0xbc6e, 0x0000, 0x32ff, 0x34c7, 0x356e, 0x35d3, 0x3617,
    0x3647, 0x366b, 0x3688, 0x369e, 0x36b1, 0x36c1, 0x36ce, 0x36d9, 0x36e3, 0x36eb, 0x36f3,
    0x36f9, 0x36ff, 0x3705, 0x370a, 0x370e, 0x3712, 0x3716, 0x3719, 0x371c, 0x371f, 0x3722,
    0x3724, 0x3727, 0x3729, 0x372b, 0x0000, 0x0000, 0x0083, 0x372b, 0xffff, 0x0060};

TEST(ActivationTable, OfSeluHasItsKnotsLeftOfZero) {
  constexpr double kScale = 1.0507, kAlpha = 1.67326;
  const ActivationTable selu = Parsed(kSelu);
  EXPECT_EQ(selu.mode, TableMode::kLeft);
  for (double x = -12; x < 12; x += 0.0625) {
    const double exact = kScale * (x > 0 ? x : kAlpha * (std::exp(x) - 1));
    EXPECT_NEAR(selu.Evaluate(x), exact, 0.02 * std::max(1.0, std::fabs(x) / 10)) << x;
  }
}

TEST(ActivationTable, OfAtanHasAKnotForEachSecondNumber) {
  const ActivationTable atan = Parsed(kAtanAbove2);
  EXPECT_EQ(atan.knots_a_unit, 0xffff);
  for (double x = 2; x < 64; x += 2) {
    EXPECT_NEAR(atan.Evaluate(x), std::atan(x) - std::atan(2), 0.001) << x;
    EXPECT_NEAR(atan.Evaluate(-x), -atan.Evaluate(x), 0.0) << x;
  }
  EXPECT_EQ(atan.Evaluate(1), 0);
}

// kernels/unary/sign.bin: 1 with the sign of x. Below its upper bound of 1 it has only lines.
TEST(ActivationTable, OfSignHasTheSignOfEveryNumber) {
  Halves words = {0x0000, 0x3c00, 0x0000, 0x3c00};
  words[40] = 0x3c00;
  words[41] = ActivationTable::kOnlyZero;
  words[42] = 0x60;
  const ActivationTable sign = Parsed(words);
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const double x = HalfToDouble(Half{static_cast<uint16_t>(bits)});
    if (std::isnan(x)) continue;
    ASSERT_EQ(sign.Evaluate(x), x == 0 ? 0 : std::copysign(1.0, x)) << x;
  }
}

}  // namespace
}  // namespace anecheck::emulator
