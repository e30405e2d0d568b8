// The format entry of network descriptions, and their print for people.
#pragma once

#include <string>

#include "harness/formats/format.h"
#include "harness/formats/plist/plist.h"

namespace anecheck {

extern const Format kFormat_netlist;

namespace netlist {

// Ports, units with their parameters, weight files, and departures of the file from the
// specification. A property list that is no network description prints as its tree, with the
// reason.
std::string Print(const plist::Document& document);

}  // namespace netlist
}  // namespace anecheck
