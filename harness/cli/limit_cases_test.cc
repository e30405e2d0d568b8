// Models with a known answer about limits and disputed facts (ANECHECK_CASES, values/values.csv):
// what check and explain say of each.
#include <fmt/format.h>
#include <string>

#include "harness/base/testing/test_data.h"
#include "harness/cli/testing/model_commands.h"

namespace anecheck {
namespace {

using testing::ModelCommands;

struct KnownAnswer {
  const char* name;
  const char* target;
  const char* says;
};

constexpr KnownAnswer kChecked[] = {
    {"c02_logsumexp", "h13,h16g,h17s", "log-sum-exp drops to 0 where the sum of exponentials"},
    {"c03_logsoftmax", "h16g", "numbers underflow to 0 before the logarithm"},
    {"c04_rmsnorm", "h16g", "scale before squaring"},
    {"c05z_rmszero", "h16g", "0 is divided by 0"},
    {"c06_mish", "h15", "softplus \"s\" is past a cliff: D09"},
    {"c06_mish", "h16g", "softplus \"s\" is past a cliff: D09"},
    {"c10_argmax19", "h16g", "The result leaves the engine"},
    {"c12_ln_rz_1024", "h13", "one live affine term does not compile on M1 and M2"},
    {"c26_dynconv", "h15c", "weights ignored without an error"},
    {"c27_tile", "h15c", "every later evaluation in the process fails"},
    {"c39_lmhead_16385", "h13", "sources disagree"},
    {"c39_lmhead_65537", "h16g", "C65537 of the result"},
    {"k_addi32", "h16g", "add \"y\": rejected"},
    {"k_conv16", "h16g", "decomposed: a kernel of 16 x 16"},
    {"k_gatherdyn", "h16g", "gather \"y\": rejected"},
    {"k_logical", "h16g", "4 engine, 0 host, 0 refused"},
    {"k_maxpool9", "h16g", "Invalid Pool kernel width (9), must be [1-8] or 32."},
    {"k_topkgather", "h15", "the chain leaves the engine"},
    {"k_topkgather", "h18", "the chain gives wrong values"},
    {"k_w8", "h15c", "garbage or a nonzero status"},
};

TEST_F(ModelCommands, CheckAnswersModelsAtLimitsAsSourcesDo) {
  ANECHECK_SKIP_WITHOUT(testing::CasePath("values"));
  for (const KnownAnswer& row : kChecked) {
    const std::string model = testing::CasePath(fmt::format("values/{}", row.name));
    const auto answer =
        Tool(fmt::format("check {0}.json --inputs {0}.in.npz --target {1}", model, row.target));
    EXPECT_NE(answer.out.find(row.says), std::string::npos) << row.name << "\n"
                                                            << answer.out << answer.err;
  }
}

TEST_F(ModelCommands, CheckOfAScaledNormFindsNoCliff) {
  ANECHECK_SKIP_WITHOUT(testing::CasePath("values"));
  const std::string model = testing::CasePath("values/c05_rmsmax");
  const auto answer = Tool(fmt::format("check {0}.json --inputs {0}.in.npz --target h16g", model));
  EXPECT_NE(answer.out.find("no value comes near a known cliff"), std::string::npos) << answer.out;
}

TEST_F(ModelCommands, ExplainRefusesWhatResultsExceed) {
  const auto answer = Tool(
      "explain conv --target h16g --route mil --shape x=1,8,1,1 --shape weight=151936,8,1,1 "
      "--const weight");
  EXPECT_NE(answer.out.find("C151936 of the result"), std::string::npos) << answer.out;
  EXPECT_NE(answer.out.find("route mil: rejected"), std::string::npos) << answer.out;
}

TEST_F(ModelCommands, ExplainSaysWhatIsTakenAtACost) {
  const auto answer = Tool("explain conv --target h16g --route mil --attr kernel=16");
  EXPECT_NE(answer.out.find("route mil: decomposed"), std::string::npos) << answer.out;
}

TEST_F(ModelCommands, JudgeNamesTheLogSumExpThatDrops) {
  ANECHECK_SKIP_WITHOUT(testing::CasePath("values"));
  const std::string model = testing::CasePath("values/c02_logsumexp");
  for (const char* target : {"h13", "h16g", "h17s"}) {
    const auto answer = Tool(fmt::format(
        "judge {0}.json --inputs {0}.in.npz --actual {0}.actual.npz --target {1}", model, target));
    EXPECT_NE(answer.out.find("known-defect D09"), std::string::npos)
        << target << answer.out << answer.err;
  }
}

}  // namespace
}  // namespace anecheck
