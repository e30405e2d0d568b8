// Tests the answers about the operations of a graph: the cell of each operation, the layers that it
// becomes, and the segments that contain these layers.
#include "harness/evidence/graph_answer.h"

#include <gtest/gtest.h>
#include <vector>

#include "harness/base/json.h"
#include "harness/targets/catalog.h"
#include "oracles/testing/test_support.h"

namespace anecheck::evidence {
namespace {

using testing::Case;
using testing::MakeTensor;

// relu, the cross product of its result with itself, and relu again.
Graph CrossProductBetweenActivations() {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {1, 3, 1, 1}, {1, 2, 3}));
  const ValueId before = c.Unary(OpKind::kRelu, x);
  const ValueId cut = c.Binary(OpKind::kCrossProduct, before, before);
  c.graph.AddOutput(c.Unary(OpKind::kRelu, cut));
  return std::move(c.graph);
}

GraphAnswer Answered(const Graph& graph, Route route, std::string_view target = "h13",
                     const std::vector<Statement>& statements = {}) {
  auto answer = AnswerOf(graph, **FindTarget(target), {.route = route}, statements);
  EXPECT_TRUE(answer.ok());
  return answer.ok() ? std::move(*answer) : GraphAnswer();
}

// The conversion route refuses the cross product. The plan gives it a segment on the direct route.
TEST(GraphAnswer, ARefusedOperationHasItsOwnSegment) {
  const GraphAnswer answer = Answered(CrossProductBetweenActivations(), Route::kMil);
  ASSERT_EQ(answer.operations.size(), 3u);
  EXPECT_EQ(answer.SegmentsOf(0), std::vector<int>{0});
  EXPECT_EQ(answer.SegmentsOf(1), std::vector<int>{1});
  EXPECT_EQ(answer.SegmentsOf(2), std::vector<int>{2});
  EXPECT_TRUE(answer.Admits(0));
  EXPECT_TRUE(answer.LayersRun(0));
  EXPECT_FALSE(answer.Admits(1));
  EXPECT_FALSE(answer.LayersRun(1)) << "the plan's route does not run it";
  EXPECT_EQ(answer.RefusedPart(0), nullptr);
  EXPECT_EQ(answer.RefusedPart(1), nullptr) << "the rules refuse the operation itself";
  EXPECT_EQ(OperationAnswerJson(answer, 1),
            (Json{{"outcome", "rejected"}, {"known", "refused"}, {"segments", Json::array({1})}}));
}

TEST(GraphAnswer, TheDirectRouteAdmitsAllOfThem) {
  const GraphAnswer answer = Answered(CrossProductBetweenActivations(), Route::kNetlist);
  for (NodeId id = 0; id < 3; ++id) {
    EXPECT_TRUE(answer.Admits(id)) << id;
    EXPECT_TRUE(answer.LayersRun(id)) << id;
    EXPECT_EQ(answer.SegmentsOf(id), std::vector<int>{0}) << id;
  }
}

TEST(GraphAnswer, EvidenceAppliesToOperationsOfItsRouteAndTarget) {
  Statement statement;
  statement.subject = "cross_product";
  statement.target = "h13";
  statement.route = Route::kNetlist;
  statement.stage = Stage::kCorrect;
  statement.provenance = Provenance::kSimulated;
  const Graph graph = CrossProductBetweenActivations();
  const auto known = [&](Route route, std::string_view target, NodeId id) {
    return CellText(Answered(graph, route, target, {statement}).operations[id].known.cell);
  };
  EXPECT_EQ(known(Route::kNetlist, "h13", 1), "correct (simulated)");
  EXPECT_EQ(known(Route::kNetlist, "h13", 0), "attested");
  EXPECT_EQ(known(Route::kNetlist, "h14", 1), "attested");
  EXPECT_EQ(known(Route::kMil, "h13", 1), "refused");
}

// The answer has one operation for each plan::Fate of a layer.
TEST(GraphAnswer, ALayerRunsUnlessItIsRefusedUnknownOrABridge) {
  GraphAnswer answer;
  for (const plan::Fate fate : {plan::Fate::kNative, plan::Fate::kFolded, plan::Fate::kStreamed,
                                plan::Fate::kDecomposed, plan::Fate::kCut, plan::Fate::kElsewhere,
                                plan::Fate::kRejected, plan::Fate::kUnknown, plan::Fate::kBridge}) {
    OperationAnswer& operation = answer.operations.emplace_back();
    operation.known.cell.admitted = true;
    operation.layers = {answer.plan.layers.size()};
    plan::Layer& layer = answer.plan.layers.emplace_back();
    layer.fate = fate;
    layer.segment = static_cast<int>(answer.plan.layers.size()) % 3 - 1;
  }
  for (NodeId id = 0; id < answer.operations.size(); ++id) {
    const bool runs = id < 6;
    EXPECT_EQ(answer.LayersRun(id), runs) << id;
    EXPECT_EQ(answer.Admits(id), runs) << id;
    EXPECT_EQ(answer.RefusedPart(id), runs ? nullptr : &answer.plan.layers[id]) << id;
  }
  EXPECT_EQ(answer.SegmentsOf(0), std::vector<int>{0});
  EXPECT_EQ(answer.SegmentsOf(1), std::vector<int>{1});
  EXPECT_TRUE(answer.SegmentsOf(2).empty());
  answer.operations[0].layers = {6, 1, 0, 4};
  EXPECT_EQ(answer.RefusedPart(0), &answer.plan.layers[6]);
  EXPECT_FALSE(answer.LayersRun(0)) << "all layers of the operation must run";
  EXPECT_EQ(answer.SegmentsOf(0), (std::vector<int>{0, 1})) << "each segment is listed once";
  answer.operations[0].known.cell.admitted = false;
  EXPECT_EQ(answer.RefusedPart(0), nullptr);
  EXPECT_FALSE(answer.Admits(0));
  answer.operations[1].known.cell.admitted = false;
  EXPECT_FALSE(answer.Admits(1)) << "its layers run, but the rules do not admit it";
}

}  // namespace
}  // namespace anecheck::evidence
