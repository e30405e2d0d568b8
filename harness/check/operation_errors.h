// The errors of a model's operations against the oracle's values in a run of the model. They
// include errors of earlier operations, as the outputs that a user sees do.
#pragma once

#include <cstdint>
#include <string>

#include "harness/graph/graph.h"

namespace anecheck {

// The errors of the elements whose oracle value is finite. If the answer is not finite there, the
// error is infinite.
struct OperationError {
  uint64_t elements = 0;
  uint64_t ulp = 0;     // the largest error, in units of the last place of the result's type
  double relative = 0;  // root mean square of the errors, divided by that of the values
  double snr_db = 0;    // `relative` as a signal-to-noise ratio; infinite if there is no error
};

// Returns "exact", "infinite", or the three figures, for people.
std::string ErrorText(uint64_t ulp, double relative, double snr_db);

// Precondition: both tensors have the same float type.
OperationError MeasureOperation(const Tensor& expected, const Tensor& actual);

// Returns the graph with every fp16 result as an output.
Graph WithEveryResult(const Graph& graph);

}  // namespace anecheck
