// Baselines of the simulated engine: an unchanged engine always compares clean, each planted drift
// is reported only in its class and its operation, and the engine agrees with the committed
// baseline of the families.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

#include "harness/base/file.h"
#include "harness/baseline/compare.h"
#include "harness/cases/options_json.h"
#include "harness/ops/op.h"
#include "harness/runners/worker.h"

namespace anecheck {
namespace {

struct PlantedDrift {
  const char* op;
  const char* configuration;
  const char* target;
  const char* fault;
  const char* quirk;
  const char* drift;
};
constexpr PlantedDrift kDrifts[] = {
#define ANECHECK_DRIFT(op, configuration, target, fault, quirk, drift) \
  {op, configuration, target, fault, quirk, drift},
#include "harness/baseline/drifts.def"
#undef ANECHECK_DRIFT
};

// An operation that no planted drift changes on any family.
constexpr const char* kBystander = "relu";

const std::map<std::string, int> kFamilies = {{"h13", 2}, {"h17s", 6}};

CampaignOptions Options(const std::vector<std::string>& ops) {
  CampaignOptions options;
  options.seed = 5;
  options.cases = 8;
  options.jobs = 1;
  options.targets = {{"h13", 2}};
  options.modes = {CaseMode::kFloat};
  options.ops.reset();
  for (const std::string& op : ops) options.ops.set(FindOp(op)->schema.id);
  options.worker.library = ANECHECK_SIMULATED_ENGINE;
  return options;
}

// Records a baseline of the cases in `stored` or, if there are none, of drawn cases.
Baseline Record(const CampaignOptions& options, const std::vector<BaselineCase>& stored = {}) {
  const RunnerFactory runner = [&] { return MakeRunner(options); };
  auto baseline =
      stored.empty() ? RecordBaseline(options, runner) : RecordBaselineOf(stored, options, runner);
  EXPECT_TRUE(baseline.ok()) << baseline.error().message;
  return baseline.ok() ? std::move(*baseline) : Baseline{};
}

TEST(EngineBaseline, AnUnchangedEngineComparesCleanFiftyTimes) {
  CampaignOptions options = Options({"add", "matmul", "tanh", "softmax", "reduce_sum"});
  options.cases = 3;
  const Baseline before = Record(options);
  ASSERT_EQ(before.entries.size(), 5u);
  EXPECT_EQ(before.provenance, Provenance::kSimulated);
  for (int round = 0; round < 50; ++round) {
    options.jobs = 1 + round % 3;
    const BaselineComparison comparison = CompareBaselines(before, Record(options), {});
    ASSERT_EQ(comparison.counts[static_cast<size_t>(Drift::kIdentical)], 5u) << round;
  }
}

TEST(EngineBaseline, FewerOperationsGiveTheSameEntries) {
  const Baseline all = Record(Options({"add", "conv", "tanh"}));
  const Baseline part = Record(Options({"tanh"}));
  ASSERT_EQ(part.entries.size(), 1u);
  const BaselineEntry* entry = all.Find(part.entries[0]);
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->question, part.entries[0].question);
  EXPECT_EQ(entry->cases, part.entries[0].cases);
}

TEST(EngineBaseline, TheRecordedOptionsReproduceTheBaseline) {
  const Baseline before = Record(Options({"add", "gelu"}));
  auto options = OptionsOf(before);
  ASSERT_TRUE(options.ok()) << options.error().message;
  options->worker.library = ANECHECK_SIMULATED_ENGINE;
  const BaselineComparison comparison = CompareBaselines(before, Record(*options), {});
  EXPECT_EQ(comparison.counts[static_cast<size_t>(Drift::kIdentical)], before.entries.size());
}

Result<Baseline> ReadBaseline(const std::string& path) {
  ANECHECK_ASSIGN(const std::string text, ReadTextFile(path));
  return BaselineFromJson(text, path);
}

// The cases come from a file, so that the classes do not depend on the generator.
TEST(EngineBaseline, TwentyPlantedDriftsAreReportedInTheirClass) {
  EXPECT_GE(std::size(kDrifts), 20u);
  const auto cases =
      ReadBaseline(ANECHECK_SOURCE_DIR "/harness/baseline/testdata/drift_cases.json");
  ASSERT_TRUE(cases.ok()) << cases.error().message;
  for (const PlantedDrift& planted : kDrifts) {
    const std::string what = fmt::format("{} {} {} {}{}", planted.op, planted.configuration,
                                         planted.target, planted.fault, planted.quirk);
    CampaignOptions options = Options({planted.op, kBystander});
    options.cases = cases->cases;
    options.targets = {{planted.target, kFamilies.at(planted.target)}};
    options.modes = {*FindWord<CaseMode>(planted.configuration)};
    const Baseline before = Record(options, cases->stored);
    if (*planted.fault != 0) options.worker.faults = {planted.fault};
    if (*planted.quirk != 0) options.worker.quirks = {*ParseQuirk(planted.quirk)};
    const Baseline after = Record(options, cases->stored);
    EXPECT_EQ(after.entries.size(), 2u) << what;
    for (const EntryDrift& entry : CompareBaselines(before, after, {}).entries) {
      const bool concerned = entry.before.op == planted.op;
      EXPECT_EQ(DriftName(entry.drift), concerned ? planted.drift : "bit-identical")
          << what << ", " << entry.before.op << ": " << entry.detail;
    }
  }
}

TEST(EngineBaseline, RefusalsAreReportedInBothDirections) {
  CampaignOptions options = Options({"softmax", kBystander});
  const Baseline clean = Record(options);
  options.worker.faults = {"rejects-softmax"};
  const Baseline refused = Record(options);
  const auto drift_of = [](const BaselineComparison& comparison) {
    for (const EntryDrift& entry : comparison.entries) {
      if (entry.before.op == "softmax") return entry.drift;
    }
    return Drift::kNotComparable;
  };
  EXPECT_EQ(drift_of(CompareBaselines(clean, refused, {})), Drift::kNowRejected);
  EXPECT_EQ(drift_of(CompareBaselines(refused, clean, {})), Drift::kNewlyReached);
}

TEST(EngineBaseline, StoredCasesAreRunOnEachTarget) {
  CampaignOptions options = Options({"add", "tanh"});
  options.cases = 2;
  const auto stored = DrawBaselineCases(options);
  ASSERT_TRUE(stored.ok());
  ASSERT_EQ(stored->size(), 4u);
  options.targets.push_back({"h17s", 6});
  const Baseline baseline = Record(options, *stored);
  ASSERT_EQ(baseline.entries.size(), 4u);
  EXPECT_EQ(baseline.entries[0].target, "h13");
  EXPECT_EQ(baseline.entries[2].target, "h17s");
  EXPECT_EQ(baseline.entries[0].question, baseline.entries[2].question);
  options.cases = 3;
  EXPECT_FALSE(RecordBaselineOf(*stored, options, [&] { return MakeRunner(options); }).ok());
}

// The file contains its cases, so only the engine, the oracle and the lowering can change the
// results. The test accepts operations that the engine has gained since the recording.
TEST(EngineBaseline, TheEngineAgreesWithTheCommittedBaseline) {
  const std::string path = ANECHECK_SOURCE_DIR "/corpus/baselines/simulated.json";
  const auto size = ReadFile(path);
  ASSERT_TRUE(size.ok()) << size.error().message;
  EXPECT_LT(size->size(), 800000u) << "the committed file must stay small";
  const auto before = ReadBaseline(path);
  ASSERT_TRUE(before.ok()) << before.error().message;
  EXPECT_EQ(before->provenance, Provenance::kSimulated);
  auto options = OptionsOf(*before);
  ASSERT_TRUE(options.ok()) << options.error().message;
  EXPECT_EQ(options->targets.size(), 8u) << "one target for each family";
  options->jobs = 2;
  options->worker.library = ANECHECK_SIMULATED_ENGINE;
  const Baseline after = Record(*options, before->stored);
  ASSERT_GE(after.entries.size(), before->entries.size());
  for (const EntryDrift& entry : CompareBaselines(*before, after, {}).entries) {
    const bool harmless = entry.drift == Drift::kIdentical ||
                          entry.drift == Drift::kNewlyAccepted ||
                          entry.drift == Drift::kNewlyReached;
    EXPECT_TRUE(harmless)
        << entry.before.op << " " << entry.before.configuration << " " << entry.before.target
        << ": " << DriftName(entry.drift) << ": " << entry.detail
        << "; if the change is meant, record the baseline again (harness/baseline/README.md)";
  }
}

}  // namespace
}  // namespace anecheck

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == anecheck::kWorkerArgument) {
    return anecheck::WorkerMain(argc, argv);
  }
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
