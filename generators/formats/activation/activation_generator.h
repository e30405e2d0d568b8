// The generator of activation records. Used by `anecheck gen --format activation`, the fuzz targets
// and the tests.
#pragma once

#include "generators/formats/descriptor_generator.h"

namespace anecheck {

extern const DescriptorGenerator kGenerator_activation;

}  // namespace anecheck
