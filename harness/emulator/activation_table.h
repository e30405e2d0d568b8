// The activation table of a neural task. It has 64 halfwords, whose evaluation follows the facts of
// H13 programs and of later programs ("Activation table", "Reciprocal table"). The modes of the
// whole part and the fraction come from the records of `floor` in the public repository
// joshuaswarren/mil-hwx-compiler, research/oracles/h13/boolean and
// plugins/H13/H13BooleanTemplates.inc: floor(x) is table 0x64 of x, minus 1 if table 0x63 of x is
// below 0. The mode kLeft and steps wider than 1 come from the tables of selu and atan in the
// public repository eiln/ane, anec/kernels.tar.gz, blob ddcde13e. The knots are the values of the
// two functions. The compiler names these modes int and frac (enums.json, nonlinear_mode).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "harness/base/result.h"

namespace anecheck::emulator {

inline constexpr uint64_t kTableBytes = 128;

// The rule that maps an argument x to a position k among the knots, and that scales or shifts the
// interpolated value. s is `knots_a_unit`. "sign of x" means that the value gets the sign of x.
enum class TableMode : uint16_t {
  kCentred = 0x01,         // k = x * 2^s + 16
  kLeft = 0x02,            // k = x * 2^s + 32
  kExp2 = 0x0a,            // k = frac(x) * 2^s, value * 2^floor(x)
  kOdd = 0x60,             // k = |x| * 2^s, sign of x
  kFraction = 0x63,        // x minus its whole part, sign of x; without knots
  kWhole = 0x64,           // x rounded towards zero, sign of x; without knots
  kReciprocal = 0x67,      // |x| = f * 2^e, f in [0.5, 1): k = (f - 0.5) * 2^s, value * 2^-e, sign
  kRoot = 0xc5,            // x = m * 2^e, e even, m in [0.5, 2): k = m * 2^s, value * 2^(e/2)
  kReciprocalRoot = 0xc6,  // like kRoot, but value * 2^(-e/2)
  kLog2 = 0xc9,            // x = f * 2^e: k = (f - 0.5) * 2^s, value + e
};

struct ActivationTable {
  static constexpr int kKnots = 33;
  // With this value of halfword 41, k = x * 2^64 + 16. Zero is at knot 16, and every other number
  // lies on one of the two outer lines. The records of logical_not and select use such tables to
  // distinguish zero from other numbers.
  static constexpr uint16_t kOnlyZero = 64;
  static constexpr int kCentre = 16;

  double low = 0;  // arguments up to `low` give `below`, and those from `high` on give `above`
  double high = 0;
  double below = 0;
  double above = 0;
  std::array<double, kKnots> knots = {};
  double left_slope = 0;
  double left_intercept = 0;
  double right_slope = 0;
  double right_intercept = 0;
  // log2 of the number of knots per unit: 0 to 10, or kOnlyZero, or 0xffff for -1.
  uint16_t knots_a_unit = 0;
  TableMode mode = TableMode::kCentred;

  // Returns whether the table interpolates between knots.
  bool HasKnots() const {
    return knots_a_unit != kOnlyZero && mode != TableMode::kFraction && mode != TableMode::kWhole;
  }
  // Returns log2 of the number of knots per unit of the reduced argument. Negative if a step
  // exceeds a unit.
  int Scale() const { return static_cast<int16_t>(knots_a_unit); }
  // Returns the value in full precision, or NaN for NaN.
  double Evaluate(double x) const;
  // Returns whether the value is 1 below zero, at zero and above zero. Empty if the value is not
  // exactly 0 or 1 in each of these cases.
  std::optional<std::array<bool, 3>> Steps() const;
  // Returns a text such as "x < 0" if the table is exactly that function; empty for tables of
  // curves.
  std::string_view Name() const;
};

// Errors: kUnsupported, with `who` in the message, if the mode or number of knots per unit is
// unknown, or if words are set that no known table sets. Precondition: `bytes` has kTableBytes
// bytes.
Result<ActivationTable> ParseTable(std::span<const uint8_t> bytes, const std::string& who);

}  // namespace anecheck::emulator
