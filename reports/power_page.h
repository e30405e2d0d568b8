// The page that shows a measurement of power: one file that needs no network.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace anecheck::reports {

// `power` is the JSON of `anecheck power` (harness/power/power.h).
std::string PowerHtml(const nlohmann::ordered_json& power);

}  // namespace anecheck::reports
