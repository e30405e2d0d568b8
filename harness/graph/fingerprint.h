// Computes a number that identifies the structure of a graph. It serves to find duplicates and to
// detect changes after a round trip.
#pragma once

#include <cstdint>

#include "harness/graph/graph.h"

namespace anecheck {

// Returns equal numbers for graphs that differ only in names, the order of constants, unused
// constants or unused pool bytes. The numbers differ (except with probability 2^-64) if an input's
// type or order, a constant's bytes, an operation, operand, attribute, block or output differs. A
// graph has the same number with all versions and compilers and on all machines.
uint64_t GraphFingerprint(const Graph& graph);

}  // namespace anecheck
