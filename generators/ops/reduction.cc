// How reductions are drawn.
#include <algorithm>
#include <vector>

#include "generators/drawer.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

using P = params::Reduce;

bool EmitReduce(Drawer& drawer, OpKind kind, ValueId x, bool sum) {
  const Shape shape = drawer.shape(x);
  if (shape.rank() < 1) return false;
  ChoiceStream& choices = drawer.choices();
  std::vector<int64_t> axes;
  int64_t count = 1;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (!choices.Chance(1, 2)) continue;
    axes.push_back(choices.Coin() ? axis : axis - shape.rank());
    count *= shape[axis];
  }
  if (axes.empty()) {
    axes.push_back(shape.rank() - 1);
    count = shape[shape.rank() - 1];
  }
  ValueRange range = drawer.range(x);
  if (sum) {
    range.low *= static_cast<double>(count);
    range.high *= static_cast<double>(count);
    if (range.Magnitude() > drawer.Ceiling()) return false;
  }
  drawer.Begin(kind);
  drawer.graph().AddArgument(P::kX, x);
  drawer.graph().AddInts(P::kAxes, axes);
  drawer.graph().AddBool(P::kKeepDims, choices.Coin());
  return drawer.Finish(range);
}

bool DrawReduceSum(Drawer& drawer, ValueId x) {
  return EmitReduce(drawer, OpKind::kReduceSum, x, true);
}
bool DrawReduceMax(Drawer& drawer, ValueId x) {
  return EmitReduce(drawer, OpKind::kReduceMax, x, false);
}

}  // namespace

constinit const OpGenerator kGeneratorReduceSum = {OpKind::kReduceSum, true, 4, DrawReduceSum};
constinit const OpGenerator kGeneratorReduceMax = {OpKind::kReduceMax, true, 3, DrawReduceMax};

}  // namespace anecheck
