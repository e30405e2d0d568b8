// The generator of weight files. Used by `anecheck gen --format netweights`, the fuzz targets and
// the tests.
#pragma once

#include "generators/formats/descriptor_generator.h"

namespace anecheck {

extern const DescriptorGenerator kGenerator_netweights;

}  // namespace anecheck
