// Finds the operation of a graph that is refused, or fails: each is tried alone. A refusal that
// none shows alone is booked on the graph and on no operation.
#pragma once

#include "harness/base/result.h"
#include "harness/cases/case.h"
#include "harness/judging/judge_case.h"
#include "harness/runners/runner.h"

namespace anecheck {

// Graphs of more operations are not taken apart.
inline constexpr size_t kMostIsolated = 64;

// Charges the first operation that ends alone as the whole graph did, on inputs of zeros: a
// compiler does not look at them, and a crash that needs other values is booked on the graph. Only
// of outcomes that were rejected, failed or crashed; others stay as they are. One run an operation.
// Errors: those of the runner.
Status Isolate(const Case& item, Runner& runner, CaseOutcome& outcome);

}  // namespace anecheck
