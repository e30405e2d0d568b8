// Sums of products for whole blocks of outputs at once, in vector code of the machine that runs it
// (Highway). Dot (dot.h) uses it where an operation is large enough and packed_points.h does not
// serve: intervals, and points some of which are not finite. Every sum has the bits that the plain
// loops over one output give.
#pragma once

#include <cstddef>

namespace anecheck::reference {

// How the products of one operation are rounded for the sum of rounded products.
enum class ProductRounding {
  kNone,  // no such sum is wanted
  kHalf,  // to fp16, every product below 65520
};

// Plain sums over the products of points.
struct PointSums {
  double sum = 0;
  double magnitude = 0;
  double rounded = 0;  // of the products rounded to fp16; `sum` without product rounding
};

// Plain sums over the products of intervals: of their ends, of the ends rounded to fp16, of the
// larger magnitudes of both ends, of the values' products and of the magnitudes of those.
struct IntervalSums {
  double low = 0;
  double high = 0;
  double rounded_low = 0;
  double rounded_high = 0;
  double magnitude = 0;
  double value = 0;
  double value_magnitude = 0;
};

// The sums over intervals that are wanted.
enum class IntervalWork {
  kValues,       // value and value_magnitude
  kEnds,         // and low, high and magnitude
  kRoundedEnds,  // and rounded_low and rounded_high; rounding may give infinities
};

// Takes the sums of output (row, column).
template <typename Sums>
struct SumsSink {
  void (*take)(void* self, size_t row, size_t column, const Sums& sums);
  void* self;
};

// `count` numbers each, one vector after the other, of `vectors` vectors.
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

// The sums of every row with every column. The products are added in the order of four interleaved
// lanes, (l0 + l1) + (l2 + l3), the rest of `count` in the first. Finite fp16 numbers.
void SumPoints(const PackedPoints& rows, const PackedPoints& columns, size_t count,
               ProductRounding rounding, const SumsSink<PointSums>& sink);

// The same for intervals with finite ends whose values are fp16 numbers, in order from first to
// last. Sums that are not wanted are 0; those of ends that are not finite mean nothing.
void SumIntervals(const PackedIntervals& rows, const PackedIntervals& columns, size_t count,
                  IntervalWork work, const SumsSink<IntervalSums>& sink);

}  // namespace anecheck::reference
