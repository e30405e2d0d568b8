// Reads a network description into a graph, for the round trip.
#pragma once

#include <cstdint>
#include <span>

#include "harness/base/result.h"
#include "harness/formats/netlist/model.h"
#include "harness/graph/graph.h"

namespace anecheck {

// The description's first network as a valid graph in explicit form (explicit_form.h); with its
// entry point in a procedure, that of the one network and procedure there is. `weights` is
// the file at index 0 of the network's Weights. Units that GraphToNetlist sets apart become one
// operation again: a GOC that only adds a bias behind a convolution, a Broadcast before elementwise
// units, a chain of InputViews by its names. Ranks follow from the extents that are present.
// Errors name the unit: kUnsupported for layers without an operation, for weights other than fp16;
// kInvalid where wiring, parameters or shapes contradict each other.
Result<Graph> NetlistToGraph(const netlist::Description& description,
                             std::span<const uint8_t> weights);

}  // namespace anecheck
