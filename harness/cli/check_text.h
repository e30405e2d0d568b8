// The text form of `anecheck check`'s report.
#pragma once

#include <string>

#include "harness/base/json.h"

namespace anecheck {

// The report that `check --json` prints, in lines for people; `why` adds rules and their sources.
// The table of operations has lines of at most `columns` letters; 0 sets no limit.
std::string CheckText(const Json& json, bool why, size_t columns);

}  // namespace anecheck
