// Runs campaigns through the Core ML runner, with a stand-in for Core ML. Tests the verdict for
// each way in which a case can end.
#include <gtest/gtest.h>

#include "harness/cli/testing/tool_test.h"

namespace anecheck {
namespace {

using Outcome = testing::ToolOutcome;

class CoreMlCampaign : public testing::ToolTest {
 protected:
  Outcome Run(const std::string& word, const std::string& more = "") {
    return Tool("run --runner \"exec:'" ANECHECK_COREML_STAND_IN "' " + word +
                " --least-saving 0\" --targets h13 --ops relu,add,mul --mode integer,float --cases "
                "6 --seed 5 --jobs 1 --json" +
                more + Db("a.sqlite"));
  }
  std::string Query(const std::string& sql) {
    const Outcome outcome = Tool("query" + Db("a.sqlite") + " \"" + sql + "\"");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out;
  }
  // Expects one finding with that verdict and `words` in its message, and no operation that is
  // shown to be right.
  void ExpectFinding(const std::string& word, const char* verdict, const char* words) {
    SCOPED_TRACE(word);
    const Outcome run = Run(word);
    EXPECT_EQ(run.code, 1) << run.err;
    EXPECT_NE(run.out.find(words), std::string::npos) << run.out;
    const std::string verdicts = Query("SELECT DISTINCT verdict FROM findings");
    EXPECT_EQ(verdicts, std::string("verdict\n") + verdict + "\n");
    EXPECT_EQ(Query("SELECT sum(dispatched), sum(correct) FROM reach"),
              "sum(dispatched),sum(correct)\n0,0\n");
  }
};

TEST_F(CoreMlCampaign, APlannedRightCaseCountsAsPlannedAndNotAsDispatched) {
  const Outcome run = Run("right");
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_EQ(Query("SELECT DISTINCT verdict FROM cases"), "verdict\npass\n");
  EXPECT_EQ(Query("SELECT provenance, chip FROM runs"), "provenance,chip\nreported,M1\n");
  EXPECT_EQ(Query("SELECT sum(dispatched), sum(correct) FROM reach"),
            "sum(dispatched),sum(correct)\n0,0\n");
  EXPECT_EQ(Query("SELECT sum(p.cases) = sum(r.cases) AS all_planned FROM planned_reach p JOIN "
                  "reach r USING (run, target, route, op)"),
            "all_planned\n1\n");
  const Json report = JsonOf(Tool("matrix --format json" + Db("a.sqlite")));
  EXPECT_NE(DumpJson(report).find("\"planned\""), std::string::npos) << DumpJson(report);
}

TEST_F(CoreMlCampaign, APlanOnTheCpuIsMisplaced) {
  ExpectFinding("cpu", "misplaced", "on cpu");
  EXPECT_EQ(Query("SELECT count(*) AS passes FROM cases WHERE verdict = 'pass'"), "passes\n0\n");
  EXPECT_EQ(Query("SELECT count(*) AS planned FROM planned_reach"), "planned\n0\n");
}

TEST_F(CoreMlCampaign, AModelThatDoesNotCompileIsRejected) {
  ExpectFinding("no-compile", "rejected", "compiler error: Encountered an error");
}

TEST_F(CoreMlCampaign, AModelThatDoesNotLoadFailed) {
  ExpectFinding("no-load", "failed",
                "Failed to build the model execution plan; the CPU alone runs it");
}

TEST_F(CoreMlCampaign, AModelThatFailsToLoadOnTheCpuTooIsReportedAsSuch) {
  ExpectFinding("no-load-at-all", "failed", "the CPU alone fails at load too");
}

TEST_F(CoreMlCampaign, APredictionThatFailsIsFailed) {
  ExpectFinding("no-predict", "failed", "Unable to compute the prediction");
}

TEST_F(CoreMlCampaign, AWrongValueIsChargedToTheEngineIfTheCpuIsRight) {
  ExpectFinding("wrong", "wrong", "which are right");
}

TEST_F(CoreMlCampaign, AWrongValueOfTheCpuTooIsReported) {
  ExpectFinding("both-wrong", "wrong", "the CPU alone gives the same");
}

TEST_F(CoreMlCampaign, WithoutAPlanACaseIsJudgedAndNotPlanned) {
  const Outcome run = Run("no-plan");
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_EQ(Query("SELECT count(*) AS planned FROM planned_reach"), "planned\n0\n");
  EXPECT_NE(Query("SELECT message FROM cases LIMIT 1").find("no plan: "), std::string::npos);
}

TEST_F(CoreMlCampaign, NetworkDescriptionsAreInconclusive) {
  const Outcome run = Run("right", " --route netlist");
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_EQ(Query("SELECT DISTINCT verdict FROM cases"), "verdict\ninconclusive\n");
}

}  // namespace
}  // namespace anecheck
