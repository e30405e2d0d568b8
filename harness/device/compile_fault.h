// The planted defects of the compile step.
#pragma once

#include <string_view>

#include "harness/base/result.h"
#include "harness/device/fault.h"
#include "harness/device/tensor_type.h"

namespace anecheck::device {

// Return the refusal that an enabled fault demands, or success if no enabled fault demands one.
Status CheckPlantedTypes(const ActiveFaults& faults, const TensorType& type);
Status CheckPlantedOp(const ActiveFaults& faults, std::string_view op);

// Crashes, hangs or leaks memory if a fault with that effect on the compile step is enabled. The
// function does not return from a crash or a hang.
void MisbehaveWhileCompiling(const ActiveFaults& faults);

}  // namespace anecheck::device
