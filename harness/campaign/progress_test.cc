// Each figure of the progress counts all recorded cases, even if several processes ran them.
#include "harness/campaign/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/file.h"
#include "harness/campaign/campaign.h"
#include "harness/campaign/coverage.h"

namespace anecheck {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

FindingRow Finding(const std::string& id, const std::string& target, Verdict verdict) {
  FindingRow finding;
  finding.id = id;
  finding.target = target;
  finding.verdict = verdict;
  finding.signature = id + target;
  return finding;
}

RowBatch Batch() {
  RowBatch batch;
  for (const char* target : {"h13", "h17s", "h13"}) {
    CaseRow& item = batch.cases.emplace_back();
    item.index = batch.cases.size() - 1;
    item.target = target;
    item.verdict = item.index == 2 ? Verdict::kWrong : Verdict::kPass;
  }
  batch.findings = {
      Finding("f1", "h13", Verdict::kWrong), Finding("f2", "h17s", Verdict::kKnownDefect),
      Finding("", "h13", Verdict::kWrong), Finding("f3", "h17s", Verdict::kUnconfirmed)};
  const CoverageCell& known = CoverageSpace().front();
  batch.coverage[{known.kind, known.cell}] = {.cases = 1, .first_case = 0};
  batch.coverage[{"attribute_value", "no such cell"}] = {.cases = 1, .first_case = 0};
  return batch;
}

TEST(ProgressCounts, CountByTargetAndByKnownCells) {
  ProgressCounts counts;
  counts.Add(Batch());
  EXPECT_EQ(counts.targets().at("h13"), (TargetProgress{2, 1, 1, 0, 0}));
  EXPECT_EQ(counts.targets().at("h17s"), (TargetProgress{1, 1, 0, 1, 1}));
  EXPECT_EQ(counts.cells_covered(), 1u);
  counts.Add(Batch());
  EXPECT_EQ(counts.cells_covered(), 1u) << "a cell counts once";
}

TEST(ProgressCounts, AResumedRunContinuesTheCountsOfItsFile) {
  const auto folder = TempDirectory::Create("anecheck-progress-");
  ASSERT_TRUE(folder.ok());
  auto store = Store::Open(folder->File("r.sqlite"));
  ASSERT_TRUE(store.ok());
  const auto run = store->BeginRun({.uuid = "u", .options = "{}"});
  ASSERT_TRUE(run.ok());
  ASSERT_TRUE(store->Append(*run, Batch()).ok());
  CampaignSummary summary;
  summary.list = {Finding("f1", "h13", Verdict::kWrong),
                  Finding("f2", "h17s", Verdict::kKnownDefect),
                  Finding("f3", "h17s", Verdict::kUnconfirmed)};
  ProgressCounts once, recalled;
  once.Add(Batch());
  ASSERT_TRUE(recalled.Recall(*store, *run, summary).ok());
  EXPECT_EQ(recalled.targets(), once.targets());
  EXPECT_EQ(recalled.cells_covered(), once.cells_covered());
}

TEST(CampaignProgressText, SaysRateTimeLeftFindingsCoverageAndTargets) {
  ProgressCounts counts;
  counts.Add(Batch());
  const CampaignProgress progress = {.done = 300,
                                     .wanted = 1000,
                                     .findings = 1,
                                     .seconds = 10,
                                     .known_defects = 2,
                                     .before = 200,
                                     .counts = &counts};
  const std::string text = CampaignProgressText(progress);
  EXPECT_THAT(text,
              ::testing::StartsWith(
                  "300/1000 cases, 10/s, 1:10 left, 1 new finding, 2 known defects, 0.0 % of "));
  EXPECT_THAT(text,
              HasSubstr("cells covered\n  h13      2 cases, 1 passed, 1 new finding, 0 known"));
  EXPECT_THAT(text, HasSubstr("1 new finding, 0 known defects\n"))
      << "unconfirmed deviations are left out if there are none";
  EXPECT_THAT(text, HasSubstr("\n  h17s     1 case, 1 passed, 0 new findings, 1 known defect, "
                              "1 unconfirmed deviation"));
}

TEST(CampaignProgressText, WithoutACaseLimitTheTimeLimitDecides) {
  CampaignProgress progress = {
      .done = 50, .wanted = kUnlimitedCases, .seconds = 10, .limit_seconds = 7210};
  EXPECT_EQ(CampaignProgressText(progress), "50 cases, 5/s, 2:00:00 left");
  progress.limit_seconds = 0;
  EXPECT_EQ(CampaignProgressText(progress), "50 cases, 5/s");
  EXPECT_LT(SecondsLeft(progress), 0);
  progress = {.done = 50, .wanted = 100, .seconds = 10, .limit_seconds = 15};
  EXPECT_EQ(SecondsLeft(progress), 5) << "the earlier of both limits counts";
}

TEST(TimeLeftText, FollowsFromTheMeanTimeOfTheFirstThings) {
  EXPECT_EQ(TimeLeftText(30, 3, 103), ", about 16:40 left");
  EXPECT_EQ(TimeLeftText(3610, 10, 20), ", about 1:00:10 left");
  EXPECT_EQ(TimeLeftText(60, 5, 5), ", about 0:00 left");
  EXPECT_EQ(TimeLeftText(20, 2, 103), "") << "the mean of two says little";
  EXPECT_EQ(TimeLeftText(20, 0, 0), "");
}

}  // namespace
}  // namespace anecheck
