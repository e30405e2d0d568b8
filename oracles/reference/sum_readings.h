// The ways in which an engine with the documented defects of the multiply-accumulate path may add
// products.
#pragma once

#include <cstddef>

#include "oracles/reference/rounding.h"

namespace anecheck::reference {

// One way in which an engine may add the products of a sum. If no source says which of two ways is
// right (facts/numerics.md), both are admitted.
struct SumReading {
  int tile = 0;                   // lanes of a tile of D03, 0 for sums without the lattice
  int bits = 0;                   // significand bits of the lattice
  bool pad_tiles = false;         // the unused lanes of the last tile are added as zeros
  bool round_products = false;    // products are rounded to the element type
  bool flush_operands = false;    // subnormal operands are +0 (D05)
  bool flush_products = false;    // subnormal products are +0 too
  bool invalid_products = false;  // a product 0 * inf is +0 (D07)
};

// Returns the sum of products, added in the way that `reading` describes. Inside a tile both
// addends are truncated toward zero to a multiple of 2^(E - bits), where 2^E is the smallest power
// of two above the larger magnitude. Tiles add exactly (facts/numerics.md, first reduction stage).
double SumByReading(const SumReading& reading, const Grid& grid, const double* x, const double* y,
                    size_t count);

// For products of finite numbers: the sums of the positive and of the negative products, in any
// order, and the largest magnitude. `finite` is false if some operand is not finite. The other
// members are then invalid.
struct ProductSizes {
  double positive = 0;
  double negative = 0;
  double largest = 0;
  bool finite = true;
};
ProductSizes SizesOfProducts(const double* x, const double* y, size_t count);

}  // namespace anecheck::reference
