// A campaign that is stopped and resumed records the same as an uninterrupted one, options survive
// the results file, and shards are a partition.
#include "harness/campaign/resume.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <tuple>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/campaign/testing/campaign_test.h"
#include "harness/cases/options_json.h"
#include "harness/ops/op.h"
#include "harness/results/testing/query_text.h"
#include "oracles/oracle.h"

namespace anecheck {
namespace {

using testing::Makes;
using testing::RowsOf;
using testing::TextRows;

// Fails every case with a message of one of two signatures. It computes no values, so campaigns of
// hundreds of cases are fast.
class RefusingRunner final : public Runner {
 public:
  explicit RefusingRunner(std::string engine, std::function<void()> on_request = {},
                          std::string chip = "m1", std::string content = "")
      : engine_(std::move(engine)),
        chip_(std::move(chip)),
        content_(std::move(content)),
        on_request_(std::move(on_request)) {}
  Result<RunnerIdentity> Identify() override {
    return RunnerIdentity{.runner = "refusing",
                          .provenance = Provenance::kReported,
                          .engine = engine_,
                          .chip = chip_,
                          .content = content_};
  }
  Result<std::vector<RunReply>> Run(std::span<const RunRequest> requests) override {
    std::vector<RunReply> replies;
    for (const RunRequest& request : requests) {
      RunReply reply = {.id = request.id, .status = RunStatus::kFailed, .step = Step::kRun};
      reply.message = request.inputs.size() > 1 ? "many inputs" : "few inputs";
      replies.push_back(reply);
      if (on_request_) on_request_();
    }
    return replies;
  }
  Status Restart() override { return {}; }

 private:
  std::string engine_, chip_, content_;
  std::function<void()> on_request_;
};

// A runner that returns between two cases of a batch if it is stopped.
class PatientRunner final : public Runner {
 public:
  explicit PatientRunner(std::function<void()> on_request) : on_request_(std::move(on_request)) {}
  Result<RunnerIdentity> Identify() override { return refusing_.Identify(); }
  Result<std::vector<RunReply>> Run(std::span<const RunRequest> requests) override {
    for (size_t i = 0; i < requests.size(); ++i) {
      if (stop_->load()) return Stopped();
      on_request_();
    }
    return refusing_.Run(requests);
  }
  Status Restart() override { return {}; }
  void StopWhen(const std::atomic<bool>* stop) override { stop_ = stop; }

 private:
  RefusingRunner refusing_{"none"};
  std::function<void()> on_request_;
  const std::atomic<bool>* stop_ = nullptr;
};

RunnerFactory Refusing(const std::string& engine = "none", std::function<void()> on_request = {}) {
  return Makes<RefusingRunner>(engine, std::move(on_request));
}

class ResumeTest : public ::testing::Test {
 protected:
  CampaignOptions Options(const std::string& name, uint64_t cases = 500) {
    CampaignOptions options;
    options.cases = cases;
    options.seed = 5;
    options.targets = {{"h13", 2}, {"h17s", 6}};
    options.modes = {CaseMode::kInteger};
    options.db = folder_->File(name);
    return options;
  }
  // Returns all content of a file, except times and the path in replay commands.
  static TextRows Everything(const std::string& db) {
    auto rows =
        RowsOf(db,
               "SELECT case_index, seed, target, mode, fingerprint, status, verdict, message "
               "FROM cases ORDER BY case_index");
    for (auto sql : {"SELECT id, case_index, op, target, verdict, signature, occurrences, summary "
                     "FROM findings ORDER BY id",
                     "SELECT * FROM reach ORDER BY 1, 2, 3, 4", "SELECT state FROM runs"}) {
      std::ranges::copy(RowsOf(db, sql), std::back_inserter(rows));
    }
    return rows;
  }
  // Stops the campaign during a batch, as on Ctrl-C, once `stop_after` cases were run.
  static void RunStopped(const CampaignOptions& options, uint64_t stop_after) {
    std::atomic<bool> stop{false};
    std::atomic<uint64_t> run{0};
    const auto count = [&] {
      if (++run >= stop_after) stop = true;
    };
    const auto summary = RunCampaign(options, Refusing("none", count), {}, &stop);
    ASSERT_TRUE(summary.ok());
    ASSERT_TRUE(summary->interrupted);
  }
  static Result<CampaignSummary> Resume(const CampaignOptions& options,
                                        const std::string& engine = "none") {
    auto store = Store::OpenReadOnly(options.db);
    if (!store.ok()) return store.error();
    ANECHECK_ASSIGN(ResumePoint point, ReadResumePoint(*store));
    const CampaignOptions recorded = point.options;
    return ResumeCampaign(recorded, std::move(point), Refusing(engine), {});
  }

  Result<TempDirectory> folder_ = TempDirectory::Create("anecheck-resume-");
};

TEST_F(ResumeTest, AResumedRunEqualsOneThatWasNeverStopped) {
  const auto whole = RunCampaign(Options("whole.sqlite"), Refusing(), {});
  ASSERT_TRUE(whole.ok());
  ASSERT_GE(whole->list.size(), 2u);
  RunStopped(Options("stopped.sqlite"), 64);
  EXPECT_EQ(RowsOf(Options("stopped.sqlite").db, "SELECT state FROM runs")[0][0], "interrupted");
  const auto resumed = Resume(Options("stopped.sqlite"));
  ASSERT_TRUE(resumed.ok()) << resumed.error().message;
  EXPECT_EQ(resumed->cases, 500u);
  EXPECT_FALSE(resumed->interrupted);
  EXPECT_EQ(Everything(Options("stopped.sqlite").db), Everything(Options("whole.sqlite").db));
  auto json = SummaryToJson(*whole), again = SummaryToJson(*resumed);
  for (auto* document : {&json, &again}) {
    for (auto& finding : (*document)["findings"]) finding.erase("replay");
  }
  EXPECT_EQ(json, again);
}

TEST_F(ResumeTest, ABatchThatAStopCutsShortIsRunAgain) {
  const auto whole = RunCampaign(Options("whole.sqlite"), Refusing(), {});
  ASSERT_TRUE(whole.ok());
  const CampaignOptions options = Options("cut.sqlite");
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> run{0};
  const RunnerFactory patient = [&] {
    const auto count = [&] { stop = ++run >= 300; };
    return Result<std::unique_ptr<Runner>>(std::unique_ptr<Runner>(new PatientRunner(count)));
  };
  const auto summary = RunCampaign(options, patient, {}, &stop);
  ASSERT_TRUE(summary.ok()) << summary.error().message;
  EXPECT_TRUE(summary->interrupted);
  EXPECT_EQ(run, 300u) << "no case was begun after the stop";
  EXPECT_EQ(summary->cases % 64, 0u) << "batches are recorded whole";
  const auto resumed = Resume(options);
  ASSERT_TRUE(resumed.ok()) << resumed.error().message;
  EXPECT_EQ(Everything(options.db), Everything(Options("whole.sqlite").db));
}

TEST_F(ResumeTest, TimesContinueAfterAResume) {
  const CampaignOptions options = Options("timed.sqlite");
  RunStopped(options, 64);
  const auto pace = [&] { return RowsOf(options.db, "SELECT case_index, seconds FROM pace"); };
  const auto before = pace();
  ASSERT_FALSE(before.empty()) << "the batch of a finding has a row";
  ASSERT_TRUE(Resume(options).ok());
  const auto after = pace();
  ASSERT_GT(after.size(), before.size());
  EXPECT_EQ(after.back()[0], "499") << "the last batch has a row";
  EXPECT_TRUE(std::ranges::is_sorted(after, {}, [](const auto& row) { return std::stod(row[1]); }));
}

TEST_F(ResumeTest, AFinishedRunStaysUnchanged) {
  const CampaignOptions options = Options("done.sqlite", 100);
  ASSERT_TRUE(RunCampaign(options, Refusing(), {}).ok());
  const auto before = Everything(options.db);
  const auto resumed = Resume(options);
  ASSERT_TRUE(resumed.ok());
  EXPECT_EQ(resumed->cases, 100u);
  EXPECT_EQ(Everything(options.db), before);
}

TEST_F(ResumeTest, OneRunHasNoResultsOfTwoEngines) {
  RunStopped(Options("engines.sqlite"), 64);
  const auto resumed = Resume(Options("engines.sqlite"), "another");
  ASSERT_FALSE(resumed.ok());
  EXPECT_NE(resumed.error().message.find("another engine"), std::string::npos);
}

// Two builds may report the same version text, so the content of the file must differ too.
TEST_F(ResumeTest, OneRunHasNoResultsOfTwoBuildsOfAnEngine) {
  const auto with = [](const char* content,
                       std::function<void()> on_request = {}) -> RunnerFactory {
    return Makes<RefusingRunner>("none", std::move(on_request), "m1", content);
  };
  const CampaignOptions options = Options("builds.sqlite");
  std::atomic<bool> stop{false};
  const auto begun = RunCampaign(options, with("crc32 1", [&] { stop = true; }), {}, &stop);
  ASSERT_TRUE(begun.ok() && begun->interrupted);
  const auto resume = [&](const char* content) {
    auto store = Store::OpenReadOnly(options.db);
    auto point = ReadResumePoint(*store);
    const CampaignOptions recorded = point->options;
    return ResumeCampaign(recorded, std::move(*point), with(content), {});
  };
  const auto other = resume("crc32 2");
  ASSERT_FALSE(other.ok());
  EXPECT_NE(other.error().message.find("its file: crc32 1; now crc32 2"), std::string::npos)
      << other.error().message;
  EXPECT_TRUE(resume("crc32 1").ok());
}

// Each thread has a separate runner, which may start long after the run began.
TEST_F(ResumeTest, AThreadThatMeetsAnotherBuildEndsTheRun) {
  std::atomic<int> made{0};
  const auto summary = RunCampaign(Options("threads.sqlite"),
                                   [&] {
                                     const char* content = made++ == 0 ? "crc32 1" : "crc32 2";
                                     return Result<std::unique_ptr<Runner>>(std::unique_ptr<Runner>(
                                         new RefusingRunner("none", {}, "m1", content)));
                                   },
                                   {});
  ASSERT_FALSE(summary.ok());
  EXPECT_EQ(summary.error().code, ErrorCode::kInternal);
  EXPECT_NE(summary.error().message.find("--resume"), std::string::npos);
  EXPECT_EQ(RowsOf(Options("threads.sqlite").db, "SELECT state FROM runs")[0][0], "interrupted");
}

TEST_F(ResumeTest, OneRunHasNoResultsOfTwoChips) {
  RunStopped(Options("chips.sqlite"), 64);
  auto store = Store::OpenReadOnly(Options("chips.sqlite").db);
  auto point = ReadResumePoint(*store);
  ASSERT_TRUE(point.ok());
  const CampaignOptions recorded = point->options;
  const auto resumed =
      ResumeCampaign(recorded, std::move(*point),
                     Makes<RefusingRunner>("none", std::function<void()>(), "m2"), {});
  ASSERT_FALSE(resumed.ok());
  EXPECT_NE(resumed.error().message.find("chip: m1; now m2"), std::string::npos)
      << resumed.error().message;
}

TEST_F(ResumeTest, ARunThatRanOutOfTimeCanBeResumed) {
  CampaignOptions options = Options("time.sqlite", 100);
  options.max_seconds = 1e-9;
  const auto stopped = RunCampaign(options, Refusing(), {});
  ASSERT_TRUE(stopped.ok());
  EXPECT_TRUE(stopped->interrupted);
  EXPECT_EQ(RowsOf(options.db, "SELECT state FROM runs")[0][0], "interrupted");
  const auto resumed = Resume(options);
  ASSERT_TRUE(resumed.ok());
  EXPECT_EQ(resumed->cases, 100u);
  EXPECT_FALSE(resumed->interrupted);
  options = Options("unlimited.sqlite", kUnlimitedCases);
  options.max_seconds = 1e-9;
  EXPECT_FALSE(RunCampaign(options, Refusing(), {})->interrupted) << "time was its only limit";
}

TEST_F(ResumeTest, TheNewestUnfinishedCampaignIsResumed) {
  const CampaignOptions options = Options("several.sqlite");
  RunStopped(options, 64);
  {
    auto store = Store::Open(options.db);
    const auto probes = store->BeginRun({.uuid = "probes", .options = "{}"});
    const ProbeRow record = {"accumulator_port", "h13", ProbeState::kNoCliff, "", "", {}, ""};
    ASSERT_TRUE(store->AppendProbes(*probes, {&record, 1}).ok());
  }
  ASSERT_TRUE(RunCampaign(options, Refusing(), {}).ok());
  auto store = Store::OpenReadOnly(options.db);
  EXPECT_EQ(ReadResumePoint(*store)->run, 1);
  ASSERT_TRUE(Resume(options).ok());
  EXPECT_EQ(ReadResumePoint(*store)->run, 3)
      << "all campaigns are finished, and a run of probes is none";
}

// A resumed run must treat these cases as the campaign itself does.
TEST_F(ResumeTest, InconclusiveAndFailedCasesAreNotJudged) {
  auto store = Store::Open(folder_->File("counts.sqlite"));
  ASSERT_TRUE(store.ok());
  const auto run =
      store->BeginRun({.uuid = "u", .options = OptionsToJson(Options("counts.sqlite")).dump()});
  ASSERT_TRUE(run.ok());
  RowBatch batch;
  const std::tuple<CaseMode, RunStatus, Verdict> cases[] = {
      {CaseMode::kFloat, RunStatus::kOk, Verdict::kPass},
      {CaseMode::kFloat, RunStatus::kOk, Verdict::kWrong},
      {CaseMode::kFloat, RunStatus::kOk, Verdict::kInconclusive},
      {CaseMode::kFloat, RunStatus::kOk, Verdict::kInconclusive},
      {CaseMode::kFloat, RunStatus::kFailed, Verdict::kFailed},
      {CaseMode::kMustReject, RunStatus::kRejected, Verdict::kPass},
      {CaseMode::kMustReject, RunStatus::kOk, Verdict::kAccepted},
      {CaseMode::kFloat, RunStatus::kRejected, Verdict::kInconclusive}};
  CampaignSummary counted;
  for (const auto& [mode, status, verdict] : cases) {
    CaseRow& record = batch.cases.emplace_back();
    record.index = batch.cases.size() - 1;
    record.mode = mode;
    record.status = status;
    record.verdict = verdict;
    if (record.status == RunStatus::kOk) record.outputs.resize(1);
    if (status == RunStatus::kRejected && verdict == Verdict::kInconclusive) {
      record.message = "v1 (less): no fact";
      record.outputs = {{.op = "less", .verdict = verdict, .defects = {}, .reason = "no fact"}};
    }
    CountCase(record, counted);
  }
  FindingRow finding;
  finding.id = "f1";
  finding.verdict = Verdict::kUnconfirmed;
  batch.findings = {finding};
  ASSERT_TRUE(store->Append(*run, batch).ok());
  const auto point = ReadResumePoint(*store);
  ASSERT_TRUE(point.ok()) << point.error().message;
  EXPECT_EQ(point->summary.cases, 8u);
  EXPECT_EQ(point->summary.judged, 2u);
  EXPECT_EQ(point->summary.inconclusive, 3u);
  EXPECT_EQ(point->summary.judged, counted.judged);
  EXPECT_EQ(point->summary.inconclusive, counted.inconclusive);
  EXPECT_TRUE(point->summary.reasons.contains("no fact"));
  EXPECT_EQ(SummaryToJson(point->summary)["inconclusive_reasons"],
            SummaryToJson(counted)["inconclusive_reasons"]);
  EXPECT_EQ(point->summary.unconfirmed, 1u);
  EXPECT_EQ(point->summary.known_defects, 0u);
}

TEST_F(ResumeTest, AFileWithoutARunIsNotFound) {
  auto store = Store::Open(folder_->File("empty.sqlite"));
  ASSERT_TRUE(store.ok());
  const auto point = ReadResumePoint(*store);
  ASSERT_FALSE(point.ok());
  EXPECT_EQ(point.error().code, ErrorCode::kNotFound);
}

TEST_F(ResumeTest, OptionsOfAnotherToolAreAnErrorThatNamesTheMember) {
  auto store = Store::Open(folder_->File("foreign.sqlite"));
  ASSERT_TRUE(store.ok());
  ASSERT_TRUE(store->BeginRun({.uuid = "u", .options = R"({"seed":1,"cases":2})"}).ok());
  const auto point = ReadResumePoint(*store);
  ASSERT_FALSE(point.ok());
  EXPECT_EQ(point.error().code, ErrorCode::kMalformed);
  EXPECT_NE(point.error().message.find("shard"), std::string::npos) << point.error().message;
}

TEST_F(ResumeTest, AllShardsTogetherAreTheWhole) {
  constexpr const char* kCases =
      "SELECT case_index, seed, target, fingerprint, verdict, message FROM cases "
      "ORDER BY case_index";
  ASSERT_TRUE(RunCampaign(Options("one.sqlite"), Refusing(), {}).ok());
  TextRows all;
  uint64_t cases = 0;
  for (uint64_t shard = 0; shard < 3; ++shard) {
    CampaignOptions options = Options("shard" + std::to_string(shard) + ".sqlite");
    options.shard = shard;
    options.shards = 3;
    const auto summary = RunCampaign(options, Refusing(), {});
    ASSERT_TRUE(summary.ok());
    EXPECT_EQ(summary->cases, CasesOfShard(options));
    cases += summary->cases;
    std::ranges::copy(RowsOf(options.db, kCases), std::back_inserter(all));
  }
  EXPECT_EQ(cases, 500u);
  std::ranges::sort(all, {}, [](const auto& row) { return std::stoi(row[0]); });
  EXPECT_EQ(all, RowsOf(Options("one.sqlite").db, kCases));
}

RC_GTEST_PROP(CampaignOptionsJson, ShardsArePartsOfTheWhole, ()) {
  CampaignOptions options;
  options.cases = *rc::gen::inRange<uint64_t>(0, 5000);
  options.shards = *rc::gen::inRange<uint64_t>(1, 40);
  uint64_t cases = 0;
  for (options.shard = 0; options.shard < options.shards; ++options.shard) {
    cases += CasesOfShard(options);
  }
  RC_ASSERT(cases == options.cases);
}

TEST(CampaignOptionsJson, EveryShardOfAnUnlimitedCampaignIsUnlimited) {
  CampaignOptions options;
  options.cases = kUnlimitedCases;
  options.shards = 4;
  EXPECT_EQ(CasesOfShard(options), kUnlimitedCases);
}

RC_GTEST_PROP(CampaignOptionsJson, ReadsItsOwnText, ()) {
  CampaignOptions options;
  options.seed = *rc::gen::arbitrary<uint64_t>();
  options.cases = *rc::gen::arbitrary<uint64_t>();
  options.shards = *rc::gen::inRange<uint64_t>(1, 9);
  options.shard = *rc::gen::inRange<uint64_t>(0, options.shards);
  options.targets = {{"h13", 2}, {"h18", *rc::gen::inRange(0, 8)}};
  options.modes = {CaseMode::kBoundary, CaseMode::kSpecial};
  for (const OpDefinition* op : AllOps()) {
    options.ops.set(op->schema.id, *rc::gen::arbitrary<bool>());
  }
  options.worker.library = *rc::gen::element<std::string>("", "/lib/engine.so");
  options.worker.faults = {"bias-dropped:conv", "ulp-error:add:1:1000"};
  options.worker.quirks = {{"all", false}, {"D03", *rc::gen::arbitrary<bool>()}};
  options.worker.case_timeout_ms = *rc::gen::inRange(1, 100000);
  options.small = *rc::gen::arbitrary<bool>();
  if (*rc::gen::arbitrary<bool>()) options.defects = {R"({"departures": []})", "{}"};
  const auto json = OptionsToJson(options);
  const auto back = OptionsFromJson(json);
  RC_ASSERT(back.ok());
  RC_ASSERT(OptionsToJson(*back).dump() == json.dump());
  RC_ASSERT(back->ops == options.ops);
  RC_ASSERT(back->small == options.small);
  RC_ASSERT(back->defects == options.defects);
  RC_ASSERT(back->targets[1].family == options.targets[1].family);
  RC_ASSERT(back->worker.quirks[1].on == options.worker.quirks[1].on);
}

TEST(QuirkText, IsAnIdAndAState) {
  EXPECT_EQ(QuirkText(*ParseQuirk("D01=on")), "D01=on");
  EXPECT_EQ(QuirkText(*ParseQuirk("all=off")), "all=off");
  for (const char* wrong : {"", "D01", "D01=", "=on", "D01=maybe"}) {
    EXPECT_FALSE(ParseQuirk(wrong).ok()) << wrong;
  }
}

}  // namespace
}  // namespace anecheck
