// `anecheck check` of one model on one target by one route.
#pragma once

#include <vector>

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "harness/cli/check_open.h"
#include "harness/cli/check_run.h"
#include "harness/cli/prepared_model.h"
#include "harness/targets/catalog.h"

namespace anecheck {

// The result of a check on one target by one route.
struct CheckPlace : JudgedPlace {
  CheckRuns runs;  // the run of the model first, then the runs of its parts
  Json warnings, report;
  Json not_looked_for;  // null if cliffs were searched for
  int steps = 0;        // the number of --steps
};

// Returns one place for each target and route.
Result<std::vector<CheckPlace>> CheckPlaces(const CampaignOptions& options,
                                            const TargetCatalog& catalog, FamilyOrder order);

// Checks the model at every place, in as many jobs as the options say. Each job has its own runner.
Status CheckAll(const CheckSetting& setting, const PreparedModel& model,
                std::vector<CheckPlace>& all);

}  // namespace anecheck
