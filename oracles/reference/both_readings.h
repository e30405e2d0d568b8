// The results of an engine that may read a node's numbers in either of two ways.
#pragma once

#include "oracles/reference/kernel.h"

namespace anecheck::reference {

// `result` and `exact` are a node's results for the two ways of reading its numbers. Lets `result`
// admit the values of both: each interval becomes the hull of both intervals. The value of `result`
// becomes that of `exact`.
void AdmitBoth(Arena& arena, const BoundedTensor& exact, BoundedTensor& result);

}  // namespace anecheck::reference
