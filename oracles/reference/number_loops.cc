#include "oracles/reference/number_loops.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "oracles/reference/store.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "oracles/reference/number_loops.cc"
#include <hwy/foreach_target.h>  // compiles this file once more for every target
// Highway requires this include after foreach_target.h.
#include <hwy/highway.h>

// Plain loops without branches, from which the compiler makes vector code for each target.
HWY_BEFORE_NAMESPACE();
namespace anecheck::reference::HWY_NAMESPACE {

constexpr uint64_t kMagnitude = 0x7fffffffffffffff;
constexpr uint64_t kInfinite = 0x7ff0000000000000;
constexpr uint64_t kSignificand = 0x000fffffffffffff;

// Code for instruction sets that convert fp16, including special values, in hardware.
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<double>;
using F = hn::ScalableTag<float>;
using Part = hn::Rebind<float, D>;  // as many fp32 numbers as a vector of doubles has
using H = hn::Rebind<hwy::float16_t, F>;
using U16 = hn::Rebind<uint16_t, F>;

HWY_INLINE hn::Vec<F> LoadSingles(const double* HWY_RESTRICT numbers) {
  const D d;
  const auto low = hn::DemoteTo(Part(), hn::LoadU(d, numbers));
  const auto high = hn::DemoteTo(Part(), hn::LoadU(d, numbers + hn::Lanes(d)));
  return hn::Combine(F(), high, low);
}

HWY_INLINE void StoreSingles(hn::Vec<F> singles, double* HWY_RESTRICT numbers) {
  const D d;
  hn::StoreU(hn::PromoteTo(d, hn::LowerHalf(Part(), singles)), d, numbers);
  hn::StoreU(hn::PromoteTo(d, hn::UpperHalf(Part(), singles)), d, numbers + hn::Lanes(d));
}

// Decodes whole vectors of elements; returns the number of decoded elements.
size_t DecodeVectors(const uint8_t* HWY_RESTRICT bytes, size_t count, double* HWY_RESTRICT elements,
                     bool& special) {
  const F f;
  const U16 u16;
  const hn::Repartition<uint8_t, U16> u8;
  auto largest = hn::Zero(u16);
  size_t i = 0;
  for (; i + hn::Lanes(f) <= count; i += hn::Lanes(f)) {
    const auto bits = hn::BitCast(u16, hn::LoadU(u8, bytes + 2 * i));
    largest = hn::Max(largest, hn::And(bits, hn::Set(u16, 0x7fff)));
    StoreSingles(hn::PromoteTo(f, hn::BitCast(H(), bits)), elements + i);
  }
  uint16_t of_lanes[hn::MaxLanes(U16())];
  hn::StoreU(largest, u16, of_lanes);
  for (const uint16_t magnitude : of_lanes) special |= magnitude >= 0x7c00;
  return i;
}

// Does Halves for whole vectors. Returns the number of converted elements.
size_t HalvesOfVectors(const double* HWY_RESTRICT numbers, size_t count,
                       uint16_t* HWY_RESTRICT halves) {
  const F f;
  const U16 u16;
  size_t i = 0;
  for (; i + hn::Lanes(f) <= count; i += hn::Lanes(f)) {
    const auto bits = hn::BitCast(u16, hn::DemoteTo(H(), LoadSingles(numbers + i)));
    const auto magnitude = hn::And(bits, hn::Set(u16, 0x7fff));
    const auto sign = hn::And(bits, hn::Set(u16, 0x8000));
    hn::StoreU(hn::Or(hn::Min(magnitude, hn::Set(u16, 0x7e00)), sign), u16, halves + i);
  }
  return i;
}

// Does Combine for whole vectors. Returns the number of combined elements. fp32 has 24 significand
// bits: two more than twice the 11 bits of fp16. So a sum rounded twice equals the sum rounded
// once, and a product is exact in fp32.
template <HalfArithmetic kOp>
size_t CombineVectors(const double* HWY_RESTRICT x, const double* HWY_RESTRICT y, size_t count,
                      double* HWY_RESTRICT value, bool& exact, bool& special) {
  const F f;
  const U16 u16;
  auto largest = hn::Zero(u16);
  auto inexact = hn::Ne(hn::Zero(f), hn::Zero(f));
  size_t i = 0;
  for (; i + hn::Lanes(f) <= count; i += hn::Lanes(f)) {
    const auto a = LoadSingles(x + i);
    auto b = LoadSingles(y + i);
    if constexpr (kOp == HalfArithmetic::kSub) b = hn::Neg(b);
    const auto raw = kOp == HalfArithmetic::kMul ? hn::Mul(a, b) : hn::Add(a, b);
    const auto half = hn::DemoteTo(H(), raw);
    const auto stored = hn::PromoteTo(f, half);
    largest = hn::Max(largest, hn::And(hn::BitCast(u16, half), hn::Set(u16, 0x7fff)));
    if constexpr (kOp == HalfArithmetic::kMul) {
      inexact = hn::Or(inexact, hn::Ne(stored, raw));
    } else {
      // The difference from the larger addend is exact in fp32, the other difference may not be.
      inexact = hn::Or(inexact, hn::Ne(hn::Sub(stored, a), b));
      inexact = hn::Or(inexact, hn::Ne(hn::Sub(stored, b), a));
    }
    StoreSingles(stored, value + i);
  }
  uint16_t of_lanes[hn::MaxLanes(U16())];
  hn::StoreU(largest, u16, of_lanes);
  for (const uint16_t magnitude : of_lanes) special |= magnitude >= 0x7c00;
  exact = hn::AllFalse(f, inexact);
  return i;
}
#else
size_t DecodeVectors(const uint8_t*, size_t, double*, bool&) { return 0; }
size_t HalvesOfVectors(const double*, size_t, uint16_t*) { return 0; }
template <HalfArithmetic kOp>
size_t CombineVectors(const double*, const double*, size_t, double*, bool&, bool&) {
  return 0;
}
#endif

// Moves the fields of each fp16 number to their positions in a double. A multiplication corrects
// the exponent and normalises subnormals.
bool Decode(const uint8_t* HWY_RESTRICT bytes, size_t count, double* HWY_RESTRICT elements) {
  bool some_special = false;
  const size_t done = DecodeVectors(bytes, count, elements, some_special);
  uint64_t special = some_special ? 1 : 0;
  for (size_t i = done; i < count; ++i) {
    uint16_t bits = 0;
    std::memcpy(&bits, bytes + 2 * i, sizeof(bits));
    const uint64_t magnitude = bits & 0x7fff;
    const uint64_t sign = static_cast<uint64_t>(bits & 0x8000) << 48;
    const double scaled = std::bit_cast<double>(magnitude << 42) * 0x1p1008;
    const uint64_t beyond = magnitude << 42 | kInfinite;
    const uint64_t raw = magnitude >= 0x7c00 ? beyond : std::bit_cast<uint64_t>(scaled);
    elements[i] = std::bit_cast<double>(raw | sign);
    special |= magnitude >= 0x7c00 ? 1 : 0;
  }
  return special != 0;
}

// The bits of positive doubles, read as integers, have the order of the doubles.
Extent Measure(const double* HWY_RESTRICT numbers, size_t count) {
  uint64_t lowest = kInfinite;
  uint64_t largest = 0;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t bits = std::bit_cast<uint64_t>(numbers[i]) & kMagnitude;
    // The number without its lowest set bit. The significand of a power of two has no set bit.
    const double rest = std::bit_cast<double>(bits & (bits - 1));
    const double bit = std::bit_cast<double>(bits) - rest;
    const uint64_t least = (bits & kSignificand) == 0 ? bits : std::bit_cast<uint64_t>(bit);
    const bool counts = bits != 0 && bits < kInfinite;
    lowest = std::min(lowest, counts ? least : kInfinite);
    largest = std::max(largest, counts ? bits : 0);
  }
  return {std::bit_cast<double>(lowest), std::bit_cast<double>(largest)};
}

Spread MeasureSpread(const double* HWY_RESTRICT numbers, size_t count, double small) {
  const auto limit = std::bit_cast<uint64_t>(small);
  uint64_t zeros = 0;
  uint64_t below = 0;
  uint64_t exponents = 0;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t bits = std::bit_cast<uint64_t>(numbers[i]) & kMagnitude;
    zeros += bits == 0 ? 1 : 0;
    below += bits != 0 && bits < limit ? 1 : 0;
    exponents += bits >> 52;
  }
  return {zeros, below, exponents};
}

// A factor of 2^-1008 moves a number's fields to the positions of fp16's, subnormals included.
void Halves(const double* HWY_RESTRICT numbers, size_t count, uint16_t* HWY_RESTRICT halves) {
  for (size_t i = HalvesOfVectors(numbers, count, halves); i < count; ++i) {
    const double x = numbers[i];
    const uint64_t magnitude = std::bit_cast<uint64_t>(std::fabs(x) * 0x1p-1008) >> 42;
    const uint64_t beyond = x != x ? 0x7e00 : 0x7c00;
    const uint64_t sign = std::bit_cast<uint64_t>(x) >> 63 << 15;
    halves[i] = static_cast<uint16_t>((magnitude < 0x7c00 ? magnitude : beyond) | sign);
  }
}

bool Clamp(const double* HWY_RESTRICT from, size_t count, double low, double high,
           double* HWY_RESTRICT to) {
  uint64_t special = 0;
  for (size_t i = 0; i < count; ++i) {
    const double x = from[i];
    const double clamped = x < low ? low : x > high ? high : x;
    to[i] = clamped;
    special |= std::fabs(clamped) < kInfinity ? 0 : 1;
  }
  return special != 0;
}

template <HalfArithmetic kOp>
double Combined(double x, double y) {
  if constexpr (kOp == HalfArithmetic::kAdd) return x + y;
  if constexpr (kOp == HalfArithmetic::kSub) return x - y;
  return x * y;
}

template <HalfArithmetic kOp>
StoredValues CombineWith(const double* HWY_RESTRICT x, const double* HWY_RESTRICT y, size_t count,
                         double* HWY_RESTRICT value) {
  bool all_exact = true;
  bool some_special = false;
  const size_t done = CombineVectors<kOp>(x, y, count, value, all_exact, some_special);
  uint64_t inexact = all_exact ? 0 : 1;
  uint64_t special = some_special ? 1 : 0;
  for (size_t i = done; i < count; ++i) {
    const double raw = Combined<kOp>(x[i], y[i]);
    const double stored = RoundToHalf(raw);
    value[i] = stored;
    inexact |= stored < raw || stored > raw ? 1 : 0;
    special |= std::fabs(stored) < kInfinity ? 0 : 1;
  }
  return {inexact == 0, special != 0};
}

struct ToHalf {
  double operator()(double x) const { return RoundToHalf(x); }
};

template <HalfArithmetic kOp>
StoredEnds EndsWith(const double* HWY_RESTRICT x, const double* HWY_RESTRICT y, size_t count,
                    const double* HWY_RESTRICT value, double* HWY_RESTRICT low,
                    double* HWY_RESTRICT high) {
  uint64_t open = 0;
  uint64_t special = 0;
  for (size_t i = 0; i < count; ++i) {
    const double raw = Combined<kOp>(x[i], y[i]);
    const double least = OuterLow(ToHalf{}, raw, true);
    const double most = OuterHigh(ToHalf{}, raw, true);
    low[i] = least;
    high[i] = most;
    open |= least == value[i] && most == value[i] ? 0 : 1;
    special |= std::fabs(least) < kInfinity && std::fabs(most) < kInfinity ? 0 : 1;
  }
  return {open == 0, special != 0};
}

StoredValues Combine(HalfArithmetic op, const double* x, const double* y, size_t count,
                     double* value) {
  switch (op) {
    case HalfArithmetic::kAdd:
      return CombineWith<HalfArithmetic::kAdd>(x, y, count, value);
    case HalfArithmetic::kSub:
      return CombineWith<HalfArithmetic::kSub>(x, y, count, value);
    case HalfArithmetic::kMul:
      return CombineWith<HalfArithmetic::kMul>(x, y, count, value);
  }
  return {};
}

StoredEnds Ends(HalfArithmetic op, const double* x, const double* y, size_t count,
                const double* value, double* low, double* high) {
  switch (op) {
    case HalfArithmetic::kAdd:
      return EndsWith<HalfArithmetic::kAdd>(x, y, count, value, low, high);
    case HalfArithmetic::kSub:
      return EndsWith<HalfArithmetic::kSub>(x, y, count, value, low, high);
    case HalfArithmetic::kMul:
      return EndsWith<HalfArithmetic::kMul>(x, y, count, value, low, high);
  }
  return {};
}

}  // namespace anecheck::reference::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anecheck::reference {

HWY_EXPORT(Decode);
HWY_EXPORT(Measure);
HWY_EXPORT(MeasureSpread);
HWY_EXPORT(Halves);
HWY_EXPORT(Clamp);
HWY_EXPORT(Combine);
HWY_EXPORT(Ends);

bool DecodeHalves(const uint8_t* bytes, size_t count, double* elements) {
  return HWY_DYNAMIC_DISPATCH(Decode)(bytes, count, elements);
}

Extent MeasureNumbers(const double* numbers, size_t count) {
  return HWY_DYNAMIC_DISPATCH(Measure)(numbers, count);
}

Spread SpreadOfNumbers(const double* numbers, size_t count, double small) {
  return HWY_DYNAMIC_DISPATCH(MeasureSpread)(numbers, count, small);
}

void HalvesOfNumbers(const double* numbers, size_t count, uint16_t* halves) {
  HWY_DYNAMIC_DISPATCH(Halves)(numbers, count, halves);
}

bool ClampNumbers(const double* from, size_t count, double low, double high, double* to) {
  return HWY_DYNAMIC_DISPATCH(Clamp)(from, count, low, high, to);
}

StoredValues CombineHalves(HalfArithmetic op, const double* x, const double* y, size_t count,
                           double* value) {
  return HWY_DYNAMIC_DISPATCH(Combine)(op, x, y, count, value);
}

StoredEnds CombineEnds(HalfArithmetic op, const double* x, const double* y, size_t count,
                       const double* value, double* low, double* high) {
  return HWY_DYNAMIC_DISPATCH(Ends)(op, x, y, count, value, low, high);
}

}  // namespace anecheck::reference
#endif
