// Tests `exec` and `inspect --explain` on real containers.
#include <cstdlib>
#include <filesystem>
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

// The weights of this container are 0 to 8 times 2^-24, which the engine of the family treats as
// zero.
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
  // The container belongs to another network with the same ports.
  std::string other(kSum);
  other.replace(other.find("add("), 4, "sub(");
  WriteText("sub.mil", other);
  const Outcome wrong = Tool("check " + Path("sub.mil") + " --container " + sum);
  EXPECT_EQ(wrong.code, 1) << wrong.out << wrong.err;
}

TEST_F(ExecCommand, LiftWritesAGraphThatTheContainerComputes) {
  const std::string signed_model = Container("hwx/model_signed-4e6bd6e6.hwx");
  ANECHECK_SKIP_WITHOUT(signed_model);
  const Outcome lift = Tool("lift " + signed_model + " --out " + Path("graph.json") + " --json");
  ASSERT_EQ(lift.code, 0) << lift.err;
  EXPECT_EQ((*ParseJson(lift.out))["operations"]["conv"], 1);
  const Outcome check =
      Tool("check " + Path("graph.json") + " --container " + signed_model + " --json");
  EXPECT_EQ(check.code, 0) << check.out << check.err;
  const auto json = *ParseJson(check.out);
  EXPECT_EQ(json["targets"][0]["verdict"], "pass");
  EXPECT_EQ(json["container"], signed_model);
  // No engine ran the operation.
  EXPECT_EQ(json["targets"][0]["operations"][0]["placement"], "emulated");
  WriteText("no.hwx", "no container");
  EXPECT_EQ(Tool("lift " + Path("no.hwx") + " --out " + Path("no.json")).code, 2);
}

// Models and containers are paired by name. The tool shows a model or a container without its
// partner, and reports it as an error.
TEST_F(ExecCommand, CheckPairsAFolderOfModelsWithContainers) {
  const std::string sum = Container("hwx/sum-1b1855b8.hwx");
  ANECHECK_SKIP_WITHOUT(sum);
  const std::string relu = Container("hwx/relu-d66a665b.hwx");
  std::filesystem::create_directory(Path("models"));
  WriteText("models/sum-1b1855b8.mil", kSum);
  const Outcome one = Tool("check " + Path("models") + " --container " + sum);
  EXPECT_EQ(one.code, 0) << one.out << one.err;
  const Outcome two = Tool("check " + Path("models") + " --container " + sum + " " + relu);
  EXPECT_EQ(two.code, 1) << two.out << two.err;
  EXPECT_NE(two.out.find("2 checked: 1 not run 1 pass"), std::string::npos) << two.out;
  EXPECT_NE(two.out.find("no model has the container's name"), std::string::npos) << two.out;
  // Below the table the tool names the task in which a wrong pair first deviates.
  std::string other(kSum);
  other.replace(other.find("add("), 4, "sub(");
  WriteText("models/sum-1b1855b8.mil", other);
  ASSERT_EQ(Tool("lift " + relu + " --out " + Path("models/relu-d66a665b.json")).code, 0);
  const Outcome wrong = Tool("check " + Path("models") + " --container " + sum + " " + relu);
  EXPECT_EQ(wrong.code, 1) << wrong.out << wrong.err;
  EXPECT_NE(wrong.out.find("2 checked: 1 pass 1 wrong"), std::string::npos) << wrong.out;
  EXPECT_NE(wrong.out.find("the first deviation is in task 0 of 1 (elementwise addition)"),
            std::string::npos)
      << wrong.out;
  EXPECT_EQ(
      Tool("check " + Path("models") + " --container " + Container("hwx/gemm-ef7e5c24.hwx")).code,
      2);
}

// A container that a compiler wrote breaks no rule of programs. --explain lists these rules.
TEST_F(ExecCommand, InspectVerifiesARealContainerAndExplainsTheRules) {
  const std::string relu = Container("hwx/relu-d66a665b.hwx");
  ANECHECK_SKIP_WITHOUT(relu);
  EXPECT_EQ(Tool("inspect --verify " + relu).code, 0);
  const auto json = *ParseJson(Tool("inspect --explain --json " + relu).out);
  const std::string rules = json["rules"].dump();
  EXPECT_NE(rules.find("program-producer-first"), std::string::npos);
}

// `check` executes the container that `lower` wrote, alone or with all containers of a folder.
TEST_F(ExecCommand, CheckJudgesTheContainersOfLower) {
  WriteText("sum.mil", kSum);
  ASSERT_EQ(Tool("lower " + Path("sum.mil") + " --target h13 --out " + Path("lowered")).code, 0);
  const Outcome one =
      Tool("check " + Path("sum.mil") + " --container " + Path("lowered/model.hwx"));
  EXPECT_EQ(one.code, 0) << one.out << one.err;
  // A package is a folder, but counts as one model. Its name may be arbitrary.
  ASSERT_EQ(Tool("lower " + Path("sum.mil") + " --format mlpackage --out " + Path("package")).code,
            0);
  const Outcome package =
      Tool("check " + Path("package") + " --container " + Path("lowered/model.hwx"));
  EXPECT_EQ(package.code, 0) << package.out << package.err;
  const Outcome folder = Tool("check " + Path("sum.mil") + " --container " + Path("lowered"));
  EXPECT_EQ(folder.code, 0) << folder.out << folder.err;
  EXPECT_EQ(Tool("check " + Path("sum.mil") + " --container " + Path("none")).code, 2);
  const Outcome driver =
      Tool("check " + Path("sum.mil") + " --container " + Path("lowered/model.ane"));
  EXPECT_EQ(driver.code, 0) << driver.out << driver.err;
  // The script shares no code with the tool.
  const std::string reader = anecheck::testing::SourcePath("scripts/examples/hwx_tasks.py");
  for (const std::string target : {"h13", "h14", "h15"}) {
    ASSERT_EQ(
        Tool("lower " + Path("sum.mil") + " --target " + target + " --out " + Path(target)).code,
        0);
    const std::string command =
        "python3 " + reader + " " + Path(target + "/model.hwx") + " > " + Path("tasks.txt");
    EXPECT_EQ(std::system(command.c_str()), 0) << target;
    EXPECT_NE(ReadTextFile(Path("tasks.txt"))->find("planar elementwise: 64x1x1 to 64x1x1, add"),
              std::string::npos)
        << target;
  }
}

// `lower` expands compressed weights, and `check` uses the arithmetic of the container's family.
TEST_F(ExecCommand, CheckJudgesContainersOfCompressedWeights) {
  const std::string model = anecheck::testing::CasePath("models/cw_conv.json");
  ANECHECK_SKIP_WITHOUT(model);
  for (const std::string target : {"h13", "h14", "h15", "h16", "h17", "h18"}) {
    const Outcome lowered =
        Tool("lower " + model + " --target " + target + " --out " + Path(target));
    EXPECT_NE(lowered.out.find("model.hwx holds plain weights in place of compressed ones"),
              std::string::npos)
        << lowered.out << lowered.err;
    const Outcome check = Tool("check " + model + " --container " + Path(target + "/model.hwx"));
    EXPECT_EQ(check.code, 0) << target << check.out << check.err;
    EXPECT_NE(check.out.find("\n" + target + " ("), std::string::npos) << check.out;
  }
}

}  // namespace
}  // namespace anecheck
