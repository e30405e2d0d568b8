// Splits the axes of a tensor into reduced axes, along which an operation works, and kept axes.
// Used by reductions, softmax and normalizations.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/device/tensor_type.h"

namespace anecheck::device {

struct AxisSplit {
  // Each element is at offset kept[i] + reduced[j] for one i and j, both in row-major order.
  std::vector<int64_t> kept;
  std::vector<int64_t> reduced;
};

// `mask` has a bit for each axis that becomes part of `reduced`.
AxisSplit SplitAxes(const Shape& shape, uint32_t mask);

}  // namespace anecheck::device
