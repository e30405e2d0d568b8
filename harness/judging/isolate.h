// Finds, by trying each operation alone, the operation for which a graph is refused or fails. A
// refusal that no operation shows alone counts for the graph and for no operation.
#pragma once

#include "harness/base/result.h"
#include "harness/cases/case.h"
#include "harness/judging/judge_case.h"
#include "harness/runners/runner.h"

namespace anecheck {

// Graphs with more operations are not taken apart.
inline constexpr size_t kMostIsolated = 64;

// Charges the operation that the message of a refusal names. Otherwise runs each operation alone on
// inputs of zeros, and charges the first whose run ends as that of the whole graph did. A compiler
// ignores the inputs; a crash that needs other values than zeros counts for the graph. Changes only
// outcomes that were rejected, failed or crashed. Makes at most one run for each operation. Errors:
// those of the runner.
Status Isolate(const Case& item, Runner& runner, CaseOutcome& outcome);

}  // namespace anecheck
