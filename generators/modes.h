// The differences between the modes of cases, as data.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "generators/graph_generator.h"

namespace anecheck {

// The shape of a graph's first input.
enum class ShapeClass : uint8_t {
  kSmall,      // extents from the list of tile factors
  kLong,       // one long axis
  kRangeEnds,  // at the limits of targets, and at sizes for which engines change their method
};

struct ModeTraits {
  CaseMode values = CaseMode::kFloat;
  ShapeClass shapes = ShapeClass::kSmall;
  int max_nodes = 40;  // the maximum of the mode, even if the caller allows more
  // Every graph of the mode has at least one of these operations. An empty list requires nothing.
  std::span<const OpKind> wanted = {};
  // Every second graph of the mode has at least one of these operations.
  std::span<const OpKind> often = {};
  // Whether every fourth graph of the mode begins with a curve composed of other operations
  // (composed_curve.h).
  bool curves = false;
};

const ModeTraits& TraitsOf(CaseMode mode);

}  // namespace anecheck
