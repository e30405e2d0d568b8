#include "harness/device/ops/broadcast.h"

#include <algorithm>

namespace anecheck::device {

std::optional<BroadcastPlan> BroadcastPlan::Make(const Shape& x, const Shape& y) {
  BroadcastPlan plan;
  const int rank = std::max(x.rank(), y.rank());
  const auto x_dense = DenseStrides(x);
  const auto y_dense = DenseStrides(y);
  for (int axis = 0; axis < rank; ++axis) {
    const int x_axis = axis - (rank - x.rank());
    const int y_axis = axis - (rank - y.rank());
    const int64_t x_extent = x_axis >= 0 ? x[x_axis] : 1;
    const int64_t y_extent = y_axis >= 0 ? y[y_axis] : 1;
    if (x_extent != y_extent && x_extent != 1 && y_extent != 1) return std::nullopt;
    const int64_t extent = x_extent == 1 ? y_extent : x_extent;
    plan.shape.Append(extent);
    plan.elements *= extent;
    if (extent == 1) continue;
    const int64_t x_stride = x_extent > 1 ? x_dense[static_cast<size_t>(x_axis)] : 0;
    const int64_t y_stride = y_extent > 1 ? y_dense[static_cast<size_t>(y_axis)] : 0;
    if (plan.axes > 0) {
      const auto last = static_cast<size_t>(plan.axes - 1);
      if (plan.x_strides[last] == x_stride * extent && plan.y_strides[last] == y_stride * extent) {
        plan.extents[last] *= extent;
        plan.x_strides[last] = x_stride;
        plan.y_strides[last] = y_stride;
        continue;
      }
    }
    const auto at = static_cast<size_t>(plan.axes++);
    plan.extents[at] = extent;
    plan.x_strides[at] = x_stride;
    plan.y_strides[at] = y_stride;
  }
  return plan;
}

}  // namespace anecheck::device
