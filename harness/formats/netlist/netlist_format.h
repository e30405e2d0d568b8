// The format entry of network descriptions, and their print for people.
#pragma once

#include <string>

#include "harness/formats/format.h"
#include "harness/formats/plist/plist.h"

namespace anecheck {

extern const Format kFormat_netlist;

namespace netlist {

// Ports, units with their parameters, weight files, and where the file departs from the
// specification. kMalformed where the property list is no network description.
Result<std::string> Print(const plist::Document& document);

}  // namespace netlist
}  // namespace anecheck
