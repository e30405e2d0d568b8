// Classes of value of numeric attributes: the coverage cells of an operation's numbers and lists,
// and their names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/graph/graph.h"

namespace anecheck {

// Returns the class of a number or of a list; empty for other values. The classes of a number are
// negative, zero, a fraction between zero and one, one, and more than one. The class of a list is
// its length, with the class of its elements if they are all equal, else "mixed".
std::optional<uint32_t> AttributeClass(const Graph& graph, const Attribute& attribute);

// "negative", "fraction", "empty", "4 one", "2 mixed".
std::string AttributeClassName(uint32_t value);

}  // namespace anecheck
