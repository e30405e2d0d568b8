// A case as JSON, without its graph and tensors, as in findings, their exports and replays.
#pragma once

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "harness/cases/case.h"

namespace anecheck {

// Adds {"index", "case_seed", "target", "family", "route", "mode", "range"} to `json`; an optional
// member that the case does not have is left out.
void WriteCase(const Case& item, Json& json);
// Reads these members into `item`. Errors: kInvalid, with the wrong member first in the message.
Status ReadCase(const Json& json, Case& item);

}  // namespace anecheck
