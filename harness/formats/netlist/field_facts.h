// The keys of network descriptions that sources name, and the source of each. Used by the netlist
// format for its evidence and its coverage.
#pragma once

#include <span>
#include <string_view>

#include "harness/formats/format.h"

namespace anecheck::netlist {

struct KeyFact {
  std::string_view key;
  FactEvidence evidence = FactEvidence::kRealFile;
};

// Keys of ports and constants, of units, and of a network itself.
std::span<const KeyFact> PortKeys();
std::span<const KeyFact> UnitKeys();
std::span<const KeyFact> NetworkKeys();

// The rows of the format's JSON form (see Format::fields).
std::span<const FieldFact> FieldFacts(const Json& json);

}  // namespace anecheck::netlist
