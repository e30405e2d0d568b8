// A long campaign on an engine without planted faults has no new finding, with or without the
// documented defects.
#include <string>

#include "harness/cli/testing/tool_test.h"

namespace anecheck {
namespace {

using CleanCampaign = testing::ToolTest;

TEST_F(CleanCampaign, TwentyThousandCasesGiveNoFinding) {
  for (const auto& [quirks, seed] : {std::pair(" --quirk all=off", "1"), std::pair("", "2")}) {
    const auto outcome = Tool(std::string("run --cases 10000 --json --targets h13,h17s --seed ") +
                              seed + quirks + Db("clean.sqlite"));
    EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
    const Json summary = JsonOf(outcome)["summary"];
    EXPECT_EQ(summary["cases"], 10000);
    EXPECT_EQ(summary["findings"], 0) << outcome.out;
    EXPECT_EQ(summary["unconfirmed"], 0) << outcome.out;
    EXPECT_GE(summary["judged"].get<int>(), 9000);
    if (*quirks != 0) EXPECT_EQ(summary["known_defects"], 0) << outcome.out;
  }
}

// Steering towards uncovered pairs draws operands that are otherwise rare, such as integers and
// bools.
TEST_F(CleanCampaign, TwentyThousandSteeredCasesGiveNoFinding) {
  const auto outcome =
      Tool("run --steer --route both --cases 20000 --json --targets h13,h17s --seed 3" +
           std::string(" --quirk all=off") + Db("steered.sqlite"));
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(JsonOf(outcome)["summary"]["findings"], 0) << outcome.out;
}

}  // namespace
}  // namespace anecheck
