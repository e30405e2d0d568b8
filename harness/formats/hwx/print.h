// The text form of a hardware container. Used by the hwx format.
#pragma once

#include <string>

#include "harness/formats/hwx/container.h"

namespace anecheck::hwx {

// Names the target, the compiler of the banner, the tensors with shapes and strides, the number of
// tasks, and everything else that is in the container.
std::string PrintContainer(const Container& container);

}  // namespace anecheck::hwx
