// Charges a wrong value whose graph has inner results that no run showed.
#pragma once

#include <string_view>

#include "harness/base/result.h"
#include "harness/cases/case.h"
#include "harness/judging/judge_case.h"
#include "harness/runners/runner.h"

namespace anecheck {

// `why` says why the graph with its inner results as outputs was not judged: "garbled". The
// producer of the wrong output may be innocent then. Therefore, if the output depends on several
// operations, runs each of them as a separate program on the values that the oracle computes, and
// charges the first that is wrong. If none is wrong, the message names all of them, and no
// operation is charged, unless all have the same name. `alone` is false if separate programs cannot
// show the deviation; then none runs. Changes only wrong outcomes. Makes at most two runs for each
// operation. Errors: those of the runner.
Status ChargeUnseen(const Case& item, std::string_view why, bool alone, Runner& runner,
                    CaseOutcome& outcome);

}  // namespace anecheck
