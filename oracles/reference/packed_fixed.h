// Sums of products as the fixed-point accumulator forms them (fixed_point.h), for whole blocks of
// outputs at once, in vector code of the machine that runs it (Highway). Every sum has the units
// that SumFixed and FixedProduct give.
#pragma once

#include <cstddef>

#include "oracles/reference/fixed_point.h"
#include "oracles/reference/packed_points.h"
#include "oracles/reference/packed_sums.h"

namespace anecheck::reference {

struct FixedArithmetic {
  size_t count = 0;  // products in a sum
  // So many products sum to less than 2^31 units, whatever their signs are. At least 1.
  size_t span = 1;
  bool drops = true;  // some product may be too small for the array
};

// How many products of such numbers are a span; 0: a single one may be too large.
size_t FixedSpan(double largest_x, double largest_y);

// The sums of every row with every column. Finite fp16 numbers.
void SumFixedBlock(const PointVectors& rows, const PointVectors& columns,
                   const FixedArithmetic& arithmetic, Arena& arena, const SumsSink<FixedSum>& sink);

// Sums over the products of intervals, in units: of the least ones, of the greatest ones, and of
// the parts of those that lie below and above zero. `reach` is the greatest magnitude of a partial
// sum of either end, in order.
struct FixedEnds {
  double low = 0;
  double high = 0;
  double negative = 0;
  double positive = 0;
  double reach = 0;
};

// The sums of every row with every column. Finite ends, which need not be fp16 numbers.
void SumFixedEnds(const PackedIntervals& rows, const PackedIntervals& columns, size_t count,
                  Arena& arena, const SumsSink<FixedEnds>& sink);

}  // namespace anecheck::reference
