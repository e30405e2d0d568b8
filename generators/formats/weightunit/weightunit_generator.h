// The generator of weight units: every form, every legal width and vector size, every optional
// section. Used by `anecheck gen --format weightunit`, the fuzz targets and the tests.
#pragma once

#include "generators/formats/descriptor_generator.h"

namespace anecheck {

extern const DescriptorGenerator kGenerator_weightunit;

}  // namespace anecheck
