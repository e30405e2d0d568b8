// A measurement of power finds and names a planted fault, finds nothing on an engine without
// defects, and reports subjects that it does not find.
#include "harness/power/power.h"

#include <algorithm>
#include <atomic>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <thread>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/testing/wait.h"
#include "harness/probe/runtime_probe.h"
#include "harness/runners/worker.h"
#include "oracles/contract.h"

namespace anecheck {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::SizeIs;

const std::vector<CampaignTarget> kTargets = {{"h13", 2}, {"h15", 4}};

PowerOptions Options() {
  PowerOptions options;
  options.hunt.library = ANECHECK_SIMULATED_ENGINE;
  options.hunt.cases = 512;
  options.hunt.shrink_tries = 60;
  options.targets = kTargets;
  return options;
}

std::vector<Subject> AllSubjects() {
  const auto engine = OpenE5rtLibrary(ANECHECK_SIMULATED_ENGINE);
  EXPECT_TRUE(engine.ok());
  auto subjects = ReadSubjects(*engine, kTargets);
  EXPECT_TRUE(subjects.ok());
  return std::move(*subjects);
}

Subject Named(std::string_view id) {
  auto subjects = AllSubjects();
  const auto found = std::ranges::find(subjects, id, &Subject::id);
  EXPECT_NE(found, subjects.end()) << id;
  return *found;
}

HuntResult HuntFor(const Subject& subject) {
  auto result = Hunt(subject, Options().hunt);
  EXPECT_TRUE(result.ok()) << result.error().message;
  return std::move(*result);
}

TEST(Subjects, AreTheEnginesFaultsWithTheirOperations) {
  const Subject conv = Named("conv-bias-dropped");
  EXPECT_EQ(conv.ops.count(), 1u);
  EXPECT_TRUE(conv.ops.test(FindOp("conv")->schema.id));
  EXPECT_EQ(conv.faults, std::vector<std::string>{"conv-bias-dropped"});
  EXPECT_EQ(conv.targets.size(), 2u);
  EXPECT_TRUE(Named("run-crash").ops.all());
  const Subject array = Named("mac-truncates");
  EXPECT_TRUE(array.ops.test(FindOp("matmul")->schema.id));
  EXPECT_FALSE(array.ops.test(FindOp("add")->schema.id));
}

TEST(Subjects, AKnownDefectIsEnabledAloneOnAFamilyThatHasIt) {
  const Subject port = Named("D01");
  EXPECT_EQ(port.group, SubjectGroup::kKnownDefect);
  EXPECT_EQ(port.targets.at(0).name, "h13");
  ASSERT_EQ(port.quirks.size(), 2u);
  EXPECT_EQ(port.quirks[0].id, "all");
  EXPECT_FALSE(port.quirks[0].on);
  EXPECT_EQ(port.quirks[1].id, "D01");
  EXPECT_TRUE(port.quirks[1].on);
  EXPECT_TRUE(port.ops.test(FindOp("linear")->schema.id));
  EXPECT_EQ(port.ops.count(), 3u);
  EXPECT_EQ(Named("D15").targets.at(0).family, 3) << "only A14 and A17 have the defect";
  EXPECT_EQ(Named("D04").labels, std::vector<std::string>{"D04"});
  for (const Subject& subject : AllSubjects())
    EXPECT_NE(subject.id, "P01") << "the engine does not implement P01";
}

TEST(HuntTest, FindsAPlantedFaultAndMinimisesIt) {
  const HuntResult result = HuntFor(Named("add-one-ulp-everywhere"));
  EXPECT_TRUE(result.found);
  EXPECT_EQ(result.by, "campaign");
  EXPECT_EQ(result.verdict, Verdict::kWrong);
  EXPECT_EQ(result.op, "add");
  EXPECT_LE(result.cases, 64u);
  EXPECT_EQ(result.nodes, 1u);
  EXPECT_LE(result.elements.value_or(1000), 16u);
}

// Random cases must find this fault, because no probe tests states.
TEST(HuntTest, FindsLostStatesByACampaign) {
  for (const char* fault : {"state-lost", "state-not-zero"}) {
    HuntOptions options = Options().hunt;
    options.shrink_tries = 500;
    const HuntResult result = Hunt(Named(fault), options).value();
    EXPECT_TRUE(result.found) << fault << " " << result.reason;
    EXPECT_EQ(result.by, "campaign") << fault;
    EXPECT_EQ(result.verdict, Verdict::kWrong) << fault;
    EXPECT_LE(result.nodes.value_or(100), 3u) << fault;
    EXPECT_LE(result.elements.value_or(1000), 16u) << fault;
  }
}

TEST(HuntTest, LabelsAKnownDefect) {
  const HuntResult result = HuntFor(Named("D09"));
  EXPECT_TRUE(result.found);
  EXPECT_EQ(result.label, "D09");
  EXPECT_EQ(result.op, "softplus");
  EXPECT_EQ(result.unlabelled, 0u);
}

// Two defects lose bits in the same way, one in products and one in reductions. If one of them is
// on, no finding has the label of the other.
TEST(HuntTest, TellsTheLossOfProductsFromThatOfReductions) {
  const auto hunt = [](std::string_view on, const std::string& label) {
    Subject subject = Named(on);
    subject.ops.reset();
    for (const char* op : {"matmul", "linear", "reduce_sum"}) {
      subject.ops.set(FindOp(op)->schema.id);
    }
    subject.labels = {label};
    return HuntFor(subject);
  };
  for (const char* on : {"D03", "D04"}) {
    const std::string other = on == std::string("D03") ? "D04" : "D03";
    const HuntResult itself = hunt(on, on);
    EXPECT_TRUE(itself.found) << on << " " << itself.reason;
    EXPECT_EQ(itself.label, on);
    const HuntResult taken = hunt(on, other);
    EXPECT_FALSE(taken.found) << on << " is taken for " << taken.label;
    EXPECT_NE(taken.reason.find(on), std::string::npos) << taken.reason;
  }
}

TEST(HuntTest, FindsAFaultOfSomeRunsByAProbe) {
  const HuntResult result = HuntFor(Named("first-element-flaky"));
  EXPECT_TRUE(result.found);
  EXPECT_TRUE(result.by.starts_with("probe ")) << result.by;
}

TEST(HuntTest, FindsAFaultThatNoValueShowsByAProbe) {
  for (const char* fault : {"run-slow", "async-signals-early"}) {
    const HuntResult result = HuntFor(Named(fault));
    EXPECT_TRUE(result.found) << fault;
    EXPECT_TRUE(result.by.starts_with("probe ")) << fault << " " << result.by;
  }
}

// Probes of calls need a program. No program compiles for h11, so these probes prove nothing there.
TEST(HuntTest, AProbeThatAlsoFailsWithoutTheFaultFindsNothing) {
  Subject subject = Named("slots-100");
  ASSERT_TRUE(HuntFor(subject).found) << "the fault is found where programs compile";
  subject.targets = {{"h11", 0}};
  HuntOptions options = Options().hunt;
  options.cases = 1;
  const auto result = Hunt(subject, options);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_FALSE(result->found) << result->by << ": " << result->summary;
}

// No output shows these two defects: a wrong word in the container, and a program that always times
// out.
TEST(HuntTest, FindsDefectsOfProgramsByAProbe) {
  for (const char* id : {"D38", "D39"}) {
    Subject subject = Named(id);
    const HuntResult found = HuntFor(subject);
    EXPECT_TRUE(found.found) << id << " " << found.reason;
    EXPECT_EQ(found.label, id);
    EXPECT_TRUE(found.by.starts_with("probe ")) << id << " " << found.by;
    subject.quirks = {{"all", false}};
    HuntOptions options = Options().hunt;
    options.cases = 12;
    const auto without = Hunt(subject, options);
    ASSERT_TRUE(without.ok()) << without.error().message;
    EXPECT_FALSE(without->found) << id << " " << without->summary;
  }
}

// One defect refuses only products of rank 5. The other defect also refuses transposes. The label
// comes from the measurements of both probes, not from the first row.
TEST(HuntTest, TellsByProbesWhichOfTwoDefectsRefusesProducts) {
  for (const char* id : {"D31", "P12"}) {
    const HuntResult found = HuntFor(Named(id));
    EXPECT_TRUE(found.found) << id << " " << found.reason;
    EXPECT_EQ(found.by, "probe matmul_rank_5_accepted");
    EXPECT_EQ(found.label, id);
    EXPECT_EQ(found.unlabelled, 0u);
  }
}

// Defects of values are searched by a campaign first. A probe that would show the defect too runs
// only if the campaign finds nothing.
TEST(HuntTest, LooksForValuesByACampaignFirst) {
  const Subject gather = Named("D27");
  EXPECT_EQ(gather.kind, "numeric");
  const HuntResult found = HuntFor(gather);
  EXPECT_TRUE(found.found) << found.reason;
  EXPECT_EQ(found.by, "campaign");
  EXPECT_EQ(found.label, "D27");
  HuntOptions options = Options().hunt;
  options.cases = 1;
  const auto short_hunt = Hunt(Named("D23"), options);
  ASSERT_TRUE(short_hunt.ok()) << short_hunt.error().message;
  EXPECT_TRUE(short_hunt->found);
  EXPECT_TRUE(short_hunt->by.starts_with("probe ")) << short_hunt->by;
  EXPECT_EQ(short_hunt->cases, 2u) << "one case of the campaign, and the probe";
  EXPECT_EQ(short_hunt->reason, "");
}

// The judgement recognises a documented numeric defect by its values. A defect without values in
// the oracle must have a probe of its own.
TEST(Catalogue, EveryNumericDefectHasAValueOrAProbe) {
  std::set<std::string_view> departures, unnamed, probed;
  for (const Departure& row : KnownDepartures()) departures.insert(row.id);
  for (const UnnamedDefect& row : UnnamedDefects()) unnamed.insert(row.id);
  for (const RuntimeProbe& probe : RuntimeProbes()) {
    if (probe.documented != probe.conforming) probed.insert(probe.known_defect);
  }
  std::set<std::string> numeric;
  for (const Subject& subject : AllSubjects()) {
    if (subject.kind != "numeric" || !subject.id.starts_with("D")) continue;
    numeric.insert(subject.id);
    EXPECT_NE(departures.contains(subject.id), unnamed.contains(subject.id)) << subject.id;
  }
  EXPECT_EQ(numeric.size(), departures.size() + unnamed.size());
  for (const std::string_view id : unnamed) EXPECT_TRUE(probed.contains(id)) << id;
}

// A fault that the engine also shows without the subject does not count as found.
TEST(HuntTest, DoesNotCountAFaultThatShowsWithoutTheDefect) {
  Subject other = Named("D09");
  other.quirks = {{"all", false}, {"D09", true}, {"D01", true}};
  other.labels = {"D01"};
  other.id = "D09";
  other.ops.reset();
  other.ops.set(FindOp("matmul")->schema.id);
  const HuntResult result = HuntFor(other);
  EXPECT_FALSE(result.found);
  EXPECT_NE(result.reason.find("without the defect"), std::string::npos) << result.reason;
}

TEST(HuntTest, GivesTheReasonIfItFindsNothing) {
  Subject nothing = Named("add-one-ulp-everywhere");
  nothing.faults.clear();
  const HuntResult result = HuntFor(nothing);
  EXPECT_FALSE(result.found);
  EXPECT_EQ(result.cases, 512u);
  EXPECT_NE(result.reason, "");
  EXPECT_FALSE(result.nodes);
}

// Each case of this engine hangs until its time limit.
TEST(HuntTest, AStopEndsACaseThatHangs) {
  HuntOptions options = Options().hunt;
  options.case_timeout_ms = 1 << 30;
  options.max_seconds = 0;
  const testing::OwnTemporaryFiles files;
  std::atomic<bool> stop = false;
  std::thread later([&] {
    EXPECT_TRUE(testing::WaitUntil([&] { return files.HasCase(); }));
    stop = true;
  });
  const auto result = Hunt(Named("run-hang"), options, &stop);
  later.join();
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_FALSE(result->found);
  EXPECT_EQ(result->reason, "interrupted");
}

// The report has a row for each way, with its own verdict.
TEST(WayTest, AFaultIsHuntedInEachWay) {
  PowerOptions options = Options();
  options.hunt.cases = 64;
  options.hunt.shrink_tries = 0;
  options.only = {"sub-swapped", "slots-100", "file-task-lost"};
  options.ways = {Way::kMarked, Way::kUnmarked, Way::kExec};
  const auto report = MeasurePower(options, {});
  ASSERT_TRUE(report.ok()) << report.error().message;
  ASSERT_EQ(report->hunts.size(), 9u);
  for (const HuntResult& hunt : report->hunts) {
    EXPECT_EQ(hunt.found, hunt.acts) << hunt.subject.id << " " << ToText(hunt.way) << hunt.reason;
  }
  EXPECT_EQ(report->InWay(Way::kMarked).planted, 3u);
  EXPECT_EQ(report->InWay(Way::kUnmarked).planted, 2u)
      << "files are judged only of an engine with the mark";
  EXPECT_EQ(report->InWay(Way::kExec).planted, 1u)
      << "only faults of values act behind an external program";
  EXPECT_EQ(report->InWay(Way::kExec).named, 1u);
  const Json json = PowerToJson(*report);
  EXPECT_EQ(json["ways"].size(), 3u);
  EXPECT_EQ(json["faults"][2]["way"], "exec");
  EXPECT_EQ(json["summary"]["planted"], 6) << "an inactive fault is not counted";
}

// Terms that were measured on no family apply only to an engine without the mark.
TEST(WayTest, AnEngineWithoutTheMarkIsJudgedAsARealOne) {
  WorkerOptions worker;
  worker.library = ANECHECK_SIMULATED_ENGINE;
  E5rtRunner marked(worker);
  EXPECT_EQ(marked.Identify()->provenance, Provenance::kSimulated);
  worker.unmarked = true;
  E5rtRunner unmarked(worker);
  EXPECT_EQ(unmarked.Identify()->provenance, Provenance::kReported);
}

TEST(WayTest, SubjectsWithOnlyUnconfirmedResultsAreListedAndNotFound) {
  PowerReport report;
  HuntResult& open = report.hunts.emplace_back();
  open.subject.id = "softmax-truncates";
  open.unconfirmed = true;
  HuntResult& misnamed = report.hunts.emplace_back();
  misnamed.subject.id = "add-scaled";
  misnamed.subject.op = "add";
  misnamed.found = true;
  misnamed.by = "campaign";
  misnamed.op = "mul";
  const WaySummary sum = report.InWay(Way::kMarked);
  EXPECT_EQ(sum.planted, 2u);
  EXPECT_EQ(sum.planted_found, 1u);
  EXPECT_THAT(sum.unconfirmed, ElementsAre("softmax-truncates"));
  EXPECT_THAT(sum.missed, IsEmpty());
  EXPECT_THAT(sum.misnamed, ElementsAre("add-scaled: mul"));
  EXPECT_NE(PowerToText(report).find("  unconfirmed: softmax-truncates\n"), std::string::npos);
}

TEST(CleanTest, TheEngineWithoutDefectsGivesNothing) {
  const auto off = RunClean(kTargets[0], false, 192, Options().hunt);
  ASSERT_TRUE(off.ok()) << off.error().message;
  EXPECT_EQ(off->cases, 192u) << "the cases of all parts together";
  ASSERT_EQ(off->judged_of_part.size(), CleanParts().size() + 1);
  for (const uint64_t judged : off->judged_of_part) EXPECT_GT(judged, 0u);
  EXPECT_EQ(off->false_findings, 0u) << off->first;
}

TEST(CleanTest, AFindingWithoutDefectsIsFalse) {
  // A missing library is an error and no clean result.
  HuntOptions options = Options().hunt;
  options.library = "/nonexistent.so";
  EXPECT_FALSE(RunClean(kTargets[0], false, 64, options).ok());
}

TEST(PowerTest, HuntsOnlyTheNamedSubjects) {
  PowerOptions options = Options();
  options.only = {"sub-swapped"};
  options.targets = {kTargets[1]};
  size_t steps = 0;
  const auto report = MeasurePower(options, [&](const PowerReport&) { ++steps; });
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->hunts.size(), 1u);
  EXPECT_GE(steps, 1u);
  const auto json = PowerToJson(*report);
  EXPECT_EQ(json["faults"][0]["id"], "sub-swapped");
  EXPECT_EQ(json["faults"][0]["found"], true);
  EXPECT_EQ(json["summary"]["planted_found"], 1);
  EXPECT_EQ(json["false_findings"], 0);
  EXPECT_TRUE(json["clean"].empty());
  EXPECT_NE(PowerToText(*report).find("found: 1 of 1 planted fault,"), std::string::npos);
}

TEST(PowerTest, RefusesAnIdThatTheEngineLacks) {
  PowerOptions options = Options();
  options.only = {"no-such-fault"};
  const auto report = MeasurePower(options, {});
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::kNotFound);
}

TEST(PowerTest, AClassShowsTheErrorThatIsFoundInAllItsOperations) {
  PowerReport report;
  report.magnitudes = {{"add", "elementwise", 10, 1, {"product_rounding"}, false, 1, 0},
                       {"sub", "elementwise", 10, 4, {"wide_intermediate"}, false, 1, 0},
                       {"exp", "activations", 10, {}, {"exponential_ulp"}, false, 1, 0}};
  const auto classes = PowerToJson(report)["classes"];
  ASSERT_EQ(classes.size(), 2u);
  EXPECT_EQ(classes[0]["class"], "activations");
  EXPECT_TRUE(classes[0]["ulps"].is_null());
  EXPECT_EQ(classes[1]["ulps"], 4);
  EXPECT_EQ(classes[1]["one_ulp_ops"], 1);
  // The class lists only the freedoms of operations in which an error of one unit was not found.
  EXPECT_EQ(classes[1]["freedoms"], Json::array({"wide_intermediate"}));
  EXPECT_NE(PowerToText(report).find("less is admitted by: exponential_ulp\n"), std::string::npos);
}

TEST(PowerTest, MeasuresTheSmallestErrorOfNamedOperations) {
  PowerOptions options = Options();
  options.magnitudes_of = {"relu", "transpose"};
  const auto report = MeasurePower(options, {});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_TRUE(report->hunts.empty());
  EXPECT_TRUE(report->clean.empty());
  ASSERT_EQ(report->magnitudes.size(), 2 * std::size(kShares));
  for (const MagnitudeResult& magnitude : report->magnitudes) {
    EXPECT_EQ(magnitude.ulps, 1) << magnitude.op << " " << magnitude.permille;
    EXPECT_EQ(magnitude.implied, magnitude.permille != kShares[0]) << magnitude.op;
    EXPECT_TRUE(magnitude.freedoms.empty()) << magnitude.op;
  }
  EXPECT_FALSE(GivesHalves(*FindOp("equal"), kTargets[0])) << "equal has no fp16 results";
  // A class is named in full, or by the words up to its first comma.
  std::atomic<bool> stop{true};
  for (const char* name : {"normalization", "convolution", "reduction"}) {
    options.magnitudes_of = {name};
    EXPECT_TRUE(MeasurePower(options, {}, &stop).ok()) << name;
  }
  options.magnitudes_of = {"no such class"};
  EXPECT_EQ(MeasurePower(options, {}).error().code, ErrorCode::kNotFound);
}

// On families whose tables are measured, the bounds of a function with a recorded table admit no
// error of one unit in the last place.
TEST(PowerTest, FindsOneUlpInAHundredthOfARecordedTablesResults) {
  PowerOptions options = Options();
  options.hunt.shrink_tries = 0;
  options.magnitudes_of = {"exp",  "log",  "inverse", "sqrt", "rsqrt",
                           "gelu", "silu", "sigmoid", "tanh"};
  for (const CampaignTarget& target : {CampaignTarget{"h13", 2}, {"h16g", 5}, {"h18g", 7}}) {
    options.targets = {target};
    const auto report = MeasurePower(options, {});
    ASSERT_TRUE(report.ok()) << report.error().message;
    ASSERT_EQ(report->magnitudes.size(), options.magnitudes_of.size() * std::size(kShares));
    for (const MagnitudeResult& magnitude : report->magnitudes) {
      EXPECT_THAT(magnitude.ulps, Optional(1))
          << target.name << ": " << magnitude.op << " in " << magnitude.permille << " permille";
    }
  }
}

HuntResult HuntOf(std::string id, bool found, uint64_t cases, double seconds) {
  HuntResult hunt;
  hunt.subject.id = std::move(id);
  hunt.found = found;
  hunt.cases = cases;
  hunt.seconds = seconds;
  return hunt;
}

TEST(LossTest, FaultsThatAreNeitherFoundNorListedAreLost) {
  const HuntOptions options{.cases = 2000, .max_seconds = 60};
  PowerReport report;
  report.hunts = {HuntOf("found", true, 7, 1), HuntOf("named", false, 2000, 9),
                  HuntOf("lost", false, 2000, 9), HuntOf("by probes alone", false, 3, 1),
                  HuntOf("ended by the clock", false, 70, 60)};
  EXPECT_FALSE(report.lost) << "without a list nothing is lost";
  EXPECT_TRUE(PowerToJson(report)["lost"].is_null());
  JudgeLosses(report, options, {"named"});
  EXPECT_THAT(report.lost, Optional(ElementsAre("lost", "by probes alone")));
  EXPECT_EQ(report.undecided, 1u);
  EXPECT_NE(PowerToText(report).find("lost: 2 lost by probes alone; 1 ended by the clock\n"),
            std::string::npos);
}

TEST(LossTest, ALossMayBeListedForOneWay) {
  PowerReport report;
  report.hunts = {HuntOf("a", false, 2000, 9), HuntOf("a", false, 2000, 9)};
  report.hunts[1].way = Way::kExec;
  JudgeLosses(report, {.cases = 2000}, {"exec:a"});
  EXPECT_THAT(report.lost, Optional(ElementsAre("a")));
  JudgeLosses(report, {.cases = 2000}, {"a"});
  EXPECT_THAT(report.lost, Optional(IsEmpty()));
}

TEST(LossTest, ManyHuntsWithoutAFindingAreLostEvenIfTimeRanOut) {
  const HuntOptions options{.cases = 2000, .max_seconds = 60};
  PowerReport report;
  for (size_t i = 1; i < kManyHunts; ++i) report.hunts.push_back(HuntOf("a", false, 70, 60));
  JudgeLosses(report, options, {});
  EXPECT_THAT(report.lost, Optional(IsEmpty()));
  report.hunts.push_back(HuntOf("a", false, 70, 60));
  JudgeLosses(report, options, {});
  EXPECT_THAT(report.lost, Optional(SizeIs(kManyHunts)));
  report.hunts.push_back(HuntOf("b", true, 1, 1));
  JudgeLosses(report, options, {});
  EXPECT_THAT(report.lost, Optional(IsEmpty()));
}

TEST(LossTest, TheCommittedListIsReadAndNamesFaultsOfTheEngine) {
  const auto ids =
      ReadNotFound(std::string(ANECHECK_SOURCE_DIR) + "/corpus/baselines/power_not_found.tsv");
  ASSERT_TRUE(ids.ok()) << ids.error().message;
  EXPECT_THAT(*ids, ElementsAre("softmax-truncates"));
  std::atomic<bool> stop{true};
  PowerOptions options = Options();
  options.not_found = *ids;
  EXPECT_TRUE(MeasurePower(options, {}, &stop).ok());
  options.not_found->push_back("no-such-fault");
  EXPECT_EQ(MeasurePower(options, {}, &stop).error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(ReadNotFound("/nonexistent").ok());
}

TEST(PowerTest, MediansCountOnlyMinimisedFindingsOfCampaigns) {
  PowerReport report;
  for (const uint64_t nodes : {5, 1, 2}) {
    HuntResult hunt;
    hunt.found = true;
    hunt.by = nodes == 5 ? "probe x" : "campaign";
    hunt.nodes = nodes;
    hunt.elements = nodes * 10;
    report.hunts.push_back(hunt);
  }
  report.hunts.emplace_back();
  report.hunts.back().not_shrunk = "it no longer shows";
  const auto summary = PowerToJson(report)["summary"];
  EXPECT_EQ(summary["median_nodes"], 2);
  EXPECT_EQ(summary["median_elements"], 20);
  EXPECT_EQ(summary["not_shrunk"], 1) << "the summary counts the faults that the medians lack";
  EXPECT_NE(PowerToText(report).find("without 1 that could not be made small"), std::string::npos);
  EXPECT_EQ(summary["planted"], 4);
  EXPECT_EQ(summary["planted_found"], 3);
  EXPECT_EQ(summary["found_by_campaign"], 2);
  EXPECT_EQ(summary["found_by_probe"], 1);
}

}  // namespace
}  // namespace anecheck

// Workers are started from the running executable.
int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == anecheck::kWorkerArgument) {
    return anecheck::WorkerMain(argc, argv, anecheck::RuntimeProbeMain);
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
