// The round trip of a valid graph changes nothing, and the runner reports a change.
#include "harness/runners/roundtrip_runner.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "generators/graph_generator.h"
#include "harness/lowering/graph_to_mil.h"
#include "harness/runners/testing/word_cases.h"

namespace anecheck {
namespace {

TEST(RoundtripRunner, LosesNothingOfGeneratedGraphs) {
  RoundtripRunner runner;
  int with_netlist = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    Graph graph;
    const auto mode =
        static_cast<CaseMode>(seed % (static_cast<uint64_t>(CaseMode::kLargeAxis) + 1));
    GenerateGraph(choices, {.family = 6, .mode = mode, .max_nodes = 1 + int(seed % 12)}, graph);
    const auto mil = GraphToMil(graph);
    ASSERT_TRUE(mil.ok());
    const RunRequest request = {seed, "h17s", *mil, &graph, {}};
    const auto replies = runner.Run({&request, 1});
    ASSERT_TRUE(replies.ok());
    const RunReply& reply = replies->front();
    ASSERT_EQ(reply.status, RunStatus::kOk)
        << "seed " << seed << ": " << reply.step << ": " << reply.message << "\n"
        << *mil;
    EXPECT_TRUE(reply.verified);
    EXPECT_TRUE(reply.outputs.empty());
    EXPECT_EQ(reply.id, seed);
    with_netlist += reply.message.empty() ? 1 : 0;
  }
  EXPECT_GT(with_netlist, 50);
}

TEST(RoundtripRunner, NamesTheDifferenceOfAText) {
  const Graph graph = testing::ReluGraph();
  const auto text = [](std::string_view type, std::string_view op) {
    return fmt::format(
        "program(1.3)\n{{\n func main<ios18>(tensor<fp16, {0}> x) {{\n"
        "tensor<fp16, {0}> y = {1}(x = x);\n}} -> (y);\n}}\n",
        type, op);
  };
  EXPECT_EQ(MilRoundTrip(graph, text("[1, 4]", "relu")).difference, "");
  EXPECT_EQ(MilRoundTrip(graph, text("[1, 4]", "tanh")).difference, "y is relu, read back tanh");
  EXPECT_EQ(MilRoundTrip(graph, text("[4, 1]", "relu")).difference,
            "x is tensor<fp16, [1, 4]>, read back tensor<fp16, [4, 1]>");
  EXPECT_EQ(MilRoundTrip(graph, "no program").difference.find("cannot be read back: "), 0u);
  RoundtripRunner runner;
  const std::string wrong = text("[1, 4]", "tanh");
  const RunRequest request = {7, "h13", wrong, &graph, {}};
  const auto replies = runner.Run({&request, 1});
  ASSERT_TRUE(replies.ok());
  EXPECT_EQ(replies->front().status, RunStatus::kFailed);
  EXPECT_EQ(replies->front().step, Step::kMil);
}

TEST(RoundtripRunner, AFormThatCannotExpressAGraphGivesTheReason) {
  Graph graph;
  const ValueId x = graph.AddInput({DType::kFp16, {2, 4}}, "x");
  graph.BeginNode(&GetOp(OpKind::kLayerNorm).schema);
  graph.AddArgument(0, x);
  graph.AddOutput(*graph.FinishNode());
  const RoundTrip trip = NetlistRoundTrip(graph);
  EXPECT_FALSE(trip.written);
  EXPECT_EQ(trip.difference, "");
  EXPECT_EQ(trip.reason.find("layer_norm: no network description"), 0u) << trip.reason;
}

TEST(RoundtripRunner, ItsProvenanceIsRoundtrip) {
  const auto identity = RoundtripRunner().Identify();
  ASSERT_TRUE(identity.ok());
  EXPECT_EQ(identity->provenance, Provenance::kRoundtrip);
  EXPECT_EQ(identity->runner, "roundtrip");
}

Graph WithConstant(uint8_t byte) {
  Graph graph;
  const ValueId x = graph.AddInput({DType::kFp16, {2}}, "x");
  const ValueId c = graph.AddConst({DType::kFp16, {2}}, std::vector<uint8_t>{0, 60, byte, 60}, "c");
  graph.BeginNode(&GetOp(OpKind::kAdd).schema);
  graph.AddArgument(0, x);
  graph.AddArgument(1, c);
  graph.AddOutput(*graph.FinishNode());
  return graph;
}

TEST(DescribeDifference, NamesTheFirstDifference) {
  EXPECT_EQ(DescribeDifference(WithConstant(1), WithConstant(1)), "");
  EXPECT_EQ(DescribeDifference(WithConstant(1), WithConstant(2)),
            "constant c differs from byte 2 on");
  Graph empty;
  EXPECT_EQ(DescribeDifference(WithConstant(1), empty), "1 operations, read back 0");
  Graph other = WithConstant(1);
  other.AddOutput(0);
  EXPECT_EQ(DescribeDifference(WithConstant(1), other),
            "an attribute, an output or the order of the inputs differs");
}

}  // namespace
}  // namespace anecheck
