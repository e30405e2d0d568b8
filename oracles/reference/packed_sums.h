// Sums of products for whole blocks of outputs at once, in vector code for the machine that runs it
// (Highway). Dot (dot.h) uses it for large operations that packed_points.h does not support:
// intervals, and points that are not all finite. Every sum has the same bits as a sum by plain
// loops over one output.
#pragma once

#include <cstddef>

namespace anecheck::reference {

// The rounding of an operation's products for the sum of rounded products.
enum class ProductRounding {
  kNone,  // no such sum is wanted
  kHalf,  // to fp16; every product must be below 65520
};

// Plain sums over the products of points.
struct PointSums {
  double sum = 0;
  double magnitude = 0;
  double rounded = 0;  // sum of the products rounded to fp16; `sum` if products are not rounded
};

// Plain sums over the products of intervals: of the products' ends, of the ends rounded to fp16, of
// the larger magnitudes of both ends, of the values' products, and of the magnitudes of the values'
// products.
struct IntervalSums {
  double low = 0;
  double high = 0;
  double rounded_low = 0;
  double rounded_high = 0;
  double magnitude = 0;
  double value = 0;
  double value_magnitude = 0;
};

// The sums over intervals to compute.
enum class IntervalWork {
  kValues,       // value and value_magnitude
  kEnds,         // kValues, and low, high and magnitude
  kRoundedEnds,  // kEnds, and rounded_low and rounded_high; rounding may give infinities
};

// Receives the sums of output (row, column).
template <typename Sums>
struct SumsSink {
  void (*take)(void* self, size_t row, size_t column, const Sums& sums);
  void* self;
};

// `vectors` consecutive vectors of `count` numbers each.
struct PackedPoints {
  const double* value = nullptr;
  size_t vectors = 0;
};
struct PackedIntervals {
  const double* value = nullptr;
  const double* low = nullptr;
  const double* high = nullptr;
  size_t vectors = 0;
};

// Computes the sums of the products of every row with every column. All factors must be finite fp16
// numbers. Products are added in four interleaved lanes, and the remaining products belong to the
// first lane. The lanes are added as (l0 + l1) + (l2 + l3).
void SumPoints(const PackedPoints& rows, const PackedPoints& columns, size_t count,
               ProductRounding rounding, const SumsSink<PointSums>& sink);

// Computes the same sums for intervals, but adds products in order from first to last. The values
// must be fp16 numbers. Sums that `work` does not include are 0. If an end is infinite or NaN, the
// sums of ends are invalid.
void SumIntervals(const PackedIntervals& rows, const PackedIntervals& columns, size_t count,
                  IntervalWork work, const SumsSink<IntervalSums>& sink);

}  // namespace anecheck::reference
