// Transposed convolution. The engine has no layer for transposed convolution. The operation
// therefore runs as a convolution with reversed taps over an input that is spread apart by zeros
// (facts/op_device_matrix.csv, facts/more/op_notes.csv).
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "harness/device/ops/convolution.h"

namespace anecheck::device {
namespace {

// An input whose elements are moved `stride` apart.
struct Spread {
  Window::PerAxis input{1, 1, 1};
  Window::PerAxis stride{1, 1, 1};
  Window::PerAxis output{1, 1, 1};  // (input - 1) * stride + 1
};

class SpreadConvKernel : public Kernel {
 public:
  SpreadConvKernel(const Spread& spread, int64_t planes, int64_t size,
                   std::unique_ptr<const Kernel> conv)
      : spread_(spread), planes_(planes), size_(size), conv_(std::move(conv)) {}

  void Run(const Invocation& call) const override {
    const int64_t bytes = planes_ * Window::Volume(spread_.output) * size_;
    constexpr auto kWord = static_cast<int64_t>(sizeof(float));
    auto* apart = reinterpret_cast<char*>(
        call.scratch.Floats(Scratch::kLowered, (bytes + kWord - 1) / kWord));
    std::memset(apart, 0, static_cast<size_t>(bytes));
    const auto* from = static_cast<const char*>(call.inputs[0]);
    for (int64_t plane = 0; plane < planes_; ++plane) {
      SpreadPlane(from + plane * Window::Volume(spread_.input) * size_,
                  apart + plane * Window::Volume(spread_.output) * size_);
    }
    const void* inputs[] = {apart};
    conv_->Run({inputs, call.outputs, call.scratch});
  }

 private:
  void SpreadPlane(const char* from, char* to) const {
    const Spread& s = spread_;
    for (int64_t d = 0; d < s.input[0]; ++d) {
      for (int64_t h = 0; h < s.input[1]; ++h) {
        char* row = to + (d * s.stride[0] * s.output[1] + h * s.stride[1]) * s.output[2] * size_;
        for (int64_t w = 0; w < s.input[2]; ++w, from += size_) {
          std::memcpy(row + w * s.stride[2] * size_, from, static_cast<size_t>(size_));
        }
      }
    }
  }

  Spread spread_;
  int64_t planes_;
  int64_t size_;
  std::unique_ptr<const Kernel> conv_;
};

struct Transposed {
  Window window;  // the window of the transposed convolution
  Spread spread;
  Window::PerAxis cut{0, 0,
                      0};  // number of elements that are dropped at the front of the whole result
};

int64_t Reach(const Window& window, size_t axis) {
  return (window.kernel[axis] - 1) * window.dilation[axis];
}

void ReadExtents(OpBuilder& builder, std::string_view name, int spatial, int64_t least,
                 Window::PerAxis& values) {
  const IntList given = builder.Ints(name, {});
  if (!builder.ok() || given.empty()) return;
  if (given.size() != static_cast<size_t>(spatial)) {
    return builder.Reject(Stage::kFrontend,
                          fmt::format("{} has {} entries, needs {}", name, given.size(), spatial));
  }
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i] < least || given[i] > (int64_t{1} << 30)) {
      return builder.Reject(Stage::kFrontend, fmt::format("{}[{}] is {}", name, i, given[i]));
    }
    values[Window::kAxes - given.size() + i] = given[i];
  }
}

// Sets the extents of the result for an absent `output_shape`, and the padding in front of the
// result.
void PlacePadding(OpBuilder& builder, Transposed& t) {
  const std::string type = builder.String("pad_type", "valid");
  const IntList pad = builder.Ints("pad", {});
  if (!builder.ok()) return;
  const auto spatial = static_cast<size_t>(t.window.spatial);
  if (type != "valid" && type != "same" && type != "custom") {
    return builder.Reject(Stage::kFrontend, fmt::format("pad_type '{}' is not known", type));
  }
  if (type == "custom" && pad.size() != 2 * spatial) {
    return builder.Reject(Stage::kFrontend,
                          fmt::format("pad has {} entries, needs {}", pad.size(), 2 * spatial));
  }
  for (size_t i = 0; i < spatial; ++i) {
    const size_t axis = Window::kAxes - spatial + i;
    const int64_t whole = t.spread.output[axis] + Reach(t.window, axis);
    int64_t& output = t.window.output[axis];
    output = whole;
    if (type == "same") output = t.spread.input[axis] * t.spread.stride[axis];
    if (type == "same") t.cut[axis] = std::max<int64_t>(0, whole - output) / 2;
    if (type != "custom") continue;
    if (pad[2 * i] < 0 || pad[2 * i + 1] < 0) {
      return builder.Reject(Stage::kFrontend, "pad is negative");
    }
    t.cut[axis] = pad[2 * i];
    output = whole - pad[2 * i] - pad[2 * i + 1];
  }
}

void ReadOutputShape(OpBuilder& builder, const Shape& x, int64_t channels, Transposed& t) {
  const IntList given = builder.Ints("output_shape", {});
  if (!builder.ok() || given.empty()) return;
  if (given.size() != static_cast<size_t>(x.rank()) || given[0] != x[0] || given[1] != channels) {
    return builder.Reject(Stage::kFrontend, "output_shape does not fit x and weight");
  }
  const auto spatial = static_cast<size_t>(t.window.spatial);
  for (size_t i = 0; i < spatial; ++i) {
    const size_t axis = Window::kAxes - spatial + i;
    t.window.output[axis] = given[i + 2];
    if (builder.String("pad_type", "valid") != "same") continue;
    const int64_t whole = t.spread.output[axis] + Reach(t.window, axis);
    t.cut[axis] = std::max<int64_t>(0, whole - given[i + 2]) / 2;
  }
}

Transposed ReadTransposed(OpBuilder& builder, const Shape& x, const Shape& weight,
                          int64_t channels) {
  Transposed t;
  t.window.spatial = x.rank() - 2;
  for (int i = 0; i < t.window.spatial; ++i) {
    const auto axis = static_cast<size_t>(3 - t.window.spatial + i);
    t.spread.input[axis] = x[i + 2];
    t.window.kernel[axis] = weight[i + 2];
  }
  ReadExtents(builder, "strides", t.window.spatial, 1, t.spread.stride);
  ReadExtents(builder, "dilations", t.window.spatial, 1, t.window.dilation);
  for (size_t axis = 0; axis < Window::kAxes; ++axis) {
    t.spread.output[axis] = (t.spread.input[axis] - 1) * t.spread.stride[axis] + 1;
  }
  PlacePadding(builder, t);
  ReadOutputShape(builder, x, channels, t);
  for (size_t axis = 0; builder.ok() && axis < Window::kAxes; ++axis) {
    if (t.window.output[axis] < 1) builder.Reject(Stage::kFrontend, "the result is empty");
  }
  t.window.input = t.spread.output;
  for (size_t axis = 0; axis < Window::kAxes; ++axis) {
    t.window.before[axis] = Reach(t.window, axis) - t.cut[axis];
  }
  return t;
}

// Reorders [in_channels, out_group, taps] to [out_channels, in_group, taps] and reverses the taps.
std::vector<float> TurnWeights(const std::vector<float>& weight, const ConvShape& shape) {
  const int64_t taps = Window::Volume(shape.window.kernel);
  std::vector<float> turned(weight.size());
  auto to = turned.begin();
  for (int64_t out = 0; out < shape.out_channels; ++out) {
    const int64_t first = out / shape.out_group() * shape.in_group();
    for (int64_t in = first; in < first + shape.in_group(); ++in) {
      const auto from = weight.begin() + (in * shape.out_group() + out % shape.out_group()) * taps;
      to = std::reverse_copy(from, from + taps, to);
    }
  }
  return turned;
}

}  // namespace

std::unique_ptr<const Kernel> BuildConvTranspose(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const auto weight = builder.ConstantTensor("weight");
  const int64_t groups = builder.Int("groups", 1);
  if (!builder.ok()) return nullptr;
  const Shape& in = x.type.shape;
  const Shape& kernel = weight->type.shape;
  if (in.rank() < 3 || in.rank() > 5 || kernel.rank() != in.rank() || kernel[0] != in[1] ||
      groups < 1 || in[1] % groups != 0 || weight->type.element != x.type.element ||
      !IsFloat(x.type.element) || kernel.Product(1, kernel.rank()) < 1) {
    builder.Reject(Stage::kFrontend,
                   fmt::format("x {} and weight {} do not fit {} groups", x.type.ToString(),
                               weight->type.ToString(), groups));
    return nullptr;
  }
  ConvShape shape;
  shape.element = x.type.element;
  shape.batch = in[0];
  shape.in_channels = in[1];
  shape.out_channels = kernel[1] * groups;
  shape.groups = groups;
  const Transposed t = ReadTransposed(builder, in, kernel, shape.out_channels);
  shape.window = t.window;
  CheckKernelExtents(builder, shape);
  Bias bias = ReadBias(builder, shape.element, shape.out_channels);
  if (!builder.ok()) return nullptr;
  builder.Output({shape.element, WindowShape(shape.window, shape.batch, shape.out_channels)});
  auto conv =
      MakeConvKernel(shape, builder.model(), TurnWeights(ConstantFloats(*weight->constant), shape),
                     std::move(bias));
  return std::make_unique<SpreadConvKernel>(t.spread, shape.batch * shape.in_channels,
                                            ElementSize(shape.element), std::move(conv));
}

}  // namespace anecheck::device
