// Finds the elements in which two tensors differ.
#pragma once

#include <cstddef>

#include "harness/graph/graph.h"

namespace anecheck {

struct DifferentBits {
  size_t count = 0;
  size_t first = 0;  // the index of the first such element
};

// Returns whether both have the same type and the same number of bytes.
bool AreAlike(const Tensor& a, const Tensor& b);

// Returns the elements whose bits differ between `a` and `b`. All fp16 NaN count as equal.
// Precondition: AreAlike(a, b).
DifferentBits FindDifferentBits(const Tensor& a, const Tensor& b);

}  // namespace anecheck
