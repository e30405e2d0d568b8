// Compressed constants as operands, for generators of operations with weights in modes that ask for
// them.
#pragma once

#include "generators/drawer.h"

namespace anecheck {

// A new constant expression that expands to fp16 of this shape, with elements of magnitude up to
// `limit`: a lookup table, quantised data, or a sparse form of either. kNoValue if the drawn form
// is not among the admitted operations, or the shape is too large.
ValueId DrawCompressed(Drawer& drawer, const Shape& shape, double limit);

}  // namespace anecheck
