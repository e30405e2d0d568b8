// A number that names a graph's structure, for deduplication and for detecting changes by a round
// trip.
#pragma once

#include <cstdint>

#include "harness/graph/graph.h"

namespace anecheck {

// The number is equal for graphs that differ only in names, in the order in which constants are
// listed, in unused constants and in unused pool bytes. The number is different (except with
// probability 2^-64) if an input's type or order, a constant's bytes, an operation, operand,
// attribute, block or output differs. The number is the same in all versions, compilers and
// machines.
uint64_t GraphFingerprint(const Graph& graph);

}  // namespace anecheck
