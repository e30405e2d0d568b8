#include "oracles/reference/layout.h"

namespace anecheck::reference {
namespace {

std::span<int64_t> Offsets(Arena& arena, const Shape& shape, uint32_t mask, bool chosen) {
  const Strides strides = RowMajorStrides(shape);
  Shape part;
  Strides part_strides{};
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (((mask >> axis & 1) != 0) != chosen) continue;
    part_strides[static_cast<size_t>(part.rank())] = strides[static_cast<size_t>(axis)];
    part.Append(shape[axis]);
  }
  const auto count = static_cast<size_t>(part.Elements());
  const std::span<int64_t> offsets(arena.Allocate<int64_t>(count), count);
  ForEachSource(part, part_strides, 0,
                [&](size_t at, size_t from) { offsets[at] = static_cast<int64_t>(from); });
  return offsets;
}

}  // namespace

AxisSplit SplitAxes(Arena& arena, const Shape& shape, uint32_t reduced_mask) {
  return {Offsets(arena, shape, reduced_mask, false), Offsets(arena, shape, reduced_mask, true)};
}

uint32_t MaskOfAxes(const NodeView& node, int parameter, int rank) {
  if (!node.HasAttribute(parameter)) return (uint32_t{1} << rank) - 1;
  uint32_t mask = 0;
  for (const int64_t axis : node.Ints(parameter)) {
    mask |= uint32_t{1} << (axis < 0 ? axis + rank : axis);
  }
  return mask;
}

}  // namespace anecheck::reference
