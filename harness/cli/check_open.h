// The answer of `anecheck check` on a model with open axes: axes of inputs without extents. The
// model is not run. The rules judge it at several extents.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "harness/campaign/campaign.h"
#include "harness/models/model.h"
#include "harness/targets/target.h"
#include "harness/verdict/route.h"

namespace anecheck {

// One target and one route to it.
struct JudgedPlace {
  CampaignTarget target;
  const Target* values = nullptr;
  FamilyOrder order{};
  Route route = Route::kMil;
};

// Judges every operation by the rules at each of a few extents. All open axes take the same extent.
// Returns {"open_inputs": [{"name", "shape"}], "tried": [extents], "targets": [{"target", "title",
// "route", "operations": [{"op", "name", "placement", "reason", "not_on_engine_at"}]}]};
// "placement" is "depends" if the extents give different placements. Errors: those of reading the
// model, if it accepts none of the extents.
Result<Json> JudgeOpenAxes(const Model& model, const std::string& function,
                           std::span<const ModelShape> open, std::span<const JudgedPlace> places);

// The result of JudgeOpenAxes as a table for people.
std::string OpenAxesText(const Json& judged);

}  // namespace anecheck
