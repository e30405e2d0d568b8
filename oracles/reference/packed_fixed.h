// Sums of products of the fixed-point accumulator (fixed_point.h), for whole blocks of outputs at
// once, in vector code for the machine that runs it (Highway). Every sum equals the result of
// SumFixed or FixedProduct.
#pragma once

#include <cstddef>

#include "oracles/reference/fixed_point.h"
#include "oracles/reference/packed_points.h"
#include "oracles/reference/packed_sums.h"

namespace anecheck::reference {

struct FixedArithmetic {
  size_t count = 0;  // products in a sum
  // The sum of any `span` products has a magnitude below 2^31 units, whatever their signs. `span`
  // must be at least 1.
  size_t span = 1;
  bool drops = true;  // some product may be too small for the array
};

// Returns FixedArithmetic::span for numbers up to these magnitudes, or 0 if a single product may be
// too large.
size_t FixedSpan(double largest_x, double largest_y);

// Computes the sums of every row with every column. Precondition: all numbers of the rows and
// columns are finite fp16 numbers.
void SumFixedBlock(const PointVectors& rows, const PointVectors& columns,
                   const FixedArithmetic& arithmetic, Arena& arena, const SumsSink<FixedSum>& sink);

// Sums over the products of intervals, in units: of the least products, of the greatest products,
// and of the parts of these products below and above zero. `reach` is the greatest magnitude of a
// partial sum of either end, in order.
struct FixedEnds {
  double low = 0;
  double high = 0;
  double negative = 0;
  double positive = 0;
  double reach = 0;
};

// Computes the sums of every row with every column. Precondition: all ends of the intervals in the
// rows and columns are finite. They need not be fp16 numbers.
void SumFixedEnds(const PackedIntervals& rows, const PackedIntervals& columns, size_t count,
                  Arena& arena, const SumsSink<FixedEnds>& sink);

}  // namespace anecheck::reference
