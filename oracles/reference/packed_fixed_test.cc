// Sums of the fixed-point accumulator in vector code equal sums that add one product at a time, for
// every compiled instruction set that this machine has.
#include "oracles/reference/packed_fixed.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <vector>

#include "generators/choice_stream.h"
#include "harness/base/half.h"
#include "oracles/reference/dot.h"
#include "oracles/reference/kernel.h"
#include "oracles/testing/targets.h"

namespace anecheck::reference {
namespace {

// The ranges of the numbers' exponents. The exponents decide whether products are dropped or
// rounded. A single product fits the array, since 2^12 is 2^29 units.
struct Exponents {
  int64_t least;
  int64_t greatest;
};
constexpr Exponents kExponents[] = {{-24, -10}, {-12, -5}, {-9, -7}, {-3, 3}, {-24, 5}};

double Drawn(ChoiceStream& choices, const Exponents& exponents) {
  const auto exponent = static_cast<int>(choices.Range(exponents.least, exponents.greatest));
  const double size = std::ldexp(1 + static_cast<double>(choices.Range(0, 1023)) / 1024, exponent);
  const double number = HalfToDouble(DoubleToHalf(size));  // subnormals lose their last bits
  return choices.Range(0, 1) == 0 ? number : -number;
}

// Vectors of `count` numbers with intervals around them.
struct Vectors {
  Vectors(ChoiceStream& choices, bool point, size_t number, size_t length)
      : vectors(number), count(length) {
    const Exponents& exponents = kExponents[choices.Range(0, std::ssize(kExponents) - 1)];
    for (size_t i = 0; i < number * length; ++i) {
      value.push_back(Drawn(choices, exponents));
      const double width = static_cast<double>(choices.Range(0, 3)) * std::fabs(value[i]) / 700;
      low.push_back(value[i] - width);
      high.push_back(value[i] + width);
    }
    intervals = point ? PackedIntervals{value.data(), value.data(), value.data(), number}
                      : PackedIntervals{value.data(), low.data(), high.data(), number};
  }
  double Largest() const {
    double largest = 0;
    for (const double x : value) largest = std::max(largest, std::fabs(x));
    return largest;
  }
  size_t vectors, count;
  std::vector<double> value, low, high;
  PackedIntervals intervals;
};

FixedEnds EndsOneByOne(const PackedIntervals& rows, size_t row, const PackedIntervals& columns,
                       size_t column, size_t count) {
  FixedEnds ends;
  for (size_t k = 0; k < count; ++k) {
    const size_t x = row * count + k;
    const size_t y = column * count + k;
    const double corners[] = {
        FixedProduct(rows.low[x], columns.low[y]), FixedProduct(rows.low[x], columns.high[y]),
        FixedProduct(rows.high[x], columns.low[y]), FixedProduct(rows.high[x], columns.high[y])};
    const auto [least, most] = std::ranges::minmax(corners);
    ends.low += least;
    ends.high += most;
    ends.negative += std::min(least, 0.0);
    ends.positive += std::max(most, 0.0);
    ends.reach = std::max({ends.reach, std::fabs(ends.low), std::fabs(ends.high)});
  }
  return ends;
}

// Compares both blocks of one draw with sums that add one product at a time.
struct Comparison {
  const Vectors& x;
  const Vectors& y;
  const char* target;
  size_t seen = 0;

  void Points(Arena& arena) {
    const auto step = static_cast<int64_t>(x.count);
    const StridedPoints rows = {x.value.data(), x.count, step};
    const StridedPoints columns = {y.value.data(), y.count, step};
    const FixedArithmetic arithmetic = {.count = x.count,
                                        .span = FixedSpan(x.Largest(), y.Largest())};
    ASSERT_GE(arithmetic.span, 1u);
    SumFixedBlock(rows.Vectors(x.vectors), columns.Vectors(y.vectors), arithmetic, arena,
                  {TakePoints, this});
  }
  void Ends(Arena& arena) {
    SumFixedEnds(x.intervals, y.intervals, x.count, arena, {TakeEnds, this});
  }
  static void TakePoints(void* self, size_t row, size_t column, const FixedSum& sum) {
    auto& to = *static_cast<Comparison*>(self);
    const size_t count = to.x.count;
    const FixedSum one =
        SumFixed(to.x.value.data() + row * count, to.y.value.data() + column * count, count);
    EXPECT_TRUE(sum.total == one.total && sum.size == one.size && sum.reach == one.reach)
        << to.target;
    ++to.seen;
  }
  static void TakeEnds(void* self, size_t row, size_t column, const FixedEnds& sum) {
    auto& to = *static_cast<Comparison*>(self);
    const FixedEnds one = EndsOneByOne(to.x.intervals, row, to.y.intervals, column, to.x.count);
    EXPECT_TRUE(sum.low == one.low && sum.high == one.high && sum.negative == one.negative &&
                sum.positive == one.positive && sum.reach == one.reach)
        << to.target;
    ++to.seen;
  }
};

RC_GTEST_PROP(PackedFixed, HasTheUnitsOfOneProductAfterTheOther, (uint64_t seed)) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  const auto count = static_cast<size_t>(choices.Range(1, 150));
  const auto rows = static_cast<size_t>(choices.Range(1, 9));
  const auto columns = static_cast<size_t>(choices.Range(1, 40));
  const Vectors x(choices, choices.Range(0, 2) == 0, rows, count);
  const Vectors y(choices, choices.Range(0, 2) == 0, columns, count);
  testing::ForEachTarget([&](const char* target) {
    Arena arena;
    Comparison comparison{x, y, target};
    comparison.Points(arena);
    comparison.Ends(arena);
    EXPECT_EQ(comparison.seen, 2 * rows * columns) << target;
  });
  RC_ASSERT(!::testing::Test::HasFailure());
}

// Law L3: at an exponent sum of -17, 1.98 steps become 0. At -16, half a step becomes 1.
TEST(PackedFixed, DropsProductsByTheExponentsOfTheirFactors) {
  struct Row {
    double x, y, units;
  };
  constexpr Row kRows[] = {{0x1.fdp-3, 0x1.fdp-14, 0}, {0x1p-2, 0x1p-15, 1}, {0x1p-1, 0x1p-16, 1},
                           {0x1.8p-3, 0x1p-13, 2},     {1, 0x1p-18, 0},      {1, 0x1.8p-17, 1}};
  for (const auto& [x, y, units] : kRows) {
    Arena arena;
    double taken = -1;
    SumFixedEnds({&x, &x, &x, 1}, {&y, &y, &y, 1}, 1, arena,
                 {[](void* self, size_t, size_t, const FixedEnds& ends) {
                    *static_cast<double*>(self) = ends.low;
                  },
                  &taken});
    EXPECT_EQ(taken, units) << x << " * " << y;
  }
}

}  // namespace
}  // namespace anecheck::reference
