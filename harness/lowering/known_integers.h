// Integers that a program computes only from shapes. A compiler folds them before it requires
// constants. Used by the MIL reader.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/graph/graph.h"

namespace anecheck {

// Returns the elements of an integer value if they are known, else empty. Constants and results of
// `shape` are known. From known operands, so are the results of gather and concat along axis 0, of
// arithmetic without rounding (and floor_div), and of operations that keep the order of elements
// (cast to an integer type, identity, reshape, expand_dims, squeeze).
std::optional<std::vector<int64_t>> KnownIntegers(const Graph& graph, ValueId id);

}  // namespace anecheck
