// Tests the files that a compilation leaves in its bundle. They break no rule of their formats or
// of the pair, and they describe the program.
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/base/file.h"
#include "harness/device/testing/test_engine.h"
#include "harness/formats/e5/e5.h"
#include "harness/formats/hwx/container.h"
#include "harness/formats/pair/pair.h"
#include "harness/formats/stabs/stabs.h"

namespace anecheck::device::testing {
namespace {

struct Bundle {
  explicit Bundle(const std::string& mil, const std::string& target = "h13", uint64_t mask = 4)
      : folder(TempDirectory::Create("anecheck-bundle-").value()) {
    Compile(mil, target, mask);
  }
  void Compile(const std::string& mil, const std::string& target, uint64_t mask) {
    const LoadedProgram program(mil, {.target = target, .mask = mask, .bundle = folder.path()});
    EXPECT_EQ(program.error(), "");
  }
  bool Has(const char* name) const { return std::filesystem::exists(folder.File(name)); }
  std::vector<uint8_t> Read(const char* name) const { return ReadFile(folder.File(name)).value(); }

  TempDirectory folder;
};

const std::string kMlp = MilProgram(
    "tensor<fp16, [1, 3]> x",
    "tensor<fp16, [1, 20]> h = linear(x = x, weight = tensor<fp16, [20, 3]>([" +
        [] {
          std::string rows;
          for (int i = 0; i < 20; ++i) rows += fmt::format("{}[{}, {}, 1]", i ? ", " : "", i, -i);
          return rows;
        }() +
        "]));\ntensor<fp16, [1, 20]> y = relu(x = h);",
    "y");

std::string Chain(int depth) {
  std::string text;
  for (int i = 0; i < depth; ++i) {
    text += fmt::format("tensor<fp16, [1, 64]> {} = relu(x = {});\n",
                        i + 1 == depth ? "y" : fmt::format("v{}", i),
                        i == 0 ? "x" : fmt::format("v{}", i - 1));
  }
  return MilProgram("tensor<fp16, [1, 64]> x", text, "y");
}

void ExpectSound(const Bundle& bundle) {
  const auto descriptor = bundle.Read("program.e5");
  const auto broken = kFormat_e5.verify(descriptor);
  ASSERT_TRUE(broken.ok()) << broken.error().message;
  for (const Violation& violation : *broken) ADD_FAILURE() << violation.message;
  if (!bundle.Has("model.hwx")) return;
  const auto container = bundle.Read("model.hwx");
  const auto broken_container = kFormat_hwx.verify(container);
  ASSERT_TRUE(broken_container.ok()) << broken_container.error().message;
  for (const Violation& violation : *broken_container) ADD_FAILURE() << violation.message;
  const auto pair = pair::Verify(descriptor, container);
  ASSERT_TRUE(pair.ok()) << pair.error().message;
  for (const Violation& violation : *pair) ADD_FAILURE() << violation.message;
}

TEST(ProgramFiles, BreakNoRuleAndBelongTogether) {
  const CleanSettings settings;
  for (const std::string& mil : {kMlp, Chain(1), Chain(6)}) {
    for (const char* target : {"h13", "h13g", "t1", "h14", "h17s"})
      ExpectSound(Bundle(mil, target));
  }
}

TEST(ProgramFiles, TheContainerIsWrittenOnlyForTasksOfVersion7) {
  const CleanSettings settings;
  EXPECT_TRUE(Bundle(kMlp, "h13").Has("model.hwx"));
  const Bundle newer(kMlp, "h17s");
  EXPECT_TRUE(newer.Has("program.e5"));
  EXPECT_FALSE(newer.Has("model.hwx"));
  EXPECT_FALSE(Bundle(kMlp, "t1").Has("model.hwx")) << "its cpusubtype is not published";
}

// By specification 000, there is one inference between casts at any depth, and the descriptor has
// the same size.
TEST(ProgramFiles, TheDescriptorDoesNotDependOnDepth) {
  const CleanSettings settings;
  const Bundle one(Chain(1));
  const Bundle six(Chain(6));
  const auto program = e5::Parse(six.Read("program.e5")).value();
  std::string types;
  for (const e5::Operation& operation : program.functions.at(0).blocks.at(0).operations) {
    types += std::string(e5::OpTypeName(operation.type)) + " ";
  }
  EXPECT_EQ(types, "Cast AneInference Cast ");
  EXPECT_EQ(one.Read("program.e5").size(), six.Read("program.e5").size());
}

// By specification 000, a cut into three segments gives three inferences. The tasks are in the
// order of execution.
TEST(ProgramFiles, ACutAddsInferences) {
  const CleanSettings settings;
  const Bundle bundle(
      MilProgram("tensor<fp16, [1, 2, 4, 8]> x",
                 "tensor<fp16, [1, 1, 4, 8]> s = reduce_max(x = x, axes = tensor<int32, [1]>([1]), "
                 "keep_dims = bool(true));\n"
                 "tensor<fp16, [1, 2, 4, 8]> c = scaled_dot_product_attention(query = x, key = x, "
                 "value = x);\n"
                 "tensor<fp16, [1, 2, 4, 8]> y = add(x = c, y = s);",
                 "y"));
  ExpectSound(bundle);
  const auto program = e5::Parse(bundle.Read("program.e5")).value();
  std::string types;
  for (const e5::Operation& operation : program.functions.at(0).blocks.at(0).operations) {
    types += std::string(e5::OpTypeName(operation.type)) + " ";
  }
  EXPECT_EQ(types, "Cast AneInference AneInference Cast ");
  const auto bytes = bundle.Read("model.hwx");
  const hwx::Container container = hwx::Parse(bytes).value();
  const auto& tasks = container.Text()->tasks->tasks;
  ASSERT_EQ(tasks.size(), 3u);
  // Register 0x10 is the number of channels of the result. Attention waits for no other task, so it
  // is the first task.
  EXPECT_EQ(tasks[0].Find(0x10), 2u);
  EXPECT_EQ(tasks[1].Find(0x10), 1u);
  EXPECT_EQ(tasks[2].Find(0x10), 2u);
}

TEST(ProgramFiles, TheContainerHasTasksExtentsAndWeights) {
  const CleanSettings settings;
  const Bundle bundle(kMlp);
  const auto bytes = bundle.Read("model.hwx");
  const hwx::Container container = hwx::Parse(bytes).value();
  const hwx::Section* text = container.Text();
  ASSERT_NE(text, nullptr);
  ASSERT_EQ(text->tasks->tasks.size(), 2u);
  const td::Task& linear = text->tasks->tasks[0];
  EXPECT_EQ(linear.Find(0x0), 1u << 16 | 3u);    // InDim
  EXPECT_EQ(linear.Find(0x14), 1u << 16 | 20u);  // OutDim
  std::vector<uint8_t> weights;
  for (size_t number = 1; number <= container.sections.size(); ++number) {
    for (const hwx::Tile& tile : hwx::TilesOf(container, number)) {
      if (tile.lane < 0 || tile.sentinel) continue;
      // 20 channels over 16 lanes give two channels per lane; each channel has six bytes.
      weights.insert(weights.end(), tile.data.begin(), tile.data.begin() + 12);
    }
  }
  ASSERT_EQ(weights.size(), 120u);
  for (int channel = 0; channel < 20; ++channel) {
    const auto value = [&](int k) {
      const size_t at = static_cast<size_t>(channel * 6 + 2 * k);
      return HalfToDouble(Half{static_cast<uint16_t>(weights[at] | weights[at + 1] << 8)});
    };
    EXPECT_EQ((std::array{value(0), value(1), value(2)}),
              (std::array<double, 3>{double(channel), double(-channel), 1}));
  }
}

TEST(ProgramFiles, AreNotWrittenForProgramsWithoutAForm) {
  const CleanSettings settings;
  const std::string five = MilProgram("tensor<fp16, [1, 1, 1, 1, 2]> x",
                                      "tensor<fp16, [1, 1, 1, 1, 2]> y = relu(x = x);", "y");
  EXPECT_FALSE(Bundle(five).Has("program.e5"));
  EXPECT_FALSE(Bundle(kMlp, "h13", 1).Has("program.e5")) << "a program on the CPU has no files";
  Bundle bundle(kMlp);
  bundle.Compile(five, "h13", 4);
  EXPECT_FALSE(bundle.Has("program.e5")) << "the file of the earlier program is removed";
  EXPECT_FALSE(bundle.Has("model.hwx"));
  ENGINE(anecheck_sim_write_files)(0);
  EXPECT_FALSE(Bundle(kMlp).Has("program.e5"));
}

// The files of a program with a range describe it at its default extents.
TEST(ProgramFiles, OfARangeHaveItsDefaultExtents) {
  const CleanSettings settings;
  const std::string mil =
      "program(1.3)\n{\n func main<ios18>(tensor<fp16, [1, ?]> x) [FlexibleShapeInformation = "
      "tuple<tuple<string, dict<string, list<tensor<int32, [3]>, ?>>>>(((\"DefaultShapes\", "
      "{{\"x\", [1, 24]}}), (\"RangeDims\", {{\"x\", [[1, 1], [8, 40, 8]]}})))] {\n tensor<fp16, "
      "[1, ?]> y = relu(x = x);\n } -> (y);\n}\n";
  const Bundle bundle(mil);
  ExpectSound(bundle);
  const auto bytes = bundle.Read("model.hwx");
  const hwx::Container container = hwx::Parse(bytes).value();
  EXPECT_EQ(container.Text()->tasks->tasks[0].Find(0x0), 1u << 16 | 24u);
}

}  // namespace
}  // namespace anecheck::device::testing
