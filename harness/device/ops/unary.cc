// Elementwise functions of one operand, besides the activations of activation.cc: roots, powers,
// exponentials, roundings, trigonometry, and the tabled curves that have no published error.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "harness/device/op_table.h"
#include "harness/device/ops/integer_map.h"
#include "harness/device/ops/map_kernel.h"
#include "harness/device/recorded_curve.h"

namespace anecheck::device {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// Evaluates in double and rounds to fp32, because the engine evaluates in about fp32 precision.
template <double (*kFunction)(double)>
float InWide(float x, const NumericModel&) {
  return static_cast<float>(kFunction(static_cast<double>(x)));
}

template <float (*kFunction)(float, const NumericModel&)>
std::unique_ptr<const Kernel> Plain(OpBuilder& builder) {
  return BuildMap(builder, builder.Tensor("x"),
                  [](float x, const NumericModel& model) { return kFunction(x, model); });
}

// Builds operations that also take an int32 operand.
using IntegerFunction = int64_t (*)(Element, int64_t);
template <float (*kFunction)(float, const NumericModel&), IntegerFunction kOfIntegers>
std::unique_ptr<const Kernel> Numbers(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  if (builder.ok() && x.type.element == Element::kInt32) {
    return BuildIntegerMap(builder, x, kOfIntegers);
  }
  return BuildMap(builder, x,
                  [](float value, const NumericModel& model) { return kFunction(value, model); });
}

int64_t IntegerAbs(Element, int64_t x) { return x < 0 ? -x : x; }
int64_t IntegerSquare(Element, int64_t x) { return x * x; }
int64_t IntegerSign(Element, int64_t x) { return (x > 0) - (x < 0); }
// Returns the integer part of 2^x, saturated to the type.
int64_t IntegerExp2(Element element, int64_t x) {
  return SaturateToInt(element, std::exp2(static_cast<double>(x)));
}

float Abs(float x, const NumericModel&) { return std::fabs(x); }
float Square(float x, const NumericModel&) { return x * x; }
// D08: the sign of zero is lost.
float Sqrt(float x, const NumericModel& model) {
  return x == 0 && model.zero_sign_lost ? 0.0f : std::sqrt(x);
}
std::unique_ptr<const Kernel> BuildSqrt(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const bool half = x.type.element == Element::kFp16;
  return BuildMap(builder, x, [half](float value, const NumericModel& model) {
    const bool recorded = half && value > 0 && std::isfinite(value);
    return recorded ? RecordedSqrt(value, model) : Sqrt(value, model);
  });
}
std::unique_ptr<const Kernel> BuildExp(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const bool half = x.type.element == Element::kFp16;
  return BuildMap(builder, x, [half](float value, const NumericModel& model) {
    return half && std::isfinite(value) ? RecordedExp(value, model)
                                        : InWide<std::exp>(value, model);
  });
}
float Sign(float x, const NumericModel&) {
  return std::isnan(x) ? x : static_cast<float>((x > 0) - (x < 0));
}
float Round(float x, const NumericModel&) { return std::nearbyint(x); }
float Ceil(float x, const NumericModel&) { return std::ceil(x); }
float Floor(float x, const NumericModel&) { return std::floor(x); }
float Relu6(float x, const NumericModel&) { return std::isnan(x) ? x : std::clamp(x, 0.0f, 6.0f); }

// D10: the quotient of two infinities is 0.
float Softsign(float x, const NumericModel& model) {
  if (std::isinf(x)) return model.softsign_infinity_zero && x > 0 ? 0.0f : std::copysign(1.0f, x);
  return x / (1 + std::fabs(x));
}

// D14: near the seams of the argument reduction the result is wrong. The positions of the seams are
// not published. They are assumed at the multiples of a quarter turn except 0, around which no
// argument is reduced. For the arc tangent they are assumed at 1 and -1.
constexpr float kSeamError = 0.05f;
constexpr float kSeamWidth = 0.01f;
bool NearQuarterTurn(float x) {
  const double turns = static_cast<double>(x) / M_PI_2;
  const double nearest = std::nearbyint(turns);
  return nearest != 0 && std::fabs(turns - nearest) < static_cast<double>(kSeamWidth);
}
float AtSeam(float x, float y, const NumericModel& model) {
  return model.trigonometric_seams && NearQuarterTurn(x) ? y - std::copysign(kSeamError, y) : y;
}
float Atan(float x, const NumericModel& model) {
  const auto y = static_cast<float>(std::atan(static_cast<double>(x)));
  const bool seam = model.trigonometric_seams && std::fabs(std::fabs(x) - 1) < kSeamWidth;
  return seam ? y - std::copysign(kSeamError, y) : y;
}

// Returns the epsilon in fp16, like every constant of a pass. `fallback` is the default in MIL's
// operation set.
float ReadEpsilon(OpBuilder& builder, double fallback) {
  return static_cast<float>(HalfToDouble(DoubleToHalf(builder.Float("epsilon", fallback))));
}
// Adds epsilon to x. An epsilon of 0 is not added, because the sum would lose the sign of a
// negative zero. For fp16 the sum is rounded to fp16 before the table reads it.
float AddEpsilon(float x, float epsilon, bool half, const NumericModel& model) {
  if (epsilon == 0) return x;
  return half ? RoundToHalf(x + epsilon, model.store_rounding) : x + epsilon;
}

// D08: the sign of a zero operand is lost.
std::unique_ptr<const Kernel> BuildInverse(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const float epsilon = ReadEpsilon(builder, 1e-4);
  const bool half = x.type.element == Element::kFp16;
  return BuildMap(builder, x, [epsilon, half](float value, const NumericModel& model) {
    const float divisor = AddEpsilon(value, epsilon, half, model);
    if (divisor == 0 && model.zero_sign_lost) return kInfinity;
    if (half && divisor != 0 && std::isfinite(divisor)) return RecordedInverse(divisor, model);
    return 1 / divisor;
  });
}

std::unique_ptr<const Kernel> BuildRsqrt(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const float epsilon = ReadEpsilon(builder, 1e-12);
  const bool half = x.type.element == Element::kFp16;
  return BuildMap(builder, x, [epsilon, half](float value, const NumericModel& model) {
    const float under = AddEpsilon(value, epsilon, half, model);
    if (under == 0 && model.zero_sign_lost) return kInfinity;
    if (half && under > 0 && std::isfinite(under)) return RecordedRsqrt(under, model);
    return static_cast<float>(1 / std::sqrt(static_cast<double>(under)));
  });
}

// D11: the logarithm of zero is a finite value.
std::unique_ptr<const Kernel> BuildLog(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const float epsilon = ReadEpsilon(builder, 1e-45);
  const bool half = x.type.element == Element::kFp16;
  return BuildMap(builder, x, [epsilon, half](float value, const NumericModel& model) {
    const float of = AddEpsilon(value, epsilon, half, model);
    if (of == 0 && model.log_zero_finite) return -45440.0f;
    if (half && of > 0 && std::isfinite(of)) return RecordedLog(of, model);
    return static_cast<float>(std::log(static_cast<double>(of)));
  });
}

double SiluEven(double x) { return x * (Sigmoid(x) - 0.5); }
double SoftplusEven(double x) { return x / 2 + std::log1p(std::exp(-x)); }

std::unique_ptr<const Kernel> BuildSilu(OpBuilder& builder) {
  static const CurveTable table = MakeCurve(SiluEven, 0, 9, CurveSymmetry::kHalfPlusEven);
  const Operand x = builder.Tensor("x");
  // D13: the value at 0 in an earlier compiler's table (facts/numerics.md).
  const auto at_zero = builder.model().silu_origin_bias ? std::optional(-0.001259f) : std::nullopt;
  return BuildRecorded(builder, x, RecordedSilu, table, at_zero);
}

// D09: the result is 0 from this argument on, because the exponential exceeds the array's range.
constexpr float kSoftplusEdge = 10.4f;

std::unique_ptr<const Kernel> BuildSoftplus(OpBuilder& builder) {
  static const CurveTable table = MakeCurve(SoftplusEven, 0, 10, CurveSymmetry::kHalfPlusEven);
  return BuildMap(builder, builder.Tensor("x"), [](float x, const NumericModel& model) {
    if (model.softplus_drops && x >= kSoftplusEdge) return 0.0f;
    return table.Evaluate(x, model);
  });
}

std::unique_ptr<const Kernel> BuildErf(OpBuilder& builder) {
  static const CurveTable table = [] {
    CurveTable result = MakeCurve(std::erf, 0, 3, CurveSymmetry::kOdd);
    result.above = 1;
    return result;
  }();
  const Operand x = builder.Tensor("x");
  if (x.type.element != Element::kFp16) return BuildCurve(builder, x, table);
  return BuildMap(builder, x, [](float value, const NumericModel& model) {
    if (std::fabs(value) <= 2) return RecordedErf(value, model);
    return static_cast<float>(std::erf(static_cast<double>(value)));
  });
}

std::unique_ptr<const Kernel> BuildLeakyRelu(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const auto alpha = static_cast<float>(builder.Float("alpha", 0.01));
  return BuildMap(builder, x, [alpha](float value, const NumericModel&) {
    return value < 0 ? value * alpha : value;
  });
}

std::unique_ptr<const Kernel> BuildElu(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const double alpha = builder.Float("alpha", 1);
  return BuildMap(builder, x, [alpha](float value, const NumericModel&) {
    return value < 0 ? static_cast<float>(alpha * std::expm1(static_cast<double>(value))) : value;
  });
}

std::unique_ptr<const Kernel> BuildSigmoidHard(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const auto alpha = static_cast<float>(builder.Float("alpha", 0.2));
  const auto beta = static_cast<float>(builder.Float("beta", 0.5));
  return BuildMap(builder, x, [alpha, beta](float value, const NumericModel&) {
    const float line = value * alpha + beta;
    return std::isnan(line) ? line : std::clamp(line, 0.0f, 1.0f);
  });
}

std::unique_ptr<const Kernel> BuildClampedRelu(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const auto alpha = static_cast<float>(builder.Float("alpha"));
  const auto beta = static_cast<float>(builder.Float("beta"));
  return BuildMap(builder, x, [alpha, beta](float value, const NumericModel&) {
    const float line = value < 0 ? value * alpha : value;
    return line > beta ? beta : line;
  });
}

std::unique_ptr<const Kernel> BuildThreshold(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const auto alpha = static_cast<float>(builder.Float("alpha"));
  return BuildMap(builder, x, [alpha](float value, const NumericModel&) {
    return value < alpha ? alpha : value;
  });
}

std::unique_ptr<const Kernel> BuildThresholdedRelu(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const auto alpha = static_cast<float>(builder.Float("alpha"));
  return BuildMap(builder, x, [alpha](float value, const NumericModel&) {
    return value < alpha ? 0.0f : value;
  });
}

std::unique_ptr<const Kernel> BuildScaledTanh(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const double alpha = builder.Float("alpha");
  const double beta = builder.Float("beta");
  return BuildMap(builder, x, [alpha, beta](float value, const NumericModel&) {
    return static_cast<float>(alpha * std::tanh(beta * static_cast<double>(value)));
  });
}

// Sine and cosine are native from A15 (specification 003, table 24.2) and have no decomposition.
template <double (*kFunction)(double), bool kQuarterAhead>
std::unique_ptr<const Kernel> FromA15(OpBuilder& builder) {
  if (builder.target().family < kFamilyA15) {
    builder.RejectOnEngine(Stage::kFloor,
                           "Some ops are not supported on any of the specified backends");
  }
  const Operand x = builder.Tensor("x");
  const bool half = x.type.element == Element::kFp16;
  return BuildMap(builder, x, [half](float value, const NumericModel& model) {
    const float y = half && std::isfinite(value) ? RecordedSine(value, kQuarterAhead, model)
                                                 : InWide<kFunction>(value, model);
    return AtSeam(value, y, model);
  });
}

constexpr OpRow kRows[] = {
    {"abs", Numbers<Abs, IntegerAbs>},
    {"square", Numbers<Square, IntegerSquare>},
    {"sqrt", BuildSqrt},
    {"rsqrt", BuildRsqrt},
    {"inverse", BuildInverse},
    {"exp", BuildExp},
    {"exp2", Numbers<InWide<std::exp2>, IntegerExp2>},
    {"log", BuildLog},
    {"sign", Numbers<Sign, IntegerSign>},
    {"round", Plain<Round>},
    {"ceil", Plain<Ceil>},
    {"floor", Plain<Floor>},
    {"relu6", Plain<Relu6>},
    {"leaky_relu", BuildLeakyRelu},
    {"elu", BuildElu},
    {"sigmoid_hard", BuildSigmoidHard},
    {"clamped_relu", BuildClampedRelu},
    {"threshold", BuildThreshold},
    {"thresholded_relu", BuildThresholdedRelu},
    {"scaled_tanh", BuildScaledTanh},
    {"silu", BuildSilu},
    {"softplus", BuildSoftplus},
    {"softsign", Plain<Softsign>},
    {"erf", BuildErf},
    {"sin", FromA15<std::sin, false>},
    {"cos", FromA15<std::cos, true>},
    {"atan", Plain<Atan>},
};

}  // namespace

std::span<const OpRow> UnaryRows() { return kRows; }

}  // namespace anecheck::device
