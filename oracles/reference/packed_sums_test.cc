// Blocks of sums in vector code have the same bits as sums of one output at a time, for every
// compiled instruction set that this machine has.
#include "oracles/reference/packed_sums.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <vector>

#include "generators/choice_stream.h"
#include "harness/base/testing/same_number.h"
#include "harness/ops/params.h"
#include "oracles/reference/dot.h"
#include "oracles/reference/lanes.h"
#include "oracles/testing/targets.h"
#include "oracles/testing/test_support.h"

namespace anecheck::reference {
namespace {

using testing::SameNumber;

// The kind of the numbers of an operand.
enum class Kind { kFixedPoint, kAnyFinite, kNearOne, kSubnormal, kHuge, kCancelling, kSpecial };
constexpr Kind kKinds[] = {Kind::kFixedPoint, Kind::kAnyFinite,  Kind::kNearOne, Kind::kSubnormal,
                           Kind::kHuge,       Kind::kCancelling, Kind::kSpecial};

double FromBits(uint64_t bits) { return HalfToDouble(Half{static_cast<uint16_t>(bits)}); }

double Number(ChoiceStream& choices, Kind kind, double before) {
  const auto sign = static_cast<uint64_t>(choices.Range(0, 1)) << 15;
  switch (kind) {
    case Kind::kFixedPoint:
      return static_cast<double>(choices.Range(-1000, 1000)) / 512;
    case Kind::kAnyFinite:
      return FromBits(sign | static_cast<uint64_t>(choices.Range(0, 0x7bff)));
    case Kind::kNearOne:
      return FromBits(sign | static_cast<uint64_t>(choices.Range(0x2c00, 0x43ff)));
    case Kind::kSubnormal:
      return FromBits(sign | static_cast<uint64_t>(choices.Range(0, 0x0fff)));
    case Kind::kHuge:
      return FromBits(sign | static_cast<uint64_t>(choices.Range(0x5800, 0x7bff)));
    case Kind::kCancelling:
      return choices.Range(0, 2) == 0 ? FromBits(sign | 0x3c01) : -before;
    case Kind::kSpecial:
      return choices.Range(0, 40) == 0
                 ? FromBits(sign | static_cast<uint64_t>(choices.Range(0x7bff, 0x7c01)))
                 : static_cast<double>(choices.Range(-8, 8)) / 4;
  }
  return 0;
}

// A matrix of vectors of `count` numbers, as evaluation holds it.
class Operand {
 public:
  Operand(ChoiceStream& choices, Kind kind, bool point, size_t vectors, size_t count)
      : value_(vectors * count), low_(vectors * count), high_(low_.size()), nan_(low_.size()) {
    double before = 1;
    for (size_t i = 0; i < value_.size(); ++i) {
      value_[i] = before = Number(choices, kind, before);
      const double width = point ? 0 : static_cast<double>(choices.Range(0, 3)) * 0x1.1p-9;
      low_[i] = value_[i] - width * (1 + std::fabs(value_[i]));
      high_[i] = value_[i] + width;
      nan_[i] = kind == Kind::kSpecial && choices.Range(0, 60) == 0 ? 1 : 0;
      tensor_.special |= !(std::fabs(low_[i]) + std::fabs(high_[i]) < kInfinity) || nan_[i] != 0;
    }
    tensor_.type = {DType::kFp16,
                    Shape{static_cast<int64_t>(vectors), static_cast<int64_t>(count)}};
    tensor_.size = value_.size();
    tensor_.value = tensor_.low = tensor_.high = value_.data();
    if (point) return;
    tensor_.low = low_.data();
    tensor_.high = high_.data();
    tensor_.nan = nan_.data();
  }
  Operand(const Operand&) = delete;
  Operand& operator=(const Operand&) = delete;

  BoundedTensor& tensor() { return tensor_; }
  Lanes lanes() const { return LanesAt(tensor_, 0); }

 private:
  std::vector<double> value_, low_, high_;
  std::vector<uint8_t> nan_;
  BoundedTensor tensor_;
};

bool Same(const Accumulated& a, const Accumulated& b) {
  return SameNumber(a.value, b.value) && SameNumber(a.low, b.low) && SameNumber(a.high, b.high) &&
         a.nan == b.nan && a.exact == b.exact && a.beyond == b.beyond &&
         SameNumber(a.error, b.error) && a.settled == b.settled;
}

std::string Describe(const Accumulated& a) {
  return fmt::format("{} in [{}, {}] nan {} exact {} beyond {} settled {}", a.value, a.low, a.high,
                     a.nan, a.exact, a.beyond, a.settled);
}

// The context of a matrix product; the tensors of its node are not read.
struct Product {
  Product() {
    const auto x = one.Input(testing::MakeTensor(DType::kFp16, {1, 1}, {1}));
    one.graph.AddOutput(one.Binary(OpKind::kMatmul, x, x));
    values.resize(one.graph.values().size());
  }
  KernelContext Context(const Contract& contract) {
    return {NodeView(one.graph, one.graph.node(0)), contract, arena, values};
  }
  testing::Case one;
  Arena arena;
  std::vector<BoundedTensor> values;
};

void CheckBlock(uint64_t seed, const Contract& contract) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  const auto rows = static_cast<size_t>(choices.Range(1, 11));
  const auto columns = static_cast<size_t>(choices.Range(1, 37));
  const auto count = 4096 / (rows * columns) + static_cast<size_t>(choices.Range(1, 9));
  const auto kind = [&] { return kKinds[choices.Range(0, std::ssize(kKinds) - 1)]; };
  const bool intervals = !contract.ideal && choices.Range(0, 1) == 1;
  const bool row_points = !intervals || choices.Range(0, 2) == 0;
  const bool column_points = !intervals || choices.Range(0, 2) == 0;
  const Kind row_kind = kind();
  const Kind column_kind = choices.Range(0, 1) == 0 ? row_kind : kind();
  Operand x(choices, row_kind, row_points, rows, count);
  Operand y(choices, column_kind, column_points, columns, count);
  const double bias = Number(choices, Kind::kNearOne, 1);

  Product product;
  KernelContext context = product.Context(contract);
  Accumulator one(context, x.tensor(), &y.tensor());
  std::vector<Accumulated> sums(rows * columns);
  std::vector<Accumulated> biased(sums.size());
  for (size_t i = 0; i < sums.size(); ++i) {
    sums[i] = one.DotOnGrid(x.lanes().From(i / columns * count),
                            y.lanes().From(i % columns * count), count);
    biased[i] = one.WithBias(sums[i], bias, bias, bias, false);
  }
  Accumulator block(context, x.tensor(), &y.tensor());
  testing::ForEachTarget([&](const char* target) {
    size_t seen = 0;
    block.DotsOnGrid(x.lanes(), rows, y.lanes(), columns, count, {0, columns, 1},
                     [&](size_t row, size_t column, const Accumulated& sum) {
                       const size_t i = row * columns + column;
                       const Accumulated with_bias = block.WithBias(sum, bias, bias, bias, false);
                       ++seen;
                       EXPECT_TRUE(Same(sum, sums[i]) && Same(with_bias, biased[i]))
                           << target << " seed " << seed << " output " << i << ": " << Describe(sum)
                           << ", alone " << Describe(sums[i]);
                     });
    EXPECT_EQ(seen, sums.size()) << target;
  });
}

RC_GTEST_PROP(PackedSums, EqualThoseOfOneOutputAtATime, (uint64_t seed)) {
  CheckBlock(seed, ConformingContract(2));
  CheckBlock(seed, ConformingContract(5));
  CheckBlock(seed, IeeeContract());
  RC_ASSERT(!::testing::Test::HasFailure());
}

// ---- results of points --------------------------------------------------------------------------

struct Stored {
  std::vector<double> value, low, high;
  bool point = true;
  bool special = false;
};

Stored StoreBlock(Accumulator& accumulator, const Operand& x, size_t rows, const Operand& y,
                  size_t columns, size_t count, const PointBias& bias) {
  const size_t size = rows * columns;
  Stored stored{std::vector<double>(size), std::vector<double>(size), std::vector<double>(size)};
  PointResults results{
      .value = stored.value.data(), .low = stored.low.data(), .high = stored.high.data()};
  const auto step = static_cast<int64_t>(count);
  const StridedPoints x_points = {x.lanes().value, count, step};
  // The same numbers, transposed, so that a column's numbers are not contiguous.
  std::vector<double> turned(columns * count);
  for (size_t i = 0; i < turned.size(); ++i) {
    turned[i % count * columns + i / count] = y.lanes().value[i];
  }
  const StridedPoints y_points = {turned.data(), count, 1, static_cast<int64_t>(columns)};
  accumulator.StoreDots(x_points.Vectors(rows), y_points.Vectors(columns), count, bias, 0, results);
  stored.point = results.point;
  stored.special = results.special;
  return stored;
}

// The stored ends of an interval that is widened by `by` on each side and has a bias added.
struct Ends {
  double low = 0;
  double high = 0;
};
Ends StoredEndsOf(Accumulator& accumulator, Accumulated sum, double by, const double* bias) {
  sum.low -= by;
  sum.high += by;
  if (bias != nullptr) sum = accumulator.WithBias(sum, *bias, *bias, *bias, false);
  const auto store = [](double x) { return RoundToHalf(x); };
  return {OuterLow(store, sum.low, true), OuterHigh(store, sum.high, true)};
}

// The magnitudes of two vectors' products: exact, and as StorePoints (packed_points.h) counts them.
struct Magnitudes {
  double exact = 0;
  double counted = 0;
};
Magnitudes MagnitudesOf(const Lanes& x, const Lanes& y, size_t count) {
  constexpr size_t kChunk = 256;
  Magnitudes magnitudes;
  for (size_t begin = 0; begin < count; begin += kChunk) {
    const size_t end = std::min(count, begin + kChunk);
    const auto largest = [&](const double* numbers) {
      double most = 0;
      for (size_t k = begin; k < end; ++k) most = std::max(most, std::fabs(numbers[k]));
      return most;
    };
    const double more_x = largest(x.value) * 0x1p-10;
    const double more_y = largest(y.value) * 0x1p-10;
    for (size_t k = begin; k < end; ++k) {
      const double a = std::fabs(x.value[k]);
      const double b = std::fabs(y.value[k]);
      magnitudes.exact += a * b;
      if (a * b != 0) magnitudes.counted += (a + more_x) * (b + more_y);
    }
  }
  return magnitudes;
}

struct BlockSize {
  size_t rows;
  size_t columns;
  size_t count;
};

// Compares every `step`th result. Returns whether the block was stored.
bool CheckStored(ChoiceStream& choices, const BlockSize& size, size_t step) {
  const auto [rows, columns, count] = size;
  // Operands whose products round to finite numbers.
  constexpr Kind kRowKinds[] = {Kind::kFixedPoint, Kind::kNearOne, Kind::kCancelling,
                                Kind::kAnyFinite};
  constexpr Kind kColumnKinds[] = {Kind::kFixedPoint, Kind::kNearOne, Kind::kCancelling,
                                   Kind::kSubnormal};
  const int64_t kind = choices.Range(0, std::ssize(kRowKinds) - 1);
  Operand x(choices, kRowKinds[kind], true, rows, count);
  Operand y(choices, kColumnKinds[kind], true, columns, count);
  Operand biases(choices, Kind::kNearOne, true, 1, std::max(rows, columns));
  const int64_t biased = choices.Range(0, 2);
  const double* const numbers = biases.lanes().value;
  const PointBias bias = {biased == 1 ? numbers : nullptr, biased == 2 ? numbers : nullptr};

  Product product;
  KernelContext context = product.Context(ConformingContract(2));
  Accumulator one(context, x.tensor(), &y.tensor());
  if (!one.Stores(rows, columns, count, nullptr)) return false;
  Stored first;
  testing::ForEachTarget([&](const char* target) {
    Accumulator block(context, x.tensor(), &y.tensor());
    const Stored stored = StoreBlock(block, x, rows, y, columns, count, bias);
    if (first.value.empty()) first = stored;
    EXPECT_TRUE(stored.value == first.value && stored.low == first.low &&
                stored.high == first.high && stored.point == first.point &&
                stored.special == first.special)
        << target;
  });
  const auto terms = static_cast<double>(count);
  const double unit = ConformingContract(2)[Term::kAccumulatorUnit];
  const double single_limit = std::ldexp(0.5 / unit, x.tensor().lowest_bit + y.tensor().lowest_bit);
  for (size_t i = 0; i < first.value.size(); i += step) {
    const Lanes row = x.lanes().From(i / columns * count);
    const Lanes column = y.lanes().From(i % columns * count);
    const double* const added = biased == 1   ? numbers + i / columns
                                : biased == 2 ? numbers + i % columns
                                              : nullptr;
    const Accumulated sum = one.DotOnGrid(row, column, count);
    const Magnitudes magnitudes = MagnitudesOf(row, column, count);
    // The bounds that packed_points.h describes, and the error of sums in double.
    const double rounding = 20.4 * 0x1p-24 * magnitudes.counted;
    const double error = magnitudes.counted <= single_limit
                             ? 0
                             : terms * unit *
                                   PartialSumPower(magnitudes.counted * (1 + 0x1p-16),
                                                   std::fabs(sum.value) + rounding, terms * unit);
    const double wider = rounding + std::max(0.0, error - sum.error) + terms * 6 * 0x1p-26;
    const Ends outer = StoredEndsOf(one, sum, wider, added);
    const Ends inner = StoredEndsOf(one, sum, -terms * 0x1p-51 * magnitudes.exact, added);
    const Accumulated total =
        added == nullptr ? sum : one.WithBias(sum, *added, *added, *added, false);
    EXPECT_TRUE(SameNumber(first.value[i], RoundToHalf(total.value)) && outer.low <= first.low[i] &&
                first.low[i] <= inner.low && inner.high <= first.high[i] &&
                first.high[i] <= outer.high)
        << "output " << i << ": " << first.value[i] << " in [" << first.low[i] << ", "
        << first.high[i] << "], alone " << Describe(total) << ", ends in [" << outer.low << ", "
        << inner.low << "] and [" << inner.high << ", " << outer.high << "]";
  }
  return true;
}

TEST(StoredPoints, EqualThoseOfOneOutputAtATime) {
  int stored = 0;
  for (uint64_t seed = 0; seed < 120 && !HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    const auto rows = static_cast<size_t>(choices.Range(1, 15));
    const auto columns = static_cast<size_t>(choices.Range(6, 70));
    const auto count = 4096 / (rows * columns) + static_cast<size_t>(choices.Range(1, 300));
    stored += CheckStored(choices, {rows, columns, count}, 1) ? 1 : 0;
  }
  EXPECT_GT(stored, 30);
}

// More rows, columns and products than one block in the caches.
TEST(StoredPoints, OfManyBlocksEqualThoseOfOneOutputAtATime) {
  constexpr BlockSize kSizes[] = {{140, 33, 700}, {7, 600, 1030}, {103, 290, 1900}};
  int stored = 0;
  for (uint64_t seed = 0; seed < 6 && !HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    stored += CheckStored(choices, kSizes[seed % 3], 331) ? 1 : 0;
  }
  EXPECT_GT(stored, 2);
}

// 1 + 2^-11 lies halfway between two numbers. A product of 2^-48 decides the rounding, but a sum in
// double that also contains 60000 loses it.
TEST(StoredPoints, RoundSumsThatDoubleLeavesOpen) {
  constexpr size_t kSide = 8;
  constexpr size_t kCount = 64;
  std::vector<double> x = {60000, -60000, 1, 0x1p-11, 0x1p-24};
  std::vector<double> y = {1, 1, 1, 1, 0x1p-24};
  while (x.size() < kCount - 1) {
    x.insert(x.end(), {1, -1});
    y.insert(y.end(), {1, 1});
  }
  x.push_back(0);
  y.push_back(1);
  testing::Case one;
  std::vector<double> rows;
  std::vector<double> columns;
  for (size_t i = 0; i < kSide; ++i) {
    rows.insert(rows.end(), x.begin(), x.end());
    columns.insert(columns.end(), y.begin(), y.end());
  }
  const ValueId left = one.Input(testing::MakeTensor(DType::kFp16, {kSide, kCount}, rows));
  const ValueId right = one.Input(testing::MakeTensor(DType::kFp16, {kSide, kCount}, columns));
  using P = params::Matmul;
  one.Begin(OpKind::kMatmul).Arg(P::kX, left).Arg(P::kY, right).Bool(P::kTransposeY, true);
  one.graph.AddOutput(one.Finish());
  const auto estimates = Evaluate(one.graph, one.inputs, ConformingContract(2));
  ASSERT_TRUE(estimates.ok());
  for (const double value : estimates.value()[0].value) EXPECT_EQ(value, 1 + 0x1p-10);
}

}  // namespace
}  // namespace anecheck::reference
