// The Format entry of MIL text, found by harness/formats/formats.def.
#pragma once

#include "harness/formats/format.h"

namespace anecheck {

extern const Format kFormat_mil;

}  // namespace anecheck
