// The rows of the fault table. Used by fault.cc only.
#pragma once

#include <span>

#include "harness/device/fault.h"

namespace anecheck::device {

std::span<const Fault> FaultRows();

}  // namespace anecheck::device
