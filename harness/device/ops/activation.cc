// Activations. The rectifier and the clamp are exact; the others are tables.
#include <cmath>
#include <fmt/format.h>
#include <memory>

#include "harness/device/curve_table.h"
#include "harness/device/half_block.h"
#include "harness/device/op_table.h"
#include "harness/device/ops/map_kernel.h"
#include "harness/device/recorded_curve.h"

namespace anecheck::device {
namespace {

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
// The functions g of activations that equal x / 2 + g(x), where g is even.
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
  return BuildRecorded(builder, builder.Tensor("x"), RecordedSigmoid, saturated);
}

std::unique_ptr<const Kernel> BuildTanh(OpBuilder& builder) {
  static const CurveTable table = [] {
    CurveTable result = MakeCurve(std::tanh, 0, 4.25, CurveSymmetry::kOdd);
    result.above = 1;
    return result;
  }();
  return BuildRecorded(builder, builder.Tensor("x"), RecordedTanh, table);
}

std::unique_ptr<const Kernel> BuildGelu(OpBuilder& builder) {
  static const CurveTable exact = MakeCurve(GeluEven, 0, 4.5, CurveSymmetry::kHalfPlusEven);
  static const CurveTable tanh = MakeCurve(GeluTanhEven, 0, 4.5, CurveSymmetry::kHalfPlusEven);
  static const CurveTable sigmoid =
      MakeCurve(GeluSigmoidEven, 0, 5.5, CurveSymmetry::kHalfPlusEven);
  static const CurveTable biased = WithOrigin(sigmoid, kGeluAtZero);
  const Operand x = builder.Tensor("x");
  const std::string mode = builder.String("mode", "EXACT");
  const bool origin = builder.model().gelu_origin_bias;
  // D12: the value at 0 in an earlier compiler's table.
  const auto at_zero = origin ? std::optional(kGeluAtZero) : std::nullopt;
  if (mode == "EXACT") return BuildRecorded(builder, x, RecordedGelu, exact, at_zero);
  if (mode == "TANH_APPROXIMATION") return BuildRecorded(builder, x, RecordedGelu, tanh, at_zero);
  if (mode == "SIGMOID_APPROXIMATION") return BuildCurve(builder, x, origin ? biased : sigmoid);
  builder.Reject(Stage::kFrontend, fmt::format("mode '{}' is not known", mode));
  return nullptr;
}

// The operation is "one fused layer" (facts/more/op_notes.csv). It applies the scale and the bias
// of a pass, each in fp16 (facts/numerics.md, order of one pass). Its layer is Linear, which is
// refused from rank 5 on (facts/more/reject_strings.csv, chapter 17).
std::unique_ptr<const Kernel> BuildLinearActivation(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  if (x.type.shape.rank() >= 5) {
    builder.RejectOnEngine(Stage::kValidator, "ANE cannot support Linear with input rank >= 5");
  }
  const auto read = [&](double given) {
    const auto value = static_cast<float>(given);
    return x.type.element == Element::kFp16 ? RoundToHalf(value, Rounding::kNearestEven) : value;
  };
  const float alpha = read(builder.Float("alpha"));
  const float beta = read(builder.Float("beta", 0));
  const bool half = x.type.element == Element::kFp16;
  return BuildMap(builder, x, [=](float value, const NumericModel& model) {
    float product = value * alpha;
    if (std::isnan(product) && model.invalid_is_zero) product = 0;
    return (half ? RoundToHalf(product, Rounding::kNearestEven) : product) + beta;
  });
}

constexpr OpRow kRows[] = {
    {"relu", BuildRelu}, {"clip", BuildClip}, {"sigmoid", BuildSigmoid},
    {"tanh", BuildTanh}, {"gelu", BuildGelu}, {"linear_activation", BuildLinearActivation},
};

}  // namespace

std::span<const OpRow> ActivationRows() { return kRows; }

}  // namespace anecheck::device
