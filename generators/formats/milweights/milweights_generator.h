// The generator of MIL weight side files. Used by `anecheck gen --format milweights`, the fuzz
// targets and the tests.
#pragma once

#include "generators/formats/descriptor_generator.h"

namespace anecheck {

extern const DescriptorGenerator kGenerator_milweights;

}  // namespace anecheck
