// The planted defects of the compile step.
#pragma once

#include <string_view>

#include "harness/base/result.h"
#include "harness/device/fault.h"
#include "harness/device/tensor_type.h"

namespace anecheck::device {

// The refusal that an enabled fault demands; success if none does.
Status CheckPlantedTypes(const ActiveFaults& faults, const TensorType& type);
Status CheckPlantedOp(const ActiveFaults& faults, std::string_view op);

// Crashes, hangs and leaks of the compile step, if enabled; does not return from the first two.
void MisbehaveWhileCompiling(const ActiveFaults& faults);

}  // namespace anecheck::device
