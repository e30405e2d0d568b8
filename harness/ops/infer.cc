#include "harness/ops/infer.h"

#include <algorithm>
#include <fmt/format.h>

namespace anecheck {
namespace {

Status ReadPerAxis(const NodeView& node, int parameter, int spatial, std::string_view name,
                   std::array<int64_t, Window::kMaxSpatial>& values) {
  values.fill(1);
  if (parameter < 0) return {};
  const auto given = node.Ints(parameter);
  if (given.empty()) return {};
  if (given.size() != static_cast<size_t>(spatial)) {
    return Reject(node,
                  fmt::format("{} has {} entries, must have {}", name, given.size(), spatial));
  }
  for (int i = 0; i < spatial; ++i) {
    if (given[static_cast<size_t>(i)] < 1) {
      return Reject(node, fmt::format("{}[{}] is {}, must be at least 1", name, i,
                                      given[static_cast<size_t>(i)]));
    }
    values[static_cast<size_t>(i)] = given[static_cast<size_t>(i)];
  }
  return {};
}

// Total padding that makes the output ceil(input / stride), as MIL's "same" asks.
int64_t SamePadding(int64_t input, int64_t span, int64_t stride) {
  const int64_t output = (input + stride - 1) / stride;
  return std::max<int64_t>(0, (output - 1) * stride + span - input);
}

Status ReadPadding(const NodeView& node, const WindowParameters& parameters, Window& window) {
  const std::string_view type = node.String(parameters.pad_type, "valid");
  const auto pad = node.Ints(parameters.pad);
  const auto spatial = static_cast<size_t>(window.spatial);
  if (type == "custom" && pad.size() != 2 * spatial) {
    return Reject(node, fmt::format("pad has {} entries, must have {}", pad.size(), 2 * spatial));
  }
  for (size_t i = 0; i < spatial; ++i) {
    if (type == "custom") {
      if (pad[2 * i] < 0 || pad[2 * i + 1] < 0) return Reject(node, "pad is negative");
      window.pad_before[i] = pad[2 * i];
      window.pad_after[i] = pad[2 * i + 1];
    } else if (type == "same" || type == "same_lower") {
      const int64_t span = (window.kernel[i] - 1) * window.dilation[i] + 1;
      const int64_t total = SamePadding(window.input[i], span, window.stride[i]);
      const int64_t less = total / 2;
      window.pad_before[i] = type == "same" ? less : total - less;
      window.pad_after[i] = total - window.pad_before[i];
    }
  }
  return {};
}

}  // namespace

Error Reject(const NodeView& node, std::string_view what) {
  return MakeError(ErrorCode::kInvalid, fmt::format("{}: {}", node.op(), what));
}

Result<Window> ComputeWindow(const NodeView& node, const Shape& x, std::span<const int64_t> kernel,
                             const WindowParameters& parameters) {
  Window window;
  window.spatial = x.rank() - 2;
  if (window.spatial < 1 || window.spatial > Window::kMaxSpatial) {
    return Reject(node, fmt::format("x has rank {}, must have 3 to 5", x.rank()));
  }
  if (kernel.size() != static_cast<size_t>(window.spatial)) {
    return Reject(node, fmt::format("kernel has {} spatial extents, x has {}", kernel.size(),
                                    window.spatial));
  }
  ANECHECK_RETURN_IF_ERROR(
      ReadPerAxis(node, parameters.strides, window.spatial, "strides", window.stride));
  ANECHECK_RETURN_IF_ERROR(
      ReadPerAxis(node, parameters.dilations, window.spatial, "dilations", window.dilation));
  for (int i = 0; i < window.spatial; ++i) {
    const auto axis = static_cast<size_t>(i);
    window.input[axis] = x[i + 2];
    window.kernel[axis] = kernel[axis];
    if (kernel[axis] < 1) return Reject(node, "kernel extent is below 1");
  }
  ANECHECK_RETURN_IF_ERROR(ReadPadding(node, parameters, window));
  const bool ceil = parameters.ceil_mode >= 0 && node.Bool(parameters.ceil_mode, false);
  for (int i = 0; i < window.spatial; ++i) {
    const auto axis = static_cast<size_t>(i);
    const int64_t span = (window.kernel[axis] - 1) * window.dilation[axis] + 1;
    const int64_t padded = window.input[axis] + window.pad_before[axis] + window.pad_after[axis];
    if (padded < span) {
      return Reject(node,
                    fmt::format("the kernel spans {} on spatial axis {}, the padded input has "
                                "only {}",
                                span, i, padded));
    }
    const int64_t slack = padded - span;
    const int64_t stride = window.stride[axis];
    window.output[axis] = (ceil ? (slack + stride - 1) / stride : slack / stride) + 1;
    // A window that would start in the end padding is dropped (coremltools, ceil_mode).
    if (ceil &&
        (window.output[axis] - 1) * stride >= window.input[axis] + window.pad_before[axis]) {
      --window.output[axis];
    }
  }
  return window;
}

Result<uint32_t> AxisMask(const NodeView& node, int parameter, int rank) {
  if (!node.HasAttribute(parameter)) return (uint32_t{1} << rank) - 1;
  uint32_t mask = 0;
  for (const int64_t given : node.Ints(parameter)) {
    const auto axis = NormalizeAxis(given, rank);
    if (!axis) return Reject(node, fmt::format("axis {} is outside rank {}", given, rank));
    if ((mask >> *axis & 1) != 0) return Reject(node, fmt::format("axis {} is named twice", given));
    mask |= uint32_t{1} << *axis;
  }
  return mask;
}

Status InferSameAsX(const NodeView& node, ResultTypes& results) {
  const TensorType& x = node.InputType(0);
  results.Add(x.dtype, x.shape);
  return {};
}

Status InferBroadcast(const NodeView& node, ResultTypes& results) {
  const TensorType& x = node.InputType(0);
  const TensorType& y = node.InputType(1);
  if (x.dtype != y.dtype) {
    return Reject(node, fmt::format("x is {} and y is {}, they must agree", DTypeName(x.dtype),
                                    DTypeName(y.dtype)));
  }
  const auto shape = BroadcastShapes(x.shape, y.shape);
  if (!shape) {
    return Reject(node, fmt::format("x {} and y {} do not broadcast", x.shape.ToString(),
                                    y.shape.ToString()));
  }
  results.Add(x.dtype, *shape);
  return {};
}

}  // namespace anecheck
