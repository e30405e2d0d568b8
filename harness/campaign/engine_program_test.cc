// Campaigns on the simulated engine's compiler: programs with ranges of shapes are compiled once
// and run at each shape, and the files that the compiler writes follow the lowering plan. Planted
// faults of both are found.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "generators/must_reject.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/campaign/campaign.h"
#include "harness/cases/rejected_graph.h"
#include "harness/cases/second_execution.h"
#include "harness/cases/shape_range.h"
#include "harness/findings/artifact.h"
#include "harness/formats/mil/mil_format.h"
#include "harness/graph/fingerprint.h"
#include "harness/judging/judge_case.h"
#include "harness/runners/worker.h"
#include "harness/targets/catalog.h"

namespace anecheck {
namespace {

CampaignOptions Options(uint64_t cases, std::vector<CaseMode> modes = {}) {
  CampaignOptions options;
  options.cases = cases;
  options.seed = 21;
  options.targets = {{"h13", 2}, {"h17s", 6}};
  options.modes = std::move(modes);
  options.worker.library = ANECHECK_SIMULATED_ENGINE;
  return options;
}

CampaignSummary RunCases(CampaignOptions options) {
  const auto folder = TempDirectory::Create("anecheck-engine-program-");
  options.db = folder->File("r.sqlite");
  const auto summary = RunCampaign(options, [&] { return MakeRunner(options); }, {});
  EXPECT_TRUE(summary.ok()) << summary.error().message;
  return summary.ok() ? *summary : CampaignSummary{};
}

std::string NewFindings(const CampaignSummary& summary) {
  std::string text;
  for (const FindingRow& finding : summary.list) {
    if (!IsNewFinding(finding.verdict)) continue;
    text += fmt::format("{} {} case {}: {}\n", finding.verdict, finding.target, finding.case_index,
                        finding.summary);
  }
  return text;
}

// The lowest target of each family with known limits.
constexpr std::pair<std::string_view, int> kLowest[] = {{"h11", 0}, {"h13", 2}, {"h14", 3},
                                                        {"h15", 4}, {"h16", 5}, {"h17s", 6}};

// Makes a case that breaks the rule on the target. Empty if the target does not have the rule.
std::optional<Case> CaseThatBreaks(const RuleBreak& broken, std::string_view target, int family,
                                   uint64_t seed) {
  Case item;
  item.mode = CaseMode::kMustReject;
  item.target = {std::string(target), family};
  item.broken_rule = broken.rule;
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  if (!broken.draw(choices, **FindTarget(target), item.graph)) return std::nullopt;
  if (!RefusingRules(item.graph, **FindTarget(target))->contains(item.broken_rule)) {
    return std::nullopt;
  }
  item.inputs = GenerateInputs(choices, item.graph, item.mode);
  return SpellCase(item).ok() ? std::optional(std::move(item)) : std::nullopt;
}

TEST(RuleBreakTest, TheSimulatedEngineRefusesEachForItsOwnRule) {
  const CampaignOptions options = Options(1);
  const auto runner = MakeRunner(options).value();
  for (const RuleBreak& broken : RuleBreaks()) {
    int judged = 0;
    for (const auto& [target, family] : kLowest) {
      for (uint64_t seed = 0; seed < 4; ++seed) {
        const auto item = CaseThatBreaks(broken, target, family, seed);
        if (!item) continue;
        ++judged;
        const RunRequest request = RequestOf(*item);
        const std::vector<RunReply> replies = runner->Run({&request, 1}).value();
        Evaluation evaluation;
        const CaseRow record = RecordOf(*item, JudgeCase(*item, replies[0], evaluation));
        EXPECT_EQ(record.verdict, Verdict::kPass)
            << broken.rule << " on " << target << ": " << record.message;
      }
    }
    EXPECT_GE(judged, 4) << broken.rule << " was never broken";
  }
}

TEST(ShapeRangeCases, HaveTheGraphOfEachShape) {
  int ranged = 0;
  for (uint64_t index = 0; index < 120; ++index) {
    const Case item = MakeCase(Options(120, {CaseMode::kShapeRanges}), index).value();
    if (!item.range) continue;
    ++ranged;
    ASSERT_FALSE(item.further.empty());
    const auto violations = kFormat_mil.verify(
        {reinterpret_cast<const uint8_t*>(item.ranged_mil.data()), item.ranged_mil.size()});
    ASSERT_TRUE(violations.ok()) << violations.error().message << item.ranged_mil;
    EXPECT_TRUE(violations->empty()) << violations->front().message << item.ranged_mil;
    EXPECT_NE(item.ranged_mil.find('?'), std::string::npos);
    const ValueId input = *item.graph.FindValue(item.range->input);
    const int64_t own = item.graph.type(input).shape[item.range->axis];
    EXPECT_EQ((own - item.range->start) % item.range->step, 0);
    for (const RunShape& shape : item.further) {
      const ValueId at = *shape.graph.FindValue(item.range->input);
      const int64_t extent = shape.graph.type(at).shape[item.range->axis];
      EXPECT_NE(extent, own);
      EXPECT_EQ((extent - item.range->start) % item.range->step, 0);
      EXPECT_LE(item.range->start, extent);
      EXPECT_LE(extent, item.range->stop);
      // If the graph is changed back to the case's own extent, it equals the graph of the case.
      const Graph back = GraphAtExtent(shape.graph, *item.range, own).value();
      EXPECT_EQ(GraphFingerprint(back), GraphFingerprint(item.graph));
      const std::vector<ValueId> inputs = shape.graph.ValuesOfKind(ValueKind::kInput);
      for (size_t i = 0; i < inputs.size(); ++i) {
        EXPECT_EQ(shape.inputs[i].type, shape.graph.type(inputs[i]));
        EXPECT_EQ(shape.inputs[i].bytes.size(),
                  static_cast<size_t>(shape.graph.type(inputs[i]).ByteSize()));
      }
    }
  }
  EXPECT_GT(ranged, 30);
}

TEST(ShapeRangeCases, PassOnTheEngineAndShowAFaultOfTheRange) {
  CampaignOptions options = Options(48, {CaseMode::kShapeRanges});
  EXPECT_EQ(NewFindings(RunCases(options)), "");
  options.cases = 24;
  options.worker.faults = {"range-runs-at-start"};
  EXPECT_NE(NewFindings(RunCases(options)).find(" along axis "), std::string::npos);
}

TEST(ShapeRangeCases, AFindingKeepsItsRange) {
  CampaignOptions options = Options(120, {CaseMode::kShapeRanges});
  Case item;
  for (uint64_t index = 0; !item.range; ++index) item = MakeCase(options, index).value();
  CaseOutcome outcome;
  const auto artifact = ArtifactFromJson(ArtifactToJson(options, {}, item, outcome, {}, "f0"));
  ASSERT_TRUE(artifact.ok()) << artifact.error().message;
  EXPECT_EQ(artifact->item.ranged_mil, item.ranged_mil);
  EXPECT_EQ(artifact->item.further.size(), item.further.size());
}

TEST(EngineFiles, AgreeWithThePlan) {
  CampaignOptions options = Options(300);
  options.worker.keep_files = true;
  EXPECT_EQ(NewFindings(RunCases(options)), "");
}

// Attention cuts the program. Operations before, beside and after it must be in dispatches in the
// plan's order.
TEST(EngineFiles, AgreeWithAPlanWithCuts) {
  CampaignOptions options = Options(300);
  options.ops.reset();
  for (const char* op : {"scaled_dot_product_attention", "relu", "tanh", "add"}) {
    options.ops.set(FindOp(op)->schema.id);
  }
  int cut = 0;
  for (uint64_t index = 0; index < options.cases; ++index) {
    const Case item = MakeCase(options, index).value();
    size_t attentions = 0;
    for (const Node& node : item.graph.nodes()) {
      attentions += node.schema->name == "scaled_dot_product_attention" ? 1 : 0;
    }
    cut += attentions > 0 && attentions < item.graph.nodes().size() ? 1 : 0;
  }
  EXPECT_GT(cut, 20);
  options.worker.keep_files = true;
  EXPECT_EQ(NewFindings(RunCases(options)), "");
}

// A program's state is zero at first. Reads return the written values, also in the second
// execution.
TEST(StateCases, PassOnTheEngine) {
  const CampaignSummary summary = RunCases(Options(120, {CaseMode::kState}));
  EXPECT_EQ(NewFindings(summary), "");
  EXPECT_GT(summary.judged, 30u);
}

TEST(StateCases, AreJudgedInTwoExecutions) {
  const CampaignOptions options = Options(60, {CaseMode::kState});
  const auto runner = MakeRunner(options).value();
  int differ = 0, others = 0;
  for (uint64_t index = 0; index < options.cases; ++index) {
    const Case item = MakeCase(options, index).value();
    const RunRequest request = RequestOf(item);
    const RunReply reply = runner->Run({&request, 1}).value()[0];
    if (reply.status != RunStatus::kOk) continue;
    const bool states = !item.graph.ValuesOfKind(ValueKind::kState).empty();
    const bool other = !item.again.empty();
    ASSERT_EQ(reply.further.size(), states || other ? 1u : 0u) << index;
    if (!states) continue;
    others += other ? 1 : 0;
    const std::vector<Tensor>& second = reply.further[0];
    ASSERT_EQ(second.size(), reply.outputs.size()) << index;
    const auto expected =
        Evaluate(ExecutedTwice(item.graph, other), InputsOfBoth(item.inputs, item.again),
                 ConformingContract(item.target.family));
    ASSERT_TRUE(expected.ok()) << expected.error().message;
    for (size_t i = 0; i < second.size(); ++i) {
      EXPECT_EQ((*expected)[i].type, second[i].type);
      if (!other) differ += second[i].bytes == reply.outputs[i].bytes ? 0 : 1;
    }
  }
  EXPECT_GT(differ, 5) << "a second execution reads the state that the first one left";
  EXPECT_GT(others, 5) << "some second executions have other inputs";
}

TEST(StateCases, ShowLostStatesAndStatesThatDoNotBeginAtZero) {
  CampaignOptions options = Options(24, {CaseMode::kState});
  options.worker.faults = {"state-lost"};
  EXPECT_NE(NewFindings(RunCases(options)).find("in the second execution"), std::string::npos);
  options.worker.faults = {"state-not-zero"};
  const std::string found = NewFindings(RunCases(options));
  EXPECT_NE(found, "");
  EXPECT_EQ(found.find("in the second execution"), std::string::npos) << found;
}

class FileFault : public ::testing::TestWithParam<const char*> {};

TEST_P(FileFault, IsFound) {
  CampaignOptions options = Options(60);
  options.targets = {{"h13", 2}};
  options.worker.faults = {GetParam()};
  EXPECT_EQ(NewFindings(RunCases(options)), "")
      << "without reading the files the fault is not found";
  options.worker.keep_files = true;
  const std::string found = NewFindings(RunCases(options));
  EXPECT_TRUE(found.find("program.e5") != std::string::npos ||
              found.find("model.hwx") != std::string::npos ||
              found.find("the pair") != std::string::npos)
      << found;
}

INSTANTIATE_TEST_SUITE_P(Planted, FileFault,
                         ::testing::Values("file-rows-unpadded", "file-task-lost",
                                           "file-channels-off-by-one",
                                           "file-kernel-channels-swapped", "file-dispatch-twice",
                                           "file-port-halved"),
                         [](const auto& row) {
                           std::string name = row.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace anecheck

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == anecheck::kWorkerArgument) {
    return anecheck::WorkerMain(argc, argv);
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
