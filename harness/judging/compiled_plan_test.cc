// Tests the required content of the two files of a compiled plan, and the report of a difference.
#include "harness/judging/compiled_plan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "generators/graph_generator.h"
#include "harness/encoder/encode.h"
#include "harness/judging/compiled_round_trip.h"
#include "harness/lowering/mil_to_graph.h"
#include "harness/targets/catalog.h"

namespace anecheck {
namespace {

struct Compiled {
  plan::Plan plan;
  CompiledProgram program;
  CompiledFiles files;
};

Compiled Compile(const std::string& statements, const std::string& input,
                 std::string_view target_name = "h13") {
  const auto graph = MilTextToGraph(
      fmt::format("program(1.3)\n{{\n func main<ios18>({} x) {{\n{}\n}} -> (y);\n}}\n", input,
                  statements),
      OpVocabulary());
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  const Target* target = FindTarget(target_name).value();
  Compiled compiled;
  compiled.plan = plan::PlanLowering(*graph, *target).value();
  compiled.program = OutlineOf(compiled.plan, *target).value();
  auto container = encoder::Encode(*graph, {.target = std::string(target_name)});
  compiled.files = WriteCompiledFiles(compiled.program, std::move(container)).value();
  EXPECT_EQ(CompareCompiledFiles(compiled.program, compiled.files, {.tasks = false}), "");
  return compiled;
}

std::string Chain(int depth) {
  std::string text;
  for (int i = 0; i < depth; ++i) {
    text += fmt::format("tensor<fp16, [1, 64]> {} = relu(x = {});\n",
                        i + 1 == depth ? "y" : fmt::format("v{}", i),
                        i == 0 ? "x" : fmt::format("v{}", i - 1));
  }
  return text;
}

// A fully connected layer of `width` inputs and 64 outputs, with all weights 1.
std::string Linear(int width) {
  std::string weights;
  for (int i = 0; i < 64 * width; ++i) weights += i == 0 ? "0x1p+0" : ", 0x1p+0";
  return fmt::format(
      "tensor<fp16, [64, {0}]> w = const()[val = tensor<fp16, [64, {0}]>([{1}])];\n"
      "tensor<fp16, [1, 64]> y = linear(weight = w, x = x);",
      width, weights);
}

TEST(CompiledFiles, TheDescriptorDoesNotDependOnDepth) {
  const Compiled one = Compile(Chain(1), "tensor<fp16, [1, 64]>");
  const Compiled six = Compile(Chain(6), "tensor<fp16, [1, 64]>");
  EXPECT_EQ(one.program.inferences.size(), 1u);
  EXPECT_EQ(six.program.inferences.size(), 1u);
  EXPECT_EQ(one.files.descriptor.size(), six.files.descriptor.size());
  EXPECT_EQ(one.program.tasks.size(), 1u);
  EXPECT_EQ(six.program.tasks.size(), 6u);
}

TEST(CompiledFiles, TheDescriptorsSizeDoesNotDependOnTheComputeShape) {
  const Compiled narrow = Compile(Linear(64), "tensor<fp16, [1, 64]>");
  const Compiled wide = Compile(Linear(256), "tensor<fp16, [1, 256]>");
  EXPECT_EQ(narrow.files.descriptor.size(), wide.files.descriptor.size());
  EXPECT_LT(narrow.files.container.size(), wide.files.container.size());
}

TEST(CompiledFiles, ACutAddsAnInference) {
  const std::string attention =
      "tensor<fp16, [1, 2, 4, 8]> a = relu(x = x);\n"
      "tensor<fp16, [1, 2, 4, 8]> b = scaled_dot_product_attention(query = a, key = a, value = "
      "a);\n"
      "tensor<fp16, [1, 2, 4, 8]> y = relu(x = b);";
  const Compiled cut = Compile(attention, "tensor<fp16, [1, 2, 4, 8]>", "h17s");
  EXPECT_EQ(cut.program.inferences.size(), static_cast<size_t>(cut.plan.dispatches));
  EXPECT_GT(cut.program.inferences.size(), 1u);
}

TEST(CompiledFiles, AContainerIsWrittenIfTasksHavePublishedRegisters) {
  EXPECT_FALSE(Compile(Chain(1), "tensor<fp16, [1, 64]>").files.container.empty());
  const Compiled newer = Compile(Chain(1), "tensor<fp16, [1, 64]>", "h18g");
  EXPECT_TRUE(newer.files.container.empty());
  EXPECT_NE(newer.files.no_container, "");
}

// Changes the program after its files were written, so that both differ.
class Differences : public ::testing::Test {
 protected:
  std::string After(void (*change)(CompiledProgram& program)) {
    CompiledProgram program = compiled_.program;
    change(program);
    return CompareCompiledFiles(program, compiled_.files, {.tasks = false});
  }
  Compiled compiled_ = Compile(Linear(64), "tensor<fp16, [1, 64]>");
};

TEST_F(Differences, AreReportedForEachPart) {
  EXPECT_EQ(After([](CompiledProgram& p) { p.inferences.push_back(e5::OpType::kAneInference); }),
            "program.e5: 3 operations, the plan has 4");
  EXPECT_EQ(After([](CompiledProgram& p) { p.inferences[0] = e5::OpType::kCpuInference; }),
            "program.e5: operation 1 is AneInference, the plan has CpuInference");
  EXPECT_EQ(After([](CompiledProgram& p) { p.inputs[0].name = "q"; }),
            "program.e5: input port 0 is x, the plan has q");
  EXPECT_EQ(After([](CompiledProgram& p) { p.states.push_back({"x", 0}); }),
            "program.e5: 0 held states, the plan has 1");
  EXPECT_EQ(After([](CompiledProgram& p) { p.outputs[0].type.shape = {1, 63}; }),
            "model.hwx: tensor y: axis w is not 63 elements at stride 2");
}

TEST(CompiledFiles, PlansOfGeneratedGraphsAgreeWithTheirFiles) {
  int written = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    Graph graph;
    const bool newer = seed % 2 == 1;
    GenerateGraph(choices, {.family = newer ? 6 : 1, .max_nodes = 1 + int(seed % 12)}, graph);
    const RoundTrip trip = CompiledRoundTrip(graph, newer ? "h17s" : "h13");
    EXPECT_EQ(trip.difference, "") << "seed " << seed;
    EXPECT_TRUE(trip.written || !trip.reason.empty()) << "seed " << seed;
    written += trip.written ? 1 : 0;
  }
  EXPECT_GT(written, 100);
}

}  // namespace
}  // namespace anecheck
