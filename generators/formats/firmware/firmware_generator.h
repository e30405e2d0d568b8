// The generator of firmware packages and commands. Used by `anecheck gen --format firmware`, the
// fuzz targets and the tests.
#pragma once

#include "generators/formats/descriptor_generator.h"

namespace anecheck {

extern const DescriptorGenerator kGenerator_firmware;

}  // namespace anecheck
