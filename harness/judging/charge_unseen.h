// Charges a wrong output to an operation if no run could show the inner results of the graph.
#pragma once

#include <string_view>

#include "harness/base/result.h"
#include "harness/cases/case.h"
#include "harness/judging/judge_case.h"
#include "harness/runners/runner.h"

namespace anecheck {

// `why` is the reason that the graph with its inner results as outputs was not judged, such as
// "garbled". Any operation on which the wrong output depends may then have caused the error. If
// there are several, runs each as a separate program on the values that the oracle computes, and
// charges the first that is wrong. If none is wrong, the message names all of them, and no
// operation is charged unless all have the same name. If `alone` is false, separate programs cannot
// show the deviation, and none runs. Changes only wrong outcomes. Makes at most two runs for each
// operation. Errors: those of the runner.
Status ChargeUnseen(const Case& item, std::string_view why, bool alone, Runner& runner,
                    CaseOutcome& outcome);

}  // namespace anecheck
