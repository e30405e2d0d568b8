// The output of `anecheck explain D03`: a documented defect, its chips, its sources, and a way
// around it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/json.h"

namespace anecheck {

// Returns whether a text has the form of an id, "D03" or "p1". The tables may lack that id.
bool LooksLikeDefect(std::string_view word);
// Returns the ids of all documented defects.
std::vector<std::string> DefectIds();

// {"id", "area", "trigger", "symptom", "kind", "families", "chips", "effects": [{"op", "what",
// "families", "measured_right_on", "source"}], "workaround", "workaround_source"}; null for an id
// that no table has.
Json DefectJson(std::string_view id);
// The JSON of DefectJson as lines of text.
std::string DefectText(const Json& defect);

}  // namespace anecheck
