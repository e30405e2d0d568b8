#include "harness/emulator/activation_table.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>

#include "harness/base/half.h"

namespace anecheck::emulator {
namespace {

constexpr size_t kWords = 64;
constexpr size_t kFirstUnused = 43;
constexpr uint16_t kMostKnotsAUnit = 10, kHalfAKnotAUnit = 0xffff;

bool KnownMode(uint16_t mode) {
  for (const TableMode known :
       {TableMode::kCentred, TableMode::kLeft, TableMode::kExp2, TableMode::kOdd,
        TableMode::kFraction, TableMode::kWhole, TableMode::kReciprocal, TableMode::kRoot,
        TableMode::kReciprocalRoot, TableMode::kLog2}) {
    if (mode == static_cast<uint16_t>(known)) return true;
  }
  return false;
}

bool IsRounding(TableMode mode) {
  return mode == TableMode::kFraction || mode == TableMode::kWhole;
}

// Checks the table of a whole part or a fraction. In the records such a table has no knots and no
// lines, and no fact gives a meaning to knots and lines in it.
Status CheckRounding(std::span<const uint16_t> words, const std::string& who) {
  const uint16_t steps = words[42] == static_cast<uint16_t>(TableMode::kWhole) ? 5 : 0;
  for (size_t i = 4; i < 42; ++i) {
    const uint16_t known = i == 41 ? steps : 0;
    if (words[i] == known) continue;
    return MakeError(
        ErrorCode::kUnsupported,
        fmt::format("{}: halfword {} of a table of mode 0x{:x} is 0x{:x}; it is 0x{:x} in"
                    " every record",
                    who, i, words[42], words[i], known));
  }
  return {};
}

// Returns m and writes an even exponent, so that x = m * 2^exponent and m is in [0.5, 2).
double EvenMantissa(double x, int& exponent) {
  double mantissa = std::frexp(x, &exponent);  // [0.5, 1)
  if (exponent % 2 != 0) {
    mantissa *= 2;
    exponent -= 1;
  }
  return mantissa;
}

}  // namespace

double ActivationTable::Evaluate(double x) const {
  if (std::isnan(x)) return x;
  const bool odd = mode == TableMode::kOdd || mode == TableMode::kReciprocal || IsRounding(mode);
  const double argument = odd ? std::fabs(x) : x;
  const auto signed_value = [&](double value) { return odd && std::signbit(x) ? -value : value; };
  if (argument <= low) return signed_value(below);
  if (argument >= high) return signed_value(above);
  if (knots_a_unit == kOnlyZero) {
    if (argument == 0) return signed_value(knots[kCentre]);
    return signed_value(argument < 0 ? left_slope * argument + left_intercept
                                     : right_slope * argument + right_intercept);
  }
  if (mode == TableMode::kWhole) return std::trunc(x);
  if (mode == TableMode::kFraction) return std::copysign(argument - std::trunc(argument), x);
  const double unit = std::ldexp(1.0, Scale());
  double position = argument * unit;
  double factor = 1;
  double addend = 0;
  int exponent = 0;
  switch (mode) {
    case TableMode::kCentred:
      position += kCentre;
      break;
    case TableMode::kLeft:
      position += kKnots - 1;
      break;
    case TableMode::kOdd:
    case TableMode::kFraction:
    case TableMode::kWhole:
      break;
    case TableMode::kExp2: {
      const double whole = std::floor(argument);
      position = (argument - whole) * unit;
      factor = std::exp2(whole);
      break;
    }
    case TableMode::kReciprocal:
      position = (std::frexp(argument, &exponent) - 0.5) * unit;
      factor = std::ldexp(1.0, -exponent);
      break;
    case TableMode::kLog2:
      position = (std::frexp(argument, &exponent) - 0.5) * unit;
      addend = exponent;
      break;
    case TableMode::kRoot:
      position = EvenMantissa(argument, exponent) * unit;
      factor = std::ldexp(1.0, exponent / 2);
      break;
    case TableMode::kReciprocalRoot:
      // Zero has no significand, and the clamp of the table does not cover it. On A13 the result
      // was +inf (facts/numerics.md).
      if (argument == 0) return std::numeric_limits<double>::infinity();
      position = EvenMantissa(argument, exponent) * unit;
      factor = std::ldexp(1.0, -exponent / 2);
      break;
  }
  if (position < 0) return signed_value(left_slope * argument + left_intercept);
  if (position > kKnots - 1) return signed_value(right_slope * argument + right_intercept);
  const int knot = std::min(static_cast<int>(position), kKnots - 2);
  const double first = knots[static_cast<size_t>(knot)];
  const double step = knots[static_cast<size_t>(knot) + 1] - first;
  return signed_value((first + (position - knot) * step) * factor + addend);
}

std::optional<std::array<bool, 3>> ActivationTable::Steps() const {
  constexpr double kSmallest =
      0x1p-24;  // the smallest fp16 number; only zero lies between the bounds
  if (mode != TableMode::kCentred || low != -kSmallest || high != kSmallest) return std::nullopt;
  std::array<bool, 3> steps;
  const std::array values = {below, Evaluate(0), above};
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] != 0 && values[i] != 1) return std::nullopt;
    steps[i] = values[i] == 1;
  }
  return steps;
}

std::string_view ActivationTable::Name() const {
  if (mode == TableMode::kWhole) return "the whole part of x";
  if (mode == TableMode::kFraction) return "the fraction of x";
  struct Row {
    std::array<bool, 3> steps;
    std::string_view name;
  };
  constexpr Row kRows[] = {{{true, false, false}, "x < 0"}, {{true, true, false}, "x <= 0"},
                           {{false, true, false}, "x = 0"}, {{true, false, true}, "x != 0"},
                           {{false, true, true}, "x >= 0"}, {{false, false, true}, "x > 0"}};
  const auto steps = Steps();
  for (const Row& row : kRows) {
    if (steps == row.steps) return row.name;
  }
  return {};
}

Result<ActivationTable> ParseTable(std::span<const uint8_t> bytes, const std::string& who) {
  std::array<uint16_t, kWords> words;
  std::memcpy(words.data(), bytes.data(), sizeof words);
  const auto number = [&](size_t i) { return HalfToDouble(Half{words[i]}); };
  if (!KnownMode(words[42])) {
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("{}: halfword 42 of the table is 0x{:x}; known modes are 1, 2, "
                                 "0xa, 0x60, 0x63, 0x64, 0x67, 0xc5, 0xc6 and 0xc9",
                                 who, words[42]));
  }
  if (words[41] > kMostKnotsAUnit && words[41] != ActivationTable::kOnlyZero &&
      words[41] != kHalfAKnotAUnit) {
    return MakeError(
        ErrorCode::kUnsupported,
        fmt::format("{}: halfword 41 of the table is {}; the known values are 0 to 10, 64 and"
                    " 65535",
                    who, words[41]));
  }
  for (size_t i = kFirstUnused; i < kWords; ++i) {
    if (words[i] == 0) continue;
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("{}: halfword {} of the table is 0x{:x}; it is zero in every known"
                                 " table",
                                 who, i, words[i]));
  }
  if (IsRounding(static_cast<TableMode>(words[42]))) {
    ANECHECK_RETURN_IF_ERROR(CheckRounding(words, who));
  }
  ActivationTable table;
  table.low = number(0);
  table.high = number(1);
  table.below = number(2);
  table.above = number(3);
  for (size_t i = 0; i < ActivationTable::kKnots; ++i) table.knots[i] = number(4 + i);
  table.left_slope = number(37);
  table.left_intercept = number(38);
  table.right_slope = number(39);
  table.right_intercept = number(40);
  table.knots_a_unit = words[41];
  table.mode = static_cast<TableMode>(words[42]);
  return table;
}

}  // namespace anecheck::emulator
