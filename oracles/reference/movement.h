// Copying elements between tensors under evaluation. Used by the movement kernels.
#pragma once

#include <cmath>

#include "oracles/reference/kernel.h"
#include "oracles/reference/layout.h"

namespace anecheck::reference {

// Gives `result` its arrays. `point` holds where every operand is a point tensor.
void PrepareMove(KernelContext& context, BoundedTensor& result, bool point);

inline void MoveElement(const BoundedTensor& x, size_t from, BoundedTensor& result, size_t to) {
  result.value[to] = x.value[from];
  if (result.point()) return;
  result.low[to] = x.low[from];
  result.high[to] = x.high[from];
  result.nan[to] = x.NanAt(from) ? 1 : 0;
  if (result.members == nullptr) return;
  result.members[to] = x.members == nullptr ? Members{} : x.members[from];
}

// A number that is known exactly.
inline void PutElement(double number, BoundedTensor& result, size_t to) {
  result.value[to] = number;
  result.whole &= std::trunc(number) == number;
  if (result.point()) return;
  result.low[to] = number;
  result.high[to] = number;
  result.nan[to] = 0;
}

// Takes over what is known of one operand as a whole.
inline void FinishMove(const BoundedTensor& x, BoundedTensor& result) {
  result.special |= x.special;
  result.signed_zero &= x.signed_zero;
  result.whole &= x.whole;
}

// Lets `result` read `x`'s arrays: the same elements in another shape.
inline void Alias(const BoundedTensor& x, BoundedTensor& result) {
  result.value = x.value;
  result.low = x.low;
  result.high = x.high;
  result.nan = x.nan;
  result.special = x.special;
  result.signed_zero = x.signed_zero;
  result.whole = x.whole;
  result.members = x.members;
}

// result[index] = x[start + index . source].
void MoveByStrides(KernelContext& context, const BoundedTensor& x, BoundedTensor& result,
                   const Strides& source, int64_t start);

}  // namespace anecheck::reference
