// A finding that names no operation, because no partial graph could be judged, is shrunk to a
// finding that names the wrong operation.
#include <gtest/gtest.h>

#include "harness/campaign/testing/campaign_test.h"
#include "harness/findings/shrink_finding.h"
#include "harness/ops/op.h"

namespace anecheck {
namespace {

using testing::AddNode;
using testing::ScriptedRunner;

// abs(relu(sqrt(x))) of 16 elements.
Artifact Recorded() {
  Artifact artifact;
  artifact.id = "f000000000001";
  artifact.item.target = {"h13", 2};
  artifact.item.route = Route::kMil;
  const TensorType type = {DType::kFp16, Shape{1, 2, 1, 8}};
  Graph& graph = artifact.item.graph;
  const ValueId root = AddNode(graph, OpKind::kSqrt, {graph.AddInput(type, "x")});
  graph.AddOutput(AddNode(graph, OpKind::kAbs, {AddNode(graph, OpKind::kRelu, {root})}));
  artifact.item.inputs = {{type, std::vector<uint8_t>(static_cast<size_t>(type.ByteSize()), 0x31)}};
  EXPECT_TRUE(SpellCase(artifact.item).ok());
  return artifact;
}

// relu and the results after it are wrong. Only whole graphs and small tensors have a reply.
void Answer(const RunRequest& request, RunReply& reply) {
  const Graph& graph = *request.graph;
  const bool large = request.inputs[0].bytes.size() > 8;
  if (large && (graph.outputs().size() > 1 || graph.nodes().size() == 1)) {
    reply = {.id = reply.id, .status = RunStatus::kGarbled};
    return;
  }
  bool wrong = false;
  for (const Node& node : graph.nodes()) {
    wrong |= KindOf(*node.schema) == OpKind::kRelu;
    for (size_t i = 0; wrong && i < reply.outputs.size(); ++i) {
      if (graph.outputs()[i] == node.first_result) reply.outputs[i].bytes[1] = 0x45;
    }
  }
}

TEST(ShrinkFinding, AnUnseenOperationIsNamedOnceASmallerCaseShowsIt) {
  ScriptedRunner runner(Answer, Provenance::kSimulated);
  const auto shrunk = ShrinkFinding(Recorded(), runner);
  ASSERT_TRUE(shrunk.ok()) << shrunk.error().message;
  EXPECT_EQ(shrunk->item.graph.nodes().size(), 1u);
  EXPECT_EQ(shrunk->outcome.shown.op(), "relu");
}

}  // namespace
}  // namespace anecheck
