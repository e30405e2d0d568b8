#include "harness/ops/infer.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

#include "harness/base/half.h"

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

// Returns the total padding that makes the output ceil(input / stride), as MIL's "same" requires.
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
    const int64_t padding = window.pad_before[axis] + window.pad_after[axis];
    const int64_t padded = window.input[axis] + padding;
    const int64_t stride = window.stride[axis];
    // With ceil_mode the last window may reach beyond the padded input, by less than a stride.
    const int64_t slack = padded - span + (ceil ? stride - 1 : 0);
    if (slack < 0) {
      return Reject(node,
                    fmt::format("the kernel spans {} on spatial axis {}, the padded input has "
                                "only {}",
                                span, i, padded));
    }
    window.output[axis] = slack / stride + 1;
    // If there is padding, a window that would start in the end padding is dropped (coremltools,
    // avg_pool). Without padding the window stays, although it covers nothing.
    if (ceil && padding > 0 && window.output[axis] > 1 &&
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

Result<int> AxisAt(const NodeView& node, int parameter, int64_t fallback, int rank) {
  const int64_t given = node.Int(parameter, fallback);
  const auto axis = NormalizeAxis(given, rank);
  if (!axis) return Reject(node, fmt::format("axis {} is outside rank {}", given, rank));
  return *axis;
}

Result<double> ConstantScalar(const NodeView& node, int parameter) {
  const std::string_view name = node.schema().parameters[static_cast<size_t>(parameter)].name;
  const Value& value = node.graph().value(node.Input(parameter));
  if (value.kind != ValueKind::kConst) {
    return Reject(node, fmt::format("{} must be a constant", name));
  }
  if (value.type.shape.Elements() != 1 || value.type.shape.rank() > 1) {
    return Reject(node, fmt::format("{} is {}, must be a scalar", name, value.type.ToString()));
  }
  const auto bytes = node.graph().ConstData(node.Input(parameter));
  uint32_t bits = 0;
  for (size_t i = 0; i < bytes.size() && i < 4; ++i) bits |= uint32_t{bytes[i]} << (8 * i);
  switch (value.type.dtype) {
    case DType::kFp16:
      return HalfToDouble(Half{static_cast<uint16_t>(bits)});
    case DType::kFp32:
      return static_cast<double>(std::bit_cast<float>(bits));
    case DType::kInt32:
      return static_cast<double>(static_cast<int32_t>(bits));
    case DType::kInt16:
      return static_cast<double>(static_cast<int16_t>(bits));
    case DType::kInt8:
      return static_cast<double>(static_cast<int8_t>(bits));
    default:
      return static_cast<double>(bits);
  }
}

namespace {

bool MaskAt(const NodeView& node, int parameter, size_t axis) {
  const auto mask = node.Ints(parameter);
  return axis < mask.size() && mask[axis] != 0;
}

using Slices = std::array<AxisSlice, Shape::kMaxRank>;

// Returns the extents of a slice whose begin or end is computed.
Result<Slices> ResolveComputed(const NodeView& node, const Shape& x,
                               const SliceParameters& parameters, const Shape* kept) {
  const auto stride = node.Ints(parameters.stride);
  Slices slices{};
  int next = 0;
  for (size_t axis = 0; axis < static_cast<size_t>(x.rank()); ++axis) {
    const int64_t extent = x[static_cast<int>(axis)];
    AxisSlice& slice = slices[axis];
    slice.step = stride.empty() ? 1 : stride[axis];
    if (slice.step == 0) return Reject(node, fmt::format("stride[{}] is 0", axis));
    const int64_t size = slice.step > 0 ? slice.step : -slice.step;
    slice.squeezed = MaskAt(node, parameters.squeeze_mask, axis);
    if (slice.squeezed) {
      slice.count = 1;
      continue;
    }
    const bool whole =
        MaskAt(node, parameters.begin_mask, axis) && MaskAt(node, parameters.end_mask, axis);
    if (kept != nullptr && next < kept->rank()) {
      slice.count = (*kept)[next++];
    } else if (whole) {
      slice.count = (extent + size - 1) / size;
    } else {
      return Reject(node, fmt::format("axis {}: its extent depends on computed values", axis));
    }
    const bool fits = slice.count >= 1 && (slice.count - 1) * size < extent;
    if (!fits || (whole && slice.count != (extent + size - 1) / size)) {
      return Reject(
          node, fmt::format("axis {}: a slice of extent {} in steps of {} cannot have {} elements",
                            axis, extent, size, slice.count));
    }
  }
  return slices;
}

}  // namespace

Status CheckPlaces(const NodeView& node, const Shape& x, int attribute, int computed,
                   std::string_view name) {
  const bool constant = node.HasAttribute(attribute);
  if (constant == node.HasInput(computed)) {
    return Reject(node, fmt::format("{} must be given, once", name));
  }
  const auto rank = static_cast<size_t>(x.rank());
  const bool fits =
      constant ? node.Ints(attribute).size() == rank : node.InputShape(computed) == Shape{x.rank()};
  if (!fits) return Reject(node, fmt::format("{}: need {} entries", name, rank));
  return {};
}

Result<Slices> ResolveSlice(const NodeView& node, const Shape& x, const SliceParameters& parameters,
                            const Shape* kept) {
  ANECHECK_RETURN_IF_ERROR(
      CheckPlaces(node, x, parameters.begin, parameters.computed_begin, "begin"));
  ANECHECK_RETURN_IF_ERROR(CheckPlaces(node, x, parameters.end, parameters.computed_end, "end"));
  const auto begin = node.Ints(parameters.begin);
  const auto end = node.Ints(parameters.end);
  const auto stride = node.Ints(parameters.stride);
  const auto rank = static_cast<size_t>(x.rank());
  if (!stride.empty() && stride.size() != rank) {
    return Reject(node, fmt::format("stride: need {} entries", rank));
  }
  for (const int mask : {parameters.begin_mask, parameters.end_mask, parameters.squeeze_mask}) {
    if (node.HasAttribute(mask) && node.Ints(mask).size() != rank) {
      return Reject(
          node, fmt::format("a mask has {} entries, must have {}", node.Ints(mask).size(), rank));
    }
  }
  if (node.HasInput(parameters.computed_begin) || node.HasInput(parameters.computed_end)) {
    return ResolveComputed(node, x, parameters, kept);
  }
  Slices slices{};
  for (size_t axis = 0; axis < rank; ++axis) {
    const int64_t extent = x[static_cast<int>(axis)];
    const bool squeezed = MaskAt(node, parameters.squeeze_mask, axis);
    const int64_t given_step = stride.empty() ? 1 : stride[axis];
    if (given_step == 0) return Reject(node, fmt::format("stride[{}] is 0", axis));
    // A squeezed axis is indexed at its begin; its end and its stride are ignored.
    const int64_t step = squeezed ? 1 : given_step;
    // Python clamps the ends of a slice to [0, extent] forward and to [-1, extent - 1] backward.
    const int64_t least = step > 0 ? 0 : -1;
    const int64_t most = step > 0 ? extent : extent - 1;
    const auto place = [&](int64_t given) {
      const int64_t from_start = given < 0 ? given + extent : given;
      return squeezed ? from_start : std::clamp(from_start, least, most);
    };
    const bool open_begin = MaskAt(node, parameters.begin_mask, axis);
    const bool open_end = MaskAt(node, parameters.end_mask, axis);
    AxisSlice& slice = slices[axis];
    slice.step = step;
    slice.squeezed = squeezed;
    slice.first = open_begin ? (step > 0 ? 0 : extent - 1) : place(begin[axis]);
    const int64_t last = open_end ? (step > 0 ? extent : -1) : place(end[axis]);
    const int64_t span = step > 0 ? last - slice.first : slice.first - last;
    const int64_t size = step > 0 ? step : -step;
    slice.count = squeezed ? 1 : span <= 0 ? 0 : (span + size - 1) / size;
    if (slice.count == 0 || slice.first < 0 || slice.first >= extent) {
      return Reject(
          node, fmt::format("axis {}: begin {} end {} stride {} selects none of the {} elements",
                            axis, begin[axis], end[axis], step, extent));
    }
  }
  return slices;
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
