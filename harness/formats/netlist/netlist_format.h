// The format entry of network descriptions, and their printed text.
#pragma once

#include <string>

#include "harness/formats/format.h"
#include "harness/formats/plist/plist.h"

namespace anecheck {

extern const Format kFormat_netlist;

namespace netlist {

// Prints ports, units with their parameters, weight files, and differences between the file and the
// specification. For a property list that is not a network description, prints the reason and the
// tree.
std::string Print(const plist::Document& document);

}  // namespace netlist
}  // namespace anecheck
