// A number that names a graph's structure, for deduplication and for detecting changes by a round
// trip.
#pragma once

#include <cstdint>

#include "harness/graph/graph.h"

namespace anecheck {

// Equal for graphs that differ only in names, in the order in which constants are listed, in unused
// constants and in unused pool bytes. Different (except with probability 2^-64) if an input's type
// or order, a constant's bytes, an operation, operand, attribute, block or output differs. Stable
// across versions, compilers and machines.
uint64_t GraphFingerprint(const Graph& graph);

}  // namespace anecheck
