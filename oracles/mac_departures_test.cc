// The defects of the multiply-accumulate path, alone and together. The judge names the defects of a
// departing engine, whichever interpretation of the facts the engine follows, and does not take a
// faulty engine for a departing one.
#include "oracles/reference/mac_departures.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <rapidcheck/gtest.h>

#include "generators/choice_stream.h"
#include "harness/base/half.h"
#include "harness/base/testing/same_number.h"
#include "harness/ops/params.h"
#include "oracles/judge.h"
#include "oracles/testing/test_support.h"

namespace anecheck {
namespace {

using reference::Grid;
using reference::SumByReading;
using reference::SumReading;
using testing::Case;
using testing::MakeTensor;
using testing::SameNumber;
using testing::SameNumberAndSign;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kSubnormal = 0x1p-15;
constexpr int kA13 = 2;
constexpr int kA17 = 6;
const Grid kHalf(DType::kFp16);

using Numbers = std::vector<double>;

// ---- readings -----------------------------------------------------------------------------------

double Sum(const SumReading& reading, const Numbers& x, const Numbers& y) {
  return SumByReading(reading, kHalf, x.data(), y.data(), x.size());
}
double Sum(const SumReading& reading, const Numbers& x) {
  return Sum(reading, x, Numbers(x.size(), 1));
}
constexpr SumReading kLattice = {.tile = 4, .bits = 12};

TEST(Readings, PlainSumsAreExact) {
  EXPECT_EQ(Sum({}, {4096, 1, kSubnormal}), 4097 + kSubnormal);
  EXPECT_EQ(Sum({}, {}), 0);
}

TEST(Readings, TheLatticeCutsBothAddendsInsideATile) {
  EXPECT_EQ(Sum(kLattice, {4096, 1, 1, 2}), 4098);
  EXPECT_EQ(Sum(kLattice, {1, 1, 1, 4096}), 4098);
  EXPECT_EQ(Sum(kLattice, {-4096, -1, 0, 0}), -4096);
  EXPECT_EQ(Sum(kLattice, {4096, 0, 0, 0, 1}), 4097) << "tiles add exactly";
  EXPECT_EQ(Sum({.tile = 2, .bits = 12}, {4096, 1, 1, 2}), 4099);
  EXPECT_EQ(Sum({.tile = 4, .bits = 8}, {4096, 1, 1, 33}), 4128);
}

// The definition by quotients, for numbers of all sizes. `a` has so few bits that the lattice can
// keep it.
RC_GTEST_PROP(Readings, TheLargerMagnitudeDecidesTheLattice, ()) {
  const int bits = *rc::gen::inRange(1, 54);
  const int most = 1 << std::min(bits, 20);
  const double a = std::ldexp(*rc::gen::inRange(1 - most, most), *rc::gen::inRange(-900, 900));
  const double b = std::ldexp(*rc::gen::inRange(-4097, 4097), *rc::gen::inRange(-900, 900));
  const double larger = std::max(std::fabs(a), std::fabs(b));
  const double unit = larger == 0 ? 1 : std::ldexp(1.0, std::ilogb(larger) + 1 - bits);
  const double expected = std::trunc(a / unit) * unit + std::trunc(b / unit) * unit;
  RC_ASSERT(Sum({.tile = 2, .bits = bits}, {a, b}) == expected);
}

// A whole sum on the lattice, computed by the definition with quotients.
double OnLatticeByQuotients(const SumReading& reading, const Numbers& products) {
  const auto add = [&](double a, double b) {
    const double larger = std::max(std::fabs(a), std::fabs(b));
    if (larger == 0 || !(larger < kInfinity) || a != a || b != b) return a + b;
    const double unit = std::ldexp(1.0, std::ilogb(larger) + 1 - reading.bits);
    return std::trunc(a / unit) * unit + std::trunc(b / unit) * unit;
  };
  const auto lanes = static_cast<size_t>(reading.tile);
  double total = 0;
  for (size_t first = 0; first < products.size(); first += lanes) {
    double tile = 0;
    for (size_t k = first; k < first + lanes; ++k) {
      if (k >= products.size() && !reading.pad_tiles) break;
      tile = add(tile, k < products.size() ? products[k] : 0);
    }
    total += tile;
  }
  return total;
}

// A random number, sometimes a rare one if `with_rare`: a subnormal double, an infinity or NaN.
double AnyNumber(bool with_rare) {
  if (with_rare && *rc::gen::inRange(0, 40) == 0) {
    return *rc::gen::element(kInfinity, -kInfinity, kNan, 0x1p-1060, -0x1p-1074, 0x1p-1000);
  }
  if (*rc::gen::inRange(0, 8) == 0) return *rc::gen::element(0.0, -0.0, 65504.0, 0x1p-24);
  return std::ldexp(*rc::gen::inRange(-2047, 2048), *rc::gen::inRange(-24, 5));
}

RC_GTEST_PROP(Readings, LongSumsOnTheLatticeAddUpTiles, (bool pad_tiles)) {
  const bool with_rare = *rc::gen::inRange(0, 4) == 0;
  const SumReading reading = {.tile = *rc::gen::element(4, 4, 4, 2, 3),
                              .bits = *rc::gen::element(12, 12, 1, 8, 53),
                              .pad_tiles = pad_tiles};
  Numbers products(*rc::gen::inRange(0, 150));
  for (double& product : products) product = AnyNumber(with_rare);
  const double expected = OnLatticeByQuotients(reading, products);
  const double sum = Sum(reading, products);
  RC_ASSERT(SameNumberAndSign(sum, expected));
}

RC_GTEST_PROP(Readings, LongSumsTreatEachProductAlike, ()) {
  const SumReading plain = *rc::gen::element(kLattice, SumReading{});
  SumReading one_alone;
  one_alone.round_products = *rc::gen::arbitrary<bool>();
  one_alone.flush_operands = *rc::gen::arbitrary<bool>();
  one_alone.flush_products = *rc::gen::arbitrary<bool>();
  one_alone.invalid_products = *rc::gen::arbitrary<bool>();
  SumReading reading = one_alone;
  reading.tile = plain.tile;
  reading.bits = plain.bits;
  Numbers x(*rc::gen::inRange(0, 100));
  Numbers y(x.size());
  Numbers products(x.size());
  for (size_t k = 0; k < x.size(); ++k) {
    x[k] = AnyNumber(true);
    y[k] = AnyNumber(true);
    products[k] = Sum(one_alone, {x[k]}, {y[k]});
  }
  const double expected = Sum(plain, products);
  const double sum = Sum(reading, x, y);
  RC_ASSERT(SameNumber(sum, expected));
}

RC_GTEST_PROP(Readings, TheSizesOfProductsAreAddedUpOneByOne, ()) {
  const bool with_rare = *rc::gen::inRange(0, 4) == 0;
  Numbers x(*rc::gen::inRange(0, 50));
  Numbers y(x.size());
  reference::ProductSizes expected;
  for (size_t k = 0; k < x.size(); ++k) {
    x[k] = AnyNumber(with_rare);
    y[k] = *rc::gen::inRange(-3, 4);
    const double product = x[k] * y[k];
    expected.finite &= std::isfinite(x[k]);
    (product > 0 ? expected.positive : expected.negative) += std::fabs(product);
    expected.largest = std::max(expected.largest, std::fabs(product));
  }
  const reference::ProductSizes sizes = reference::SizesOfProducts(x.data(), y.data(), x.size());
  RC_ASSERT(sizes.finite == expected.finite);
  if (!sizes.finite) return;
  RC_ASSERT(sizes.largest == expected.largest);
  RC_ASSERT(std::fabs(sizes.positive - expected.positive) <= 0x1p-40 * expected.positive);
  RC_ASSERT(std::fabs(sizes.negative - expected.negative) <= 0x1p-40 * expected.negative);
}

TEST(Readings, ZerosAddedToAShortTileCutTheSumOnceMore) {
  const Numbers x = {4095, 2};  // 4097 lies between two numbers of 12 bits
  SumReading padded = kLattice;
  padded.pad_tiles = true;
  EXPECT_EQ(Sum(kLattice, x), 4097);
  EXPECT_EQ(Sum(padded, x), 4096);
  EXPECT_EQ(Sum(padded, {4095, 2, 0, 0, 1}), 4097);
}

TEST(Readings, ProductsMayBeRounded) {
  EXPECT_EQ(Sum({}, {1 + 0x1p-10}, {1 + 0x1p-10}), 1 + 0x1p-9 + 0x1p-20);
  EXPECT_EQ(Sum({.round_products = true}, {1 + 0x1p-10}, {1 + 0x1p-10}), 1 + 0x1p-9);
}

TEST(Readings, SubnormalsAreFlushedBeforeOrAfterTheProduct) {
  EXPECT_EQ(Sum({}, {kSubnormal, 0x1p-8}, {0x1p14, 0x1p-8}), 0.5 + 0x1p-16);
  EXPECT_EQ(Sum({.flush_operands = true}, {kSubnormal, 0x1p-8}, {0x1p14, 0x1p-8}), 0x1p-16);
  EXPECT_EQ(Sum({.flush_products = true}, {kSubnormal, 0x1p-8}, {0x1p14, 0x1p-8}), 0.5);
}

TEST(Readings, AnInvalidProductIsZeroOrSpoilsTheSum) {
  EXPECT_TRUE(std::isnan(Sum({}, {0, 5}, {kInfinity, 1})));
  EXPECT_EQ(Sum({.invalid_products = true}, {0, 5}, {kInfinity, 1}), 5);
  EXPECT_TRUE(std::isnan(Sum({.invalid_products = true}, {kNan, 5})));
  EXPECT_TRUE(std::isnan(Sum({.invalid_products = true}, {kInfinity, -kInfinity})));
  EXPECT_EQ(Sum(kLattice, {kInfinity, 1}), kInfinity);
}

// ---- verdicts -----------------------------------------------------------------------------------

// y = x . w + bias with one output; `x` is an input.
struct Layer {
  Numbers x;
  Numbers weight;
  double bias = 0;
};

OutputJudgement JudgeLayer(const Layer& layer, double actual, int family = kA13) {
  using P = params::Linear;
  Case c;
  const auto n = static_cast<int64_t>(layer.x.size());
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {1, n}, layer.x));
  const ValueId weight = c.Const(MakeTensor(DType::kFp16, {1, n}, layer.weight));
  c.Begin(OpKind::kLinear).Arg(P::kX, x).Arg(P::kWeight, weight);
  if (layer.bias != 0) c.Arg(P::kBias, c.Const(MakeTensor(DType::kFp16, {1}, {layer.bias})));
  const Estimate expected = c.Run(c.Finish());
  EXPECT_EQ(c.error, "");
  return Judge(c.graph, c.inputs, 0, expected, MakeTensor(DType::kFp16, {1, 1}, {actual}), family);
}
std::string Named(const Layer& layer, double actual, int family = kA13) {
  const OutputJudgement judgement = JudgeLayer(layer, actual, family);
  if (judgement.verdict == Verdict::kKnownDefect) return judgement.defects.ToText();
  return std::string(ToText(judgement.verdict));
}

TEST(MacDefects, TheLatticeActsAfterTheFlush) {
  const Layer layer = {{4096, 1, -4096, 0, kSubnormal}, {1, 1, 1, 1, 0x1p14}};
  EXPECT_EQ(Named(layer, 1.5), "pass");
  EXPECT_EQ(Named(layer, 0.5), "D03");
  EXPECT_EQ(Named(layer, 1), "D05");
  EXPECT_EQ(Named(layer, 0), "D03,D05");
  EXPECT_EQ(Named(layer, 0.75), "wrong");
  EXPECT_EQ(Named(layer, -0.5), "wrong");
}

TEST(MacDefects, ThePortGivesAnInfinityAndNothingElse) {
  const Layer layer = {{20000, 20000}, {1, 1}, 128};
  EXPECT_EQ(Named(layer, 40128), "pass");
  EXPECT_EQ(Named(layer, kInfinity), "D01");
  EXPECT_EQ(Named(layer, -kInfinity), "wrong");
  EXPECT_EQ(Named(layer, 40000), "wrong") << "the bias is missing";
  EXPECT_EQ(Named(layer, 65504), "wrong") << "saturated";
  EXPECT_EQ(Named({{20000, 12752}, {1, 1}}, kInfinity), "wrong") << "32752 passes";
  EXPECT_EQ(Named({{32768, 0}, {1, 1}, -32768}, kInfinity), "D01") << "a bias comes too late";
  EXPECT_EQ(Named({{40000}, {1}}, kInfinity), "wrong") << "a sum of one product has the full range";
}

TEST(MacDefects, APartialSumMayOverflowOnEitherSideThatReachesTheLimit) {
  const Layer layer = {{40000, -30000, 1}, {1, 1, 1}};
  EXPECT_EQ(Named(layer, 10000), "pass");
  EXPECT_EQ(Named(layer, kInfinity), "D01");
  EXPECT_EQ(Named(layer, -kInfinity), "wrong");
  EXPECT_EQ(Named(layer, kNan), "wrong") << "an infinity stays whatever finite term follows";
  EXPECT_EQ(Named(layer, 10016), "wrong") << "beyond the sum and yet finite";
  EXPECT_EQ(Named({{40000, -40000, 1}, {1, 1, 1}}, -kInfinity), "D01");
}

TEST(MacDefects, NanLeavesThePortAsZeroBeforeTheBias) {
  EXPECT_EQ(Named({{kInfinity, -kInfinity}, {1, 1}, 3}, 3), "D07");
  EXPECT_EQ(Named({{kInfinity, -kInfinity}, {1, 1}, 3}, 2), "wrong");
  EXPECT_EQ(Named({{kInfinity, 5}, {0, 1}, 3}, 8), "D07") << "only 0 * inf is 0";
  EXPECT_EQ(Named({{kInfinity, 5}, {0, 1}, 3}, 3), "D07") << "or the whole sum is 0";
  EXPECT_EQ(Named({{kInfinity, 5}, {0, 1}, 3}, 9), "wrong");
  EXPECT_EQ(Named({{kNan, -1}, {1, 1}, 3}, kInfinity), "D06");
  EXPECT_EQ(Named({{kNan, -kInfinity}, {1, 1}, 3}, 3), "D07");
  EXPECT_EQ(Named({{kNan, -kInfinity}, {1, 1}, 3}, 3, kA17), "wrong");
}

// Operations after an overflow admit almost anything, and the judgement is marked as vague.
TEST(MacDefects, AWideExplanationIsVague) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {1, 3}, {40000, -30000, 1}));
  const ValueId w = c.Const(MakeTensor(DType::kFp16, {3, 1}, {1, 1, 1}));
  const ValueId sum = c.Binary(OpKind::kMatmul, x, w);
  const auto judge = [&](ValueId output, double actual) {
    const Estimate expected = c.Run(output);
    return Judge(c.graph, c.inputs, 0, expected, MakeTensor(DType::kFp16, {1, 1}, {actual}), kA13);
  };
  EXPECT_FALSE(judge(sum, kInfinity).vague);
  const ValueId after = c.Unary(OpKind::kRelu, sum);
  EXPECT_EQ(judge(after, kInfinity).defects.ToText(), "D01");
  EXPECT_FALSE(judge(after, kInfinity).vague);
  EXPECT_EQ(judge(after, 12000).defects.ToText(), "D01");
  EXPECT_TRUE(judge(after, 12000).vague);
}

// Operands that are intervals: the lattice may truncate as much as it can from any of their
// numbers, and no more.
TEST(MacDefects, TheLatticeIsRecognisedWithARoundedOperand) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {1, 4}, {4096, 1, 1, 1}));
  const ValueId y = c.Input(MakeTensor(DType::kFp16, {1, 4}, {0, 0x1p-12, 0x1p-12, 0x1p-12}));
  const ValueId ones = c.Const(MakeTensor(DType::kFp16, {4, 1}, {1, 1, 1, 1}));
  const ValueId sum = c.Binary(OpKind::kMatmul, c.Binary(OpKind::kAdd, x, y), ones);
  const Estimate expected = c.Run(sum);
  const auto judge = [&](double actual) {
    return Judge(c.graph, c.inputs, 0, expected, MakeTensor(DType::kFp16, {1, 1}, {actual}), kA13);
  };
  EXPECT_EQ(judge(4100).verdict, Verdict::kPass);
  EXPECT_EQ(judge(4096).defects.ToText(), "D03");
  EXPECT_TRUE(judge(4096).vague) << "an engine that drops too much may give it too";
  EXPECT_EQ(judge(4064).verdict, Verdict::kWrong);
}

// An operand whose interval reaches the subnormal numbers may be flushed.
TEST(MacDefects, TheFlushIsRecognisedWithARoundedOperand) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {1, 2}, {0x1.8p-15, 1}));
  const ValueId scale = c.Input(MakeTensor(DType::kFp16, {1, 2}, {1 + 0x1p-10, 1}));
  const ValueId weight = c.Const(MakeTensor(DType::kFp16, {2, 1}, {0x1p14, 1}));
  const ValueId sum = c.Binary(OpKind::kMatmul, c.Binary(OpKind::kMul, x, scale), weight);
  const Estimate expected = c.Run(sum);
  const auto judge = [&](double actual) {
    return Judge(c.graph, c.inputs, 0, expected, MakeTensor(DType::kFp16, {1, 1}, {actual}), kA13);
  };
  EXPECT_EQ(judge(1 + 769.0 / 1024).verdict, Verdict::kPass);
  EXPECT_EQ(judge(1).defects.ToText(), "D05");
  EXPECT_EQ(judge(0.5).verdict, Verdict::kWrong);
}

// Without D07 a NaN stays NaN, and nothing else is admitted.
TEST(MacDefects, OppositeInfinitiesAdmitOnlyNanWithoutD07) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {1, 2}, {kInfinity, -kInfinity}));
  const ValueId ones = c.Const(MakeTensor(DType::kFp16, {2, 1}, {1, 1}));
  const std::string_view port[] = {"D01"};
  const Estimate estimate =
      c.Run(c.Binary(OpKind::kMatmul, x, ones), WithDepartures(kA13, port).value());
  EXPECT_TRUE(Admits(estimate, 0, kNan));
  EXPECT_NE(estimate.flags[0] & Estimate::kNanOnly, 0);
  EXPECT_FALSE(Admits(estimate, 0, 0));
  EXPECT_FALSE(Admits(estimate, 0, kInfinity));
}

// D07 concerns results; values that an operation only moves are not results.
TEST(MacDefects, AMovedNanStaysNan) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {2}, {kNan, 1}));
  const ValueId moved = c.Begin(OpKind::kReshape)
                            .Arg(params::Reshape::kX, x)
                            .Ints(params::Reshape::kShape, {1, 2})
                            .Finish();
  const std::string_view invalid[] = {"D07"};
  const Estimate estimate = c.Run(moved, WithDepartures(kA13, invalid).value());
  EXPECT_EQ(c.error, "");
  EXPECT_TRUE(Admits(estimate, 0, kNan));
  EXPECT_FALSE(Admits(estimate, 0, 0));
}

// ---- engines ------------------------------------------------------------------------------------

// A departing engine: D01, D03, D05, D06 and D07 together, with the interpretations of the facts
// that it follows, and its further faults. It shares no code with the reference kernels.
struct Engine {
  bool pads_tiles = false;
  bool rounds_products = false;
  bool flushes_products = false;
  bool drops_bias = false;
  bool accumulates_in_half = false;
  bool drops_last_lane = false;

  static double Half(double x) { return HalfToDouble(DoubleToHalf(x)); }
  static double Truncated(double x, double larger) {
    int exponent = 0;
    std::frexp(larger, &exponent);
    return std::ldexp(std::trunc(std::ldexp(x, 12 - exponent)), exponent - 12);
  }
  static double AddLanes(double a, double b) {
    const double larger = std::max(std::fabs(a), std::fabs(b));
    if (!std::isfinite(a) || !std::isfinite(b) || larger == 0) return a + b;
    return Truncated(a, larger) + Truncated(b, larger);
  }
  static double Operand(double x) {
    if (std::isnan(x)) return kInfinity;
    return std::fabs(x) < 0x1p-14 ? 0 : x;
  }
  double Product(double x, double y) const {
    double product = Operand(x) * Operand(y);
    if (std::isnan(product)) product = 0;
    if (rounds_products) product = Half(product);
    return flushes_products && std::fabs(product) < 0x1p-14 ? 0 : product;
  }
  static double Port(double x) { return std::fabs(x) >= 32768 ? std::copysign(kInfinity, x) : x; }

  double Run(const Layer& layer) const {
    const size_t count = layer.x.size() - (drops_last_lane ? 1 : 0);
    double sum = 0;
    for (size_t first = 0; first < count; first += 4) {
      double tile = 0;
      for (size_t k = first; k < first + 4; ++k) {
        if (k < count) tile = AddLanes(tile, Product(layer.x[k], layer.weight[k]));
        if (k >= count && pads_tiles) tile = AddLanes(tile, 0);
      }
      sum = Port(static_cast<double>(static_cast<float>(sum + tile)));
      if (accumulates_in_half) sum = Half(sum);
    }
    sum = Port(Half(sum));
    if (std::isnan(sum)) sum = 0;
    if (!drops_bias) sum = Half(sum + layer.bias);
    return std::isnan(sum) ? 0 : sum;
  }
};

double DrawNumber(ChoiceStream& choices, bool special) {
  constexpr double kEdges[] = {0,       1,          1 + 0x1p-10, 2,     0x1p-24, 0x1p-15,
                               0x1p-14, 0x1.554p-2, 4,           180.5, 300,     4096,
                               20000,   32752,      32768,       60000, 65504};
  const double sign = choices.Below(2) == 0 ? 1 : -1;
  if (special && choices.Below(6) == 0) return choices.Below(3) == 0 ? kNan : sign * kInfinity;
  if (choices.Below(2) == 0) return sign * kEdges[choices.Below(std::size(kEdges))];
  const auto step = static_cast<double>(choices.Below(2048));
  return sign * Engine::Half(std::ldexp(1 + step / 2048, static_cast<int>(choices.Below(12)) - 6));
}

Layer DrawLayer(ChoiceStream& choices, bool special) {
  Layer layer;
  const size_t count = 2 + choices.Below(11);
  for (size_t k = 0; k < count; ++k) {
    layer.x.push_back(DrawNumber(choices, special));
    layer.weight.push_back(DrawNumber(choices, false));
  }
  if (choices.Below(2) == 0) layer.bias = DrawNumber(choices, false);
  return layer;
}

Engine DrawEngine(ChoiceStream& choices) {
  return {.pads_tiles = choices.Below(2) == 0,
          .rounds_products = choices.Below(2) == 0,
          .flushes_products = choices.Below(2) == 0};
}

RC_GTEST_PROP(DepartingEngines, AreRecognisedWhicheverReadingTheyFollow, (uint64_t seed)) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  for (int i = 0; i < 20; ++i) {
    const Layer layer = DrawLayer(choices, choices.Below(4) == 0);
    const double actual = DrawEngine(choices).Run(layer);
    const OutputJudgement judgement = JudgeLayer(layer, actual);
    if (judgement.verdict == Verdict::kWrong) {
      RC_LOG() << judgement.reason << "\nx " << ::testing::PrintToString(layer.x) << "\nweight "
               << ::testing::PrintToString(layer.weight) << "\nbias " << layer.bias;
      RC_FAIL("a documented defect is called wrong");
    }
  }
}

TEST(DepartingEngines, MayLoseAnInfinityTimesAFlushedWeightAfterAnOverflow) {
  const Layer layer = {.x = {2, 2, kInfinity}, .weight = {-32752, 1, 0x1p-15}};
  EXPECT_EQ(Engine{}.Run(layer), -kInfinity);
  const OutputJudgement judgement = JudgeLayer(layer, -kInfinity);
  EXPECT_EQ(judgement.verdict, Verdict::kKnownDefect) << judgement.reason;
}

// D07 removes a part of this sum. The lattice and the flush both change the rest to the same
// number.
TEST(DepartingEngines, AreRecognisedIfTwoDefectsHaveOneEffect) {
  const Layer layer = {.x = {0x1p-15, -1.8525390625, kInfinity, 0.14685058593750, 0.8125},
                       .weight = {-4.875, -4, -0.0, -0.026031494140625, 6.55078125},
                       .bias = -18.75};
  for (const bool pads : {false, true}) {
    for (const bool rounds : {false, true}) {
      for (const bool flushes : {false, true}) {
        const double actual = Engine{pads, rounds, flushes}.Run(layer);
        const OutputJudgement judgement = JudgeLayer(layer, actual);
        EXPECT_EQ(judgement.verdict, Verdict::kKnownDefect) << actual << " " << judgement.reason;
      }
    }
  }
}

// The share of layers judged wrong, among those in which a fault moves a departing engine's result
// by more than `ulp`.
double FoundShare(void (*plant)(Engine&), uint32_t ulp) {
  ChoiceStream choices = ChoiceStream::FromSeed(5);
  double moved = 0;
  double found = 0;
  for (int i = 0; i < 3000; ++i) {
    const Layer layer = DrawLayer(choices, false);
    Engine engine = DrawEngine(choices);
    const double right = engine.Run(layer);
    plant(engine);
    const double faulty = engine.Run(layer);
    if (!std::isfinite(faulty) || UlpDistance(DoubleToHalf(right), DoubleToHalf(faulty)) <= ulp) {
      continue;
    }
    moved += 1;
    found += JudgeLayer(layer, faulty).verdict == Verdict::kWrong ? 1 : 0;
  }
  EXPECT_GE(moved, 50);
  return found / moved;
}

// The other layers are of two kinds: sums that by one interpretation overflow on both sides, and so
// admit 0 too, and errors no larger than the difference between the interpretations.
TEST(FaultyEngines, AreNotTakenForDepartingOnes) {
  EXPECT_GE(FoundShare([](Engine& engine) { engine.drops_bias = true; }, 8), 0.8);
  EXPECT_GE(FoundShare([](Engine& engine) { engine.drops_last_lane = true; }, 8), 0.95);
  EXPECT_GE(FoundShare([](Engine& engine) { engine.accumulates_in_half = true; }, 0), 0.5);
}

}  // namespace
}  // namespace anecheck
