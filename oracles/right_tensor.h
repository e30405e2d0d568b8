// Encodes the oracle's values in the form in which an engine stores its results.
#pragma once

#include "harness/graph/graph.h"
#include "oracles/oracle.h"

namespace anecheck {

// `estimate.value`, encoded in the estimate's own element type and shape.
Tensor RightTensor(const Estimate& estimate);

}  // namespace anecheck
