// Tests containers of H14 to H18. The fields that can change a result equal those of recorded
// programs, and the containers compute the same results as the container of H13.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/base/round_up.h"
#include "harness/base/testing/test_data.h"
#include "harness/emulator/program.h"
#include "harness/emulator/program_rules.h"
#include "harness/emulator/testing/later_program.h"
#include "harness/encoder/encode.h"
#include "harness/encoder/machine.h"
#include "harness/formats/hwx/container.h"
#include "harness/formats/hwx/rules.h"
#include "harness/lowering/mil_to_graph.h"
#include "harness/ops/op.h"

namespace anecheck::encoder {
namespace {

std::string Fp16(std::string_view shape) { return fmt::format("tensor<fp16, {}>", shape); }

// Returns `count` nonzero numbers of both signs.
std::string Numbers(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += fmt::format("{}{}0x{}p-4", i == 0 ? "" : ", ", i % 3 == 0 ? "-" : "", 1 + i % 7);
  }
  return text;
}

std::string Const(std::string_view name, std::string_view shape, int count) {
  return fmt::format("{0} {1} = const()[val = {0}([{2}])];\n", Fp16(shape), name, Numbers(count));
}

std::string Program(std::string_view inputs, std::string_view statements) {
  return fmt::format("program(1.3)\n{{\n func main<ios18>({}) {{\n{}\n}} -> (y);\n}}\n", inputs,
                     statements);
}

Graph GraphOf(const std::string& text) {
  auto graph = MilTextToGraph(text, OpVocabulary());
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  return graph.ok() ? std::move(*graph) : Graph();
}

constexpr std::string_view kPad =
    "string same = const()[val = string(\"same\")];\n"
    "string valid = const()[val = string(\"valid\")];\n";

std::string Conv(int in, int out, int kernel, std::string_view shape, std::string_view more = "",
                 std::string_view name = "y") {
  return std::string(kPad) +
         Const("w", fmt::format("[{}, {}, {}, {}]", out, in, kernel, kernel),
               out * in * kernel * kernel) +
         fmt::format("{} {} = conv(x = x, weight = w, pad_type = same{});\n", Fp16(shape), name,
                     more);
}

// ---- recorded words ----

struct Recorded {
  const char* file;
  std::string text;
};

std::vector<Recorded> Records() {
  const std::string column = Fp16("[1, 64, 1, 1]"), image = Fp16("[1, 64, 8, 8]");
  const auto two = [](const std::string& type, std::string_view op) {
    return Program(fmt::format("{0} x, {0} z", type),
                   fmt::format("{} y = {}(x = x, y = z);", type, op));
  };
  return {
      {"h14__binary_add_1x64x1x1", two(column, "add")},
      {"h14__chain_add_relu_c512", Program(fmt::format("{0} x, {0} z", Fp16("[1, 512, 1, 1]")),
                                           Fp16("[1, 512, 1, 1]") + " c = add(x = x, y = z);\n" +
                                               Fp16("[1, 512, 1, 1]") + " y = relu(x = c);")},
      {"h14__conv_k1_c64_n64_s8_bias0_relu",
       Program(image + " x",
               Conv(64, 64, 1, "[1, 64, 8, 8]", "", "c") + image + " y = relu(x = c);")},
      {"h14__conv_known_k3_c64_n64_s16_st1_g64_bias0_same",
       Program(Fp16("[1, 64, 16, 16]") + " x",
               "int32 gp = const()[val = int32(64)];\n" + std::string(kPad) +
                   Const("w", "[64, 1, 3, 3]", 576) + Fp16("[1, 64, 16, 16]") +
                   " y = conv(x = x, weight = w, pad_type = same, groups = gp);")},
      {"h14__conv_known_k1_c64_n768_s16_st1_g1_bias1_same",
       Program(Fp16("[1, 64, 16, 16]") + " x",
               Const("b", "[768]", 768) + Conv(64, 768, 1, "[1, 768, 16, 16]", ", bias = b"))},
      {"h14__unary_abs_c64", Program(column + " x", column + " y = abs(x = x);")},
      {"h14__unary_exp_c64", Program(column + " x", column + " y = exp(x = x);")},
      {"h14__conv_k3_c64_n64_s8_bias0", Program(image + " x", Conv(64, 64, 3, "[1, 64, 8, 8]"))},
      {"h15__binary_add_1x64x8x8", two(image, "add")},
      {"h15__binary_sub_1x3x224x224", two(Fp16("[1, 3, 224, 224]"), "sub")},
      {"h15__unary_sigmoid_c64", Program(column + " x", column + " y = sigmoid(x = x);")},
      {"h16__binary_add_1x64x8x8", two(image, "add")},
      {"h16__binary_mul_c64_constant_blob",
       Program(column + " x",
               Const("z", "[1, 64, 1, 1]", 64) + column + " y = mul(x = x, y = z);")},
      {"h16__unary_exp_c64", Program(column + " x", column + " y = exp(x = x);")},
      {"h17__binary_add_c64_constant_scalar",
       Program(column + " x",
               "fp16 z = const()[val = fp16(0x1p-1)];\n" + column + " y = add(x = x, y = z);")},
      {"h17__binary_mul_c64_constant_blob",
       Program(column + " x",
               Const("z", "[1, 64, 1, 1]", 64) + column + " y = mul(x = x, y = z);")},
      {"h18__unary_exp_c64", Program(column + " x", column + " y = exp(x = x);")}};
}

// Returns the fields that apply to the task, can change a result, and differ.
std::vector<std::string> Differences(const emulator::FieldTable& table,
                                     const emulator::TaskWords& made,
                                     const emulator::TaskWords& recorded, int& compared) {
  std::vector<std::string> found, warnings;
  const auto ours = emulator::ReadFields(table, made, warnings);
  const auto theirs = emulator::ReadFields(table, recorded, warnings);
  EXPECT_TRUE(ours.ok()) << ours.error().message;
  EXPECT_TRUE(theirs.ok()) << theirs.error().message;
  if (!ours.ok() || !theirs.ok()) return {"refused"};
  for (const emulator::FieldTable::Entry& entry : table.entries()) {
    const emulator::FieldRow& row = *entry.row;
    if (row.effect != emulator::Effect::kResult || !Counts(row.when, *theirs)) continue;
    for (uint32_t i = 0; i < row.count; ++i) {
      ++compared;
      const uint32_t a = ours->At(row.field, i), b = theirs->At(row.field, i);
      if (a != b) found.push_back(fmt::format("{}[{}] {:#x}, recorded {:#x}", row.name, i, a, b));
    }
  }
  return found;
}

TEST(LaterWords, FieldsThatCanChangeAResultEqualTheRecord) {
  ANECHECK_SKIP_WITHOUT(anecheck::testing::VectorPath("later_programs"));
  int compared = 0;
  for (const Recorded& record : Records()) {
    SCOPED_TRACE(record.file);
    auto later = emulator::testing::ReadLaterProgram(
        anecheck::testing::VectorPath(fmt::format("later_programs/{}.json", record.file)));
    ASSERT_TRUE(later.ok()) << later.error().message;
    const auto bytes = Encode(GraphOf(record.text), {.target = later->target});
    ASSERT_TRUE(bytes.ok()) << bytes.error().message;
    const auto program = emulator::LoadProgram(*bytes);
    ASSERT_TRUE(program.ok()) << program.error().message;
    ASSERT_EQ(program->tasks.size(), later->program.tasks.size());
    const auto& table = emulator::FieldTable::Of(program->generation);
    for (size_t i = 0; i < program->tasks.size(); ++i) {
      for (const std::string& difference :
           Differences(table, program->tasks[i], later->program.tasks[i], compared)) {
        ADD_FAILURE() << "task " << i << ": " << difference;
      }
    }
  }
  EXPECT_GT(compared, 500);
}

// ---- execution ----

struct Network {
  const char* name;
  std::string text;
};

std::vector<Network> Networks() {
  const std::string image = Fp16("[1, 16, 6, 6]"), column = Fp16("[1, 16, 1, 1]");
  const std::string matrix = Fp16("[8, 32]");
  const auto unary = [&](std::string_view op) {
    return Program(image + " x", fmt::format("{} y = {}(x = x);", image, op));
  };
  const std::string axes =
      "tensor<int32, [1]> axes = const()[val = tensor<int32, [1]>([1])];\n"
      "bool keep = const()[val = bool(true)];\nint32 axis = const()[val = int32(-1)];\n"
      "bool no = const()[val = bool(false)];\n";
  return {
      {"conv", Program(image + " x", Conv(16, 32, 3, "[1, 32, 6, 6]"))},
      {"conv, sigmoid", Program(image + " x", Conv(16, 32, 3, "[1, 32, 6, 6]", "", "c") +
                                                  Fp16("[1, 32, 6, 6]") + " y = sigmoid(x = c);")},
      {"strided conv",
       Program(image + " x",
               "tensor<int32, [2]> st = const()[val = tensor<int32, [2]>([2, 2])];\n" +
                   Conv(16, 32, 3, "[1, 32, 3, 3]", ", strides = st"))},
      {"add", Program(image + " x, " + image + " a", image + " y = add(x = x, y = a);")},
      {"broadcast mul", Program(image + " x, " + column + " a", image + " y = mul(x = x, y = a);")},
      {"mul by a constant",
       Program(image + " x", Const("k", "[1, 16, 1, 1]", 16) + image + " y = mul(x = x, y = k);")},
      {"abs", unary("abs")},
      {"exp", unary("exp")},
      {"reduce_mean",
       Program(image + " x", axes + Fp16("[1, 1, 6, 6]") +
                                 " y = reduce_mean(x = x, axes = axes, keep_dims = keep);")},
      {"softmax", Program(image + " x", axes + image + " y = softmax(x = x, axis = axis);")},
      {"matmul by a constant",
       Program(matrix + " x",
               Const("w", "[32, 16]", 512) + Fp16("[8, 16]") + " y = matmul(x = x, y = w);")},
      {"matmul of inputs", Program(matrix + " x, " + Fp16("[32, 16]") + " a",
                                   Fp16("[8, 16]") + " y = matmul(x = x, y = a);")},
      {"concat", Program(image + " x, " + image + " a",
                         "int32 one = const()[val = int32(1)];\n"
                         "bool no = const()[val = bool(false)];\n" +
                             Fp16("[1, 32, 6, 6]") +
                             " y = concat(values = (a, x), axis = one, interleave = no);")},
      {"two networks",
       Program(image + " x", image + " r = relu(x = x);\n" + image + " s = sigmoid(x = r);\n" +
                                 image + " y = mul(x = s, y = x);")},
  };
}

std::vector<uint16_t> OutputOf(const Bytes& container) {
  auto program = emulator::LoadProgram(container);
  EXPECT_TRUE(program.ok()) << program.error().message;
  if (!program.ok()) return {};
  for (const Violation& violation : emulator::VerifyProgram(*program, 0)) {
    ADD_FAILURE() << violation.message;
  }
  for (const emulator::Port& port : program->ports) {
    if (port.output) continue;
    std::vector<uint16_t> values(port.Count());
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<uint16_t>((i % 5 == 0 ? 0xb800 : 0x3800) + 613 * i % 0x800);
    }
    EXPECT_TRUE(program->WritePort(port.name, values).ok());
  }
  const auto report = emulator::RunProgram(*program);
  EXPECT_TRUE(report.ok()) << report.error().message;
  if (!report.ok()) return {};
  return program->ReadPort("y").value();
}

TEST(LaterWords, ContainersOfEachGenerationComputeTheSame) {
  for (const Network& network : Networks()) {
    SCOPED_TRACE(network.name);
    const Graph graph = GraphOf(network.text);
    const auto expected = Encode(graph);
    ASSERT_TRUE(expected.ok()) << expected.error().message;
    const std::vector<uint16_t> wanted = OutputOf(*expected);
    ASSERT_FALSE(wanted.empty());
    for (const Machine& machine : Machines()) {
      SCOPED_TRACE(machine.targets[0]);
      const auto bytes = Encode(graph, {.target = std::string(machine.targets[0])});
      ASSERT_TRUE(bytes.ok()) << bytes.error().message;
      EXPECT_EQ(OutputOf(*bytes), wanted);
      for (const Violation& violation : hwx::Verify(hwx::Parse(*bytes).value())) {
        EXPECT_TRUE(violation.IsWarning()) << violation.rule->id << ": " << violation.message;
      }
    }
  }
}

// Source of the rule: header_forms.md, section 3.
TEST(LaterWords, NoTaskOfH14EndsOnA64ByteBoundary) {
  for (const Network& network : Networks()) {
    SCOPED_TRACE(network.name);
    const auto bytes = Encode(GraphOf(network.text), {.target = "h14"}).value();
    const auto container = hwx::Parse(bytes).value();
    for (const td::Task& task : container.Text()->tasks->tasks) {
      EXPECT_NE(RoundUp(task.offset + task.size, 16) % 64, 0u);
      EXPECT_EQ(task.header[0] >> 16 & 0x7ff, task.size / 4);
    }
  }
}

}  // namespace
}  // namespace anecheck::encoder
