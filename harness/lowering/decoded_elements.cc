#include "harness/lowering/decoded_elements.h"

#include <bit>

#include "harness/base/half.h"

namespace anecheck {
namespace {

double NumberOf(DType dtype, int64_t word) {
  if (dtype == DType::kFp16) return HalfToDouble(Half{static_cast<uint16_t>(word)});
  if (dtype == DType::kFp32) return std::bit_cast<float>(static_cast<uint32_t>(word));
  return static_cast<double>(word);
}

}  // namespace

std::vector<int64_t> ElementWords(DType dtype, std::span<const uint8_t> bytes) {
  const auto size = static_cast<size_t>(DTypeBits(dtype) / 8);
  const bool has_sign = dtype == DType::kInt8 || dtype == DType::kInt16 || dtype == DType::kInt32;
  std::vector<int64_t> words;
  for (size_t at = 0; at + size <= bytes.size(); at += size) {
    uint64_t word = 0;
    for (size_t i = 0; i < size; ++i) word |= uint64_t{bytes[at + i]} << (8 * i);
    const auto unused = static_cast<int>(64 - 8 * size);
    words.push_back(has_sign ? static_cast<int64_t>(word << unused) >> unused
                             : static_cast<int64_t>(word));
  }
  return words;
}

std::vector<double> ElementNumbers(DType dtype, std::span<const uint8_t> bytes) {
  std::vector<double> numbers;
  for (const int64_t word : ElementWords(dtype, bytes)) numbers.push_back(NumberOf(dtype, word));
  return numbers;
}

}  // namespace anecheck
