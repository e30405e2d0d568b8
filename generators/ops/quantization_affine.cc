// Draws quantize and dequantize as a pair, so that the result is fp16 again.
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "generators/drawer.h"
#include "harness/base/half.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

struct Scale {
  ValueId scale = kNoValue;
  ValueId zero_point = kNoValue;
  std::optional<int> axis;  // none for scalars
};

// Scales that bring most of x's interval into the range of a byte.
Scale DrawScale(Drawer& drawer, ValueId x, DType dtype) {
  ChoiceStream& choices = drawer.choices();
  const Shape shape = drawer.shape(x);
  Scale drawn;
  Shape vector;
  if (shape.rank() > 0 && choices.Coin()) {
    const auto axis = static_cast<int>(choices.Below(static_cast<uint64_t>(shape.rank())));
    vector.Append(shape[axis]);
    drawn.axis = choices.Coin() ? axis : axis - shape.rank();
  }
  const double magnitude = std::clamp(drawer.range(x).Magnitude(), 1.0, 16384.0);
  std::vector<uint8_t> scales;
  std::vector<uint8_t> zeros;
  for (int64_t i = 0; i < vector.Elements(); ++i) {
    const double step = magnitude / 128 * static_cast<double>(choices.Range(1, 16)) / 8;
    const Half half = DoubleToHalf(step);
    scales.push_back(static_cast<uint8_t>(half.bits));
    scales.push_back(static_cast<uint8_t>(half.bits >> 8));
    zeros.push_back(static_cast<uint8_t>(choices.Range(dtype == DType::kInt8 ? -40 : 0, 40)));
  }
  drawn.scale = drawer.NewConstOf({DType::kFp16, vector}, scales, magnitude);
  if (choices.Coin()) drawn.zero_point = drawer.NewConstOf({dtype, vector}, zeros, 40);
  return drawn;
}

// Adds the operands that the scale describes. Both operations have them at the same indices.
void AddScale(Graph& graph, const Scale& drawn) {
  using P = params::Dequantize;
  graph.AddArgument(P::kScale, drawn.scale);
  if (drawn.zero_point != kNoValue) graph.AddArgument(P::kZeroPoint, drawn.zero_point);
  if (drawn.axis) graph.AddInt(P::kAxis, *drawn.axis);
}

bool DrawPair(Drawer& drawer, ValueId x) {
  constexpr std::array<DType, 2> kBytes = {DType::kInt8, DType::kUint8};
  const DType dtype = drawer.choices().Pick(kBytes);
  const Scale drawn = DrawScale(drawer, x, dtype);
  drawer.Begin(OpKind::kQuantize);
  drawer.graph().AddArgument(params::Quantize::kInput, x);
  AddScale(drawer.graph(), drawn);
  drawer.AddString(params::Quantize::kOutputDtype, DTypeName(dtype));
  if (!drawer.Finish({-128, 255, true})) return false;
  const ValueId bytes = drawer.Last();
  drawer.Begin(OpKind::kDequantize);
  drawer.graph().AddArgument(params::Dequantize::kInput, bytes);
  AddScale(drawer.graph(), drawn);
  const double bound = 600 * std::clamp(drawer.range(x).Magnitude(), 1.0, 16384.0);
  return drawer.Finish({-bound, bound, false});
}

}  // namespace

constinit const OpGenerator kGeneratorQuantize = {OpKind::kQuantize, false, 1, DrawPair};
constinit const OpGenerator kGeneratorDequantize = {OpKind::kDequantize, false, 1, DrawPair};

}  // namespace anecheck
