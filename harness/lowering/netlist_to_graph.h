// Reads a network description into a graph.
#pragma once

#include <cstdint>
#include <span>

#include "harness/base/result.h"
#include "harness/formats/netlist/model.h"
#include "harness/graph/graph.h"
#include "harness/lowering/netlist_weights.h"

namespace anecheck {

// Reads the description's first network as a valid graph in explicit form (explicit_form.h). If the
// entry point is a procedure, there must be only one network and one procedure. Units that
// GraphToNetlist separates become one operation again. These are a convolution and the GOC behind
// it that only adds a bias, elementwise units and the helper Broadcast (kBroadcastMark) before
// them, and a chain of InputViews with related names (ChainName). Ranks follow from the extents
// that are present; a convolution's input without a batch gets a batch of 1. Weights of Float32 are
// rounded to fp16. Errors name the unit: kUnsupported for layers without an operation and for
// weights of other types than Float16 and Float32; kInvalid if wiring, parameters or shapes
// contradict each other; and those of `read`.
Result<Graph> ReadNetlist(const netlist::Description& description, const NetlistRead& read);
// As ReadNetlist, for weights in a single file, which has index 0.
Result<Graph> NetlistToGraph(const netlist::Description& description,
                             std::span<const uint8_t> weights);

}  // namespace anecheck
