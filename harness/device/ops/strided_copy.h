// Copies rectangular regions between tensors of any element size. All data movement of the engine
// uses these copies.
#pragma once

#include <array>
#include <cstdint>

#include "harness/device/tensor_type.h"

namespace anecheck::device {

using Strides = std::array<int64_t, Shape::kMaxRank>;  // in elements

// For every index of `extents`, copies from[index . from_strides] to to[index . to_strides], where
// "." is the scalar product. `size` is the size of an element in bytes. Strides may be negative as
// long as all accesses stay inside the tensors.
void CopyStrided(const Shape& extents, int64_t size, const void* from, const Strides& from_strides,
                 void* to, const Strides& to_strides);

}  // namespace anecheck::device
