// Measures the rows of facts/numerics.md on the simulated engine, through the e5rt ABI. It covers
// the operations that the engine has.
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>

#include "harness/device/testing/test_engine.h"

namespace anecheck::device::testing {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();

class Golden : public ::testing::Test {
 private:
  CleanSettings clean_;
};

// Computes y = OP(x, extra) over a vector.
std::vector<double> Unary(std::string_view op, const std::vector<double>& x,
                          std::string_view extra = "", const std::string& target = "h13") {
  const std::string type = fmt::format("tensor<fp16, [{}]>", x.size());
  const std::string mil =
      MilProgram(type + " x", fmt::format("{} y = {}(x = x{});", type, op, extra), "y");
  return ToDoubles(RunHalves(mil, {{"x", ToHalves(x)}}, x.size(), target));
}

double Binary(std::string_view op, double a, double b, const std::string& target = "h13") {
  const std::string mil =
      MilProgram("tensor<fp16, [1]> a, tensor<fp16, [1]> b",
                 fmt::format("tensor<fp16, [1]> y = {}(x = a, y = b);", op), "y");
  return ToDoubles(RunHalves(mil, {{"a", ToHalves({a})}, {"b", ToHalves({b})}}, 1, target))[0];
}

// Computes the dot product with ones by matmul.
double Dot(const std::vector<double>& x, const std::string& target = "h13") {
  const size_t n = x.size();
  const std::string mil =
      MilProgram(fmt::format("tensor<fp16, [1, {0}]> a, tensor<fp16, [{0}, 1]> b", n),
                 "tensor<fp16, [1, 1]> y = matmul(x = a, y = b);", "y");
  return ToDoubles(RunHalves(mil, {{"a", ToHalves(x)}, {"b", ToHalves(std::vector<double>(n, 1))}},
                             1, target))[0];
}

double ReduceSum(const std::vector<double>& x, const std::string& target = "h13") {
  const std::string mil = MilProgram(
      fmt::format("tensor<fp16, [{}]> x", x.size()),
      "tensor<fp16, [1]> y = reduce_sum(x = x, axes = tensor<int32, [1]>([0]), keep_dims = "
      "bool(true));",
      "y");
  return ToDoubles(RunHalves(mil, {{"x", ToHalves(x)}}, 1, target))[0];
}

std::vector<double> SliceWidth(const std::vector<double>& x, int begin, const std::string& target) {
  const std::string mil = MilProgram(
      fmt::format("tensor<fp16, [{}]> x", x.size()),
      fmt::format("tensor<fp16, [{0}]> y = slice_by_size(x = x, begin = tensor<int32, [1]>([{1}]), "
                  "size = tensor<int32, [1]>([{0}]));",
                  x.size() - static_cast<size_t>(begin), begin),
      "y");
  return ToDoubles(
      RunHalves(mil, {{"x", ToHalves(x)}}, x.size() - static_cast<size_t>(begin), target));
}

TEST_F(Golden, SixteenThousandOnesSumExactly) {
  EXPECT_EQ(Dot(std::vector<double>(16000, 1)), 16000);
  EXPECT_EQ(ReduceSum(std::vector<double>(16000, 1)), 16000);
}

TEST_F(Golden, LargeLaneSwallowsItsTileNeighbours) {
  std::vector<double> x(1025, 1);
  x[0] = 4096;
  EXPECT_EQ(Dot(x), 5116);
}

TEST_F(Golden, SurvivorsOfCancellation) {
  const auto sum = [](double big, bool one_last) {
    std::vector<double> x;
    for (int i = 0; i < 16; ++i) {
      x.push_back(big);
      x.push_back(one_last ? -big : 1);
      x.push_back(one_last ? 1 : -big);
    }
    return Dot(x);
  };
  for (const double big : {1024, 3000, 4090}) EXPECT_EQ(sum(big, true), 16) << big;
  for (const double big : {4096, 8000, 16000, 30000}) EXPECT_EQ(sum(big, true), 4) << big;
  // The orders [+B, -B, +1] and [+B, +1, -B] give identical bytes.
  for (const double big : {1024, 4096, 30000}) EXPECT_EQ(sum(big, true), sum(big, false)) << big;
}

TEST_F(Golden, SixteenOnesSurviveNextTo8192) {
  std::vector<double> x(17, 1);
  x[0] = 8192;
  EXPECT_EQ(Dot(x), 8208);
}

TEST_F(Golden, PortOverflowsFromHalfTheRange) {
  for (const std::string target : {"h13", "h14", "h17"}) {
    EXPECT_EQ(Dot({16376, 16376}, target), 32752) << target;
    EXPECT_EQ(Dot({16384, 16384}, target), kInfinity) << target;
    EXPECT_EQ(Dot({-16384, -16384}, target), -kInfinity) << target;
  }
  EXPECT_EQ(Dot({16384, 16384}, "h15"), 32768);
}

TEST_F(Golden, PathsWithTheFullRange) {
  EXPECT_EQ(Binary("mul", 200, 300), 60000);
  EXPECT_EQ(Binary("mul", 256, 256), kInfinity);
  EXPECT_EQ(ReduceSum({32752, 32752}), 65504);
  const std::string conv = MilProgram(
      "tensor<fp16, [1, 1, 1, 1]> x",
      "tensor<fp16, [1, 1, 1, 1]> y = conv(x = x, weight = tensor<fp16, [1, 1, 1, 1]>([[[[1]]]]));",
      "y");
  EXPECT_EQ(ToDoubles(RunHalves(conv, {{"x", ToHalves({60000})}}, 1))[0], 60000);
}

TEST_F(Golden, WidthSliceHasAGainOfSixteen) {
  for (const std::string target : {"h13", "h14"}) {
    const auto y = SliceWidth({1, 4094, 4096, -4096, 0.5}, 1, target);
    EXPECT_EQ(y[0], 4094) << target;
    EXPECT_EQ(y[1], kInfinity) << target;
    EXPECT_EQ(y[2], -kInfinity) << target;
    EXPECT_EQ(y[3], 0.5) << target;
    EXPECT_EQ(SliceWidth({4096, 1}, 0, target)[0], 4096) << target;
  }
  EXPECT_EQ(SliceWidth({1, 4096}, 1, "h15")[0], 4096);
}

TEST_F(Golden, SlicesOfOtherAxesHaveNoGain) {
  const std::string mil = MilProgram(
      "tensor<fp16, [2, 1]> x",
      "tensor<fp16, [1, 1]> y = slice_by_size(x = x, begin = tensor<int32, [2]>([1, 0]), size = "
      "tensor<int32, [2]>([1, 1]));",
      "y");
  EXPECT_EQ(ToDoubles(RunHalves(mil, {{"x", ToHalves({1, 60000})}}, 1))[0], 60000);
}

TEST_F(Golden, DenormalsElementwiseAndInTheArray) {
  EXPECT_EQ(Binary("add", 0x1p-24, 0), 0x1p-24);
  EXPECT_EQ(Binary("mul", 0x1p-24, 1), 0x1p-24);
  EXPECT_EQ(Dot({0x1p-20, 0x1p-20}, "h13"), 0);
  EXPECT_EQ(Dot({0x1p-20, 0x1p-20}, "h17"), 0x1p-19);
}

TEST_F(Golden, NanActsAsInfinity) {
  EXPECT_EQ(Unary("relu", {kNan})[0], kInfinity);
  EXPECT_EQ(Unary("sigmoid", {kNan})[0], 1);
  EXPECT_EQ(Unary("tanh", {kNan})[0], 1);
  EXPECT_EQ(Binary("maximum", kNan, 3), kInfinity);
  const auto softmax = Unary("softmax", {1, kNan, 2}, ", axis = int32(-1)");
  EXPECT_EQ(softmax, (std::vector<double>{0, 1, 0}));
  for (const double y : Unary("layer_norm", {1, kNan, 2, 3},
                              ", axes = tensor<int32, [1]>([0]), epsilon = fp16(0x1p-10)")) {
    EXPECT_TRUE(std::isfinite(y));
  }
}

TEST_F(Golden, InvalidOperationsGiveZero) {
  EXPECT_EQ(Binary("sub", kInfinity, kInfinity), 0);
  EXPECT_EQ(Binary("mul", 0, kInfinity), 0);
}

TEST_F(Golden, SoftmaxSubtractsTheMaximum) {
  EXPECT_EQ(Unary("softmax", {1000, 1, 2, 3}, ", axis = int32(-1)"),
            (std::vector<double>{1, 0, 0, 0}));
}

TEST_F(Golden, TieOnAGridOfTwo) {
  EXPECT_EQ(Dot({2048, 1}, "h13"), 2048);
  EXPECT_EQ(Dot({2048, 1}, "h17"), 2050);
  EXPECT_EQ(Binary("add", 2048, 1, "h13"), 2048);
  EXPECT_EQ(Binary("add", 2048, 1, "h17s"), 2050);
}

struct WorstError {
  const char* op;
  const char* extra;
  double (*truth)(double);
  double bound;
};

class Tables : public ::testing::TestWithParam<WorstError> {
 private:
  CleanSettings clean_;
};

// "worst absolute error: sigmoid 0.0034, tanh 0.0017, gelu 0.0059". The inputs are those from -16
// to 16. Beyond 16, the rounding error of gelu exceeds its bound.
TEST_P(Tables, StayWithinThePublishedError) {
  const WorstError& row = GetParam();
  for (const std::string target : {"h13", "h15"}) {
    std::vector<double> x;
    for (int32_t ordinal = -0x4c00; ordinal <= 0x4c00; ++ordinal) {
      x.push_back(HalfToDouble(HalfFromOrdinal(ordinal)));
    }
    double worst = 0;
    for (size_t first = 0; first < x.size(); first += 16384) {
      const std::vector<double> part(
          x.begin() + static_cast<int64_t>(first),
          x.begin() + static_cast<int64_t>(std::min(x.size(), first + 16384)));
      const auto y = Unary(row.op, part, row.extra, target);
      for (size_t i = 0; i < part.size(); ++i) {
        worst = std::max(worst, std::fabs(y[i] - row.truth(part[i])));
      }
    }
    EXPECT_LE(worst, row.bound) << target;
    // A piecewise-linear table of 33 knots cannot be exact.
    EXPECT_GE(worst, row.bound / 20) << target;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Golden, Tables,
    ::testing::Values(
        WorstError{"sigmoid", "", [](double x) { return 1 / (1 + std::exp(-x)); }, 0.0034},
        WorstError{"tanh", "", [](double x) { return std::tanh(x); }, 0.0017},
        WorstError{"gelu", ", mode = string(\"EXACT\")",
                   [](double x) { return x * 0.5 * std::erfc(-x / std::sqrt(2.0)); }, 0.0062}),
    [](const auto& row) { return std::string(row.param.op); });

TEST_F(Golden, GeluIsBiasedAtTheOrigin) {
  const double published = HalfToDouble(DoubleToHalf(-0.000543));
  EXPECT_EQ(Unary("gelu", {0}, ", mode = string(\"EXACT\")")[0], published);
  EXPECT_EQ(Unary("gelu", {0}, ", mode = string(\"EXACT\")", "h15")[0], HalfToDouble(Half{0x922d}))
      << "the value in the tables of compiler 10.26.6";
}

TEST_F(Golden, SiluIsBiasedAtTheOrigin) {
  EXPECT_EQ(Unary("silu", {0})[0], HalfToDouble(DoubleToHalf(-0.001259)));
  EXPECT_EQ(Unary("silu", {0}, "", "h15")[0], HalfToDouble(Half{0x96fb}));
}

TEST_F(Golden, ZerosRootsAndLogarithms) {
  EXPECT_EQ(Unary("sqrt", {-1})[0], 0);
  EXPECT_EQ(Unary("rsqrt", {-1})[0], 0);
  EXPECT_EQ(Unary("log", {-1, 0}), (std::vector<double>{0, -45440}));
  EXPECT_EQ(Unary("inverse", {-0.0}, ", epsilon = fp16(0)")[0], kInfinity);
  EXPECT_EQ(Unary("rsqrt", {-0.0})[0], kInfinity);
  EXPECT_EQ(Unary("sqrt", {-0.0})[0], 0);
  EXPECT_FALSE(std::signbit(Unary("sqrt", {-0.0})[0])) << "+0 is published";
  EXPECT_TRUE(std::signbit(Unary("sqrt", {-0.0}, "", "h15")[0]));
  EXPECT_FALSE(std::signbit(Binary("add", -0.0, 0)));
  for (const char* op : {"sqrt", "rsqrt", "log"}) {
    EXPECT_FALSE(std::signbit(Unary(op, {-1})[0])) << op;
  }
  // Families without these defects follow IEEE 754.
  EXPECT_TRUE(std::isnan(Unary("sqrt", {-1}, "", "h15")[0]));
  EXPECT_EQ(Unary("inverse", {-0.0}, ", epsilon = fp16(0)", "h15")[0], -kInfinity);
  EXPECT_EQ(Unary("log", {0}, "", "h15")[0], -kInfinity);
}

TEST_F(Golden, SaturationOfCurves) {
  EXPECT_EQ(Unary("softplus", {kInfinity})[0], 0);
  EXPECT_EQ(Unary("softsign", {kInfinity})[0], 0);
  EXPECT_EQ(Unary("softsign", {kInfinity}, "", "h15")[0], 1);
  EXPECT_NEAR(Unary("softplus", {10})[0], 10, 0.01);
  EXPECT_EQ(Unary("softplus", {11}, "", "h17s")[0], 0);
  EXPECT_EQ(Unary("softplus", {11}, "", "h15")[0], 11);
  EXPECT_EQ(Unary("erf", {kNan})[0], 1);
  EXPECT_EQ(Unary("exp", {kNan})[0], kInfinity);
}

// "exp first reaches inf: x = 11.094", "square first reaches inf: x = 256".
TEST_F(Golden, FirstInfinities) {
  EXPECT_EQ(Unary("exp", {11.09375})[0], kInfinity);
  EXPECT_NE(Unary("exp", {11.0859375})[0], kInfinity);
  EXPECT_EQ(Unary("square", {256})[0], kInfinity);
  EXPECT_NE(Unary("square", {255.875})[0], kInfinity);
}

// By specification 004, the operations linear, relu, linear reproduce an arbitrary curve of 33
// knots exactly in fp16. The curve is a Gaussian bump over [-4, 4] with knots on a grid of 2^-10.
TEST_F(Golden, GaussianBumpByLinearReluLinear) {
  constexpr int kKnots = 33;
  constexpr double kStep = 0.25;
  std::vector<double> knots;
  for (int i = 0; i < kKnots; ++i) {
    const double x = -4 + kStep * i;
    knots.push_back(std::nearbyint(std::exp(-x * x) * 1024) / 1024);
  }
  std::string ones;
  std::string biases;
  std::string slopes;
  double slope = 0;
  for (int i = 0; i + 1 < kKnots; ++i) {
    const double next = (knots[static_cast<size_t>(i) + 1] - knots[static_cast<size_t>(i)]) / kStep;
    const char* comma = i == 0 ? "" : ", ";
    ones += fmt::format("{}[1]", comma);
    biases += fmt::format("{}{}", comma, 4 - kStep * i);
    slopes += fmt::format("{}{}", comma, next - slope);
    slope = next;
  }
  const auto curve = [&](double x) {
    const int i = std::min(static_cast<int>((x + 4) / kStep), kKnots - 2);
    const double at = (x + 4) / kStep - i;
    const auto k = static_cast<size_t>(i);
    return HalfToDouble(DoubleToHalf(knots[k] + (knots[k + 1] - knots[k]) * at));
  };
  std::vector<double> x;
  for (int i = 0; i < 512; ++i) x.push_back(-4 + i / 64.0);
  const std::string mil = MilProgram(
      "tensor<fp16, [512, 1]> x",
      fmt::format(
          "tensor<fp16, [512, 32]> h = linear(x = x, weight = tensor<fp16, [32, 1]>([{}]), "
          "bias = tensor<fp16, [32]>([{}])); tensor<fp16, [512, 32]> r = relu(x = h);"
          "tensor<fp16, [512, 1]> y = linear(x = r, weight = tensor<fp16, [1, 32]>([[{}]]), "
          "bias = tensor<fp16, [1]>([{}]));",
          ones, biases, slopes, knots[0]),
      "y");
  const auto y = ToDoubles(RunHalves(mil, {{"x", ToHalves(x)}}, x.size(), "h15"));
  for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], curve(x[i])) << x[i];
}

// By specification 001, section 2.5.1, weights stay resident while a layer is trained. One weight
// vector, whose output is bound to its input, follows the same steps on the host.
TEST_F(Golden, ResidentWeightsFollowTheHost) {
  const std::string mil = MilProgram(
      "tensor<fp16, [1, 4]> w, tensor<fp16, [1, 4]> target",
      "tensor<fp16, [1, 4]> d = sub(x = w, y = target); tensor<fp16, [1, 4]> s = mul(x = d, y = "
      "fp16(0.125)); tensor<fp16, [1, 4]> next = sub(x = w, y = s);",
      "next");
  LoadedProgram program(mil, {.target = "h15"});
  ASSERT_EQ(program.error(), "");
  auto* w = static_cast<Half*>(program.Bind("w", false, 8));
  auto* target = static_cast<Half*>(program.Bind("target", false, 8));
  ASSERT_TRUE(program.Share("next", true, program.buffer("w")));
  const Halves goal = ToHalves({1, -2, 0.3, 100});
  std::copy(goal.begin(), goal.end(), target);
  Halves host(4);
  const auto round = [](double x) { return HalfToDouble(DoubleToHalf(x)); };
  for (int step = 0; step < 200; ++step) {
    ASSERT_EQ(program.Execute(), 0);
    for (size_t i = 0; i < 4; ++i) {
      const double old = HalfToDouble(host[i]);
      const double s = round(round(old - HalfToDouble(goal[i])) * 0.125);
      host[i] = DoubleToHalf(old - s);
      ASSERT_EQ(w[i], host[i]) << step;
    }
  }
  EXPECT_NEAR(HalfToDouble(w[3]), 100, 0.5);
}

TEST_F(Golden, SeamsOfTrigonometry) {
  EXPECT_NEAR(std::fabs(Unary("atan", {1})[0] - std::atan(1.0)), 0.05, 0.01);
  EXPECT_NEAR(Unary("atan", {1}, "", "h14")[0], std::atan(1.0), 0.001);
  const double turn = HalfToDouble(DoubleToHalf(3.140625));
  EXPECT_NEAR(std::fabs(Unary("sin", {turn}, "", "h15")[0] - std::sin(turn)), 0.05, 0.01);
}

TEST_F(Golden, RepeatedRunsGiveTheSameBytes) {
  std::vector<double> x;
  for (int i = 0; i < 333; ++i) x.push_back(std::sin(i) * 20);
  const auto first = Unary("softmax", x, ", axis = int32(0)");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Unary("softmax", x, ", axis = int32(0)"), first);
}

// "(a+b)+c against a+(b+c): about 31 % of elements differ, by about 1 ulp."
TEST_F(Golden, AssociationOfSumsMatters) {
  const std::string mil = MilProgram(
      "tensor<fp16, [4096]> a, tensor<fp16, [4096]> b, tensor<fp16, [4096]> c",
      "tensor<fp16, [4096]> ab = add(x = a, y = b); tensor<fp16, [4096]> l = add(x = ab, y = c);"
      "tensor<fp16, [4096]> bc = add(x = b, y = c); tensor<fp16, [4096]> r = add(x = a, y = bc);"
      "tensor<fp16, [4096]> y = sub(x = l, y = r);",
      "y");
  std::map<std::string, Halves> inputs;
  uint64_t state = 1;
  for (const char* name : {"a", "b", "c"}) {
    for (int i = 0; i < 4096; ++i) {
      double sum = 0;  // nearly normally distributed
      for (int k = 0; k < 12; ++k) {
        state = state * 6364136223846793005 + 1442695040888963407;
        sum += static_cast<double>(state >> 40) * 0x1p-24;
      }
      inputs[name].push_back(DoubleToHalf(sum - 6));
    }
  }
  const Halves y = RunHalves(mil, inputs, 4096);
  int differ = 0;
  for (const Half value : y) differ += value.IsZero() ? 0 : 1;
  EXPECT_NEAR(differ / 4096.0, 0.31, 0.06);
}

}  // namespace
}  // namespace anecheck::device::testing
