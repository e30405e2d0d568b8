// The generator of HAL tables. Used by `anecheck gen --format hal`, the fuzz targets and the tests.
#pragma once

#include "generators/formats/descriptor_generator.h"

namespace anecheck {

extern const DescriptorGenerator kGenerator_hal;

}  // namespace anecheck
