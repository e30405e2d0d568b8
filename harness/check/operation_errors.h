// How far the results of a model's operations lie from the oracle's values as a model runs: errors
// of earlier operations are in them, as in the outputs that a user sees.
#pragma once

#include <cstdint>
#include <string>

#include "harness/graph/graph.h"

namespace anecheck {

// Over the elements that are finite in the oracle's values; where the answer is not finite there,
// the error is infinite.
struct OperationError {
  uint64_t elements = 0;
  uint64_t ulp = 0;     // the largest error, in units of the last place of the result's type
  double relative = 0;  // the root of the errors' squares over that of the values'
  double snr_db = 0;    // the same as a signal-to-noise ratio; infinite where there is no error
};

// "exact", "infinite", or the three figures, for people.
std::string ErrorText(uint64_t ulp, double relative, double snr_db);

// Precondition: both have the same float type.
OperationError MeasureOperation(const Tensor& expected, const Tensor& actual);

// The graph with every fp16 result that is no output yet as a further output.
Graph WithEveryResult(const Graph& graph);

}  // namespace anecheck
