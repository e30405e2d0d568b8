// Finds the operation of a graph that is refused or fails, by trying each operation alone. A
// refusal that none shows alone counts for the graph and for no operation.
#pragma once

#include "harness/base/result.h"
#include "harness/cases/case.h"
#include "harness/judging/judge_case.h"
#include "harness/runners/runner.h"

namespace anecheck {

// Graphs with more operations are not taken apart.
inline constexpr size_t kMostIsolated = 64;

// Charges the operation that the message of a refusal names. Otherwise charges the first operation
// that ends alone as the whole graph did, on inputs of zeros: a compiler ignores them, and a crash
// that needs other values counts for the graph. Changes only outcomes that were rejected, failed or
// crashed. Makes at most one run for each operation. Errors: those of the runner.
Status Isolate(const Case& item, Runner& runner, CaseOutcome& outcome);

}  // namespace anecheck
