// Sliding windows of convolution and pooling, which give the positions of each output's taps. Used
// by convolution.cc and pooling.cc.
#pragma once

#include <array>
#include <cstdint>

#include "harness/device/op_builder.h"

namespace anecheck::device {

// The spatial axes are depth, height and width. If a program has fewer spatial axes, the leading
// extents are 1.
struct Window {
  static constexpr size_t kAxes = 3;
  using PerAxis = std::array<int64_t, kAxes>;

  int spatial = 0;  // number of spatial axes of the program
  PerAxis input{1, 1, 1};
  PerAxis kernel{1, 1, 1};
  PerAxis stride{1, 1, 1};
  PerAxis dilation{1, 1, 1};
  PerAxis before{0, 0, 0};
  PerAxis after{0, 0, 0};
  PerAxis output{1, 1, 1};

  static int64_t Volume(const PerAxis& extents) { return extents[0] * extents[1] * extents[2]; }
};

// Reads strides, pad_type and pad, and computes the output extents. Reads the arguments dilations
// and ceil_mode only if the parameters of these names are set. `kernel` has one entry per spatial
// axis of `x`. Refuses through the builder. In MIL, "same" puts an odd element of padding behind
// the input and "same_lower" puts it before. With ceil_mode and padding, the last window is dropped
// if it would start behind the front padding and the input.
Window ReadWindow(OpBuilder& builder, const Shape& x, const IntList& kernel, bool dilations,
                  bool ceil_mode);

// Returns the result's shape: batch, channels and the output extents.
Shape WindowShape(const Window& window, int64_t batch, int64_t channels);

}  // namespace anecheck::device
