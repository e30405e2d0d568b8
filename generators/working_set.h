// Graphs over tensors of the sizes at which engines change their method. These sizes are 64 KB and
// 2 MB of halves, kernels of 64 KB, and channels and batch at their limits. One such graph costs as
// much as hundreds of other graphs.
#pragma once

#include <bitset>

#include "generators/drawer.h"

namespace anecheck {

// The operations drawn over such tensors. None needs a constant of the tensor's size.
std::bitset<kOpCount> WorkingSetOps();

// Draws the first inputs of a graph. Sometimes also draws the first node, which is a sum or maximum
// of two inputs, a convolution with a large kernel, or a linear map. Returns false if `allowed`
// lacks the operations that the drawer's size needs; the graph is then unusable. Precondition,
// except for WorkingSet::kProducts: drawer.options().ops is a subset of WorkingSetOps().
bool BeginWorkingSet(Drawer& drawer, const std::bitset<kOpCount>& allowed);

// The maximum number of elements of a tensor in WorkingSet::kProducts.
inline constexpr int64_t kMostOfProducts = int64_t{1} << 17;

// Whether all tensors, except constants, are within the limits that the options set for the longest
// axis, channels and batch.
bool KeepsToLimits(const Graph& graph, const GeneratorOptions& options);

}  // namespace anecheck
