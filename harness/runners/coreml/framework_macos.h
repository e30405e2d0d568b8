// The implementation of the interface with Core ML itself; only on macOS.
#pragma once

#include <memory>

#include "harness/runners/coreml/framework.h"

namespace anecheck::coreml {

std::unique_ptr<Framework> SystemFramework();

}  // namespace anecheck::coreml
