#include "oracles/reference/recorded_tables.h"

#include <algorithm>
#include <array>
#include <numbers>
#include <vector>

#include "harness/base/half.h"

namespace anecheck::reference {
namespace {

constexpr size_t kKnots = 33;

// A table as compilers write it (L9). It has bounds and the values beyond them, knots at equal
// steps, and lines below the first knot and above the last knot.
struct Table {
  double lower, upper;  // words 0 and 1
  double below, above;  // words 2 and 3
  std::vector<double> knots;
  double first = 0;                   // the position of the first knot
  double per_unit = 1;                // knots per unit
  double low_slope, low_intercept;    // words 37 and 38
  double high_slope, high_intercept;  // words 39 and 40

  double last() const { return first + static_cast<double>(knots.size() - 1) / per_unit; }

  // Interpolates between knots. `x` must lie between the first and the last knot.
  double Interpolate(double x) const {
    const double position = (x - first) * per_unit;
    const auto i = std::min(static_cast<size_t>(position), knots.size() - 2);
    return knots[i] + (position - static_cast<double>(i)) * (knots[i + 1] - knots[i]);
  }
  double Value(double x) const {
    if (x <= lower) return below;
    if (x >= upper) return above;
    if (x < first) return low_slope * x + low_intercept;
    if (x > last()) return high_slope * x + high_intercept;
    return Interpolate(x);
  }
};

using Words = std::array<uint16_t, 43>;

double Number(uint16_t bits) { return HalfToDouble(Half{bits}); }

// Compiler 10.26.6 and macOS 26.6 write these tables for H13 and H14, and M6 uses them
// (facts/silicon/act_tables.csv).
constexpr Words kGelu = {0xc466, 0x7c00, 0x0000, 0x7c00, 0x0000, 0x8e8a, 0x9230, 0x9757, 0x9bf0,
                         0xa011, 0xa3bf, 0xa6ec, 0xa9bf, 0xac75, 0xae67, 0xb03d, 0xb11e, 0xb184,
                         0xb104, 0xaecf, 0x922d, 0x3098, 0x357e, 0x389f, 0x3ab8, 0x3c78, 0x3d9a,
                         0x3eb9, 0x3fd2, 0x4072, 0x40f8, 0x417c, 0x41fe, 0x427f, 0x4300, 0x4380,
                         0x4400, 0x0000, 0x0000, 0x3c00, 0x0000, 0x0002, 0x0001};
constexpr Words kSilu = {0xc91a, 0x7c00, 0x0000, 0x7c00, 0x98cd, 0x9c5e, 0x9e65, 0xa0ef, 0xa37b,
                         0xa5a9, 0xa83b, 0xaa45, 0xac8e, 0xae85, 0xb088, 0xb210, 0xb3a9, 0xb470,
                         0xb460, 0xb284, 0x96fb, 0x34be, 0x39d0, 0x3ce4, 0x3f0b, 0x409f, 0x41b7,
                         0x42cc, 0x43dc, 0x4473, 0x44f8, 0x457a, 0x45fc, 0x467e, 0x46fe, 0x477f,
                         0x47ff, 0x945d, 0xa191, 0x3c00, 0x9c00, 0x0001, 0x0001};
constexpr Words kSigmoid = {0xc8f8, 0x4829, 0x0000, 0x3c00, 0x0d7f, 0x1087, 0x1377, 0x1626, 0x1910,
                            0x1c2b, 0x1eda, 0x21a0, 0x249b, 0x2781, 0x2a12, 0x2cdb, 0x2fa1, 0x31d6,
                            0x344e, 0x360a, 0x3800, 0x38fb, 0x39d9, 0x3a8a, 0x3b0c, 0x3b65, 0x3b9f,
                            0x3bc4, 0x3bdb, 0x3be9, 0x3bf2, 0x3bf8, 0x3bfb, 0x3bfd, 0x3bfe, 0x3bff,
                            0x3bff, 0x09ac, 0x170c, 0x163e, 0x3be6, 0x0001, 0x0001};

Table FromWords(const Words& words, double first) {
  Table table;
  table.lower = Number(words[0]);
  table.upper = Number(words[1]);
  table.below = Number(words[2]);
  table.above = Number(words[3]);
  for (size_t i = 0; i < kKnots; ++i) table.knots.push_back(Number(words[4 + i]));
  table.first = first;
  table.per_unit = std::ldexp(1.0, words[41]);
  table.low_slope = Number(words[37]);
  table.low_intercept = Number(words[38]);
  table.high_slope = Number(words[39]);
  table.high_intercept = Number(words[40]);
  return table;
}

// Returns a table whose knots are the fp16 numbers nearest to the function.
template <typename Function>
Table Sampled(double first, double per_unit, size_t knots, const Function& function) {
  Table table{};
  table.lower = -kInfinity;
  table.upper = kInfinity;
  table.first = first;
  table.per_unit = per_unit;
  for (size_t i = 0; i < knots; ++i) {
    table.knots.push_back(RoundToHalf(function(first + static_cast<double>(i) / per_unit)));
  }
  return table;
}

const Table& GeluTable() {
  static const Table table = FromWords(kGelu, -4);
  return table;
}
const Table& SiluTable() {
  static const Table table = FromWords(kSilu, -8);
  return table;
}
const Table& SigmoidTable() {
  static const Table table = FromWords(kSigmoid, -8);
  return table;
}
const Table& TanhTable() {
  static const Table table = [] {
    Table made = Sampled(0, 8, kKnots, [](double x) { return std::tanh(x); });
    made.upper = 4;
    made.above = 1;
    return made;
  }();
  return table;
}
const Table& ErfTable() {
  static const Table table = Sampled(0, 16, kKnots, [](double x) { return std::erf(x); });
  return table;
}

constexpr size_t kRootKnots = 25;

double Odd(const Table& table, double x) { return std::copysign(table.Value(std::fabs(x)), x); }

// Law L10. The scaled argument is fp16.
double Exponential(double x, const Grid& grid) {
  static const Table table = Sampled(0, 32, kKnots, [](double f) { return std::exp2(f); });
  const double t = grid.Store(x * 1.4423828125);
  if (t >= 16) return kInfinity;
  if (t < -25) return 0;
  const double whole = std::floor(t);
  return std::ldexp(table.Interpolate(t - whole), static_cast<int>(whole));
}

// Law L11.
double Logarithm(double x, const Grid& grid) {
  static const Table table = Sampled(0.5, 64, kKnots, [](double m) { return std::log2(m); });
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  const double u = grid.Store(table.Interpolate(fraction));
  return grid.Store(u + exponent) * 0.693359375;
}

// Splits x into m * 2^exponent with an even exponent (law L12), and returns m.
double EvenFraction(double x, int& exponent) {
  const double fraction = std::frexp(x, &exponent);
  if (exponent % 2 == 0) return fraction;
  --exponent;
  return 2 * fraction;
}
double Root(double x) {
  static const Table table = Sampled(0.5, 16, kRootKnots, [](double m) { return std::sqrt(m); });
  int exponent = 0;
  const double fraction = EvenFraction(x, exponent);
  return std::ldexp(table.Interpolate(fraction), exponent / 2);
}
double ReciprocalRoot(double x) {
  static const Table table =
      Sampled(0.5, 16, kRootKnots, [](double m) { return 1 / std::sqrt(m); });
  int exponent = 0;
  const double fraction = EvenFraction(x, exponent);
  return std::ldexp(table.Interpolate(fraction), -exponent / 2);
}

// Law L13, for a number to which epsilon was already added.
double Reciprocal(double x) {
  static const Table table = Sampled(0.5, 64, kKnots, [](double m) { return 1 / m; });
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(x), &exponent);
  return std::copysign(std::ldexp(table.Interpolate(fraction), -exponent), x);
}

// Computes the sine by 33 knots over a quarter turn (laws L9 and L15). `turned` is the sine's
// argument in steps between knots.
constexpr double kTurnStep = std::numbers::pi / 64;
constexpr double kTurnSteps = 128;

double SineAfter(double turned) {
  static const Table table =
      Sampled(0, 1, kKnots, [](double knot) { return std::sin(knot * kTurnStep); });
  const double size = std::fmod(std::fabs(turned), kTurnSteps);
  const double half = size < 64 ? size : size - 64;
  const double value = table.Interpolate(half <= 32 ? half : 64 - half);
  return (size < 64) == (turned < 0) ? -value : value;
}
double StepsOf(Recorded function, double x) {
  return x / kTurnStep + (function == Recorded::kCos ? 32 : 0);
}

Interval SineBounds(Recorded function, double low, double high) {
  // The error of the quotient is smaller than this slack. It is 0 for an argument of 0.
  const double slack = low == 0 && high == 0 ? 0 : 0x1p-50 * std::max(-low, high) / kTurnStep;
  const double from = StepsOf(function, low) - slack;
  const double to = StepsOf(function, high) + slack;
  if (!(to - from < kTurnSteps)) return {-1, 1};
  const double a = SineAfter(from);
  const double b = SineAfter(to);
  Interval bounds = {std::min(a, b), std::max(a, b)};
  const auto last = static_cast<int64_t>(std::floor(to));
  for (auto knot = static_cast<int64_t>(std::ceil(from)); knot <= last; ++knot) {
    const double value = SineAfter(static_cast<double>(knot));
    bounds = {std::min(bounds.low, value), std::max(bounds.high, value)};
  }
  return bounds;
}

const Table* TableOf(Recorded function) {
  switch (function) {
    case Recorded::kGelu:
      return &GeluTable();
    case Recorded::kSilu:
      return &SiluTable();
    case Recorded::kSigmoid:
      return &SigmoidTable();
    default:
      return nullptr;
  }
}

// Returns the knots of a table and the ends of its range. Between neighbours the value is a line.
std::vector<double> Breaks(const Table& table) {
  std::vector<double> breaks = {table.lower, table.upper};
  for (size_t i = 0; i < table.knots.size(); ++i) {
    breaks.push_back(table.first + static_cast<double>(i) / table.per_unit);
  }
  std::erase_if(breaks, [](double x) { return !(std::fabs(x) < kInfinity); });
  return breaks;
}

}  // namespace

bool HasRecord(Recorded function, double x) {
  if (!(std::fabs(x) < kInfinity)) return false;
  switch (function) {
    case Recorded::kErf:
      return std::fabs(x) <= ErfTable().last();
    case Recorded::kLog:
    case Recorded::kSqrt:
    case Recorded::kRsqrt:
      return x > 0;
    case Recorded::kInverse:
      return x != 0;
    default:
      return true;
  }
}

double RecordedValue(Recorded function, double x, const Grid& grid) {
  switch (function) {
    case Recorded::kGelu:
      return GeluTable().Value(x);
    case Recorded::kSilu:
      return SiluTable().Value(x);
    case Recorded::kSigmoid:
      return SigmoidTable().Value(x);
    case Recorded::kTanh:
      return Odd(TanhTable(), x);
    case Recorded::kErf:
      return Odd(ErfTable(), x);
    case Recorded::kExp:
      return Exponential(x, grid);
    case Recorded::kLog:
      return Logarithm(x, grid);
    case Recorded::kSqrt:
      return Root(x);
    case Recorded::kRsqrt:
      return ReciprocalRoot(x);
    case Recorded::kInverse:
      return Reciprocal(x);
    case Recorded::kSin:
    case Recorded::kCos:
      return SineAfter(StepsOf(function, x));
  }
  return kNan;
}

Interval RecordedBounds(Recorded function, double low, double high, const Grid& grid) {
  if (function == Recorded::kSin || function == Recorded::kCos) {
    return SineBounds(function, low, high);
  }
  const double a = RecordedValue(function, low, grid);
  if (low == high) return {a, a};
  const double b = RecordedValue(function, high, grid);
  Interval bounds = {std::min(a, b), std::max(a, b)};
  const Table* table = TableOf(function);
  if (table == nullptr) return bounds;  // the function is monotonic
  for (const double at : Breaks(*table)) {
    for (const double x : {NextDown(at), at, NextUp(at)}) {
      if (!(low < x && x < high)) continue;
      const double value = table->Value(x);
      bounds = {std::min(bounds.low, value), std::max(bounds.high, value)};
    }
  }
  return bounds;
}

}  // namespace anecheck::reference
