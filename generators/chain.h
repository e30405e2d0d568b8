// Draws a chosen pair of operations, for campaigns that look for pairs that no earlier case
// contained.
#pragma once

#include "generators/drawer.h"

namespace anecheck {

// Appends an operation of the producer's kind on some value, and an operation of the consumer's
// kind on its result. If no input moves a result, joins it with an input. If the type of a result
// cannot be a program output, converts it. Returns false if no instance fits the drawn operands;
// the graph is then unusable.
bool DrawChain(Drawer& drawer, const OpChain& chain);

}  // namespace anecheck
