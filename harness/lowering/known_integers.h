// Integers that a program computes only from shapes. A compiler folds them before it requires
// constants. Used by the MIL reader.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/graph/graph.h"

namespace anecheck {

// The elements of an integer value: a constant, an extent (shape), or the result of gather along
// axis 0, concat along axis 0, arithmetic without rounding (floor_div included), and operations
// that keep the order of elements (cast to an integer type, identity, reshape, expand_dims,
// squeeze) on such values. Empty for all other values.
std::optional<std::vector<int64_t>> KnownIntegers(const Graph& graph, ValueId id);

}  // namespace anecheck
