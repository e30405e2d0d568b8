#include "harness/base/float8.h"

#include <bit>
#include <cmath>
#include <limits>

namespace anecheck {
namespace {

struct Layout {
  int fraction_bits;
  int bias;
  uint8_t largest;   // code of the largest finite magnitude
  uint8_t overflow;  // code of the result of a non-saturating overflow
  uint8_t nan;
};

constexpr Layout kE4M3Layout{
    .fraction_bits = 3, .bias = 7, .largest = 0x7e, .overflow = 0x7f, .nan = 0x7f};
constexpr Layout kE5M2Layout{
    .fraction_bits = 2, .bias = 15, .largest = 0x7b, .overflow = 0x7c, .nan = 0x7e};

const Layout& LayoutOf(Float8Format format) {
  return format == Float8Format::kE4M3 ? kE4M3Layout : kE5M2Layout;
}

double FiniteMagnitude(uint8_t magnitude, const Layout& layout) {
  const int exponent = magnitude >> layout.fraction_bits;
  const int fraction = magnitude & ((1 << layout.fraction_bits) - 1);
  const int significand = exponent == 0 ? fraction : fraction + (1 << layout.fraction_bits);
  const int scale = (exponent == 0 ? 1 : exponent) - layout.bias - layout.fraction_bits;
  return std::ldexp(static_cast<double>(significand), scale);
}

// Rounds significand * 2^exponent to a code in `mode`, as if the exponent had no upper limit, and
// clamps the code to 0xff. Codes increase with magnitude, so a code above `largest` is an overflow.
unsigned RoundToCode(uint64_t significand, int exponent, const Layout& layout, bool negative,
                     Rounding mode) {
  if (significand == 0) return 0;
  const int top = 63 - std::countl_zero(significand) + exponent;
  if (top > 40) return 0xff;
  const int lowest = 1 - layout.bias;
  const int binade = top < lowest ? lowest : top;
  const int quantum = binade - layout.fraction_bits;
  const uint64_t kept = RoundShift(significand, quantum - exponent, negative, mode);
  // `kept` includes the hidden bit of a normal number, which adds one to the exponent field. So the
  // field without it is one lower. A carry of the rounding increments the exponent too.
  const uint64_t code = (static_cast<uint64_t>(binade - lowest) << layout.fraction_bits) + kept;
  return code > 0xff ? 0xff : static_cast<unsigned>(code);
}

}  // namespace

double Float8ToDouble(uint8_t bits, Float8Format format) {
  const Layout& layout = LayoutOf(format);
  const double sign = (bits & 0x80) != 0 ? -1.0 : 1.0;
  const uint8_t magnitude = bits & 0x7f;
  if (magnitude <= layout.largest) {
    return std::copysign(FiniteMagnitude(magnitude, layout), sign);
  }
  const bool infinite = format == Float8Format::kE5M2 && magnitude == layout.overflow;
  return std::copysign(
      infinite ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN(),
      sign);
}

Half Float8ToHalf(uint8_t bits, Float8Format format) {
  return DoubleToHalf(Float8ToDouble(bits, format));
}

uint8_t DoubleToFloat8(double value, Float8Format format, Float8Overflow overflow, Rounding mode) {
  const Layout& layout = LayoutOf(format);
  const bool negative = std::signbit(value);
  const uint8_t sign = negative ? 0x80 : 0;
  if (std::isnan(value)) return sign | layout.nan;
  const uint8_t beyond =
      sign | (overflow == Float8Overflow::kSaturate ? layout.largest : layout.overflow);
  if (std::isinf(value)) return beyond;
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(value), &exponent);
  const auto significand = static_cast<uint64_t>(std::ldexp(fraction, 53));
  const unsigned code = RoundToCode(significand, exponent - 53, layout, negative, mode);
  if (code <= layout.largest) return static_cast<uint8_t>(sign | code);
  const bool stays_finite = mode == Rounding::kTowardZero || (mode == Rounding::kUp && negative) ||
                            (mode == Rounding::kDown && !negative);
  return stays_finite ? static_cast<uint8_t>(sign | layout.largest) : beyond;
}

}  // namespace anecheck
