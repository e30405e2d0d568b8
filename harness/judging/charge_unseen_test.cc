// If the engine's reply to the graph with its inner results cannot be judged, the producer of the
// wrong output is not charged without proof.
#include <algorithm>
#include <gtest/gtest.h>

#include "harness/campaign/testing/campaign_test.h"
#include "harness/judging/judge_case.h"
#include "harness/ops/op.h"

namespace anecheck {
namespace {

using testing::AddNode;
using testing::ScriptedRunner;

// abs(relu(sqrt(x))).
Case InARow() {
  Case item;
  item.target = {"h15", 4};
  item.route = Route::kMil;
  const TensorType type = {DType::kFp16, Shape{1, 2, 1, 4}};
  Graph& graph = item.graph;
  const ValueId root = AddNode(graph, OpKind::kSqrt, {graph.AddInput(type, "x")});
  graph.AddOutput(AddNode(graph, OpKind::kAbs, {AddNode(graph, OpKind::kRelu, {root})}));
  item.inputs = {{type, std::vector<uint8_t>(static_cast<size_t>(type.ByteSize()), 0x31)}};
  EXPECT_TRUE(SpellCase(item).ok());
  return item;
}

bool Has(const Graph& graph, OpKind kind) {
  return std::ranges::any_of(graph.nodes(),
                             [&](const Node& node) { return KindOf(*node.schema) == kind; });
}

// An engine on which the result of `wrong` and every later result are wrong. The run ends with
// `end` if the program has several outputs, or if `also` returns true.
ScriptedRunner::Spoil Unclear(OpKind wrong, RunStatus end,
                              std::function<bool(const Graph&)> also = {}) {
  return [=](const RunRequest& request, RunReply& reply) {
    const Graph& graph = *request.graph;
    if (Has(graph, wrong)) reply.outputs[0].bytes[1] = 0x45;
    if (graph.outputs().size() > 1 || (also && also(graph)))
      reply = {.id = reply.id, .status = end};
  };
}

CaseOutcome OutcomeOn(const Case& item, ScriptedRunner::Spoil spoil) {
  ScriptedRunner runner(std::move(spoil), Provenance::kSimulated);
  const RunRequest request = RequestOf(item);
  const auto replies = runner.Run({&request, 1});
  EXPECT_TRUE(replies.ok());
  Evaluation evaluation;
  CaseOutcome outcome = JudgeCase(item, replies->front(), evaluation);
  EXPECT_TRUE(Refine(item, replies->front(), runner, evaluation, outcome).ok());
  EXPECT_EQ(outcome.verdict(), Verdict::kWrong);
  return outcome;
}

bool IsOneOperation(const Graph& graph) { return graph.nodes().size() == 1; }

TEST(ChargeUnseen, AnOperationThatIsWrongAsASeparateProgramIsCharged) {
  for (const RunStatus end : {RunStatus::kGarbled, RunStatus::kCrashed, RunStatus::kRejected}) {
    const CaseOutcome outcome = OutcomeOn(InARow(), Unclear(OpKind::kRelu, end));
    EXPECT_EQ(outcome.shown.op(), "relu");
    EXPECT_EQ(Signature(outcome), "wrong|relu|h15|far");
    EXPECT_NE(outcome.message().find("; relu is wrong as a separate program"), std::string::npos)
        << outcome.message();
  }
}

TEST(ChargeUnseen, NoOperationIsChargedIfNoPartialGraphWasJudged) {
  const CaseOutcome outcome =
      OutcomeOn(InARow(), Unclear(OpKind::kRelu, RunStatus::kGarbled, IsOneOperation));
  EXPECT_EQ(outcome.shown.op(), "");
  EXPECT_EQ(Signature(outcome), "wrong||h15|far");
  EXPECT_NE(outcome.message().find("; made by one of sqrt, relu, abs: 4 partial graphs could not "
                                   "be judged: garbled"),
            std::string::npos)
      << outcome.message();
}

TEST(ChargeUnseen, AnInnocentProducerIsNotChargedForTheOneThatCouldNotBeJudged) {
  const auto relu_alone = [](const Graph& graph) {
    return IsOneOperation(graph) && Has(graph, OpKind::kRelu);
  };
  const CaseOutcome outcome =
      OutcomeOn(InARow(), Unclear(OpKind::kRelu, RunStatus::kGarbled, relu_alone));
  EXPECT_EQ(outcome.shown.op(), "");
  EXPECT_NE(outcome.message().find("2 partial graphs could not be judged"), std::string::npos)
      << outcome.message();
}

TEST(ChargeUnseen, NoOperationIsChargedForAnErrorThatDoesNotOccurAgain) {
  const auto once = [runs = 0](const RunRequest&, RunReply& reply) mutable {
    if (runs++ == 0) reply.outputs[0].bytes[1] = 0x45;
  };
  const CaseOutcome outcome = OutcomeOn(InARow(), once);
  EXPECT_EQ(outcome.shown.op(), "");
  EXPECT_NE(outcome.message().find("; made by one of sqrt, relu, abs: 1 partial graph could not be "
                                   "judged: other values"),
            std::string::npos)
      << outcome.message();
}

TEST(ChargeUnseen, OperationsOfOneNameAreChargedByThatName) {
  Case item = InARow();
  const TensorType type = item.inputs[0].type;
  item.graph = Graph();
  const ValueId first = AddNode(item.graph, OpKind::kRelu, {item.graph.AddInput(type, "x")});
  item.graph.AddOutput(AddNode(item.graph, OpKind::kRelu, {first}));
  ASSERT_TRUE(SpellCase(item).ok());
  const CaseOutcome outcome =
      OutcomeOn(item, Unclear(OpKind::kRelu, RunStatus::kGarbled, IsOneOperation));
  EXPECT_EQ(Signature(outcome), "wrong|relu|h15|far");
}

TEST(ChargeUnseen, TheOnlyOperationOfAnOutputStaysCharged) {
  Case item = InARow();
  item.graph.ClearOutputs();
  item.graph.AddOutput(item.graph.node(0).first_result);
  ASSERT_TRUE(SpellCase(item).ok());
  const CaseOutcome outcome = OutcomeOn(item, Unclear(OpKind::kSqrt, RunStatus::kGarbled));
  EXPECT_EQ(outcome.shown.op(), "sqrt");
}

}  // namespace
}  // namespace anecheck
