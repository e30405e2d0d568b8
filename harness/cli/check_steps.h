// A model with states step after step, as a decoder runs: an engine's next step begins with its own
// content of the states, so that errors gather.
#pragma once

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "harness/cases/case.h"
#include "harness/runners/runner.h"

namespace anecheck {

// Runs `item`, which holds states, `steps` times at the same inputs; states are zero at first. Each
// step's outputs and states are compared with those of the oracle, which goes on from its own.
// Gives a list of {step, ulp, relative, snr_db}: the largest errors of the step's outputs. It ends
// early, with {step, message}, where a step is not taken. Null for a model without states. Errors:
// those of the runner.
Result<Json> RunSteps(const Case& item, Runner& runner, int steps);

}  // namespace anecheck
