// Compressed constants as weights, for modes that want compressed constants.
#pragma once

#include "generators/drawer.h"

namespace anecheck {

// Appends a constant expression that expands to fp16 elements of this shape and of magnitude up to
// `limit`. It is a lookup table, quantised data, or a sparse form of either. Returns kNoValue if
// the operations of the drawn form may not be drawn, or the shape is too large.
ValueId DrawCompressed(Drawer& drawer, const Shape& shape, double limit);

}  // namespace anecheck
