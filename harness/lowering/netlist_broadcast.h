// Reads the layer Broadcast of a network description, which repeats axes of extent 1. The layer's
// keys are those of facts/netlist_layers.csv (BroadcastInfo[{Dimension, Size}]).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/netlist/model.h"
#include "harness/graph/types.h"

namespace anecheck {

// A part of the name of a helper Broadcast, as tools write it ("x_broadcasted_y"). A helper
// Broadcast is not an operation of the graph, because the elementwise operation behind it
// broadcasts the operand itself.
inline constexpr std::string_view kBroadcastMark = "_broadcasted_";

// Whether the layer names the depth, but an operand of that rank has no depth axis. The layer's
// result then has five axes, and the operand is read with a depth of 1.
bool GivesDepth(const netlist::Unit& broadcast, int operand_rank);

struct NetlistBroadcast {
  Shape read_as;              // the operand's shape, with a depth of 1 if GivesDepth
  std::vector<int64_t> reps;  // the repetitions of each axis of `read_as`
};
// Errors: kInvalid if BroadcastInfo is missing or lacks a key, if an axis is neither one of the
// operand's nor the depth, or if an axis of more than one element changes.
Result<NetlistBroadcast> ReadBroadcast(const netlist::Unit& broadcast, const Shape& operand);

}  // namespace anecheck
