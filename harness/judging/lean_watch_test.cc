// Campaigns find operations whose errors lean to one side inside their bounds. They need many
// cases, because a single case shows nothing.
#include "harness/judging/lean_watch.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/campaign/resume.h"
#include "harness/campaign/testing/campaign_test.h"
#include "harness/findings/artifact.h"
#include "harness/findings/run_again.h"
#include "harness/findings/shrink_finding.h"
#include "harness/results/testing/query_text.h"

namespace anecheck {
namespace {

using testing::RowsOf;

constexpr int kA15 = 4;

// An engine that returns the lower end of the bound for every `period`th element whose bound admits
// several values.
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

class LeaningEngine : public testing::CampaignTest {};

constexpr const char* kSums =
    "SELECT target, route, op, lean, outputs, sum, capital_1, capital_2, capital_3, capital_4, "
    "extreme_case, extreme FROM error_leans ORDER BY target, route, op, lean";
constexpr const char* kFindings =
    "SELECT id, case_index, op, target, verdict, signature, occurrences, summary FROM findings";

TEST_F(LeaningEngine, IsOneFindingThatCountsAsUnconfirmed) {
  const CampaignOptions options = OfQuotients(2000);
  const CampaignSummary summary = Must(RunCampaign(options, Scripted(Low(2)), {}));
  ASSERT_EQ(summary.list.size(), 1u);
  const FindingRow& finding = summary.list[0];
  EXPECT_EQ(finding.verdict, Verdict::kBiased);
  EXPECT_EQ(finding.op, "real_div");
  EXPECT_EQ(finding.target, "h15");
  EXPECT_NE(finding.summary.find("of the permitted error"), std::string::npos) << finding.summary;
  EXPECT_EQ(summary.findings, 0u) << "no element is outside its bound";
  EXPECT_EQ(summary.unconfirmed, 1u);
  EXPECT_EQ(RowsOf(options.db, "SELECT count(*) FROM cases WHERE verdict = 'biased'")[0][0], "0")
      << "no case is biased by itself";
  EXPECT_FALSE(HasFindings(summary, false));
  EXPECT_TRUE(HasFindings(summary, true));
}

TEST_F(LeaningEngine, IsFoundIfOneElementOfEightErrs) {
  const CampaignSummary summary = Must(RunCampaign(OfQuotients(5000), Scripted(Low(8)), {}));
  ASSERT_EQ(summary.list.size(), 1u);
  EXPECT_EQ(summary.list[0].verdict, Verdict::kBiased);
}

TEST_F(LeaningEngine, ExactResultsDoNotLean) {
  const CampaignOptions options = OfQuotients(5000);
  const CampaignSummary summary =
      Must(RunCampaign(options, Scripted([](const RunRequest&, RunReply&) {}), {}));
  EXPECT_TRUE(summary.list.empty());
  const auto rows = RowsOf(options.db,
                           "SELECT min(outputs), max(sum) FROM error_leans WHERE lean <> "
                           "'fills'");
  EXPECT_GT(std::stoi(rows[0][0]), 1000) << "the outputs were tested";
  EXPECT_EQ(rows[0][1], "0");
}

// An engine whose errors alternate between both sides, within its bounds.
void ToEitherSide(const RunRequest& request, RunReply& reply) {
  const auto estimates = Evaluate(*request.graph, request.inputs, ConformingContract(kA15));
  if (!estimates.ok()) return;
  bool up = false;
  for (size_t output = 0; output < reply.outputs.size(); ++output) {
    const Estimate& expected = (*estimates)[output];
    std::vector<double> values = expected.value;
    for (size_t i = 0; i < values.size(); ++i) {
      if (expected.low[i] < expected.high[i])
        values[i] = (up = !up) ? expected.high[i] : expected.low[i];
    }
    EncodeElements(expected.type.dtype, values, reply.outputs[output].bytes);
  }
}

TEST_F(LeaningEngine, OneCaseProvesNothingOfIt) {
  const CampaignOptions options = OfQuotients(1000);
  Must(RunCampaign(options, Scripted(Low(2)), {}));
  const auto rows = RowsOf(options.db, "SELECT artifact FROM findings");
  ASSERT_EQ(rows.size(), 1u);
  const auto artifact = ArtifactFromJson(*ParseJson(rows[0][0], "artifact"));
  ASSERT_TRUE(artifact.ok());
  EXPECT_EQ(artifact->verdict, Verdict::kBiased);
  for (const testing::ScriptedRunner::Spoil& spoil :
       {Low(2), testing::ScriptedRunner::Spoil(ToEitherSide),
        testing::ScriptedRunner::Spoil([](const RunRequest&, RunReply&) {})}) {
    testing::ScriptedRunner runner(spoil);
    Evaluation evaluation;
    const auto again = RunAgain(artifact->item, artifact->verdict, runner, evaluation);
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->verdict(), Verdict::kPass);
    EXPECT_NE(again->message().find("one case proves nothing"), std::string::npos)
        << again->message();
    EXPECT_EQ(RunAgain(artifact->item, Verdict::kWrong, runner, evaluation)->message(), "");
  }
  testing::ScriptedRunner runner(Low(2));
  Evaluation evaluation;
  const auto leaning = RunAgain(artifact->item, artifact->verdict, runner, evaluation);
  EXPECT_EQ(leaning->shown.op(), "real_div");
  EXPECT_NE(leaning->message().find("lean by -"), std::string::npos) << leaning->message();
}

// A small case may lean by chance, if one element is not exact.
TEST_F(LeaningEngine, ItsCaseIsNotMinimised) {
  const CampaignOptions options = OfQuotients(1000);
  Must(RunCampaign(options, Scripted(Low(2)), {}));
  const auto rows = RowsOf(options.db, "SELECT artifact FROM findings");
  ASSERT_EQ(rows.size(), 1u);
  const auto artifact = ArtifactFromJson(*ParseJson(rows[0][0], "artifact"));
  ASSERT_TRUE(artifact.ok());
  testing::ScriptedRunner runner(Low(2));
  const auto shrunk = ShrinkFinding(*artifact, runner);
  ASSERT_FALSE(shrunk.ok());
  EXPECT_EQ(shrunk.error().code, ErrorCode::kInvalid);
  EXPECT_NE(shrunk.error().message.find("one small case proves nothing"), std::string::npos)
      << shrunk.error().message;
}

// A number that no campaign writes is refused with a message, in each column.
TEST_F(LeaningEngine, DamagedSumsAreRefused) {
  const CampaignOptions options = OfQuotients(64);
  Must(RunCampaign(options, Scripted(Low(2)), {}));
  const auto change = [&](const std::string& sql) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(options.db.c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sql;
    sqlite3_close(database);
  };
  const auto leans = [&] {
    auto store = Store::OpenReadOnly(options.db);
    EXPECT_TRUE(store.ok());
    return store->Rows<LeanRow>(1);
  };
  ASSERT_TRUE(leans().ok());
  // Removes the constraints of the table, so that it accepts damaged numbers.
  change(
      "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, ') STRICT,', ')') "
      "WHERE name = 'error_leans'");
  change("CREATE TABLE kept AS SELECT * FROM error_leans");
  for (const std::string damage :
       {"outputs = -5", "outputs = 1e300", "outputs = 9223372036854775807", "sum = 'abc'",
        "sum = ''", "sum = 9e300", "sum = 9223372036854775807", "capital_4 = '1x'",
        "capital_1 = -9223372036854775807", "extreme = 1000000000000", "extreme_case = -1",
        "lean = 'sideways'"}) {
    change("UPDATE OR IGNORE error_leans SET " + damage + " WHERE lean = 'up'");
    const auto read = leans();
    const std::string column = damage.substr(0, damage.find(' '));
    ASSERT_FALSE(read.ok()) << damage;
    EXPECT_EQ(read.error().code, ErrorCode::kMalformed) << damage;
    EXPECT_TRUE(read.error().message.starts_with(options.db + ": table error_leans, row (1, ") &&
                read.error().message.find(", column " + column + ": ") != std::string::npos)
        << read.error().message;
    change("DELETE FROM error_leans; INSERT INTO error_leans SELECT * FROM kept");
  }
  EXPECT_TRUE(leans().ok());
}

// Two processes, or several threads, record the same sums as one.
TEST_F(LeaningEngine, ResumedCampaignsAndJobsGiveTheSameSums) {
  const CampaignOptions whole = OfQuotients(1280);
  Must(RunCampaign(whole, Scripted(Low(2)), {}));
  CampaignOptions jobs = OfQuotients(1280);
  jobs.jobs = 3;
  Must(RunCampaign(jobs, Scripted(Low(2)), {}));
  const CampaignOptions cut = OfQuotients(1280);
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
  EXPECT_EQ(RowsOf(whole.db, "SELECT count(*) FROM cases"),
            RowsOf(cut.db, "SELECT count(*) FROM cases"));
  for (const CampaignOptions& other : {jobs, cut}) {
    EXPECT_EQ(RowsOf(whole.db, kSums), RowsOf(other.db, kSums));
    EXPECT_EQ(RowsOf(whole.db, kFindings), RowsOf(other.db, kFindings));
  }
  EXPECT_EQ(RowsOf(whole.db, kFindings).size(), 1u);
}

// The shards of a campaign are separate runs; their sums add up to the sums of the whole.
TEST_F(LeaningEngine, ShardsAddUp) {
  const CampaignOptions whole = OfQuotients(640);
  Must(RunCampaign(whole, Scripted(Low(2)), {}));
  CampaignOptions shards = OfQuotients(640);
  shards.shards = 2;
  for (shards.shard = 0; shards.shard < 2; ++shards.shard) {
    Must(RunCampaign(shards, Scripted(Low(2)), {}));
  }
  const char* kAdded =
      "SELECT target, route, op, lean, sum(outputs), sum(sum), sum(capital_1), sum(capital_2), "
      "sum(capital_3), sum(capital_4), max(extreme) FROM error_leans GROUP BY target, route, op, "
      "lean ORDER BY target, route, op, lean";
  EXPECT_EQ(RowsOf(whole.db, kAdded), RowsOf(shards.db, kAdded));
  EXPECT_EQ(RowsOf(shards.db, "SELECT count(*) FROM runs")[0][0], "2");
}

}  // namespace
}  // namespace anecheck
