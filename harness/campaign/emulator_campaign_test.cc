// Tests the encoder and the emulator against the oracle. Drawn graphs compute right values, and
// faults planted in the encoder are found.
#include <algorithm>
#include <gtest/gtest.h>

#include "harness/base/file.h"
#include "harness/campaign/campaign.h"
#include "harness/encoder/ops/handlers.h"
#include "harness/runners/emulator_runner.h"

namespace anecheck {
namespace {

CampaignOptions Options(uint64_t cases) {
  CampaignOptions options;
  options.runner = std::string(kExactEmulatorRunner);
  options.cases = cases;
  options.seed = 11;
  options.jobs = 1;
  options.small = true;
  options.targets = {{"h13", 2}};
  options.ops.reset();
  for (const OpDefinition* op : AllOps()) {
    if (encoder::HandlerOf(KindOf(op->schema)) != nullptr) options.ops.set(op->schema.id);
  }
  return options;
}

CampaignSummary RunIt(CampaignOptions options) {
  const auto folder = TempDirectory::Create("anecheck-emulator-");
  EXPECT_TRUE(folder.ok());
  options.db = folder->File("r.sqlite");
  const auto summary =
      RunCampaign(options, [&] { return MakeRunner(options); }, [](const CampaignProgress&) {});
  EXPECT_TRUE(summary.ok()) << summary.error().message;
  return summary.ok() ? *summary : CampaignSummary{};
}

TEST(EmulatorCampaign, DrawnGraphsComputeWithinTheContract) {
  const CampaignSummary summary = RunIt(Options(1500));
  EXPECT_EQ(summary.provenance, Provenance::kEmulated);
  EXPECT_GT(summary.judged, 500u);
  EXPECT_EQ(summary.findings, 0u);
  for (const FindingRow& finding : summary.list) {
    if (finding.verdict == Verdict::kWrong) ADD_FAILURE() << finding.summary;
  }
}

// Rows of outputs name the operation that the encoder refuses. Reasons do not name it.
TEST(EmulatorCampaign, RecordsTheRefusedOperationApartFromTheReason) {
  CampaignOptions options = Options(20);
  options.ops.reset();
  options.ops.set(GetOp(OpKind::kCumsum).schema.id);
  const auto folder = TempDirectory::Create("anecheck-emulator-");
  options.db = folder->File("r.sqlite");
  const CampaignSummary summary =
      RunCampaign(
          options, [&] { return MakeRunner(options); }, [](const CampaignProgress&) {})
          .value();
  EXPECT_GT(summary.inconclusive, 0u);
  constexpr std::string_view kReason = "no fact describes its tasks on the engine";
  EXPECT_TRUE(summary.reasons.contains(std::string(kReason)));
  const auto rows = Store::Open(options.db)->Rows<OutputRow>(1).value();
  const auto refused = std::ranges::find(rows, kReason, &OutputRow::reason);
  ASSERT_NE(refused, rows.end());
  EXPECT_EQ(refused->op, "cumsum");
  EXPECT_EQ(refused->verdict, Verdict::kInconclusive);
}

// Known defects of the family, its unmeasured terms, or both together explain every deviation.
TEST(EmulatorCampaign, TheFamilysArithmeticIsWithinItsContract) {
  CampaignOptions options = Options(300);
  options.runner = std::string(kEmulatorRunner);
  const CampaignSummary summary = RunIt(options);
  EXPECT_GT(summary.judged, 100u);
  for (const FindingRow& finding : summary.list) {
    if (finding.verdict == Verdict::kWrong) ADD_FAILURE() << finding.summary;
  }
}

// Tests comparisons with their casts, choices and roundings. A compiler's tasks for these
// operations use that inf - inf and 0 * inf are 0 on the family. The tasks are therefore exact only
// in the family's arithmetic.
TEST(EmulatorCampaign, ComparisonsChoicesAndRoundingsAreWithinTheContract) {
  CampaignOptions options = Options(400);
  options.runner = std::string(kEmulatorRunner);
  options.ops.reset();
  for (const OpKind kind :
       {OpKind::kLess, OpKind::kLessEqual, OpKind::kGreater, OpKind::kGreaterEqual, OpKind::kEqual,
        OpKind::kNotEqual, OpKind::kLogicalNot, OpKind::kSelect, OpKind::kFloor, OpKind::kCeil,
        OpKind::kCast, OpKind::kReduceMax, OpKind::kReduceMin, OpKind::kMaximum}) {
    options.ops.set(static_cast<size_t>(kind));
  }
  const CampaignSummary summary = RunIt(options);
  EXPECT_GT(summary.judged, 200u);
  for (const FindingRow& finding : summary.list) {
    if (finding.verdict == Verdict::kWrong) ADD_FAILURE() << finding.summary;
  }
}

// On A16 and A18, sums start at the bias, ties round away from zero, and exponent 31 is an ordinary
// exponent. A17 has tasks of the same form but different arithmetic.
TEST(EmulatorCampaign, LaterFamiliesAreWithinTheirContract) {
  for (const CampaignTarget& target :
       {CampaignTarget{"h16", 5}, CampaignTarget{"h17s", 6}, CampaignTarget{"h18", 7}}) {
    CampaignOptions options = Options(200);
    options.runner = std::string(kEmulatorRunner);
    options.targets = {target};
    const CampaignSummary summary = RunIt(options);
    EXPECT_GT(summary.judged, 60u) << target.name;
    for (const FindingRow& finding : summary.list) {
      if (finding.verdict == Verdict::kWrong) ADD_FAILURE() << target.name << finding.summary;
    }
  }
}

// Tests operations of several tasks; each task rounds by the rules of the family. Many deviations
// that only unmeasured terms forbid would also be a finding.
TEST(EmulatorCampaign, RoundingsBetweenTasksAreWithinTheContract) {
  for (const CampaignTarget& target : {CampaignTarget{"h13", 2}, CampaignTarget{"h14", 3},
                                       CampaignTarget{"h15", 4}, CampaignTarget{"h16", 5}}) {
    CampaignOptions options = Options(1000);
    options.seed = 5;
    options.runner = std::string(kEmulatorRunner);
    options.targets = {target};
    options.ops.reset();
    for (const OpKind op :
         {OpKind::kRealDiv, OpKind::kLinearActivation, OpKind::kSoftmax, OpKind::kLayerNorm,
          OpKind::kInstanceNorm, OpKind::kSigmoidHard, OpKind::kReduceSumSquare, OpKind::kBatchNorm,
          OpKind::kReduceSum, OpKind::kMul, OpKind::kAdd}) {
      options.ops.set(GetOp(op).schema.id);
    }
    const CampaignSummary summary = RunIt(options);
    EXPECT_GT(summary.judged, 700u) << target.name;
    EXPECT_EQ(summary.findings, 0u) << target.name;
  }
}

// The encoder supports only plain constants, so compressed ones are expanded first.
TEST(EmulatorCampaign, CompressedConstantsAreEncodedAsPlainOnes) {
  CampaignOptions options = Options(60);
  options.ops.reset();
  options.ops.set(GetOp(OpKind::kConstexprLutToDense).schema.id);
  options.ops.set(GetOp(OpKind::kLinear).schema.id);
  const CampaignSummary summary = RunIt(options);
  EXPECT_EQ(summary.judged, summary.cases);
  EXPECT_EQ(summary.findings, 0u);
}

TEST(EmulatorCampaign, ExactSumsAreRefusedForAFixedPointArray) {
  CampaignOptions options = Options(1);
  const RunnerIdentity identity = (*MakeRunner(options))->Identify().value();
  EXPECT_TRUE(CheckTargets(options, identity).ok());
  options.targets = {{"h16", 5}};
  const Status status = CheckTargets(options, identity);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message,
            "--runner emulator:exact: the array of h16 does not round as exact sums do; give "
            "--runner emulator");
}

// Functions of one element are not computed in the array, because its tiles would lose bits.
TEST(EmulatorCampaign, AffineFunctionsLoseNothingInTheArray) {
  CampaignOptions options = Options(150);
  options.runner = std::string(kEmulatorRunner);
  options.modes = {CaseMode::kFloat};
  options.ops.reset();
  for (const OpKind op : {OpKind::kLinearActivation, OpKind::kSigmoidHard, OpKind::kInstanceNorm,
                          OpKind::kBatchNorm}) {
    options.ops.set(GetOp(op).schema.id);
  }
  const CampaignSummary summary = RunIt(options);
  EXPECT_GT(summary.judged, 100u);
  for (const FindingRow& finding : summary.list) {
    if (finding.verdict == Verdict::kWrong) ADD_FAILURE() << finding.summary;
  }
}

struct FoundBy {
  const char* fault;
  OpKind op;
};
class PlantedFault : public ::testing::TestWithParam<FoundBy> {};

TEST_P(PlantedFault, IsFound) {
  CampaignOptions options = Options(60);
  options.modes = {CaseMode::kFloat};
  options.ops.reset();
  options.ops.set(GetOp(GetParam().op).schema.id);
  EXPECT_EQ(RunIt(options).findings, 0u);
  options.worker.faults = {GetParam().fault};
  EXPECT_GT(RunIt(options).findings, 0u);
}

INSTANTIATE_TEST_SUITE_P(OfTheEncoder, PlantedFault,
                         ::testing::Values(FoundBy{"lane-order", OpKind::kConv},
                                           FoundBy{"stride", OpKind::kAdd},
                                           FoundBy{"bias-row", OpKind::kConv},
                                           FoundBy{"table-shift", OpKind::kSigmoid},
                                           FoundBy{"l2-base", OpKind::kLinear}));

}  // namespace
}  // namespace anecheck
