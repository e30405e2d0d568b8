// The text form of `anecheck check`'s report.
#pragma once

#include <string>

#include "harness/base/json.h"

namespace anecheck {

// Formats the report that `check --json` prints as text for people. `why` adds rules and their
// sources. The lines of the table of operations have at most `columns` letters; 0 sets no limit.
std::string CheckText(const Json& json, bool why, size_t columns);

}  // namespace anecheck
