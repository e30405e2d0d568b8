// Arguments that MIL accepts as a constant or as a computed tensor are in a schema twice under one
// name: as an attribute, which OpSchema::FindParameter finds, and as a tensor, which FindOperand
// finds.
#pragma once

#include <string_view>

#include "harness/graph/schema.h"

namespace anecheck {

// The index of the tensor or list of tensors called `name`, or -1.
inline int FindOperand(const OpSchema& schema, std::string_view name) {
  for (size_t i = 0; i < schema.parameters.size(); ++i) {
    const Parameter& parameter = schema.parameters[i];
    if (parameter.name == name && IsTensorKind(parameter.kind)) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace anecheck
