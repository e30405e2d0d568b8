// Decides which network descriptions may go to an engine behind the e5rt interface: those that its
// compile call takes according to published sources. Used for every engine that is not the
// project's own.
#pragma once

#include <string>
#include <string_view>

namespace anecheck {

// Returns a message with the reason why the property list is not handed over to the engine; empty
// if it is handed over. The compile call takes a description of one procedure (specification 001,
// section 5.5; facts/e5rt_abi.md, accepted input). The engine refuses a file that is no network
// description.
std::string NetlistRefusal(std::string_view property_list);

}  // namespace anecheck
