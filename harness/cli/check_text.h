// The text form of `anecheck check`'s report.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace anecheck {

// The report that `check --json` prints, in lines for people; `why` adds rules and their sources.
std::string CheckText(const nlohmann::ordered_json& json, bool why);

}  // namespace anecheck
