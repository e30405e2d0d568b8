#include "generators/tensor_data.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <span>

namespace anecheck {
namespace {

// Values at which engines change their behaviour (facts/numerics.md): the largest integer below
// which all are exact (2048), the crop gain (4094 to 4096), the accumulator port (32752, 32768),
// and the fp16 maximum.
constexpr std::array<uint16_t, 22> kEdges = {
    0x67ff, 0x6800, 0x6801, 0x6bff, 0x6c00, 0x6bfe, 0x77ff, 0x7800, 0x7bff, 0x7bfe, 0x0001,
    0x03ff, 0x0400, 0x3c00, 0x3bff, 0x3c01, 0x77fe, 0x7801, 0x6c01, 0x0401, 0x3800, 0x3e00};

constexpr std::array<uint16_t, 12> kSpecials = {0x7c00, 0xfc00, 0x7e00, 0x0000, 0x8000, 0x0001,
                                                0x8001, 0x03ff, 0x0400, 0x7bff, 0xfbff, 0x3c00};

constexpr size_t kMostInteger = 2048;

// The fp16 bits of each integer of magnitude up to 2048, in ascending order.
constexpr auto kHalvesOfIntegers = [] {
  std::array<uint16_t, 2 * kMostInteger + 1> halves{};
  for (size_t magnitude = 1; magnitude <= kMostInteger; ++magnitude) {
    const int top = std::bit_width(magnitude) - 1;
    const size_t fraction = (magnitude << 10 >> top) - (1u << 10);
    const auto bits = static_cast<uint16_t>(static_cast<size_t>(top + 15) << 10 | fraction);
    halves[kMostInteger + magnitude] = bits;
    halves[kMostInteger - magnitude] = static_cast<uint16_t>(0x8000 | bits);
  }
  return halves;
}();

int64_t IntegerBound(double limit) {
  return static_cast<int64_t>(std::min(limit, static_cast<double>(kMostInteger)));
}

Half DrawInteger(ChoiceStream& choices, int64_t bound) {
  const int64_t drawn = choices.Range(-bound, bound);
  return Half{kHalvesOfIntegers[kMostInteger + static_cast<size_t>(drawn)]};
}

// The bounds of floats drawn below a limit.
struct FloatBound {
  int top = 0;        // the largest exponent
  int rare = 1;       // number of exponents from the least normal one up to the common ones
  uint16_t most = 0;  // bits of the largest magnitude; lowers a draw only if it is less than 2^-13
};

constexpr int kLeastExponent = -14;  // of normal halves
constexpr int kCommonExponents = 6;
// One in 128 drawn halves has all these bits set. Such a half gets a smaller exponent, which the
// other bits of its fraction choose. These halves are rare, because a sum of terms of very
// different magnitudes has wide bounds and reveals less.
constexpr uint64_t kRareBits = 0x1f << 11 | 3 << 1;

FloatBound FloatBoundOf(double limit) {
  const int top = std::max(kLeastExponent, std::ilogb(limit) - 1);
  return {top, std::max(1, top - kCommonExponents + 1 - kLeastExponent),
          DoubleToHalf(limit, Rounding::kTowardZero).bits};
}

// A half with a random fraction. Its exponent is one of the largest six or, in a small share of
// draws, any exponent down to the least normal one.
Half DrawFloatBelow(ChoiceStream& choices, FloatBound bound) {
  const uint64_t word = choices.Below(1u << 16);
  int exponent =
      std::max(kLeastExponent, bound.top - static_cast<int>(word >> 11) % kCommonExponents);
  if ((word & kRareBits) == kRareBits) {
    exponent = kLeastExponent + static_cast<int>(word >> 3 & 0xff) % bound.rare;
  }
  const auto biased = static_cast<uint16_t>((exponent + 15) << 10);
  const auto sign = static_cast<uint16_t>((word & 1) << 15);
  const auto magnitude = static_cast<uint16_t>(biased | ((word >> 1) & 0x3ff));
  return Half{static_cast<uint16_t>(sign | std::min(magnitude, bound.most))};
}

Half DrawFloat(ChoiceStream& choices, double limit) {
  return DrawFloatBelow(choices, FloatBoundOf(limit));
}

// k + 1/2 of either sign, up to the limit.
Half DrawTie(ChoiceStream& choices, double limit) {
  const auto bound = static_cast<int64_t>(std::min(limit, 1000.0));
  const auto whole = static_cast<double>(choices.Range(-bound, bound));
  return DoubleToHalf(std::clamp(whole + 0.5, -limit, limit), Rounding::kTowardZero);
}

}  // namespace

double InputMagnitude(CaseMode mode) {
  switch (ValuesOf(mode)) {
    case CaseMode::kInteger:
      return 16;
    case CaseMode::kBoundary:
    case CaseMode::kSpecial:
      return kHalfMaxValue;
    case CaseMode::kCancellation:
      return 4096;
    case CaseMode::kLargeAxis:
      return 4;
    default:
      return 16;
  }
}

Half DrawHalf(ChoiceStream& choices, CaseMode mode, double limit) {
  switch (ValuesOf(mode)) {
    case CaseMode::kInteger:
      return DrawInteger(choices, IntegerBound(limit));
    case CaseMode::kSpecial:
      return choices.Chance(1, 4) ? Half{choices.Pick(kSpecials)}
                                  : DrawFloat(choices, std::min(limit, 16.0));
    case CaseMode::kBoundary: {
      // Draws k + 1/2, because the rounding of such numbers and of their sums has ties.
      if (choices.Chance(1, 8)) return DrawTie(choices, limit);
      if (!choices.Chance(1, 2)) return DrawFloat(choices, std::min(limit, 64.0));
      const auto sign = static_cast<uint16_t>(choices.Chance(1, 4) ? 0x8000 : 0);
      const Half edge{choices.Pick(kEdges)};
      const Half kept =
          HalfToDouble(edge) <= limit ? edge : DoubleToHalf(limit, Rounding::kTowardZero);
      return Half{static_cast<uint16_t>(kept.bits | sign)};
    }
    case CaseMode::kCancellation: {
      // Numbers of few magnitudes and both signs, so that sums lose most of their leading bits. A
      // number is at most half the limit, so that the sum of two numbers lies within the limit.
      constexpr uint16_t kLowBits = 3;
      const uint16_t most = DoubleToHalf(limit / 2, Rounding::kTowardZero).bits;
      const uint16_t power =
          DoubleToHalf(std::ldexp(1.0, static_cast<int>(choices.Below(12)))).bits;
      const auto base = static_cast<uint16_t>(
          std::min<int>(power, std::max(0, static_cast<int>(most) - kLowBits)));
      const auto low_bits = static_cast<uint16_t>(choices.Below(kLowBits + 1));
      const auto sign = static_cast<uint16_t>(choices.Coin() ? 0x8000 : 0);
      return Half{static_cast<uint16_t>(sign | std::min<int>(base + low_bits, most))};
    }
    case CaseMode::kLargeAxis:
      // Numbers of one sign, because their sum stagnates in a narrow accumulator.
      return DoubleToHalf(std::fabs(HalfToDouble(DrawFloat(choices, limit))));
    default:
      return DrawFloat(choices, limit);
  }
}

namespace {

// Replaces c by the rounded -(a + b) in about half of the runs of three elements a, b, c. In a sum
// of neighbours these terms cancel, except for the rounding.
void Cancel(ChoiceStream& choices, std::span<uint8_t> bytes) {
  const auto at = [&](size_t i) {
    return Half{static_cast<uint16_t>(bytes[2 * i] | bytes[2 * i + 1] << 8)};
  };
  for (size_t i = 0; 2 * (i + 3) <= bytes.size(); i += 3) {
    if (!choices.Coin()) continue;
    const double sum = HalfToDouble(at(i)) + HalfToDouble(at(i + 1));
    const uint16_t bits = DoubleToHalf(-sum).bits;
    if (Half{bits}.IsInf()) continue;
    bytes[2 * i + 4] = static_cast<uint8_t>(bits);
    bytes[2 * i + 5] = static_cast<uint8_t>(bits >> 8);
  }
}

}  // namespace

namespace {

// Fills `bytes` with elements of sizeof(T) bytes, little endian, drawn in order.
template <typename T, typename Draw>
void FillWith(ChoiceStream& choices, std::span<uint8_t> bytes, const Draw& draw) {
  // A local copy of the stream stays in registers, since no written byte can alias it.
  ChoiceStream own = choices;
  for (size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    const T bits = draw(own);
    for (size_t i = 0; i < sizeof(T); ++i) bytes[at + i] = static_cast<uint8_t>(bits >> (8 * i));
  }
  choices = own;
}

void FillHalves(ChoiceStream& choices, CaseMode mode, double limit, std::span<uint8_t> bytes) {
  switch (ValuesOf(mode)) {
    case CaseMode::kInteger: {
      const int64_t bound = IntegerBound(limit);
      return FillWith<uint16_t>(choices, bytes,
                                [=](ChoiceStream& own) { return DrawInteger(own, bound).bits; });
    }
    case CaseMode::kFloat: {
      const FloatBound bound = FloatBoundOf(limit);
      return FillWith<uint16_t>(choices, bytes,
                                [=](ChoiceStream& own) { return DrawFloatBelow(own, bound).bits; });
    }
    default:
      break;
  }
  FillWith<uint16_t>(choices, bytes,
                     [=](ChoiceStream& own) { return DrawHalf(own, mode, limit).bits; });
  if (ValuesOf(mode) == CaseMode::kCancellation) Cancel(choices, bytes);
}

void FillBytes(ChoiceStream& choices, uint64_t bound, std::span<uint8_t> bytes) {
  FillWith<uint8_t>(choices, bytes,
                    [=](ChoiceStream& own) { return static_cast<uint8_t>(own.Below(bound)); });
}

// Draws integers whose magnitude is at most the limit and the type's limit.
template <typename T>
void FillIntegers(ChoiceStream& choices, double limit, double top, std::span<uint8_t> bytes) {
  const auto bound = static_cast<int64_t>(std::min(limit, top));
  FillWith<T>(choices, bytes,
              [=](ChoiceStream& own) { return static_cast<T>(own.Range(-bound, bound)); });
}

template <typename T>
void FillUnsigned(ChoiceStream& choices, double limit, double top, std::span<uint8_t> bytes) {
  const uint64_t bound = static_cast<uint64_t>(std::min(limit, top)) + 1;
  FillWith<T>(choices, bytes, [=](ChoiceStream& own) { return static_cast<T>(own.Below(bound)); });
}

}  // namespace

void FillTensor(ChoiceStream& choices, const TensorType& type, CaseMode mode, double limit,
                std::span<uint8_t> bytes) {
  switch (type.dtype) {
    case DType::kFp16:
      return FillHalves(choices, mode, limit, bytes);
    case DType::kFp32:
      return FillWith<uint32_t>(choices, bytes, [=](ChoiceStream& own) {
        return std::bit_cast<uint32_t>(HalfToFloat(DrawHalf(own, mode, limit)));
      });
    case DType::kBool:
      return FillBytes(choices, 2, bytes);
    case DType::kUint8:
      return FillUnsigned<uint8_t>(choices, limit, 255, bytes);
    case DType::kUint16:
      return FillUnsigned<uint16_t>(choices, limit, 65535, bytes);
    case DType::kInt8:
      return FillIntegers<uint8_t>(choices, limit, 127, bytes);
    case DType::kInt16:
      return FillIntegers<uint16_t>(choices, limit, 32767, bytes);
    case DType::kInt32:
      return FillIntegers<uint32_t>(choices, limit, 32767, bytes);
    default:
      // Every bit pattern of sub-byte and fp8 types is a value.
      return FillBytes(choices, 256, bytes);
  }
}

std::vector<uint8_t> DrawTensor(ChoiceStream& choices, const TensorType& type, CaseMode mode,
                                double limit) {
  std::vector<uint8_t> bytes(static_cast<size_t>(type.ByteSize()));
  FillTensor(choices, type, mode, limit, bytes);
  return bytes;
}

}  // namespace anecheck
