// Decides which network descriptions may be passed to an engine behind the e5rt interface. These
// are the descriptions that the compile call accepts according to published sources. The decision
// applies to every engine except the simulated one.
#pragma once

#include <string>
#include <string_view>

namespace anecheck {

// Returns the reason why the property list is not passed to the engine; empty if it is passed. The
// compile call accepts a description of one procedure (specification 001, section 5.5;
// facts/e5rt_abi.md, accepted input). A file that is no network description is passed on, because
// the engine itself refuses it.
std::string NetlistRefusal(std::string_view property_list);

}  // namespace anecheck
