// Runs a model with states step by step, as a decoder does. Each step on the engine begins with the
// states that the engine's previous step left, so errors accumulate.
#pragma once

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "harness/cases/case.h"
#include "harness/runners/runner.h"

namespace anecheck {

// Runs `item` `steps` times on the same inputs. The states begin as zeros. Compares each step's
// outputs and states with those of the oracle, which continues from its own states. Returns a list
// of {step, ulp, relative, snr_db}: the largest errors of the step's outputs and states. If a step
// does not run, the list ends with {step, message}. Returns null for a model without states.
// Errors: those of the runner.
Result<Json> RunSteps(const Case& item, Runner& runner, int steps);

}  // namespace anecheck
