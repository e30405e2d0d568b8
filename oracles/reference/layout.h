// Row-major index arithmetic for the reference kernels: strides, broadcasting, and the split of a
// tensor into reduced and kept axes. It shares no code with the shape rules of the operation table,
// so that an error in one shows as a difference.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "harness/graph/types.h"
#include "oracles/reference/kernel.h"

namespace anecheck::reference {

using Strides = std::array<int64_t, Shape::kMaxRank>;

// Returns for each axis the distance between neighbours along it, in elements.
inline Strides RowMajorStrides(const Shape& shape) {
  Strides strides{};
  int64_t step = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    strides[static_cast<size_t>(axis)] = step;
    step *= shape[axis];
  }
  return strides;
}

// Returns the strides that map an index of `result` to an element of `operand`. The last axes of
// both correspond, and broadcast axes have stride 0.
inline Strides BroadcastStrides(const Shape& operand, const Shape& result) {
  const Strides own = RowMajorStrides(operand);
  Strides strides{};
  const int offset = result.rank() - operand.rank();
  for (int axis = 0; axis < operand.rank(); ++axis) {
    if (operand[axis] != 1) {
      strides[static_cast<size_t>(axis + offset)] = own[static_cast<size_t>(axis)];
    }
  }
  return strides;
}

// Calls visit(result index, source index a, source index b) for every element of `shape` in order.
template <typename Visit>
void ForEachPair(const Shape& shape, const Strides& a, const Strides& b, const Visit& visit) {
  const int rank = shape.rank();
  if (rank == 0) {
    visit(size_t{0}, size_t{0}, size_t{0});
    return;
  }
  if (shape.Elements() == 0) return;
  const auto last = static_cast<size_t>(rank - 1);
  const auto inner = static_cast<size_t>(shape[rank - 1]);
  const auto step_a = static_cast<size_t>(a[last]);
  const auto step_b = static_cast<size_t>(b[last]);
  std::array<int64_t, Shape::kMaxRank> index{};
  size_t at = 0;
  int64_t base_a = 0;
  int64_t base_b = 0;
  while (true) {
    auto at_a = static_cast<size_t>(base_a);
    auto at_b = static_cast<size_t>(base_b);
    for (size_t i = 0; i < inner; ++i, ++at, at_a += step_a, at_b += step_b) visit(at, at_a, at_b);
    int axis = rank - 2;
    for (; axis >= 0; --axis) {
      const auto k = static_cast<size_t>(axis);
      base_a += a[k];
      base_b += b[k];
      if (++index[k] < shape[axis]) break;
      base_a -= a[k] * shape[axis];
      base_b -= b[k] * shape[axis];
      index[k] = 0;
    }
    if (axis < 0) return;
  }
}

// Calls visit(result index, source index) for every element of `shape` in order.
template <typename Visit>
void ForEachSource(const Shape& shape, const Strides& source, int64_t start, const Visit& visit) {
  ForEachPair(shape, source, Strides{}, [&](size_t at, size_t from, size_t) {
    visit(at, static_cast<size_t>(start) + from);
  });
}

// A tensor split into kept and reduced axes. `outer` holds the offset of each kept position.
// `inner` holds the offsets, relative to it, of the elements to reduce together. Both are
// row-major.
struct AxisSplit {
  std::span<int64_t> outer;
  std::span<int64_t> inner;
};
AxisSplit SplitAxes(Arena& arena, const Shape& shape, uint32_t reduced_mask);

// Returns the axes in an attribute as a bit mask, or all axes if the attribute is absent.
// Precondition: the graph was validated, so every axis is in range.
uint32_t MaskOfAxes(const NodeView& node, int parameter, int rank);

}  // namespace anecheck::reference
