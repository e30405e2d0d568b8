// Known defects in outputs too large to evaluate completely under every set of defects. A named
// defect must still explain every element outside.
#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <tuple>
#include <vector>

#include "harness/base/testing/same_number.h"
#include "harness/ops/params.h"
#include "oracles/judge.h"
#include "oracles/testing/test_support.h"

namespace anecheck {
namespace {

using testing::Case;
using testing::MakeTensor;
using testing::SameNumber;
constexpr int kA13 = 2;
constexpr int64_t kRows = 160;
constexpr int64_t kColumns = 128;
constexpr int64_t kInner = 12;
constexpr int64_t kFlushedRow = 77;

// Numbers of the fp16 grid with several magnitudes, so that small and large ones meet in a tile.
std::vector<double> Mixed(int64_t count, uint32_t seed) {
  std::vector<double> numbers(static_cast<size_t>(count));
  uint32_t state = seed;
  for (double& number : numbers) {
    state = state * 1664525 + 1013904223;
    const int significand = static_cast<int>(state >> 20 & 0x7ff) - 1024;
    number = std::ldexp(significand, -10 + static_cast<int>(state >> 8 & 1) * 4);
  }
  return numbers;
}

class LargeDefects : public ::testing::Test {
 protected:
  LargeDefects() {
    std::vector<double> rows = Mixed(kRows * kInner, 1);
    // One row has subnormal numbers among others.
    for (int64_t k = 1; k < kInner; ++k) {
      double& number = rows[static_cast<size_t>(kFlushedRow * kInner + k)];
      number = std::ldexp(std::trunc(number * 16), k < 6 ? -20 : -14);
    }
    const ValueId x = c_.Input(MakeTensor(DType::kFp16, {kRows, kInner}, rows));
    const ValueId y =
        c_.Const(MakeTensor(DType::kFp16, {kInner, kColumns}, Mixed(kInner * kColumns, 2)));
    product_ = c_.Binary(OpKind::kMatmul, x, y);
    expected_ = c_.Run(product_);
  }

  // The outputs of an engine with these defects.
  std::vector<double> Departed(std::span<const std::string_view> ids) {
    return c_.Run(product_, WithDepartures(kA13, ids).value()).value;
  }
  size_t CountOutside(std::span<const double> actual) const {
    size_t count = 0;
    for (size_t i = 0; i < actual.size(); ++i) count += Admits(expected_, i, actual[i]) ? 0 : 1;
    return count;
  }
  OutputJudgement JudgeOf(std::span<const double> actual) {
    return Judge(c_.graph, c_.inputs, 0, expected_,
                 MakeTensor(DType::kFp16, {kRows, kColumns}, actual), kA13);
  }
  // The `k`th of the elements outside, or of those inside.
  size_t Nth(std::span<const double> actual, bool outside, size_t k) const {
    for (size_t i = 0;; ++i) {
      if (Admits(expected_, i, actual[i]) != outside && k-- == 0) return i;
    }
  }

  Case c_;
  ValueId product_ = kNoValue;
  Estimate expected_;
};

TEST_F(LargeDefects, ADefectIsNamedThatExplainsEveryElement) {
  const std::string_view lattice[] = {"D03"};
  const std::vector<double> actual = Departed(lattice);
  ASSERT_EQ(c_.error, "");
  ASSERT_GT(CountOutside(actual), 1000U);
  const OutputJudgement judgement = JudgeOf(actual);
  EXPECT_EQ(judgement.defects.ToText(), "D03") << judgement.reason;
  EXPECT_FALSE(judgement.vague);
}

TEST_F(LargeDefects, OneElementThatNoDefectExplainsIsWrong) {
  const std::string_view lattice[] = {"D03"};
  const std::vector<double> departed = Departed(lattice);
  const size_t count = CountOutside(departed);
  for (const size_t k : {size_t{0}, size_t{7}, count / 2 + 1, count - 1}) {
    for (const bool outside : {true, false}) {
      std::vector<double> actual = departed;
      const size_t at = Nth(departed, outside, k);
      actual[at] = 30000;
      EXPECT_EQ(JudgeOf(actual).verdict, Verdict::kWrong) << at;
    }
  }
}

// Only a few elements need another defect, so the search does not see them at first.
TEST_F(LargeDefects, AFewElementsNeedAnotherDefectAsWell) {
  const std::string_view lattice[] = {"D03"};
  const std::string_view both[] = {"D03", "D05"};
  std::vector<double> actual = Departed(lattice);
  const std::vector<double> flushed = Departed(both);
  size_t others = 0;
  for (size_t i = 0; i < actual.size() && others < 3; ++i) {
    if (actual[i] == flushed[i] || Admits(expected_, i, flushed[i])) continue;
    actual[i] = flushed[i];
    ++others;
  }
  ASSERT_EQ(others, 3U);
  EXPECT_EQ(JudgeOf(actual).defects.ToText(), "D03,D05");
}

// ---- elements that are not read -----------------------------------------------------------------

struct Layer {
  std::string name;
  ValueId (*add)(Case& c);
};

ValueId AddLinear(Case& c) {
  using P = params::Linear;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {2, 3, 8}, Mixed(48, 3)));
  c.Begin(OpKind::kLinear).Arg(P::kX, x);
  c.Arg(P::kWeight, c.Const(MakeTensor(DType::kFp16, {5, 8}, Mixed(40, 4))));
  return c.Arg(P::kBias, c.Const(MakeTensor(DType::kFp16, {5}, Mixed(5, 5)))).Finish();
}
ValueId AddMatmul(Case& c) {
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {3, 4, 8}, Mixed(96, 6)));
  return c.Binary(OpKind::kMatmul, x, c.Const(MakeTensor(DType::kFp16, {3, 8, 6}, Mixed(144, 7))));
}
ValueId AddConv(Case& c) {
  using P = params::Conv;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {2, 4, 5, 6}, Mixed(240, 8)));
  c.Begin(OpKind::kConv).Arg(P::kX, x);
  c.Arg(P::kWeight, c.Const(MakeTensor(DType::kFp16, {6, 2, 3, 3}, Mixed(108, 9))));
  return c.String(P::kPadType, "same").Int(P::kGroups, 2).Finish();
}

class WantedElements : public ::testing::TestWithParam<Layer> {};

TEST_P(WantedElements, EqualThoseOfTheWholeResult) {
  Case c;
  const ValueId output = GetParam().add(c);
  ASSERT_EQ(c.error, "");
  for (const bool departs : {false, true}) {
    const std::string_view ids[] = {"D03", "D05"};
    const Contract contract =
        departs ? WithDepartures(kA13, ids).value() : ConformingContract(kA13);
    const Estimate whole = c.Run(output, contract);
    std::vector<uint8_t> wanted(whole.value.size(), 0);
    for (size_t i = 1; i < wanted.size(); i += 3) wanted[i] = 1;
    Evaluation evaluation;
    ASSERT_TRUE(evaluation.RunTo(c.graph, c.inputs, contract, output, wanted).ok());
    Estimate some;
    evaluation.Stored(output, some);
    size_t left_out = 0;
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i] == 0) {
        left_out += some.value[i] == whole.value[i] ? 0 : 1;
        continue;
      }
      EXPECT_EQ(some.value[i], whole.value[i]) << i;
      EXPECT_EQ(some.low[i], whole.low[i]) << i;
      EXPECT_EQ(some.high[i], whole.high[i]) << i;
    }
    EXPECT_GT(left_out, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Sums, WantedElements,
                         ::testing::Values(Layer{"linear", AddLinear}, Layer{"matmul", AddMatmul},
                                           Layer{"conv", AddConv}),
                         [](const auto& test) { return test.param.name; });

// ---- operands that are not finite on a fixed-point array ----------------------------------------

constexpr int kA16 = 5;
constexpr int64_t kSide = 40;
constexpr int64_t kShared = 24;

// A few rows with infinities and NaN, which the array reads as numbers.
ValueId AddKnownSpecials(Case& c) {
  std::vector<double> numbers = Mixed(kSide * kShared, 10);
  numbers[3] = INFINITY;
  numbers[7 * kShared + 1] = -INFINITY;
  numbers[7 * kShared + 2] = INFINITY;
  numbers[20 * kShared + 5] = NAN;
  return c.Input(MakeTensor(DType::kFp16, {kSide, kShared}, numbers));
}
// Sums of more than one pass; some rows may or may not overflow.
ValueId AddOpenSpecials(Case& c) {
  constexpr int64_t kLong = 130;
  std::vector<double> numbers = Mixed(kSide * kLong, 11);
  for (int64_t row = 0; row < kSide; row += 5) {
    for (int64_t k = 0; k < kLong; ++k) {
      numbers[static_cast<size_t>(row * kLong + k)] = k % 2 == 0 ? 700 : -690;
    }
  }
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {kSide, kLong}, numbers));
  std::vector<double> ones(static_cast<size_t>(kLong * kShared), 1.0);
  return c.Binary(OpKind::kMatmul, x, c.Const(MakeTensor(DType::kFp16, {kLong, kShared}, ones)));
}

class SpecialRows : public ::testing::TestWithParam<std::tuple<Layer, double>> {};

// Compares sums computed as a block with sums computed one at a time, as in an output with elements
// that are not read. Returns the number of elements that are not known exactly.
size_t ExpectSingleSums(Case& c, ValueId output, int family) {
  const Contract contract = ConformingContract(family);
  const Estimate whole = c.Run(output, contract);
  std::vector<uint8_t> wanted(whole.value.size(), 1);
  wanted[0] = 0;
  Evaluation evaluation;
  EXPECT_TRUE(evaluation.RunTo(c.graph, c.inputs, contract, output, wanted).ok());
  Estimate single;
  evaluation.Stored(output, single);
  size_t open = 0;
  for (size_t i = 1; i < wanted.size(); ++i) {
    EXPECT_TRUE(SameNumber(single.value[i], whole.value[i])) << i;
    EXPECT_TRUE(SameNumber(single.low[i], whole.low[i])) << i;
    EXPECT_TRUE(SameNumber(single.high[i], whole.high[i])) << i;
    EXPECT_EQ(single.flags.empty() ? 0 : single.flags[i], whole.flags.empty() ? 0 : whole.flags[i]);
    open += SameNumber(whole.low[i], whole.high[i]) ? 0 : 1;
  }
  EXPECT_LT(open, whole.value.size()) << "some elements must be known exactly";
  return open;
}

TEST_P(SpecialRows, HaveTheSumsOfSingleElements) {
  Case c;
  const ValueId x = std::get<0>(GetParam()).add(c);
  std::vector<double> numbers = Mixed(kShared * kSide, 12);
  for (double& number : numbers) number *= std::get<1>(GetParam());
  const ValueId output =
      c.Binary(OpKind::kMatmul, x, c.Const(MakeTensor(DType::kFp16, {kShared, kSide}, numbers)));
  ASSERT_EQ(c.error, "");
  ExpectSingleSums(c, output, kA16);
}

INSTANTIATE_TEST_SUITE_P(Sums, SpecialRows,
                         ::testing::Combine(::testing::Values(Layer{"known", AddKnownSpecials},
                                                              Layer{"open", AddOpenSpecials}),
                                            ::testing::Values(1.0, 0x1p-12)),
                         [](const auto& test) {
                           return std::get<0>(test.param).name +
                                  (std::get<1>(test.param) < 1 ? "_small" : "_large");
                         });

// Quotients by zero beside quotients with very wide bounds, under a window with padding.
TEST(SpecialWindows, HaveTheSumsOfSingleElements) {
  using P = params::Conv;
  for (const int family : {kA13, kA16}) {
    Case c;
    std::vector<double> numbers = Mixed(4 * 9 * 10, 13);
    std::vector<double> divisors(numbers.size(), 1.0);
    numbers[17] = INFINITY;
    numbers[95] = NAN;
    for (size_t i = 180; i < 200; ++i) divisors[i] = 0;
    const ValueId x =
        c.Binary(OpKind::kRealDiv, c.Input(MakeTensor(DType::kFp16, {1, 4, 9, 10}, numbers)),
                 c.Input(MakeTensor(DType::kFp16, {1, 4, 9, 10}, divisors)));
    c.Begin(OpKind::kConv).Arg(P::kX, x);
    c.Arg(P::kWeight, c.Const(MakeTensor(DType::kFp16, {6, 4, 3, 3}, Mixed(216, 14))));
    const ValueId output = c.String(P::kPadType, "same").Finish();
    ASSERT_EQ(c.error, "");
    EXPECT_GT(ExpectSingleSums(c, output, family), 0U) << family;
  }
}

}  // namespace
}  // namespace anecheck
