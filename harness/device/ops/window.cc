#include "harness/device/ops/window.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>

namespace anecheck::device {
namespace {

int64_t Span(const Window& window, size_t axis) {
  return (window.kernel[axis] - 1) * window.dilation[axis] + 1;
}

void ReadPerAxis(OpBuilder& builder, std::string_view name, const Window& window,
                 Window::PerAxis& values) {
  const IntList given = builder.Ints(name, {});
  if (!builder.ok() || given.empty()) return;
  if (given.size() != static_cast<size_t>(window.spatial)) {
    return builder.Reject(Stage::kFrontend, fmt::format("{} has {} entries, needs {}", name,
                                                        given.size(), window.spatial));
  }
  const size_t first = Window::kAxes - given.size();
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i] < 1 || given[i] > (int64_t{1} << 30)) {
      return builder.Reject(Stage::kFrontend, fmt::format("{}[{}] is {}", name, i, given[i]));
    }
    values[first + i] = given[i];
  }
}

void ReadPadding(OpBuilder& builder, Window& window) {
  const std::string type = builder.String("pad_type", "valid");
  const IntList pad = builder.Ints("pad", {});
  if (!builder.ok()) return;
  const size_t first = Window::kAxes - static_cast<size_t>(window.spatial);
  if (type == "custom") {
    if (pad.size() != 2 * static_cast<size_t>(window.spatial)) {
      return builder.Reject(Stage::kFrontend, fmt::format("pad has {} entries, needs {}",
                                                          pad.size(), 2 * window.spatial));
    }
    for (size_t i = 0; i < pad.size(); ++i) {
      if (pad[i] < 0 || pad[i] > (int64_t{1} << 30)) {
        return builder.Reject(Stage::kFrontend, fmt::format("pad[{}] is {}", i, pad[i]));
      }
      (i % 2 == 0 ? window.before : window.after)[first + i / 2] = pad[i];
    }
    return;
  }
  if (type == "valid") return;
  if (type != "same" && type != "same_lower") {
    return builder.Reject(Stage::kFrontend, fmt::format("pad_type '{}' is not known", type));
  }
  for (size_t axis = first; axis < Window::kAxes; ++axis) {
    const int64_t output = (window.input[axis] + window.stride[axis] - 1) / window.stride[axis];
    const int64_t total = std::max<int64_t>(
        0, (output - 1) * window.stride[axis] + Span(window, axis) - window.input[axis]);
    window.before[axis] = type == "same" ? total / 2 : (total + 1) / 2;
    window.after[axis] = total - window.before[axis];
  }
}

// Applies planted defects of the geometry. The extents stay as declared.
void SpoilPadding(const NumericModel& model, Window& window) {
  if (!model.Has(Planted::kPadWrongSide)) return;
  for (size_t axis = 0; axis < Window::kAxes; ++axis) {
    window.before[axis] += window.after[axis];
    window.after[axis] = 0;
  }
}

}  // namespace

Window ReadWindow(OpBuilder& builder, const Shape& x, const IntList& kernel, bool dilations,
                  bool ceil_mode) {
  Window window;
  window.spatial = x.rank() - 2;
  if (!builder.ok()) return window;
  if (window.spatial < 1 || window.spatial > static_cast<int>(Window::kAxes)) {
    builder.Reject(Stage::kFrontend, fmt::format("x has rank {}, needs 3 to 5", x.rank()));
    return window;
  }
  if (kernel.size() != static_cast<size_t>(window.spatial)) {
    builder.Reject(Stage::kFrontend, fmt::format("the kernel has {} extents, needs {}",
                                                 kernel.size(), window.spatial));
    return window;
  }
  const size_t first = Window::kAxes - kernel.size();
  for (size_t i = 0; i < kernel.size(); ++i) {
    if (kernel[i] < 1 || kernel[i] > (int64_t{1} << 30)) {
      builder.Reject(Stage::kFrontend, fmt::format("kernel extent {} is {}", i, kernel[i]));
      return window;
    }
    window.kernel[first + i] = kernel[i];
    window.input[first + i] = x[static_cast<int>(i) + 2];
  }
  ReadPerAxis(builder, "strides", window, window.stride);
  if (dilations) ReadPerAxis(builder, "dilations", window, window.dilation);
  ReadPadding(builder, window);
  const bool ceil = ceil_mode && builder.Bool("ceil_mode", false);
  for (size_t axis = first; builder.ok() && axis < Window::kAxes; ++axis) {
    const int64_t stride = window.stride[axis];
    const int64_t padding = window.before[axis] + window.after[axis];
    const int64_t padded = window.input[axis] + padding;
    const int64_t room = padded - Span(window, axis) + (ceil ? stride - 1 : 0);
    if (room < 0) {
      builder.Reject(Stage::kFrontend, fmt::format("the kernel spans {} of {} padded elements",
                                                   Span(window, axis), padded));
      break;
    }
    int64_t output = room / stride + 1;
    const bool beyond = (output - 1) * stride >= window.input[axis] + window.before[axis];
    if (ceil && padding > 0 && beyond && output > 1) --output;
    window.output[axis] = output;
  }
  SpoilPadding(builder.model(), window);
  return window;
}

Shape WindowShape(const Window& window, int64_t batch, int64_t channels) {
  Shape shape = {batch, channels};
  for (int i = 0; i < window.spatial; ++i) {
    shape.Append(window.output[Window::kAxes - static_cast<size_t>(window.spatial - i)]);
  }
  return shape;
}

}  // namespace anecheck::device
