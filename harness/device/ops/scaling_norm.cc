// Normalizations that only scale: l2 norm over the last three axes, and local response norm over
// neighbouring channels.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <utility>

#include "harness/device/half_block.h"
#include "harness/device/op_table.h"
#include "harness/device/ops/axis_split.h"
#include "harness/device/wide_sum.h"

namespace anecheck::device {
namespace {

float HalfFloat(OpBuilder& builder, std::string_view name, double fallback) {
  return static_cast<float>(HalfToDouble(DoubleToHalf(builder.Float(name, fallback))));
}

// The common part of both kernels: loads the whole tensor, calls function(values, results) and
// stores the results.
template <typename Function>
class WholeKernel : public Kernel {
 public:
  WholeKernel(const TensorType& type, NumericModel model, Function function)
      : element_(type.element),
        count_(type.shape.Elements()),
        model_(model),
        function_(std::move(function)) {}

  void Run(const Invocation& call) const override {
    float* values = call.scratch.Floats(0, count_);
    float* results = call.scratch.Floats(1, count_);
    LoadFloats(element_, call.inputs[0], 1, count_, values);
    for (int64_t i = 0; model_.nan_is_infinity && i < count_; ++i) {
      if (std::isnan(values[i])) values[i] = std::numeric_limits<float>::infinity();
    }
    function_(values, results);
    for (int64_t i = 0; model_.invalid_is_zero && i < count_; ++i) {
      if (std::isnan(results[i])) results[i] = 0;
    }
    StoreFloats(element_, results, count_, model_, call.outputs[0]);
  }

 private:
  Element element_;
  int64_t count_;
  NumericModel model_;
  Function function_;
};

template <typename Function>
std::unique_ptr<const Kernel> BuildWhole(OpBuilder& builder, const Operand& x, Function function) {
  if (!builder.ok()) return nullptr;
  builder.Output(x.type);
  return std::make_unique<WholeKernel<Function>>(x.type, builder.model(), std::move(function));
}

Operand ReadX(OpBuilder& builder, int most) {
  const Operand x = builder.Tensor("x");
  const int rank = x.type.shape.rank();
  if (builder.ok() && (!IsFloat(x.type.element) || rank < 3 || rank > most)) {
    builder.Reject(Stage::kFrontend, fmt::format("x is {}", x.type.ToString()));
  }
  return x;
}

std::unique_ptr<const Kernel> BuildL2Norm(OpBuilder& builder) {
  const Operand x = ReadX(builder, 5);
  const float epsilon = HalfFloat(builder, "epsilon", 1e-6);
  if (!builder.ok()) return nullptr;
  AxisSplit split = SplitAxes(x.type.shape, uint32_t{7} << (x.type.shape.rank() - 3));
  return BuildWhole(builder, x,
                    [split = std::move(split), epsilon](const float* values, float* results) {
                      for (const int64_t base : split.kept) {
                        WideSum sum;
                        for (const int64_t i : split.reduced) {
                          sum.Add(values[base + i] * values[base + i]);
                        }
                        const float root = 1 / std::sqrt(sum.Total() + epsilon);
                        for (const int64_t i : split.reduced) {
                          results[base + i] = values[base + i] * root;
                        }
                      }
                    });
}

// Code generation of A13 refuses 16 and more channels (facts/known_defects.csv, D19).
constexpr int64_t kResponseChannels = 16;

std::unique_ptr<const Kernel> BuildLocalResponseNorm(OpBuilder& builder) {
  const Operand x = ReadX(builder, 4);
  const int64_t size = builder.Int("size");
  const float alpha = HalfFloat(builder, "alpha", 1e-4) / static_cast<float>(size);
  const float beta = HalfFloat(builder, "beta", 0.75);
  const float k = HalfFloat(builder, "k", 1);
  if (!builder.ok()) return nullptr;
  const Shape shape = x.type.shape;
  if (shape[1] >= kResponseChannels &&
      (builder.target().family < kFamilyA13 || builder.QuirkOn("D19"))) {
    builder.RejectOnEngine(Stage::kCodegen, "LRN is not supported on this architecture.");
  }
  return BuildWhole(builder, x, [=](const float* values, float* results) {
    const int64_t plane = shape.Product(2, shape.rank());
    for (int64_t at = 0; at < shape.Elements(); ++at) {
      const int64_t channel = at / plane % shape[1];
      const int64_t first = std::max<int64_t>(0, channel - size / 2);
      const int64_t last = std::min(shape[1] - 1, channel + (size - 1) / 2);
      WideSum sum;
      for (int64_t c = first; c <= last; ++c) {
        const float x_at = values[at + (c - channel) * plane];
        sum.Add(x_at * x_at);
      }
      const double under = static_cast<double>(k + alpha * sum.Total());
      const auto scale = static_cast<float>(std::pow(under, -static_cast<double>(beta)));
      results[at] = values[at] * scale;
    }
  });
}

constexpr OpRow kRows[] = {
    {"l2_norm", BuildL2Norm},
    {"local_response_norm", BuildLocalResponseNorm},
};

}  // namespace

std::span<const OpRow> ScalingNormRows() { return kRows; }

}  // namespace anecheck::device
