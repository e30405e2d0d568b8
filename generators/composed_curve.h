// Draws curves with random knots. A curve is a chain of the operations linear, relu and linear
// (harness/ops/composed_curve.h).
#pragma once

#include "generators/drawer.h"

namespace anecheck {

// The number of operations of a chain, including its reshapes.
inline constexpr int kComposedCurveNodes = 5;

// Appends a chain over x with drawn knots. A reshape to one column precedes the chain, and a
// reshape back follows it. Returns false if an operation may not be drawn, the layers are too
// large, or their sums may exceed the drawer's ceiling.
bool DrawComposedCurve(Drawer& drawer, ValueId x);

}  // namespace anecheck
