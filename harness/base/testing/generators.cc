#include "harness/base/testing/generators.h"

#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <ostream>

namespace anecheck::testing {
namespace {

Half HalfFromBits(uint16_t bits) { return Half{bits}; }

rc::Gen<Half> SpecialHalf() {
  return rc::gen::map(
      rc::gen::element<uint16_t>(0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400,
                                 0x3bff, 0x3c00, 0x3c01, 0xbc00, 0x7bff, 0xfbff, 0x7c00, 0xfc00,
                                 0x7e00, 0xfe00, 0x7c01, 0x7fff),
      HalfFromBits);
}

// Draws a value near the midpoint of two halves, where rounding twice gives a wrong result.
rc::Gen<double> NearHalfBorder() {
  return rc::gen::apply(
      [](uint16_t bits, int nudge) {
        const auto low = static_cast<uint16_t>(bits % 0x7c00);
        const double middle =
            (HalfToDouble(Half{low}) + HalfToDouble(Half{static_cast<uint16_t>(low + 1)})) / 2;
        const double from = std::isinf(middle) ? 65520.0 : middle;
        const double toward = nudge < 0 ? 0.0 : 1e6;
        const double value = nudge == 0 ? from : std::nextafter(from, toward);
        return (bits & 0x8000) != 0 ? -value : value;
      },
      rc::gen::arbitrary<uint16_t>(), rc::gen::inRange(-1, 2));
}

}  // namespace

rc::Gen<std::vector<uint8_t>> AnyBytes() { return rc::gen::arbitrary<std::vector<uint8_t>>(); }

rc::Gen<std::vector<uint8_t>> BytesOfSize(size_t size) {
  return rc::gen::container<std::vector<uint8_t>>(size, rc::gen::arbitrary<uint8_t>());
}

rc::Gen<Half> AnyHalf() {
  return rc::gen::weightedOneOf<Half>(
      {{3, rc::gen::map(rc::gen::inRange<int>(0, 0x10000),
                        [](int bits) { return Half{static_cast<uint16_t>(bits)}; })},
       {1, SpecialHalf()}});
}

rc::Gen<Half> FiniteHalf() {
  return rc::gen::suchThat(AnyHalf(), [](Half half) { return half.IsFinite(); });
}

rc::Gen<Half> NumberHalf() {
  return rc::gen::suchThat(AnyHalf(), [](Half half) { return !half.IsNan(); });
}

rc::Gen<double> AnyDouble() {
  const auto any_bits = rc::gen::map(
      rc::gen::arbitrary<std::pair<uint32_t, uint32_t>>(), [](std::pair<uint32_t, uint32_t> words) {
        return std::bit_cast<double>(static_cast<uint64_t>(words.first) << 32 | words.second);
      });
  const auto in_range = rc::gen::apply(
      [](int64_t fraction, int exponent) {
        return std::ldexp(static_cast<double>(fraction), exponent - 62);
      },
      rc::gen::inRange<int64_t>(-(int64_t{1} << 62), int64_t{1} << 62), rc::gen::inRange(-28, 20));
  return rc::gen::oneOf(any_bits, in_range, NearHalfBorder(),
                        rc::gen::map(SpecialHalf(), [](Half half) { return HalfToDouble(half); }));
}

rc::Gen<float> AnyFloat() {
  return rc::gen::oneOf(
      rc::gen::map(rc::gen::inRange<int64_t>(0, int64_t{1} << 32),
                   [](int64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }),
      rc::gen::map(NearHalfBorder(), [](double value) { return static_cast<float>(value); }),
      rc::gen::map(SpecialHalf(), [](Half half) { return HalfToFloat(half); }));
}

rc::Gen<Rounding> AnyRounding() {
  return rc::gen::element(Rounding::kNearestEven, Rounding::kNearestAway, Rounding::kTowardZero,
                          Rounding::kUp, Rounding::kDown);
}

}  // namespace anecheck::testing

namespace anecheck {

void showValue(Half half, std::ostream& out) {
  out << fmt::format("Half 0x{:04x} ({})", half.bits, HalfToDouble(half));
}

}  // namespace anecheck
