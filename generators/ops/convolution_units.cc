// Draws the private units of the compute lanes.
#include <algorithm>
#include <array>

#include "generators/drawer.h"
#include "generators/ops/window.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

bool DrawNeConv(Drawer& drawer, ValueId x) { return DrawConvolution(drawer, x, OpKind::kNeConv); }
bool DrawNeMatmul(Drawer& drawer, ValueId x) {
  return DrawMatrixProduct(drawer, x, OpKind::kNeMatmul);
}
std::string_view PoolMode(Drawer& drawer) {
  return drawer.integer_mode() || drawer.choices().Coin() ? "Max" : "Avg";
}
bool DrawNePool(Drawer& drawer, ValueId x) {
  return DrawPool(drawer, x, OpKind::kNePool, PoolMode(drawer));
}
bool DrawPePool(Drawer& drawer, ValueId x) {
  return DrawPool(drawer, x, OpKind::kPePool, PoolMode(drawer));
}

bool DrawPeElementwise(Drawer& drawer, ValueId x) {
  using P = params::UnitElementwise;
  constexpr std::array<std::string_view, 5> kModes = {"Add", "Max", "Min", "Sub", "Mult"};
  std::string_view mode = drawer.choices().Pick(kModes);
  const ValueId y = drawer.BroadcastPartner(x);
  const double a = drawer.range(x).Magnitude();
  const double b = drawer.range(y).Magnitude();
  double bound = std::max(a, b);
  if (mode == "Add" || mode == "Sub") bound = a + b;
  if (mode == "Mult") bound = a * b;
  if (bound > drawer.Ceiling()) {
    mode = "Max";
    bound = std::max(a, b);
  }
  drawer.Begin(OpKind::kPeElementwise);
  drawer.graph().AddArgument(P::kX, x);
  drawer.graph().AddArgument(P::kY, y);
  drawer.AddString(P::kMode, mode);
  return drawer.Finish({-bound, bound, drawer.range(x).integer && drawer.range(y).integer});
}

bool DrawPeGoc(Drawer& drawer, ValueId x) {
  const Shape shape = drawer.shape(x);
  // The layer of network descriptions works on the channel axis. Shapes of rank below 4 lack this
  // axis or have it at another position.
  if (shape.rank() < (drawer.options().direct ? 4 : 2)) return false;
  const double limit = WeightLimit(drawer, x, 1);
  if (limit <= 0) return false;
  const ValueId scale = drawer.NewConst({shape[1]}, limit);
  const ValueId bias = drawer.NewConst({shape[1]}, BiasLimit(drawer));
  return drawer.Emit(OpKind::kPeGoc, {x, scale, bias},
                     SumRange(drawer, x, 1, limit, BiasLimit(drawer)));
}

bool DrawNeBypass(Drawer& drawer, ValueId x) {
  return drawer.Emit(OpKind::kNeBypass, {x}, drawer.range(x));
}

}  // namespace

constinit const OpGenerator kGeneratorNeConv = {OpKind::kNeConv, true, 0, DrawNeConv};
constinit const OpGenerator kGeneratorNeMatmul = {OpKind::kNeMatmul, true, 0, DrawNeMatmul};
constinit const OpGenerator kGeneratorNePool = {OpKind::kNePool, true, 0, DrawNePool};
constinit const OpGenerator kGeneratorPePool = {OpKind::kPePool, true, 0, DrawPePool};
constinit const OpGenerator kGeneratorPeElementwise = {OpKind::kPeElementwise, true, 0,
                                                       DrawPeElementwise};
constinit const OpGenerator kGeneratorPeGoc = {OpKind::kPeGoc, true, 0, DrawPeGoc};
constinit const OpGenerator kGeneratorNeBypass = {OpKind::kNeBypass, true, 0, DrawNeBypass};

}  // namespace anecheck
