// Slices, including those whose begin is a computed value. A begin that is known as an interval
// admits the result of each of its places; a place out of range admits anything, since MIL does not
// define it. Used by slice_by_size, slice_by_index and slice_update.
#pragma once

#include <array>

#include "oracles/reference/movement.h"

namespace anecheck::reference {

// One axis of the sliced tensor.
struct ComputedAxis {
  int64_t extent = 1;  // of the sliced tensor
  int64_t stride = 1;  // between its elements along this axis
  int64_t count = 1;   // elements that the slice takes
  int64_t step = 1;    // from each to the next
  int64_t first = 0;   // the first of them, if it is not read
  bool read = false;   // the first one is element `axis` of the places
};

struct ComputedSlice {
  int rank = 0;
  std::array<ComputedAxis, Shape::kMaxRank> axes{};
};

// result = x[slice]; the axes of `result` are those of the slice, without some of extent 1.
// `places` may be null if no axis is read.
void CutComputed(KernelContext& context, const BoundedTensor& x, const BoundedTensor* places,
                 const ComputedSlice& slice, BoundedTensor& result);
// result = x with x[slice] replaced by `update`, which has the slice's axes as above.
void PutComputed(KernelContext& context, const BoundedTensor& x, const BoundedTensor& update,
                 const BoundedTensor* places, const ComputedSlice& slice, BoundedTensor& result);

}  // namespace anecheck::reference
