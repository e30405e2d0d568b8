// The tensors of a finding's artifact as tables of HTML: values with their bits.
#pragma once

#include <string>

#include "harness/base/json.h"

namespace anecheck::reports {

// `inputs`, `actual` and `expected` are the members of the artifact of these names, in any form;
// the page names an unreadable member. Each table has at most kShownElements rows. In outputs, the
// elements outside their intervals come first.
std::string InputTables(const Json& inputs);
std::string OutputTables(const Json& actual, const Json& expected);

}  // namespace anecheck::reports
