// Draws curves with random knots as the chain linear, relu, linear (harness/ops/composed_curve.h).
#pragma once

#include "generators/drawer.h"

namespace anecheck {

// The number of operations of a chain, including its reshapes.
inline constexpr int kComposedCurveNodes = 5;

// Appends the chain over x and its knots, between reshapes to one column and back. False if an
// operation may not be drawn, the layers are too large, or their sums may exceed the drawer's
// ceiling.
bool DrawComposedCurve(Drawer& drawer, ValueId x);

}  // namespace anecheck
