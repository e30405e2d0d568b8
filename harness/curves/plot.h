// A curve as a picture.
#pragma once

#include <string>

#include "harness/curves/curve.h"

namespace anecheck::curves {

// SVG of 640 by 480: above the curve with its knots and its function, below the error of the
// stored values where the curve names a function. From `from` to `to`, finite, from < to. Colours
// follow the viewer's light or dark setting; the picture has a title and a description for screen
// readers.
std::string PlotOf(const Curve& curve, double from, double to);

}  // namespace anecheck::curves
