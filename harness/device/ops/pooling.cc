// Average, maximum and L2 pooling.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <memory>

#include "harness/device/half_block.h"
#include "harness/device/measured_limits.h"
#include "harness/device/op_table.h"
#include "harness/device/ops/window.h"
#include "harness/device/wide_sum.h"

namespace anecheck::device {
namespace {

enum class Pooling : uint8_t { kAverage, kMaximum, kL2 };

struct PoolShape {
  Window window;
  Element element = Element::kFp16;
  int64_t planes = 0;  // batch times channels
  bool exclude_padding = false;
};

// The taps of one output along one axis. [first, end) are the input coordinates of the taps inside
// the input, and `padded` is the number of taps that lie in the padded input.
struct Extent {
  int64_t first = 0;
  int64_t end = 0;
  int64_t padded = 0;
};

Extent TapsOf(const Window& window, size_t axis, int64_t output) {
  const int64_t start = output * window.stride[axis] - window.before[axis];
  const int64_t stop = start + window.kernel[axis];
  Extent extent;
  extent.first = std::max<int64_t>(0, start);
  extent.end = std::min(window.input[axis], stop);
  extent.padded = std::min(window.input[axis] + window.after[axis], stop) - start;
  return extent;
}

class PoolKernel : public Kernel {
 public:
  PoolKernel(PoolShape shape, NumericModel model, Pooling pooling)
      : shape_(shape), model_(model), pooling_(pooling) {}

  void Run(const Invocation& call) const override {
    const Window& w = shape_.window;
    const int64_t volume = Window::Volume(w.input);
    const int64_t positions = Window::Volume(w.output);
    const int64_t size = ElementSize(shape_.element);
    float* input = call.scratch.Floats(0, volume);
    float* output = call.scratch.Floats(1, positions);
    for (int64_t plane = 0; plane < shape_.planes; ++plane) {
      LoadFloats(shape_.element, static_cast<const char*>(call.inputs[0]) + plane * volume * size,
                 1, volume, input);
      if (model_.nan_is_infinity) ReplaceNan(input, volume);
      RunPlane(input, output);
      StoreFloats(shape_.element, output, positions, model_,
                  static_cast<char*>(call.outputs[0]) + plane * positions * size);
    }
  }

 private:
  static void ReplaceNan(float* values, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      if (std::isnan(values[i])) values[i] = std::numeric_limits<float>::infinity();
    }
  }

  void RunPlane(const float* input, float* output) const {
    const Window& w = shape_.window;
    for (int64_t d = 0; d < w.output[0]; ++d) {
      const Extent depth = TapsOf(w, 0, d);
      for (int64_t h = 0; h < w.output[1]; ++h) {
        const Extent height = TapsOf(w, 1, h);
        for (int64_t x = 0; x < w.output[2]; ++x) {
          const Extent width = TapsOf(w, 2, x);
          *output++ = Pool(input, depth, height, width);
        }
      }
    }
  }

  float Pool(const float* input, const Extent& depth, const Extent& height,
             const Extent& width) const {
    if (pooling_ == Pooling::kAverage) return Average(input, depth, height, width);
    if (pooling_ == Pooling::kMaximum) return Maximum(input, depth, height, width);
    return L2(input, depth, height, width);
  }

  template <typename Visit>
  void ForTaps(const float* input, const Extent& depth, const Extent& height, const Extent& width,
               Visit&& visit) const {
    const Window& w = shape_.window;
    for (int64_t d = depth.first; d < depth.end; ++d) {
      for (int64_t h = height.first; h < height.end; ++h) {
        const float* row = input + (d * w.input[1] + h) * w.input[2];
        for (int64_t x = width.first; x < width.end; ++x) visit(row[x]);
      }
    }
  }

  float Average(const float* input, const Extent& depth, const Extent& height,
                const Extent& width) const {
    WideSum sum;
    ForTaps(input, depth, height, width, [&](float value) { sum.Add(value); });
    const int64_t inside = std::max<int64_t>(0, depth.end - depth.first) *
                           std::max<int64_t>(0, height.end - height.first) *
                           std::max<int64_t>(0, width.end - width.first);
    bool exclude = shape_.exclude_padding;
    if (model_.Has(Planted::kAverageCountsPadding)) exclude = false;
    if (model_.Has(Planted::kAverageIgnoresPadding)) exclude = true;
    const int64_t count = exclude ? inside : depth.padded * height.padded * width.padded;
    const float mean = sum.Total() * (1.0f / static_cast<float>(std::max<int64_t>(1, count)));
    return std::isnan(mean) && model_.invalid_is_zero ? 0.0f : mean;
  }

  float Maximum(const float* input, const Extent& depth, const Extent& height,
                const Extent& width) const {
    float maximum = -std::numeric_limits<float>::infinity();
    bool nan = false;
    if (model_.Has(Planted::kMaxPoolPadsZero) &&
        (depth.end - depth.first) * (height.end - height.first) * (width.end - width.first) <
            Window::Volume(shape_.window.kernel)) {
      maximum = 0;
    }
    int64_t tap = 0;
    ForTaps(input, depth, height, width, [&](float value) {
      if (tap++ == 0 && model_.Has(Planted::kMaxPoolFirstTapLost)) return;
      nan |= std::isnan(value);
      maximum = std::max(maximum, value);
    });
    return nan ? std::numeric_limits<float>::quiet_NaN() : maximum;
  }

  // Returns the root of the sum of squares. The sum is wide, so that only the result can overflow.
  float L2(const float* input, const Extent& depth, const Extent& height,
           const Extent& width) const {
    WideSum sum;
    int64_t tap = 0;
    ForTaps(input, depth, height, width, [&](float value) {
      if (tap++ == 0 && model_.Has(Planted::kMaxPoolFirstTapLost)) return;
      sum.Add(value * value);
    });
    return std::sqrt(sum.Total());
  }

  PoolShape shape_;
  NumericModel model_;
  Pooling pooling_;
};

std::unique_ptr<const Kernel> BuildPool(OpBuilder& builder, Pooling pooling) {
  const Operand x = builder.Tensor("x");
  const IntList sizes = builder.Ints("kernel_sizes");
  PoolShape shape;
  shape.window = ReadWindow(builder, x.type.shape, sizes, false, /*ceil_mode=*/true);
  if (pooling == Pooling::kAverage)
    shape.exclude_padding = builder.Bool("exclude_padding_from_average", false);
  if (!builder.ok()) return nullptr;
  if (!IsFloat(x.type.element)) {
    builder.Reject(Stage::kFrontend, fmt::format("x is {}", x.type.ToString()));
    return nullptr;
  }
  for (size_t axis = 0; axis < Window::kAxes; ++axis) {
    if (shape.window.before[axis] >= shape.window.kernel[axis] &&
        !builder.model().Has(Planted::kPadWrongSide)) {
      builder.Reject(Stage::kFrontend, "padding must be below the kernel");
      return nullptr;
    }
  }
  const int64_t width = shape.window.kernel[2];
  if (pooling == Pooling::kMaximum && HasMeasuredLimits(builder.target()) &&
      !TakesPoolWidth(width)) {
    builder.RejectOnEngine(
        Stage::kValidator,
        fmt::format("Invalid Pool kernel width ({}), must be [1-8] or 32.", width));
    if (!builder.ok()) return nullptr;
  }
  shape.element = x.type.element;
  shape.planes = x.type.shape[0] * x.type.shape[1];
  builder.Output({shape.element, WindowShape(shape.window, x.type.shape[0], x.type.shape[1])});
  return std::make_unique<PoolKernel>(shape, builder.model(), pooling);
}

constexpr OpRow kRows[] = {
    {"avg_pool", [](OpBuilder& builder) { return BuildPool(builder, Pooling::kAverage); }},
    {"max_pool", [](OpBuilder& builder) { return BuildPool(builder, Pooling::kMaximum); }},
    {"l2_pool", [](OpBuilder& builder) { return BuildPool(builder, Pooling::kL2); }},
};

}  // namespace

std::span<const OpRow> PoolingRows() { return kRows; }

}  // namespace anecheck::device
