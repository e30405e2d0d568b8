// Functions of one variable whose constants differ by channel (axis 1): prelu, softplus_parametric,
// and batch_norm, which at inference is a scale and an offset.
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "harness/device/half_block.h"
#include "harness/device/op_table.h"

namespace anecheck::device {
namespace {

// Runs function(x, channel) over a tensor [N, C, ...].
template <typename Function>
class ChannelKernel : public Kernel {
 public:
  ChannelKernel(const TensorType& type, NumericModel model, Function function)
      : element_(type.element),
        channels_(type.shape[1]),
        plane_(type.shape.Product(2, type.shape.rank())),
        count_(type.shape.Elements()),
        model_(model),
        function_(std::move(function)) {}

  void Run(const Invocation& call) const override {
    float* values = call.scratch.Floats(0, count_);
    LoadFloats(element_, call.inputs[0], 1, count_, values);
    for (int64_t i = 0; i < count_; ++i) {
      values[i] = Map(values[i], static_cast<size_t>(i / plane_ % channels_));
    }
    StoreFloats(element_, values, count_, model_, call.outputs[0]);
  }

 private:
  float Map(float x, size_t channel) const {
    if (std::isnan(x) && model_.nan_is_infinity) x = std::numeric_limits<float>::infinity();
    const float y = function_(x, channel);
    return std::isnan(y) && !std::isnan(x) && model_.invalid_is_zero ? 0.0f : y;
  }

  Element element_;
  int64_t channels_;
  int64_t plane_;
  int64_t count_;
  NumericModel model_;
  Function function_;
};

template <typename Function>
std::unique_ptr<const Kernel> BuildChannels(OpBuilder& builder, const Operand& x,
                                            Function function) {
  if (!builder.ok()) return nullptr;
  builder.Output(x.type);
  return std::make_unique<ChannelKernel<Function>>(x.type, builder.model(), std::move(function));
}

// Reads the operand x, which must have floats and rank 3 to 5.
Operand ReadX(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const int rank = x.type.shape.rank();
  if (builder.ok() && (!IsFloat(x.type.element) || rank < 3 || rank > 5)) {
    builder.Reject(Stage::kFrontend, fmt::format("x is {}", x.type.ToString()));
  }
  return x;
}

// Reads a constant with one number per channel. If the argument is absent, every channel has
// `fallback`.
std::vector<float> ReadChannels(OpBuilder& builder, std::string_view name, const Operand& x,
                                float fallback, bool required) {
  if (!builder.ok()) return {};
  const auto operand = builder.OptionalTensor(name);
  if (!operand && !required) {
    return std::vector<float>(static_cast<size_t>(x.type.shape[1]), fallback);
  }
  if (!operand || operand->constant == nullptr ||
      operand->type != TensorType{x.type.element, {x.type.shape[1]}}) {
    builder.Reject(Stage::kFrontend,
                   fmt::format("{} must be a constant with one number per channel", name));
    return {};
  }
  return ConstantFloats(*operand->constant);
}

std::unique_ptr<const Kernel> BuildPrelu(OpBuilder& builder) {
  const Operand x = ReadX(builder);
  auto alpha = ReadChannels(builder, "alpha", x, 0, true);
  return BuildChannels(builder, x, [alpha = std::move(alpha)](float value, size_t channel) {
    return value < 0 ? value * alpha[channel] : value;
  });
}

std::unique_ptr<const Kernel> BuildSoftplusParametric(OpBuilder& builder) {
  const Operand x = ReadX(builder);
  auto alpha = ReadChannels(builder, "alpha", x, 0, true);
  auto beta = ReadChannels(builder, "beta", x, 0, true);
  return BuildChannels(
      builder, x, [alpha = std::move(alpha), beta = std::move(beta)](float value, size_t c) {
        const double inner = static_cast<double>(value * beta[c]);
        const double curve = std::fmax(inner, 0) + std::log1p(std::exp(-std::fabs(inner)));
        return static_cast<float>(static_cast<double>(alpha[c]) * curve);
      });
}

// The scale and the offset of batch_norm in fp16, as in every pass.
struct Folded {
  std::vector<float> scale, offset;
};

std::unique_ptr<const Kernel> BuildBatchNorm(OpBuilder& builder) {
  const Operand x = ReadX(builder);
  const auto mean = ReadChannels(builder, "mean", x, 0, true);
  const auto variance = ReadChannels(builder, "variance", x, 1, true);
  const auto gamma = ReadChannels(builder, "gamma", x, 1, false);
  const auto beta = ReadChannels(builder, "beta", x, 0, false);
  const auto epsilon =
      static_cast<float>(HalfToDouble(DoubleToHalf(builder.Float("epsilon", 1e-5))));
  if (!builder.ok()) return nullptr;
  Folded folded;
  const auto store = [&](float value) {
    return x.type.element == Element::kFp16 ? RoundToHalf(value, Rounding::kNearestEven) : value;
  };
  for (size_t c = 0; c < mean.size(); ++c) {
    const float root = store(1.0f / std::sqrt(variance[c] + epsilon));
    folded.scale.push_back(store(root * gamma[c]));
    folded.offset.push_back(store(beta[c] - store(mean[c] * folded.scale[c])));
  }
  return BuildChannels(builder, x, [folded = std::move(folded)](float value, size_t channel) {
    return value * folded.scale[channel] + folded.offset[channel];
  });
}

constexpr OpRow kRows[] = {
    {"prelu", BuildPrelu},
    {"softplus_parametric", BuildSoftplusParametric},
    {"batch_norm", BuildBatchNorm},
};

}  // namespace

std::span<const OpRow> ChannelRows() { return kRows; }

}  // namespace anecheck::device
