// Tests programs with a range of shapes. Such a program is compiled once. At each shape in its
// range it runs like a program of that fixed shape, and it runs at no other shape.
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "harness/base/byte_writer.h"
#include "harness/base/file.h"
#include "harness/device/testing/test_engine.h"

namespace anecheck::device::testing {
namespace {

std::string Attribute(const std::string& ranges, const std::string& shapes = "") {
  const std::string kinds =
      shapes.empty()
          ? fmt::format("(\"RangeDims\", {{{}}})", ranges)
          : fmt::format("(\"DefaultShapes\", {{{}}}), (\"RangeDims\", {{{}}})", shapes, ranges);
  return fmt::format(
      " [FlexibleShapeInformation = tuple<tuple<string, dict<string, "
      "list<tensor<int32, [3]>, ?>>>>(({}))]",
      kinds);
}

std::string Flexible(const std::string& attribute, const std::string& parameters,
                     const std::string& statements) {
  return fmt::format("program(1.3)\n{{\n func main<ios18>({}){} {{\n{}\n }} -> (y);\n}}\n",
                     parameters, attribute, statements);
}

// Returns a chain of a window over the ranged axis, a softmax along it and a constant product.
std::string Statements(const std::string& rows) {
  return fmt::format(
      "tensor<fp16, [1, 2, {0}, 3]> c = conv(x = x, weight = tensor<fp16, [2, 2, 3, 1]>([[[[1], "
      "[0.5], [2]], [[0.25], [3], [1]]], [[[0.1], [0.2], [0.3]], [[-1], [2], [0.7]]]]), pad_type = "
      "string(\"same\"));\n"
      "tensor<fp16, [1, 2, {0}, 3]> s = softmax(x = c, axis = int32(2));\n"
      "tensor<fp16, [1, 2, {0}, 3]> y = mul(x = s, y = fp16(0.7));",
      rows);
}
std::string Ranged(int64_t start, int64_t stop, int64_t step) {
  return Flexible(Attribute(fmt::format("{{\"x\", [[1, 1], [2, 2], [{}, {}, {}], [3, 3]]}}", start,
                                        stop, step)),
                  "tensor<fp16, [1, 2, ?, 3]> x", Statements("?"));
}
std::string Fixed(int64_t rows) {
  return Flexible("", fmt::format("tensor<fp16, [1, 2, {}, 3]> x", rows),
                  Statements(std::to_string(rows)));
}

constexpr int64_t kSlice = 12;  // bytes of a row

Halves Data(int64_t rows) {
  Halves data;
  for (int64_t i = 0; i < rows * 6; ++i) {
    data.push_back(DoubleToHalf(static_cast<double>(i * 37 % 23) / 4 - 2.5));
  }
  return data;
}

uint64_t Compiles() {
  anecheck_sim_counts counts{};
  ENGINE(anecheck_sim_get_counts)(&counts);
  return counts.compiles;
}

// Binds new buffers for `rows` rows to both ports and runs the program.
Halves RunAt(LoadedProgram& program, int64_t rows) {
  const auto bytes = static_cast<size_t>(rows * kSlice);
  const Halves x = Data(rows);
  void* input = program.Bind("x", false, bytes);
  void* output = program.Bind("y", true, bytes);
  if (input == nullptr || output == nullptr) return {};
  std::memcpy(input, x.data(), bytes);
  if (program.Execute() != 0) return {};
  Halves y(x.size());
  std::memcpy(y.data(), output, bytes);
  return y;
}

std::string Refusal(const std::string& mil, const std::vector<std::pair<std::string, size_t>>& in,
                    size_t out) {
  LoadedProgram program(mil);
  for (const auto& [port, bytes] : in) program.Bind(port, false, bytes);
  program.Bind("y", true, out);
  if (program.ok()) program.Execute();
  return program.error();
}

TEST(ShapeRange, OneCompilationRunsAtEveryStepAsAFixedProgramDoes) {
  const CleanSettings settings;
  for (const char* target : {"h13", "h17s"}) {
    const uint64_t before = Compiles();
    LoadedProgram ranged(Ranged(4, 16, 4), {.target = target});
    ASSERT_EQ(ranged.error(), "");
    std::vector<Halves> results;
    for (const int64_t rows : {16, 4, 12, 8, 4}) results.push_back(RunAt(ranged, rows));
    ASSERT_EQ(ranged.error(), "");
    EXPECT_EQ(Compiles() - before, 1u);
    size_t next = 0;
    for (const int64_t rows : {16, 4, 12, 8, 4}) {
      EXPECT_EQ(results[next++],
                RunHalves(Fixed(rows), {{"x", Data(rows)}}, static_cast<size_t>(rows) * 6, target))
          << rows;
    }
  }
}

RC_GTEST_PROP(ShapeRange, RunsExactlyTheExtentsOfItsRange, ()) {
  const CleanSettings settings;
  const int64_t start = *rc::gen::inRange<int64_t>(1, 12);
  const int64_t stop = start + *rc::gen::inRange<int64_t>(0, 24);
  const int64_t step = *rc::gen::inRange<int64_t>(1, 9);
  const int64_t rows = *rc::gen::inRange<int64_t>(1, 40);
  const bool member = rows >= start && rows <= stop && (rows - start) % step == 0;
  LoadedProgram ranged(Ranged(start, stop, step));
  RC_ASSERT(ranged.error() == "");
  const Halves y = RunAt(ranged, rows);
  RC_ASSERT(ranged.ok() == member);
  if (!member) {
    RC_ASSERT(ranged.error() == fmt::format("live-in x: {} is not one of {} to {} by {} @ "
                                            "BindBufferObject",
                                            rows, start, stop, step));
    return;
  }
  RC_ASSERT(y == RunHalves(Fixed(rows), {{"x", Data(rows)}}, static_cast<size_t>(rows) * 6));
}

// Real texts write a range as a pair, which means a step of 1. Without default shapes the start of
// the range is the default.
TEST(ShapeRange, ReadsTheFormOfRealTexts) {
  const CleanSettings settings;
  const std::string mil =
      Flexible(Attribute("{\"x\", [[1, 1], [1, 2048]]}", "{\"x\", [1, 7]}"),
               "tensor<fp16, [1, ?]> x", "tensor<fp16, [1, ?]> y = relu(x = x);");
  EXPECT_EQ(Refusal(mil, {{"x", 2}}, 2), "");
  EXPECT_EQ(Refusal(mil, {{"x", 4096}}, 4096), "");
  EXPECT_EQ(Refusal(mil, {{"x", 4098}}, 4098),
            "live-in x: 2049 is not one of 1 to 2048 by 1 @ BindBufferObject");
}

// Weights are read only when the program is compiled.
TEST(ShapeRange, NeedsNoFileAfterTheCompilation) {
  const CleanSettings settings;
  auto folder = TempDirectory::Create("anecheck-weights-");
  ASSERT_TRUE(folder.ok());
  ByteWriter writer;
  writer.U32(1);
  writer.PadTo(64);
  writer.U32(0xdeadbeef);
  writer.U32(1);
  writer.U64(2);
  writer.U64(128);
  writer.PadTo(128);
  writer.U16(0x4200);
  ASSERT_TRUE(WriteFileAtomic(folder->File("weight.bin"), writer.bytes()).ok());
  const std::string mil = Flexible(
      Attribute("{\"x\", [[2, 6, 2]]}"), "tensor<fp16, [?]> x",
      "tensor<fp16, [1]> w = const()[name = string(\"w\"), val = tensor<fp16, [1]>(BLOBFILE(path = "
      "string(\"@model_path/weight.bin\"), offset = uint64(64)))];\n"
      "tensor<fp16, [?]> y = mul(x = x, y = w);");
  LoadedProgram program(mil, {.model_folder = folder->path()});
  ASSERT_EQ(program.error(), "");
  std::filesystem::remove(folder->File("weight.bin"));
  std::filesystem::remove(folder->File("model.mil"));
  for (const size_t count : {4, 2, 6}) {
    auto* x = static_cast<uint16_t*>(program.Bind("x", false, count * 2));
    const auto* y = static_cast<const uint16_t*>(program.Bind("y", true, count * 2));
    ASSERT_EQ(program.error(), "");
    x[count - 1] = 0x4000;
    ASSERT_EQ(program.Execute(), 0) << program.error();
    EXPECT_EQ(y[count - 1], 0x4600);
  }
}

TEST(ShapeRange, InputsOfDifferentStepsAreRefusedAtExecution) {
  const CleanSettings settings;
  const std::string two =
      Flexible(Attribute("{\"x\", [[1, 1], [2, 8, 2]]}, {\"z\", [[1, 1], [2, 8, 2]]}"),
               "tensor<fp16, [1, ?]> x, tensor<fp16, [1, ?]> z",
               "tensor<fp16, [1, ?]> y = add(x = x, y = z);");
  EXPECT_EQ(Refusal(two, {{"x", 8}, {"z", 8}}, 8), "");
  const std::string error = Refusal(two, {{"x", 8}, {"z", 4}}, 8);
  EXPECT_NE(error.find("axis 1 of x at 4, axis 1 of z at 2"), std::string::npos) << error;
  EXPECT_NE(error.find(" @ Execute"), std::string::npos) << error;
}

TEST(ShapeRange, MisuseIsRefusedWithItsReason) {
  const CleanSettings settings;
  EXPECT_EQ(Refusal(Ranged(4, 16, 4), {{"x", 50}}, 48),
            "buffer of 50 bytes is no whole number of slices of 12 bytes along axis 2 of port x @ "
            "BindBufferObject");
  EXPECT_EQ(Refusal(Ranged(4, 16, 4), {{"x", 96}}, 48),
            "buffer of 48 bytes is too small for port y of 96 @ Execute");
  struct Row {
    const char* ranges;
    const char* shapes;
    const char* message;
  };
  for (const Row& row : {
           Row{"{\"z\", [[1, 1], [1, 8]]}", "", "x: symbolic dimensions have no range"},
           Row{"{\"x\", [[1, 1]]}", "", "1 axes have a range, the input has 2"},
           Row{"{\"x\", [[1, 1], [1, 8], [1, 1]]}", "", "RangeDims must hold"},
           Row{"{\"x\", [[1, 1], [8]]}", "", "RangeDims must hold"},
           Row{"{\"x\", [[1, 1], [8, 4]]}", "", "8 to 4 by 1 is no range"},
           Row{"{\"x\", [[1, 1], [0, 4]]}", "", "0 to 4 by 1 is no range"},
           Row{"{\"x\", [[1, 1], [1, -1]]}", "", "1 to -1 by 1 is no range"},
           Row{"{\"x\", [[1, 1], [1, 4, 0]]}", "", "1 to 4 by 0 is no range"},
           Row{"{\"x\", [[2, 2], [1, 4]]}", "", "axis 0 is 1, its range is 2 to 2"},
           Row{"{\"x\", [[1, 1], [2, 8, 2]]}", "{\"x\", [1, 3]}", "default shape is not in the"},
       }) {
    const std::string error =
        CompileError(Flexible(Attribute(row.ranges, row.shapes), "tensor<fp16, [1, ?]> x",
                              "tensor<fp16, [1, ?]> y = relu(x = x);"));
    EXPECT_NE(error.find(row.message), std::string::npos) << error;
    EXPECT_NE(error.find(" @ Frontend"), std::string::npos) << error;
  }
  const std::string both =
      CompileError(Flexible(Attribute("{\"x\", [[1, 4], [1, 4]]}"), "tensor<fp16, [?, ?]> x",
                            "tensor<fp16, [?, ?]> y = relu(x = x);"));
  EXPECT_NE(both.find("more than one axis"), std::string::npos) << both;
}

// A program that is illegal at one end of its range is refused when it is compiled, and the message
// names that end.
TEST(ShapeRange, BothEndsMustBeLegal) {
  const CleanSettings settings;
  const auto ranged = [](int64_t stop) {
    return Flexible(Attribute(fmt::format("{{\"x\", [[1, {}]]}}", stop)), "tensor<fp16, [?]> x",
                    "tensor<fp16, [?]> y = relu(x = x);");
  };
  EXPECT_EQ(CompileError(ranged(16384)), "");
  const std::string error = CompileError(ranged(16385));
  EXPECT_NE(error.find("axis 0 of x at 16385"), std::string::npos) << error;
  EXPECT_NE(error.find("max dimension 16384 @ Frontend"), std::string::npos) << error;
  EXPECT_EQ(CompileError(ranged(16385), "h17s"), "");
}

// A buffer bound as input and output keeps its values from run to run, at each shape.
TEST(ShapeRange, AliasesStayResidentAtEachShape) {
  const CleanSettings settings;
  LoadedProgram program(Flexible(Attribute("{\"x\", [[2, 8, 2]]}"), "tensor<fp16, [?]> x",
                                 "tensor<fp16, [?]> y = add(x = x, y = fp16(1));"));
  for (const size_t count : {8, 2}) {
    const auto* x = static_cast<const uint16_t*>(program.Bind("x", false, count * 2));
    ASSERT_TRUE(program.Share("y", true, program.buffer("x"))) << program.error();
    for (int i = 0; i < 5; ++i) ASSERT_EQ(program.Execute(), 0) << program.error();
    EXPECT_EQ(x[count - 1], DoubleToHalf(5).bits);
  }
}

}  // namespace
}  // namespace anecheck::device::testing
