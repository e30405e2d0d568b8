// Slices, including those whose begin is a computed value. If a begin is known only as an interval,
// the result of each place in the interval is admitted. A place out of range admits any result,
// since MIL does not define it. Used by slice_by_size, slice_by_index and slice_update.
#pragma once

#include <array>

#include "oracles/reference/movement.h"

namespace anecheck::reference {

// One axis of the sliced tensor.
struct ComputedAxis {
  int64_t extent = 1;  // extent of the sliced tensor along this axis
  int64_t stride = 1;  // elements of the sliced tensor between neighbours along this axis
  int64_t count = 1;   // elements that the slice takes
  int64_t step = 1;    // from one taken element to the next, along this axis
  int64_t first = 0;   // index of the first taken element, if `read` is false
  bool read = false;   // whether the first index is read from `places`
};

struct ComputedSlice {
  int rank = 0;
  std::array<ComputedAxis, Shape::kMaxRank> axes{};
};

// result = x[slice]; the axes of `result` are those of the slice, without some of extent 1.
// `places` may be null if no axis is read.
void CutComputed(KernelContext& context, const BoundedTensor& x, const BoundedTensor* places,
                 const ComputedSlice& slice, BoundedTensor& result);
// result = x with x[slice] replaced by `update`, which has the axes of the slice except some of
// extent 1.
void PutComputed(KernelContext& context, const BoundedTensor& x, const BoundedTensor& update,
                 const BoundedTensor* places, const ComputedSlice& slice, BoundedTensor& result);

}  // namespace anecheck::reference
