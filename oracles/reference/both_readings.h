// The results of an engine that may read a node's numbers in either of two ways.
#pragma once

#include "oracles/reference/kernel.h"

namespace anecheck::reference {

// `result` and `exact` are a node's results under its two readings of numbers. Lets `result` admit
// the values of both: its intervals become hulls of both intervals. Its value becomes that of
// `exact`.
void AdmitBoth(Arena& arena, const BoundedTensor& exact, BoundedTensor& result);

}  // namespace anecheck::reference
