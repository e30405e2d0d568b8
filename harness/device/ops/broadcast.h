// Broadcasting of two shapes. A plan gives the pair of operand elements for each output element.
// Used by elementwise operations and by the leading axes of matrix multiply.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "harness/device/tensor_type.h"

namespace anecheck::device {

// Axes of the output with the element strides of the operands. A stride is 0 along a broadcast
// axis. Axes are merged if both operands traverse them as one axis.
struct BroadcastPlan {
  Shape shape;  // the shape of the output
  int axes = 0;
  std::array<int64_t, Shape::kMaxRank> extents{};
  std::array<int64_t, Shape::kMaxRank> x_strides{};
  std::array<int64_t, Shape::kMaxRank> y_strides{};

  // Empty if the shapes do not broadcast.
  static std::optional<BroadcastPlan> Make(const Shape& x, const Shape& y);

  // Calls visit(out, x, y, run) for every run of elements along the last axis. Element i of the run
  // is at out + i of the output, x + i * x_step() of x and y + i * y_step() of y.
  template <typename Visit>
  void ForEachRun(Visit&& visit) const {
    const int64_t run = axes > 0 ? extents[static_cast<size_t>(axes - 1)] : 1;
    const int outer = axes > 0 ? axes - 1 : 0;
    std::array<int64_t, Shape::kMaxRank> index{};
    int64_t x = 0;
    int64_t y = 0;
    for (int64_t out = 0; out < elements; out += run) {
      visit(out, x, y, run);
      for (int axis = outer - 1; axis >= 0; --axis) {
        const auto a = static_cast<size_t>(axis);
        x += x_strides[a];
        y += y_strides[a];
        if (++index[a] < extents[a]) break;
        x -= x_strides[a] * extents[a];
        y -= y_strides[a] * extents[a];
        index[a] = 0;
      }
    }
  }
  // Calls visit(out, x, y) for every element.
  template <typename Visit>
  void ForEach(Visit&& visit) const {
    ForEachRun([&](int64_t out, int64_t x, int64_t y, int64_t run) {
      for (int64_t i = 0; i < run; ++i) visit(out + i, x + i * x_step(), y + i * y_step());
    });
  }
  int64_t x_step() const { return axes > 0 ? x_strides[static_cast<size_t>(axes - 1)] : 0; }
  int64_t y_step() const { return axes > 0 ? y_strides[static_cast<size_t>(axes - 1)] : 0; }

  int64_t elements = 1;
};

}  // namespace anecheck::device
