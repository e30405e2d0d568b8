// The programs that the compile step takes and refuses, and its messages
// (facts/compile_envelope.csv, facts/more/reject_strings.csv).
#include "harness/device/compile.h"

#include <cstring>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/base/byte_writer.h"
#include "harness/base/file.h"
#include "harness/device/testing/test_engine.h"

namespace anecheck::device::testing {
namespace {

std::string Unary(const std::string& shape, const std::string& element = "fp16") {
  return MilProgram(fmt::format("tensor<{}, {}> x", element, shape),
                    fmt::format("tensor<{}, {}> y = relu(x = x);", element, shape), "y");
}

struct Refusal {
  const char* name;
  std::string mil;
  const char* target;
  const char* message;
};

std::vector<Refusal> Refusals() {
  const auto conv = [](const char* x, const char* w, const char* y, const char* rest) {
    return MilProgram(fmt::format("tensor<fp16, {}> x, tensor<fp16, {}> w", x, w),
                      fmt::format("tensor<fp16, {}> y = conv(x = x, weight = w{});", y, rest), "y");
  };
  return {
      {"Rank6", Unary("[1, 1, 1, 1, 1, 2]"), "h13",
       "tensor rank 6 exceeds the ANE maximum of 5 @ Frontend"},
      {"Axis16385", Unary("[16385]"), "h13", "exceeds ANE family 2's max dimension 16384"},
      {"Axis65537", Unary("[65537]"), "h17", "exceeds ANE family 6's max dimension 65536"},
      {"Channel65537", Unary("[1, 65537, 1, 1]"), "h13", "max dimension 65536"},
      {"ZeroExtent", Unary("[0, 8]"), "h13",
       "Expected tensor<fp16, [1, 8]>; got tensor<fp16, [0, 8]>"},
      {"Fp32Input", Unary("[4]", "fp32"), "h13", "dtype must be 'fp16' or 'uint8'"},
      {"Groups", conv("[1, 8, 4, 4]", "[2, 2, 1, 1]", "[1, 2, 4, 4]", ", groups = int32(2)"), "h13",
       "KernelChannels (2) != InputChannels (8) / Group (2)"},
      {"GroupsDoNotDivide",
       conv("[1, 8, 4, 4]", "[3, 2, 1, 1]", "[1, 3, 4, 4]", ", groups = int32(3)"), "h13",
       "input/output channels should be divisible by num group"},
      {"KernelWidth16", conv("[1, 1, 1, 20]", "[1, 1, 1, 16]", "[1, 1, 1, 5]", ""), "h13",
       "kW must be <=15"},
      {"KernelWidth14", conv("[1, 1, 1, 20]", "[1, 1, 1, 14]", "[1, 1, 1, 7]", ""), "h13",
       "Invalid conv kernel width = 14, It should be in [1, 13]"},
      {"LargeKernel", conv("[1, 1, 1, 20]", "[1, 1, 1, 16]", "[1, 1, 1, 5]", ""), "h16g",
       "conv with large kernel does not meet decomposition preconditions @ Codegen"},
      {"TallKernel", conv("[1, 1, 40, 1]", "[1, 1, 32, 1]", "[1, 1, 9, 1]", ""), "h18g",
       "conv with large kernel does not meet decomposition preconditions @ Codegen"},
      {"WidePool",
       MilProgram("tensor<fp16, [1, 1, 1, 12]> x",
                  "tensor<fp16, [1, 1, 1, 4]> y = max_pool(x = x, kernel_sizes = tensor<int32, "
                  "[2]>([1, 9]), pad_type = string(\"valid\"));",
                  "y"),
       "h16g", "Invalid Pool kernel width (9), must be [1-8] or 32."},
      {"InnerExtent",
       MilProgram("tensor<fp16, [1, 49152]> x, tensor<fp16, [49152, 1]> z",
                  "tensor<fp16, [1, 1]> y = matmul(x = x, y = z);", "y"),
       "h16g", "an inner extent of 49152"},
      {"LogicOnM1",
       MilProgram("tensor<fp16, [1, 4]> x, tensor<fp16, [1, 4]> z",
                  "tensor<bool, [1, 4]> c = equal(x = x, y = z); tensor<bool, [1, 4]> y = "
                  "logical_and(x = c, y = c);",
                  "y"),
       "h13", "Some ops are not supported on any of the specified backends"},
      {"LinearRank5",
       MilProgram("tensor<fp16, [1, 1, 1, 1, 2]> x",
                  "tensor<fp16, [1, 1, 1, 1, 1]> y = linear(x = x, weight = tensor<fp16, [1, "
                  "2]>([[1, 2]]));",
                  "y"),
       "h13", "ANE cannot support Linear with input rank >= 5"},
      {"ReshapeRank6",
       MilProgram("tensor<fp16, [2]> x",
                  "tensor<fp16, [1, 1, 1, 1, 1, 2]> y = reshape(x = x, shape = tensor<int32, "
                  "[6]>([1, 1, 1, 1, 1, 2]));",
                  "y"),
       "h13", "Cannot reshape a tensor of rank > 5"},
      {"ConcatLayout",
       MilProgram("tensor<fp16, [2, 2]> x, tensor<fp16, [3, 3]> z",
                  "tensor<fp16, [5, 2]> y = concat(values = (x, z), axis = int32(0));", "y"),
       "h13", "both concat inputs must have the same layout"},
      {"NoSuchOperation",
       MilProgram("tensor<fp16, [2]> x", "tensor<fp16, [2]> y = frobnicate(x = x);", "y"), "h13",
       "Some ops are not supported on any of the specified backends"},
      {"Legacy", Unary("[2]"), "h12",
       "MIL is only supported for H13+ ANE architectures @ Frontend"},
      {"DeclaredOtherwise",
       MilProgram("tensor<fp16, [2]> x", "tensor<fp16, [3]> y = relu(x = x);", "y"), "h13",
       "'y' is declared with another type than the operation's tensor<fp16, [2]>"},
      {"MissingArgument",
       MilProgram("tensor<fp16, [2]> x", "tensor<fp16, [2]> y = add(x = x);", "y"), "h13",
       "required argument 'y' is missing"},
      {"UndefinedName",
       MilProgram("tensor<fp16, [2]> x", "tensor<fp16, [2]> y = add(x = x, y = z);", "y"), "h13",
       "'z'"},
      {"UsedBeforeComputed",
       MilProgram("tensor<fp16, [2]> x",
                  "tensor<fp16, [2]> y = add(x = x, y = z); tensor<fp16, [2]> z = relu(x = x);",
                  "y"),
       "h13", "'z'"},
      {"DynamicAttribute",
       MilProgram("tensor<fp16, [2]> x, tensor<fp16, [1]> a",
                  "tensor<fp16, [2]> y = reshape(x = x, shape = a);", "y"),
       "h13", "must be a constant"},
      {"ShortLiteral",
       MilProgram("tensor<fp16, [2]> x",
                  "tensor<fp16, [2]> y = add(x = x, y = tensor<fp16, [2]>([1.0]));", "y"),
       "h13", "an axis of tensor<fp16, [2]> takes 2 values, the literal has 1"},
      {"ShortFlatLiteral",
       MilProgram("tensor<fp16, [1, 2]> x",
                  "tensor<fp16, [1, 2]> y = add(x = x, y = tensor<fp16, [1, 2]>([1]));", "y"),
       "h13", "tensor<fp16, [1, 2]> takes 2 values, the flat list has 1"},
      {"BareLiteral",
       MilProgram("tensor<fp16, [1, 2]> x",
                  "tensor<fp16, [1, 2]> y = softmax(x = x, axis = tensor<int32, [1]>(-1));", "y"),
       "h13", "expected one level of lists for each axis of tensor<int32, [1]>, found -1"},
      {"SymbolicExtent", Unary("[?]"), "h13", "symbolic dimensions"},
      {"Syntax", "program(1.3) { func main<ios18>(", "h13", "@ Parser"},
      {"Empty", "", "h13", "@ Parser"},
      {"HugeTensor", Unary("[16384, 16384, 16384]"), "h13", "too many elements"},
      {"HugeProgram",
       MilProgram("tensor<fp16, [1, 8, 16384, 16384]> x",
                  "tensor<fp16, [1, 8, 16384, 16384]> y = relu(x = x);", "y"),
       "h13", "can not fit"},
  };
}

class CompileRefusals : public ::testing::TestWithParam<Refusal> {};

TEST_P(CompileRefusals, NameTheFault) {
  const CleanSettings settings;
  const std::string error = CompileError(GetParam().mil, GetParam().target);
  EXPECT_NE(error.find(GetParam().message), std::string::npos) << error;
  EXPECT_NE(error.find(" @ "), std::string::npos) << error;
}

INSTANTIATE_TEST_SUITE_P(Compile, CompileRefusals, ::testing::ValuesIn(Refusals()),
                         [](const auto& row) { return std::string(row.param.name); });

// Of the families that MIL reaches, only A18 has the formats (specification 003, table 24.3).
TEST(Compile, FloatingWeightsOfEightBitsNeedA18) {
  const CleanSettings settings;
  struct Format {
    const char* type;
    const char* name;
    const char* data;
  };
  constexpr Format kFormats[] = {{"fp8e4m3fn", "E4M3", "0x38, 0xc0"},
                                 {"fp8e5m2", "E5M2", "0x3c, 0xc0"}};
  for (const Format& format : kFormats) {
    const std::string mil = MilProgram(
        "tensor<fp16, [2]> x",
        fmt::format("tensor<fp16, [2]> w = constexpr_blockwise_shift_scale(data = tensor<{}, "
                    "[2]>([{}]), scale = tensor<fp16, [1]>([3]));\n"
                    "tensor<fp16, [2]> y = add(x = x, y = w);",
                    format.type, format.data),
        "y");
    for (const char* target : {"h13", "h14", "h15", "h16", "h17", "h17s", "h17d", "m11"}) {
      const std::string error = CompileError(mil, target);
      EXPECT_NE(
          error.find(fmt::format("{} is not supported on this architecture @ Hal", format.name)),
          std::string::npos)
          << target << ": " << error;
      EXPECT_EQ(CompileError(mil, target, 1), "") << "the CPU takes these formats";
    }
    EXPECT_EQ(ToDoubles(RunHalves(mil, {{"x", ToHalves({0, 0})}}, 2, "h18")),
              (std::vector<double>{3, -6}));
  }
}

// In a probe the M5 ran the operation. No table of another family lists it.
TEST(Compile, CastsOfConstantsNeedA17) {
  const CleanSettings settings;
  const std::string mil = MilProgram(
      "tensor<fp16, [2]> x",
      "tensor<fp16, [2]> w = constexpr_cast(source_val = tensor<fp32, [2]>([0.5, 2049]), "
      "output_dtype = string(\"fp16\"));\n"
      "tensor<fp16, [2]> y = add(x = x, y = w);",
      "y");
  for (const char* target : {"h13", "h14", "h15", "h16"}) {
    EXPECT_NE(CompileError(mil, target).find("not supported on any of the specified backends"),
              std::string::npos)
        << target;
  }
  EXPECT_EQ(ToDoubles(RunHalves(mil, {{"x", ToHalves({0, 0})}}, 2, "h17s")),
            (std::vector<double>{0.5, 2048}));
}

TEST(Compile, TakesTheLimitsThemselves) {
  const CleanSettings settings;
  EXPECT_EQ(CompileError(Unary("[16384]")), "");
  EXPECT_EQ(CompileError(Unary("[65536]"), "h17s"), "");
  EXPECT_EQ(CompileError(Unary("[1, 16385, 1, 1]")), "");
  EXPECT_EQ(CompileError(Unary("[1, 1, 1, 1, 2]")), "");
  for (const char* element : {"int8", "uint8", "int16", "uint16"}) {
    const std::string mil =
        MilProgram(fmt::format("tensor<{}, [2]> x", element),
                   fmt::format("tensor<{}, [2]> y = add(x = x, y = x);", element), "y");
    EXPECT_EQ(CompileError(mil), "") << element;
  }
}

std::string Chosen(const char* condition) {
  return MilProgram(
      fmt::format("tensor<{}, [2, 2]> c, tensor<fp16, [2, 2]> a, tensor<fp16, [2, 2]> b",
                  condition),
      "tensor<fp16, [2, 2]> y = select(a = a, b = b, cond = c);", "y");
}

// Source: facts/silicon/compile_limits_silicon.csv, rows of select.
TEST(Compile, TakesBoolConditionsAndNoOthers) {
  const CleanSettings settings;
  for (const char* target : {"h13", "h14", "h15", "h16", "h17s", "h18"}) {
    EXPECT_EQ(CompileError(Chosen("bool"), target), "") << target;
    for (const char* type : {"fp16", "uint8"}) {
      EXPECT_NE(CompileError(Chosen(type), target).find("cond is tensor<"), std::string::npos)
          << target << ", " << type;
    }
  }
}

TEST(Compile, ABoolCrossesTheBoundaryInBothDirections) {
  const CleanSettings settings;
  const auto halves = [](std::initializer_list<double> values) {
    std::vector<uint8_t> bytes;
    for (const double value : values) {
      const uint16_t bits = DoubleToHalf(value).bits;
      bytes.push_back(static_cast<uint8_t>(bits & 0xff));
      bytes.push_back(static_cast<uint8_t>(bits >> 8));
    }
    return bytes;
  };
  const std::string chosen = Chosen("bool");
  const std::string compared = MilProgram("tensor<fp16, [4]> a, tensor<fp16, [4]> b",
                                          "tensor<bool, [4]> y = less(x = a, y = b);", "y");
  const std::vector<uint8_t> a = halves({1, 2, 3, 4}), b = halves({5, 2, -7, 8});
  for (const char* target : {"h13", "h16"}) {
    EXPECT_EQ(RunBytes(chosen, {{"c", {1, 0, 0, 1}}, {"a", a}, {"b", b}}, {{"y", 8}}, target)["y"],
              halves({1, 2, -7, 4}));
    EXPECT_EQ(RunBytes(compared, {{"a", a}, {"b", b}}, {{"y", 4}}, target)["y"],
              (std::vector<uint8_t>{1, 0, 0, 1}));
  }
}

// Real files contain scalars as tensor<string, []>, constants by name, and untyped literals.
TEST(Compile, ReadsEverySpellingOfConstants) {
  const CleanSettings settings;
  const std::vector<std::string> spellings = {
      "tensor<int32, []> a = const()[name = tensor<string, []>(\"a\"), val = tensor<int32, "
      "[]>(-1)];"
      "tensor<fp16, [2, 3]> y = softmax(axis = a, x = x)[name = tensor<string, []>(\"y\")];",
      "int32 a = const()[name = string(\"a\"), val = int32(-1)];"
      "tensor<fp16, [2, 3]> y = softmax(axis = a, x = x)[name = string(\"y\")];",
      "tensor<fp16, [2, 3]> y = softmax(axis = int32(1), x = x);",
      "tensor<fp16, [2, 3]> y = softmax(axis = 1, x = x);",
      "int32 a = const(val = int32(1))[name = string(\"a\")];"
      "tensor<fp16, [2, 3]> y = softmax(axis = a, x = x);",
  };
  const Halves x = ToHalves({1, 2, 3, 4, 5, 7});
  const auto run = [&](const std::string& statements) {
    return RunHalves(MilProgram("tensor<fp16, [2, 3]> x", statements, "y"), {{"x", x}}, 6, "h15");
  };
  const Halves expected = run(spellings[0]);
  EXPECT_NE(expected[0].bits, 0);
  for (const std::string& spelling : spellings) EXPECT_EQ(run(spelling), expected) << spelling;
}

TEST(Compile, ReadsHalfLiterals) {
  const CleanSettings settings;
  const std::string mil = MilProgram(
      "tensor<fp16, [5]> x",
      "tensor<fp16, [5]> y = add(x = x, y = tensor<fp16, [5]>([0x1.8p+1, 1.5, -2, 0x3c00, 1e-1]));",
      "y");
  const auto y = RunHalves(mil, {{"x", Halves(5)}}, 5, "h15");
  EXPECT_EQ(ToDoubles(y), (std::vector<double>{3, 1.5, -2, 1, 0x1.998p-4}));
}

TEST(Compile, ReadsWeightsFromTheSideFile) {
  const CleanSettings settings;
  auto folder = TempDirectory::Create("anecheck-weights-");
  ASSERT_TRUE(folder.ok());
  ByteWriter writer;
  writer.U32(1);
  writer.PadTo(64);
  writer.U32(0xdeadbeef);
  writer.U32(1);
  writer.U64(4);
  writer.U64(128);
  writer.PadTo(128);
  writer.U16(0x4000);
  writer.U16(0x4200);
  ASSERT_TRUE(WriteFileAtomic(folder->File("weight.bin"), writer.bytes()).ok());
  const auto program = [](int offset) {
    return MilProgram(
        "tensor<fp16, [2]> x",
        fmt::format("tensor<fp16, [2]> w = const()[name = string(\"w\"), val = tensor<fp16, "
                    "[2]>(BLOBFILE(path = string(\"@model_path/weight.bin\"), offset = "
                    "uint64({})))]; tensor<fp16, [2]> y = mul(x = x, y = w);",
                    offset),
        "y");
  };
  LoadedProgram loaded(program(64), {.model_folder = folder->path()});
  ASSERT_EQ(loaded.error(), "");
  auto* x = static_cast<uint16_t*>(loaded.Bind("x", false, 4));
  const auto* y = static_cast<const uint16_t*>(loaded.Bind("y", true, 4));
  x[0] = x[1] = 0x3c00;
  ASSERT_EQ(loaded.Execute(), 0);
  EXPECT_EQ(y[0], 0x4000);
  EXPECT_EQ(y[1], 0x4200);
  const LoadedProgram no_record(program(0), {.model_folder = folder->path()});
  EXPECT_NE(no_record.error().find("0xdeadbeef"), std::string::npos) << no_record.error();
  const LoadedProgram outside(program(4096), {.model_folder = folder->path()});
  EXPECT_NE(outside.error(), "");
}

// Inputs and constants may be outputs.
TEST(Compile, CopiesInputsAndConstantsToOutputs) {
  const CleanSettings settings;
  const std::string mil = MilProgram(
      "tensor<fp16, [2]> x",
      "tensor<fp16, [2]> c = const()[name = string(\"c\"), val = tensor<fp16, [2]>([5, 6])];"
      "tensor<fp16, [2]> y = relu(x = x);",
      "x, c, y");
  LoadedProgram program(mil);
  ASSERT_EQ(program.error(), "");
  auto* x = static_cast<uint16_t*>(program.Bind("x", false, 4));
  const auto* copy = static_cast<const uint16_t*>(program.Bind("x", true, 4));
  const auto* c = static_cast<const uint16_t*>(program.Bind("c", true, 4));
  const auto* y = static_cast<const uint16_t*>(program.Bind("y", true, 4));
  x[0] = 0xbc00;
  ASSERT_EQ(program.Execute(), 0);
  EXPECT_EQ(copy[0], 0xbc00);
  EXPECT_EQ(c[1], DoubleToHalf(6).bits);
  EXPECT_EQ(y[0], 0);
}

std::string NewestError(const std::string& mil, const char* target, bool newest = true) {
  CompileSettings settings;
  settings.target = FindTarget(target);
  settings.newest_compiler = newest;
  const auto programs = CompileProgram(mil, settings, Backend::kAne);
  return programs.ok() ? "" : programs.error().message;
}

// Sources: facts/silicon/op_placement_h16g.csv, compile_limits_silicon.csv.
TEST(Compile, TheNewestCompilerRefusesIntegersOf32BitsOnA16AndA18) {
  const auto on_x = [](const std::string& statements) {
    return MilProgram("tensor<fp16, [1, 4]> x", statements, "y");
  };
  const std::string there_and_back = on_x(
      "tensor<int32, [1, 4]> i = cast(x = x, dtype = string(\"int32\")); tensor<fp16, [1, 4]> y = "
      "cast(x = i, dtype = string(\"fp16\"));");
  const std::string position = on_x(
      "tensor<int32, [1, 1]> i = reduce_argmax(x = x, axis = int32(1), keep_dims = bool(true)); "
      "tensor<fp16, [1, 1]> y = cast(x = i, dtype = string(\"fp16\"));");
  const std::string gathered = on_x(
      "tensor<fp16, [1, 2]> y = gather(x = x, indices = tensor<int32, [2]>([0, 2]), axis = "
      "int32(1));");
  const std::string reduced = on_x(
      "tensor<fp16, [1, 1]> y = reduce_max(x = x, axes = tensor<int32, [1]>([1]), keep_dims = "
      "bool(true));");
  const std::string largest =
      "tensor<fp16, [1, 2]> v, tensor<int32, [1, 2]> i = topk(x = x, k = int32(2), axis = "
      "int32(1), "
      "sort = bool(true)); tensor<fp16, [1, 2]> y = ";
  const std::string widened = on_x(largest + "cast(x = i, dtype = string(\"fp16\"));");
  const std::string chosen =
      on_x(largest + "gather_along_axis(x = x, indices = i, axis = int32(1));");
  for (const std::string& mil : {there_and_back, position, gathered, widened}) {
    for (const char* target : {"h16", "h16g", "h18"}) {
      EXPECT_NE(NewestError(mil, target).find("Unsupported tensor data type: int32 @ Frontend"),
                std::string::npos)
          << mil;
      EXPECT_EQ(NewestError(mil, target, false), "");
    }
    // Other families have additional limits of topk.
    if (mil == widened) continue;
    for (const char* target : {"h13", "h15", "h17s"}) EXPECT_EQ(NewestError(mil, target), "");
  }
  EXPECT_EQ(NewestError(reduced, "h16"), "") << "the axes of a reduction are not a computed tensor";
  EXPECT_EQ(NewestError(chosen, "h16"), "") << "indices are converted to a narrower type";
}

TEST(Compile, TheNewestCompilerRefusesConstantDivisorsOnA13AndA14) {
  const auto divided = [](const char* divisor) {
    return MilProgram("tensor<fp16, [1, 2]> x",
                      fmt::format("tensor<fp16, [1, 2]> y = real_div(x = x, y = {});", divisor),
                      "y");
  };
  const std::string several = divided("tensor<fp16, [1, 2]>([[3, 5]])");
  for (const char* target : {"h13", "h14"}) {
    EXPECT_NE(NewestError(several, target).find("constant of several elements @ Validator"),
              std::string::npos);
    EXPECT_EQ(NewestError(several, target, false), "");
    EXPECT_EQ(NewestError(divided("fp16(3)"), target), "");
  }
  for (const char* target : {"h15", "h16", "h17s"}) EXPECT_EQ(NewestError(several, target), "");
}

// The compile step refuses every prefix of a program.
TEST(Compile, SurvivesTruncatedPrograms) {
  CompileSettings settings;
  settings.target = &DefaultTarget();
  const std::string whole = MilProgram(
      "tensor<fp16, [1, 2, 3, 3]> x",
      "tensor<fp16, [1, 2, 3, 3]> y = conv(x = x, weight = tensor<fp16, [2, 2, 1, 1]>([[[[1]], "
      "[[2]]], [[[3]], [[4]]]]), pad_type = string(\"same\"));",
      "y");
  ASSERT_TRUE(CompileProgram(whole, settings, Backend::kAne).ok());
  const size_t end = whole.rfind('}');
  for (size_t size = 0; size < end; ++size) {
    EXPECT_FALSE(CompileProgram(whole.substr(0, size), settings, Backend::kAne).ok()) << size;
  }
}

}  // namespace
}  // namespace anecheck::device::testing
