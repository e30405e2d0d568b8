// Sliding windows over one to three spatial axes, as the reference kernels of conv and the pools
// see them. Worked out from the attributes and the result's extents alone.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "harness/graph/graph.h"
#include "oracles/reference/lanes.h"

namespace anecheck::reference {

// Attribute indices; -1 where the operation has none.
struct WindowAttributes {
  int strides = -1;
  int pad_type = -1;
  int pad = -1;
  int dilations = -1;
};

class SlidingWindow {
 public:
  // `x` is [N, C, spatial...], `kernel` the window's extents. Precondition: a validated node.
  SlidingWindow(const NodeView& node, const Shape& x, const Shape& result,
                std::span<const int64_t> kernel, const WindowAttributes& attributes);

  int64_t KernelElements() const { return kernel_[0] * kernel_[1] * kernel_[2]; }
  int64_t OutputElements() const { return output_[0] * output_[1] * output_[2]; }
  // Whether some window covers no element of the input: a last one that ceil_mode adds beyond it.
  bool AnyEmpty() const;
  // Elements of the window at `position` that lie in the input or its declared padding.
  int64_t PaddedElements(int64_t position) const;

  // Lanes [channel][kernel element], from `first_lane` on, of `channels` planes from plane index
  // `plane` (n * C + c) on; zero where the window lies in the padding.
  void Gather(const BoundedTensor& x, int64_t plane, int64_t channels, int64_t position,
              LaneBuffer& lanes, size_t first_lane = 0) const;
  // The windows at `width` positions from `position` on, of finite points: number k of each, in the
  // order of Gather's lanes, at out[k * pitch] and the places behind it.
  void Pack(const double* x, int64_t plane, int64_t channels, int64_t position, size_t width,
            size_t pitch, float* out) const;
  // The lanes of one plane that lie in the input; gives their number.
  size_t GatherValid(const BoundedTensor& x, int64_t plane, int64_t position,
                     LaneBuffer& lanes) const;
  // All lanes with the weights that meet them; both are zero in the padding, where nothing is
  // multiplied and an infinite weight must not count.
  void GatherPairs(const BoundedTensor& x, int64_t plane, int64_t channels, int64_t position,
                   const BoundedTensor& weight, size_t weight_start, LaneBuffer& lanes,
                   LaneBuffer& weights) const;

 private:
  static constexpr size_t kAxes = 3;  // fewer spatial axes are led by extents of 1
  using Triple = std::array<int64_t, kAxes>;

  Triple Start(int64_t position) const;
  // Calls visit(kernel index, offset in the plane or -1 in the padding).
  template <typename Visit>
  void ForEachTap(int64_t position, const Visit& visit) const;

  Triple input_{1, 1, 1}, kernel_{1, 1, 1}, stride_{1, 1, 1}, dilation_{1, 1, 1}, output_{1, 1, 1};
  Triple before_{}, after_{};
};

}  // namespace anecheck::reference
