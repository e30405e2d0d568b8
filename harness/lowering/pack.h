// Between a graph's packed constants and the byte-an-element form of MIL and the weight files.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/formats/mil/data_type.h"
#include "harness/graph/types.h"

namespace anecheck {

// Elements narrower than a byte, one byte each, signed ones extended to it. `packed` holds them
// least significant bits first.
std::vector<uint8_t> UnpackElements(const TensorType& type, std::span<const uint8_t> packed);
// The inverse; bits of an element beyond its width are dropped.
std::vector<uint8_t> PackElements(const TensorType& type, std::span<const uint8_t> bytes);

mil::DataType ToMilType(DType dtype);
// Nothing for types that graphs do not have (fp64, int64, string ...).
std::optional<DType> FromMilType(mil::DataType type);

}  // namespace anecheck
