// Converts tensor bytes to numbers and back, for every element type.
#include <cmath>
#include <cstring>

#include "harness/base/half.h"
#include "oracles/oracle.h"
#include "oracles/reference/number_loops.h"

namespace anecheck {
namespace {

// Loads `bytes` little-endian bytes of element `i`.
template <typename T>
T Load(std::span<const uint8_t> bytes, size_t i) {
  T value{};
  std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}
template <typename T>
void StoreElement(std::span<uint8_t> bytes, size_t i, T value) {
  std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
}

template <typename T>
void DecodeWhole(std::span<const uint8_t> bytes, std::span<double> elements) {
  for (size_t i = 0; i < elements.size(); ++i) {
    elements[i] = static_cast<double>(Load<T>(bytes, i));
  }
}
template <typename T>
void EncodeWhole(std::span<const double> elements, std::span<uint8_t> bytes) {
  for (size_t i = 0; i < elements.size(); ++i) {
    StoreElement<T>(bytes, i, static_cast<T>(elements[i]));
  }
}

// OCP 8-bit floating point, revision 1.0: E4M3 has no infinities and one NaN for each sign.
double DecodeFp8(DType dtype, uint8_t bits) {
  const bool e4m3 = dtype == DType::kFp8E4M3;
  const int mantissa_bits = e4m3 ? 3 : 2;
  const int bias = e4m3 ? 7 : 15;
  const int exponent = (bits & 0x7f) >> mantissa_bits;
  const int mantissa = bits & ((1 << mantissa_bits) - 1);
  const double sign = (bits & 0x80) != 0 ? -1 : 1;
  if (e4m3 && (bits & 0x7f) == 0x7f) return std::numeric_limits<double>::quiet_NaN();
  if (!e4m3 && exponent == 0x1f) {
    return mantissa == 0 ? sign * std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  }
  const int lead = exponent == 0 ? 0 : 1 << mantissa_bits;
  return sign * std::ldexp(lead + mantissa, std::max(exponent, 1) - bias - mantissa_bits);
}

uint8_t LoadBits(std::span<const uint8_t> bytes, size_t i, int width) {
  uint8_t value = 0;
  for (int bit = 0; bit < width; ++bit) {
    const size_t at = i * static_cast<size_t>(width) + static_cast<size_t>(bit);
    value |= static_cast<uint8_t>((bytes[at / 8] >> (at % 8) & 1) << bit);
  }
  return value;
}

void DecodePacked(DType dtype, std::span<const uint8_t> bytes, std::span<double> elements) {
  const int width = DTypeBits(dtype);
  for (size_t i = 0; i < elements.size(); ++i) {
    const uint8_t raw = LoadBits(bytes, i, width);
    if (IsFloat(dtype)) {
      elements[i] = DecodeFp8(dtype, raw);
    } else {
      elements[i] = dtype == DType::kInt4 && raw >= 8 ? raw - 16.0 : raw;
    }
  }
}

// Inverse of DecodePacked by search: these types have at most 256 values.
void EncodePacked(DType dtype, std::span<const double> elements, std::span<uint8_t> bytes) {
  const int width = DTypeBits(dtype);
  std::memset(bytes.data(), 0, bytes.size());
  for (size_t i = 0; i < elements.size(); ++i) {
    for (int candidate = 0; candidate < 1 << width; ++candidate) {
      const auto raw = static_cast<uint8_t>(candidate);
      double value = 0;
      DecodePacked(dtype, std::span(&raw, 1), std::span(&value, 1));
      const bool same = value == elements[i] ? std::signbit(value) == std::signbit(elements[i])
                                             : value != value && elements[i] != elements[i];
      if (!same) continue;
      const size_t at = i * static_cast<size_t>(width);
      bytes[at / 8] |= static_cast<uint8_t>(raw << at % 8);
      if (at % 8 + static_cast<size_t>(width) > 8) {
        bytes[at / 8 + 1] |= static_cast<uint8_t>(raw >> (8 - at % 8));
      }
      break;
    }
  }
}

}  // namespace

void DecodeElements(DType dtype, std::span<const uint8_t> bytes, std::span<double> elements) {
  switch (dtype) {
    case DType::kFp16:
      reference::DecodeHalves(bytes.data(), elements.size(), elements.data());
      return;
    case DType::kFp32:
      return DecodeWhole<float>(bytes, elements);
    case DType::kInt8:
      return DecodeWhole<int8_t>(bytes, elements);
    case DType::kUint8:
      return DecodeWhole<uint8_t>(bytes, elements);
    case DType::kInt16:
      return DecodeWhole<int16_t>(bytes, elements);
    case DType::kUint16:
      return DecodeWhole<uint16_t>(bytes, elements);
    case DType::kInt32:
      return DecodeWhole<int32_t>(bytes, elements);
    case DType::kBool:
      for (size_t i = 0; i < elements.size(); ++i) elements[i] = bytes[i] != 0 ? 1 : 0;
      return;
    default:
      return DecodePacked(dtype, bytes, elements);
  }
}

void EncodeElements(DType dtype, std::span<const double> elements, std::span<uint8_t> bytes) {
  switch (dtype) {
    case DType::kFp16:
      for (size_t i = 0; i < elements.size(); ++i) {
        StoreElement<uint16_t>(bytes, i, DoubleToHalf(elements[i]).bits);
      }
      return;
    case DType::kFp32:
      return EncodeWhole<float>(elements, bytes);
    case DType::kInt8:
      return EncodeWhole<int8_t>(elements, bytes);
    case DType::kUint8:
      return EncodeWhole<uint8_t>(elements, bytes);
    case DType::kInt16:
      return EncodeWhole<int16_t>(elements, bytes);
    case DType::kUint16:
      return EncodeWhole<uint16_t>(elements, bytes);
    case DType::kInt32:
      return EncodeWhole<int32_t>(elements, bytes);
    case DType::kBool:
      for (size_t i = 0; i < elements.size(); ++i) bytes[i] = elements[i] != 0 ? 1 : 0;
      return;
    default:
      return EncodePacked(dtype, elements, bytes);
  }
}

}  // namespace anecheck
