// If MIL accepts an argument both as a constant and as a computed tensor, the schema has two
// parameters of that name. OpSchema::FindParameter finds the attribute, and FindOperand finds the
// tensor.
#pragma once

#include <string_view>

#include "harness/graph/schema.h"

namespace anecheck {

// Returns the index of the tensor or list of tensors called `name`, or -1.
inline int FindOperand(const OpSchema& schema, std::string_view name) {
  for (size_t i = 0; i < schema.parameters.size(); ++i) {
    const Parameter& parameter = schema.parameters[i];
    if (parameter.name == name && IsTensorKind(parameter.kind)) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace anecheck
