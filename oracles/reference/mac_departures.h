// The documented defects of the multiply-accumulate path, as changes to one accumulated sum. Only
// evaluations with departures switched on come here.
#pragma once

#include <cstddef>

#include "oracles/reference/dot.h"

namespace anecheck::reference {

// One way in which an engine may add the products of a sum. Where no source says which of two holds
// (facts/numerics.md), every reading is admitted.
struct SumReading {
  int tile = 0;                   // lanes of a tile of D03, 0 for sums without the lattice
  int bits = 0;                   // significand bits of the lattice
  bool pad_tiles = false;         // the unused lanes of the last tile are added as zeros
  bool round_products = false;    // products are rounded to the element type
  bool flush_operands = false;    // subnormal operands are +0 (D05)
  bool flush_products = false;    // and subnormal products
  bool invalid_products = false;  // 0 * inf is +0 where it arises (D07)
};

// The sum of products by that reading. Inside a tile both addends are truncated toward zero to a
// multiple of 2^(E - bits), where 2^E is the smallest power of two above the larger magnitude;
// tiles add exactly (facts/numerics.md, first reduction stage).
double SumByReading(const SumReading& reading, const Grid& grid, const double* x, const double* y,
                    size_t count);

// Applies the active departures of the multiply-accumulate path. The lattice, the flush and the
// invalid products act together on each product, the port on what they leave.
void DepartFromDot(const Contract& contract, const Grid& grid, const Lanes& x, const Lanes& y,
                   size_t count, Accumulated& sum);
// The same for sums without products, which have the full range of the element type
// (facts/numerics.md, paths with full range) and otherwise give the bytes of a product with ones.
void DepartFromSum(const Contract& contract, const Grid& grid, const Lanes& x, size_t count,
                   Accumulated& sum);

}  // namespace anecheck::reference
