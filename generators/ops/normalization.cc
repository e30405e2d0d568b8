// Draws normalizations.
#include <algorithm>
#include <array>

#include "generators/drawer.h"
#include "generators/ops/domain.h"
#include "generators/short_list.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

// The epsilons of layer and instance norm, including the default.
constexpr std::array<double, 4> kLayerEpsilons = {0x1p-10, 0x1p-14, 0x1p-10, 1e-5};

// Whether to draw gamma or beta. The layers of network descriptions have no keys for them.
bool HasGain(Drawer& drawer) { return !drawer.options().direct && drawer.choices().Coin(); }

// Returns one of the numbers, of which fp16 cannot represent the last exactly. Network descriptions
// take fp16 numbers, so for these a draw of the last number gives the first.
double PickExact(Drawer& drawer, const std::array<double, 4>& numbers) {
  const double picked = drawer.choices().Pick(numbers);
  return drawer.options().direct && picked == numbers.back() ? numbers.front() : picked;
}

bool DrawLayerNorm(Drawer& drawer, ValueId x) {
  using P = params::LayerNorm;
  const Shape shape = drawer.shape(x);
  ChoiceStream& choices = drawer.choices();
  if (shape.rank() < 1) return false;
  // Models normalise trailing axes.
  const bool direct = drawer.options().direct;
  if (direct && (shape.rank() < 3 || shape.rank() > 4)) return false;
  const int count = direct ? 3 : static_cast<int>(choices.Range(1, std::min(shape.rank(), 3)));
  AxisList axes;
  Shape reduced;
  for (int axis = shape.rank() - count; axis < shape.rank(); ++axis) {
    axes.push_back(choices.Coin() ? axis : axis - shape.rank());
    reduced.Append(shape[axis]);
  }
  if (reduced.Elements() < 2) return false;  // the result would be beta alone
  const ValueId gamma = HasGain(drawer) ? drawer.NewConst(reduced, 2) : kNoValue;
  const ValueId beta = HasGain(drawer) ? drawer.NewConst(reduced, 2) : kNoValue;
  drawer.Begin(OpKind::kLayerNorm);
  drawer.graph().AddArgument(P::kX, x);
  // If the attribute `axes` is absent, all axes are normalised.
  const bool all = count == shape.rank() && choices.Coin();
  if (!all) drawer.AddInts(P::kAxes, axes);
  if (gamma != kNoValue) drawer.graph().AddArgument(P::kGamma, gamma);
  if (beta != kNoValue) drawer.graph().AddArgument(P::kBeta, beta);
  drawer.AddFloat(P::kEpsilon, PickExact(drawer, kLayerEpsilons));
  // A normalised value is at most the square root of the count.
  const double bound = 2 * static_cast<double>(reduced.Elements()) + 2;
  return drawer.Finish({-bound, bound, false});
}

constexpr std::array<double, 4> kEpsilons = {0x1p-10, 0x1p-14, 1, 1e-5};
constexpr std::array<double, 4> kL2Epsilons = {0x1p-10, 0x1p-14, 1, 1e-6};

bool DrawBatchNorm(Drawer& drawer, ValueId x) {
  using P = params::BatchNorm;
  const Shape shape = drawer.shape(x);
  ChoiceStream& choices = drawer.choices();
  const double bound = 32 * (drawer.range(x).Magnitude() + 4);
  if (shape.rank() < 3 || shape.rank() > 5 || bound > drawer.Ceiling()) return false;
  const Shape channels{shape[1]};
  const ValueId mean = drawer.NewConst(channels, 4);
  const ValueId variance = ModerateConst(drawer, channels, true);
  const ValueId gamma = choices.Coin() ? drawer.NewConst(channels, 2) : kNoValue;
  const ValueId beta = choices.Coin() ? drawer.NewConst(channels, 2) : kNoValue;
  const double epsilon = choices.Pick(kEpsilons);
  drawer.Begin(OpKind::kBatchNorm);
  drawer.graph().AddArgument(P::kX, x);
  drawer.graph().AddArgument(P::kMean, mean);
  drawer.graph().AddArgument(P::kVariance, variance);
  if (gamma != kNoValue) drawer.graph().AddArgument(P::kGamma, gamma);
  if (beta != kNoValue) drawer.graph().AddArgument(P::kBeta, beta);
  drawer.AddFloat(P::kEpsilon, epsilon);
  return drawer.Finish({-bound, bound});
}

bool DrawInstanceNorm(Drawer& drawer, ValueId x) {
  using P = params::InstanceNorm;
  const Shape shape = drawer.shape(x);
  if (shape.rank() < (drawer.options().direct ? 4 : 3) || shape.rank() > 4) return false;
  const int64_t group = shape.Elements() / (shape[0] * shape[1]);
  if (group < 2) return false;  // the result would be beta alone
  const Shape channels{shape[1]};
  const ValueId gamma = HasGain(drawer) ? drawer.NewConst(channels, 2) : kNoValue;
  const ValueId beta = HasGain(drawer) ? drawer.NewConst(channels, 2) : kNoValue;
  const double epsilon = PickExact(drawer, kLayerEpsilons);
  drawer.Begin(OpKind::kInstanceNorm);
  drawer.graph().AddArgument(P::kX, x);
  if (gamma != kNoValue) drawer.graph().AddArgument(P::kGamma, gamma);
  if (beta != kNoValue) drawer.graph().AddArgument(P::kBeta, beta);
  drawer.AddFloat(P::kEpsilon, epsilon);
  const double bound = 2 * static_cast<double>(group) + 2;
  return drawer.Finish({-bound, bound});
}

// The sum of squares stays in the range of fp16. Beyond it, the quotient is unspecified.
bool DrawL2Norm(Drawer& drawer, ValueId x) {
  using P = params::WithEpsilon;
  const Shape shape = drawer.shape(x);
  if (shape.rank() < 3 || (drawer.options().direct && shape.rank() > 4)) return false;
  int64_t group = 1;
  for (int axis = shape.rank() - 3; axis < shape.rank(); ++axis) group *= shape[axis];
  const double magnitude = drawer.range(x).Magnitude();
  if (group < 2 || magnitude * magnitude * static_cast<double>(group) > drawer.Ceiling()) {
    return false;
  }
  const double epsilon = PickExact(drawer, kL2Epsilons);
  drawer.Begin(OpKind::kL2Norm);
  drawer.graph().AddArgument(P::kX, x);
  drawer.AddFloat(P::kEpsilon, epsilon);
  return drawer.Finish({-2, 2});
}

bool DrawLocalResponseNorm(Drawer& drawer, ValueId x) {
  using P = params::LocalResponseNorm;
  constexpr std::array<int64_t, 4> kSizes = {1, 3, 5, 4};
  const Shape shape = drawer.shape(x);
  const bool direct = drawer.options().direct;
  if (shape.rank() < (direct ? 4 : 3) || shape.rank() > 4) return false;
  // On A13, the compiler refuses 16 and more channels (facts/known_defects.csv, D19).
  if (shape[1] >= 16 && drawer.options().family <= 2) return false;
  ChoiceStream& choices = drawer.choices();
  const int64_t size = choices.Pick(kSizes);
  const double magnitude = drawer.range(x).Magnitude();
  if (magnitude * magnitude * static_cast<double>(size) > drawer.Ceiling()) return false;
  constexpr std::array<double, 4> kAlphas = {0.0625, 1, 0.0625, 1e-4};
  const double alpha = PickExact(drawer, kAlphas);
  const double beta = direct || choices.Coin() ? 0.75 : 0.5;
  const double k = direct || choices.Coin() ? 1 : 2;
  drawer.Begin(OpKind::kLocalResponseNorm);
  drawer.graph().AddArgument(P::kX, x);
  drawer.AddInt(P::kSize, size);
  drawer.AddFloat(P::kAlpha, alpha);
  drawer.AddFloat(P::kBeta, beta);
  drawer.AddFloat(P::kK, k);
  return drawer.Finish({-magnitude, magnitude});
}

}  // namespace

constinit const OpGenerator kGeneratorBatchNorm = {OpKind::kBatchNorm, false, 2, DrawBatchNorm};
constinit const OpGenerator kGeneratorInstanceNorm = {OpKind::kInstanceNorm, false, 2,
                                                      DrawInstanceNorm};
constinit const OpGenerator kGeneratorL2Norm = {OpKind::kL2Norm, false, 2, DrawL2Norm};
constinit const OpGenerator kGeneratorLocalResponseNorm = {OpKind::kLocalResponseNorm, false, 2,
                                                           DrawLocalResponseNorm};
constinit const OpGenerator kGeneratorLayerNorm = {OpKind::kLayerNorm, false, 3, DrawLayerNorm};

}  // namespace anecheck
