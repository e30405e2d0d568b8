// A case as JSON, without its graph and tensors: the form in a finding and in every export and
// replay of it.
#pragma once

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "harness/cases/case.h"

namespace anecheck {

// Adds {"index", "case_seed", "target", "family", "route", "mode", "range"} to `json`; optional
// members are left out if the case does not have them.
void WriteCase(const Case& item, Json& json);
// Reads these members into `item`. Errors: kInvalid, with the wrong member first in the message.
Status ReadCase(const Json& json, Case& item);

}  // namespace anecheck
