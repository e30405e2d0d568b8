// The generator of driver-call captures. Used by `anecheck gen --format submission`, the fuzz
// targets and the tests.
#pragma once

#include "generators/formats/descriptor_generator.h"

namespace anecheck {

extern const DescriptorGenerator kGenerator_submission;

}  // namespace anecheck
