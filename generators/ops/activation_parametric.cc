// Draws activations with slopes, thresholds and scales. fp16 represents exactly the parameters of
// operations that integer mode uses.
#include <algorithm>
#include <array>

#include "generators/drawer.h"
#include "generators/ops/domain.h"

namespace anecheck {
namespace {

using P = params::WithAlphaBeta;

bool EmitAlpha(Drawer& drawer, OpKind kind, ValueId x, double alpha, const ValueRange& range) {
  drawer.Begin(kind);
  drawer.graph().AddArgument(P::kX, x);
  drawer.AddFloat(P::kAlpha, alpha);
  return drawer.Finish(range);
}
bool EmitAlphaBeta(Drawer& drawer, OpKind kind, ValueId x, double alpha, double beta,
                   const ValueRange& range) {
  drawer.Begin(kind);
  drawer.graph().AddArgument(P::kX, x);
  drawer.AddFloat(P::kAlpha, alpha);
  drawer.AddFloat(P::kBeta, beta);
  return drawer.Finish(range);
}

constexpr std::array<double, 4> kSlopes = {0x1p-7, 0.25, 0.0999755859375, -0.5};

bool DrawLeakyRelu(Drawer& drawer, ValueId x) {
  const ValueRange range = drawer.range(x);
  return EmitAlpha(drawer, OpKind::kLeakyRelu, x, drawer.choices().Pick(kSlopes),
                   {-range.Magnitude(), range.Magnitude()});
}

bool DrawClampedRelu(Drawer& drawer, ValueId x) {
  const ValueRange range = drawer.range(x);
  const auto beta = static_cast<double>(drawer.choices().Range(1, 8));
  const double alpha = drawer.choices().Pick(kSlopes);
  return EmitAlphaBeta(drawer, OpKind::kClampedRelu, x, alpha, beta, {-range.Magnitude(), beta});
}

// A whole number in the middle of the range of x, so that x may have elements on both sides of it.
double WholeThreshold(Drawer& drawer, ValueId x) {
  const ValueRange& range = drawer.range(x);
  const auto half = static_cast<int64_t>(std::clamp(range.Magnitude() / 2, 1.0, 1024.0));
  const int64_t low = range.low < 0 ? -half : 0;
  const int64_t high = range.high > 0 ? half - 1 : low < 0 ? -1 : 0;
  return static_cast<double>(drawer.choices().Range(low, high));
}

bool DrawThreshold(Drawer& drawer, ValueId x) {
  const ValueRange range = drawer.range(x);
  const double alpha = WholeThreshold(drawer, x);
  return EmitAlpha(drawer, OpKind::kThreshold, x, alpha,
                   {std::max(alpha, range.low), std::max(alpha, range.high), range.integer});
}

bool DrawThresholdedRelu(Drawer& drawer, ValueId x) {
  const ValueRange range = drawer.range(x);
  return EmitAlpha(drawer, OpKind::kThresholdedRelu, x, WholeThreshold(drawer, x),
                   {std::min(0.0, range.low), std::max(0.0, range.high), range.integer});
}

bool DrawElu(Drawer& drawer, ValueId x) {
  constexpr std::array<double, 3> kAlphas = {0.5, 1, 2};
  return EmitAlpha(drawer, OpKind::kElu, x, drawer.choices().Pick(kAlphas),
                   {-2, std::max(0.0, drawer.range(x).high)});
}

bool DrawSigmoidHard(Drawer& drawer, ValueId x) {
  const double alpha = drawer.choices().Coin() ? 0.199951171875 : 0.0625;
  const double beta = drawer.choices().Coin() ? 0.5 : 0.25;
  if (!EmitAlphaBeta(drawer, OpKind::kSigmoidHard, x, alpha, beta, {0, 1})) return false;
  if (!drawer.choices().Chance(1, 4)) return true;
  // Appends a multiplication by x, because converters write hard_swish as x * sigmoid_hard(x).
  const double bound = drawer.range(x).Magnitude();
  return drawer.Emit(OpKind::kMul, {x, drawer.Last()}, {-bound, bound});
}

bool DrawScaledTanh(Drawer& drawer, ValueId x) {
  const double alpha = drawer.choices().Coin() ? 1.7158203125 : 1;
  const double beta = drawer.choices().Coin() ? 0.66650390625 : 1;
  return EmitAlphaBeta(drawer, OpKind::kScaledTanh, x, alpha, beta, {-2, 2});
}

bool DrawPrelu(Drawer& drawer, ValueId x) {
  const Shape shape = drawer.shape(x);
  if (shape.rank() < 3) return false;
  const ValueId alpha = drawer.NewConst({shape[1]}, 1);
  const double bound = drawer.range(x).Magnitude();
  return drawer.Emit(OpKind::kPrelu, {x, alpha}, {-bound, bound});
}

bool DrawSoftplusParametric(Drawer& drawer, ValueId x) {
  const Shape shape = drawer.shape(x);
  const double bound = 16 * drawer.range(x).Magnitude() + 4;
  if (shape.rank() < 3 || bound > drawer.Ceiling()) return false;
  const ValueId alpha = ModerateConst(drawer, {shape[1]}, false);
  const ValueId beta = ModerateConst(drawer, {shape[1]}, false);
  return drawer.Emit(OpKind::kSoftplusParametric, {x, alpha, beta}, {-bound, bound});
}

}  // namespace

constinit const OpGenerator kGeneratorLeakyRelu = {OpKind::kLeakyRelu, false, 2, DrawLeakyRelu};
constinit const OpGenerator kGeneratorClampedRelu = {OpKind::kClampedRelu, false, 2,
                                                     DrawClampedRelu};
constinit const OpGenerator kGeneratorThreshold = {OpKind::kThreshold, true, 2, DrawThreshold};
constinit const OpGenerator kGeneratorThresholdedRelu = {OpKind::kThresholdedRelu, true, 2,
                                                         DrawThresholdedRelu};
constinit const OpGenerator kGeneratorElu = {OpKind::kElu, false, 2, DrawElu};
constinit const OpGenerator kGeneratorSigmoidHard = {OpKind::kSigmoidHard, false, 2,
                                                     DrawSigmoidHard};
constinit const OpGenerator kGeneratorScaledTanh = {OpKind::kScaledTanh, false, 2, DrawScaledTanh};
constinit const OpGenerator kGeneratorPrelu = {OpKind::kPrelu, false, 2, DrawPrelu};
constinit const OpGenerator kGeneratorSoftplusParametric = {OpKind::kSoftplusParametric, false, 2,
                                                            DrawSoftplusParametric};

}  // namespace anecheck
