#include "harness/lowering/pack.h"

#include <array>

namespace anecheck {
namespace {

constexpr std::array<mil::DataType, kDTypeCount> kMilTypes = {
    mil::DataType::kFp16,  mil::DataType::kFp32,      mil::DataType::kInt8,
    mil::DataType::kUint8, mil::DataType::kInt16,     mil::DataType::kUint16,
    mil::DataType::kInt32, mil::DataType::kBool,      mil::DataType::kInt4,
    mil::DataType::kUint4, mil::DataType::kFp8E4M3Fn, mil::DataType::kFp8E5M2,
    mil::DataType::kUint1, mil::DataType::kUint2,     mil::DataType::kUint3,
    mil::DataType::kUint6};

}  // namespace

std::vector<uint8_t> UnpackElements(const TensorType& type, std::span<const uint8_t> packed) {
  const int bits = DTypeBits(type.dtype);
  std::vector<uint8_t> bytes(static_cast<size_t>(type.shape.Elements()));
  for (size_t i = 0; i < bytes.size(); ++i) {
    const size_t first = i * static_cast<size_t>(bits);
    unsigned word = packed[first / 8];
    if (first / 8 + 1 < packed.size()) word |= static_cast<unsigned>(packed[first / 8 + 1]) << 8;
    bytes[i] = static_cast<uint8_t>((word >> (first % 8)) & ((1u << bits) - 1));
    if (type.dtype == DType::kInt4 && bytes[i] >= 8) bytes[i] |= 0xf0;
  }
  return bytes;
}

std::vector<uint8_t> PackElements(const TensorType& type, std::span<const uint8_t> bytes) {
  const int bits = DTypeBits(type.dtype);
  std::vector<uint8_t> packed(static_cast<size_t>(type.ByteSize()));
  const auto count = static_cast<size_t>(type.shape.Elements());
  for (size_t i = 0; i < count && i < bytes.size(); ++i) {
    const size_t first = i * static_cast<size_t>(bits);
    const unsigned word = (bytes[i] & ((1u << bits) - 1)) << (first % 8);
    packed[first / 8] = static_cast<uint8_t>(packed[first / 8] | word);
    if (word > 0xff)
      packed[first / 8 + 1] = static_cast<uint8_t>(packed[first / 8 + 1] | word >> 8);
  }
  return packed;
}

mil::DataType ToMilType(DType dtype) { return kMilTypes[static_cast<size_t>(dtype)]; }

std::optional<DType> FromMilType(mil::DataType type) {
  for (size_t i = 0; i < kDTypeCount; ++i) {
    if (kMilTypes[i] == type) return static_cast<DType>(i);
  }
  return std::nullopt;
}

}  // namespace anecheck
