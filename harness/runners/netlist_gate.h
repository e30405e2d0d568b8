// The network descriptions that an engine of the e5rt interface is given: those that its compile
// call is published to take. Used wherever a description goes to an engine that is not the
// project's own.
#pragma once

#include <string>
#include <string_view>

namespace anecheck {

// The reason that the property list is not handed over, in words for people; empty if it is. The
// compile call takes a description of one procedure (specification 001, section 5.5;
// facts/e5rt_abi.md, accepted input). The engine refuses a file that is no network description.
std::string NetlistRefusal(std::string_view property_list);

}  // namespace anecheck
