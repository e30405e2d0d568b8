// The contributions of single outputs to the sequential test of lean_sums.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "harness/graph/graph.h"
#include "oracles/lean_sums.h"
#include "oracles/oracle.h"

namespace anecheck {

// The contribution of one output, from the elements whose interval contains more than one number
// and is evidence (IsInformative of judge.h).
struct OutputLean {
  uint64_t free = 0;
  double up = 0;      // the mean error, -1 to 1
  double away = 0;    // the mean of the errors with the sign of their values; 0 counts as no error
  uint64_t wide = 0;  // elements whose interval has more than kFewNumbers numbers (statistics.h)
  double mean_square = 0;  // of the errors of these wide elements
};
// Precondition: `actual` has one number for each element of `expected`.
OutputLean MeasureLean(const Estimate& expected, std::span<const double> actual);

void AddOutput(const OutputLean& output, uint64_t case_index, OperationLeans& sums);

// Whether the premise of the test (lean_sums.h) holds for the operations that lead to this output
// on this family.
bool IsTested(const Graph& graph, size_t output, int family);

}  // namespace anecheck
