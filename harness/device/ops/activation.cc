// Activations: the rectifier and the clamp are exact, the others are tables.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <memory>

#include "harness/device/curve_table.h"
#include "harness/device/half_block.h"
#include "harness/device/op_table.h"

namespace anecheck::device {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Runs a function over a tensor, block by block, in place in fp32.
template <typename Function>
class MapKernel : public Kernel {
 public:
  MapKernel(const TensorType& type, NumericModel model, Function function)
      : element_(type.element), count_(type.shape.Elements()), model_(model), function_(function) {}

  void Run(const Invocation& call) const override {
    const int64_t size = ElementSize(element_);
    float block[kBlock];
    for (int64_t first = 0; first < count_; first += kBlock) {
      const int64_t count = std::min(kBlock, count_ - first);
      LoadFloats(element_, static_cast<const char*>(call.inputs[0]) + first * size, 1, count,
                 block);
      for (int64_t i = 0; i < count; ++i) {
        float x = block[i];
        if (std::isnan(x) && model_.nan_is_infinity) x = kInfinity;
        block[i] = function_(x, model_);
      }
      StoreFloats(element_, block, count, model_,
                  static_cast<char*>(call.outputs[0]) + first * size);
    }
  }

 private:
  Element element_;
  int64_t count_;
  NumericModel model_;
  Function function_;
};

template <typename Function>
std::unique_ptr<const Kernel> BuildMap(OpBuilder& builder, const Operand& x, Function function) {
  if (!builder.ok()) return nullptr;
  if (!IsFloat(x.type.element)) {
    builder.Reject(Stage::kFrontend, fmt::format("x is {}", x.type.ToString()));
    return nullptr;
  }
  builder.Output(x.type);
  return std::make_unique<MapKernel<Function>>(x.type, builder.model(), function);
}

std::unique_ptr<const Kernel> BuildCurve(OpBuilder& builder, const Operand& x,
                                         const CurveTable& table) {
  return BuildMap(builder, x, [table = &table](float value, const NumericModel& model) {
    return table->Evaluate(value, model);
  });
}

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
// The even remainders of functions that are x / 2 plus one.
double GeluEven(double x) { return x * 0.5 * std::erf(x / std::sqrt(2.0)); }
double GeluTanhEven(double x) {
  return x * 0.5 * std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x));
}
double GeluSigmoidEven(double x) { return x * (Sigmoid(1.702 * x) - 0.5); }

constexpr float kGeluAtZero = -0.000543f;  // D12, facts/numerics.md

std::unique_ptr<const Kernel> BuildRelu(OpBuilder& builder) {
  return BuildMap(builder, builder.Tensor("x"), [](float x, const NumericModel& model) {
    if (model.Has(Planted::kReluSlope) && x < 0) return x * 0.0009765625f;
    if (model.Has(Planted::kReluSubnormal) && std::fabs(x) < 0x1p-14f) return 0.0f;
    return x < 0 ? 0.0f : x;
  });
}

std::unique_ptr<const Kernel> BuildClip(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const float alpha =
      RoundToHalf(static_cast<float>(builder.Float("alpha")), Rounding::kNearestEven);
  const float beta = RoundToHalf(static_cast<float>(builder.Float("beta")), Rounding::kNearestEven);
  if (builder.ok() && !(alpha <= beta)) {
    builder.Reject(Stage::kFrontend, fmt::format("alpha {} is above beta {}", alpha, beta));
  }
  return BuildMap(builder, x, [alpha, beta](float value, const NumericModel& model) {
    if (value < alpha && !model.Has(Planted::kClipLowerIgnored)) return alpha;
    if (value > beta && !model.Has(Planted::kClipUpperIgnored)) return beta;
    return value;
  });
}

std::unique_ptr<const Kernel> BuildSigmoid(OpBuilder& builder) {
  // The published domain of the A13 table.
  static const CurveTable table = MakeCurve(Sigmoid, -9.938, 8.320, CurveSymmetry::kNone);
  static const CurveTable saturated = [] {
    CurveTable result = table;
    result.below = 0;
    result.above = 1;
    return result;
  }();
  return BuildCurve(builder, builder.Tensor("x"), saturated);
}

std::unique_ptr<const Kernel> BuildTanh(OpBuilder& builder) {
  static const CurveTable table = [] {
    CurveTable result = MakeCurve(std::tanh, 0, 4.25, CurveSymmetry::kOdd);
    result.above = 1;
    return result;
  }();
  return BuildCurve(builder, builder.Tensor("x"), table);
}

std::unique_ptr<const Kernel> BuildGelu(OpBuilder& builder) {
  static const CurveTable exact = MakeCurve(GeluEven, 0, 4.5, CurveSymmetry::kHalfPlusEven);
  static const CurveTable tanh = MakeCurve(GeluTanhEven, 0, 4.5, CurveSymmetry::kHalfPlusEven);
  static const CurveTable sigmoid =
      MakeCurve(GeluSigmoidEven, 0, 5.5, CurveSymmetry::kHalfPlusEven);
  static const CurveTable biased[] = {WithOrigin(exact, kGeluAtZero), WithOrigin(tanh, kGeluAtZero),
                                      WithOrigin(sigmoid, kGeluAtZero)};
  const Operand x = builder.Tensor("x");
  const std::string mode = builder.String("mode", "EXACT");
  const bool origin = builder.model().gelu_origin_bias;
  if (mode == "EXACT") return BuildCurve(builder, x, origin ? biased[0] : exact);
  if (mode == "TANH_APPROXIMATION") return BuildCurve(builder, x, origin ? biased[1] : tanh);
  if (mode == "SIGMOID_APPROXIMATION") return BuildCurve(builder, x, origin ? biased[2] : sigmoid);
  builder.Reject(Stage::kFrontend, fmt::format("mode '{}' is not known", mode));
  return nullptr;
}

constexpr OpRow kRows[] = {
    {"relu", BuildRelu}, {"clip", BuildClip}, {"sigmoid", BuildSigmoid},
    {"tanh", BuildTanh}, {"gelu", BuildGelu},
};

}  // namespace

std::span<const OpRow> ActivationRows() { return kRows; }

}  // namespace anecheck::device
