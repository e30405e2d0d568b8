// Layer and instance norm. Both compute statistics in wide arithmetic, but gain and offset in fp16.
#include <bit>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <memory>
#include <utility>
#include <vector>

#include "harness/device/half_block.h"
#include "harness/device/op_table.h"
#include "harness/device/ops/axis_split.h"

namespace anecheck::device {
namespace {

// Returns `mean` with its significand truncated to eight bits.
double EightBits(double mean) {
  constexpr uint64_t kDropped = (uint64_t{1} << 45) - 1;
  return std::bit_cast<double>(std::bit_cast<uint64_t>(mean) & ~kDropped);
}

class LayerNormKernel : public Kernel {
 public:
  // `channels` is 0 if gain and offset differ between the elements of a group. Otherwise it is the
  // number of groups after which the channels repeat.
  LayerNormKernel(Element element, AxisSplit split, double epsilon, NumericModel model,
                  std::vector<float> gamma, std::vector<float> beta, size_t channels)
      : element_(element),
        split_(std::move(split)),
        epsilon_(epsilon),
        model_(model),
        gamma_(std::move(gamma)),
        beta_(std::move(beta)),
        channels_(channels) {}

  void Run(const Invocation& call) const override {
    const auto count = static_cast<int64_t>(split_.kept.size() * split_.reduced.size());
    float* values = call.scratch.Floats(0, count);
    LoadFloats(element_, call.inputs[0], 1, count, values);
    if (model_.nan_is_infinity) {
      // The variance uses a large finite value in place of a NaN (facts/numerics.md).
      for (int64_t i = 0; i < count; ++i) {
        if (std::isnan(values[i])) values[i] = static_cast<float>(kHalfMaxValue);
      }
    }
    for (size_t group = 0; group < split_.kept.size(); ++group) {
      RunGroup(values + split_.kept[group], channels_ == 0 ? 0 : group % channels_);
    }
    StoreFloats(element_, values, count, model_, call.outputs[0]);
  }

 private:
  float Round(float value) const {
    if (std::isnan(value) && model_.invalid_is_zero) value = 0;
    return element_ == Element::kFp16 ? RoundToHalf(value, model_.store_rounding) : value;
  }

  void RunGroup(float* values, size_t channel) const {
    const auto count = static_cast<double>(split_.reduced.size());
    double sum = 0;
    for (const int64_t i : split_.reduced) sum += static_cast<double>(values[i]);
    double mean = sum / count;
    if (model_.Has(Planted::kNormShortMean)) mean = EightBits(mean);
    double squares = 0;
    for (const int64_t i : split_.reduced) {
      const double difference = static_cast<double>(values[i]) - mean;
      squares += difference * difference;
    }
    const bool sample = model_.Has(Planted::kNormSampleVariance) && count > 1;
    const double variance = squares / (sample ? count - 1 : count);
    const double epsilon = model_.Has(Planted::kNormEpsilonIgnored) ? 0 : epsilon_;
    const double scale = 1 / std::sqrt(variance + epsilon);
    if (model_.Has(Planted::kNormMeanNotSubtracted)) mean = 0;
    for (size_t k = 0; k < split_.reduced.size(); ++k) {
      float& value = values[split_.reduced[k]];
      value = Round(static_cast<float>((static_cast<double>(value) - mean) * scale));
      const size_t lane = channels_ == 0 ? k : channel;
      if (!gamma_.empty()) value = Round(value * gamma_[lane]);
      if (!beta_.empty()) value = Round(value + beta_[lane]);
    }
  }

  Element element_;
  AxisSplit split_;
  double epsilon_;
  NumericModel model_;
  std::vector<float> gamma_;
  std::vector<float> beta_;
  size_t channels_;
};

// Reads a constant over the normalised axes. Empty if the argument is absent.
std::vector<float> ReadParameter(OpBuilder& builder, std::string_view name, Element element,
                                 const Shape& shape) {
  const auto operand = builder.OptionalTensor(name);
  if (!operand || !builder.ok()) return {};
  if (operand->constant == nullptr || operand->type != TensorType{element, shape}) {
    builder.Reject(Stage::kFrontend,
                   fmt::format("{} is {}, must be a constant {}", name, operand->type.ToString(),
                               TensorType{element, shape}.ToString()));
    return {};
  }
  return ConstantFloats(*operand->constant);
}

std::unique_ptr<const Kernel> BuildLayerNorm(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const int rank = x.type.shape.rank();
  const uint32_t mask = builder.Axes("axes", rank);
  const double epsilon = builder.Float("epsilon", 1e-5);
  Shape reduced;
  for (int axis = 0; axis < rank; ++axis) {
    if ((mask >> axis & 1) != 0) reduced.Append(x.type.shape[axis]);
  }
  std::vector<float> gamma = ReadParameter(builder, "gamma", x.type.element, reduced);
  std::vector<float> beta = ReadParameter(builder, "beta", x.type.element, reduced);
  if (!builder.ok()) return nullptr;
  if (!IsFloat(x.type.element)) {
    builder.Reject(Stage::kFrontend, fmt::format("x is {}", x.type.ToString()));
    return nullptr;
  }
  builder.Output(x.type);
  if (builder.model().Has(Planted::kNormGammaIgnored)) gamma.clear();
  if (builder.model().Has(Planted::kNormBetaIgnored)) beta.clear();
  return std::make_unique<LayerNormKernel>(x.type.element, SplitAxes(x.type.shape, mask), epsilon,
                                           builder.model(), std::move(gamma), std::move(beta), 0);
}

std::unique_ptr<const Kernel> BuildInstanceNorm(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const int rank = x.type.shape.rank();
  const double epsilon = builder.Float("epsilon", 1e-5);
  if (!builder.ok()) return nullptr;
  if (!IsFloat(x.type.element) || rank < 3 || rank > 4) {
    builder.Reject(Stage::kFrontend, fmt::format("x is {}", x.type.ToString()));
    return nullptr;
  }
  const Shape channels{x.type.shape[1]};
  std::vector<float> gamma = ReadParameter(builder, "gamma", x.type.element, channels);
  std::vector<float> beta = ReadParameter(builder, "beta", x.type.element, channels);
  if (!builder.ok()) return nullptr;
  builder.Output(x.type);
  const uint32_t spatial = ((uint32_t{1} << rank) - 1) & ~uint32_t{3};
  return std::make_unique<LayerNormKernel>(x.type.element, SplitAxes(x.type.shape, spatial),
                                           epsilon, builder.model(), std::move(gamma),
                                           std::move(beta), static_cast<size_t>(x.type.shape[1]));
}

constexpr OpRow kRows[] = {{"layer_norm", BuildLayerNorm}, {"instance_norm", BuildInstanceNorm}};

}  // namespace

std::span<const OpRow> NormalizationRows() { return kRows; }

}  // namespace anecheck::device
