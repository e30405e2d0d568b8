// Draws activations.
#include <algorithm>
#include <array>
#include <utility>

#include "generators/drawer.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

bool DrawRelu(Drawer& drawer, ValueId x) {
  const ValueRange& range = drawer.range(x);
  if (range.high <= 0) return false;  // the result would be the constant zero
  return drawer.Emit(OpKind::kRelu, {x}, {std::max(0.0, range.low), range.high, range.integer});
}

bool DrawSigmoid(Drawer& drawer, ValueId x) {
  return drawer.Emit(OpKind::kSigmoid, {x}, {0, 1, false});
}

bool DrawTanh(Drawer& drawer, ValueId x) { return drawer.Emit(OpKind::kTanh, {x}, {-1, 1, false}); }

bool DrawClip(Drawer& drawer, ValueId x) {
  using P = params::Clip;
  const ValueRange& range = drawer.range(x);
  const auto reach = static_cast<int64_t>(std::min(2048.0, std::max(1.0, range.Magnitude())));
  // Both bounds are integers and so exact in fp16. They do not clip all elements if x has one sign.
  const int64_t least = drawer.choices().Chance(3, 4) ? std::max<int64_t>(1, reach / 4) : 1;
  int64_t low_bound = drawer.choices().Range(-reach, range.high > 0 ? 0 : -least);
  int64_t high_bound = drawer.choices().Range(range.low < 0 ? 1 : least, reach);
  // Sometimes both bounds are positive.
  if (range.low < 0 && range.high > 0 && reach >= 4 && drawer.choices().Chance(1, 8)) {
    low_bound = drawer.choices().Range(1, reach / 4);
    high_bound = drawer.choices().Range(low_bound + 1, reach);
    if (drawer.choices().Coin()) low_bound = -std::exchange(high_bound, -low_bound);
  }
  const auto low = static_cast<double>(low_bound);
  const auto high = static_cast<double>(high_bound);
  drawer.Begin(OpKind::kClip);
  drawer.graph().AddArgument(P::kX, x);
  drawer.AddFloat(P::kAlpha, low);
  drawer.AddFloat(P::kBeta, high);
  return drawer.Finish(
      {std::clamp(range.low, low, high), std::clamp(range.high, low, high), range.integer});
}

bool DrawGelu(Drawer& drawer, ValueId x) {
  constexpr std::array<std::string_view, 3> kModes = {"EXACT", "TANH_APPROXIMATION",
                                                      "SIGMOID_APPROXIMATION"};
  // Network descriptions have only the exact form.
  const std::string_view mode = drawer.options().direct ? kModes[0] : drawer.choices().Pick(kModes);
  drawer.Begin(OpKind::kGelu);
  drawer.graph().AddArgument(params::Gelu::kX, x);
  drawer.AddString(params::Gelu::kMode, mode);
  return drawer.Finish({-0.25, std::max(0.0, drawer.range(x).high), false});
}

bool DrawSoftmax(Drawer& drawer, ValueId x) {
  const int rank = drawer.shape(x).rank();
  if (rank < 1) return false;
  const int64_t axis = drawer.choices().Range(-rank, rank - 1);
  if (drawer.shape(x)[*NormalizeAxis(axis, rank)] < 2) return false;  // the constant one
  drawer.Begin(OpKind::kSoftmax);
  drawer.graph().AddArgument(params::Softmax::kX, x);
  drawer.AddInt(params::Softmax::kAxis, axis);
  return drawer.Finish({0, 1, false});
}

}  // namespace

constinit const OpGenerator kGeneratorRelu = {OpKind::kRelu, true, 4, DrawRelu};
constinit const OpGenerator kGeneratorClip = {OpKind::kClip, true, 3, DrawClip};
constinit const OpGenerator kGeneratorSigmoid = {OpKind::kSigmoid, false, 3, DrawSigmoid};
constinit const OpGenerator kGeneratorTanh = {OpKind::kTanh, false, 3, DrawTanh};
constinit const OpGenerator kGeneratorGelu = {OpKind::kGelu, false, 3, DrawGelu};
constinit const OpGenerator kGeneratorSoftmax = {OpKind::kSoftmax, false, 3, DrawSoftmax};

}  // namespace anecheck
