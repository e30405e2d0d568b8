// The loops of the multiply-accumulate array over finite operands. They use vector code for the
// machine that runs them.
#pragma once

#include "harness/device/multiply_accumulate.h"

namespace anecheck::device {

// Computes result[r][c] = the sum over k of left[r][k] * right[k][c] in the fp32 accumulator, in
// tiles of four products. With `lattice` the products of a tile are added on the 12-bit grid of
// D03. With `port` an accumulator of kPortLimit or more becomes an infinity.
void AddTiles(bool lattice, bool port, const float* left, const float* right, MacShape shape,
              float* result);

}  // namespace anecheck::device
