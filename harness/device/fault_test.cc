// Tests that every planted defect makes a visible difference. Numeric and compile rows run on a set
// of fixed programs, and crashes and hangs in child processes. e5rt/runtime_fault_test.cc tests the
// rows of the e5rt layer.
#include "harness/device/fault.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>
#include <poll.h>
#include <set>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/file.h"
#include "harness/device/compile.h"
#include "harness/device/output_fault.h"
#include "harness/device/testing/fault_kinds.h"
#include "harness/device/testing/test_engine.h"

extern char** environ;

namespace anecheck::device::testing {
namespace {

struct StockProgram {
  std::string mil;
  bool rejected = false;  // whether a clean engine refuses the program
};

// Returns the values with which all programs are tested: mixed signs, sizes and special values.
double StockValue(size_t index, int flavour) {
  const double base = std::sin(static_cast<double>(index) * 1.37 + flavour) * 4;
  if (flavour == 1) return base * 700;      // sums reach the port
  if (flavour == 2) return base * 0x1p-22;  // subnormal
  if (flavour == 3 && index % 5 == 0) return std::numeric_limits<double>::quiet_NaN();
  if (flavour == 4) return -std::fabs(base) - 0.25;
  if (flavour == 5) return base * 16000;
  if (flavour == 6) return base * 0x1p-10;                      // subnormal products
  if (flavour == 7) return static_cast<double>(index % 9) / 2;  // halves of integers
  if (flavour == 8 && index % 3 == 0) return -0.0;
  if (flavour == 8 && index % 3 == 1) return std::numeric_limits<double>::infinity();
  return base;
}
constexpr int kFlavours = 9;

std::string Conv(const char* x, const char* y, const char* weight, const std::string& rest) {
  return MilProgram(fmt::format("tensor<fp16, {}> x, tensor<fp16, {}> w", x, weight),
                    fmt::format("tensor<fp16, {}> y = conv(x = x, weight = w, {});", y, rest), "y");
}

std::string Simple(const std::string& x, const std::string& y, const std::string& call,
                   const std::string& more = "", const std::string& element = "fp16") {
  return MilProgram(fmt::format("tensor<fp16, {}> x{}", x, more),
                    fmt::format("tensor<{}, {}> y = {};", element, y, call), "y");
}

// Each row has the shapes of x and y, and a call of one operation.
constexpr std::array<const char*, 3> kPlainCalls[] = {
    {"[5, 6]", "[2, 4]",
     "slice_by_index(x = x, begin = tensor<int32, [2]>([1, 2]), end = tensor<int32, [2]>([5, 6]), "
     "stride = tensor<int32, [2]>([3, 1]))"},
    {"[5, 6]", "[5, 4]",
     "slice_by_index(x = x, begin = tensor<int32, [2]>([1, 2]), end = tensor<int32, [2]>([5, 6]), "
     "begin_mask = tensor<bool, [2]>([true, false]))"},
    {"[3, 4]", "[3, 2]", "gather(x = x, indices = tensor<int32, [2]>([2, 0]), axis = int32(1))"},
    {"[3, 4]", "[3, 4]",
     "cumsum(x = x, axis = int32(0), exclusive = bool(true), reverse = bool(true))"},
    {"[1, 2, 3, 3]", "[1, 2, 3, 3]",
     "instance_norm(x = x, gamma = tensor<fp16, [2]>([2, 3]), beta = tensor<fp16, [2]>([1, 2]))"},
    {"[1, 2, 3, 3]", "[1, 2, 3, 3]",
     "batch_norm(x = x, mean = tensor<fp16, [2]>([0, 1]), variance = tensor<fp16, [2]>([1, 2]), "
     "beta = tensor<fp16, [2]>([1, 2]), epsilon = fp16(0.5))"},
    {"[1, 1, 2, 3]", "[1, 1, 3, 4]",
     "resize_bilinear(x = x, target_size_height = int32(3), target_size_width = int32(4), "
     "sampling_mode = string(\"ALIGN_CORNERS\"))"},
    {"[3, 4]", "[3, 4]", "reverse(x = x, axes = tensor<int32, [1]>([1]))"},
    {"[3, 1, 4]", "[3, 4]", "squeeze(x = x, axes = tensor<int32, [1]>([1]))"},
    {"[3, 4]", "[6, 4]", "tile(x = x, reps = tensor<int32, [2]>([2, 1]))"},
    {"[3, 4]", "[3, 4]", "select(cond = tensor<bool, [1, 1]>([[true]]), a = x, b = x)"},
};

std::vector<StockProgram> StockPrograms() {
  const std::string pad = "pad_type = string(\"custom\"), pad = tensor<int32, [4]>([1, 0, 0, 1])";
  const std::string axis0 = "axes = tensor<int32, [1]>([0]), keep_dims = bool(true)";
  std::vector<StockProgram> programs;
  const auto add = [&](std::string mil) { programs.push_back({std::move(mil)}); };
  add(Conv("[2, 4, 5, 5]", "[2, 4, 5, 5]", "[4, 2, 2, 2]",
           pad + ", groups = int32(2), bias = tensor<fp16, [4]>([1, 2, 3, 4])"));
  add(Conv("[1, 2, 7, 8]", "[1, 3, 3, 7]", "[3, 2, 2, 2]",
           "strides = tensor<int32, [2]>([2, 1]), pad_type = string(\"valid\")"));
  add(Conv("[1, 6, 7, 7]", "[1, 3, 4, 4]", "[3, 6, 2, 2]",
           "strides = tensor<int32, [2]>([1, 1]), dilations = tensor<int32, [2]>([3, 3]), pad_type "
           "= string(\"valid\")"));
  add(MilProgram("tensor<fp16, [1, 2, 5, 5]> x",
                 "tensor<fp16, [2, 2, 2, 2]> w = const()[name = string(\"w\"), val = "
                 "tensor<fp16, [2, 2, 2, 2]>([[[[1, 2], [3, 4]], [[5, 6], [7, 8]]], [[[1, -2], [3, "
                 "-4]], [[5, -6], [7, -8]]]])];"
                 "tensor<fp16, [1, 2, 5, 5]> y = conv(x = x, weight = w, " +
                     pad + ");",
                 "y"));
  add(MilProgram("tensor<fp16, [3, 4]> x",
                 "tensor<fp16, [3, 4]> y = linear(x = x, weight = tensor<fp16, [4, 4]>([[1, 2, 3, "
                 "4], [0.5, 0.25, 1, 2], [3, 1, 1, 7], [0.125, 1, 2, 3]]), bias = tensor<fp16, "
                 "[4]>([1, 2, 3, 4]));",
                 "y"));
  add(MilProgram("tensor<fp16, [40]> x",
                 "tensor<int32, [2]> s = const()[name = string(\"s\"), val = tensor<int32, "
                 "[2]>([5, 8])]; tensor<fp16, [5, 8]> r = reshape(x = x, shape = s);"
                 "tensor<fp16, [5, 2]> y = linear(x = r, weight = tensor<fp16, [2, 8]>([[1, 2, 3, "
                 "4, 5, 6, 7, 8], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.9]]));",
                 "y"));
  add(Simple("[2, 9, 9]", "[2, 9, 9]",
             "matmul(x = x, y = w, transpose_x = bool(true), transpose_y = bool(true))",
             ", tensor<fp16, [2, 9, 9]> w"));
  add(Simple("[1, 70]", "[1, 1]", "matmul(x = x, y = w)", ", tensor<fp16, [70, 1]> w"));
  add(Simple("[2, 3, 12, 12]", "[2, 3, 12, 12]", "matmul(x = x, y = w)",
             ", tensor<fp16, [2, 3, 12, 12]> w"));
  add(Simple("[1, 4, 3]", "[1, 4, 6]",
             "conv_transpose(x = x, weight = tensor<fp16, [4, 2, 2]>([[[1, 2], [3, 4]], [[5, 6], "
             "[7, 8]], [[2, -1], [4, -3]], [[6, -5], [8, -7]]]), groups = int32(2), bias = "
             "tensor<fp16, [4]>([1, 2, 3, 4]), strides = tensor<int32, [1]>([2]), pad_type = "
             "string(\"same\"))"));
  for (const auto& [x, y, call] : kPlainCalls) add(Simple(x, y, call));
  add(MilProgram("tensor<fp16, [3, 4]> x",
                 "tensor<fp16, [2, 4]> y, tensor<int32, [2, 4]> i = topk(x = x, k = int32(2), axis "
                 "= int32(0));",
                 "y"));
  add(MilProgram("tensor<fp16, [3, 4]> x",
                 "tensor<int32, [1, 4]> i = reduce_argmax(x = x, axis = int32(0), keep_dims = "
                 "bool(true)); tensor<fp16, [1, 4]> y = cast(x = i, dtype = string(\"fp16\"));",
                 "y"));
  add(MilProgram("tensor<fp16, [4, 3]> x",
                 "tensor<fp16, [2, 3]> y, tensor<fp16, [2, 3]> z = split(x = x, num_splits = "
                 "int32(2), axis = int32(0));",
                 "y"));
  add(Simple("[3, 4]", "[3, 4]", "linear_activation(x = x, alpha = fp16(1.5), beta = fp16(0.25))"));
  add(Simple("[2, 3, 2, 4]", "[2, 3, 2, 5]",
             "einsum(values = (x, w), equation = string(\"nchw,nwhu->nchu\"))",
             ", tensor<fp16, [2, 4, 2, 5]> w"));
  add(Simple("[1, 2, 5, 5]", "[1, 2, 5, 5]",
             "l2_pool(x = x, kernel_sizes = tensor<int32, [2]>([2, 2]), " + pad + ")"));
  add(Simple("[1, 4, 3]", "[1, 4, 3]",
             "scaled_dot_product_attention(query = x, key = x, value = w, attn_mask = "
             "tensor<fp16, [4]>([0.5, 0, 1, 2]))",
             ", tensor<fp16, [1, 4, 3]> w"));
  add(Simple(
      "[1, 1, 2, 3]", "[1, 1, 3, 4]",
      "resize_bilinear(x = x, target_size_height = int32(3), target_size_width = int32(4))"));
  add(Simple("[1, 2, 3]", "[1, 4, 5]",
             "resize(x = x, shape = tensor<int32, [2]>([4, 5]), resized_dims = uint32(2), "
             "sampling_mode = string(\"ALIGN_CORNERS\"))"));
  add(Simple("[1, 2, 3]", "[1, 4, 6]",
             "upsample_bilinear(x = x, scale_factor_height = fp32(2), scale_factor_width = "
             "fp32(2), align_corners = bool(false), half_pixel_centers = bool(true))"));
  add(Simple("[1, 1, 4, 4]", "[1, 1, 2, 2]",
             "crop_resize(x = x, boxes = tensor<fp16, [1, 4]>([[0, 1, 4, 5]]), target_height = "
             "int32(2), target_width = int32(2), spatial_scale = fp32(0.5))"));
  add(Simple("[1, 1, 3, 3]", "[1, 1, 1, 2]",
             "resample(x = x, coordinates = tensor<fp16, [1, 1, 2, 2]>([[[[0.5, -0.5], [1, "
             "0.25]]]]), sampling_mode = string(\"bilinear\"), padding_mode = "
             "string(\"border\"), padding_value = fp16(0), coordinates_mode = "
             "string(\"normalized_minus_one_to_one\"), align_corners = bool(true))"));
  add(Simple("[1, 1, 3, 3]", "[1, 1, 2, 2]",
             "affine(x = x, transform_matrix = tensor<fp16, [1, 6]>([[0.5, 0, 0.25, 0, 0.5, 0]]), "
             "output_height = int32(2), output_width = int32(2), sampling_mode = "
             "string(\"bilinear\"), padding_mode = string(\"constant\"), padding_value = "
             "fp16(0), coordinates_mode = string(\"normalized_minus_one_to_one\"), align_corners "
             "= bool(true))"));
  add(Simple("[2, 2, 3]", "[2, 1, 3]",
             "gather_nd(x = x, indices = tensor<int32, [2, 1, 1]>([[[1]], [[0]]]), batch_dims = "
             "int32(1))"));
  const auto constant = [&](const char* shape, const char* expression) {
    add(MilProgram(fmt::format("tensor<fp16, {}> x", shape),
                   fmt::format("tensor<fp16, {0}> c = {1}; tensor<fp16, {0}> y = add(x = x, y = "
                               "c);",
                               shape, expression),
                   "y"));
  };
  constant("[2, 2]",
           "constexpr_affine_dequantize(quantized_data = tensor<int8, [2, 2]>([[1, 2], [3, 4]]), "
           "zero_point = int8(2), scale = fp16(0.5), axis = int32(0))");
  constant("[2, 2]",
           "constexpr_blockwise_shift_scale(data = tensor<int8, [2, 2]>([[1, 2], [3, 4]]), scale = "
           "tensor<fp16, [2, 1]>([[1], [2]]), offset = tensor<int8, [2, 1]>([[1], [2]]))");
  constant("[2, 2]",
           "constexpr_lut_to_dense(indices = tensor<uint1, [2, 1]>([[1], [0]]), lut = tensor<fp16, "
           "[1, 1, 2, 2]>([[[[1, 2], [3, 4]]]]), vector_axis = int32(1))");
  constant("[2, 2]",
           "constexpr_sparse_to_dense(nonzero_data = tensor<fp16, [1]>([5]), mask = tensor<uint8, "
           "[1]>([2]), shape = tensor<uint32, [2]>([2, 2]))");
  add(MilProgram("tensor<fp16, [4]> x",
                 "tensor<int8, [4]> q = quantize(input = x, scale = fp16(0.25), zero_point = "
                 "int8(9), output_dtype = string(\"int8\")); tensor<fp16, [4]> y = "
                 "dequantize(input = q, scale = fp16(0.25), zero_point = int8(3));",
                 "y"));
  add(MilProgram("tensor<fp16, [2, 4]> x",
                 "tensor<fp16, [2, 2]> y, tensor<int32, [2, 2]> p = topk(x = x, k = int32(2), "
                 "ascending = bool(true));",
                 "y"));
  add(MilProgram("tensor<fp16, [2, 4]> x",
                 "tensor<int32, [2, 4]> p = argsort(x = x, axis = int32(0), ascending = "
                 "bool(true)); tensor<fp16, [2, 4]> y = cast(x = p, dtype = string(\"fp16\"));",
                 "y"));
  for (const bool average : {true, false}) {
    for (const bool ceil : {true, false}) {
      const std::string exclude =
          fmt::format(", exclude_padding_from_average = bool({})", ceil ? "true" : "false");
      add(Simple("[1, 3, 6, 6]", ceil ? "[1, 3, 4, 4]" : "[1, 3, 3, 3]",
                 fmt::format("{}(x = x, kernel_sizes = tensor<int32, [2]>([3, 3]), strides = "
                             "tensor<int32, [2]>([2, 2]), pad_type = string(\"custom\"), pad = "
                             "tensor<int32, [4]>([1, 1, 1, 1]), ceil_mode = bool({}){})",
                             average ? "avg_pool" : "max_pool", ceil ? "true" : "false",
                             average ? exclude : "")));
    }
  }
  add(Simple("[3000]", "[3000]", "mul(x = x, y = x)"));
  for (const char* op : {"reduce_sum", "reduce_max"}) {
    add(Simple("[2, 40]", "[1, 40]", fmt::format("{}(x = x, {})", op, axis0)));
  }
  for (const char* op : {"add", "sub", "mul", "real_div", "maximum", "minimum"}) {
    add(Simple("[2, 3, 40]", "[2, 3, 40]", fmt::format("{}(x = x, y = w)", op),
               ", tensor<fp16, [2, 3, 40]> w"));
    add(Simple("[7, 7]", "[7, 7]", fmt::format("{}(x = x, y = w)", op), ", tensor<fp16, [7]> w"));
  }
  for (const char* op : {"relu", "sigmoid", "tanh", "gelu"}) {
    const bool mode = std::strcmp(op, "gelu") == 0;
    add(Simple(
        "[2, 5, 40]", "[2, 5, 40]",
        fmt::format("{}(x = x{})", op, mode ? ", mode = string(\"SIGMOID_APPROXIMATION\")" : "")));
  }
  add(Simple("[3, 40]", "[3, 40]", "clip(x = x, alpha = fp16(-1.5), beta = fp16(2))"));
  add(Simple("[3, 5, 6]", "[3, 5, 6]", "softmax(x = x, axis = int32(0))"));
  add(Simple("[3, 60]", "[3, 60]", "softmax(x = x, axis = int32(-1))"));
  add(Simple("[4, 8]", "[4, 8]",
             "layer_norm(x = x, axes = tensor<int32, [1]>([1]), epsilon = fp16(0.5), gamma = "
             "tensor<fp16, [8]>([1, 2, 3, 4, 5, 6, 7, 8]), beta = tensor<fp16, [8]>([1, 1, 1, 1, "
             "2, 2, 2, 2]))"));
  add(Simple("[6, 6]", "[6, 6]",
             "layer_norm(x = x, axes = tensor<int32, [1]>([1]), epsilon = fp16(0.01))"));
  add(Simple("[50, 3]", "[1, 3]", "reduce_sum(x = x, " + axis0 + ")"));
  add(Simple("[50, 3]", "[1, 3]", "reduce_max(x = x, " + axis0 + ")"));
  add(Simple("[24]", "[2, 3, 4]", "reshape(x = x, shape = tensor<int32, [3]>([2, 3, 4]))"));
  add(Simple("[3, 3, 3]", "[3, 3, 3]", "transpose(x = x, perm = tensor<int32, [3]>([1, 2, 0]))"));
  add(Simple("[2, 3]", "[2, 6]",
             "concat(values = (x, w), axis = int32(1), interleave = bool(true))",
             ", tensor<fp16, [2, 3]> w"));
  add(Simple("[2, 3]", "[2, 6]", "concat(values = (x, w), axis = int32(1))",
             ", tensor<fp16, [2, 3]> w"));
  for (const char* mode : {"constant", "reflect", "replicate"}) {
    add(Simple("[3, 4]", "[3, 7]",
               fmt::format("pad(x = x, pad = tensor<int32, [2]>([1, 2]), mode = string(\"{}\"), "
                           "constant_val = fp16(7))",
                           mode)));
  }
  add(Simple("[4, 9]", "[2, 5]",
             "slice_by_size(x = x, begin = tensor<int32, [2]>([1, 2]), size = tensor<int32, "
             "[2]>([2, 5]))"));
  add(Simple("[20]", "[20]", "cast(x = x, dtype = string(\"int8\"))", "", "int8"));
  add(MilProgram("tensor<uint16, [20]> x",
                 "tensor<uint8, [20]> n = cast(x = x, dtype = string(\"uint8\")); tensor<fp16, "
                 "[20]> y = cast(x = n, dtype = string(\"fp16\"));",
                 "y"));
  add(Simple("[1, 1, 1, 1, 3]", "[1, 1, 1, 1, 3]", "relu(x = x)"));
  // A clean engine refuses the following programs.
  add(Simple("[1, 1, 1, 1, 1, 3]", "[1, 1, 1, 1, 1, 3]", "relu(x = x)"));
  add(Simple("[16385]", "[16385]", "relu(x = x)"));
  add(Conv("[1, 1, 1, 20]", "[1, 1, 1, 7]", "[1, 1, 1, 14]", "pad_type = string(\"valid\")"));
  add(MilProgram("tensor<fp32, [3]> x", "tensor<fp32, [3]> y = relu(x = x);", "y"));
  return programs;
}

void FillInput(bool half, size_t first, int flavour, std::vector<uint8_t>& bytes) {
  for (size_t at = 0; at + 1 < bytes.size(); at += 2) {
    const size_t index = first + at / 2;
    const uint16_t word =
        half ? DoubleToHalf(StockValue(index, flavour)).bits : static_cast<uint16_t>(index * 37);
    std::memcpy(bytes.data() + at, &word, 2);
  }
}

// Returns the output bytes of a program on this flavour of data, or the refusal.
std::string Outcome(const std::string& mil, const ActiveFaults& faults, const char* target,
                    int flavour, int runs) {
  CompileSettings settings;
  settings.target = FindTarget(target);
  settings.model = ResolveNumericModel(settings.quirks, settings.target->family);
  settings.faults = faults;
  auto programs = CompileProgram(mil, settings, Backend::kAne);
  if (!programs.ok()) return programs.error().message;
  const Executable& executable = *programs->front();
  std::vector<std::vector<uint8_t>> inputs;
  std::vector<std::vector<uint8_t>> outputs;
  std::vector<const void*> input_pointers;
  std::vector<void*> output_pointers;
  for (const Port& port : executable.inputs) {
    inputs.emplace_back(static_cast<size_t>(port.type.Bytes()) + 16);
    input_pointers.push_back(inputs.back().data());
  }
  for (const Port& port : executable.outputs) {
    outputs.emplace_back(static_cast<size_t>(port.type.Bytes()) + 16);
    output_pointers.push_back(outputs.back().data());
  }
  std::string outcome;
  Execution execution(programs->front());
  for (int run = 0; run < runs; ++run) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      const bool half = executable.inputs[i].type.element == Element::kFp16;
      FillInput(half, static_cast<size_t>(run) + 1000 * i, flavour, inputs[i]);
    }
    execution.Run(input_pointers, output_pointers);
    for (const auto& bytes : inputs) outcome.append(bytes.begin(), bytes.end());
    for (const auto& bytes : outputs) outcome.append(bytes.begin(), bytes.end());
  }
  return outcome;
}

TEST(Faults, AreAtLeastOneHundredFiftyWithUniqueIds) {
  std::set<std::string_view> ids;
  for (const Fault& fault : Faults()) {
    EXPECT_TRUE(ids.insert(fault.id).second) << fault.id;
    EXPECT_FALSE(fault.description.empty()) << fault.id;
    EXPECT_GT(fault.share, -1e-9) << fault.id;
  }
  EXPECT_GE(ids.size(), 150u);
}

TEST(Faults, EachChangesTheResultOfSomeProgram) {
  const std::vector<StockProgram> programs = StockPrograms();
  const ActiveFaults none;
  std::map<std::string, std::string> clean;
  for (const Fault& fault : Faults()) {
    if (NeedsProcess(fault) || NeedsAbi(fault)) continue;
    ActiveFaults enabled;
    ASSERT_TRUE(enabled.Enable(fault.id).ok());
    bool seen = false;
    for (const StockProgram& program : programs) {
      for (const char* target : {"h13", "h15"}) {
        for (int flavour = 0; flavour < kFlavours && !seen; ++flavour) {
          std::string& expected = clean[fmt::format("{}{}{}", target, flavour, program.mil)];
          if (expected.empty()) expected = Outcome(program.mil, none, target, flavour, 3);
          seen = Outcome(program.mil, enabled, target, flavour, 3) != expected;
        }
      }
      if (seen) break;
    }
    EXPECT_TRUE(seen) << fault.id;
  }
}

TEST(Faults, EnablingIsByIdAndReversible) {
  ActiveFaults faults;
  EXPECT_FALSE(faults.Enable("no-such-fault").ok());
  EXPECT_TRUE(faults.Enable("conv-bias-dropped").ok());
  EXPECT_TRUE(faults.Enable("conv-bias-dropped").ok());
  EXPECT_EQ(faults.all().size(), 1u);
  NumericModel conv;
  NumericModel linear;
  faults.Plant("conv", conv);
  faults.Plant("linear", linear);
  EXPECT_TRUE(conv.Has(Planted::kBiasDropped));
  EXPECT_FALSE(linear.HasAny());
  EXPECT_TRUE(faults.Disable("conv-bias-dropped"));
  EXPECT_FALSE(faults.Disable("conv-bias-dropped"));
  EXPECT_TRUE(faults.empty());
}

TEST(Faults, UlpErrorsHaveTheGivenSizeAndShare) {
  for (const char* bad : {"ulp-error:add", "ulp-error:add:0:10", "ulp-error:add:1:0",
                          "ulp-error:add:1:1001", "ulp-error::1:1", "ulp-error:add:x:1"}) {
    ActiveFaults faults;
    EXPECT_FALSE(faults.Enable(bad).ok()) << bad;
  }
  for (const int permille : {1, 100, 1000}) {
    ActiveFaults faults;
    ASSERT_TRUE(faults.Enable(fmt::format("ulp-error:add:3:{}", permille)).ok());
    const Fault& fault = faults.all()[0];
    EXPECT_EQ(fault.op, "add");
    EXPECT_EQ(fault.ulps, 3);
    std::vector<uint16_t> halves(20000, 0x3c00);
    SpoilOutput(fault, {Element::kFp16, {20000}}, {}, halves.data());
    int touched = 0;
    for (const uint16_t half : halves) {
      if (half == 0x3c00) continue;
      EXPECT_EQ(half, 0x3c03);
      ++touched;
    }
    EXPECT_NEAR(touched / 20000.0, permille / 1000.0, 0.01);
    EXPECT_GT(touched, 0);
  }
}

// The choice of changed elements depends on the tensor's size and content, so that small tensors
// are changed too.
TEST(Faults, UlpErrorsHaveTheGivenShareInSmallTensorsToo) {
  ActiveFaults faults;
  ASSERT_TRUE(faults.Enable("ulp-error:add:1:10").ok());
  constexpr int kTensors = 4000;
  int touched = 0;
  std::set<int64_t> places;
  for (int tensor = 0; tensor < kTensors; ++tensor) {
    std::vector<uint16_t> halves;
    for (int i = 0; i < 1 + tensor % 8; ++i) {
      halves.push_back(static_cast<uint16_t>(0x3000 + (tensor * 8 + i) % 0x4000));
    }
    const std::vector<uint16_t> before = halves;
    SpoilOutput(faults.all()[0], {Element::kFp16, {static_cast<int64_t>(halves.size())}}, {},
                halves.data());
    for (size_t i = 0; i < halves.size(); ++i) {
      if (halves[i] == before[i]) continue;
      ++touched;
      places.insert(static_cast<int64_t>(i));
    }
  }
  EXPECT_NEAR(touched / (kTensors * 4.5), 0.01, 0.004);
  EXPECT_EQ(places.size(), 8u) << "every position of the largest tensors is changed somewhere";
}

// Compressed constants are expanded when a program is compiled, not when it runs.
TEST(Faults, ReachConstantsThatTheCompilerExpands) {
  const std::string program = MilProgram(
      "tensor<fp16, [2]> x",
      "tensor<fp16, [2]> c = constexpr_affine_dequantize(quantized_data = tensor<int8, [2]>([1, "
      "2]), zero_point = int8(0), scale = fp16(0.5), axis = int32(0)); tensor<fp16, [2]> y = add(x "
      "= x, y = c);",
      "y");
  ActiveFaults none;
  ActiveFaults faults;
  ASSERT_TRUE(faults.Enable("ulp-error:constexpr_affine_dequantize:64:1000").ok());
  EXPECT_NE(Outcome(program, faults, "h15", 0, 1), Outcome(program, none, "h15", 0, 1));
}

// A fault whose values the contract admits must name the admitting term, and be small.
TEST(Faults, AdmittedOnesNameTheTermAndAreSmall) {
  size_t admitted = 0;
  for (const Fault& fault : Faults()) {
    if (fault.admitted.empty()) continue;
    ++admitted;
    EXPECT_GT(fault.ulps, 0) << fault.id;
    EXPECT_LE(fault.ulps, 1) << fault.id;
  }
  EXPECT_EQ(admitted, 1u);
}

// ---- rows that crash, hang or grow their process ------------------------------------------------

const std::string kAddOne =
    MilProgram("tensor<fp16, [4]> x", "tensor<fp16, [4]> y = add(x = x, y = fp16(1));", "y");

constexpr const char* kChildVariable = "ANECHECK_DEVICE_TEST_FAULT";

int64_t ResidentPages() {
  auto text = ReadTextFile("/proc/self/statm");
  long long size = 0;
  long long resident = 0;
  if (!text.ok() || std::sscanf(text->c_str(), "%lld %lld", &size, &resident) != 2) return 0;
  return resident;
}

// Runs ten programs under one fault in a child process, then prints the growth of the process.
TEST(FaultChild, RunsTenPrograms) {
  const char* fault = std::getenv(kChildVariable);
  if (fault == nullptr) GTEST_SKIP() << "runs only as the child process of another test";
  ENGINE(anecheck_sim_enable_fault)(fault);
  int64_t before = 0;
  for (int i = 0; i < 11; ++i) {
    if (i == 1) before = ResidentPages();
    LoadedProgram program(kAddOne);
    program.Bind("x", false, 8);
    program.Bind("y", true, 8);
    program.Execute();
  }
  const int64_t pages = ResidentPages() - before;
  const std::string line =
      fmt::format("finished, grown by {} KiB\n", pages * sysconf(_SC_PAGESIZE) / 1024);
  ASSERT_GT(write(STDOUT_FILENO, line.data(), line.size()), 0);
}

struct ChildEnd {
  int signal = 0;
  int code = -1;
  bool timed_out = false;
  std::string output;
  int64_t grown_kib() const {
    const size_t at = output.find("grown by ");
    return at == std::string::npos ? -1 : std::atoll(output.c_str() + at + 9);
  }
};

// Kills the child after the limit. It is long, because a loaded machine starts processes slowly.
ChildEnd RunChild(std::string_view fault,
                  std::chrono::milliseconds limit = std::chrono::minutes(1)) {
  int pipe_ends[2];
  EXPECT_EQ(pipe(pipe_ends), 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, pipe_ends[0]);
  const std::string variable = fmt::format("{}={}", kChildVariable, fault);
  std::vector<char*> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) environment.push_back(*entry);
  environment.push_back(const_cast<char*>(variable.c_str()));
  environment.push_back(nullptr);
  std::string self = "/proc/self/exe";
  std::string filter = "--gtest_filter=FaultChild.*";
  char* arguments[] = {self.data(), filter.data(), nullptr};
  pid_t child = 0;
  EXPECT_EQ(posix_spawn(&child, self.c_str(), &actions, nullptr, arguments, environment.data()), 0);
  posix_spawn_file_actions_destroy(&actions);
  close(pipe_ends[1]);
  ChildEnd end;
  int status = 0;
  const auto deadline = std::chrono::steady_clock::now() + limit;
  // The child's end of the pipe closes when the child ends.
  pollfd child_end = {pipe_ends[0], POLLIN, 0};
  char buffer[4096];
  for (ssize_t got = 1; got > 0;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (!end.timed_out && poll(&child_end, 1, std::max(0, static_cast<int>(left.count()))) == 0) {
      end.timed_out = true;
      kill(child, SIGKILL);
    }
    got = read(pipe_ends[0], buffer, sizeof(buffer));
    if (got > 0) end.output.append(buffer, static_cast<size_t>(got));
  }
  close(pipe_ends[0]);
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  if (WIFEXITED(status)) end.code = WEXITSTATUS(status);
  return end;
}

bool Finished(const ChildEnd& end) { return end.output.find("finished") != std::string::npos; }

TEST(FaultProcess, CleanChildFinishes) {
  const ChildEnd end = RunChild("");
  EXPECT_EQ(end.code, 0);
  EXPECT_TRUE(Finished(end));
#ifndef ANECHECK_SANITIZED
  EXPECT_LT(end.grown_kib(), 2048);
#endif  // AddressSanitizer keeps freed memory for a while.
}

#ifndef ANECHECK_SANITIZED
TEST(FaultProcess, CrashesEndTheProcess) {
  EXPECT_EQ(RunChild("run-crash").signal, SIGSEGV);
  EXPECT_EQ(RunChild("compile-crash").signal, SIGSEGV);
  EXPECT_EQ(RunChild("run-abort").signal, SIGABRT);
  const ChildEnd exit = RunChild("run-exit");
  EXPECT_EQ(exit.code, 0);
  EXPECT_FALSE(Finished(exit));
}
#endif

TEST(FaultProcess, HangsDoNotReturn) {
  for (const char* fault : {"run-hang", "compile-hang"}) {
    const ChildEnd end = RunChild(fault, std::chrono::milliseconds(2500));
    EXPECT_TRUE(end.timed_out) << fault;
    EXPECT_FALSE(Finished(end)) << fault;
  }
}

TEST(FaultProcess, SlowRunsTakeTheirTime) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(Finished(RunChild("run-slow")));
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(11 * 50));
}

TEST(FaultProcess, LeaksGrowTheProcess) {
  EXPECT_GE(RunChild("run-leak").grown_kib(), 9 * 1024);
  EXPECT_GE(RunChild("compile-leak").grown_kib(), 36 * 1024);
}

TEST(FaultProcess, StrayOutputReachesStandardOutput) {
  const ChildEnd end = RunChild("run-prints");
  EXPECT_NE(end.output.find("garbage from the engine"), std::string::npos);
  EXPECT_TRUE(Finished(end));
}

}  // namespace
}  // namespace anecheck::device::testing
