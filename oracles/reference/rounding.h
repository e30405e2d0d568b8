// Rounds doubles to the fp16 and fp32 grids. Also rounds sums and quotients to odd in double, so
// that a second rounding to a grid is still correct. Used by every reference kernel.
//
// Double is enough for single operations: with p significand bits in the target and at least 2p + 2
// in the wider format, the results of +, -, *, / and sqrt, rounded first to the wider and then to
// the target format, are correctly rounded (Figueroa, "When is double rounding innocuous?", SIGNUM
// 1995). Double has 53 bits. fp16 needs 24 bits, and fp32 needs 50.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "harness/base/half.h"
#include "harness/graph/types.h"

namespace anecheck::reference {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// RoundToHalf for |x| < 65520. A zero result is +0. Adds and subtracts 1.5 * 2^(e + 42), which
// leaves exactly 11 significand bits. 2^e is the largest power of two up to |x|, but at least
// 2^-14, for subnormals.
inline double RoundToHalfInRange(double x) {
  constexpr uint64_t kExponentMask = 0x7ff0000000000000;
  constexpr uint64_t kOneAndAHalf = 0x0008000000000000;
  const double magnitude = std::fabs(x);
  const double normal = magnitude > kHalfMinNormal ? magnitude : kHalfMinNormal;
  const uint64_t exponent = std::bit_cast<uint64_t>(normal) & kExponentMask;
  const double magic = std::bit_cast<double>(exponent + (uint64_t{42} << 52) + kOneAndAHalf);
  return (x + magic) - magic;
}

// DoubleToHalf and back in one step, ties to even. It has no branches, so that loops over it become
// vector code.
inline double RoundToHalf(double x) {
  const double rounded = std::copysign(RoundToHalfInRange(x), x);
  // 65520 is the midpoint between 65504 and the next step. Adding x keeps a NaN.
  const double beyond = std::copysign(kInfinity, x) + (x - x == 0 ? 0 : x);
  return std::fabs(x) < 65520.0 ? rounded : beyond;
}

inline double RoundToFloat(double x) { return static_cast<double>(static_cast<float>(x)); }

// Returns the number that lies `steps` representable numbers above `x` (below `x` if negative).
// Saturates at the infinities. NaN stays NaN.
inline double StepHalf(double x, int steps) {
  if (x != x) return x;
  // For a double that is an fp16 number, a factor of 2^-1008 moves the fields to the positions of
  // fp16's, subnormals included.
  constexpr int kTop = 0x7c00;  // infinity
  const uint64_t bits = std::bit_cast<uint64_t>(std::fabs(x) * 0x1p-1008) >> 42;
  const int magnitude = bits < kTop ? static_cast<int>(bits) : kTop;
  const int moved = (std::signbit(x) ? -magnitude : magnitude) + steps;
  const int ordinal = moved > kTop ? kTop : moved < -kTop ? -kTop : moved;
  const auto distance = static_cast<uint64_t>(ordinal < 0 ? -ordinal : ordinal);
  const double size =
      distance == kTop ? kInfinity : std::bit_cast<double>(distance << 42) * 0x1p1008;
  return ordinal < 0 ? -size : size;
}
// Returns the number of grid steps from the first power of two that fp16 (fp32) cannot represent to
// `x`, as if the grid had no end, or 0 for smaller numbers. It is the distance of a result that
// rounds to infinity from the grid.
inline int NeighboursBeyond(double x, bool half) {
  const double top = half ? 0x1p16 : 0x1p128;
  const double step = half ? 0x1p6 : 0x1p105;
  const double beyond = (std::fabs(x) - top) / step;
  constexpr double kMany = 1 << 20;
  return beyond > kMany ? static_cast<int>(kMany)
                        : static_cast<int>(std::nearbyint(beyond > 0 ? beyond : 0.0));
}
// Moves a number that rounds to infinity by up to `steps` toward zero, so that it still rounds to
// infinity. An engine with a wider format may hold this value.
inline double HeldBeyond(double x, int64_t steps, bool half) {
  const double least = half ? 65520.0 : 0x1.ffffffp127;
  const double moved = std::fabs(x) * (1 - static_cast<double>(steps) * (half ? 0x1p-10 : 0x1p-23));
  return std::copysign(moved > least ? moved : least, x);
}
// Rounds an end of an interval to fp16 and moves it by `steps` neighbours away from zero, or toward
// zero if negative, but not beyond zero. Zeros, infinities and NaN stay unchanged. Numbers beyond
// fp16's range are rounded as if the grid continued, and are HeldBeyond if the steps do not bring
// them back to 65504. Uses no branches and no subnormal doubles, because both are slow.
inline double MoveHalfEnd(double end, int64_t steps) {
  constexpr uint64_t kTop = 0x7c00;     // infinity
  constexpr uint64_t kNormal = 0x0400;  // 2^-14
  constexpr uint64_t kBias = uint64_t{1023 - 15} << 10;
  // Added to a number below 2^-14, it puts that number's fp16 fraction into the last bits.
  constexpr double kUnit = 0x1p28;
  const double size = std::fabs(RoundToHalfInRange(end));
  const uint64_t normal = (std::bit_cast<uint64_t>(size) >> 42) - kBias;
  const uint64_t fraction = std::bit_cast<uint64_t>(size + kUnit) & (kNormal - 1);
  const uint64_t bits = size < kHalfMinNormal ? fraction : normal;
  const int64_t sum = static_cast<int64_t>(bits) + steps;
  const uint64_t moved = sum < 0 ? 0 : static_cast<uint64_t>(sum);
  const double small =
      std::bit_cast<double>(std::bit_cast<uint64_t>(kUnit) | (moved & (kNormal - 1))) - kUnit;
  const double large = std::bit_cast<double>((moved + kBias) << 42);
  const double beyond = steps < 0 ? std::fabs(HeldBeyond(end, -steps, true)) : kInfinity;
  const double result = moved < kNormal ? small : moved < kTop ? large : beyond;
  const double signed_result = moved == 0 ? 0.0 : std::copysign(result, end);
  return end != 0 && std::fabs(end) < kInfinity ? signed_result : end;
}
inline double StepFloat(double x, int steps) {
  auto value = static_cast<float>(x);
  const float toward =
      steps > 0 ? std::numeric_limits<float>::infinity() : -std::numeric_limits<float>::infinity();
  for (int i = std::abs(steps); i > 0; --i) value = std::nextafterf(value, toward);
  return static_cast<double>(value);
}

// The grid of a float element type, with the mode in which results are stored.
class Grid {
 public:
  explicit Grid(DType dtype, bool ties_away = false)
      : half_(dtype != DType::kFp32), ties_away_(ties_away) {}

  bool half() const { return half_; }
  // Rounds half to even, as arithmetic inside an operation does.
  double Round(double x) const { return half_ ? RoundToHalf(x) : RoundToFloat(x); }
  // Rounds in the mode of the final store.
  double Store(double x) const {
    if (!ties_away_ || !half_) return Round(x);
    return HalfToDouble(DoubleToHalf(x, Rounding::kNearestAway));
  }
  double Step(double x, int steps) const {
    return half_ ? StepHalf(x, steps) : StepFloat(x, steps);
  }
  // Rounds and moves by `steps` neighbours. Infinities and NaN stay unchanged. Numbers beyond the
  // grid are rounded as if it continued, and are HeldBeyond if the steps do not bring them back.
  double RoundAndStep(double x, int steps) const {
    const double rounded = Round(x);
    if (!(std::fabs(x) < kInfinity)) return rounded;
    const int toward_zero = x < 0 ? steps : -steps;
    if (std::fabs(rounded) < kInfinity || toward_zero <= 0) return Step(rounded, steps);
    const int left = toward_zero - NeighboursBeyond(x, half_);
    if (left <= 0) return HeldBeyond(x, toward_zero, half_);
    return Step(rounded, x < 0 ? left : -left);
  }
  double Ulp(double x) const {
    if (half_) return HalfUlp(x);
    const int exponent = x == 0 ? -126 : std::max(std::ilogb(x), -126);
    return std::ldexp(1.0, exponent - 23);
  }

 private:
  bool half_;
  bool ties_away_;
};

// Returns the largest power of two up to a bound on all partial sums of terms added in any order.
// One rounding of a partial sum errs by at most half a unit in the last place of this power. No
// partial sum is larger than the sum of the positive or of the negative terms, which is at most
// (magnitude + |sum|) / 2. `drift` is the relative error of partial sums. An additional 1024th
// allows for products rounded to fp16 and for roundings of the arguments.
inline double PartialSumPower(double magnitude, double sum, double drift) {
  constexpr uint64_t kExponent = 0x7ff0000000000000;
  const double largest = 0.5 * (magnitude + std::fabs(sum)) * (1 + 0x1p-10 + drift);
  return std::bit_cast<double>(std::bit_cast<uint64_t>(largest) & kExponent);
}

struct Interval {
  double low = 0;
  double high = 0;
};

// ---- directed and odd rounding of double results ------------------------------------------------

// Returns the same as std::nextafter toward an infinity.
inline double NextUp(double x) {
  if (!(x < kInfinity)) return x;
  if (x == 0) return std::numeric_limits<double>::denorm_min();
  const auto bits = std::bit_cast<uint64_t>(x);
  return std::bit_cast<double>(x > 0 ? bits + 1 : bits - 1);
}
inline double NextDown(double x) { return -NextUp(-x); }

// Returns an exact number, rounded to odd. `nearest` is a double next to the exact number;
// `residue` has the sign of (exact - nearest).
inline double ToOdd(double nearest, double residue) {
  if (residue == 0 || !(std::fabs(nearest) < kInfinity)) return nearest;
  if ((std::bit_cast<uint64_t>(nearest) & 1) != 0) return nearest;
  return residue > 0 ? NextUp(nearest) : NextDown(nearest);
}

// Returns the rounding error of sum = a + b. It is exact if the sum is finite (Knuth's TwoSum).
inline double SumError(double a, double b, double sum) {
  const double b_part = sum - a;
  const double a_part = sum - b_part;
  return (a - a_part) + (b - b_part);
}
inline double AddOdd(double a, double b) {
  const double sum = a + b;
  if (!(std::fabs(sum) < kInfinity)) return sum;
  return ToOdd(sum, SumError(a, b, sum));
}
// A lower bound and an upper bound of a + b. Both equal the sum if it is a double.
inline double AddDown(double a, double b) {
  const double sum = a + b;
  if (!(std::fabs(sum) < kInfinity)) return sum;
  return SumError(a, b, sum) < 0 ? NextDown(sum) : sum;
}
inline double AddUp(double a, double b) {
  const double sum = a + b;
  if (!(std::fabs(sum) < kInfinity)) return sum;
  return SumError(a, b, sum) > 0 ? NextUp(sum) : sum;
}

// a / b rounded to odd, for finite operands and b != 0.
inline double DivideOdd(double a, double b) {
  const double quotient = a / b;
  if (!(std::fabs(quotient) < kInfinity)) return quotient;
  const double remainder = std::fma(-quotient, b, a);
  return ToOdd(quotient, b < 0 ? -remainder : remainder);
}

// Widens `x` by the error of a double function accurate to about two ulp. Infinities stay.
inline constexpr double kDoubleSlack = 0x1p-50;
inline double WidenDown(double x) {
  const double wider = x - std::fabs(x) * kDoubleSlack;
  return std::fabs(x) < kInfinity ? wider : x;
}
inline double WidenUp(double x) {
  const double wider = x + std::fabs(x) * kDoubleSlack;
  return std::fabs(x) < kInfinity ? wider : x;
}
// As above, for an `x` already moved by the error bound `error`. Keeps `x` if `error` is 0.
inline double WidenDown(double x, double error) {
  const double wider = x - (std::fabs(x) + error) * kDoubleSlack;
  return error != 0 && std::fabs(x) < kInfinity ? wider : x;
}
inline double WidenUp(double x, double error) {
  const double wider = x + (std::fabs(x) + error) * kDoubleSlack;
  return error != 0 && std::fabs(x) < kInfinity ? wider : x;
}

}  // namespace anecheck::reference
