// Tests that the encoder's tasks equal the tasks of real containers for the same networks, in their
// size and in every field that can change a result.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/base/file.h"
#include "harness/base/testing/test_data.h"
#include "harness/emulator/field_table.h"
#include "harness/encoder/encode.h"
#include "harness/formats/hwx/container.h"
#include "harness/lowering/mil_to_graph.h"
#include "harness/ops/op.h"

namespace anecheck::encoder {
namespace {

struct RealNetwork {
  const char* file;
  std::string inputs;  // of the function
  std::string statements;
};

std::string Tensor(std::string_view shape) { return fmt::format("tensor<fp16, {}>", shape); }

// All weights and biases are 1, because the register words of a task do not depend on their values.
std::string Product(int in, int out, bool bias) {
  const auto ones = [](int count) {
    std::string text = "0x1p+0";
    for (int i = 1; i < count; ++i) text += ", 0x1p+0";
    return text;
  };
  std::string text = fmt::format("{0} w = const()[val = {0}([{1}])];\n",
                                 Tensor(fmt::format("[{}, {}, 1, 1]", out, in)), ones(in * out));
  if (bias) {
    text += fmt::format("{0} b = const()[val = {0}([{1}])];\n", Tensor(fmt::format("[{}]", out)),
                        ones(out));
  }
  return text + fmt::format("{} y = conv(x = x, weight = w{});",
                            Tensor(fmt::format("[1, {}, 1, 1]", out)), bias ? ", bias = b" : "");
}

std::vector<RealNetwork> Networks() {
  const auto unary = [](std::string_view op, std::string_view shape) {
    return fmt::format("{} y = {}(x = x);", Tensor(shape), op);
  };
  const std::string three = Tensor("[1, 3, 1, 1]") + " x", wide = Tensor("[1, 64, 1, 1]");
  const std::string long_row = Tensor("[1, 1, 1, 77]") + " x";
  return {
      {"conv-8a6bd427.hwx", three, Product(3, 3, false)},
      {"model_golden-32a7ae2d.hwx", three, Product(3, 3, false)},
      {"model_signed-4e6bd6e6.hwx", three, Product(3, 2, true)},
      {"gemm-ef7e5c24.hwx", wide + " x", Product(64, 64, false)},
      {"model_golden-c20271e3.hwx", three, unary("identity", "[1, 3, 1, 1]")},
      {"relu-d66a665b.hwx", Tensor("[1, 1, 1, 16]") + " x", unary("relu", "[1, 1, 1, 16]")},
      {"sigmoid-7cc79341.hwx", long_row, unary("sigmoid", "[1, 1, 1, 77]")},
      {"sum-1b1855b8.hwx", wide + " x, " + wide + " z", wide + " y = add(x = x, y = z);"},
      {"concat-0f988933.hwx", Tensor("[1, 16, 1, 1]") + " z, " + Tensor("[1, 16384, 1, 1]") + " x",
       "int32 axis = const()[val = int32(1)];\nbool apart = const()[val = bool(false)];\n" +
           Tensor("[1, 16400, 1, 1]") +
           " y = concat(values = (x, z), axis = axis, interleave = apart);"},
  };
}

hwx::Container Parsed(const Bytes& bytes) {
  auto container = hwx::Parse(bytes);
  EXPECT_TRUE(container.ok()) << container.error().message;
  return std::move(*container);
}

uint32_t WordOf(const td::Task& task, const emulator::Place& place, uint32_t index) {
  const uint32_t word = place.kind == emulator::PlaceKind::kHeader
                            ? task.header[place.address]
                            : task.Find(place.address + 4 * index).value_or(0);
  return static_cast<uint32_t>(word >> place.bit & ((uint64_t{1} << place.width) - 1));
}

// Returns the fields that can change a result and differ. The numbers of base addresses may differ,
// because a compiler chooses them freely.
std::vector<std::string> Differences(const td::Task& real, const td::Task& made, int& compared) {
  using emulator::Field;
  std::vector<std::string> found;
  for (const auto& entry : emulator::FieldTable::Of(emulator::Generation::kH13).entries()) {
    const bool counts = entry.row->effect == emulator::Effect::kResult &&
                        (entry.place.kind == emulator::PlaceKind::kHeader ||
                         entry.place.kind == emulator::PlaceKind::kRegister);
    const Field field = entry.row->field;
    if (!counts || field == Field::kSource1Bar || field == Field::kSource2Bar) continue;
    for (uint32_t i = 0; i < entry.row->count; ++i) {
      ++compared;
      const uint32_t a = WordOf(real, entry.place, i), b = WordOf(made, entry.place, i);
      if (a != b)
        found.push_back(fmt::format("{}[{}] {:#x}, real {:#x}", entry.row->name, i, b, a));
    }
  }
  return found;
}

TEST(RealWords, FieldsThatCanChangeAResultEqualTheRealContainer) {
  ANECHECK_SKIP_WITHOUT(anecheck::testing::RealDataPath("hwx"));
  int compared = 0;
  for (const RealNetwork& network : Networks()) {
    SCOPED_TRACE(network.file);
    const auto graph = MilTextToGraph(
        fmt::format("program(1.3)\n{{\n func main<ios18>({}) {{\n{}\n}} -> (y);\n}}\n",
                    network.inputs, network.statements),
        OpVocabulary());
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    const auto bytes = Encode(*graph);
    ASSERT_TRUE(bytes.ok()) << bytes.error().message;
    const hwx::Container made = Parsed(*bytes);
    const auto file =
        ReadFile(anecheck::testing::RealDataPath("hwx/" + std::string(network.file))).value();
    const hwx::Container real = Parsed(file);
    const auto& tasks = made.Text()->tasks->tasks;
    const auto& wanted = real.Text()->tasks->tasks;
    ASSERT_EQ(tasks.size(), wanted.size());
    for (size_t i = 0; i < tasks.size(); ++i) {
      EXPECT_EQ(tasks[i].size, wanted[i].size);
      for (const std::string& difference : Differences(wanted[i], tasks[i], compared)) {
        ADD_FAILURE() << "task " << i << ": " << difference;
      }
    }
  }
  EXPECT_GT(compared, 1000);
}

}  // namespace
}  // namespace anecheck::encoder
