// The coverage of recorded campaigns does not depend on threads or interruptions, and can be read
// from several results files.
#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/campaign/coverage.h"
#include "harness/campaign/resume.h"
#include "harness/campaign/testing/campaign_test.h"
#include "harness/campaign/testing/coverage_options.h"
#include "harness/results/testing/query_text.h"

namespace anecheck {
namespace {

using testing::CoverageOptions;
using testing::RowsOf;
using testing::TextRows;

// Answers every case without outputs, because coverage counts drawn graphs, not results.
class AgreeingRunner final : public Runner {
 public:
  Result<RunnerIdentity> Identify() override { return RunnerIdentity{.runner = "agreeing"}; }
  Result<std::vector<RunReply>> Run(std::span<const RunRequest> requests) override {
    std::vector<RunReply> replies;
    for (const RunRequest& request : requests) {
      replies.push_back({.id = request.id, .status = RunStatus::kOk, .verified = true});
    }
    return replies;
  }
  Status Restart() override { return {}; }
};

RunnerFactory Agreeing() { return testing::Makes<AgreeingRunner>(); }

class CoverageFile : public ::testing::Test {
 protected:
  std::string Path(std::string_view name) const { return folder_->File(name); }
  static TextRows Everything(const std::string& db) {
    auto rows = RowsOf(db, "SELECT case_index, fingerprint FROM cases ORDER BY case_index");
    std::ranges::copy(
        RowsOf(db, "SELECT kind, cell, cases, first_case FROM coverage ORDER BY 1, 2"),
        std::back_inserter(rows));
    return rows;
  }
  static uint64_t Covered(const SpaceCoverage& coverage, std::string_view kind) {
    return std::ranges::find(coverage.kinds, kind, &CoverageOfKind::kind)->covered;
  }

  Result<TempDirectory> folder_ = TempDirectory::Create("anecheck-coverage-");
};

TEST_F(CoverageFile, SteeringReachesMorePairsAndDoesNotDependOnJobsOrResuming) {
  CampaignOptions options = CoverageOptions(Path("one.sqlite"), true);
  ASSERT_TRUE(RunCampaign(options, Agreeing(), {}).ok());
  options.db = Path("three.sqlite");
  options.jobs = 3;
  ASSERT_TRUE(RunCampaign(options, Agreeing(), {}).ok());
  EXPECT_EQ(Everything(Path("three.sqlite")), Everything(Path("one.sqlite")));

  options.db = Path("cut.sqlite");
  std::atomic<bool> stop{false};
  ASSERT_TRUE(
      RunCampaign(
          options, Agreeing(), [&](const CampaignProgress& p) { stop = p.done >= 640; }, &stop)
          .ok());
  auto cut = Store::OpenReadOnly(options.db);
  auto point = ReadResumePoint(*cut);
  ASSERT_TRUE(point.ok());
  const CampaignOptions recorded = point->options;
  EXPECT_TRUE(recorded.steer);
  ASSERT_TRUE(ResumeCampaign(recorded, std::move(*point), Agreeing(), {}).ok());
  EXPECT_EQ(Everything(options.db), Everything(Path("one.sqlite")));

  ASSERT_TRUE(RunCampaign(CoverageOptions(Path("free.sqlite"), false), Agreeing(), {}).ok());
  const std::string steered[] = {Path("one.sqlite")}, free[] = {Path("free.sqlite")};
  const auto with = ReadCoverage(steered), without = ReadCoverage(free);
  ASSERT_TRUE(with.ok() && without.ok());
  EXPECT_GT(Covered(*with, "op_pair"), Covered(*without, "op_pair"));
}

TEST_F(CoverageFile, SteeringReachesNativeLayersIfRoutesAlternate) {
  CampaignOptions options = CoverageOptions(Path("both.sqlite"), true);
  options.routes = RouteSet::kBoth;
  ASSERT_TRUE(RunCampaign(options, Agreeing(), {}).ok());
  const auto rows = RowsOf(options.db,
                           "SELECT DISTINCT cell FROM coverage WHERE kind = 'op_pair' AND "
                           "(cell GLOB '*>Sort' OR cell GLOB '*>SDPA' OR cell GLOB 'ArgMinMax>*')");
  EXPECT_GT(rows.size(), 2u);
  const auto states = RowsOf(options.db,
                             "SELECT DISTINCT cell FROM coverage WHERE kind = 'op_pair' AND "
                             "(cell GLOB '*>write_state' OR cell GLOB 'read_state>*')");
  EXPECT_GT(states.size(), 0u);
}

// Cells that no route of the runs can reach are not counted, and the text says so.
TEST_F(CoverageFile, CountsCellsOfTheRunsRoutes) {
  CampaignOptions options = CoverageOptions(Path("mil.sqlite"), false);
  options.cases = 64;
  ASSERT_TRUE(RunCampaign(options, Agreeing(), {}).ok());
  options.db = Path("netlist.sqlite");
  options.routes = RouteSet::kNetlist;
  ASSERT_TRUE(RunCampaign(options, Agreeing(), {}).ok());
  const std::string files[] = {Path("mil.sqlite"), Path("netlist.sqlite")};
  const auto mil = ReadCoverage(std::span(files).first(1));
  const auto netlist = ReadCoverage(std::span(files).last(1));
  const auto both = ReadCoverage(files);
  ASSERT_TRUE(mil.ok() && netlist.ok() && both.ok());
  const auto cells = [](const SpaceCoverage& coverage, std::string_view kind) {
    return std::ranges::find(coverage.kinds, kind, &CoverageOfKind::kind)->cells;
  };
  for (const char* kind : {"attribute_value", "op_attribute", "op_pair"}) {
    const auto all = static_cast<size_t>(
        std::ranges::count(CoverageSpace(), std::string(kind), &CoverageCell::kind));
    EXPECT_EQ(cells(*both, kind), all);
    EXPECT_LT(cells(*mil, kind), all);
    EXPECT_LT(cells(*netlist, kind), cells(*mil, kind));
  }
  EXPECT_NE(CoverageToText(*mil, 1).find(" Sort TopK "), std::string::npos);
  EXPECT_NE(CoverageToText(*mil, 1).find("(in network descriptions alone: no case took"),
            std::string::npos);
  EXPECT_NE(CoverageToText(*netlist, 1).find("(in MIL text alone: no case took"),
            std::string::npos);
  EXPECT_EQ(CoverageToText(*both, 1).find("no case took"), std::string::npos);
}

TEST_F(CoverageFile, IsReadAndPrintedOverSeveralFiles) {
  for (const uint64_t seed : {1, 2}) {
    CampaignOptions options = CoverageOptions(Path(seed == 1 ? "a.sqlite" : "b.sqlite"), false);
    options.seed = seed;
    options.cases = 128;
    ASSERT_TRUE(RunCampaign(options, Agreeing(), {}).ok());
  }
  const std::string both[] = {Path("a.sqlite"), Path("b.sqlite")};
  const auto one = ReadCoverage(std::span(both).first(1)), two = ReadCoverage(both);
  ASSERT_TRUE(one.ok() && two.ok());
  const std::string again[] = {both[0], both[1], both[0]};
  const auto named_twice = ReadCoverage(again);
  ASSERT_TRUE(named_twice.ok());
  EXPECT_EQ(named_twice->cases, two->cases);
  EXPECT_EQ(named_twice->asked, two->asked);
  EXPECT_EQ(two->cases, 256u);
  uint64_t asked = 0;
  for (const uint64_t seed : {1, 2}) {
    for (uint64_t index = 0; index < 128; ++index) {
      asked += IsAskedForRules(CaseSeed(seed, index), kRulesEvery) ? 1 : 0;
    }
  }
  EXPECT_EQ(two->asked, asked);
  EXPECT_GT(Covered(*two, "op_pair"), Covered(*one, "op_pair"));
  const auto json = CoverageToJson(*two);
  EXPECT_EQ(json["asked_for_rules"], asked);
  for (const auto& kind : json["kinds"]) {
    EXPECT_EQ(kind["covered"].get<size_t>() + kind["empty"].size(), kind["cells"].get<size_t>());
  }
  const std::string text = CoverageToText(*two, 1);
  EXPECT_NE(text.find("256 cases, legality rules asked of " + std::to_string(asked) + "\n"),
            std::string::npos);
  EXPECT_NE(text.find("empty op_pair:"), std::string::npos);
  EXPECT_EQ(CoverageToText(*two, 0).find("empty"), std::string::npos);
  EXPECT_NE(text.find("not counted: cond while_loop call (a block: "), std::string::npos) << text;
  EXPECT_NE(text.find(" gru lstm rnn (no family's engine has it"), std::string::npos);
  const std::string missing[] = {Path("missing.sqlite")};
  EXPECT_FALSE(ReadCoverage(missing).ok());
}

}  // namespace
}  // namespace anecheck
