// Classes of value of numeric attributes: the coverage cells of an operation's numbers and lists,
// and their names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/graph/graph.h"

namespace anecheck {

// For a number, its sign, or zero, one, between the two or above. For a list, its length, and the
// class of its elements if they are all equal. Empty for other values.
std::optional<uint32_t> AttributeClass(const Graph& graph, const Attribute& attribute);

// "negative", "fraction", "empty", "4 one", "2 mixed".
std::string AttributeClassName(uint32_t value);

}  // namespace anecheck
