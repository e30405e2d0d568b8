// Campaigns find what errs to one side inside its bound, from many cases and from none alone.
#include "harness/campaign/lean_watch.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/base/json_text.h"
#include "harness/campaign/artifact.h"
#include "harness/campaign/resume.h"
#include "harness/campaign/run_again.h"
#include "harness/campaign/testing/campaign_test.h"
#include "harness/ops/op.h"

namespace anecheck {
namespace {

constexpr int kA15 = 4;

// An engine that, of the elements it is free in, gives every `period`th the lower end of its bound.
testing::ScriptedRunner::Spoil Low(size_t period) {
  return [period](const RunRequest& request, RunReply& reply) {
    const auto estimates = Evaluate(*request.graph, request.inputs, ConformingContract(kA15));
    if (!estimates.ok()) return;
    for (size_t output = 0; output < reply.outputs.size(); ++output) {
      const Estimate& expected = (*estimates)[output];
      std::vector<double> values = expected.value;
      for (size_t i = 0; i < values.size(); i += period) {
        if (expected.low[i] < expected.high[i]) values[i] = expected.low[i];
      }
      EncodeElements(expected.type.dtype, values, reply.outputs[output].bytes);
    }
  };
}

class LeaningEngine : public testing::CampaignTest {
 protected:
  CampaignOptions OfRoots(uint64_t cases) {
    CampaignOptions options = Options(cases);
    options.targets = {{"h15", kA15}};
    options.ops.reset();
    options.ops.set(static_cast<size_t>(OpKind::kRsqrt));
    options.modes = {CaseMode::kFloat};
    return options;
  }
  static std::vector<std::vector<std::string>> Rows(const CampaignOptions& options,
                                                    const std::string& sql) {
    auto store = Store::OpenReadOnly(options.db);
    EXPECT_TRUE(store.ok());
    auto rows = store->Query(sql);
    EXPECT_TRUE(rows.ok()) << (rows.ok() ? "" : rows.error().message);
    return rows.ok() ? *rows : std::vector<std::vector<std::string>>();
  }
};

constexpr const char* kSums =
    "SELECT target, route, op, lean, outputs, sum, capital_1, capital_2, capital_3, capital_4, "
    "extreme_case, extreme FROM error_leans ORDER BY target, route, op, lean";
constexpr const char* kFindings =
    "SELECT id, case_index, op, target, verdict, signature, occurrences, summary FROM findings";

TEST_F(LeaningEngine, IsOneFindingThatCountsAsUnconfirmed) {
  const CampaignOptions options = OfRoots(2000);
  const CampaignSummary summary = Must(RunCampaign(options, Scripted(Low(2)), {}));
  ASSERT_EQ(summary.list.size(), 1u);
  const FindingRecord& finding = summary.list[0];
  EXPECT_EQ(finding.verdict, "biased");
  EXPECT_EQ(finding.op, "rsqrt");
  EXPECT_EQ(finding.target, "h15");
  EXPECT_NE(finding.summary.find("the contract permits"), std::string::npos) << finding.summary;
  EXPECT_EQ(summary.findings, 0u) << "no element is outside its bound";
  EXPECT_EQ(summary.unconfirmed, 1u);
  EXPECT_EQ(Rows(options, "SELECT count(*) FROM cases WHERE verdict = 'biased'")[0][0], "0")
      << "no case is biased by itself";
  EXPECT_FALSE(HasFindings(summary, false));
  EXPECT_TRUE(HasFindings(summary, true));
}

TEST_F(LeaningEngine, IsSeenThoughItErsInOneElementOfEight) {
  const CampaignSummary summary = Must(RunCampaign(OfRoots(5000), Scripted(Low(8)), {}));
  ASSERT_EQ(summary.list.size(), 1u);
  EXPECT_EQ(summary.list[0].verdict, "biased");
}

TEST_F(LeaningEngine, AnEngineThatGivesTheValueDoesNotLean) {
  const CampaignOptions options = OfRoots(5000);
  const CampaignSummary summary =
      Must(RunCampaign(options, Scripted([](const RunRequest&, RunReply&) {}), {}));
  EXPECT_TRUE(summary.list.empty());
  const auto rows = Rows(options,
                         "SELECT min(outputs), max(sum) FROM error_leans WHERE lean <> "
                         "'fills'");
  EXPECT_GT(std::stoi(rows[0][0]), 1000) << "it was asked";
  EXPECT_EQ(rows[0][1], "0");
}

TEST_F(LeaningEngine, ItsCaseIsBiasedAgainAndNotOnAnEngineThatDoesNotLean) {
  const CampaignOptions options = OfRoots(1000);
  Must(RunCampaign(options, Scripted(Low(2)), {}));
  const auto rows = Rows(options, "SELECT artifact FROM findings");
  ASSERT_EQ(rows.size(), 1u);
  const auto artifact = ArtifactFromJson(*ParseJson(rows[0][0], "artifact"));
  ASSERT_TRUE(artifact.ok());
  EXPECT_EQ(artifact->verdict, "biased");
  Evaluation evaluation;
  testing::ScriptedRunner leaning(Low(2)), right([](const RunRequest&, RunReply&) {});
  const auto again = RunAgain(artifact->item, artifact->verdict, leaning, evaluation);
  EXPECT_EQ(again->record.verdict, "biased");
  EXPECT_EQ(again->op, "rsqrt");
  EXPECT_EQ(RunAgain(artifact->item, artifact->verdict, right, evaluation)->record.verdict, "pass");
  EXPECT_EQ(RunAgain(artifact->item, "wrong", leaning, evaluation)->record.verdict, "pass")
      << "one case proves nothing where no campaign has counted";
}

// Two processes leave what one would have left; so do several threads.
TEST_F(LeaningEngine, ResumedCampaignsAndJobsGiveTheSameSums) {
  const CampaignOptions whole = OfRoots(1280);
  Must(RunCampaign(whole, Scripted(Low(2)), {}));
  CampaignOptions jobs = OfRoots(1280);
  jobs.jobs = 3;
  Must(RunCampaign(jobs, Scripted(Low(2)), {}));
  const CampaignOptions cut = OfRoots(1280);
  std::atomic<bool> stop{false};
  const auto halfway = [&](const CampaignProgress& progress) {
    if (progress.done >= 128) stop = true;
  };
  RunCampaign(cut, Scripted(Low(2)), halfway, &stop).ok();
  {
    auto store = Store::OpenReadOnly(cut.db);
    auto point = ReadResumePoint(*store);
    ASSERT_TRUE(point.ok());
    const uint64_t before = point->summary.cases;
    EXPECT_GE(before, 128u);
    CampaignOptions rest = point->options;
    Must(ResumeCampaign(rest, std::move(*point), Scripted(Low(2)), {}));
  }
  EXPECT_EQ(Rows(whole, "SELECT count(*) FROM cases"), Rows(cut, "SELECT count(*) FROM cases"));
  for (const CampaignOptions& other : {jobs, cut}) {
    EXPECT_EQ(Rows(whole, kSums), Rows(other, kSums));
    EXPECT_EQ(Rows(whole, kFindings), Rows(other, kFindings));
  }
  EXPECT_EQ(Rows(whole, kFindings).size(), 1u);
}

// The shards of a campaign are runs of their own; their sums are those of the whole.
TEST_F(LeaningEngine, ShardsAddUp) {
  const CampaignOptions whole = OfRoots(640);
  Must(RunCampaign(whole, Scripted(Low(2)), {}));
  CampaignOptions shards = OfRoots(640);
  shards.shards = 2;
  for (shards.shard = 0; shards.shard < 2; ++shards.shard) {
    Must(RunCampaign(shards, Scripted(Low(2)), {}));
  }
  const char* kAdded =
      "SELECT target, route, op, lean, sum(outputs), sum(sum), sum(capital_1), sum(capital_2), "
      "sum(capital_3), sum(capital_4), max(extreme) FROM error_leans GROUP BY target, route, op, "
      "lean ORDER BY target, route, op, lean";
  EXPECT_EQ(Rows(whole, kAdded), Rows(shards, kAdded));
  EXPECT_EQ(Rows(shards, "SELECT count(*) FROM runs")[0][0], "2");
}

}  // namespace
}  // namespace anecheck
