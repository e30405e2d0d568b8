// The second input language of the compiler: a property list of layers, in place of MIL text.
#pragma once

#include <string>
#include <string_view>

#include "harness/base/result.h"

namespace anecheck::device::e5rt {

// Whether `content` begins as a property list of either encoding does.
bool IsPropertyList(std::string_view content);

// The MIL text that the network description `content` stands for. Its weight file is looked for in
// `folder`. Ports are named by the input symbols and by the units whose results are outputs; no
// source tells the names that Espresso gives them. Errors end in " @ Parser" or " @ Frontend":
// descriptions of more than one procedure (specification 001, section 5.5), layers without an
// operation.
Result<std::string> MilOfNetlist(std::string_view content, const std::string& folder);

}  // namespace anecheck::device::e5rt
