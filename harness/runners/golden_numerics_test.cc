// Tests the golden figures of facts numerics.md on the simulated engine, one row per test. As in a
// campaign, the MIL text goes through the e5rt runner and a worker process.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>

#include "harness/base/half.h"
#include "harness/base/hash.h"
#include "harness/graph/graph.h"
#include "harness/ops/op.h"
#include "harness/runners/worker.h"

namespace anecheck {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Port {
  Shape shape;
  std::vector<double> values;
};

// One figure: a program with inputs a, b, ... and one output y, and the expected first element of
// y.
struct Row {
  std::string name, target;
  std::vector<Port> inputs;
  Shape output;
  std::string statement;
  double least, most;       // both are equal if the figure is exact
  std::string before = {};  // statements before `statement`
};

Row Exact(std::string name, std::string target, std::vector<Port> inputs, Shape output,
          std::string statement, double value) {
  return {std::move(name),
          std::move(target),
          std::move(inputs),
          output,
          std::move(statement),
          value,
          value};
}

std::vector<double> Repeated(size_t count, double value) {
  return std::vector<double>(count, value);
}

// Makes a row for the dot product of `x` and ones.
Row Dot(std::string name, std::string target, const std::vector<double>& x, double value) {
  const auto n = static_cast<int64_t>(x.size());
  return Exact(std::move(name), std::move(target), {{{1, n}, x}, {{n, 1}, Repeated(x.size(), 1)}},
               {1, 1}, "matmul(x = a, y = b)", value);
}

Row Unary(std::string name, std::string target, double x, std::string_view op, double value,
          std::string_view extra = "") {
  return Exact(std::move(name), std::move(target), {{{1}, {x}}}, {1},
               fmt::format("{}(x = a{})", op, extra), value);
}

Row Binary(std::string name, std::string target, double x, double y, std::string_view op,
           double value) {
  return Exact(std::move(name), std::move(target), {{{1}, {x}}, {{1}, {y}}}, {1},
               fmt::format("{}(x = a, y = b)", op), value);
}

// Returns terms in the order [+B, -B, +1], or [+B, +1, -B].
std::vector<double> Cancelling(double large, bool one_last = true) {
  std::vector<double> x;
  for (int i = 0; i < 16; ++i) {
    x.insert(x.end(), {large, one_last ? -large : 1.0, one_last ? 1.0 : -large});
  }
  return x;
}

std::vector<double> LargeLane() {
  std::vector<double> x = Repeated(1025, 1);
  x[0] = 4096;
  return x;
}

Row Slice(std::string name, std::string target, double x, double value) {
  return Exact(std::move(name), std::move(target), {{{1, 2}, {1, x}}}, {1, 1},
               "slice_by_size(x = a, begin = tensor<int32, [2]>([0, 1]), size = tensor<int32, "
               "[2]>([1, 1]))",
               value);
}

std::vector<Row> Rows() {
  std::vector<Row> rows = {
      Dot("ones", "h13", Repeated(16000, 1), 16000),
      Dot("large_lane", "h13", LargeLane(), 5116),
      Dot("port_below", "h13", {16376, 16376}, 32752),
      Dot("port_at", "h13", {16384, 16384}, kInfinity),
      Dot("port_at_a14", "h14", {16384, 16384}, kInfinity),
      Dot("port_at_a17", "h17", {16384, 16384}, kInfinity),
      Dot("port_interior", "h13", {10000, 10000, 10000, 10000, -5000, -5000, -5000, -5000},
          kInfinity),
      Dot("denormal_flushed", "h13", {0x1p-20, 0x1p-20}, 0),
      Dot("denormal_kept_a17", "h17", {0x1p-20, 0x1p-20}, 0x1p-19),
      Dot("tie", "h13", {2048, 1}, 2048),
      Dot("tie_a17", "h17", {2048, 1}, 2050),
      Binary("multiply_full_range", "h13", 200, 300, "mul", 60000),
      Binary("multiply_overflow", "h13", 256, 256, "mul", kInfinity),
      Binary("integers_through_2048", "h13", 2047, 1, "add", 2048),
      Binary("integers_beyond", "h13", 2048, 1, "add", 2048),
      Binary("denormal_elementwise", "h13", 0x1p-24, 1, "mul", 0x1p-24),
      Binary("maximum_nan", "h13", kNan, 3, "maximum", kInfinity),
      Exact("slice_of_another_axis", "h13", {{{2, 1}, {1, 60000}}}, {1, 1},
            "slice_by_size(x = a, begin = tensor<int32, [2]>([1, 0]), size = tensor<int32, "
            "[2]>([1, 1]))",
            60000),
      Exact("softmax_nan_takes_all", "h13", {{{1, 3}, {kNan, 1, 2}}}, {1, 3},
            "softmax(x = a, axis = int32(-1))", 1),
      Exact("softmax_beside_nan", "h13", {{{1, 3}, {1, kNan, 2}}}, {1, 3},
            "softmax(x = a, axis = int32(-1))", 0),
      // The engine computes the variance with a large finite value in place of the NaN.
      Row{"layer_norm_nan",
          "h13",
          {{{4}, {1, kNan, 2, 3}}},
          {4},
          "layer_norm(x = a, axes = tensor<int32, [1]>([0]), epsilon = fp16(0x1p-10))",
          -65504,
          65504},
      Binary("minus_zero_plus_zero", "h13", -0.0, 0, "add", 0),
      Binary("inf_minus_inf", "h13", kInfinity, kInfinity, "sub", 0),
      Binary("zero_times_inf", "h13", 0, kInfinity, "mul", 0),
      Slice("slice_passes_4094", "h13", 4094, 4094),
      Slice("slice_gain", "h13", 4096, kInfinity),
      Slice("slice_gain_a14", "h14", 4096, kInfinity),
      Slice("slice_clean_a15", "h15", 4096, 4096),
      Unary("relu_nan", "h13", kNan, "relu", kInfinity),
      Unary("sigmoid_nan", "h13", kNan, "sigmoid", 1),
      Unary("tanh_nan", "h13", kNan, "tanh", 1),
      Unary("erf_nan", "h13", kNan, "erf", 1),
      Unary("exp_nan", "h13", kNan, "exp", kInfinity),
      Unary("sqrt_negative", "h13", -1, "sqrt", 0),
      Unary("rsqrt_negative", "h13", -1, "rsqrt", 0),
      Unary("rsqrt_minus_zero", "h13", -0.0, "rsqrt", kInfinity),
      Unary("sqrt_minus_zero", "h13", -0.0, "sqrt", 0),
      Unary("inverse_minus_zero", "h13", -0.0, "inverse", kInfinity, ", epsilon = fp16(0)"),
      Unary("log_negative", "h13", -1, "log", 0),
      Unary("log_zero", "h13", 0, "log", -45440),
      Unary("softplus_infinity", "h13", kInfinity, "softplus", 0),
      Unary("softsign_infinity", "h13", kInfinity, "softsign", 0),
      Unary("exp_first_infinite", "h13", 11.09375, "exp", kInfinity),
      Unary("square_first_infinite", "h13", 256, "square", kInfinity),
      Unary("gelu_origin", "h13", 0, "gelu", HalfToDouble(DoubleToHalf(-0.000543)),
            ", mode = string(\"EXACT\")"),
      Unary("silu_origin", "h13", 0, "silu", HalfToDouble(DoubleToHalf(-0.001259))),
      Exact("softmax_subtracts_maximum", "h13", {{{1, 4}, {1000, 1, 2, 3}}}, {1, 4},
            "softmax(x = a, axis = int32(-1))", 1),
      Exact("single_lane_conv", "h13", {{{1, 1, 1, 1}, {60000}}}, {1, 1, 1, 1},
            "conv(x = a, weight = tensor<fp16, [1, 1, 1, 1]>([[[[1]]]]))", 60000),
      Exact("reduce_sum_rounds_first", "h13", {{{1, 2}, {32752, 32752}}}, {1, 1},
            "reduce_sum(x = a, axes = tensor<int32, [1]>([1]), keep_dims = bool(true))", 65504),
  };
  for (const double large : {1024, 3000, 4090, 4096, 8000, 16000, 30000}) {
    const double survivors = large < 4096 ? 16 : 4;
    rows.push_back(Dot(fmt::format("survivors_{}", large), "h13", Cancelling(large), survivors));
    rows.push_back(Dot(fmt::format("survivors_{}_one_before", large), "h13",
                       Cancelling(large, false), survivors));
  }
  // The limit of the port does not depend on the number of lanes in a sum or on their positions.
  for (const size_t lanes : {2, 16, 1024}) {
    std::vector<double> x(lanes, 0);
    x.front() = x.back() = 16376;
    rows.push_back(Dot(fmt::format("port_below_of_{}_lanes", lanes), "h13", x, 32752));
    x.front() = x.back() = 16384;
    rows.push_back(Dot(fmt::format("port_at_of_{}_lanes", lanes), "h13", x, kInfinity));
  }
  struct TableRow {
    const char *op, *extra;
    double x, truth, error;
  };
  const TableRow tables[] = {
      {"sigmoid", "", 1.5, 1 / (1 + std::exp(-1.5)), 0.0034},
      {"tanh", "", 0.7, std::tanh(0.7), 0.0017},
      {"gelu", ", mode = string(\"EXACT\")", 1.5, 0.75 * std::erfc(-1.5 / std::sqrt(2.0)), 0.0059}};
  for (const auto& [op, extra, x, truth, error] : tables) {
    Row row = Unary(std::string(op) + "_table", "h13", x, op, 0, extra);
    row.least = truth - error - 0x1p-11;
    row.most = truth + error + 0x1p-11;
    rows.push_back(row);
  }
  return rows;
}

std::string TypeText(const Shape& shape) { return TensorType{DType::kFp16, shape}.ToString(); }

std::string Mil(const Row& row) {
  std::string parameters;
  for (size_t i = 0; i < row.inputs.size(); ++i) {
    parameters += fmt::format("{}{} {}", i == 0 ? "" : ", ", TypeText(row.inputs[i].shape),
                              static_cast<char>('a' + i));
  }
  return fmt::format("program(1.3)\n{{\n func main<ios18>({}) {{\n{}{} y = {};\n}} -> (y);\n}}\n",
                     parameters, row.before, TypeText(row.output), row.statement);
}

// Returns the runner, whose worker runs all rows.
E5rtRunner& TheRunner() {
  static auto* runner = new E5rtRunner({.library = ANECHECK_SIMULATED_ENGINE});
  return *runner;
}

// Runs the row and returns all elements of y. If the engine does not run the row, the test fails
// and the result is empty.
std::vector<Half> ResultOf(const Row& row) {
  // The runner takes only the names and sizes of the ports from the graph. The MIL text has the
  // operation.
  Graph ports;
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < row.inputs.size(); ++i) {
    Tensor& tensor = inputs.emplace_back();
    tensor.type = {DType::kFp16, row.inputs[i].shape};
    for (const double value : row.inputs[i].values) {
      const Half half = DoubleToHalf(value);
      tensor.bytes.push_back(static_cast<uint8_t>(half.bits & 0xff));
      tensor.bytes.push_back(static_cast<uint8_t>(half.bits >> 8));
    }
    ports.AddInput(tensor.type, std::string(1, static_cast<char>('a' + i)));
  }
  ports.BeginNode(&GetOp(OpKind::kRelu).schema);
  ports.AddArgument(0, 0);
  const TensorType types[] = {{DType::kFp16, row.output}};
  const std::string names[] = {"y"};
  ports.AddOutput(ports.FinishNodeAs(types, names));

  const std::string mil = Mil(row);
  const RunRequest request = {1, row.target, mil, &ports, inputs};
  const auto replies = TheRunner().Run({&request, 1});
  EXPECT_TRUE(replies.ok()) << replies.error().message;
  if (!replies.ok()) return {};
  const RunReply& reply = replies->front();
  EXPECT_EQ(reply.status, RunStatus::kOk) << reply.message << "\n" << mil;
  EXPECT_EQ(reply.backend, "ane");
  if (reply.status != RunStatus::kOk) return {};
  const std::vector<uint8_t>& bytes = reply.outputs.at(0).bytes;
  std::vector<Half> y;
  for (size_t i = 0; i + 1 < bytes.size(); i += 2) {
    y.push_back(Half{static_cast<uint16_t>(bytes[i] | bytes[i + 1] << 8)});
  }
  return y;
}

class GoldenNumerics : public ::testing::TestWithParam<Row> {};

TEST_P(GoldenNumerics, AreTheMeasuredOnes) {
  const Row& row = GetParam();
  const std::vector<Half> y = ResultOf(row);
  ASSERT_FALSE(y.empty());
  // Compares bits, so that the sign of a zero counts.
  if (row.least == row.most) EXPECT_EQ(y[0].bits, DoubleToHalf(row.least).bits) << Mil(row);
  EXPECT_LE(row.least, HalfToDouble(y[0])) << Mil(row);
  EXPECT_GE(row.most, HalfToDouble(y[0])) << Mil(row);
}

INSTANTIATE_TEST_SUITE_P(Facts, GoldenNumerics, ::testing::ValuesIn(Rows()),
                         [](const auto& row) { return row.param.name; });

// "sin/cos/atan near seams: 0.04 to 0.12 absolute", on A13 only atan.
TEST(GoldenSeams, TrigonometryErrsByAFewHundredths) {
  struct Seam {
    const char *target, *op;
    double x;
    double (*truth)(double);
  };
  const Seam seams[] = {{"h13", "atan", 1, [](double x) { return std::atan(x); }},
                        {"h15", "sin", 3.140625, [](double x) { return std::sin(x); }},
                        {"h15", "cos", 1.5703125, [](double x) { return std::cos(x); }}};
  for (const auto& [target, op, x, truth] : seams) {
    const std::vector<Half> y = ResultOf(Unary("seam", target, x, op, 0));
    ASSERT_FALSE(y.empty());
    const double error = std::fabs(HalfToDouble(y[0]) - truth(x));
    EXPECT_GE(error, 0.04) << op;
    EXPECT_LE(error, 0.12) << op;
  }
}

// Numbers between -4 and 4, determined by the seed.
std::vector<double> Scattered(size_t count, uint64_t seed) {
  std::vector<double> numbers;
  uint64_t state = seed * kGoldenRatio64 + 1;
  for (size_t i = 0; i < count; ++i) {
    double sum = 0;  // nearly a normal distribution
    for (int k = 0; k < 12; ++k) {
      state = state * 6364136223846793005 + 1442695040888963407;
      sum += static_cast<double>(state >> 40) * 0x1p-24;
    }
    numbers.push_back(sum - 6);
  }
  return numbers;
}

// "(a+b)+c against a+(b+c): about 31 % of elements differ, by about 1 ulp."
TEST(GoldenAssociation, AboutAThirdOfTheSumsDiffer) {
  constexpr size_t kCount = 4096;
  Row row = {"association", "h13", {}, {kCount}, "", 0, 0};
  for (const uint64_t seed : {1, 2, 3}) row.inputs.push_back({{kCount}, Scattered(kCount, seed)});
  row.statement = "sub(x = l, y = r)";
  row.before =
      " tensor<fp16, [4096]> ab = add(x = a, y = b); tensor<fp16, [4096]> l = add(x = ab, y = c);"
      " tensor<fp16, [4096]> bc = add(x = b, y = c); tensor<fp16, [4096]> r = add(x = a, y = bc);";
  const std::vector<Half> y = ResultOf(row);
  ASSERT_EQ(y.size(), kCount);
  size_t differ = 0;
  for (const Half value : y) differ += value.IsZero() ? 0 : 1;
  EXPECT_NEAR(static_cast<double>(differ) / kCount, 0.31, 0.06);
}

// "Compressed weights stream natively: A13 int4 table, sparse; A14 adds int8; blockwise from A15",
// and "w = s*(q-z)". The lowering plan decides which weights a family streams
// (oracles/plan/plan_test.cc); the numbers do not depend on it.
TEST(GoldenCompressed, GivesTheSameNumbersOnEveryFamily) {
  struct Form {
    Shape shape;
    const char* constant;
    std::vector<double> values;
  };
  const Form forms[] = {
      {{4},
       "constexpr_lut_to_dense(indices = tensor<uint8, [1]>([27]), lut = tensor<fp16, [4]>([5, 6, "
       "7, 8]), shape = tensor<uint32, [1]>([4]))",
       {8, 7, 6, 5}},
      {{4},
       "constexpr_sparse_to_dense(nonzero_data = tensor<fp16, [2]>([5, 6]), mask = tensor<uint8, "
       "[1]>([10]), shape = tensor<uint32, [1]>([4]))",
       {0, 5, 0, 6}},
      {{4},
       "constexpr_affine_dequantize(quantized_data = tensor<int8, [4]>([-3, 4, 5, -128]), "
       "zero_point = int8(0), scale = fp16(0.5), axis = int32(0))",
       {-1.5, 2, 2.5, -64}},
      {{2, 4},
       "constexpr_blockwise_shift_scale(data = tensor<int4, [2, 4]>([[1, 2, 3, 4], [-1, -2, -3, "
       "-8]]), scale = tensor<fp16, [2, 2]>([[1, 10], [2, 0.5]]))",
       {1, 2, 30, 40, -2, -4, -1.5, -4}}};
  for (const Form& form : forms) {
    for (const char* target : {"h13", "h14", "h15"}) {
      Row row = {"compressed",
                 target,
                 {{form.shape, Repeated(form.values.size(), 0)}},
                 form.shape,
                 "add(x = a, y = w)",
                 0,
                 0};
      row.before = fmt::format("{} w = {}; ", TypeText(form.shape), form.constant);
      const std::vector<Half> y = ResultOf(row);
      ASSERT_EQ(y.size(), form.values.size()) << target;
      for (size_t i = 0; i < y.size(); ++i) {
        EXPECT_EQ(HalfToDouble(y[i]), form.values[i]) << target << " " << form.constant << " " << i;
      }
    }
  }
}

// "Same bytes across reruns, recompiles, processes, batch sizes and batch positions."
class GoldenDeterminism : public ::testing::TestWithParam<const char*> {};

TEST_P(GoldenDeterminism, SameBytesInAnyProcessAndBatch) {
  constexpr size_t kWidth = 48;
  const auto image = Scattered(kWidth, 7);
  const auto run = [&](size_t batch, size_t at) {
    std::vector<double> numbers = Scattered(kWidth * batch, 9);
    std::ranges::copy(image, numbers.begin() + static_cast<std::ptrdiff_t>(kWidth * at));
    const auto rows = static_cast<int64_t>(batch);
    const Shape shape = {rows, 3, 4, 4};
    std::vector<Half> y = ResultOf({"batch", "h13", {{shape, numbers}}, shape, GetParam(), 0, 0});
    if (y.size() != numbers.size()) return std::vector<Half>();
    const auto first = y.begin() + static_cast<std::ptrdiff_t>(kWidth * at);
    return std::vector<Half>(first, first + kWidth);
  };
  const std::vector<Half> alone = run(1, 0);
  ASSERT_EQ(alone.size(), kWidth);
  EXPECT_EQ(run(1, 0), alone) << "a second run in the same process";
  ASSERT_TRUE(TheRunner().Restart().ok());
  EXPECT_EQ(run(1, 0), alone) << "in another process";
  for (const size_t batch : {2, 5}) {
    for (size_t at = 0; at < batch; ++at) EXPECT_EQ(run(batch, at), alone) << batch << " " << at;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Facts, GoldenDeterminism,
    ::testing::Values("softmax(x = a, axis = int32(-1))", "gelu(x = a, mode = string(\"EXACT\"))",
                      "matmul(x = a, y = a)",
                      "layer_norm(x = a, axes = tensor<int32, [2]>([2, 3]), epsilon = "
                      "fp16(0x1p-10))"));

}  // namespace
}  // namespace anecheck
