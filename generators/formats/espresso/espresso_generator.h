// The generator of espresso networks and shapes. Used by `anecheck gen --format espresso`, the fuzz
// targets and the tests.
#pragma once

#include "generators/formats/descriptor_generator.h"

namespace anecheck {

extern const DescriptorGenerator kGenerator_espresso;

}  // namespace anecheck
