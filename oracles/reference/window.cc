#include "oracles/reference/window.h"

#include <algorithm>
#include <vector>

namespace anecheck::reference {

SlidingWindow::SlidingWindow(const NodeView& node, const Shape& x, const Shape& result,
                             std::span<const int64_t> kernel, const WindowAttributes& attributes) {
  const auto spatial = static_cast<size_t>(x.rank() - 2);
  const size_t lead = kAxes - spatial;
  const auto strides = node.Ints(attributes.strides);
  const auto dilations = node.Ints(attributes.dilations);
  const auto pad = node.Ints(attributes.pad);
  const std::string_view type = node.String(attributes.pad_type, "valid");
  for (size_t i = 0; i < spatial; ++i) {
    const size_t axis = lead + i;
    input_[axis] = x[static_cast<int>(i) + 2];
    output_[axis] = result[static_cast<int>(i) + 2];
    kernel_[axis] = kernel[i];
    if (!strides.empty()) stride_[axis] = strides[i];
    if (!dilations.empty()) dilation_[axis] = dilations[i];
    if (type == "custom") {
      before_[axis] = pad[2 * i];
      after_[axis] = pad[2 * i + 1];
    } else if (type != "valid") {
      // There is one window for each stride, and the last window ends with the padded input. "same"
      // puts the odd padding element at the end, and "same_lower" puts it at the start. A window
      // that ceil_mode adds does not add padding.
      const int64_t windows = (input_[axis] + stride_[axis] - 1) / stride_[axis];
      const int64_t reach =
          (windows - 1) * stride_[axis] + (kernel_[axis] - 1) * dilation_[axis] + 1;
      const int64_t total = std::max<int64_t>(0, reach - input_[axis]);
      before_[axis] = type == "same" ? total / 2 : total - total / 2;
      after_[axis] = total - before_[axis];
    }
  }
}

SlidingWindow::Triple SlidingWindow::Start(int64_t position) const {
  const Triple index = {position / (output_[1] * output_[2]), position / output_[2] % output_[1],
                        position % output_[2]};
  Triple start{};
  for (size_t axis = 0; axis < kAxes; ++axis) {
    start[axis] = index[axis] * stride_[axis] - before_[axis];
  }
  return start;
}

bool SlidingWindow::AnyEmpty() const {
  const Triple last = Start(OutputElements() - 1);
  for (size_t axis = 0; axis < kAxes; ++axis) {
    if (last[axis] >= input_[axis]) return true;
  }
  return false;
}

int64_t SlidingWindow::PaddedElements(int64_t position) const {
  const Triple start = Start(position);
  int64_t count = 1;
  for (size_t axis = 0; axis < kAxes; ++axis) {
    const int64_t end = std::min(start[axis] + kernel_[axis], input_[axis] + after_[axis]);
    count *= end - start[axis];
  }
  return count;
}

template <typename Visit>
void SlidingWindow::ForEachTap(int64_t position, const Visit& visit) const {
  const Triple start = Start(position);
  size_t tap = 0;
  for (int64_t a = 0; a < kernel_[0]; ++a) {
    const int64_t d = start[0] + a * dilation_[0];
    const bool d_inside = d >= 0 && d < input_[0];
    for (int64_t b = 0; b < kernel_[1]; ++b) {
      const int64_t h = start[1] + b * dilation_[1];
      const bool h_inside = d_inside && h >= 0 && h < input_[1];
      for (int64_t c = 0; c < kernel_[2]; ++c, ++tap) {
        const int64_t w = start[2] + c * dilation_[2];
        const bool inside = h_inside && w >= 0 && w < input_[2];
        visit(tap, inside ? (d * input_[1] + h) * input_[2] + w : -1);
      }
    }
  }
}

void SlidingWindow::Gather(const BoundedTensor& x, int64_t plane, int64_t channels,
                           int64_t position, LaneBuffer& lanes, size_t first_lane) const {
  const int64_t plane_size = input_[0] * input_[1] * input_[2];
  const auto kernel_size = static_cast<size_t>(KernelElements());
  ForEachTap(position, [&](size_t tap, int64_t offset) {
    for (int64_t c = 0; c < channels; ++c) {
      const size_t at = first_lane + static_cast<size_t>(c) * kernel_size + tap;
      if (offset < 0) {
        lanes.SetZero(at);
      } else {
        lanes.Set(at, x, static_cast<size_t>((plane + c) * plane_size + offset));
      }
    }
  });
}

void SlidingWindow::Pack(const double* x, int64_t plane, int64_t channels, int64_t position,
                         size_t width, size_t pitch, float* out) const {
  const int64_t plane_size = input_[0] * input_[1] * input_[2];
  const auto kernel_size = static_cast<size_t>(KernelElements());
  std::vector<int64_t> offsets(kernel_size * width);  // [kernel element][position]
  for (size_t i = 0; i < width; ++i) {
    ForEachTap(position + static_cast<int64_t>(i),
               [&](size_t tap, int64_t offset) { offsets[tap * width + i] = offset; });
  }
  for (size_t tap = 0; tap < kernel_size; ++tap) {
    const int64_t* const at = offsets.data() + tap * width;
    bool consecutive = at[0] >= 0;
    for (size_t i = 1; i < width; ++i) consecutive &= at[i] == at[0] + static_cast<int64_t>(i);
    for (int64_t c = 0; c < channels; ++c) {
      const double* const from = x + (plane + c) * plane_size;
      float* const to = out + (static_cast<size_t>(c) * kernel_size + tap) * pitch;
      if (consecutive) {
        const double* const run = from + at[0];
        for (size_t i = 0; i < width; ++i) to[i] = static_cast<float>(run[i]);
        continue;
      }
      for (size_t i = 0; i < width; ++i) {
        to[i] = at[i] < 0 ? 0.0F : static_cast<float>(from[at[i]]);
      }
    }
  }
}

size_t SlidingWindow::GatherValid(const BoundedTensor& x, int64_t plane, int64_t position,
                                  LaneBuffer& lanes) const {
  const int64_t plane_size = input_[0] * input_[1] * input_[2];
  size_t count = 0;
  ForEachTap(position, [&](size_t, int64_t offset) {
    if (offset >= 0) lanes.Set(count++, x, static_cast<size_t>(plane * plane_size + offset));
  });
  return count;
}

void SlidingWindow::GatherPairs(const BoundedTensor& x, int64_t plane, int64_t channels,
                                int64_t position, const BoundedTensor& weight, size_t weight_start,
                                LaneBuffer& lanes, LaneBuffer& weights) const {
  const int64_t plane_size = input_[0] * input_[1] * input_[2];
  const auto kernel_size = static_cast<size_t>(KernelElements());
  for (int64_t c = 0; c < channels; ++c) {
    ForEachTap(position, [&](size_t tap, int64_t offset) {
      const size_t lane = static_cast<size_t>(c) * kernel_size + tap;
      if (offset < 0) {
        lanes.SetZero(lane);
        weights.SetZero(lane);
        return;
      }
      lanes.Set(lane, x, static_cast<size_t>((plane + c) * plane_size + offset));
      weights.Set(lane, weight, weight_start + lane);
    });
  }
}

}  // namespace anecheck::reference
