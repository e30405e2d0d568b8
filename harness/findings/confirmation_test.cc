// A suspect runs again before it is recorded. A result that does not repeat is flaky.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <ranges>
#include <set>

#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/campaign/testing/campaign_test.h"
#include "harness/findings/artifact.h"
#include "harness/findings/shrink_finding.h"
#include "harness/judging/node_cut.h"
#include "harness/ops/op.h"
#include "harness/results/testing/query_text.h"

namespace anecheck {
namespace {

using Confirmation = testing::CampaignTest;
using testing::ScriptedRunner;
using testing::SpoilFirstElement;

TEST_F(Confirmation, AnUnrepeatedDeviationIsFlaky) {
  auto seen = std::make_shared<std::map<uint64_t, int>>();
  const CampaignSummary summary =
      Must(RunCampaign(Options(64), Scripted([seen](const RunRequest& request, RunReply& reply) {
                         if (request.id == 5 && (*seen)[request.id]++ == 0)
                           SpoilFirstElement(reply);
                       }),
                       {}));
  ASSERT_EQ(summary.list.size(), 1u);
  EXPECT_EQ(summary.list[0].verdict, Verdict::kFlaky);
  EXPECT_EQ(summary.findings, 1u) << "different answers to one case are a finding too";
}

// There is only one batch, so no other case runs while suspects run again.
TEST_F(Confirmation, AFindingIsTriedThreeTimesInFreshWorkers) {
  int restarts = 0;
  std::set<int> tried;  // the number of restarts before each run of the case
  const auto spoil = [&](const RunRequest& request, RunReply& reply) {
    if (request.id != 20) return;
    tried.insert(restarts);
    SpoilFirstElement(reply);
  };
  const CampaignSummary summary = Must(RunCampaign(Options(64), Counted(spoil, restarts), {}));
  ASSERT_EQ(summary.list.size(), 1u);
  EXPECT_EQ(summary.list[0].verdict, Verdict::kWrong);
  EXPECT_EQ(restarts, 3);
  EXPECT_EQ(tried, (std::set<int>{0, 1, 2, 3}));
}

TEST_F(Confirmation, AResultThatIsRightInAnyOfThreeRunsIsFlaky) {
  for (const int right : {1, 2, 3}) {
    int restarts = 0;
    const auto spoil = [&](const RunRequest& request, RunReply& reply) {
      if (request.id == 20 && restarts != right) SpoilFirstElement(reply);
    };
    const CampaignSummary summary = Must(RunCampaign(Options(64), Counted(spoil, restarts), {}));
    ASSERT_EQ(summary.list.size(), 1u);
    EXPECT_EQ(summary.list[0].verdict, Verdict::kFlaky) << right;
    EXPECT_EQ(restarts, right);
  }
}

// The error of softsign was measured only on A13.
TEST_F(Confirmation, UnconfirmedDeviationsAreTriedAgainAndKnownDefectsAreNot) {
  CampaignOptions options = Options(64);
  options.targets = {{"h16", 5}};
  options.ops.reset();
  options.ops.set(static_cast<size_t>(OpKind::kSoftsign));
  options.modes = {CaseMode::kFloat};
  uint64_t alone = 0;  // a case of one operation; in others 1.001 may exceed the bounds
  while (MakeCase(options, alone)->graph.nodes().size() > 1) ++alone;
  ASSERT_LT(alone, options.cases);
  for (const bool fleeting : {false, true}) {
    int restarts = 0;
    options.db = folder_->File("u" + std::to_string(++files_) + ".sqlite");
    const auto spoil = [&](const RunRequest& request, RunReply& reply) {
      if (request.id != alone || (fleeting && restarts > 0)) return;
      for (Tensor& tensor : reply.outputs) {
        std::vector<double> values(static_cast<size_t>(tensor.type.shape.Elements()));
        DecodeElements(tensor.type.dtype, tensor.bytes, values);
        for (double& value : values) value *= 1.001;
        EncodeElements(tensor.type.dtype, values, tensor.bytes);
      }
    };
    const CampaignSummary summary = Must(RunCampaign(options, Counted(spoil, restarts), {}));
    ASSERT_EQ(summary.list.size(), 1u);
    EXPECT_EQ(summary.list[0].verdict, fleeting ? Verdict::kFlaky : Verdict::kUnconfirmed)
        << summary.list[0].summary;
    EXPECT_EQ(restarts, fleeting ? 1 : 3);
    EXPECT_EQ(summary.unconfirmed, fleeting ? 0u : 1u);
    EXPECT_EQ(summary.findings, fleeting ? 1u : 0u);
    EXPECT_EQ(summary.known_defects, 0u);
    EXPECT_EQ(SummaryToJson(summary)["summary"]["unconfirmed"], fleeting ? 0 : 1);
  }
  int restarts = 0;
  options = Options(64);
  options.ops.reset();
  options.ops.set(static_cast<size_t>(OpKind::kRelu));
  options.modes = {CaseMode::kSpecial};
  // D08: NaN becomes infinity.
  const auto spoil = [](const RunRequest&, RunReply& reply) {
    for (Tensor& tensor : reply.outputs) {
      std::vector<double> values(static_cast<size_t>(tensor.type.shape.Elements()));
      DecodeElements(tensor.type.dtype, tensor.bytes, values);
      for (double& value : values) {
        if (value != value) value = std::numeric_limits<double>::infinity();
      }
      EncodeElements(tensor.type.dtype, values, tensor.bytes);
    }
  };
  const CampaignSummary summary = Must(RunCampaign(options, Counted(spoil, restarts), {}));
  EXPECT_GE(summary.known_defects, 1u);
  EXPECT_EQ(summary.findings, 0u);
  EXPECT_EQ(restarts, 0) << "a documented defect is not confirmed again";
}

// A case that only two defects together explain counts for both defects and is no separate finding.
TEST_F(Confirmation, EachDocumentedDefectIsOneFinding) {
  CampaignOptions options = Options(256);
  options.ops.reset();
  for (const OpKind kind : {OpKind::kSilu, OpKind::kAtan})
    options.ops.set(static_cast<size_t>(kind));
  options.modes = {CaseMode::kSpecial};
  // Each operation in turn gets the largest error that both defects permit for its operand.
  const auto departs = [](const RunRequest& request, RunReply& reply) {
    constexpr std::string_view kIds[] = {"D13", "D14"};
    const Contract contract = WithDepartures(2, kIds).value();
    const Graph& graph = *request.graph;
    std::map<ValueId, Tensor> made;
    NodeCut::Values known;
    const std::vector<ValueId> inputs = graph.ValuesOfKind(ValueKind::kInput);
    for (size_t i = 0; i < inputs.size(); ++i) known[inputs[i]] = &request.inputs[i];
    for (NodeId id = 0; id < graph.nodes().size(); ++id) {
      const ValueId result = graph.node(id).first_result;
      Tensor& tensor = made[result];
      known[result] = &tensor;
      NodeCut cut(graph, known);
      cut.Take(id);
      const std::vector<Tensor> operands(cut.inputs().begin(), cut.inputs().end());
      const auto estimates = Evaluate(cut.graph(), operands, contract);
      ASSERT_TRUE(estimates.ok());
      const TensorType& type = graph.type(result);
      tensor = {type, std::vector<uint8_t>(static_cast<size_t>(type.ByteSize()))};
      EncodeElements(type.dtype, estimates->front().low, tensor.bytes);
    }
    for (size_t i = 0; i < reply.outputs.size(); ++i) {
      reply.outputs[i] = made.at(graph.outputs()[i]);
    }
  };
  const CampaignSummary summary = Must(RunCampaign(options, Scripted(departs), {}));
  std::map<std::string, std::pair<std::string, int64_t>> shown;  // operation and cases
  for (const FindingRow& finding : summary.list) {
    if (finding.verdict != Verdict::kKnownDefect) continue;
    shown[finding.defects.ToText()] = {finding.op, finding.occurrences};
  }
  EXPECT_EQ(summary.known_defects, 2u);
  ASSERT_EQ(shown.size(), 2u);
  EXPECT_EQ(shown["D13"].first, "silu");
  EXPECT_EQ(shown["D14"].first, "atan");
  auto store = Store::OpenReadOnly(options.db);
  ASSERT_TRUE(store.ok());
  const auto cases =
      testing::QueryText(*store, "SELECT count(*) FROM cases WHERE verdict = 'known-defect'");
  ASSERT_TRUE(cases.ok());
  EXPECT_GT(shown["D13"].second + shown["D14"].second, std::stoll((*cases)[0][0]))
      << "no case showed both defects";
  // A finding of one defect shrinks to a case with only that defect, although its case has both.
  const auto beside =
      testing::QueryText(*store,
                         "SELECT artifact, known_defect FROM findings WHERE summary LIKE "
                         "'%; it takes D13, D14 together to explain the case'");
  ASSERT_TRUE(beside.ok());
  ASSERT_FALSE(beside->empty());
  const auto artifact = ArtifactFromJson(ParseJson((*beside)[0][0], "artifact").value());
  ASSERT_TRUE(artifact.ok()) << artifact.error().message;
  ScriptedRunner runner(departs);
  const auto shrunk = ShrinkFinding(*artifact, runner);
  ASSERT_TRUE(shrunk.ok()) << shrunk.error().message;
  EXPECT_EQ(shrunk->outcome.shown.defects().ToText(), (*beside)[0][1]);
  EXPECT_EQ(shrunk->item.graph.nodes().size(), 1u);
}

TEST_F(Confirmation, ARepeatedDeviationIsItsOwnFindingBesideAFlakyOne) {
  CampaignOptions options = Options(64);
  options.ops.reset();
  options.ops.set(static_cast<size_t>(OpKind::kRelu));
  auto seen = std::make_shared<std::map<uint64_t, int>>();
  const CampaignSummary summary =
      Must(RunCampaign(options, Scripted([seen](const RunRequest& request, RunReply& reply) {
                         const bool first = (*seen)[request.id]++ == 0;
                         const bool fleeting = request.id == 5 || request.id == 6;
                         if ((fleeting && first) || request.id == 20 || request.id == 21)
                           SpoilFirstElement(reply);
                       }),
                       {}));
  ASSERT_EQ(summary.list.size(), 2u) << fmt::format(
      "{}", fmt::join(summary.list | std::views::transform(&FindingRow::summary), "\n"));
  EXPECT_EQ(summary.list[0].verdict, Verdict::kFlaky);
  EXPECT_EQ(summary.list[0].occurrences, 2);
  EXPECT_EQ(summary.list[1].verdict, Verdict::kWrong);
  EXPECT_EQ(summary.list[1].case_index, 20u);
  EXPECT_EQ(summary.list[1].occurrences, 2);
}

}  // namespace
}  // namespace anecheck
