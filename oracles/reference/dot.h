// Sums of products: the exact value and the interval that the engine's multiply-accumulate path
// permits. conv, linear, matmul, pooling and reductions gather their operands and call Dot or Sum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "oracles/reference/exact_sum.h"
#include "oracles/reference/kernel.h"
#include "oracles/reference/packed_points.h"
#include "oracles/reference/store.h"

namespace anecheck::reference {

// Computes lowest_bit and max_magnitude of a tensor's values, once in each evaluation.
void MeasureOperand(BoundedTensor& tensor);

// `count` consecutive numbers with their intervals. For points, low and high equal value.
struct Lanes {
  const double* value = nullptr;
  const double* low = nullptr;
  const double* high = nullptr;
  const uint8_t* nan = nullptr;  // as BoundedTensor::nan
  bool point() const { return low == value; }
  // The lanes from `start` on.
  Lanes From(size_t start) const {
    const uint8_t* const from_nan = nan == nullptr ? nullptr : nan + start;
    if (point()) return {value + start, value + start, value + start, from_nan};
    return {value + start, low + start, high + start, from_nan};
  }
};

// A result before the final store.
struct Accumulated {
  double value = 0;  // exact or rounded to odd
  double low = 0;
  double high = 0;
  bool nan = false;    // NaN is admitted besides [low, high]
  bool exact = true;   // value is the exact sum
  uint8_t beyond = 0;  // infinities (Beyond) that are admitted besides [low, high]
  // For sums of points, the largest change of the sum by the accumulator's roundings.
  double error = 0;
  // value rounds to the same number of the grid as the exact sum. Nothing else is known about it
  // (DotOnGrid).
  bool settled = false;
  // A departure widened the ends by the largest change that it can cause.
  bool loose = false;

  bool empty() const { return low > high; }  // no finite number is admitted
};

// The positions of the sums in the result, with one step between rows and another between columns.
struct DotPlaces {
  size_t start = 0;
  size_t row_step = 0;
  size_t column_step = 0;
  size_t At(size_t row, size_t column) const {
    return start + row * row_step + column * column_step;
  }
};

enum class ProductRounding;
struct PointSums;
struct IntervalSums;
struct FixedSum;
struct FixedEnds;

// Receives the sum of products of a row and a column.
struct DotSink {
  void (*take)(void* self, size_t row, size_t column, const Accumulated& sum);
  void* self;
};

// Computes the sums of one node. Its state is shared by the node's outputs.
class Accumulator {
 public:
  // `y` is null for plain sums.
  Accumulator(KernelContext& context, BoundedTensor& x, BoundedTensor* y);

  // Returns a copy for another thread. The copy takes scratch memory from `arena`, and marks
  // `marks` as loose instead of the node's result.
  Accumulator For(Arena& arena, BoundedTensor& marks) const;
  void MarkLoose() { target_->loose = true; }

  // sum x[k] * y[k], accumulated in the engine's wide accumulator.
  Accumulated Dot(const Lanes& x, const Lanes& y, size_t count);
  // As Dot, for results that are then rounded to the grid, with or without a bias. Computes the
  // exact sum only if a plain sum does not decide the rounding.
  Accumulated DotOnGrid(const Lanes& x, const Lanes& y, size_t count);
  // Computes DotOnGrid of every row with every column. Rows and columns are consecutive vectors of
  // `count` lanes. Calls visit(row, column, sum) in any order, for wanted results only. Call
  // WithBias inside `visit`.
  template <typename Visit>
  void DotsOnGrid(const Lanes& rows, size_t row_count, const Lanes& columns, size_t column_count,
                  size_t count, const DotPlaces& places, const Visit& visit) {
    const auto take = [](void* self, size_t row, size_t column, const Accumulated& sum) {
      (**static_cast<const Visit**>(self))(row, column, sum);
    };
    const Visit* self = &visit;
    Dots(rows, row_count, columns, column_count, count, places, {take, static_cast<void*>(&self)});
  }
  // Whether StoreDots can compute these sums of `count` products, of `rows` rows and `columns`
  // columns, with this bias (may be null). It can for a large operation on finite fp16 points.
  bool Stores(size_t rows, size_t columns, size_t count, const BoundedTensor* bias) const;
  // Returns the arrays for the output of StoreDots. FinishDots makes the result from them. Result
  // element (row, column) of a call lies at start + row * columns.vectors + column.
  PointResults StartDots(KernelContext& context, BoundedTensor& result) const;
  // Does the work of DotsOnGrid, WithBias and StoreFloats. Precondition: Stores(...).
  void StoreDots(const PointVectors& rows, const PointVectors& columns, size_t count,
                 const PointBias& bias, size_t start, PointResults& results);
  static void FinishDots(const PointResults& results, BoundedTensor& result);
  // sum x[k].
  Accumulated Sum(const Lanes& x, size_t count);
  // Declares that the node's products run on the multiply-accumulate array. If the contract has a
  // law for the array, the sums then follow it. `source_order` says that the products are added in
  // the order of the lanes.
  void RunOnArray(bool source_order);
  // Whether the sums follow the array's law. It then bounds the sums, and no sum is NaN.
  bool follows_law() const { return law_ != Law::kNone; }
  bool follows_fixed_law() const { return law_ == Law::kFixed; }
  // Whether DotsOnGrid leaves out some results.
  bool leaves_out() const { return !wanted_.empty(); }
  // Whether results of Dot may admit infinities besides finite numbers (Accumulated::beyond).
  bool may_overflow() const { return may_overflow_; }
  // Adds a bias to the sum of the last Dot. The engine adds the bias in the accumulator, or rounds
  // the accumulator to the element type first.
  Accumulated WithBias(const Accumulated& sum, double value, double low, double high, bool nan);
  // As above, with element `channel` of `bias`. Returns `sum` unchanged if `bias` is null.
  Accumulated WithBias(const Accumulated& sum, const BoundedTensor* bias, size_t channel);

 private:
  struct Block;
  struct Opened;

  ProductRounding PackedRounding() const;
  size_t NarrowTerms() const;
  PointArithmetic ArithmeticOf(size_t count) const;
  void Dots(const Lanes& rows, size_t row_count, const Lanes& columns, size_t column_count,
            size_t count, const DotPlaces& places, const DotSink& sink);
  Accumulated FinishPoints(const PointSums& sums, const double* x, const double* y, size_t count);
  Accumulated FinishIntervals(const IntervalSums& sums, const double* x, const double* y,
                              size_t count);
  Accumulated PointDot(const double* x, const double* y, size_t count);
  // Computes only the error of PointDot, for departures that compute the sum themselves.
  Accumulated ErrorOfPoints(const double* x, const double* y, size_t count) const;
  Accumulated IntervalDot(const Lanes& x, const Lanes& y, size_t count);
  Accumulated SpecialDot(const Lanes& x, const Lanes& y, size_t count);
  // Returns the result of SpecialDot if some end is not finite, from plain sums of the values'
  // products and of their magnitudes. `nan` says that some operand is NaN in every engine.
  // `interval` says that some operand is not known exactly.
  Accumulated OpenDot(const Lanes& x, const Lanes& y, size_t count, double sum, double magnitude,
                      bool nan, bool interval);
  static Accumulated SpecialSum(const Lanes& x, size_t count, double sum);
  // Sets the value of a sum from a plain sum, or from an exact sum if necessary.
  void SetValue(const double* x, const double* y, size_t count, double sum, double magnitude,
                Accumulated& result);
  double ExactDot(const double* x, const double* y, size_t count);
  double ExactTotal(const double* x, size_t count);
  double Error(double magnitude, double sum, size_t count, bool on_grid) const;
  bool RoundsAlike(double sum, double error) const;
  // Uses a plain sum instead of the exact sum if both round to the same number.
  void Settle(const double* x, const double* y, size_t count, double sum, double magnitude,
              Accumulated& result);

  // The products of the last settled sum, for a bias that makes its rounding uncertain again.
  struct Settled {
    const double* x = nullptr;
    const double* y = nullptr;
    size_t count = 0;
    double error = 0;
  };

  // The law (oracles/laws.h) that the node's sums follow.
  enum class Law : uint8_t { kNone, kFixed, kFixedOrWide };
  // The bias under the law, which is the accumulator's start value.
  struct BiasRange {
    double value = 0;
    double low = 0;
    double high = 0;
    bool nan = false;
  };
  struct DecodedLanes {
    std::vector<double> value;
    std::vector<double> low;
    std::vector<double> high;
    Lanes lanes() const { return {value.data(), low.data(), high.data(), nullptr}; }
  };
  // A sum under the law, without a bias, in units of the accumulator.
  struct LawSum {
    double value = 0;  // sum of the values' products, without overflow
    double size = 0;   // sum of the magnitudes of the values' products
    double low = 0;    // ends of the sum over all operands that an engine may hold
    double high = 0;
    double positive = 0;  // sums of the positive and of the negative parts of these products
    double negative = 0;
    double reach = 0;     // the greatest magnitude of a partial sum, in source order
    bool numbers = true;  // every operand is a number
    bool points = true;   // every operand is known exactly
    Lanes x;
    Lanes y;
    size_t count = 0;
  };
  struct LawBlock;
  struct LawStore;

  // The results of the law (dot_fixed.cc). LawDot keeps the sum for a bias.
  Accumulated LawDot(const Lanes& x, const Lanes& y, size_t count);
  LawSum LawSumOf(const Lanes& x, const Lanes& y, size_t count);
  // The sum of decoded lanes, which are finite if `numbers`.
  static LawSum LawSumOfNumbers(const Lanes& x, const Lanes& y, size_t count, bool numbers);
  static LawSum KnownLawSum(const FixedSum& fixed, const Lanes& x, const Lanes& y, size_t count);
  static LawSum LawSumOfEnds(const FixedSum& values, const FixedEnds& ends, const Lanes& x,
                             const Lanes& y, size_t count);
  Accumulated LawResult(LawSum sum, const BiasRange* bias) const;
  double LawValue(const LawSum& sum, double start) const;
  // Also admits the law's values, if the accumulator may be a wide or a fixed-point accumulator.
  void AdmitLaw(const BiasRange* bias, Accumulated& sum) const;
  // Whether products are so small (in units) that whole blocks of sums are computed at once.
  bool PacksLaw(size_t count) const;
  bool MayDrop() const;
  bool StoresLaw(size_t count, const BoundedTensor* bias) const;
  void LawDots(const Lanes& rows, size_t row_count, const Lanes& columns, size_t column_count,
               size_t count, const DotSink& sink);
  // Computes the sums of a block in spans of `span` products.
  void SumLawBlock(LawBlock& block, size_t row_count, size_t span);
  // As LawDots, if some operand is not finite.
  void SpecialLawDots(const Lanes& rows, size_t row_count, const Lanes& columns,
                      size_t column_count, size_t count, const DotSink& sink);
  struct LawVectors;
  LawVectors VectorsAsNumbers(const Lanes& lanes, size_t vectors, size_t count) const;
  // The two parts of StoreDots. The second part adds the law's values to existing results, or
  // stores only these values.
  void StoreWideDots(const PointVectors& rows, const PointVectors& columns, size_t count,
                     const PointBias& bias, PointResults& results);
  void StoreLawDots(const PointVectors& rows, const PointVectors& columns, size_t count,
                    const PointBias& bias, PointResults& results);
  // Whether every NaN among the operands comes unchanged from an input, so that its payload is
  // known.
  bool KnowsBits() const;
  // Decodes exponent 31 as numbers. Returns whether every end is then finite.
  static bool DecodeLanes(const Lanes& from, size_t count, bool bits_known, DecodedLanes& to);

  // Applies departures to a sum; marks the result as loose if the sum is loose.
  void Depart(const Lanes& x, const Lanes* y, size_t count, Accumulated& sum);
  Accumulated PlainSum(const Lanes& x, size_t count);

  const Contract& contract_;
  BoundedTensor* target_;  // the node's first result
  std::span<const uint8_t> wanted_;
  Grid grid_;
  ExactSum exact_;
  bool settle_ = false;  // inside DotOnGrid
  Settled settled_;
  double unit_ = 0;  // roundoff of the accumulator
  bool product_rounding_ = false;
  bool bias_rounding_ = false;
  bool special_ = false;  // some operand is not finite
  const BoundedTensor& x_;
  const BoundedTensor* y_;
  Arena* arena_;
  bool products_on_grid_ = false;   // every product is representable, so rounding changes none
  bool products_in_range_ = false;  // no product rounds to an infinity
  bool may_overflow_ = false;
  bool packs_ = false;    // Dots may sum many outputs at once
  bool departs_ = false;  // departures add the products of points in another way
  Law law_ = Law::kNone;
  bool source_order_ = false;
  LawSum law_sum_;  // of the last Dot
  DecodedLanes decoded_x_, decoded_y_;
  double largest_product_ = 0;
  int lowest_product_bit_ = 0;  // every product is a multiple of 2^lowest_product_bit_
  double exact_limit_ = 0;      // sums with magnitudes up to this are exact in double
  double single_limit_ = 0;     // the same for the engine's accumulator
};

// Vectors with one constant stride between vectors, and another between the numbers of a vector.
struct StridedPoints {
  const double* value = nullptr;
  size_t count = 0;  // numbers in each vector
  int64_t vector_stride = 0;
  int64_t number_stride = 1;

  PointVectors Vectors(size_t vectors) const { return {vectors, Pack, this}; }

 private:
  static void Pack(const void* self, size_t first, size_t width, size_t pitch, float* out);
};

// Allocates arrays for `count` results of `accumulator`; Put stores one result.
Raw AllocateSums(KernelContext& context, const Accumulator& accumulator, size_t count);
void Put(const Raw& raw, size_t at, const Accumulated& sum);

}  // namespace anecheck::reference
