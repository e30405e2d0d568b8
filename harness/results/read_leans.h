// The table error_leans of a results file (harness/results/schema.sql) as sums.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "harness/base/result.h"
#include "harness/results/store.h"
#include "oracles/lean_sums.h"

namespace anecheck {

// The sums of a run: target, route, operation.
using RunLeans = std::map<std::tuple<std::string, std::string, std::string>, OperationLeans>;
// Errors: kMalformed for what no campaign writes, so that sums of several runs do not overflow.
Result<RunLeans> ReadLeans(Store& store, int64_t run);

}  // namespace anecheck
