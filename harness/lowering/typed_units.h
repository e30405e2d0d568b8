// The layers of a network description whose parameter Type names the operation. Used by both
// directions of the netlist lowering.
#pragma once

#include <string_view>

#include "harness/ops/op.h"

namespace anecheck {

struct TypedUnit {
  OpKind op;
  std::string_view unit;  // the unit's Type tag
  std::string_view type;  // its parameter Type
};

// Null for an operation or a Type that has no entry.
const TypedUnit* FindTypedUnit(OpKind op);
const TypedUnit* FindTypedUnit(std::string_view unit, std::string_view type);

}  // namespace anecheck
