// Graphs over tensors of the sizes at which engines change their method: 64 KB and 2 MB of halves,
// kernels of 64 KB, channels and batch at their limits. One such graph costs as much as hundreds of
// other graphs.
#pragma once

#include <bitset>

#include "generators/drawer.h"

namespace anecheck {

// The operations drawn over such tensors: those that need no constant of the same size.
std::bitset<kOpCount> WorkingSetOps();

// Draws the first inputs of a graph and, for some sizes, the node that joins them: a sum or maximum
// of two inputs, or a convolution by a large kernel. Returns false if `allowed` lacks the
// operations that the drawer's size needs; the graph is then unusable. Precondition, except for
// WorkingSet::kProducts: drawer.options().ops is a subset of WorkingSetOps().
bool BeginWorkingSet(Drawer& drawer, const std::bitset<kOpCount>& allowed);

// Elements that a tensor of WorkingSet::kProducts may have.
inline constexpr int64_t kMostOfProducts = int64_t{1} << 17;

// Whether every tensor except constants is within the options' limits of the longest axis, channels
// and batch.
bool KeepsToLimits(const Graph& graph, const GeneratorOptions& options);

}  // namespace anecheck
