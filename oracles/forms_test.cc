// Forms of operations that the generator does not draw, or not for every engine: vectors and
// integers in products, windows beyond the input, slices at computed positions, regions of
// interest, resized integers. Tests compare values with the slow implementation, and bounds with
// possible values.
#include <array>
#include <gtest/gtest.h>

#include "generators/choice_stream.h"
#include "harness/base/half.h"
#include "harness/ops/params.h"
#include "oracles/judge.h"
#include "oracles/testing/adversary.h"
#include "oracles/testing/slow.h"
#include "oracles/testing/test_support.h"

namespace anecheck {
namespace {

using testing::Case;
using testing::MakeTensor;

constexpr int kRounds = 100;

// Numbers of few bits, so that sums of them round.
std::vector<double> Floats(ChoiceStream& choices, const Shape& shape) {
  std::vector<double> numbers(static_cast<size_t>(shape.Elements()));
  for (double& number : numbers) number = static_cast<double>(choices.Range(-999, 999)) / 64;
  return numbers;
}
std::vector<double> Wholes(ChoiceStream& choices, const Shape& shape, int64_t low, int64_t high) {
  std::vector<double> numbers(static_cast<size_t>(shape.Elements()));
  for (double& number : numbers) number = static_cast<double>(choices.Range(low, high));
  return numbers;
}

// Compares the last node's first result with the slow implementation, and checks that
// contract-abiding engines stay inside. Adds the number of compared elements to `compared`.
void Check(Case& c, size_t& compared) {
  const Node& node = c.graph.nodes().back();
  const NodeView view(c.graph, node);
  c.graph.ClearOutputs();
  c.graph.AddOutput(node.first_result);
  Evaluation evaluation;
  const Status status = evaluation.Run(c.graph, c.inputs, ConformingContract(1));
  ASSERT_TRUE(status.ok()) << status.error().message;
  std::vector<std::vector<double>> operands;
  Estimate estimate;
  for (const Argument& argument : c.graph.arguments(node)) {
    evaluation.Intermediate(argument.value, estimate);
    operands.push_back(estimate.value);
  }
  evaluation.Intermediate(node.first_result, estimate);
  const auto slow = testing::SlowValues(view, operands);
  ASSERT_TRUE(slow) << view.op();
  ASSERT_EQ(slow->size(), estimate.value.size());
  for (size_t i = 0; i < slow->size(); ++i) {
    if (!(*slow)[i]) continue;
    ASSERT_EQ(estimate.value[i], *(*slow)[i]) << view.op() << " element " << i;
    ++compared;
  }
  ChoiceStream choices = ChoiceStream::FromSeed(compared);
  for (const testing::Strategy strategy : {testing::Strategy::kRandom, testing::Strategy::kUp,
                                           testing::Strategy::kDown, testing::Strategy::kWide}) {
    testing::Adversary engine(choices, strategy);
    if (!engine.Run(c.graph, c.inputs)) continue;
    const auto& held = engine.values()[node.first_result];
    for (size_t i = 0; i < held.size(); ++i) {
      ASSERT_TRUE(Admits(estimate, i, held[i])) << view.op() << " element " << i << ": " << held[i];
    }
  }
}

// Checks kRounds cases: `draw` builds one operation and returns its result, or kNoValue if
// `may_refuse`. At least `least` elements must be compared.
template <typename Draw>
void CheckDrawn(uint64_t seed, size_t least, const Draw& draw, bool may_refuse = false) {
  size_t compared = 0;
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  for (int round = 0; round < kRounds && !::testing::Test::HasFatalFailure(); ++round) {
    Case c;
    const ValueId result = draw(choices, c);
    if (result == kNoValue && may_refuse) continue;
    ASSERT_NE(result, kNoValue) << c.error;
    Check(c, compared);
  }
  EXPECT_GE(compared, least);
}

ValueId InputOf(Case& c, DType dtype, const Shape& shape, const std::vector<double>& numbers) {
  return c.Input(MakeTensor(dtype, shape, numbers));
}

TEST(VectorProducts, EqualProductsOfRowsAndColumns) {
  using P = params::Matmul;
  CheckDrawn(1, size_t{kRounds}, [](ChoiceStream& choices, Case& c) {
    const int64_t inner = choices.Range(1, 9);
    const int64_t other = choices.Range(1, 4);
    const bool x_vector = choices.Coin();
    const bool y_vector = !x_vector || choices.Coin();
    const bool swapped = choices.Coin();
    const Shape matrix = x_vector == swapped ? Shape{2, other, inner} : Shape{2, inner, other};
    const Shape x = x_vector ? Shape{inner} : Shape{2, other, inner};
    const Shape y = y_vector ? Shape{inner} : matrix;
    const ValueId a = InputOf(c, DType::kFp16, x, Floats(choices, x));
    const ValueId b = InputOf(c, DType::kFp16, y, Floats(choices, y));
    c.Begin(OpKind::kMatmul).Arg(P::kX, a).Arg(P::kY, b);
    if (!y_vector) c.Bool(P::kTransposeY, swapped);
    return c.Finish();
  });
}

// Large factors wrap as int32 does.
TEST(IntegerProducts, AreExactAndWrap) {
  CheckDrawn(2, size_t{kRounds} * 20, [](ChoiceStream& choices, Case& c) {
    const int64_t most = choices.Coin() ? 1 << 20 : 100;
    const bool linear = choices.Coin();
    const Shape shape = {2, 3, 5};
    const Shape other = linear ? Shape{4, 5} : Shape{5, 4};
    const ValueId x = InputOf(c, DType::kInt32, shape, Wholes(choices, shape, -most, most));
    const ValueId y =
        c.Const(MakeTensor(DType::kInt32, other, Wholes(choices, other, -most, most)));
    const ValueId bias = c.Const(MakeTensor(DType::kInt32, {4}, Wholes(choices, {4}, -most, most)));
    c.Begin(linear ? OpKind::kLinear : OpKind::kMatmul).Arg(0, x).Arg(1, y);
    if (linear) c.Arg(params::Linear::kBias, bias);
    return c.Finish();
  });
}

// A factor that may be 1 or 2 makes a product that may be 3 or 6. A product that may overflow int32
// may be anything.
TEST(IntegerProducts, FollowUncertainOperands) {
  const auto product = [](double factor) {
    Case c;
    const ValueId one = InputOf(c, DType::kFp16, {1}, {1});
    const ValueId little = InputOf(c, DType::kFp16, {1}, {0x1p-11});
    const ValueId open = c.Binary(OpKind::kAdd, one, little);
    // ceil of a number that an engine may keep as 1 or slightly more.
    const ValueId up = c.Unary(OpKind::kCeil, open);
    const ValueId whole =
        c.Begin(OpKind::kCast).Arg(0, up).String(params::Cast::kDtype, "int32").Finish();
    const ValueId by = c.Const(MakeTensor(DType::kInt32, {1}, {factor}));
    return c.Run(c.Binary(OpKind::kMatmul, whole, by));
  };
  const Estimate small = product(3);
  ASSERT_EQ(small.low.size(), 1u);
  EXPECT_EQ(small.low[0], 3);
  EXPECT_EQ(small.high[0], 6);
  const Estimate large = product(0x7fffffff);
  EXPECT_EQ(large.low[0], -0x1p31);
  EXPECT_EQ(large.high[0], 0x1p31 - 1);
}

TEST(CeilMode, WindowsBeyondTheInputCountCoveredElements) {
  using P = params::Pool;
  CheckDrawn(
      3, size_t{kRounds} * 2,
      [](ChoiceStream& choices, Case& c) {
        const Shape shape = {1, 2, choices.Range(1, 6), choices.Range(1, 6)};
        const int64_t kernel = choices.Range(1, 4);
        const int64_t stride = choices.Range(1, 4);
        const OpKind kind = choices.Coin() ? OpKind::kAvgPool : OpKind::kMaxPool;
        const bool exclude = choices.Coin();
        const ValueId x = InputOf(c, DType::kFp16, shape, Floats(choices, shape));
        c.Begin(kind).Arg(P::kX, x).Ints(P::kKernelSizes, {kernel, kernel});
        c.Ints(P::kStrides, {stride, stride}).String(P::kPadType, "valid").Bool(P::kCeilMode, true);
        if (kind == OpKind::kAvgPool) c.Bool(P::kExcludePadding, exclude);
        return c.Finish();
      },
      true);
}

// Without padding MIL keeps a window that covers nothing, and does not define its value.
TEST(CeilMode, AWindowOverNothingMayBeAnything) {
  using P = params::Pool;
  for (const OpKind kind : {OpKind::kAvgPool, OpKind::kMaxPool, OpKind::kL2Pool}) {
    Case c;
    const ValueId x = InputOf(c, DType::kFp16, {1, 1, 2}, {3, 4});
    c.Begin(kind).Arg(P::kX, x).Ints(P::kKernelSizes, {1}).Ints(P::kStrides, {3});
    const Estimate estimate =
        c.Run(c.String(P::kPadType, "valid").Bool(P::kCeilMode, true).Finish());
    ASSERT_EQ(estimate.value.size(), 2u) << c.error;
    EXPECT_TRUE(Admits(estimate, 0, 3));
    EXPECT_FALSE(Admits(estimate, 0, 4));
    EXPECT_TRUE(Admits(estimate, 1, 4) && Admits(estimate, 1, NAN) && Admits(estimate, 1, 0));
  }
}

// ---- slices at computed positions ---------------------------------------------------------------

// A tensor of positions for a slice; a negative position counts from the end.
ValueId PlacesOf(Case& c, ChoiceStream& choices, const Shape& shape, const Shape& counts,
                 int64_t step) {
  std::vector<double> places;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const int64_t place = choices.Range(0, shape[axis] - 1 - (counts[axis] - 1) * step);
    places.push_back(static_cast<double>(choices.Coin() ? place : place - shape[axis]));
  }
  return InputOf(c, DType::kInt32, {shape.rank()}, places);
}

TEST(ComputedSlices, TakeTheElementsAtTheComputedPosition) {
  CheckDrawn(4, size_t{kRounds}, [](ChoiceStream& choices, Case& c) {
    const Shape shape = {choices.Range(1, 4), choices.Range(1, 5), choices.Range(1, 6)};
    const Shape counts = {choices.Range(1, shape[0]), choices.Range(1, shape[1]),
                          choices.Range(1, shape[2])};
    const ValueId x = InputOf(c, DType::kFp16, shape, Floats(choices, shape));
    const bool by_size = choices.Coin();
    if (by_size) {
      using P = params::SliceBySize;
      const ValueId begin = PlacesOf(c, choices, shape, counts, 1);
      c.Begin(OpKind::kSliceBySize).Arg(P::kX, x).Arg(P::kComputedBegin, begin);
      c.Ints(P::kSize, {counts[0], counts[1], counts[2]});
    } else {
      // Takes one position of the first axis and the whole of the other axes, with their strides.
      using P = params::SliceByIndex;
      const ValueId begin = PlacesOf(c, choices, shape, {1, 1, 1}, 1);
      const ValueId end = PlacesOf(c, choices, shape, {1, 1, 1}, 1);
      c.Begin(OpKind::kSliceByIndex).Arg(P::kX, x).Arg(P::kComputedBegin, begin);
      c.Arg(P::kComputedEnd, end).Ints(P::kStride, {1, choices.Coin() ? 2 : -1, 1});
      c.graph.AddBools(P::kBeginMask, std::array<int64_t, 3>{0, 1, 1});
      c.graph.AddBools(P::kEndMask, std::array<int64_t, 3>{0, 1, 1});
      c.graph.AddBools(P::kSqueezeMask, std::array<int64_t, 3>{1, 0, 0});
    }
    return c.Finish();
  });
}

TEST(ComputedSlices, WriteAnUpdateAtTheComputedPosition) {
  using P = params::SliceUpdate;
  CheckDrawn(5, size_t{kRounds}, [](ChoiceStream& choices, Case& c) {
    const Shape shape = {choices.Range(1, 4), choices.Range(2, 7)};
    const int64_t step = choices.Range(1, 2);
    const Shape counts = {1, choices.Range(1, (shape[1] + step - 1) / step)};
    const bool squeeze = choices.Coin();
    const Shape update = squeeze ? Shape{counts[1]} : counts;
    const ValueId x = InputOf(c, DType::kFp16, shape, Floats(choices, shape));
    const ValueId u = InputOf(c, DType::kFp16, update, Floats(choices, update));
    const ValueId begin = PlacesOf(c, choices, shape, counts, step);
    const ValueId end = PlacesOf(c, choices, shape, {1, 1}, 1);
    c.Begin(OpKind::kSliceUpdate).Arg(P::kX, x).Arg(P::kUpdate, u).Arg(P::kComputedBegin, begin);
    c.Arg(P::kComputedEnd, end).Ints(P::kStride, {1, step});
    if (squeeze) c.graph.AddBools(P::kSqueezeMask, std::array<int64_t, 2>{1, 0});
    return c.Finish();
  });
}

// The position of the larger of two numbers. An engine may round one to the other.
ValueId EitherOfTwo(Case& c) {
  const ValueId left = InputOf(c, DType::kFp16, {2}, {1, 1});
  const ValueId right = InputOf(c, DType::kFp16, {2}, {0x1p-11, 0});
  const ValueId sums = c.Binary(OpKind::kAdd, left, right);
  return c.Begin(OpKind::kReduceArgmax)
      .Arg(0, sums)
      .Int(params::ReduceArg::kAxis, 0)
      .Bool(params::ReduceArg::kKeepDims, true)
      .Finish();
}

TEST(ComputedSlices, AnUncertainPositionAdmitsTheResultOfEachPosition) {
  using P = params::SliceBySize;
  Case c;
  const ValueId x = InputOf(c, DType::kFp16, {3}, {10, 20, 40});
  const ValueId at = EitherOfTwo(c);
  c.Begin(OpKind::kSliceBySize).Arg(P::kX, x).Arg(P::kComputedBegin, at).Ints(P::kSize, {2});
  const Estimate cut = c.Run(c.Finish());
  ASSERT_EQ(cut.value.size(), 2u) << c.error;
  EXPECT_TRUE(Admits(cut, 0, 10) && Admits(cut, 0, 20));
  EXPECT_FALSE(Admits(cut, 0, 40));
  EXPECT_TRUE(Admits(cut, 1, 20) && Admits(cut, 1, 40));
  EXPECT_FALSE(Admits(cut, 1, 10));
}

TEST(ComputedSlices, AnUncertainPositionOfAnUpdateAdmitsBothResults) {
  using P = params::SliceUpdate;
  Case c;
  const ValueId x = InputOf(c, DType::kFp16, {3}, {10, 20, 40});
  const ValueId update = InputOf(c, DType::kFp16, {1}, {70});
  const ValueId at = EitherOfTwo(c);
  c.Begin(OpKind::kSliceUpdate).Arg(P::kX, x).Arg(P::kUpdate, update).Arg(P::kComputedBegin, at);
  const Estimate put = c.Run(c.Arg(P::kComputedEnd, at).Finish());
  ASSERT_EQ(put.value.size(), 3u) << c.error;
  EXPECT_TRUE(Admits(put, 0, 10) && Admits(put, 0, 70));
  EXPECT_TRUE(Admits(put, 1, 20) && Admits(put, 1, 70));
  EXPECT_TRUE(Admits(put, 2, 40));
  EXPECT_FALSE(Admits(put, 2, 70));
}

TEST(ComputedSlices, APositionOutOfRangeMayGiveAnything) {
  using P = params::SliceBySize;
  Case c;
  const ValueId x = InputOf(c, DType::kFp16, {3}, {10, 20, 40});
  const ValueId at = InputOf(c, DType::kInt32, {1}, {2});
  c.Begin(OpKind::kSliceBySize).Arg(P::kX, x).Arg(P::kComputedBegin, at).Ints(P::kSize, {2});
  const Estimate estimate = c.Run(c.Finish());
  ASSERT_EQ(estimate.value.size(), 2u) << c.error;
  EXPECT_TRUE(Admits(estimate, 0, -5) && Admits(estimate, 1, NAN));
}

// ---- constants of fp32 beside fp16 --------------------------------------------------------------

TEST(WiderConstants, AreTakenAsGivenAndMayBeRounded) {
  CheckDrawn(8, size_t{kRounds} * 12, [](ChoiceStream& choices, Case& c) {
    const bool prelu = choices.Coin();
    const Shape shape = {1, 3, 4};
    const ValueId x = InputOf(c, DType::kFp16, shape, Floats(choices, shape));
    const auto constant = [&] {
      std::vector<double> numbers;
      numbers.reserve(3);
      for (int i = 0; i < 3; ++i) {
        numbers.push_back(static_cast<double>(static_cast<float>(choices.Range(-99, 99)) / 70));
      }
      return c.Const(MakeTensor(DType::kFp32, {3}, numbers));
    };
    const ValueId alpha = constant();
    const ValueId beta = constant();
    c.Begin(prelu ? OpKind::kPrelu : OpKind::kSoftplusParametric).Arg(0, x).Arg(1, alpha);
    if (!prelu) c.Arg(params::WithAlphaBeta::kBeta, beta);
    return c.Finish();
  });
}

// x times a constant of one element, by each operation that multiplies by a constant.
ValueId ProductWith(Case& c, OpKind kind, const Shape& x_shape, const std::vector<double>& x,
                    const std::vector<double>& factors) {
  const ValueId operand = InputOf(c, DType::kFp16, x_shape, x);
  const auto count = static_cast<int64_t>(factors.size());
  const Shape shape = kind == OpKind::kMatmul   ? Shape{count, 1}
                      : kind == OpKind::kLinear ? Shape{1, count}
                                                : Shape{1, count, 1};
  const ValueId constant = c.Const(MakeTensor(DType::kFp32, shape, factors));
  return c.Begin(kind).Arg(0, operand).Arg(1, constant).Finish();
}

TEST(WiderConstants, OfProductsAreTakenAsGivenAndMayBeRounded) {
  CheckDrawn(9, size_t{kRounds} * 3, [](ChoiceStream& choices, Case& c) {
    constexpr OpKind kKinds[] = {OpKind::kMatmul, OpKind::kLinear, OpKind::kConv};
    const OpKind kind = kKinds[choices.Range(0, 2)];
    const Shape shape = kind == OpKind::kConv ? Shape{1, 5, 3} : Shape{3, 5};
    std::vector<double> factors;
    factors.reserve(5);
    for (int i = 0; i < 5; ++i) {
      factors.push_back(static_cast<double>(static_cast<float>(choices.Range(-99, 99)) / 70));
    }
    return ProductWith(c, kind, shape, Floats(choices, shape), factors);
  });
}

TEST(WiderConstants, OfProductsAdmitBothReadings) {
  const auto half = [](double number) { return HalfToDouble(DoubleToHalf(number)); };
  const double factor = static_cast<double>(0.01F);
  for (const OpKind kind : {OpKind::kMatmul, OpKind::kLinear, OpKind::kConv}) {
    Case c;
    const Shape shape = kind == OpKind::kConv ? Shape{1, 1, 1} : Shape{1, 1};
    const Estimate y = c.Run(ProductWith(c, kind, shape, {1001}, {factor}));
    ASSERT_EQ(y.value.size(), 1u) << c.error;
    EXPECT_EQ(y.value[0], half(1001 * factor));
    EXPECT_NE(half(1001 * factor), half(1001 * half(factor)));
    EXPECT_TRUE(Admits(y, 0, half(1001 * half(factor)))) << GetOp(kind).schema.name;
  }
}

// Beyond the range of fp16, an engine that rounds the constants has infinities.
TEST(WholeConstants, BesideFloatsAreTakenAsGivenAndMayBeRounded) {
  CheckDrawn(10, size_t{kRounds} * 6, [](ChoiceStream& choices, Case& c) {
    const bool linear = choices.Coin();
    const DType dtype = choices.Coin() ? DType::kFp16 : DType::kFp32;
    const int64_t most = choices.Coin() ? 99 : choices.Coin() ? 9999 : 0x7fffffff;
    const Shape shape = {3, 5};
    const Shape other = linear ? Shape{4, 5} : Shape{5, 4};
    const ValueId x = InputOf(c, dtype, shape, Floats(choices, shape));
    const ValueId y =
        c.Const(MakeTensor(DType::kInt32, other, Wholes(choices, other, -most, most)));
    const ValueId bias = c.Const(MakeTensor(DType::kInt32, {4}, Wholes(choices, {4}, -most, most)));
    c.Begin(linear ? OpKind::kLinear : OpKind::kMatmul).Arg(0, x).Arg(1, y);
    if (linear) c.Arg(params::Linear::kBias, bias);
    return c.Finish();
  });
}

TEST(WholeConstants, OfProductsAdmitBothReadings) {
  for (const OpKind kind : {OpKind::kMatmul, OpKind::kLinear}) {
    Case c;
    const ValueId x = InputOf(c, DType::kFp16, {1, 1}, {3});
    const ValueId whole = c.Const(MakeTensor(DType::kInt32, {1, 1}, {4099}));
    const Estimate y = c.Run(c.Begin(kind).Arg(0, x).Arg(1, whole).Finish());
    ASSERT_EQ(y.value.size(), 1u) << c.error;
    EXPECT_EQ(y.value[0], 12296) << "3 * 4099 on a grid of 8";
    EXPECT_TRUE(Admits(y, 0, 12304)) << "3 * 4100";
    EXPECT_FALSE(Admits(y, 0, 12312));
  }
}

TEST(ComputedBias, OfConvolutionsIsAddedAsAConstantIs) {
  CheckDrawn(11, size_t{kRounds} * 12, [](ChoiceStream& choices, Case& c) {
    const bool turned = choices.Coin();
    const Shape shape = {1, 2, 4, 4};
    const Shape kernel = turned ? Shape{2, 3, 2, 2} : Shape{3, 2, 2, 2};
    const ValueId x = InputOf(c, DType::kFp16, shape, Floats(choices, shape));
    const ValueId w = c.Const(MakeTensor(DType::kFp16, kernel, Floats(choices, kernel)));
    const ValueId given = InputOf(c, DType::kFp16, {3}, Floats(choices, {3}));
    // Half of the time the bias is uncertain by a rounding.
    const ValueId bias = choices.Coin() ? c.Unary(OpKind::kTanh, given) : given;
    c.Begin(turned ? OpKind::kConvTranspose : OpKind::kConv).Arg(0, x).Arg(1, w);
    return c.Arg(params::Conv::kBias, bias).Finish();
  });
}

// The index of a parameter, for either norm.
int ParameterOf(bool layer, int of_layer, int of_instance) {
  return layer ? of_layer : of_instance;
}

// fp32 constants beside fp16 operands, one for each element or channel.
TEST(WiderConstants, OfNormsAreTakenAsGivenAndMayBeRounded) {
  CheckDrawn(12, size_t{kRounds} * 12, [](ChoiceStream& choices, Case& c) {
    const bool layer = choices.Coin();
    const Shape shape = {1, 3, 4};
    const int64_t count = layer ? 4 : 3;
    const double most = choices.Chance(1, 8) ? 0x1p20 : 1;
    const ValueId x = InputOf(c, DType::kFp16, shape, Floats(choices, shape));
    const auto constant = [&](double scale) {
      std::vector<double> numbers;
      for (int64_t i = 0; i < count; ++i) {
        const auto number = static_cast<float>(choices.Range(-99, 99)) / 70;
        numbers.push_back(static_cast<double>(number) * scale);
      }
      return c.Const(MakeTensor(DType::kFp32, {count}, numbers));
    };
    const ValueId gamma = constant(most);
    const ValueId beta = constant(1);
    using L = params::LayerNorm;
    using I = params::InstanceNorm;
    c.Begin(layer ? OpKind::kLayerNorm : OpKind::kInstanceNorm).Arg(0, x);
    if (layer) c.Ints(L::kAxes, {2});
    return c.Arg(ParameterOf(layer, L::kGamma, I::kGamma), gamma)
        .Arg(ParameterOf(layer, L::kBeta, I::kBeta), beta)
        .Finish();
  });
}

TEST(WiderConstants, OfNormsAdmitBothReadings) {
  // Each of the two elements lies one standard deviation from their mean.
  const double factor = 2049;
  for (const OpKind kind : {OpKind::kLayerNorm, OpKind::kInstanceNorm}) {
    const bool layer = kind == OpKind::kLayerNorm;
    Case c;
    const ValueId x = InputOf(c, DType::kFp16, {1, 1, 2}, {-64, 64});
    const ValueId wide = c.Const(
        MakeTensor(DType::kFp32, {layer ? 2 : 1}, std::vector<double>(layer ? 2 : 1, factor)));
    using L = params::LayerNorm;
    using I = params::InstanceNorm;
    c.Begin(kind).Arg(0, x);
    if (layer) c.Ints(L::kAxes, {2});
    c.Arg(ParameterOf(layer, L::kBeta, I::kBeta), wide)
        .Float(ParameterOf(layer, L::kEpsilon, I::kEpsilon), 0);
    const Estimate y = c.Run(c.Finish());
    ASSERT_EQ(y.value.size(), 2u) << c.error;
    EXPECT_EQ(y.value[0], 2048);
    EXPECT_EQ(y.value[1], 2050);
    EXPECT_TRUE(Admits(y, 0, 2047)) << "2048 - 1";
    EXPECT_FALSE(Admits(y, 0, 2045));
  }
}

TEST(WiderConstants, OfPreluAdmitBothReadings) {
  Case c;
  const ValueId x = InputOf(c, DType::kFp16, {1, 1, 1}, {-1001});
  const double slope = static_cast<double>(0.01F);
  const ValueId alpha = c.Const(MakeTensor(DType::kFp32, {1}, {slope}));
  const Estimate y = c.Run(c.Begin(OpKind::kPrelu).Arg(0, x).Arg(1, alpha).Finish());
  ASSERT_EQ(y.value.size(), 1u) << c.error;
  const auto half = [](double number) { return HalfToDouble(DoubleToHalf(number)); };
  EXPECT_EQ(y.value[0], half(-1001 * slope));
  EXPECT_NE(half(-1001 * slope), half(-1001 * half(slope)));
  EXPECT_TRUE(Admits(y, 0, half(-1001 * half(slope))));
}

// 2^20 rounds to an infinity in fp16, whose product with 0 is NaN.
TEST(WiderConstants, OfNormsMayRoundToInfinities) {
  using P = params::LayerNorm;
  Case c;
  const ValueId x = InputOf(c, DType::kFp16, {1, 3}, {-8, 0, 8});
  const ValueId gamma = c.Const(MakeTensor(DType::kFp32, {3}, {1, 0x1p20, 0x1p20}));
  c.Begin(OpKind::kLayerNorm).Arg(P::kX, x).Ints(P::kAxes, {1}).Arg(P::kGamma, gamma);
  const Estimate y = c.Run(c.Finish());
  ASSERT_EQ(y.value.size(), 3u) << c.error;
  EXPECT_FALSE(Admits(y, 0, NAN));
  EXPECT_EQ(y.value[1], 0);
  EXPECT_TRUE(Admits(y, 1, NAN));
  EXPECT_TRUE(Admits(y, 2, HUGE_VAL));
}

// ---- images -------------------------------------------------------------------------------------

TEST(RegionsOfInterest, CutEveryImageOrTheOneThatTheyName) {
  using P = params::CropResize;
  CheckDrawn(6, size_t{kRounds}, [](ChoiceStream& choices, Case& c) {
    const Shape shape = {choices.Range(1, 3), 2, 4, 5};
    const bool named = choices.Coin();
    const int64_t boxes = choices.Range(1, 3);
    std::vector<double> regions;
    for (int64_t box = 0; box < boxes; ++box) {
      if (named) regions.push_back(static_cast<double>(choices.Range(0, shape[0] - 1)));
      const int64_t top = choices.Range(0, 3);
      const int64_t left = choices.Range(0, 4);
      for (const int64_t corner : {top, left, choices.Range(top, 3), choices.Range(left, 4)}) {
        regions.push_back(static_cast<double>(corner));
      }
    }
    const ValueId x = InputOf(c, DType::kFp16, shape, Floats(choices, shape));
    const ValueId roi = InputOf(c, DType::kFp16, {boxes, 1, named ? 5 : 4, 1, 1}, regions);
    c.Begin(OpKind::kCropResize).Arg(P::kX, x).Arg(P::kRoi, roi);
    c.Int(P::kTargetHeight, choices.Range(1, 3)).Int(P::kTargetWidth, choices.Range(1, 3));
    c.String(P::kSamplingMode, "ALIGN_CORNERS");
    const ValueId result = c.Finish();
    if (result != kNoValue) {
      EXPECT_EQ(c.graph.type(result).shape[1], named ? 1 : shape[0]);
    }
    return result;
  });
}

TEST(ResizedIntegers, AreExactIfTheBlendIs) {
  using P = params::Resize;
  CheckDrawn(7, size_t{kRounds}, [](ChoiceStream& choices, Case& c) {
    const Shape shape = {1, choices.Range(1, 4), choices.Range(1, 4)};
    const ValueId x = InputOf(c, DType::kInt32, shape, Wholes(choices, shape, -9, 9));
    c.Begin(OpKind::kResize).Arg(P::kX, x);
    c.Ints(P::kShape, {choices.Range(1, 6), choices.Range(1, 6)}).Int(P::kResizedDims, 2);
    if (choices.Coin()) c.String(P::kInterpolationMode, "NEAREST_NEIGHBOR");
    return c.Finish();
  });
}

// Halfway between 1 and 2 is no integer: no source says which of the two it becomes.
TEST(ResizedIntegers, ABlendBetweenTwoMayBeEither) {
  using P = params::Resize;
  Case c;
  const ValueId x = InputOf(c, DType::kInt32, {1, 2}, {1, 2});
  c.Begin(OpKind::kResize).Arg(P::kX, x).Ints(P::kShape, {3}).Int(P::kResizedDims, 1);
  const Estimate estimate = c.Run(c.String(P::kSamplingMode, "ALIGN_CORNERS").Finish());
  ASSERT_EQ(estimate.value.size(), 3u) << c.error;
  EXPECT_TRUE(Admits(estimate, 1, 1) && Admits(estimate, 1, 2));
  EXPECT_FALSE(Admits(estimate, 1, 3));
  EXPECT_FALSE(Admits(estimate, 0, 2));
}

TEST(Slices, ASqueezedAxisIsIndexedAtItsBegin) {
  using P = params::SliceByIndex;
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {2, 3}, {0, 1, 2, 3, 4, 5}));
  c.Begin(OpKind::kSliceByIndex).Arg(P::kX, x).Ints(P::kBegin, {0, 1}).Ints(P::kEnd, {2, 0});
  c.Ints(P::kStride, {1, -1});
  c.graph.AddBools(P::kBeginMask, std::array<int64_t, 2>{0, 1});
  c.graph.AddBools(P::kSqueezeMask, std::array<int64_t, 2>{0, 1});
  const Estimate taken = c.Run(c.Finish());
  EXPECT_EQ(taken.value, (std::vector<double>{0, 3}));
}

// 4094 * 2.5 + 0.99951171875 lies 2^-11 below the tie between 10232 and 10240. As a single it is
// the tie, 10236, and rounded once more 10240.
TEST(FusedSums, OfMoreThanTwoTermsMayBeRoundedTwice) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {1, 1}, {4094}));
  const ValueId scale = c.Const(MakeTensor(DType::kFp16, {1}, {2.5}));
  const ValueId bias = c.Const(MakeTensor(DType::kFp16, {1}, {0.99951171875}));
  c.Begin(OpKind::kPeGoc).Arg(params::GainOffset::kX, x).Arg(params::GainOffset::kScale, scale);
  const ValueId sum = c.Arg(params::GainOffset::kBias, bias).Finish();
  const ValueId more = c.Const(MakeTensor(DType::kFp16, {1, 1}, {6.46484375}));
  const Estimate y = c.Run(c.Binary(OpKind::kAdd, sum, more));
  EXPECT_EQ(c.error, "");
  EXPECT_EQ(y.value[0], 10240) << "10232 and 6.46484375";
  EXPECT_EQ(y.low[0], 10240);
  EXPECT_EQ(y.high[0], 10248) << "10240 and 6.46484375";
}

// For an even size no source says on which side the window has one channel more.
TEST(LocalResponseNorm, OfAnEvenSizeHasEitherWindow) {
  using P = params::LocalResponseNorm;
  for (const int64_t size : {2, 3}) {
    Case c;
    const ValueId x = c.Input(MakeTensor(DType::kFp16, {1, 3, 1}, {1, 2, 8}));
    c.Begin(OpKind::kLocalResponseNorm).Arg(P::kX, x).Int(P::kSize, size);
    c.Float(P::kAlpha, 1).Float(P::kBeta, 1);
    const Estimate y = c.Run(c.Finish());
    const auto of_sum = [&](double sum) { return 2 / (1 + sum / static_cast<double>(size)); };
    const auto admits = [&](double sum) {
      return y.low[1] <= of_sum(sum) && of_sum(sum) <= y.high[1];
    };
    EXPECT_EQ(admits(1 + 4), size == 2);
    EXPECT_EQ(admits(4 + 64), size == 2);
    EXPECT_EQ(admits(1 + 4 + 64), size == 3);
  }
}

}  // namespace
}  // namespace anecheck
