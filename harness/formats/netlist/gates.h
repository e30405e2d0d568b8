// The demands of native layers' validators on a unit and its operands: the gates of the legality
// tables (oracles/legality/gates.h), checked on a network description.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/formats/format.h"
#include "harness/formats/netlist/layers.h"
#include "harness/formats/netlist/port_keys.h"
#include "harness/formats/tree/value.h"

namespace anecheck::netlist {

// The gates as rules of the format; their ids are those that `explain` names.
std::span<const Rule> GateRules();

// One operand as a description gives it. A fact that is left out breaks no gate.
struct GateOperand {
  std::string type;            // element type as it is spelled: "Float16"; empty where not said
  std::string producer;        // the unit's Type; "Input" for a port
  std::vector<int64_t> shape;  // N C H W, or N C D H W; -1 for an extent that is not said
  int64_t interleave = 1;
};
// Of an input or a constant; an extent that is left out is 1.
GateOperand PortOperand(const tree::Dict& port, const ExtentKeys& extents,
                        std::string_view type_key);
// Of a unit, whose extents follow from its layer and are not said.
GateOperand UnitOperand(const tree::Dict& unit);

struct BrokenGate {
  const Rule* rule = nullptr;  // of GateRules
  std::string text;            // in the validator's words
};
std::vector<BrokenGate> FindBrokenGates(const LayerSpec& layer, const tree::Dict& unit,
                                        std::span<const GateOperand> operands);

}  // namespace anecheck::netlist
