// The check of a hardware container against its rules. Used by the hwx format and the builder.
#pragma once

#include <vector>

#include "harness/formats/hwx/container.h"

namespace anecheck::hwx {

// Every broken rule, in order of offset. Offsets are absolute.
std::vector<Violation> Verify(const Container& container);

}  // namespace anecheck::hwx
