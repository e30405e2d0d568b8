// The planted defects that change what an operation has stored.
#pragma once

#include <cstdint>

#include "harness/device/fault.h"
#include "harness/device/tensor_type.h"

namespace anecheck::device {

// Applies one row of mechanism kOutput to a stored tensor, in place. `run` counts the executions of
// the program. Effects on single elements act on fp16 tensors only; layout effects on any.
void SpoilOutput(const Fault& fault, const TensorType& type, uint64_t run, void* data);

}  // namespace anecheck::device
