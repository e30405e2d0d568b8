#include "generators/tensor_data.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <span>

namespace anecheck {
namespace {

// Values at which engines change their behaviour: integer exactness (2048), crop gain (4094 to
// 4096), accumulator port (32752, 32768), the fp16 maximum (facts/numerics.md).
constexpr std::array<uint16_t, 22> kEdges = {
    0x67ff, 0x6800, 0x6801, 0x6bff, 0x6c00, 0x6bfe, 0x77ff, 0x7800, 0x7bff, 0x7bfe, 0x0001,
    0x03ff, 0x0400, 0x3c00, 0x3bff, 0x3c01, 0x77fe, 0x7801, 0x6c01, 0x0401, 0x3800, 0x3e00};

constexpr std::array<uint16_t, 12> kSpecials = {0x7c00, 0xfc00, 0x7e00, 0x0000, 0x8000, 0x0001,
                                                0x8001, 0x03ff, 0x0400, 0x7bff, 0xfbff, 0x3c00};

Half DrawInteger(ChoiceStream& choices, double limit) {
  const auto bound = static_cast<int64_t>(std::min(limit, 2048.0));
  return DoubleToHalf(static_cast<double>(choices.Range(-bound, bound)));
}

// A half of random fraction whose exponent lies up to six binades below the limit's.
Half DrawFloat(ChoiceStream& choices, double limit) {
  const uint64_t word = choices.Below(1u << 16);
  const int top = std::max(-14, std::ilogb(limit) - 1);
  const int exponent = std::max(-14, top - static_cast<int>(word >> 11) % 6);
  const auto biased = static_cast<uint16_t>((exponent + 15) << 10);
  const auto sign = static_cast<uint16_t>((word & 1) << 15);
  return Half{static_cast<uint16_t>(sign | biased | ((word >> 1) & 0x3ff))};
}

// k + 1/2 of either sign, up to the limit.
Half DrawTie(ChoiceStream& choices, double limit) {
  const auto bound = static_cast<int64_t>(std::min(limit, 1000.0));
  const auto whole = static_cast<double>(choices.Range(-bound, bound));
  return DoubleToHalf(std::clamp(whole + 0.5, -limit, limit));
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
      return DrawInteger(choices, limit);
    case CaseMode::kSpecial:
      return choices.Chance(1, 4) ? Half{choices.Pick(kSpecials)}
                                  : DrawFloat(choices, std::min(limit, 16.0));
    case CaseMode::kBoundary: {
      // Halves of whole numbers: sums and roundings of them meet ties.
      if (choices.Chance(1, 8)) return DrawTie(choices, limit);
      if (!choices.Chance(1, 2)) return DrawFloat(choices, std::min(limit, 64.0));
      const auto sign = static_cast<uint16_t>(choices.Chance(1, 4) ? 0x8000 : 0);
      const Half edge{choices.Pick(kEdges)};
      const Half kept =
          HalfToDouble(edge) <= limit ? edge : DoubleToHalf(limit, Rounding::kTowardZero);
      return Half{static_cast<uint16_t>(kept.bits | sign)};
    }
    case CaseMode::kCancellation: {
      // Few magnitudes and both signs, so that sums lose most of their leading bits.
      const Half base =
          DoubleToHalf(std::min(limit, std::ldexp(1.0, static_cast<int>(choices.Below(12)))));
      const auto low_bits = static_cast<uint16_t>(choices.Below(4));
      const auto sign = static_cast<uint16_t>(choices.Coin() ? 0x8000 : 0);
      return Half{static_cast<uint16_t>(sign | (base.bits + low_bits))};
    }
    case CaseMode::kLargeAxis:
      // Mostly of one sign: a narrow accumulator then stagnates.
      return DoubleToHalf(std::fabs(HalfToDouble(DrawFloat(choices, limit))));
    default:
      return DrawFloat(choices, limit);
  }
}

namespace {

// a, b and -(a + b) rounded, over and over: three terms that cancel but for the rounding, wherever
// a sum takes neighbours. In place of every other run of three elements.
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

std::vector<uint8_t> DrawTensor(ChoiceStream& choices, const TensorType& type, CaseMode mode,
                                double limit) {
  std::vector<uint8_t> bytes(static_cast<size_t>(type.ByteSize()));
  const int64_t count = type.shape.Elements();
  const auto put = [&](int64_t index, uint64_t bits, size_t size) {
    for (size_t i = 0; i < size; ++i) {
      bytes[static_cast<size_t>(index) * size + i] = static_cast<uint8_t>(bits >> (8 * i));
    }
  };
  for (int64_t i = 0; i < count; ++i) {
    switch (type.dtype) {
      case DType::kFp16:
        put(i, DrawHalf(choices, mode, limit).bits, 2);
        break;
      case DType::kFp32:
        put(i, std::bit_cast<uint32_t>(HalfToFloat(DrawHalf(choices, mode, limit))), 4);
        break;
      case DType::kBool:
        put(i, choices.Below(2), 1);
        break;
      case DType::kUint8:
      case DType::kUint16: {
        const double top = type.dtype == DType::kUint8 ? 255 : 65535;
        put(i, choices.Below(static_cast<uint64_t>(std::min(limit, top)) + 1),
            static_cast<size_t>(DTypeBits(type.dtype) / 8));
        break;
      }
      case DType::kInt8:
      case DType::kInt16:
      case DType::kInt32: {
        const double top = type.dtype == DType::kInt8 ? 127 : 32767;
        const auto bound = static_cast<int64_t>(std::min(limit, top));
        put(i, static_cast<uint64_t>(choices.Range(-bound, bound)),
            static_cast<size_t>(DTypeBits(type.dtype) / 8));
        break;
      }
      default:
        // Sub-byte and fp8 constants are any bit pattern: every one is a value.
        break;
    }
  }
  if (ValuesOf(mode) == CaseMode::kCancellation && type.dtype == DType::kFp16) {
    Cancel(choices, bytes);
  }
  if (IsConstOnly(type.dtype)) {
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(choices.Below(256));
  }
  return bytes;
}

}  // namespace anecheck
