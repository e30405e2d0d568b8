// Side effects of an engine have separate verdicts. Each side effect is reported once, with the
// case that shows it, and the other cases keep their results. The engine is the simulated one with
// planted faults of its calls, or a scripted one.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/campaign/testing/campaign_test.h"
#include "harness/findings/run_again.h"
#include "harness/findings/shrink_finding.h"
#include "harness/judging/judge_case.h"
#include "harness/ops/op.h"
#include "harness/results/testing/query_text.h"
#include "harness/runners/late_reply.h"
#include "harness/runners/worker.h"

namespace anecheck {
namespace {

using testing::ScriptedRunner;

class MisconductTest : public testing::CampaignTest {
 protected:
  CampaignOptions Planted(const std::string& fault, uint64_t cases, int jobs = 1) {
    CampaignOptions options = Options(cases, jobs);
    options.seed = 4;
    options.worker.library = ANECHECK_SIMULATED_ENGINE;
    options.worker.quirks = {{"all", false}};
    if (!fault.empty()) options.worker.faults = {fault};
    return options;
  }
  CampaignSummary RunPlanted(const CampaignOptions& options) {
    return Must(RunCampaign(options, [&] { return MakeRunner(options); }, {}));
  }
  // The indices of cases, by verdict.
  static std::map<std::string, std::vector<uint64_t>> Verdicts(const CampaignOptions& options) {
    std::map<std::string, std::vector<uint64_t>> verdicts;
    for (const auto& row :
         testing::RowsOf(options.db, "SELECT verdict, case_index FROM cases ORDER BY case_index"))
      verdicts[row[0]].push_back(std::stoull(row[1]));
    return verdicts;
  }
};

TEST_F(MisconductTest, AnEngineWithoutFaultsHasNone) {
  const CampaignOptions options = Planted("", 600, 2);
  EXPECT_EQ(RunPlanted(options).list.size(), 0u);
  EXPECT_EQ(Verdicts(options)["pass"].size(), 600u);
}

TEST_F(MisconductTest, StrayOutputIsFoundOnce) {
  const CampaignOptions options = Planted("run-prints", 100);
  const CampaignSummary summary = RunPlanted(options);
  ASSERT_EQ(summary.list.size(), 1u);
  const FindingRow& finding = summary.list[0];
  EXPECT_EQ(finding.verdict, Verdict::kStrayOutput);
  EXPECT_EQ(finding.case_index, 0u);
  EXPECT_EQ(finding.occurrences, 100);
  EXPECT_NE(finding.summary.find("to standard output: {\"v\": 1"), std::string::npos)
      << finding.summary;
  EXPECT_EQ(summary.judged, 100u) << "the values were judged nevertheless";
}

#ifndef ANECHECK_SANITIZED  // a process of a sanitized build grows without a leak in the engine

TEST_F(MisconductTest, MemoryThatGrowsWithEachCaseIsFoundOnce) {
  // 1 and 4 MiB per case.
  constexpr std::pair<const char*, uint64_t> kLeaks[] = {{"run-leak", 200}, {"compile-leak", 100}};
  for (const auto& [fault, cases] : kLeaks) {
    const CampaignOptions options = Planted(fault, cases);
    const CampaignSummary summary = RunPlanted(options);
    auto verdicts = Verdicts(options);
    ASSERT_EQ(summary.list.size(), 1u) << fault;
    const FindingRow& finding = summary.list[0];
    EXPECT_EQ(finding.verdict, Verdict::kMemoryGrowth) << fault << ": " << finding.summary;
    ASSERT_FALSE(verdicts["memory-growth"].empty());
    EXPECT_EQ(finding.case_index, verdicts["memory-growth"].front());
    EXPECT_LE(verdicts["memory-growth"].size(), 3u) << "at most once in 64 cases";
    EXPECT_EQ(verdicts["pass"].size() + verdicts["memory-growth"].size(), cases) << fault;
  }
}

#endif

TEST_F(MisconductTest, SlotsThatAreNeverFreedAreFoundOnce) {
  CampaignOptions options = Planted("slots-leak", 300);
  options.worker.quirks.push_back({"D36", true});  // the limit of 128 programs
  const CampaignSummary summary = RunPlanted(options);
  auto verdicts = Verdicts(options);
  ASSERT_EQ(summary.list.size(), 1u);
  EXPECT_EQ(summary.list[0].verdict, Verdict::kSlotLeak) << summary.list[0].summary;
  // A process can load 128 programs (specification 001, section 5.4).
  EXPECT_EQ(verdicts["slot-leak"], (std::vector<uint64_t>{128, 256}));
  EXPECT_EQ(summary.list[0].case_index, 128u);
  EXPECT_EQ(summary.list[0].occurrences, 2);
  EXPECT_EQ(verdicts["pass"].size(), 298u) << "no other case lost its result";
}

TEST_F(MisconductTest, AWriteToAnInputOrPastAnOutputIsFoundOnce) {
  constexpr std::pair<const char*, std::string_view> kStray[] = {
      {"input-port-changed", "the execution changed its input"},
      {"output-overrun-by-two", "the execution wrote behind the end of its output"}};
  for (const auto& [fault, words] : kStray) {
    const CampaignOptions options = Planted(fault, 100);
    const CampaignSummary summary = RunPlanted(options);
    ASSERT_EQ(summary.list.size(), 1u) << fault;
    EXPECT_EQ(summary.list[0].verdict, Verdict::kStrayWrite) << summary.list[0].summary;
    EXPECT_TRUE(summary.list[0].summary.contains(words)) << summary.list[0].summary;
    EXPECT_EQ(summary.judged, 100u) << "the values were judged nevertheless";
  }
}

TEST_F(MisconductTest, ASecondExecutionThatDiffersIsFound) {
  for (const char* fault : {"output-stale", "run-error"}) {
    const CampaignOptions options = Planted(fault, 200);
    const CampaignSummary summary = RunPlanted(options);
    const auto found =
        std::ranges::count(summary.list, Verdict::kNotRepeatable, &FindingRow::verdict);
    EXPECT_GT(found, 0) << fault;
  }
}

TEST_F(MisconductTest, OneCaseIn16IsRepeatedByItsSeed) {
  const CampaignOptions options = Options(1600);
  int repeated = 0;
  for (uint64_t index = 0; index < options.cases; ++index) {
    const auto item = MakeCase(options, index);
    ASSERT_TRUE(item.ok());
    const bool repeat = RequestOf(*item).settings.repeat;
    EXPECT_EQ(repeat, item->seed % 16 == 0);
    repeated += repeat ? 1 : 0;
  }
  EXPECT_GT(repeated, 60);
  EXPECT_LT(repeated, 140);
}

// Judges a case of one relu whose engine shows `misconduct`; its values are right unless `wrong`.
CaseOutcome Judged(const CampaignOptions& options, std::vector<Misconduct> misconduct,
                   bool wrong = false) {
  const auto item = MakeCase(options, 3);
  EXPECT_TRUE(item.ok());
  ScriptedRunner runner([&](const RunRequest&, RunReply& reply) {
    reply.misconduct = misconduct;
    if (wrong) testing::SpoilFirstElement(reply);
  });
  const RunRequest request = RequestOf(*item);
  const auto replies = runner.Run({&request, 1});
  EXPECT_TRUE(replies.ok());
  Evaluation evaluation;
  return JudgeCase(*item, replies->front(), evaluation);
}

TEST_F(MisconductTest, TheWorstMisconductCountsAndWrongValuesAreWorse) {
  const CampaignOptions options = Options(10);
  const Misconduct printed = {Verdict::kStrayOutput, "wrote 3 bytes to standard output: abc"};
  const Misconduct leaked = {Verdict::kSlotLeak, "the program was not released: in use"};
  const Misconduct other = {Verdict::kNotRepeatable, "output y: other values", 99};
  EXPECT_EQ(Judged(options, {}).verdict(), Verdict::kPass);
  EXPECT_EQ(Judged(options, {leaked, printed}).verdict(), Verdict::kSlotLeak);
  EXPECT_EQ(Judged(options, {leaked, other, printed}).verdict(), Verdict::kNotRepeatable);
  EXPECT_EQ(Judged(options, {other}, true).verdict(), Verdict::kWrong);
  const CaseOutcome outcome = Judged(options, {leaked});
  EXPECT_EQ(outcome.message(), leaked.message);
  EXPECT_EQ(outcome.status, RunStatus::kOk);
  EXPECT_TRUE(IsJudged(RecordOf(*MakeCase(options, 0), outcome)));
}

TEST_F(MisconductTest, TheSignatureLeavesOutPrintedText) {
  const CampaignOptions options = Options(10);
  const auto signature = [&](const char* message) {
    return Signature(Judged(options, {{Verdict::kStrayOutput, message}}));
  };
  EXPECT_EQ(signature("wrote 3 bytes to standard output: abc"),
            signature("wrote 17 bytes to standard output: another"));
  EXPECT_NE(signature("wrote 3 bytes to standard output: abc"),
            signature("wrote 3 bytes to standard error: abc"));
}

// Answers the case `twice` a second time. The second answer comes `later` cases afterwards, or
// within the same run if the runner lingers.
class LateRunner final : public Runner, public LateReplies {
 public:
  LateRunner(uint64_t twice, uint64_t later) : twice_(twice), later_(later) {}
  Result<RunnerIdentity> Identify() override { return plain_.Identify(); }
  Status Restart() override { return plain_.Restart(); }
  Result<std::vector<RunReply>> Run(std::span<const RunRequest> requests) override {
    auto replies = plain_.Run(requests);
    if (!replies.ok()) return replies;
    for (size_t i = 0; i < requests.size(); ++i) {
      if (requests[i].id == twice_ && linger_) {
        (*replies)[i].status = RunStatus::kGarbled;
        (*replies)[i].message = kTwice;
      } else if (requests[i].id == twice_ + later_) {
        late_ = {{twice_, kTwice}};
      }
    }
    return replies;
  }
  std::vector<LateReply> TakeLate(bool) override { return std::exchange(late_, {}); }
  void Linger(bool on) override { linger_ = on; }

 private:
  static constexpr const char* kTwice = "it was answered twice";
  ScriptedRunner plain_{[](const RunRequest&, RunReply&) {}};
  uint64_t twice_, later_;
  std::vector<LateReply> late_;
  bool linger_ = false;
};

// With 64 cases per batch, the reply comes in the case's own batch, the next one, or the last.
TEST_F(MisconductTest, ALateReplyIsAFindingOfTheCaseThatItNames) {
  for (const uint64_t later : {1, 70, 140}) {
    for (const bool steer : {false, true}) {
      CampaignOptions options = Options(200);
      options.steer = steer;
      const CampaignSummary summary = Must(RunCampaign(
          options,
          [&] { return Result<std::unique_ptr<Runner>>(std::make_unique<LateRunner>(50, later)); },
          {}));
      ASSERT_EQ(summary.list.size(), 1u) << later;
      const FindingRow& finding = summary.list[0];
      EXPECT_EQ(finding.verdict, Verdict::kGarbled) << later << ": not flaky";
      EXPECT_EQ(finding.case_index, 50u);
      EXPECT_EQ(finding.occurrences, 1);
      EXPECT_EQ(finding.summary, "it was answered twice");
      EXPECT_EQ(summary.cases, 200u);
      auto verdicts = Verdicts(options);
      EXPECT_EQ(verdicts["pass"].size() + verdicts["inconclusive"].size(), 200u)
          << "no other case is charged with it";
      EXPECT_FALSE(finding.id.empty());
    }
  }
}

// The growth of the engine's process shows in the 100th run after a start.
TEST_F(MisconductTest, FaultsThatShowAfterManyCasesAreConfirmedByAsManyRuns) {
  int runs = 0;
  int restarts = 0;
  int seen = 0;
  const auto grow = [&](const RunRequest&, RunReply& reply) {
    if (restarts != seen) runs = 0;
    seen = restarts;
    if (++runs % 100 != 0) return;
    reply.misconduct = {{Verdict::kMemoryGrowth, "the process grew"}};
  };
  const CampaignSummary summary = Must(RunCampaign(Options(128), Counted(grow, restarts), {}));
  ASSERT_EQ(summary.list.size(), 1u);
  EXPECT_EQ(summary.list[0].verdict, Verdict::kMemoryGrowth);
  EXPECT_EQ(summary.list[0].case_index, 99u);
  EXPECT_EQ(restarts, 3);
}

// A fault that needs many runs to show is minimised with many runs for each candidate. In this test
// only additions make the process grow, and the growth shows in the 70th such run.
TEST_F(MisconductTest, FaultsThatShowAfterManyCasesAreMinimised) {
  int runs = 0;
  int restarts = 0;
  int seen = 0;
  const auto adds = [](const Graph& graph) {
    return std::ranges::any_of(
        graph.nodes(), [](const Node& node) { return KindOf(*node.schema) == OpKind::kAdd; });
  };
  const auto grow = [&](const RunRequest& request, RunReply& reply) {
    if (restarts != seen) runs = 0;
    seen = restarts;
    runs += adds(*request.graph) ? 1 : 0;
    if (runs < 70) return;
    runs = 0;
    reply.misconduct = {{Verdict::kMemoryGrowth, "the process grew"}};
  };
  ScriptedRunner runner(grow, Provenance::kReported, &restarts);
  Artifact artifact;
  artifact.options = Options(1);
  artifact.id = "f000000000003";
  artifact.verdict = Verdict::kMemoryGrowth;
  for (uint64_t index = 0; artifact.item.graph.nodes().size() < 4; ++index) {
    Case item = *MakeCase(artifact.options, index);
    if (adds(item.graph) && item.graph.nodes().size() >= 4) artifact.item = std::move(item);
  }
  const auto shrunk = ShrinkFinding(artifact, runner, {.max_tries = 200});
  ASSERT_TRUE(shrunk.ok()) << shrunk.error().message;
  EXPECT_EQ(shrunk->outcome.verdict(), Verdict::kMemoryGrowth);
  EXPECT_EQ(shrunk->item.graph.nodes().size(), 1u);
  EXPECT_TRUE(adds(shrunk->item.graph));
  EXPECT_GT(restarts, 1) << "a fresh process for each candidate";
}

TEST_F(MisconductTest, ASlotLeakIsMinimised) {
  CampaignOptions options = Planted("slots-leak", 1);
  options.worker.quirks.push_back({"D36", true});
  Artifact artifact;
  artifact.options = options;
  artifact.id = "f000000000004";
  artifact.verdict = Verdict::kSlotLeak;
  artifact.item = *MakeCase(options, 0);
  const auto runner = MakeRunner(options);
  ASSERT_TRUE(runner.ok());
  const auto shrunk = ShrinkFinding(artifact, **runner, {.max_tries = 12});
  ASSERT_TRUE(shrunk.ok()) << shrunk.error().message;
  EXPECT_EQ(shrunk->outcome.verdict(), Verdict::kSlotLeak);
  EXPECT_LT(shrunk->after, shrunk->before);
}

TEST_F(MisconductTest, GrowthThatRepeatedRunsDoNotShowIsFlaky) {
  int restarts = 0;
  const auto grow = [&](const RunRequest& request, RunReply& reply) {
    if (request.id != 20 || restarts > 0) return;
    reply.misconduct = {{Verdict::kMemoryGrowth, "the process grew"}};
  };
  const CampaignSummary summary = Must(RunCampaign(Options(64), Counted(grow, restarts), {}));
  ASSERT_EQ(summary.list.size(), 1u);
  EXPECT_EQ(summary.list[0].verdict, Verdict::kFlaky);
  EXPECT_EQ(restarts, 1);
}

}  // namespace
}  // namespace anecheck
