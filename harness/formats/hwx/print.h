// Prints a hardware container as text. Used by the hwx format.
#pragma once

#include <string>

#include "harness/formats/hwx/container.h"

namespace anecheck::hwx {

// Returns a text with the target, the compiler of the banner, the tensors with shapes and strides,
// the number of tasks, and all other parts of the container.
std::string PrintContainer(const Container& container);

}  // namespace anecheck::hwx
