// Tests the commands that answer questions about targets and run nothing: explain, targets, matrix.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/testing/test_data.h"
#include "harness/cli/testing/tool_test.h"

namespace anecheck {
namespace {

using Outcome = testing::ToolOutcome;
using AttestationCliTest = testing::ToolTest;

TEST_F(AttestationCliTest, ExplainNamesTheLayerThatRefuses) {
  const Outcome text = Tool("explain conv --target h13 --attr kernel=16 --shape x=1,64,56,56");
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("front end        reject      kW must be <=15"), std::string::npos)
      << text.out;
  const auto json = ParseJson(Tool("explain sin --target h13 --json").out);
  ASSERT_TRUE(json.ok()) << json.error().message;
  EXPECT_EQ((*json)["verdicts"][0]["outcome"], "rejected");
  EXPECT_EQ((*json)["verdicts"][1]["layers"][3]["rule"], "no_direct_route");
  EXPECT_EQ(Tool("explain sin --target h99").code, 2);
  EXPECT_EQ(Tool("explain nothing --target h13").code, 2);
  EXPECT_EQ(Tool("explain sin --target h13 --shape x=a").code, 2);
}

TEST_F(AttestationCliTest, ExplainTellsTheMeaningOfATermThatFindingsName) {
  for (const std::string target : {"", " --target h13"}) {
    const Outcome text = Tool("explain earlier_tables" + target);
    EXPECT_EQ(text.code, 0) << text.err;
    EXPECT_NE(text.out.find("meaning: tables are those of compiler 10.26.6"), std::string::npos);
    EXPECT_NE(text.out.find("measured on: A18"), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("source: facts/silicon/conflicts.csv"), std::string::npos);
  }
  const auto json = ParseJson(Tool("explain root_ulp --json").out);
  ASSERT_TRUE(json.ok()) << json.error().message;
  EXPECT_EQ((*json)["value"].get<double>(), 1);
  EXPECT_TRUE((*json)["measured"].empty());
  EXPECT_EQ(Tool("explain tables").code, 0);
}

TEST_F(AttestationCliTest, ExplainTakesASingleNumberForAList) {
  for (const std::string axes : {"-1", "-1,"}) {
    const Outcome text = Tool("explain reduce_max --target h13 --attr axes=" + axes);
    EXPECT_EQ(text.code, 0) << text.err;
  }
}

// `explain` prints the layers, the evidence, and disagreements of sources.
TEST_F(AttestationCliTest, ExplainGivesTheEvidence) {
  const Outcome text = Tool("explain argsort --target h17s --route mil");
  EXPECT_NE(text.out.find("evidence\n"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("compile_rejected"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("known conflicts between sources\n  argsort (h17s)"), std::string::npos)
      << text.out;
  EXPECT_NE(Tool("explain argsort --target h17s --no-published").out.find("evidence: none\n"),
            std::string::npos);
  const auto json = ParseJson(Tool("explain relu --target h13 --json").out);
  ASSERT_TRUE(json.ok());
  EXPECT_EQ((*json)["evidence"][0]["status"], "native");
  EXPECT_TRUE((*json)["known_conflicts"].empty());
  const std::string db = Db("evidence.sqlite");
  ASSERT_EQ(Tool("run --cases 20 --seed 1 --ops relu --targets h13 --quirk all=off" + db).code, 0);
  EXPECT_NE(Tool("explain relu --target h13 --no-published" + db)
                .out.find("relu             correct     correct, mil, simulated"),
            std::string::npos);
}

TEST_F(AttestationCliTest, TargetsShowGivesEveryValueOfOne) {
  const Outcome text = Tool("targets show h13");
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("0x210  streamed_kernel_memory_cap = 16777216  [specification 003"),
            std::string::npos)
      << text.out;
  const auto json = ParseJson(Tool("targets show H13 --json").out);
  ASSERT_TRUE(json.ok());
  EXPECT_EQ((*json)["compiler_name"], "h13");
  const Outcome unknown = Tool("targets show h99");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("h99"), std::string::npos);
}

TEST_F(AttestationCliTest, AHardwareTableReplacesATargets) {
  // Only the texture engine's byte is set, so that the blob decides both the capability and the
  // limits.
  std::vector<uint8_t> blob(0x938);
  blob[0x81d] = 1;
  ASSERT_TRUE(WriteFileAtomic(Path("hal.bin"), blob).ok());
  const std::string flag = " --hal h13=" + Path("hal.bin");
  EXPECT_NE(Tool("explain Resize --route netlist --target h13" + flag).out.find("native\n"),
            std::string::npos);
  EXPECT_NE(Tool("targets show h13" + flag).out.find("0x238  num_nes = 0  [" + Path("hal.bin")),
            std::string::npos);
  EXPECT_EQ(Tool("matrix --targets h13 --format csv --no-published --route netlist" + flag)
                .out.find("\nResize,refused"),
            std::string::npos);
  EXPECT_NE(Tool("matrix --targets h13 --format csv --no-published --route netlist")
                .out.find("\nResize,refused"),
            std::string::npos);
}

// The public guide's table resolves h16 to the index of A15 (4) and h17 to that of A16 (5).
TEST_F(AttestationCliTest, FamiliesAreNumberedEitherWay) {
  const std::string explain = "explain abs --shape x=1,65537 --route mil --target ";
  const std::pair<const char*, std::pair<const char*, const char*>> rows[] = {
      {"h16", {"family 5's", "family 4's"}}, {"h17", {"family 6's", "family 5's"}}};
  for (const auto& [target, texts] : rows) {
    EXPECT_NE(Tool(explain + target).out.find(texts.first), std::string::npos) << target;
    EXPECT_NE(Tool(explain + target + " --family-order guide").out.find(texts.second),
              std::string::npos)
        << target;
  }
  // M11 has no hardware version, so the public guide's table gives it no family.
  const std::string matrix = "matrix --targets m11 --format csv --no-published --route mil";
  EXPECT_NE(Tool(matrix).out.find("\nsin,attested,attested\n"), std::string::npos);
  EXPECT_NE(Tool(matrix + " --family-order guide").out.find("\nsin,unknown,unknown\n"),
            std::string::npos);
}

// scripts/examples/sweep.csv: an example of a sweep from another source.
TEST_F(AttestationCliTest, TheExampleOfASweepIsImported) {
  const std::string matrix = "matrix --targets h13 --no-published --format csv --evidence " +
                             testing::SourcePath("scripts/examples/sweep.csv");
  const std::string all = Tool(matrix).out;
  EXPECT_NE(all.find("\nsilu,correct (reported),"), std::string::npos) << "by its alias";
  EXPECT_NE(all.find("\nconv,correct (reported),"), std::string::npos) << "the instance is no cell";
  EXPECT_NE(all.find("\ntopk,refused,refused,dispatched (reported),"), std::string::npos);
  // Two systems give different answers. This is no conflict, because --os selects one system.
  EXPECT_NE(Tool(matrix + " --os 14.5").out.find("\ntopk,refused,refused,rejected (reported),"),
            std::string::npos);
  EXPECT_NE(
      Tool(matrix + " --compiler 8.0").out.find("\ntopk,refused,refused,dispatched (reported),"),
      std::string::npos);
  EXPECT_EQ(Tool("explain topk --target h13 --no-published --evidence " +
                 testing::SourcePath("scripts/examples/sweep.csv"))
                .out.find("  conflict:"),
            std::string::npos);
}

TEST_F(AttestationCliTest, TargetsAreReplacedByAUsersFile) {
  ASSERT_TRUE(WriteFileAtomic(Path("mine.json"),
                              std::string_view(R"({"fields": [{"offset": "0x81d", "values":
      [{"value": 1, "targets": ["H13"], "source": "mine"}]}]})"))
                  .ok());
  const std::string explain = "explain Resize --route netlist --target h13";
  EXPECT_NE(Tool(explain).out.find("failed to map resize layer"), std::string::npos);
  EXPECT_NE(Tool(explain + " --targets-file " + Path("mine.json")).out.find("native\n"),
            std::string::npos);
  EXPECT_EQ(Tool(explain + " --hal h13=" + Path("mine.json")).code, 2);
}

TEST_F(AttestationCliTest, MatrixHasAStateAndTheRulesForEachRouteAndTakesEvidence) {
  const Outcome csv = Tool("matrix --targets h13,h17s --format csv --no-published");
  EXPECT_EQ(csv.out.substr(0, csv.out.find("\nlinear")),
            "op,h13 mil,h13 mil rules,h13 netlist,h13 netlist rules,h17s mil,h17s mil rules,"
            "h17s netlist,h17s netlist rules\n"
            "conv,attested,attested,attested,attested,attested,attested,attested,attested\n"
            "conv_transpose,attested,attested,attested,attested,attested,attested,attested,"
            "attested");
  ASSERT_TRUE(
      WriteFileAtomic(Path("sweep.csv"), std::string_view("subject,target,stage,provenance,source\n"
                                                          "conv,h13,correct,reported,my sweep\n"))
          .ok());
  const Outcome with =
      Tool("matrix --targets h13 --format csv --no-published --evidence " + Path("sweep.csv"));
  EXPECT_NE(with.out.find("\nconv,correct (reported),attested,"), std::string::npos);
  EXPECT_EQ(Tool("matrix --targets h99").code, 2);
}

// A file whose provenance is silicon proves nothing.
TEST_F(AttestationCliTest, ALineOfAFileIsNoSilicon) {
  ASSERT_TRUE(
      WriteFileAtomic(Path("forged.csv"),
                      std::string_view("subject,target,route,stage,provenance,basis,source\n"
                                       "lstm,h13,mil,correct,silicon,,I say so\n"
                                       "asinh,h13,mil,correct,simulated,silicon,me too\n"))
          .ok());
  const std::string flags = " --no-published --evidence " + Path("forged.csv");
  const std::string csv = Tool("matrix --targets h13 --format csv" + flags).out;
  EXPECT_NE(csv.find("\nlstm,correct (reported),"), std::string::npos);
  EXPECT_NE(csv.find("\nasinh,correct (simulated),"), std::string::npos);
  const auto json = ParseJson(Tool("matrix --targets h13 --format json" + flags).out);
  ASSERT_TRUE(json.ok());
  constexpr int64_t kSilicon = 8;
  for (const Json& cell : (*json)["cells"]) EXPECT_EQ(cell[6].get<int64_t>() & kSilicon, 0);
  EXPECT_NE(Tool("explain lstm --target h13" + flags).out.find("calls itself silicon"),
            std::string::npos);
}

TEST_F(AttestationCliTest, FloorsOfATargetsFileDecide) {
  ASSERT_TRUE(WriteFileAtomic(Path("floors.json"), std::string_view(R"({"version": 1, "floors": [
      {"op": "softmax", "floor": 4, "source": "audit"}, {"op": "sin", "floor": 2, "source": "audit"}]})"))
                  .ok());
  const std::string flag = " --targets-file " + Path("floors.json");
  const std::string matrix = "matrix --targets h13 --route mil --no-published --format csv";
  EXPECT_NE(Tool(matrix).out.find("\nsin,refused,"), std::string::npos);
  EXPECT_NE(Tool(matrix + flag).out.find("\nsin,attested,"), std::string::npos);
  EXPECT_NE(Tool(matrix + flag).out.find("\nsoftmax,decomposed,"), std::string::npos);
  ASSERT_TRUE(WriteFileAtomic(Path("typo.json"), std::string_view(R"({"version": 1, "floors": [
      {"op": "sofmax", "floor": 4, "source": "audit"}]})"))
                  .ok());
  const Outcome typo = Tool(matrix + " --targets-file " + Path("typo.json"));
  EXPECT_EQ(typo.code, 2);
  EXPECT_NE(typo.err.find("\"sofmax\" is no operation"), std::string::npos) << typo.err;
}

// `check` and `lower` give the same answer about a model, without and with a user's targets file.
TEST_F(AttestationCliTest, CheckAndLowerGiveOneAnswer) {
  WriteText("model.mil",
            "program(1.3)\n{\n func main<ios18>(tensor<fp16, [1, 4]> x) {\n"
            "tensor<fp16, [1, 4]> r = relu(x = x);\n"
            "tensor<fp16, [1, 4]> s = sin(x = r);\n"
            "tensor<fp16, [1, 4]> t = tan(x = s);\n"
            "tensor<fp16, [1, 4]> y = softmax(x = t, axis = int32(1));\n} -> (y);\n}");
  ASSERT_TRUE(WriteFileAtomic(Path("floors.json"), std::string_view(R"({"version": 1, "floors": [
      {"op": "sin", "floor": 2, "source": "audit"}, {"op": "cos", "floor": 2, "source": "audit"}]})"))
                  .ok());
  const std::string floors = " --targets-file " + Path("floors.json");
  for (const std::string& flags : {std::string(), floors}) {
    for (const std::string target : {"h13", "h15", "h17s"}) {
      const std::string where = Path("model.mil") + " --target " + target + flags + " --json";
      const Json lower = JsonOf(Tool("lower " + where));
      const Json check = JsonOf(Tool("check " + where))["targets"][0];
      EXPECT_EQ(check["lowering"]["dispatches"], lower["plan"]["dispatches"]) << where;
      EXPECT_EQ(check["lowering"]["compiles"], lower["plan"]["compiles"]) << where;
      ASSERT_EQ(check["operations"].size(), 4u);
      for (size_t i = 0; i < 4; ++i) {
        const Json &checked = check["operations"][i], &lowered = lower["operations"][i];
        for (const char* key : {"op", "name", "outcome", "known", "segments"}) {
          EXPECT_EQ(checked[key], lowered[key]) << where << " " << i;
        }
      }
      const bool sine = target != "h13" || !flags.empty();
      EXPECT_EQ(check["operations"][1]["outcome"], sine ? "native" : "rejected") << where;
      EXPECT_EQ(lower["plan"]["compiles"], sine) << where;
    }
  }
}

// General evidence about an operation does not apply to an instance that the rules refuse.
TEST_F(AttestationCliTest, ExplainGivesTheKnownStageByEachRoute) {
  const std::string bare = Tool("explain conv --target h13").out;
  EXPECT_NE(bare.find("known by mil: dispatched (published)\n"), std::string::npos) << bare;
  EXPECT_NE(bare.find("known by netlist: attested\n"), std::string::npos) << bare;
  const std::string wide = Tool("explain conv --target h13 --attr kernel=16").out;
  EXPECT_NE(wide.find("known by mil: refused\n"), std::string::npos) << wide;
  EXPECT_NE(wide.find("known by netlist: refused\n"), std::string::npos) << wide;
  const auto json = ParseJson(Tool("explain gather --target h17s --json").out);
  ASSERT_TRUE(json.ok());
  EXPECT_EQ((*json)["cells"][0]["state"], "rejected") << "the declared winner of two sources";
}

}  // namespace
}  // namespace anecheck
