// The format entry of the weight files of network descriptions.
#pragma once

#include "harness/formats/format.h"

namespace anecheck {

extern const Format kFormat_netweights;

}  // namespace anecheck
