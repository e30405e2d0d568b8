#include "harness/device/tensor_type.h"

#include <fmt/format.h>
#include <string>

namespace anecheck::device {

std::string Shape::ToString() const { return fmt::format("[{}]", fmt::join(dims(), ", ")); }

std::string TensorType::ToString() const {
  return fmt::format("tensor<{}, {}>", mil::DataTypeName(element), shape.ToString());
}

std::array<int64_t, Shape::kMaxRank> DenseStrides(const Shape& shape) {
  std::array<int64_t, Shape::kMaxRank> strides{};
  int64_t stride = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    strides[static_cast<size_t>(axis)] = stride;
    stride *= shape[axis];
  }
  return strides;
}

}  // namespace anecheck::device
