// exec and inspect --explain on real containers.
#include <cstdlib>
#include <string>

#include "harness/base/file.h"
#include "harness/base/testing/test_data.h"
#include "harness/cli/testing/model_commands.h"

namespace anecheck {
namespace {

using testing::Halves;
using testing::ModelCommands;
using Outcome = testing::ToolOutcome;

std::string Container(const char* name) { return anecheck::testing::RealDataPath(name); }

class ExecCommand : public ModelCommands {
 protected:
  Outcome Exec(const std::string& container, const std::vector<npz::NamedArray>& inputs,
               const std::string& more = "") {
    WriteArrays("in.npz", inputs);
    return Tool("exec " + container + " --inputs " + Path("in.npz") + " --out " + Path("out.npz") +
                more);
  }
};

TEST_F(ExecCommand, RunsAContainerByItsPortNames) {
  const std::string sum = Container("hwx/sum-1b1855b8.hwx");
  ANECHECK_SKIP_WITHOUT(sum);
  const auto one = Halves("image", {64, 1, 1}, std::vector<double>(64, 1.5));
  const auto other = Halves("image2", {1, 64, 1, 1}, std::vector<double>(64, 2));
  const Outcome exec = Exec(sum, {one, other}, " --json");
  ASSERT_EQ(exec.code, 0) << exec.err;
  const auto json = *ParseJson(exec.out);
  EXPECT_EQ(json["provenance"], "emulated");
  EXPECT_EQ(json["generation"], "H13");
  EXPECT_EQ(json["outputs"][0]["name"], "probs@output");
  EXPECT_EQ(Read("out.npz", "probs@output"), std::vector<double>(64, 3.5));
}

// The weights of this one are 0 to 8 times 2^-24, which the engine of the family takes for zero.
TEST_F(ExecCommand, TheFamilysArithmeticFlushesSubnormals) {
  const std::string conv = Container("hwx/conv-8a6bd427.hwx");
  ANECHECK_SKIP_WITHOUT(conv);
  const auto image = Halves("image", {1, 3, 1, 1}, {1024, 1024, 1024});
  ASSERT_EQ(Exec(conv, {image}).code, 0);
  const std::vector<double> exact = Read("out.npz", "probs@output");
  EXPECT_EQ(exact, (std::vector<double>{3072 * 0x1p-24, 12288 * 0x1p-24, 21504 * 0x1p-24}));
  ASSERT_EQ(Exec(conv, {image}, " --arithmetic family").code, 0);
  EXPECT_EQ(Read("out.npz", "probs@output"), std::vector<double>(3));
}

TEST_F(ExecCommand, NamesAnInputThatIsMissingUnknownOrOfAnotherShape) {
  const std::string relu = Container("hwx/relu-d66a665b.hwx");
  ANECHECK_SKIP_WITHOUT(relu);
  const Outcome missing = Exec(relu, {});
  EXPECT_EQ(missing.code, 2);
  EXPECT_NE(missing.err.find("no array for input image [1, 1, 1, 16]"), std::string::npos)
      << missing.err;
  const Outcome unknown = Exec(relu, {Halves("x", {16}, std::vector<double>(16))});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("the container has no input x"), std::string::npos) << unknown.err;
  const Outcome shape = Exec(relu, {Halves("image", {4}, std::vector<double>(4))});
  EXPECT_EQ(shape.code, 2);
  EXPECT_NE(shape.err.find("shape [4]; the port has [1, 1, 1, 16]"), std::string::npos)
      << shape.err;
}

TEST_F(ExecCommand, InspectExplainsTheTasksOfAContainer) {
  const std::string conv = Container("hwx/model_signed-4e6bd6e6.hwx");
  ANECHECK_SKIP_WITHOUT(conv);
  const Outcome inspect = Tool("inspect --explain " + conv);
  ASSERT_EQ(inspect.code, 0) << inspect.err;
  for (const char* expected :
       {"task 0: convolution 1x1, stride 1, 3 to 2 channels, bias; reads image (BAR 5), 3x1x1",
        "coefficients from __const (BAR 1); writes probs@output (BAR 4), 2x1x1"}) {
    EXPECT_NE(inspect.out.find(expected), std::string::npos) << expected << inspect.out;
  }
}

constexpr std::string_view kSum =
    "program(1.3)\n{\n func main<ios18>(tensor<fp16, [1, 64, 1, 1]> image, tensor<fp16, [1, 64, 1, "
    "1]> image2) {\ntensor<fp16, [1, 64, 1, 1]> probs = add(x = image, y = image2);\n} -> "
    "(probs);\n}";

TEST_F(ExecCommand, CheckJudgesARealContainerByItsModel) {
  const std::string sum = Container("hwx/sum-1b1855b8.hwx");
  ANECHECK_SKIP_WITHOUT(sum);
  WriteText("sum.mil", kSum);
  const Outcome right = Tool("check " + Path("sum.mil") + " --container " + sum + " --json");
  EXPECT_EQ(right.code, 0) << right.out << right.err;
  const auto json = *ParseJson(right.out);
  EXPECT_EQ(json["provenance"], "emulated");
  EXPECT_EQ(json["targets"][0]["verdict"], "pass");
  // The container of another network with the same ports.
  std::string other(kSum);
  other.replace(other.find("add("), 4, "sub(");
  WriteText("sub.mil", other);
  const Outcome wrong = Tool("check " + Path("sub.mil") + " --container " + sum);
  EXPECT_EQ(wrong.code, 1) << wrong.out << wrong.err;
}

// lower writes it, check executes it; a folder is checked file by file.
TEST_F(ExecCommand, CheckJudgesWhatLowerWrites) {
  WriteText("sum.mil", kSum);
  ASSERT_EQ(Tool("lower " + Path("sum.mil") + " --target h13 --out " + Path("lowered")).code, 0);
  const Outcome one =
      Tool("check " + Path("sum.mil") + " --container " + Path("lowered/model.hwx"));
  EXPECT_EQ(one.code, 0) << one.out << one.err;
  const Outcome folder = Tool("check " + Path("sum.mil") + " --container " + Path("lowered"));
  EXPECT_EQ(folder.code, 0) << folder.out << folder.err;
  EXPECT_EQ(Tool("check " + Path("sum.mil") + " --container " + Path("none")).code, 2);
  const Outcome driver =
      Tool("check " + Path("sum.mil") + " --container " + Path("lowered/model.ane"));
  EXPECT_EQ(driver.code, 0) << driver.out << driver.err;
  // A reader that shares no line with the tool.
  const std::string reader = anecheck::testing::SourcePath("scripts/examples/hwx_tasks.py");
  EXPECT_EQ(std::system(
                ("python3 " + reader + " " + Path("lowered/model.hwx") + " > " + Path("tasks.txt"))
                    .c_str()),
            0);
  EXPECT_NE(ReadTextFile(Path("tasks.txt"))->find("planar elementwise: 64x1x1 to 64x1x1, add"),
            std::string::npos);
}

}  // namespace
}  // namespace anecheck
