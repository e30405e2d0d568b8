// Classifies the values of numeric attributes. Each class of a number or a list is a coverage cell.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/graph/graph.h"

namespace anecheck {

// Returns the class of a number or of a list; empty for other values. The classes of a number are
// negative, zero, a fraction between zero and one, one, and more than one. The class of a list is
// its length and the common class of its elements, or "mixed" if they differ.
std::optional<uint32_t> AttributeClass(const Graph& graph, const Attribute& attribute);

// Returns the name of a class, such as "negative", "fraction", "empty", "4 one" or "2 mixed".
std::string AttributeClassName(uint32_t value);

}  // namespace anecheck
