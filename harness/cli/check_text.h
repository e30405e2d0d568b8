// The text form of `anecheck check`'s report.
#pragma once

#include <string>

#include "harness/base/json.h"

namespace anecheck {

// The report that `check --json` prints, in lines for people; `why` adds rules and their sources.
std::string CheckText(const Json& json, bool why);

}  // namespace anecheck
