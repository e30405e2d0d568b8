// In a campaign, the cases do not depend on the number of jobs, findings are confirmed and can be
// run again, and each misdeed of an engine costs one case.
#include "harness/campaign/campaign.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <map>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/campaign/testing/campaign_test.h"
#include "harness/findings/artifact.h"
#include "harness/graph/fingerprint.h"
#include "harness/judging/judge_case.h"
#include "harness/judging/locate.h"
#include "harness/judging/reach_counter.h"
#include "harness/results/testing/query_text.h"
#include "oracles/oracle.h"

namespace anecheck {
namespace {

using testing::CampaignTest;
using testing::Makes;
using testing::RowsOf;
using testing::ScriptedRunner;
using testing::SpoilFirstElement;
using testing::TextRows;

TEST_F(CampaignTest, AConformingEngineGivesNoFinding) {
  const CampaignSummary summary =
      Must(RunCampaign(Options(300), Scripted([](const RunRequest&, RunReply&) {}), {}));
  EXPECT_EQ(summary.cases, 300u);
  EXPECT_EQ(summary.judged, 300u);
  EXPECT_EQ(summary.findings, 0u);
}

TEST_F(CampaignTest, TheNetlistRouteDrawsOperationsOfDescriptions) {
  CampaignOptions options = Options(60);
  options.modes = {};
  options.targets = {{"h13", 2}, {"h17s", 6}};
  options.routes = RouteSet::kBoth;
  int native = 0;
  int direct = 0;
  for (uint64_t index = 0; index < options.cases; ++index) {
    const auto item = MakeCase(options, index);
    ASSERT_TRUE(item.ok()) << item.error().message;
    const RunRequest request = RequestOf(*item);
    EXPECT_EQ(request.route, index / 2 % 2 == 0 ? Route::kMil : Route::kNetlist);
    EXPECT_EQ(request.netlist.empty(), request.route == Route::kMil);
    for (const Node& node : item->graph.nodes()) {
      const bool is_native = DefinitionOf(*node.schema).op_class == OpClass::kNative;
      EXPECT_TRUE(request.route == Route::kNetlist || !is_native) << node.schema->name;
      native += is_native ? 1 : 0;
    }
    direct += request.route == Route::kNetlist ? 1 : 0;
  }
  EXPECT_EQ(direct, 30);
  EXPECT_GT(native, 5);
}

TEST_F(CampaignTest, RecordsTheRouteOfEachCase) {
  CampaignOptions options = Options(128);
  options.routes = RouteSet::kBoth;
  const auto spoil = Scripted([](const RunRequest& request, RunReply& reply) {
    if (request.route == Route::kNetlist) SpoilFirstElement(reply);
  });
  const CampaignSummary summary = Must(RunCampaign(options, spoil, {}));
  ASSERT_GT(summary.findings, 0u);
  for (const FindingRow& finding : summary.list) EXPECT_EQ(finding.route, Route::kNetlist);
}

TEST_F(CampaignTest, JobsChangeNothingButTheTime) {
  const auto spoil = Scripted([](const RunRequest& request, RunReply& reply) {
    if (request.id % 50 == 7) SpoilFirstElement(reply);
  });
  const std::string one = SummaryToJson(Must(RunCampaign(Options(400, 1), spoil, {}))).dump();
  const std::string three = SummaryToJson(Must(RunCampaign(Options(400, 3), spoil, {}))).dump();
  const auto without_path = [](std::string text) {
    for (size_t at = 0; (at = text.find(".sqlite")) != std::string::npos;) text.erase(at - 1, 8);
    return text;
  };
  EXPECT_EQ(without_path(one), without_path(three));
}

TEST_F(CampaignTest, AWrongElementIsFoundRecordedAndReplayable) {
  const CampaignOptions options = Options(64);
  const CampaignSummary summary =
      Must(RunCampaign(options, Scripted([](const RunRequest& request, RunReply& reply) {
                         if (request.id == 20) SpoilFirstElement(reply);
                       }),
                       {}));
  ASSERT_EQ(summary.findings, 1u);
  const FindingRow& finding = summary.list[0];
  EXPECT_EQ(finding.verdict, Verdict::kWrong);
  EXPECT_EQ(finding.case_index, 20u);
  EXPECT_EQ(finding.replay, "anecheck replay " + finding.id + " --db " + options.db);

  const auto rows = RowsOf(options.db, "SELECT artifact FROM findings");
  ASSERT_EQ(rows.size(), 1u);
  const auto json = ParseJson(rows[0][0]);
  ASSERT_TRUE(json.ok());
  const auto artifact = ArtifactFromJson(*json);
  ASSERT_TRUE(artifact.ok()) << artifact.error().message;
  const auto original = MakeCase(options, 20);
  ASSERT_TRUE(original.ok());
  EXPECT_EQ(GraphFingerprint(artifact->item.graph), GraphFingerprint(original->graph));
  EXPECT_EQ(artifact->item.inputs[0].bytes, original->inputs[0].bytes);
  EXPECT_EQ(artifact->item.target.name, "h13");
  EXPECT_EQ(artifact->id, finding.id);
}

TEST_F(CampaignTest, EachFailureHasItsVerdictAndOneFindingPerSignature) {
  const CampaignOptions options = Options(64);
  const CampaignSummary summary = Must(RunCampaign(
      options, Scripted([](const RunRequest& request, RunReply& reply) {
        const auto fail = [&](RunStatus status, Step step, std::string message) {
          reply.status = status;
          reply.step = step;
          reply.message = std::move(message);
          reply.outputs.clear();
        };
        if (request.id % 8 == 1)
          fail(RunStatus::kCrashed, Step::kRun, "killed by signal " + std::to_string(request.id));
        if (request.id % 8 == 2) fail(RunStatus::kHung, Step::kRun, "no answer");
        if (request.id % 8 == 3) fail(RunStatus::kRejected, Step::kCompile, "not supported");
        if (request.id % 8 == 4) fail(RunStatus::kFailed, Step::kLoad, "no memory");
        if (request.id % 8 == 5) reply.outputs.clear();
        if (request.id % 8 == 6) reply.backend = "bnns";
      }),
      {}));
  std::map<Verdict, int64_t> occurrences;
  for (const FindingRow& finding : summary.list)
    occurrences[finding.verdict] += finding.occurrences;
  EXPECT_EQ(occurrences, (std::map<Verdict, int64_t>{{Verdict::kCrashed, 8},
                                                     {Verdict::kHung, 8},
                                                     {Verdict::kRejected, 8},
                                                     {Verdict::kFailed, 8},
                                                     {Verdict::kGarbled, 8},
                                                     {Verdict::kMisplaced, 8}}));
  EXPECT_EQ(summary.list.size(), 6u) << "messages that differ only in numbers are one defect";
  const auto rows = RowsOf(
      options.db, "SELECT sum(cases), sum(compiled), sum(dispatched), sum(correct) FROM reach");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_GT(std::stoi(rows[0][0]), std::stoi(rows[0][1])) << "rejected cases did not compile";
  EXPECT_GT(std::stoi(rows[0][1]), std::stoi(rows[0][2]))
      << "failed cases compiled and were not dispatched";
  EXPECT_GE(std::stoi(rows[0][2]), std::stoi(rows[0][3]))
      << "a garbled answer does not count as correct";
}

TEST_F(CampaignTest, OnlyProvenCompilationsCountAsCompiled) {
  const auto compiled = [](RunStatus status, Step step) {
    const auto item = MakeCase({.targets = {{"h13", 2}}}, 0);
    Evaluation evaluation;
    const RunReply reply = {.status = status, .step = step};
    RowBatch batch;
    CountReach(*item, JudgeCase(*item, reply, evaluation), batch);
    return batch.reach.begin()->second.compiled;
  };
  EXPECT_EQ(compiled(RunStatus::kCrashed, Step::kCompile), 0);
  EXPECT_EQ(compiled(RunStatus::kCrashed, Step::kNone), 0)
      << "external programs do not report a stage";
  EXPECT_EQ(compiled(RunStatus::kHung, Step::kLoad), 1);
  EXPECT_EQ(compiled(RunStatus::kCrashed, Step::kRun), 1);
  EXPECT_EQ(compiled(RunStatus::kNotRun, Step::kNone), 0);
}

TEST_F(CampaignTest, ACaseThatDidNotRunIsInconclusiveAndNoFinding) {
  const CampaignSummary summary =
      Must(RunCampaign(Options(64), Scripted([](const RunRequest& request, RunReply& reply) {
                         if (request.id != 3) return;
                         reply = {.id = 3, .status = RunStatus::kNotRun, .message = "too large"};
                       }),
                       {}));
  EXPECT_EQ(summary.inconclusive, 1u);
  EXPECT_EQ(summary.findings, 0u);
  EXPECT_FALSE(IsMostlyInconclusive(summary));
  const auto reasons = FrequentReasons(summary);
  ASSERT_EQ(reasons.size(), 1u);
  EXPECT_EQ(reasons[0].reason, "too large");
}

TEST(FrequentReasons, CountAReasonOnceWhateverTheOperation) {
  CampaignSummary summary;
  CaseRow record;
  record.verdict = Verdict::kInconclusive;
  const auto count = [&](const std::string& message, int cases) {
    record.message = message;
    for (; cases > 0; --cases) CountCase(record, summary);
  };
  record.status = RunStatus::kRejected;
  for (const auto& [op, cases] : {std::pair{"less", 2}, {"sign", 3}}) {
    record.outputs = {{.op = op, .defects = {}, .reason = "no fact tells its tasks"}};
    count(std::string("v1 (") + op + "): no fact tells its tasks", cases);
  }
  record.outputs.clear();
  count("", 1);
  count("too large: 5 MiB", 1);
  count("too large: 7 MiB", 3);
  count("rare", 1);
  // "(conv)" in a message is not treated as an operation's name.
  count("unit (conv): is busy", 6);
  const auto reasons = FrequentReasons(summary);
  ASSERT_EQ(reasons.size(), 3u);
  EXPECT_EQ(reasons[0].reason, "unit (conv): is busy");
  EXPECT_EQ(reasons[1].reason, "no fact tells its tasks");
  EXPECT_EQ(reasons[1].cases, 5u);
  EXPECT_EQ(reasons[2].reason, "too large: 5 MiB");
  EXPECT_EQ(reasons[2].cases, 4u);
  EXPECT_TRUE(IsMostlyInconclusive(summary));
  EXPECT_EQ(SummaryToJson(summary)["inconclusive_reasons"][0]["cases"], 6);
}

TEST(FrequentReasons, TakeTheFirstOutputWithAReasonOrElseTheMessage) {
  CampaignSummary summary;
  CaseRow record;
  record.verdict = Verdict::kInconclusive;
  record.status = RunStatus::kRejected;
  record.message = "v1 (less): is busy";
  record.outputs = {{.op = "less", .defects = {}}, {.op = "sign", .defects = {}}};
  CountCase(record, summary);
  record.outputs[1].reason = "no fact tells its tasks";
  CountCase(record, summary);
  const auto reasons = FrequentReasons(summary);
  ASSERT_EQ(reasons.size(), 2u);
  EXPECT_EQ(reasons[0].reason, "no fact tells its tasks");
  EXPECT_EQ(reasons[1].reason, "v1 (less): is busy");
}

// Refuses every case at the front end, without a message.
class RejectingRunner final : public Runner {
 public:
  Result<RunnerIdentity> Identify() override { return RunnerIdentity{.runner = "rejecting"}; }
  Result<std::vector<RunReply>> Run(std::span<const RunRequest> requests) override {
    std::vector<RunReply> replies;
    for (const RunRequest& request : requests) {
      replies.push_back(
          {.id = request.id, .status = RunStatus::kRejected, .step = Step::kFrontend});
    }
    return replies;
  }
  Status Restart() override { return {}; }
};

TEST_F(CampaignTest, JudgedCasesHaveValuesAndAVerdictOnThem) {
  CaseRow record;
  record.mode = CaseMode::kFloat;
  record.status = RunStatus::kOk;
  for (const Verdict verdict : {Verdict::kPass, Verdict::kWrong, Verdict::kKnownDefect,
                                Verdict::kUnconfirmed, Verdict::kMisplaced}) {
    record.verdict = verdict;
    EXPECT_TRUE(IsJudged(record)) << verdict;
  }
  record.verdict = Verdict::kInconclusive;
  record.outputs.resize(2);
  EXPECT_FALSE(IsJudged(record)) << "an inconclusive case is not judged, even if it has outputs";
  record.status = RunStatus::kCrashed;
  record.verdict = Verdict::kCrashed;
  EXPECT_FALSE(IsJudged(record));

  CampaignOptions options = Options(64);
  options.modes = {CaseMode::kMustReject};
  const CampaignSummary summary = Must(RunCampaign(options, Makes<RejectingRunner>(), {}));
  EXPECT_EQ(summary.cases, 64u);
  EXPECT_LT(summary.inconclusive, 64u) << "some are refused where they must be";
  EXPECT_EQ(summary.findings, 0u);
  EXPECT_EQ(summary.judged, 0u) << "a refusal has no values";
}

TEST_F(CampaignTest, AnOutputOfTheWrongSizeIsWrongAndNotMeasured) {
  const auto item = MakeCase(Options(4), 1);
  Evaluation evaluation;
  ASSERT_TRUE(evaluation.Run(item->graph, item->inputs, ConformingContract(2)).ok());
  RunReply reply = {.status = RunStatus::kOk, .backend = "ane"};
  for (const ValueId output : item->graph.outputs()) {
    reply.outputs.push_back({item->graph.type(output), std::vector<uint8_t>(1)});
  }
  const CaseOutcome outcome = JudgeCase(*item, reply, evaluation);
  EXPECT_EQ(outcome.verdict(), Verdict::kWrong);
  ASSERT_FALSE(outcome.errors.empty());
  EXPECT_TRUE(outcome.errors[0].by_exponent.empty()) << "read beyond the end of the input";
}

TEST_F(CampaignTest, ARangeThatRanAtOneShapeOnlyIsInconclusive) {
  CampaignOptions options = Options(200);
  options.modes = {CaseMode::kShapeRanges};
  int ranged = 0;
  for (uint64_t index = 0; index < options.cases && ranged < 3; ++index) {
    const auto item = MakeCase(options, index);
    ASSERT_TRUE(item.ok());
    if (!item->range) continue;
    ++ranged;
    ScriptedRunner runner([](const RunRequest&, RunReply&) {});
    const RunRequest request = RequestOf(*item);
    const auto replies = runner.Run({&request, 1});
    ASSERT_TRUE(replies.ok());
    Evaluation evaluation;
    const CaseOutcome outcome = JudgeCase(*item, replies->front(), evaluation);
    EXPECT_EQ(outcome.verdict(), Verdict::kInconclusive);
    EXPECT_EQ(outcome.message(), "the runner ran at 1 of the " +
                                     std::to_string(item->further.size() + 1) +
                                     " shapes of the range");
  }
  EXPECT_EQ(ranged, 3);
}

// Identifies itself as an external program whose cases count as silicon if they carry a proof.
class ProvingRunner final : public Runner {
 public:
  Result<RunnerIdentity> Identify() override {
    return RunnerIdentity{.runner = "exec:x",
                          .provenance = Provenance::kReported,
                          .proved = Provenance::kSilicon,
                          .engine = "x",
                          .chip = "M1"};
  }
  Result<std::vector<RunReply>> Run(std::span<const RunRequest> requests) override {
    ScriptedRunner scripted([](const RunRequest& request, RunReply& reply) {
      if (request.id % 4 == 1) reply.backend.clear();
      if (request.id % 4 != 2) return;
      reply = {.id = request.id, .status = RunStatus::kRejected, .step = Step::kHal};
    });
    return scripted.Run(requests);
  }
  Status Restart() override { return {}; }
};

TEST_F(CampaignTest, OnlyProvedResultsCountAsSilicon) {
  CampaignOptions options = Options(64);
  options.ops.reset();
  options.ops.set(static_cast<size_t>(OpKind::kRelu));
  Must(RunCampaign(options, Makes<ProvingRunner>(), {}));
  EXPECT_EQ(RowsOf(options.db, "SELECT provenance FROM runs"), (TextRows{{"reported"}}));
  EXPECT_EQ(RowsOf(options.db,
                   "SELECT provenance, cases, dispatched, correct, rejected FROM proved_reach "
                   "WHERE op = 'relu'"),
            (TextRows{{"silicon", "32", "32", "32", "0"}}));
}

TEST_F(CampaignTest, AProofForAnotherChipsTargetDoesNotCountAsSilicon) {
  CampaignOptions options = Options(64);
  options.targets = {{"h14", 3}};
  Must(RunCampaign(options, Makes<ProvingRunner>(), {}));
  EXPECT_EQ(RowsOf(options.db, "SELECT count(*) FROM proved_reach"), (TextRows{{"0"}}));
}

// Identifies itself as the engine of the machine itself, which has an M4.
class OwnEngine final : public Runner {
 public:
  Result<RunnerIdentity> Identify() override {
    return RunnerIdentity{.runner = "e5rt", .provenance = Provenance::kSilicon, .chip = "Apple M4"};
  }
  Result<std::vector<RunReply>> Run(std::span<const RunRequest>) override {
    ADD_FAILURE() << "a case of another chip's target was run";
    return std::vector<RunReply>{};
  }
  Status Restart() override { return {}; }
};

TEST_F(CampaignTest, AMachinesOwnEngineRunsOnlyTheTargetsOfItsChip) {
  CampaignOptions options = Options(64);
  options.targets = {{"h16", 5}, {"h13", 2}};
  const auto summary = RunCampaign(options, Makes<OwnEngine>(), {});
  ASSERT_FALSE(summary.ok());
  EXPECT_EQ(summary.error().code, ErrorCode::kInvalid);
  EXPECT_EQ(summary.error().message.find("target h13: this machine's chip, \"Apple M4\", has h16"),
            0u)
      << summary.error().message;
  EXPECT_FALSE(std::filesystem::exists(options.db)) << "nothing is recorded";
}

TEST_F(CampaignTest, ARunnerThatCannotStartEndsTheCampaignWithItsMessage) {
  const RunnerFactory broken = [] {
    return Result<std::unique_ptr<Runner>>(MakeError(ErrorCode::kInternal, "no engine here"));
  };
  const auto summary = RunCampaign(Options(10), broken, {});
  ASSERT_FALSE(summary.ok());
  EXPECT_EQ(summary.error().message, "no engine here");
}

TEST_F(CampaignTest, StoppingKeepsFinishedCases) {
  std::atomic<bool> stop{false};
  const CampaignOptions options = Options(100000);
  uint64_t reported = 0;
  const CampaignSummary summary = Must(RunCampaign(
      options, Scripted([](const RunRequest&, RunReply&) {}),
      [&](const CampaignProgress& progress) {
        reported = progress.done;
        if (progress.done >= 128) stop = true;
      },
      &stop));
  EXPECT_TRUE(summary.interrupted);
  EXPECT_EQ(summary.cases, reported);
  EXPECT_LT(summary.cases, 100000u);
  EXPECT_EQ(RowsOf(options.db, "SELECT count(*) FROM cases"),
            (TextRows{{std::to_string(summary.cases)}}));
  EXPECT_EQ(RowsOf(options.db, "SELECT state FROM runs"), (TextRows{{"interrupted"}}));
}

TEST_F(CampaignTest, CasesDependOnlyOnSeedAndIndex) {
  CampaignOptions options = Options(10);
  options.targets = {{"h13", 2}, {"h17s", 6}};
  const auto a = MakeCase(options, 3);
  const auto b = MakeCase(options, 3);
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(a->mil, b->mil);
  EXPECT_EQ(a->target.name, "h17s");
  EXPECT_NE(a->mil, MakeCase(options, 4)->mil);
  EXPECT_NE(CaseSeed(1, 2), CaseSeed(2, 1));
  options.targets.clear();
  EXPECT_FALSE(MakeCase(options, 0).ok());
}

TEST_F(CampaignTest, TheDefaultMixContainsOnlyTheModesOfValues) {
  CampaignOptions options = Options(10);
  options.modes.clear();
  std::map<CaseMode, int> seen;
  for (uint64_t i = 0; i < 600; ++i) ++seen[MakeCase(options, i)->mode];
  EXPECT_EQ(seen.size(), 6u);
  for (const auto& [mode, count] : seen) EXPECT_EQ(ValuesOf(mode), mode);
}

TEST_F(CampaignTest, TheFirstWrongOperationIsNamed) {
  Case item;
  item.target = {"h13", 2};
  const ValueId x = item.graph.AddInput({DType::kFp16, {4}}, "x");
  item.graph.BeginNode(&GetOp(OpKind::kRelu).schema);
  item.graph.AddArgument(0, x);
  const ValueId y = *item.graph.FinishNode();
  item.graph.BeginNode(&GetOp(OpKind::kAdd).schema);
  item.graph.AddArgument(0, y);
  item.graph.AddArgument(1, y);
  item.graph.AddOutput(*item.graph.FinishNode());
  item.inputs = {{{DType::kFp16, {4}}, {0, 0x3c, 0, 0x3c, 0, 0x3c, 0, 0x3c}}};
  // relu's own result is wrong, but the values computed from it are right.
  const ScriptedRunner::Spoil spoil = [](const RunRequest& request, RunReply& reply) {
    if (request.graph->outputs().size() == 2) SpoilFirstElement(reply.outputs[1]);
    reply.outputs[0].bytes = {0xaa, 0x30, 0, 0x40, 0, 0x40, 0, 0x40};
  };
  ScriptedRunner runner(spoil);
  Evaluation evaluation;
  const RunRequest request = {0, "h13", item.mil, &item.graph, item.inputs};
  const auto replies = runner.Run({&request, 1});
  CaseOutcome outcome = JudgeCase(item, replies->front(), evaluation);
  ASSERT_EQ(outcome.verdict(), Verdict::kWrong);
  EXPECT_EQ(outcome.shown.op(), "add") << "the output that is wrong";
  ASSERT_TRUE(Refine(item, replies->front(), runner, evaluation, outcome).ok());
  EXPECT_EQ(outcome.shown.op(), "relu") << "the operation that is to blame";
  EXPECT_EQ(outcome.verdict(), Verdict::kWrong);
}

TEST_F(CampaignTest, AnOutputIsExplainedByItsAncestors) {
  Graph graph;
  const ValueId x = graph.AddInput({DType::kFp16, {4}}, "x");
  const auto relu = [&](ValueId of) {
    graph.BeginNode(&GetOp(OpKind::kRelu).schema);
    graph.AddArgument(0, of);
    return *graph.FinishNode();
  };
  const ValueId y = relu(x);
  const ValueId z = relu(x);
  graph.AddOutput(relu(y));
  graph.AddOutput(z);
  Location location{.judged = true};
  location.nodes = {{Verdict::kKnownDefect, {"D01"}}, {Verdict::kPass}};
  location.nodes.push_back({Verdict::kUnconfirmed, {"D03"}, "divide_ulp"});
  EXPECT_EQ(ExplainOutput(graph, 0, location).defects, (DefectSet{"D01", "D03"}));
  EXPECT_EQ(ExplainOutput(graph, 0, location).terms, "divide_ulp");
  EXPECT_TRUE(ExplainOutput(graph, 0, location).complete);
  EXPECT_TRUE(ExplainOutput(graph, 1, location).defects.empty()) << "a defect of the other branch";
  location.nodes[0].verdict = Verdict::kInconclusive;
  EXPECT_FALSE(ExplainOutput(graph, 0, location).complete);
  EXPECT_TRUE(ExplainOutput(graph, 1, location).complete);
}

// The error of exp2 was not measured on any engine.
TEST_F(CampaignTest, DeviationsThatOnlyUnmeasuredTermsForbidAreUnconfirmed) {
  Case item;
  item.target = {"h16", 5};
  const ValueId x = item.graph.AddInput({DType::kFp16, {1}}, "x");
  item.graph.BeginNode(&GetOp(OpKind::kExp2).schema);
  item.graph.AddArgument(0, x);
  item.graph.AddOutput(*item.graph.FinishNode());
  item.inputs = {{{DType::kFp16, {1}}, {0, 0}}};
  const auto refined = [&](std::vector<uint8_t> given, Provenance provenance) {
    ScriptedRunner runner(
        [&](const RunRequest&, RunReply& reply) { reply.outputs[0].bytes = given; }, provenance);
    Evaluation evaluation;
    const RunRequest request = RequestOf(item);
    const auto replies = runner.Run({&request, 1});
    CaseOutcome outcome = JudgeCase(item, replies->front(), evaluation);
    EXPECT_TRUE(Refine(item, replies->front(), runner, evaluation, outcome).ok());
    return RecordOf(item, outcome);
  };
  const std::vector<uint8_t> kNear = {0x03, 0x3c};  // 1.003
  const std::vector<uint8_t> kFar = {0x00, 0x40};   // 2
  const CaseRow reported = refined(kNear, Provenance::kReported);
  EXPECT_EQ(reported.verdict, Verdict::kUnconfirmed);
  EXPECT_NE(reported.message.find("exponential_ulp"), std::string::npos) << reported.message;
  EXPECT_EQ(refined(kNear, Provenance::kSilicon).verdict, Verdict::kUnconfirmed);
  EXPECT_EQ(refined(kNear, Provenance::kSimulated).verdict, Verdict::kWrong);
  EXPECT_EQ(refined(kFar, Provenance::kSilicon).verdict, Verdict::kWrong);
}

TEST_F(CampaignTest, BrokenArtifactsSayWhichMemberIsWrong) {
  const CampaignOptions options = Options(4);
  const auto item = MakeCase(options, 1);
  CaseOutcome outcome;
  outcome.shown = Outcome({.verdict = Verdict::kWrong});
  const Json good = ArtifactToJson(options, {}, *item, outcome, {}, "f1");
  ASSERT_TRUE(ArtifactFromJson(good).ok());
  const std::pair<std::function<void(Json&)>, const char*> kBreakages[] = {
      {[](Json& j) { j["version"] = 2; }, "version: must be 1"},
      {[](Json& j) { j.erase("graph"); }, "graph: is missing"},
      {[](Json& j) { j["case"]["mode"] = "lazy"; }, "case.mode: \"lazy\" is no mode"},
      {[](Json& j) { j["case"]["family"] = 11; }, "case.family: must be 0 to 10"},
      {[](Json& j) { j["inputs"] = Json::array(); }, "inputs: has 0 tensors"},
      {[](Json& j) { j["inputs"][0]["data"] = "AAAA"; }, "must have"},
      {[](Json& j) { j["id"] = 3; }, "id: has the wrong type"},
      {[](Json& j) { j["runner"]["quirks"] = Json::array({"D01"}); }, "runner.quirks"},
      {[](Json& j) { j["runner"]["quirks"] = Json::array({"D01=yes"}); }, "runner.quirks"},
      {[](Json& j) { j["runner"]["case_timeout_ms"] = 0; }, "runner.case_timeout_ms: must be 1"},
  };
  for (const auto& [change, message] : kBreakages) {
    Json broken = good;
    change(broken);
    const auto artifact = ArtifactFromJson(broken);
    ASSERT_FALSE(artifact.ok()) << message;
    EXPECT_NE(artifact.error().message.find(message), std::string::npos)
        << artifact.error().message;
  }
}

TEST_F(CampaignTest, ArtifactsKeepTheLimitsThatTheyWereFoundWith) {
  CampaignOptions options = Options(4);
  options.worker.case_timeout_ms = 500;
  options.worker.memory_limit = uint64_t{300} << 20;
  options.defects = {R"({"departures": []})"};
  Json json = ArtifactToJson(options, {}, *MakeCase(options, 1), {}, {}, "f1");
  const auto artifact = ArtifactFromJson(json);
  ASSERT_TRUE(artifact.ok()) << artifact.error().message;
  EXPECT_EQ(artifact->options.worker.case_timeout_ms, 500);
  EXPECT_EQ(artifact->options.worker.memory_limit, uint64_t{300} << 20);
  EXPECT_EQ(artifact->options.defects, options.defects);
  json["runner"].erase("case_timeout_ms");
  EXPECT_EQ(ArtifactFromJson(json)->options.worker.case_timeout_ms, 20000)
      << "the default of earlier versions";
}

TEST(HasFindings, DocumentedAndUnconfirmedOnesCountOnlyIfStrict) {
  CampaignSummary summary;
  EXPECT_FALSE(HasFindings(summary, true));
  for (const Verdict verdict : {Verdict::kKnownDefect, Verdict::kUnconfirmed}) {
    CampaignSummary one;
    CountFinding(verdict, one);
    EXPECT_FALSE(HasFindings(one, false)) << verdict;
    EXPECT_TRUE(HasFindings(one, true)) << verdict;
  }
  CountFinding(Verdict::kWrong, summary);
  EXPECT_TRUE(HasFindings(summary, false));
}

TEST(MakeRunner, UnknownKindsAreNamed) {
  CampaignOptions options;
  options.runner = "telepathy";
  const auto runner = MakeRunner(options);
  ASSERT_FALSE(runner.ok());
  EXPECT_NE(runner.error().message.find("--runner telepathy: unknown"), std::string::npos);
}

}  // namespace
}  // namespace anecheck
