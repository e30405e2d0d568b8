// Pairs of operations, drawn on purpose, for campaigns that aim at pairs that no case has
// contained.
#pragma once

#include "generators/drawer.h"

namespace anecheck {

// Appends an operation of the producer's kind on some value, and an operation of the consumer's
// kind on its result. Joins a result that no input moves with an input, and converts a result whose
// type cannot be a program output. False if no instance fits the drawn operands; the graph is then
// of no use.
bool DrawChain(Drawer& drawer, const OpChain& chain);

}  // namespace anecheck
