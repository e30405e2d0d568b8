// The keys of network descriptions that sources name, with the source of each key. Used by the
// netlist format for its evidence and its byte counts.
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

// Returns the rows for the format's JSON form (see Format::fields).
std::span<const FieldFact> FieldFacts(const Json& json);

}  // namespace anecheck::netlist
