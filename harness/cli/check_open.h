// The answer of `anecheck check` on a model whose inputs have axes without extents. Only the rules
// judge such a model, at several extents.
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

// Judges every operation at each of a few extents. All open axes take the same extent. Returns
// {"open_inputs": [{"name", "shape"}], "tried": [extents], "targets": [{"target", "title", "route",
// "operations": [{"op", "name", "placement", "reason", "not_on_engine_at"}]}]}; a placement that
// depends on the extent is "depends". Errors: those of reading the model, if it accepts none of the
// extents.
Result<Json> JudgeOpenAxes(const Model& model, const std::string& function,
                           std::span<const ModelShape> open, std::span<const JudgedPlace> places);

// The result of JudgeOpenAxes as a table for people.
std::string OpenAxesText(const Json& judged);

}  // namespace anecheck
