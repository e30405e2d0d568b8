// Functions that recognise units of a network description that together form one operation.
#pragma once

#include <string_view>

#include "harness/formats/netlist/model.h"

namespace anecheck {

// The name of the operation that a helper unit belongs to: "y" for "y_tmp_0". Other names are
// returned unchanged.
std::string_view ChainName(std::string_view name);

// Whether the unit only adds a bias to each channel.
bool IsBias(const netlist::Unit& unit);

// Whether the unit multiplies each channel and adds a bias to it.
bool IsGainOffset(const netlist::Unit& unit);

}  // namespace anecheck
