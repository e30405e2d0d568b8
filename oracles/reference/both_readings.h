// The results of an engine that may read a node's numbers in either of two ways.
#pragma once

#include "oracles/reference/kernel.h"

namespace anecheck::reference {

// Adds to `result` the values that `exact`, the other reading of a node's numbers, admits:
// intervals become their hull. The value is that of `exact`.
void AdmitBoth(Arena& arena, const BoundedTensor& exact, BoundedTensor& result);

}  // namespace anecheck::reference
