// Pairs of operations, drawn on purpose: for campaigns that aim at pairs that no case has held.
#pragma once

#include "generators/drawer.h"

namespace anecheck {

// Appends an operation of the first kind on some value, and one of the second on its result. A
// result that no input moves is joined with an input, and one that is no program output is
// converted. False if no instance fits the drawn operands; the graph is then of no use.
bool DrawChain(Drawer& drawer, const OpChain& chain);

}  // namespace anecheck
