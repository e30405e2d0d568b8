// Shows the tensors of a finding's artifact as HTML tables of values and their bits.
#pragma once

#include <string>

#include "harness/base/json.h"

namespace anecheck::reports {

// `inputs`, `actual` and `expected` are the members of the artifact with these names. They may be
// malformed. The page names a member that cannot be read. Each table has at most kShownElements
// rows. In outputs, the elements outside their intervals come first.
std::string InputTables(const Json& inputs);
std::string OutputTables(const Json& actual, const Json& expected);

}  // namespace anecheck::reports
