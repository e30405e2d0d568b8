// Classes of value of numeric attributes: the cells of coverage for an operation's numbers and
// lists, and their spelling.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/graph/graph.h"

namespace anecheck {

// For a number, its sign, or zero, one, between the two or above. For a list, its length and the
// class of its elements if they all have one class. Nothing for values that are neither.
std::optional<uint32_t> AttributeClass(const Graph& graph, const Attribute& attribute);

// "negative", "fraction", "empty", "4 one", "2 mixed".
std::string AttributeClassName(uint32_t value);

}  // namespace anecheck
