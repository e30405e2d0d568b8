// Copies of rectangular regions between tensors of any element size: the data movement of the
// engine. Used by movement.cc and slice.cc.
#pragma once

#include <array>
#include <cstdint>

#include "harness/device/tensor_type.h"

namespace anecheck::device {

using Strides = std::array<int64_t, Shape::kMaxRank>;  // in elements

// For every index of `extents`: to[index . to_strides] = from[index . from_strides]. `size` is the
// size of an element in bytes. Strides may be negative as long as all accesses stay inside the
// tensors.
void CopyStrided(const Shape& extents, int64_t size, const void* from, const Strides& from_strides,
                 void* to, const Strides& to_strides);

}  // namespace anecheck::device
