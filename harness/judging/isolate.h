// Finds the operation that makes an engine refuse a graph or fail, by running each operation alone.
// If no operation fails alone, the failure counts for the graph and for no operation.
#pragma once

#include "harness/base/result.h"
#include "harness/cases/case.h"
#include "harness/judging/judge_case.h"
#include "harness/runners/runner.h"

namespace anecheck {

// The operations of larger graphs are not run alone.
inline constexpr size_t kMostIsolated = 64;

// Charges the operation that the message of a refusal names. Otherwise runs each operation alone on
// inputs of zeros, and charges the first whose run ends as that of the whole graph did. A compiler
// ignores the inputs. A crash that needs other values than zeros counts for the graph. Changes only
// the verdicts rejected, failed and crashed. Makes at most one run for each operation. Errors:
// those of the runner.
Status Isolate(const Case& item, Runner& runner, CaseOutcome& outcome);

}  // namespace anecheck
