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

// Performs the crash, the hang and the leak of the compile step that are enabled. It does not
// return from a crash or a hang.
void MisbehaveWhileCompiling(const ActiveFaults& faults);

}  // namespace anecheck::device
