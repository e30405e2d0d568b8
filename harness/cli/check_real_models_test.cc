// `anecheck check` on real models and on real network descriptions.
#include <string>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/testing/test_data.h"
#include "harness/cli/testing/model_commands.h"

namespace anecheck {
namespace {

using testing::ModelCommands;
using Outcome = testing::ToolOutcome;

// The model has a layer of gain and offset, which no MIL text can name.
TEST_F(ModelCommands, CheckCompilesANetworkDescriptionByItsOwnRoute) {
  const std::string path = testing::RealDataPath("netlist/simple_goc-0d8078fd.plist");
  ANECHECK_SKIP_WITHOUT(path);
  const Outcome check = Tool("check " + path + " --target h13,h16,h17s --json --quirk all=off");
  EXPECT_EQ(check.code, 0) << check.err;
  const auto json = ParseJson(check.out);
  ASSERT_TRUE(json.ok()) << check.err;
  ASSERT_EQ((*json)["targets"].size(), 3u);
  for (const Json& target : (*json)["targets"]) {
    EXPECT_EQ(target["route"], "netlist");
    EXPECT_EQ(target["verdict"], "pass") << check.out;
  }
}

TEST_F(ModelCommands, CheckNamesTheObstaclesOfRealModels) {
  const struct {
    const char* name;
    std::vector<const char*> says;  // parts of standard output or standard error
  } models[] = {
      {"coremltools__add_model__model-a413e2be.mil",
       {"h13 (A14, M1): pass", "no value comes near a known cliff", "used made-up inputs"}},
      {"FluidAudio__TransposeEncoder__model-26f5318a.mil", {"h13 (A14, M1): pass"}},
      {"FluidAudio__Argmax__model-e1d1ff9c.mil",
       {"an engine gives fp16: int32 outputs that the host widens: index", "h13 (A14, M1): pass"}},
      {"FluidAudio__TokenDurationPrediction__model-4de79cdc.mil",
       {"int32 outputs that the host widens: var_17, var_24", "h13 (A14, M1): pass"}},
      {"FluidAudio__decoder__model-5ead417f.mil",
       {"the host computes operations whose operands an engine does not take: cast "
        "\"targets_to_int16\", gather "
        "\"y_cast_fp16_cast_uint16\"",
        "host: lstm"}},
      {"mobius__silero-vad-unified-v6.0.0__model-810386da.mil",
       {"the casts of fp32 inputs are left out: audio_input, cell_state, hidden_state",
        "h13 (A14, M1): rejected: conv: kW must be <=15", "refused: conv \"stft_out_cast_fp16\"",
        "host: lstm \"lstm_out_batch_first_0\": no path by the placement",
        "part 3 of 3 around these, 8 operations from expand_dims \"hn_cast_fp16\" to squeeze "
        "\"new_cell_state\": pass",
        "used 13 made-up constants and made-up inputs"}},
      {"FluidAudio__parakeet_eou_preprocessor__model-25db6a13.mil",
       {": open axes, judged by the rules alone, at ", "give extents by an array of --inputs"}},
  };
  for (const auto& model : models) {
    const std::string path = testing::RealDataPath("mil/" + std::string(model.name));
    ANECHECK_SKIP_WITHOUT(path);
    const Outcome check = Tool("check " + path + " --made-up-weights --target h13");
    for (const char* words : model.says) {
      EXPECT_NE((check.out + check.err).find(words), std::string::npos)
          << model.name << " does not say: " << words << "\n"
          << check.out << check.err;
    }
  }
}

// `check` leaves the edges of a model to the host, and `lower` lowers the whole model.
TEST_F(ModelCommands, CheckAndLowerSayTheSameOfALowering) {
  for (const char* name : {"FluidAudio__decoder__model-5ead417f.mil",
                           "FluidAudio__TokenDurationPrediction__model-4de79cdc.mil",
                           "coremltools__add_model__model-a413e2be.mil"}) {
    const std::string path = testing::RealDataPath("mil/" + std::string(name));
    ANECHECK_SKIP_WITHOUT(path);
    for (const std::string target : {"h13", "h16"}) {
      const std::string of = " " + path + " --made-up-weights --target " + target;
      const Outcome check = Tool("check" + of + " --json"), lower = Tool("lower" + of + " --json");
      const auto checked = ParseJson(check.out), lowered = ParseJson(lower.out);
      ASSERT_TRUE(checked.ok() && lowered.ok()) << check.err << lower.err;
      const Json& ours = (*checked)["targets"][0]["lowering"];
      const bool edges = !(*lowered)["without_edges"].is_null();
      EXPECT_EQ(ours["without_edges"], edges) << name;
      const Json& theirs = (*lowered)[edges ? "without_edges" : "plan"];
      for (const char* key : {"compiles", "compiles_with_bridges", "dispatches"}) {
        EXPECT_EQ(ours[key], theirs[key]) << name << " " << target << " " << key;
      }
    }
  }
}

// The host runs an lstm, unless it is rewritten before the compiler.
TEST_F(ModelCommands, CheckAndLowerNameRewritesBeforeTheCompiler) {
  const std::string path = testing::RealDataPath("mil/FluidAudio__decoder__model-5ead417f.mil");
  ANECHECK_SKIP_WITHOUT(path);
  const std::string of = " " + path + " --made-up-weights --target M1";
  const Outcome check = Tool("check" + of), lower = Tool("lower" + of);
  const auto says = [](const Outcome& outcome, const char* words) {
    EXPECT_NE(outcome.out.find(words), std::string::npos) << words << "\n" << outcome.out;
  };
  says(check, "  host: lstm \"input_cast_fp16_0\"");
  says(check,
       "  lowered without the edges named above, as the last line of `anecheck lower` shows: "
       "compiles, ");
  says(check,
       "    after rewrites before the compiler, else the engine does not take: lstm "
       "\"input_cast_fp16_0\"\n");
  says(lower, "h13 by mil: does not compile, 135 layers\n");
  says(lower,
       "  input_cast_fp16_0 (lstm), rewritten before the compiler: the cell once for each step");
  says(lower, "; the engine takes only the rewritten form\n");
  says(lower, "segment 0, engine, with input_cast_fp16_0 (lstm) in rewritten form\n");
  says(lower, "\nwithout its edges, as `anecheck check` runs it: compiles, ");
}

TEST_F(ModelCommands, CheckReportsDefectsSeparatelyFromCliffs) {
  const std::string path = testing::RealDataPath("models/unified_mixed.mlpackage");
  ANECHECK_SKIP_WITHOUT(path);
  const Outcome check = Tool("check " + path + " --target h13");
  EXPECT_NE(check.out.find("h13 (A14, M1): explained by documented defects: D03: "),
            std::string::npos)
      << check.out;
  EXPECT_NE(check.out.find("\napart from these defects, no value comes near a known cliff\n"),
            std::string::npos)
      << check.out;
}

// The error names all operations on lists, not only the first one.
TEST_F(ModelCommands, CheckNamesEveryOperationThatCannotBeJudged) {
  const std::string path = testing::RealDataPath("models/dtln128_p1.mlmodel");
  ANECHECK_SKIP_WITHOUT(path);
  const Outcome check = Tool("check " + path + " --made-up-weights --target h13");
  EXPECT_EQ(check.code, 2);
  EXPECT_NE(check.err.find("operation \"make_list\" cannot be judged: makes a list"),
            std::string::npos)
      << check.err;
  EXPECT_NE(check.err.find("; nor can: list_gather (2), list_read (2), list_scatter (2), "
                           "list_write (2); cut the model around them"),
            std::string::npos)
      << check.err;
  EXPECT_EQ(check.err.find("default extents"), std::string::npos) << check.err;
  EXPECT_EQ(Tool("explain make_list --target h13").code, 0);
}

// In real descriptions, some parameters of layers refer to constants. These must not count as
// operands.
TEST_F(ModelCommands, CheckTakesRealLayersOfNetworkDescriptions) {
  for (const char* name : {"simple_goc-0d8078fd.plist", "plists_goc-34f5c70f.plist",
                           "neuron-28baec18.plist", "simple_concat-1ca533d2.plist",
                           "plists_inputview-91d431d6.plist", "simple_reshape-50a008c1.plist"}) {
    const std::string path = testing::RealDataPath("netlist/" + std::string(name));
    ANECHECK_SKIP_WITHOUT(path);
    const Outcome check = Tool("check " + path + " --target h13,h16,h17s --json");
    EXPECT_EQ(check.code, 0) << name << check.err;
    const auto json = ParseJson(check.out);
    ASSERT_TRUE(json.ok()) << name << check.err;
    for (const Json& target : (*json)["targets"]) {
      for (const Json& row : target["operations"]) {
        EXPECT_EQ(row["placement"], "engine") << name << target["target"] << row;
      }
    }
    const Outcome lower = Tool("lower " + path + " --target h13");
    EXPECT_NE(lower.out.find("h13 by netlist: compiles"), std::string::npos) << name << lower.out;
  }
}

}  // namespace
}  // namespace anecheck
