// The planted defects that change an operation's stored result.
#pragma once

#include <cstdint>

#include "harness/device/fault.h"
#include "harness/device/tensor_type.h"

namespace anecheck::device {

// The time of a store. `run` is the number of earlier executions of the program, and `program` is
// the number of programs that the process made earlier.
struct Moment {
  uint64_t run = 0;
  uint64_t program = 0;
};

// Applies one fault of mechanism kOutput to a stored tensor, in place. Effects on single elements
// apply to fp16 tensors only. Effects on the layout apply to tensors of any type.
void SpoilOutput(const Fault& fault, const TensorType& type, Moment moment, void* data);

}  // namespace anecheck::device
