// Sliding windows over one to three spatial axes, for the reference kernels of conv and the pools.
// The windows follow only from the attributes and from the extents of the kernel, the input and the
// result.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "harness/graph/graph.h"
#include "oracles/reference/lanes.h"

namespace anecheck::reference {

// Attribute indices; -1 if the operation has no such attribute.
struct WindowAttributes {
  int strides = -1;
  int pad_type = -1;
  int pad = -1;
  int dilations = -1;
};

class SlidingWindow {
 public:
  // `x` is [N, C, spatial...], and `kernel` holds the window's extents. Precondition: `node` is
  // valid.
  SlidingWindow(const NodeView& node, const Shape& x, const Shape& result,
                std::span<const int64_t> kernel, const WindowAttributes& attributes);

  int64_t KernelElements() const { return kernel_[0] * kernel_[1] * kernel_[2]; }
  int64_t OutputElements() const { return output_[0] * output_[1] * output_[2]; }
  // Whether some window covers no element of the input. ceil_mode may add such a last window.
  bool AnyEmpty() const;
  // The number of elements of the window at `position` that lie in the input or its declared
  // padding.
  int64_t PaddedElements(int64_t position) const;

  // Gathers the window at `position` in `channels` planes. `plane` (n * C + c) is the index of the
  // first plane. The lanes start at `first_lane` and are ordered [channel][kernel element]. Lanes
  // in the padding are zero.
  void Gather(const BoundedTensor& x, int64_t plane, int64_t channels, int64_t position,
              LaneBuffer& lanes, size_t first_lane = 0) const;
  // Packs the windows of finite points at `width` positions from `position` on. Number k of the
  // windows, in the order of Gather's lanes, goes to out[k * pitch] and the following elements.
  void Pack(const double* x, int64_t plane, int64_t channels, int64_t position, size_t width,
            size_t pitch, float* out) const;
  // Gathers the lanes of one plane that lie in the input. Returns their number.
  size_t GatherValid(const BoundedTensor& x, int64_t plane, int64_t position,
                     LaneBuffer& lanes) const;
  // Gathers all lanes and their weights. Both are zero in the padding, so that an infinite weight
  // there does not make the sum NaN.
  void GatherPairs(const BoundedTensor& x, int64_t plane, int64_t channels, int64_t position,
                   const BoundedTensor& weight, size_t weight_start, LaneBuffer& lanes,
                   LaneBuffer& weights) const;

 private:
  static constexpr size_t kAxes = 3;  // axes of extent 1 precede fewer than three spatial axes
  using Triple = std::array<int64_t, kAxes>;

  Triple Start(int64_t position) const;
  // Calls visit(kernel index, offset in the plane), with -1 as the offset in the padding.
  template <typename Visit>
  void ForEachTap(int64_t position, const Visit& visit) const;

  Triple input_{1, 1, 1}, kernel_{1, 1, 1}, stride_{1, 1, 1}, dilation_{1, 1, 1}, output_{1, 1, 1};
  Triple before_{}, after_{};
};

}  // namespace anecheck::reference
