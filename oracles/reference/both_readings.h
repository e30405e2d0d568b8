// The results of an engine that reads a node's numbers in one way or in another.
#pragma once

#include "oracles/reference/kernel.h"

namespace anecheck::reference {

// The union of the values that two readings of a node's numbers admit, intervals as their hull; the
// value is that of `exact`.
void AdmitBoth(Arena& arena, const BoundedTensor& exact, BoundedTensor& result);

}  // namespace anecheck::reference
