#include "harness/device/recorded_curve.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "harness/base/half.h"

namespace anecheck::device {
namespace {

constexpr size_t kKnots = 33;
// The knot that planted defects change, far from both ends of every domain.
constexpr size_t kPlantedKnot = 12;

// The positions of a table's words in the kernel section.
enum Word : size_t {
  kLowerBound = 0,
  kUpperBound = 1,
  kBelowLower = 2,
  kAboveUpper = 3,
  kFirstKnot = 4,
  kLowSlope = 37,
  kLowIntercept = 38,
  kHighSlope = 39,
  kHighIntercept = 40,
  kStepBits = 41,
};
using Words = std::array<uint16_t, 43>;

constexpr Words kGeluWords = {
    0xc466, 0x7c00, 0x0000, 0x7c00, 0x0000, 0x8e8a, 0x9230, 0x9757, 0x9bf0, 0xa011, 0xa3bf,
    0xa6ec, 0xa9bf, 0xac75, 0xae67, 0xb03d, 0xb11e, 0xb184, 0xb104, 0xaecf, 0x922d, 0x3098,
    0x357e, 0x389f, 0x3ab8, 0x3c78, 0x3d9a, 0x3eb9, 0x3fd2, 0x4072, 0x40f8, 0x417c, 0x41fe,
    0x427f, 0x4300, 0x4380, 0x4400, 0x0000, 0x0000, 0x3c00, 0x0000, 0x0002, 0x0001};
constexpr Words kSiluWords = {
    0xc91a, 0x7c00, 0x0000, 0x7c00, 0x98cd, 0x9c5e, 0x9e65, 0xa0ef, 0xa37b, 0xa5a9, 0xa83b,
    0xaa45, 0xac8e, 0xae85, 0xb088, 0xb210, 0xb3a9, 0xb470, 0xb460, 0xb284, 0x96fb, 0x34be,
    0x39d0, 0x3ce4, 0x3f0b, 0x409f, 0x41b7, 0x42cc, 0x43dc, 0x4473, 0x44f8, 0x457a, 0x45fc,
    0x467e, 0x46fe, 0x477f, 0x47ff, 0x945d, 0xa191, 0x3c00, 0x9c00, 0x0001, 0x0001};
constexpr Words kSigmoidWords = {
    0xc8f8, 0x4829, 0x0000, 0x3c00, 0x0d7f, 0x1087, 0x1377, 0x1626, 0x1910, 0x1c2b, 0x1eda,
    0x21a0, 0x249b, 0x2781, 0x2a12, 0x2cdb, 0x2fa1, 0x31d6, 0x344e, 0x360a, 0x3800, 0x38fb,
    0x39d9, 0x3a8a, 0x3b0c, 0x3b65, 0x3b9f, 0x3bc4, 0x3bdb, 0x3be9, 0x3bf2, 0x3bf8, 0x3bfb,
    0x3bfd, 0x3bfe, 0x3bff, 0x3bff, 0x09ac, 0x170c, 0x163e, 0x3be6, 0x0001, 0x0001};
constexpr Words kExp2Words = {
    0xce40, 0x4c00, 0x0000, 0x7c00, 0x3c00, 0x3c16, 0x3c2d, 0x3c45, 0x3c5d, 0x3c75, 0x3c8e,
    0x3ca8, 0x3cc2, 0x3cdc, 0x3cf8, 0x3d14, 0x3d30, 0x3d4d, 0x3d6b, 0x3d89, 0x3da8, 0x3dc8,
    0x3de8, 0x3e09, 0x3e2b, 0x3e4e, 0x3e71, 0x3e95, 0x3eba, 0x3ee0, 0x3f06, 0x3f2e, 0x3f56,
    0x3f7f, 0x3fa9, 0x3fd4, 0x4000, 0x0000, 0x0000, 0x0000, 0x0000, 0x0005, 0x000a};

double ValueOf(uint16_t word) { return HalfToDouble(Half{word}); }
float Stored(double value, const NumericModel& model) {
  return static_cast<float>(HalfToDouble(DoubleToHalf(value, model.store_rounding)));
}

struct Knots {
  std::array<double, kKnots> at{};
  size_t count = kKnots;
};

Knots KnotsOf(const Words& words) {
  Knots knots;
  for (size_t i = 0; i < kKnots; ++i) knots.at[i] = ValueOf(words[kFirstKnot + i]);
  return knots;
}

// Returns the fp16 numbers nearest to the function's values at `first`, `first` + `step` and so on.
Knots SampleKnots(double (*function)(double), double first, double step, size_t count = kKnots) {
  Knots knots;
  knots.count = count;
  for (size_t i = 0; i < count; ++i) {
    const double exact = function(first + step * static_cast<double>(i));
    knots.at[i] = HalfToDouble(DoubleToHalf(exact));
  }
  return knots;
}

// Interpolates between two knots. `position` is the distance from the first knot, in steps.
double Between(const Knots& knots, double position, const NumericModel& model) {
  size_t i = position < static_cast<double>(knots.count - 1) ? static_cast<size_t>(position)
                                                             : knots.count - 2;
  double part = position - static_cast<double>(i);
  if (model.Has(Planted::kTableNearestKnot)) part = 0;
  if (model.Has(Planted::kTableShifted) && i < knots.count - 2) ++i;
  double base = knots.at[i];
  if (i == kPlantedKnot && model.Has(Planted::kTableKnotMoved)) base += 0x1p-6;
  if (i == kPlantedKnot && model.Has(Planted::kTableKnotLost)) base = knots.at[i - 1];
  return base + part * (knots.at[i + 1] - knots.at[i]);
}

// Evaluates a table over a domain that begins at `first`.
double LookUp(const Words& words, const Knots& knots, double first, double x,
              const NumericModel& model) {
  const double steps = static_cast<double>(uint32_t{1} << words[kStepBits]);
  const double last = first + (kKnots - 1) / steps;
  if (x <= ValueOf(words[kLowerBound])) return ValueOf(words[kBelowLower]);
  if (x >= ValueOf(words[kUpperBound])) return ValueOf(words[kAboveUpper]);
  if (model.Has(Planted::kTableClampsEarly)) {
    // Near the end of the domain, a clamp changes a curve with a tail only a little. The planted
    // clamp therefore begins earlier for such a curve.
    const double above = ValueOf(words[kAboveUpper]);
    if (std::isfinite(above) && x >= first + (last - first) * 0.75) return above;
    if (!std::isfinite(above) && x >= last * 0.5) return x;
  }
  if (x < first) return ValueOf(words[kLowSlope]) * x + ValueOf(words[kLowIntercept]);
  if (x > last) return ValueOf(words[kHighSlope]) * x + ValueOf(words[kHighIntercept]);
  return Between(knots, (x - first) * steps, model);
}

double WithSignOf(double x, double magnitude, const NumericModel& model) {
  return x < 0 && !model.Has(Planted::kTableSignLost) ? -magnitude : magnitude;
}

double ReciprocalOf(double x) { return 1 / x; }
double ReciprocalRootOf(double x) { return 1 / std::sqrt(x); }

// Writes x as m * 4^quarters with 0.5 <= m < 2, and returns m.
double QuarterFraction(double x, int& quarters) {
  int exponent = std::ilogb(x) + 1;
  if ((exponent & 1) != 0) --exponent;
  quarters = exponent / 2;
  return std::ldexp(x, -exponent);
}
constexpr size_t kRootKnots = 25;

}  // namespace

float RecordedSigmoid(float x, const NumericModel& model) {
  static const Knots knots = KnotsOf(kSigmoidWords);
  return Stored(LookUp(kSigmoidWords, knots, -8, static_cast<double>(x), model), model);
}

float RecordedGelu(float x, const NumericModel& model) {
  static const Knots knots = KnotsOf(kGeluWords);
  return Stored(LookUp(kGeluWords, knots, -4, static_cast<double>(x), model), model);
}

float RecordedSilu(float x, const NumericModel& model) {
  static const Knots knots = KnotsOf(kSiluWords);
  return Stored(LookUp(kSiluWords, knots, -8, static_cast<double>(x), model), model);
}

float RecordedTanh(float x, const NumericModel& model) {
  static const Knots knots = SampleKnots(std::tanh, 0, 0.125);
  const double size = std::fabs(static_cast<double>(x));
  const double end = model.Has(Planted::kTableClampsEarly) ? 3 : 4;
  const double value = size >= end ? 1 : Between(knots, size * 8, model);
  return Stored(WithSignOf(static_cast<double>(x), value, model), model);
}

float RecordedErf(float x, const NumericModel& model) {
  static const Knots knots = SampleKnots(std::erf, 0, 0.0625);
  const double value = Between(knots, std::fabs(static_cast<double>(x)) * 16, model);
  return Stored(WithSignOf(static_cast<double>(x), value, model), model);
}

float RecordedExp(float x, const NumericModel& model) {
  static const Knots knots = KnotsOf(kExp2Words);
  // log2 e in fp16.
  const auto power = static_cast<double>(Stored(static_cast<double>(x) * 1.4423828125, model));
  if (power >= ValueOf(kExp2Words[kUpperBound])) return std::numeric_limits<float>::infinity();
  if (power < ValueOf(kExp2Words[kLowerBound])) return 0;
  const double whole = std::floor(power);
  const double fraction = Between(knots, (power - whole) * 32, model);
  return Stored(std::ldexp(fraction, static_cast<int>(whole)), model);
}

float RecordedLog(float x, const NumericModel& model) {
  static const Knots knots = SampleKnots(std::log2, 0.5, 0x1p-6);
  const int exponent = std::ilogb(x) + 1;
  const double fraction = std::ldexp(static_cast<double>(x), -exponent);
  const float part = Stored(Between(knots, (fraction - 0.5) * 64, model), model);
  const float power = Stored(static_cast<double>(part) + exponent, model);
  // ln 2 in fp16.
  return Stored(static_cast<double>(power) * 0.693359375, model);
}

float RecordedSqrt(float x, const NumericModel& model) {
  static const Knots knots = SampleKnots(std::sqrt, 0.5, 0.0625, kRootKnots);
  int quarters = 0;
  const double fraction = QuarterFraction(static_cast<double>(x), quarters);
  return Stored(std::ldexp(Between(knots, (fraction - 0.5) * 16, model), quarters), model);
}

float RecordedRsqrt(float x, const NumericModel& model) {
  static const Knots knots = SampleKnots(ReciprocalRootOf, 0.5, 0.0625, kRootKnots);
  int quarters = 0;
  const double fraction = QuarterFraction(static_cast<double>(x), quarters);
  return Stored(std::ldexp(Between(knots, (fraction - 0.5) * 16, model), -quarters), model);
}

float RecordedInverse(float x, const NumericModel& model) {
  static const Knots knots = SampleKnots(ReciprocalOf, 0.5, 0x1p-6);
  const double size = std::fabs(static_cast<double>(x));
  const int exponent = std::ilogb(size) + 1;
  const double fraction = std::ldexp(size, -exponent);
  const double value = std::ldexp(Between(knots, (fraction - 0.5) * 64, model), -exponent);
  return Stored(x < 0 ? -value : value, model);
}

float RecordedSine(float x, bool quarter_ahead, const NumericModel& model) {
  static const Knots knots = SampleKnots(std::sin, 0, M_PI / 64);
  constexpr double kQuarter = 32;  // steps
  const double ahead = quarter_ahead ? kQuarter : 0;
  const double steps = std::fabs(static_cast<double>(x)) * 64 / M_PI + ahead;
  double place = std::fmod(steps, 4 * kQuarter);
  const bool below = place >= 2 * kQuarter;
  if (below) place -= 2 * kQuarter;
  if (place > kQuarter) place = 2 * kQuarter - place;
  const double value = Between(knots, place, model);
  const bool odd = !quarter_ahead && x < 0;
  return Stored(below != odd ? -value : value, model);
}

}  // namespace anecheck::device
