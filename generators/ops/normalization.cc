// How normalizations are drawn.
#include <algorithm>
#include <vector>

#include "generators/drawer.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

bool DrawLayerNorm(Drawer& drawer, ValueId x) {
  using P = params::LayerNorm;
  const Shape shape = drawer.shape(x);
  ChoiceStream& choices = drawer.choices();
  if (shape.rank() < 1) return false;
  // The trailing axes, as models use it.
  const int count = static_cast<int>(choices.Range(1, std::min(shape.rank(), 3)));
  std::vector<int64_t> axes;
  Shape reduced;
  for (int axis = shape.rank() - count; axis < shape.rank(); ++axis) {
    axes.push_back(axis);
    reduced.Append(shape[axis]);
  }
  if (reduced.Elements() < 2) return false;  // the result would be beta alone
  const ValueId gamma = choices.Coin() ? drawer.NewConst(reduced, 2) : kNoValue;
  const ValueId beta = choices.Coin() ? drawer.NewConst(reduced, 2) : kNoValue;
  drawer.Begin(OpKind::kLayerNorm);
  drawer.graph().AddArgument(P::kX, x);
  drawer.graph().AddInts(P::kAxes, axes);
  if (gamma != kNoValue) drawer.graph().AddArgument(P::kGamma, gamma);
  if (beta != kNoValue) drawer.graph().AddArgument(P::kBeta, beta);
  drawer.graph().AddFloat(P::kEpsilon, choices.Coin() ? 0x1p-10 : 0x1p-14);
  // A normalised value is at most the square root of the count.
  const double bound = 2 * static_cast<double>(reduced.Elements()) + 2;
  return drawer.Finish({-bound, bound, false});
}

}  // namespace

constinit const OpGenerator kGeneratorLayerNorm = {OpKind::kLayerNorm, false, 3, DrawLayerNorm};

}  // namespace anecheck
