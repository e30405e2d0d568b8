// Conversion between a graph's packed constants and one byte per element, as MIL text needs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/formats/mil/data_type.h"
#include "harness/graph/types.h"

namespace anecheck {

// Expands elements narrower than a byte to one byte each, with sign extension for signed types.
// `packed` has the least significant bits first.
std::vector<uint8_t> UnpackElements(const TensorType& type, std::span<const uint8_t> packed);
// The inverse of UnpackElements. Drops the bits of an element beyond its width.
std::vector<uint8_t> PackElements(const TensorType& type, std::span<const uint8_t> bytes);

mil::DataType ToMilType(DType dtype);
// Empty for types that graphs do not have (fp64, int64, string ...).
std::optional<DType> FromMilType(mil::DataType type);

}  // namespace anecheck
