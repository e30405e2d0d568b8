// The generator of .npy and .npz files. Used by `anecheck gen --format npz`, the fuzz targets and
// the tests.
#pragma once

#include "generators/formats/descriptor_generator.h"

namespace anecheck {

extern const DescriptorGenerator kGenerator_npz;

}  // namespace anecheck
