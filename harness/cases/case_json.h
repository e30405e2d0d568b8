// A case as JSON, without its graph and tensors: the form in a finding, and so in every export and
// replay of it.
#pragma once

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "harness/cases/case.h"

namespace anecheck {

// Adds {"index", "case_seed", "target", "family", "route", "mode", "range"} to `json`; members that
// only some cases have are left out of the others.
void WriteCase(const Case& item, Json& json);
// Reads them into `item`. Errors: kInvalid, beginning with the member that is wrong.
Status ReadCase(const Json& json, Case& item);

}  // namespace anecheck
