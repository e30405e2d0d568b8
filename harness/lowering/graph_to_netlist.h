// Writes a graph as a network description, the input of the direct route's compiler.
#pragma once

#include <bitset>
#include <cstdint>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/netlist/model.h"
#include "harness/graph/graph.h"
#include "harness/ops/op.h"

namespace anecheck {

// A description of version 1.0.9 and the one weight file that it names (kNetlistWeightFile).
struct NetlistProgram {
  netlist::Description description;
  std::vector<uint8_t> weights;  // constants at multiples of 64 bytes
};

// The operations that network descriptions can express. GraphToNetlist refuses all others.
const std::bitset<kOpCount>& NetlistOps();

// Writes one unit per operation, and further units for separate steps of the engine. A bias becomes
// a GOC behind the convolution, an operand that must be broadcast gets a Broadcast before the
// elementwise unit, and a slice becomes one InputView per axis (as in the real files). Unit names
// are value names. Errors: kUnsupported, naming the operation and the reason, if no source gives
// its form in a network description. No source gives the form of element types other than fp16,
// states, blocks, dilations, ceil_mode, and some operations. If the layer of a refused operation
// has published parameters, the message lists them.
Result<NetlistProgram> GraphToNetlist(const Graph& graph);

}  // namespace anecheck
