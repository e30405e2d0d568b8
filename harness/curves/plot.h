// Draws a curve as a picture.
#pragma once

#include <string>

#include "harness/curves/curve.h"

namespace anecheck::curves {

// Returns an SVG picture of 640 by 480 units for arguments between `from` and `to`. The upper part
// shows the curve with its knots and its function. If the curve names a function, the lower part
// shows the error of the stored values. Precondition: `from` and `to` are finite, and from < to.
// Colours follow the viewer's light or dark setting; the picture has a title and a description for
// screen readers.
std::string PlotOf(const Curve& curve, double from, double to);

}  // namespace anecheck::curves
