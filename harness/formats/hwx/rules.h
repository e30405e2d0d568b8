// The rules of a hardware container. Used by the hwx format, the builder and the encoder's tests.
#pragma once

#include <span>
#include <vector>

#include "harness/formats/hwx/container.h"

namespace anecheck::hwx {

// The rules of containers, then those of task descriptors in a container.
std::span<const Rule> Rules();

// Every broken rule, in order of offset. Offsets are absolute.
std::vector<Violation> Verify(const Container& container);

}  // namespace anecheck::hwx
