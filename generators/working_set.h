// Graphs over tensors of the sizes at which engines change their method: 64 KB and 2 MB of halves,
// kernels of 64 KB, channels and batch at their limits. They cost as much as hundreds of others.
#pragma once

#include <bitset>

#include "generators/drawer.h"

namespace anecheck {

// The operations drawn over such tensors: those that bring no constant of the same size along.
std::bitset<kOpCount> WorkingSetOps();

// The first inputs of a graph, and with some the node that joins them: a sum or maximum of two, or
// a convolution by a large kernel. False if `allowed` lacks the operations that the drawer's size
// needs; the graph is then of no use. The drawer's own operations are those of WorkingSetOps.
bool BeginWorkingSet(Drawer& drawer, const std::bitset<kOpCount>& allowed);

// Elements that a tensor of WorkingSet::kProducts may have.
inline constexpr int64_t kMostOfProducts = int64_t{1} << 17;

// Whether every tensor but the constants keeps to the longest axis, channels and batch of the
// options.
bool KeepsToLimits(const Graph& graph, const GeneratorOptions& options);

}  // namespace anecheck
