// Gathers the elements that a reduction combines into each result, group by group.
#pragma once

#include "oracles/reference/kernel.h"
#include "oracles/reference/lanes.h"
#include "oracles/reference/layout.h"

namespace anecheck::reference {

// Calls visit(result index, lanes, count) for every group of elements that differ only in the axes
// of `mask`, in order of the results.
template <typename Visit>
void ForEachGroup(KernelContext& context, const BoundedTensor& x, uint32_t mask,
                  const Visit& visit) {
  const AxisSplit split = SplitAxes(context.arena(), x.type.shape, mask);
  LaneBuffer lanes(context.arena(), split.inner.size(), x.point());
  for (size_t at = 0; at < split.outer.size(); ++at) {
    GatherOffsets(x, split.outer[at], split.inner, lanes);
    visit(at, lanes, split.inner.size());
  }
}

}  // namespace anecheck::reference
