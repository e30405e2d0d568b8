// Convolution on the multiply-accumulate array. It is a product of the weights with columns that
// are gathered from the input.
#include "harness/device/ops/convolution.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "harness/device/half_block.h"
#include "harness/device/measured_limits.h"
#include "harness/device/multiply_accumulate.h"
#include "harness/device/op_table.h"
#include "harness/device/ops/attention.h"

namespace anecheck::device {
namespace {

// The number of output positions whose columns are gathered together.
constexpr int64_t kPositions = 512;

class ConvKernel : public Kernel {
 public:
  ConvKernel(ConvShape shape, NumericModel model, std::vector<float> weight, bool weight_finite,
             Bias bias)
      : shape_(shape),
        model_(model),
        weight_(std::move(weight)),
        weight_finite_(weight_finite),
        bias_(std::move(bias)) {}

  void Run(const Invocation& call) const override {
    const int64_t weight_count = shape_.out_channels * shape_.taps();
    const float* weight = weight_.data();
    bool weight_finite = weight_finite_;
    if (weight_.empty()) {
      float* loaded = call.scratch.Floats(3, weight_count);
      LoadFloats(shape_.element, call.inputs[1], 1, weight_count, loaded);
      weight_finite = PrepareMacOperand(model_, loaded, weight_count, half());
      weight = loaded;
    }
    const int64_t image = shape_.in_channels * Window::Volume(shape_.window.input);
    const int64_t positions = Window::Volume(shape_.window.output);
    float* input = call.scratch.Floats(0, image);
    for (int64_t n = 0; n < shape_.batch; ++n) {
      const int64_t source = model_.Has(Planted::kBatchReused) ? 0 : n;
      LoadFloats(shape_.element, Offset(call.inputs[0], source * image), 1, image, input);
      const bool finite = PrepareMacOperand(model_, input, image, half()) && weight_finite;
      for (int64_t group = 0; group < shape_.groups; ++group) {
        for (int64_t first = 0; first < positions; first += kPositions) {
          RunBlock(call, input, weight, finite, n, group, first,
                   std::min(kPositions, positions - first));
        }
      }
    }
  }

 private:
  bool half() const { return shape_.element == Element::kFp16; }
  const void* Offset(const void* from, int64_t elements) const {
    return static_cast<const char*>(from) + elements * ElementSize(shape_.element);
  }

  void RunBlock(const Invocation& call, const float* input, const float* weight, bool finite,
                int64_t n, int64_t group, int64_t first, int64_t count) const {
    const int64_t taps = shape_.taps();
    const int64_t rows = shape_.out_group();
    float* columns = call.scratch.Floats(1, taps * count);
    float* result = call.scratch.Floats(2, rows * count);
    const int64_t volume = Window::Volume(shape_.window.input);
    Gather(input + group * shape_.in_group() * volume, first, count, columns);
    const int64_t weights_of = model_.Has(Planted::kGroupsShareWeights) ? 0 : group;
    const std::vector<float> starts =
        half() ? bias_.Starts(model_, group * rows, rows) : std::vector<float>();
    MultiplyAccumulate(model_, weight + weights_of * rows * taps, columns, {rows, taps, count},
                       finite, shape_.element == Element::kFp16, result,
                       {starts.empty() ? nullptr : starts.data(), nullptr});
    const int64_t positions = Window::Volume(shape_.window.output);
    for (int64_t row = 0; row < rows; ++row) {
      const int64_t channel = group * rows + row;
      if (starts.empty()) {
        bias_.AddChannel(model_, shape_.element, channel, count, result + row * count);
      }
      const int64_t at = (n * shape_.out_channels + channel) * positions + first;
      StoreFloats(shape_.element, result + row * count, count, model_,
                  static_cast<char*>(call.outputs[0]) + at * ElementSize(shape_.element));
    }
  }

  // Fills columns[k][p] with the element that tap k of output position first + p reads.
  void Gather(const float* input, int64_t first, int64_t count, float* columns) const {
    const Window& w = shape_.window;
    const int64_t volume = Window::Volume(w.input);
    for (int64_t c = 0; c < shape_.in_group(); ++c) {
      for (int64_t kd = 0; kd < w.kernel[0]; ++kd) {
        for (int64_t kh = 0; kh < w.kernel[1]; ++kh) {
          for (int64_t kw = 0; kw < w.kernel[2]; ++kw) {
            GatherTap(input + c * volume, kd, kh, kw, first, count, columns);
            columns += count;
          }
        }
      }
    }
  }

  void GatherTap(const float* plane, int64_t kd, int64_t kh, int64_t kw, int64_t first,
                 int64_t count, float* to) const {
    const Window& w = shape_.window;
    const float padding = model_.Has(Planted::kPadValueOne) ? 1.0f : 0.0f;
    int64_t ow = first % w.output[2];
    int64_t oh = first / w.output[2] % w.output[1];
    int64_t od = first / (w.output[2] * w.output[1]);
    while (count > 0) {
      const int64_t run = std::min(count, w.output[2] - ow);
      const int64_t id = od * w.stride[0] - w.before[0] + kd * w.dilation[0];
      const int64_t ih = oh * w.stride[1] - w.before[1] + kh * w.dilation[1];
      if (id < 0 || id >= w.input[0] || ih < 0 || ih >= w.input[1]) {
        std::fill_n(to, run, padding);
      } else {
        const float* row = plane + (id * w.input[1] + ih) * w.input[2];
        int64_t iw = ow * w.stride[2] - w.before[2] + kw * w.dilation[2];
        for (int64_t i = 0; i < run; ++i, iw += w.stride[2]) {
          to[i] = iw >= 0 && iw < w.input[2] ? row[iw] : padding;
        }
      }
      to += run;
      count -= run;
      ow = 0;
      if (++oh == w.output[1]) {
        oh = 0;
        ++od;
      }
    }
  }

  ConvShape shape_;
  NumericModel model_;
  std::vector<float> weight_;  // empty if the weight is known only at run time
  bool weight_finite_;
  Bias bias_;
};

// Applies planted defects of the weights' layout. The number of elements does not change.
void SpoilWeights(const NumericModel& model, const Window& window, std::vector<float>& weight) {
  const int64_t volume = Window::Volume(window.kernel);
  if (model.Has(Planted::kKernelFlipped)) {
    for (auto at = weight.begin(); at != weight.end(); at += volume) std::reverse(at, at + volume);
  }
  if (model.Has(Planted::kKernelTransposed) && window.kernel[1] == window.kernel[2]) {
    const int64_t side = window.kernel[1];
    for (auto at = weight.begin(); at != weight.end(); at += side * side) {
      for (int64_t i = 0; i < side; ++i) {
        for (int64_t j = 0; j < i; ++j) std::swap(at[i * side + j], at[j * side + i]);
      }
    }
  }
}

std::unique_ptr<const Kernel> BuildConv(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const Operand weight = builder.Tensor("weight");
  if (!builder.ok()) return nullptr;
  const int rank = x.type.shape.rank();
  if (weight.type.shape.rank() != rank || weight.type.element != x.type.element ||
      !IsFloat(x.type.element)) {
    builder.Reject(Stage::kFrontend, fmt::format("x {} and weight {} do not fit", x.type.ToString(),
                                                 weight.type.ToString()));
    return nullptr;
  }
  IntList extents;
  for (int axis = 2; axis < rank; ++axis) extents.Append(weight.type.shape[axis]);
  ConvShape shape;
  shape.window = ReadWindow(builder, x.type.shape, extents, /*dilations=*/true, false);
  shape.groups = builder.Int("groups", 1);
  if (!builder.ok()) return nullptr;
  shape.element = x.type.element;
  shape.batch = x.type.shape[0];
  shape.in_channels = x.type.shape[1];
  shape.out_channels = weight.type.shape[0];
  if (shape.groups < 1 || shape.in_channels % shape.groups != 0 ||
      shape.out_channels % shape.groups != 0) {
    builder.Reject(Stage::kValidator, "input/output channels should be divisible by num group");
    return nullptr;
  }
  if (weight.type.shape[1] != shape.in_group()) {
    builder.Reject(Stage::kValidator,
                   fmt::format("KernelChannels ({}) != InputChannels ({}) / Group ({})",
                               weight.type.shape[1], shape.in_channels, shape.groups));
    return nullptr;
  }
  CheckKernelExtents(builder, shape);
  if (weight.constant == nullptr && shape.batch > 1 && builder.QuirkOn("D30")) {
    builder.RejectOnEngine(Stage::kCodegen,
                           "convolution with dynamic weights takes a batch of one");
  }
  Bias bias = ReadBias(builder, shape.element, shape.out_channels);
  if (!builder.ok()) return nullptr;
  builder.Output({shape.element, WindowShape(shape.window, shape.batch, shape.out_channels)});
  std::vector<float> packed;
  if (weight.constant != nullptr) packed = ConstantFloats(*weight.constant);
  if (builder.model().Has(Planted::kDilationAsOne)) shape.window.dilation = {1, 1, 1};
  if (builder.model().Has(Planted::kStrideTransposed)) {
    std::swap(shape.window.stride[1], shape.window.stride[2]);
  }
  return MakeConvKernel(shape, builder.model(), std::move(packed), std::move(bias));
}

constexpr OpRow kRows[] = {
    {"conv", BuildConv},     {"conv_transpose", BuildConvTranspose},
    {"linear", BuildLinear}, {"matmul", BuildMatmul},
    {"einsum", BuildEinsum}, {"scaled_dot_product_attention", BuildAttention, false, Pass::kCut},
};

}  // namespace

void CheckKernelExtents(OpBuilder& builder, const ConvShape& shape) {
  const Window& window = shape.window;
  // No backend lowers such a kernel, for any device mask (specification 003, attested is not
  // reachable).
  if (window.kernel[0] > 1 && builder.settings().QuirkOn("D16")) {
    builder.Reject(Stage::kCodegen, "Some ops are not supported on any of the specified backends");
  }
  if (builder.settings().faults.Find(FaultEffect::kAcceptKernel) != nullptr) return;
  // On A13 the front end refuses these programs. On later families code generation refuses them
  // (facts/compile_envelope.csv).
  const int64_t widest = builder.target().family <= kFamilyA13 ? 15 : 16;
  if (window.kernel[2] > widest && builder.target().family <= kFamilyA13) {
    builder.RejectOnEngine(Stage::kFrontend, fmt::format("kW must be <={}", widest));
  }
  const bool narrow = shape.element == Element::kFp16 && builder.QuirkOn("D29");
  if (narrow && HasMeasuredLimits(builder.target())) {
    if (TakesKernel(window.kernel[1], window.kernel[2])) return;
    return builder.RejectOnEngine(
        Stage::kCodegen, "Error: conv with large kernel does not meet decomposition preconditions");
  }
  const int64_t width = narrow ? std::min(widest, MaxKernelWidth(builder.target())) : widest;
  if (window.kernel[2] > width) {
    builder.RejectOnEngine(Stage::kCodegen,
                           fmt::format("Invalid conv kernel width = {}, It should be in [1, {}]",
                                       window.kernel[2], width));
  }
  const int64_t height = MaxKernelHeight(builder.target());
  if (window.kernel[1] > height) {
    builder.RejectOnEngine(Stage::kValidator,
                           fmt::format("Invalid conv kernel {} = {}, It should be in [{}, {}]",
                                       "height", window.kernel[1], 1, height));
  }
}

std::unique_ptr<const Kernel> MakeConvKernel(const ConvShape& shape, const NumericModel& model,
                                             std::vector<float> weight, Bias bias) {
  bool finite = true;
  if (!weight.empty()) {
    finite = PrepareMacOperand(model, weight.data(), static_cast<int64_t>(weight.size()),
                               shape.element == Element::kFp16);
    SpoilWeights(model, shape.window, weight);
  }
  return std::make_unique<ConvKernel>(shape, model, std::move(weight), finite, std::move(bias));
}

std::span<const OpRow> ConvolutionRows() { return kRows; }

}  // namespace anecheck::device
