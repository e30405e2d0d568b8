// The rules of a hardware container. Used by the hwx format, the builder and the encoder's tests.
#pragma once

#include <span>
#include <vector>

#include "harness/formats/hwx/container.h"

namespace anecheck::hwx {

// Returns the rules of containers, followed by the rules of task descriptors in a container.
std::span<const Rule> Rules();

// Returns the violations in order of offset. Offsets count from the start of the file.
std::vector<Violation> Verify(const Container& container);

}  // namespace anecheck::hwx
