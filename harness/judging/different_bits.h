// Elements in which two answers differ.
#pragma once

#include <cstddef>

#include "harness/graph/graph.h"

namespace anecheck {

struct DifferentBits {
  size_t count = 0;
  size_t first = 0;  // the first of them
};

// Whether both have one type and as many bytes.
bool AreAlike(const Tensor& a, const Tensor& b);

// The elements of `a` and `b` with other bits. All NaN of fp16 are one value. Precondition:
// AreAlike(a, b).
DifferentBits FindDifferentBits(const Tensor& a, const Tensor& b);

}  // namespace anecheck
