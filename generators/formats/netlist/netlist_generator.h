// The generator of network descriptions. Used by `anecheck gen --format netlist`, the fuzz targets
// and the tests.
#pragma once

#include "generators/formats/descriptor_generator.h"

namespace anecheck {

extern const DescriptorGenerator kGenerator_netlist;

}  // namespace anecheck
