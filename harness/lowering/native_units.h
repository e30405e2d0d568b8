// The layers of a network description whose parameters map one to one to attributes of an
// operation: the native layers, the rearrangements and the geometry. Used by both directions of the
// netlist lowering.
#pragma once

#include <optional>

#include "harness/base/result.h"
#include "harness/formats/netlist/model.h"
#include "harness/graph/graph.h"
#include "harness/ops/op.h"

namespace anecheck {

// The unit type of an operation that WriteNativeParams writes; empty for other operations.
std::string_view NativeUnitType(OpKind op);
// The operation of a unit type that ReadNativeParams reads.
std::optional<OpKind> NativeUnitOp(std::string_view type);

// The type of the constant that holds the start of a DynamicSlice (public netlists).
inline constexpr std::string_view kNetlistStart = "UInt16";

// Returns the operation's parameter for bottom `index` of a unit with `count` bottoms.
int NativeOperand(OpKind op, size_t index, size_t count);

// Sets the unit's parameters. Errors: kUnsupported if the layer cannot express the node. Examples
// are a batch above 1 in rearrangements, a factor other than 1, 2, 3, 4 or 8, margins, and a number
// that is not exact in fp16.
Status WriteNativeParams(const NodeView& node, netlist::Unit& unit);
// Adds the attributes to the graph's open node; `x` is the type of its first operand. Errors:
// kUnsupported if the operation cannot express the unit, kInvalid for missing keys.
Status ReadNativeParams(const netlist::Unit& unit, OpKind op, const TensorType& x, Graph& graph);

}  // namespace anecheck
