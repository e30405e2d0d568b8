// The page that shows a measurement of power. It is one file that needs no network.
#pragma once

#include <string>

#include "harness/base/json.h"

namespace anecheck::reports {

// `power` is the JSON of `anecheck power` (harness/power/power.h).
std::string PowerHtml(const Json& power);

}  // namespace anecheck::reports
