// The elements of attributes from their bytes, as literals and weight files give them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/graph/types.h"

namespace anecheck {

// Whether the functions below take elements of the type: those of whole bytes, no 8-bit floats.
constexpr bool IsDecoded(DType dtype) {
  return DTypeBits(dtype) >= 8 &&
         (!IsFloat(dtype) || dtype == DType::kFp16 || dtype == DType::kFp32);
}

// The elements, little endian, as words; signed ones extended. Precondition: IsDecoded(dtype). An
// incomplete element at the end is ignored.
std::vector<int64_t> ElementWords(DType dtype, std::span<const uint8_t> bytes);

// The same as numbers, each exact.
std::vector<double> ElementNumbers(DType dtype, std::span<const uint8_t> bytes);

}  // namespace anecheck
