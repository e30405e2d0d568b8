#include "harness/device/ops/axis_split.h"

namespace anecheck::device {
namespace {

void AppendAxis(std::vector<int64_t>& offsets, int64_t extent, int64_t stride) {
  if (extent == 1) return;
  std::vector<int64_t> longer;
  longer.reserve(offsets.size() * static_cast<size_t>(extent));
  for (const int64_t offset : offsets) {
    for (int64_t i = 0; i < extent; ++i) longer.push_back(offset + i * stride);
  }
  offsets = std::move(longer);
}

}  // namespace

AxisSplit SplitAxes(const Shape& shape, uint32_t mask) {
  AxisSplit split;
  split.kept.push_back(0);
  split.reduced.push_back(0);
  const auto strides = DenseStrides(shape);
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const bool reduced = (mask >> axis & 1) != 0;
    AppendAxis(reduced ? split.reduced : split.kept, shape[axis],
               strides[static_cast<size_t>(axis)]);
  }
  return split;
}

}  // namespace anecheck::device
