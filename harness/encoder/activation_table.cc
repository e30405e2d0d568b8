#include "harness/encoder/activation_table.h"

#include <algorithm>
#include <cmath>

#include "harness/base/half.h"

namespace anecheck::encoder {
namespace {

using Halves = std::array<uint16_t, 64>;

enum Word : size_t {
  kLow = 0,
  kHigh = 1,
  kBelow = 2,
  kAbove = 3,
  kFirstKnot = 4,
  kSlopeBelow = 37,
  kInterceptBelow = 38,
  kSlopeAbove = 39,
  kInterceptAbove = 40,
  kSteps = 41,  // log2 of the knots per unit
  kMode = 42,
};
constexpr size_t kKnots = 33;
constexpr uint16_t kInfinity = 0x7c00, kMinusInfinity = 0xfc00;
constexpr uint16_t kOdd = 0x60, kRoot = 0xc5, kReciprocalRootMode = 0xc6, kReciprocalMode = 0x67;
constexpr uint16_t kLargestNegative = 0x8001;  // -2^-24
constexpr uint16_t kSmallest = 0x0001;         // 2^-24
// Zero is at knot 16. Every other number is beyond the knots.
constexpr uint16_t kOnlyZero = 0x40, kCentred = 1;
constexpr size_t kStepKnots = 32;
constexpr uint16_t kFractionMode = 0x63, kWholeMode = 0x64, kWholeSteps = 5;

// Words 0 to 42, read from a compiler's tables (act_tables.csv).
constexpr Halves kGeluWords = {
    0xc466, 0x7c00, 0x0000, 0x7c00, 0x0000, 0x8e8a, 0x9230, 0x9757, 0x9bf0, 0xa011, 0xa3bf,
    0xa6ec, 0xa9bf, 0xac75, 0xae67, 0xb03d, 0xb11e, 0xb184, 0xb104, 0xaecf, 0x922d, 0x3098,
    0x357e, 0x389f, 0x3ab8, 0x3c78, 0x3d9a, 0x3eb9, 0x3fd2, 0x4072, 0x40f8, 0x417c, 0x41fe,
    0x427f, 0x4300, 0x4380, 0x4400, 0x0000, 0x0000, 0x3c00, 0x0000, 0x0002, 0x0001,
};
constexpr Halves kSiluWords = {
    0xc91a, 0x7c00, 0x0000, 0x7c00, 0x98cd, 0x9c5e, 0x9e65, 0xa0ef, 0xa37b, 0xa5a9, 0xa83b,
    0xaa45, 0xac8e, 0xae85, 0xb088, 0xb210, 0xb3a9, 0xb470, 0xb460, 0xb284, 0x96fb, 0x34be,
    0x39d0, 0x3ce4, 0x3f0b, 0x409f, 0x41b7, 0x42cc, 0x43dc, 0x4473, 0x44f8, 0x457a, 0x45fc,
    0x467e, 0x46fe, 0x477f, 0x47ff, 0x945d, 0xa191, 0x3c00, 0x9c00, 0x0001, 0x0001,
};
constexpr Halves kExp2Words = {
    0xce40, 0x4c00, 0x0000, 0x7c00, 0x3c00, 0x3c16, 0x3c2d, 0x3c45, 0x3c5d, 0x3c75, 0x3c8e,
    0x3ca8, 0x3cc2, 0x3cdc, 0x3cf8, 0x3d14, 0x3d30, 0x3d4d, 0x3d6b, 0x3d89, 0x3da8, 0x3dc8,
    0x3de8, 0x3e09, 0x3e2b, 0x3e4e, 0x3e71, 0x3e95, 0x3eba, 0x3ee0, 0x3f06, 0x3f2e, 0x3f56,
    0x3f7f, 0x3fa9, 0x3fd4, 0x4000, 0x0000, 0x0000, 0x0000, 0x0000, 0x0005, 0x000a,
};
constexpr Halves kSigmoidWords = {
    0xc8f8, 0x4829, 0x0000, 0x3c00, 0x0d7f, 0x1087, 0x1377, 0x1626, 0x1910, 0x1c2b, 0x1eda,
    0x21a0, 0x249b, 0x2781, 0x2a12, 0x2cdb, 0x2fa1, 0x31d6, 0x344e, 0x360a, 0x3800, 0x38fb,
    0x39d9, 0x3a8a, 0x3b0c, 0x3b65, 0x3b9f, 0x3bc4, 0x3bdb, 0x3be9, 0x3bf2, 0x3bf8, 0x3bfb,
    0x3bfd, 0x3bfe, 0x3bff, 0x3bff, 0x09ac, 0x170c, 0x163e, 0x3be6, 0x0001, 0x0001,
};

Bytes ToBytes(const Halves& halves) {
  Bytes bytes;
  bytes.reserve(kTableBytes);
  for (const uint16_t half : halves) {
    bytes.push_back(static_cast<uint8_t>(half));
    bytes.push_back(static_cast<uint8_t>(half >> 8));
  }
  return bytes;
}

// Returns a table without clamps. Its knots from `begin` on are f(first + i / 2^steps), i from 0.
Halves Sampled(double (*f)(double), double first, uint16_t steps, size_t begin, uint16_t mode) {
  Halves made = {kMinusInfinity, kInfinity, kMinusInfinity, kInfinity};
  for (size_t knot = begin; knot < kKnots; ++knot) {
    const double x = first + std::ldexp(static_cast<double>(knot - begin), -steps);
    made[kFirstKnot + knot] = DoubleToHalf(f(x)).bits;
  }
  made[kSteps] = steps;
  made[kMode] = mode;
  return made;
}

// tanh is odd. Its knots lie on [0, 4], and the table is 1 above 4.
Halves TanhWords() {
  Halves made = Sampled([](double x) { return std::tanh(x); }, 0, 3, 0, kOdd);
  made[kHigh] = DoubleToHalf(4).bits;
  made[kAbove] = kOne;
  made[kInterceptAbove] = kOne;
  return made;
}

constexpr size_t kFirstRootKnot = 8;  // for mantissa 0.5; mantissa m, at most 2, is at knot 16 * m

// The lower bound handles negative arguments. Their root is +0, and its reciprocal is +0 too
// (numerics.md).
Halves RootWords() {
  Halves made = Sampled([](double x) { return std::sqrt(x); }, 0.5, 4, kFirstRootKnot, kRoot);
  made[kLow] = 0;
  made[kBelow] = 0;
  return made;
}
Halves ReciprocalRootWords() {
  Halves made = Sampled([](double x) { return 1 / std::sqrt(x); }, 0.5, 4, kFirstRootKnot,
                        kReciprocalRootMode);
  made[kLow] = kLargestNegative;
  made[kBelow] = 0;
  made[kHigh] = kInfinity;
  made[kAbove] = 0;
  return made;
}
Halves ReciprocalWords() {
  Halves made = Sampled([](double x) { return 1 / x; }, 0.5, 6, 0, kReciprocalMode);
  made[kLow] = 0;
  made[kHigh] = made[kBelow] = kInfinity;
  made[kAbove] = 0;
  return made;
}

}  // namespace

Bytes TableOf(Function function) {
  switch (function) {
    case Function::kSigmoid:
      return ToBytes(kSigmoidWords);
    case Function::kSilu:
      return ToBytes(kSiluWords);
    case Function::kGelu:
      return ToBytes(kGeluWords);
    case Function::kExp2:
      return ToBytes(kExp2Words);
    case Function::kTanh:
      return ToBytes(TanhWords());
    case Function::kSquareRoot:
      return ToBytes(RootWords());
    case Function::kReciprocalRoot:
      return ToBytes(ReciprocalRootWords());
    case Function::kReciprocal:
      return ToBytes(ReciprocalWords());
  }
  return {};
}

Bytes LeakyTable(uint16_t alpha) {
  const bool rises = (alpha & 0x8000) == 0;
  Halves made = {kMinusInfinity, kInfinity, rises ? kMinusInfinity : kInfinity, kInfinity};
  made[kSlopeBelow] = alpha;
  made[kSlopeAbove] = kOne;
  made[kSteps] = kOnlyZero;
  made[kMode] = kCentred;
  return ToBytes(made);
}

Bytes StepTable(uint16_t below, uint16_t zero, uint16_t above) {
  Halves made = {kLargestNegative, kSmallest, below, above};
  std::fill_n(made.begin() + kFirstKnot, kStepKnots, zero);
  made[kInterceptBelow] = below;
  made[kInterceptAbove] = above;
  made[kSteps] = kOnlyZero;
  made[kMode] = kCentred;
  return ToBytes(made);
}

Bytes SignTable() {
  Halves made = {0, kOne, 0, kOne};
  made[kInterceptAbove] = kOne;
  made[kSteps] = kOnlyZero;
  made[kMode] = kOdd;
  return ToBytes(made);
}

Bytes WholeTable() {
  Halves made = {kMinusInfinity, kInfinity, kMinusInfinity, kInfinity};
  made[kSteps] = kWholeSteps;
  made[kMode] = kWholeMode;
  return ToBytes(made);
}

Bytes FractionTable() {
  Halves made = {kMinusInfinity, kInfinity, 0, 0};
  made[kMode] = kFractionMode;
  return ToBytes(made);
}

}  // namespace anecheck::encoder
