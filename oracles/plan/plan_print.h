// Prints a lowering plan as text and as files: the output of `anecheck lower`.
#pragma once

#include <string>

#include "harness/base/json.h"
#include "oracles/plan/plan.h"

namespace anecheck::plan {

// "compiles, 6 layers in 1 dispatch". There is no number of dispatches if the plan does not
// compile.
std::string PlanHeadline(const Plan& plan);
// The rewrites, the layers by dispatch, the states and the descriptor's operations, one line each.
std::string PlanText(const Plan& plan);

// {"target", "route", "compiles", "dispatches",
//  "rewrites": [{"name", "op", "occasion", "rule", "reason", "what", "source", "into",
//                "no_graph"}],
//  "layers": [{"name", "op", "layer", "from", "fate", "rule", "reason", "source", "segment",
//              "weights": {"format", "streamed", "bytes", "cap", "parts"}, "streams"}],
//  "segments": [{"kind", "dispatches", "layers": [names]}],
//  "states": [{"name", "bytes", "shared", "offset"}], "descriptor": [{"kind", "name"}]}.
// An unknown value is null.
Json PlanJson(const Plan& plan);

}  // namespace anecheck::plan
