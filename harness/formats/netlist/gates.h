// Checks a network description against the gates of the legality tables (oracles/legality/gates.h).
// A gate is a condition of a native layer's validator on a unit and its operands.
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

// Returns the gates as rules of the format. Their ids are those that `anecheck explain` prints.
std::span<const Rule> GateRules();

// One operand in a description. A property that the description leaves out breaks no gate.
struct GateOperand {
  std::string type;            // element type as in the file, "Float16"; empty if not stated
  std::string producer;        // the unit's Type; "Input" for a port
  std::vector<int64_t> shape;  // N C H W, or N C D H W; -1 for an extent that is not stated
  int64_t interleave = 1;
};
// Returns the operand for an input or a constant. An extent that is left out is 1.
GateOperand PortOperand(const tree::Dict& port, const ExtentKeys& extents,
                        std::string_view type_key);
// Returns the operand for a unit. Its extents are unknown, because descriptions do not state them.
GateOperand UnitOperand(const tree::Dict& unit);

struct BrokenGate {
  const Rule* rule = nullptr;  // a row of GateRules
  std::string text;            // the message in the validator's words
};
std::vector<BrokenGate> FindBrokenGates(const LayerSpec& layer, const tree::Dict& unit,
                                        std::span<const GateOperand> operands);

}  // namespace anecheck::netlist
