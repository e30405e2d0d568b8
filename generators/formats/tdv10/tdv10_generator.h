// The generator of version-10 tasks. Used by `anecheck gen --format tdv10`, the fuzz targets and
// the tests.
#pragma once

#include "generators/formats/descriptor_generator.h"

namespace anecheck {

extern const DescriptorGenerator kGenerator_tdv10;

}  // namespace anecheck
