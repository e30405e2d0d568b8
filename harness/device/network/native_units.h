// The layers whose parameters map one to one to arguments of an operation: the layers that only a
// network description can name, the rearrangements and the geometry layers (specification 004,
// table 26.1; facts/netlist_layers.csv; public netlists).
#pragma once

#include <span>
#include <string_view>

#include "harness/base/result.h"
#include "harness/device/network/network.h"
#include "harness/device/network/unit_arguments.h"

namespace anecheck::device {

// Returns the operation of a layer type, or an empty text if the table has no entry for the type.
std::string_view NativeOperation(std::string_view unit_type);

// Adds the operands (the values of the unit's bottoms) and the parameters to the arguments.
// Precondition: the unit's type has a NativeOperation. The messages of errors do not contain the
// unit's name.
Status ReadNativeUnit(const NetworkUnit& unit, std::span<const Operand> operands,
                      UnitArguments& arguments);

}  // namespace anecheck::device
