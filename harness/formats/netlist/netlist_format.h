// The format entry of network descriptions, and their print for people.
#pragma once

#include <string>

#include "harness/formats/format.h"
#include "harness/formats/plist/plist.h"

namespace anecheck {

extern const Format kFormat_netlist;

namespace netlist {

// Prints ports, units with their parameters, weight files, and differences between the file and the
// specification. A property list that is no network description is printed as its tree, with the
// reason.
std::string Print(const plist::Document& document);

}  // namespace netlist
}  // namespace anecheck
