// Helpers that build the rows of the operation table. Used by the operation files only.
#pragma once

#include "harness/ops/op.h"
#include "harness/ops/sets.h"
#include "harness/ops/sheet_table.h"

namespace anecheck {

using Infer = Status (*)(const NodeView&, ResultTypes&);

// For an operation that only changes a state.
inline constexpr bool kWithoutResults = false;

// Returns the row of one operation: its sheet, its parameters and its shape rule.
constexpr OpDefinition Define(OpKind kind, std::span<const Parameter> parameters, Infer infer,
                              std::span<const std::string_view> blocks = {},
                              bool has_results = true) {
  const OpSheet& sheet = sheets::kWithSchema[static_cast<size_t>(kind)];
  return {sheet,
          {.name = sheet.name,
           .id = static_cast<uint16_t>(kind),
           .parameters = parameters,
           .infer = infer,
           .blocks = blocks,
           .has_results = has_results}};
}

// An attribute that may be left out.
constexpr Parameter OptionalParameter(std::string_view name, ParameterKind kind,
                                      const Default& fallback) {
  return {.name = name, .kind = kind, .need = Need::kOptional, .fallback = fallback};
}

// The tensor form of an attribute with one integer for each axis.
constexpr Parameter ComputedPlace(std::string_view name) {
  return {.name = name,
          .need = Need::kOptional,
          .dtypes = kIntegers,
          .fallback = Default::Words("a constant")};
}

}  // namespace anecheck
