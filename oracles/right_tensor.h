// The values that the oracle expects, as an engine would store them.
#pragma once

#include "harness/graph/graph.h"
#include "oracles/oracle.h"

namespace anecheck {

// `estimate.value`, encoded in the estimate's own element type and shape.
Tensor RightTensor(const Estimate& estimate);

}  // namespace anecheck
