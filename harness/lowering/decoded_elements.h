// Decodes the elements of attributes from their bytes in literals and weight files.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/graph/types.h"

namespace anecheck {

// Whether the functions below take elements of the type. The elements must be whole bytes, and they
// must not be 8-bit floats.
constexpr bool IsDecoded(DType dtype) {
  return DTypeBits(dtype) >= 8 &&
         (!IsFloat(dtype) || dtype == DType::kFp16 || dtype == DType::kFp32);
}

// Returns the bits of each little-endian element as an integer; signed integers are sign-extended.
// Precondition: IsDecoded(dtype). An incomplete element at the end is ignored.
std::vector<int64_t> ElementWords(DType dtype, std::span<const uint8_t> bytes);

// As ElementWords, but returns each element as a double. The conversion is exact.
std::vector<double> ElementNumbers(DType dtype, std::span<const uint8_t> bytes);

}  // namespace anecheck
