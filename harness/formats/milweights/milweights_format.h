// The Format entry of the MIL weight side file, found by harness/formats/formats.def.
#pragma once

#include "harness/formats/format.h"

namespace anecheck {

extern const Format kFormat_milweights;

}  // namespace anecheck
