// What the rows of the operation table are put together from. Used by the operation files only.
#pragma once

#include "harness/ops/op.h"
#include "harness/ops/sets.h"

namespace anecheck {

using Infer = Status (*)(const NodeView&, ResultTypes&);

// A row of one class; `floor` and `capability` as in OpDefinition.
constexpr OpDefinition Row(OpClass op_class, std::string_view name, OpKind kind,
                           std::span<const Parameter> parameters, Infer infer,
                           std::string_view netlist_unit = {}, uint8_t floor = 0,
                           uint16_t capability = 0) {
  return {.schema = {.name = name,
                     .id = static_cast<uint16_t>(kind),
                     .parameters = parameters,
                     .infer = infer},
          .op_class = op_class,
          .family_floor = floor,
          .capability = capability,
          .netlist_unit = netlist_unit};
}

// An attribute that may be left out.
constexpr Parameter OptionalParameter(std::string_view name, ParameterKind kind,
                                      const Default& fallback) {
  return {.name = name, .kind = kind, .need = Need::kOptional, .fallback = fallback};
}

// The tensor form of an attribute that lists places, one integer an axis.
constexpr Parameter ComputedPlace(std::string_view name) {
  return {.name = name,
          .need = Need::kOptional,
          .dtypes = kIntegers,
          .fallback = Default::Words("a constant")};
}

}  // namespace anecheck
