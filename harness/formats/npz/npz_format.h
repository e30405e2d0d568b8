// The Format entry of .npy and .npz files, found by harness/formats/formats.def.
#pragma once

#include "harness/formats/format.h"

namespace anecheck {

extern const Format kFormat_npz;

}  // namespace anecheck
