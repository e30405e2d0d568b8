// Runs a model with states step after step, as a decoder does. Each step of the engine begins with
// the states that its last step left, so errors accumulate.
#pragma once

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "harness/cases/case.h"
#include "harness/runners/runner.h"

namespace anecheck {

// Runs `item`, which has states, `steps` times at the same inputs; the states start as zero.
// Compares each step's outputs and states with those of the oracle, which continues from its own
// states. Returns a list of {step, ulp, relative, snr_db}: the largest errors of the step's
// outputs. If a step does not run, the list ends early with {step, message}. Returns null for a
// model without states. Errors: those of the runner.
Result<Json> RunSteps(const Case& item, Runner& runner, int steps);

}  // namespace anecheck
