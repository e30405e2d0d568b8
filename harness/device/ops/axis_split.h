// Splits the axes of a tensor into those that an operation works along and those that it keeps.
// Used by reductions, softmax and normalizations.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/device/tensor_type.h"

namespace anecheck::device {

struct AxisSplit {
  // Element offsets: any element is kept[i] + reduced[j], both in row-major order.
  std::vector<int64_t> kept;
  std::vector<int64_t> reduced;
};

// `mask` has a bit for each axis that belongs to `reduced`.
AxisSplit SplitAxes(const Shape& shape, uint32_t mask);

}  // namespace anecheck::device
