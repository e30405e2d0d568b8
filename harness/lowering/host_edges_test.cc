// The values that `anecheck check` computes on the host for a model with int32 inputs or outputs.
#include "harness/lowering/host_edges.h"

#include <gtest/gtest.h>
#include <string>

#include "harness/graph/validate.h"
#include "harness/lowering/boundary_casts.h"
#include "harness/lowering/graph_to_mil.h"
#include "harness/lowering/mil_to_graph.h"
#include "harness/ops/op.h"

namespace anecheck {
namespace {

using Names = std::vector<std::string>;

Graph Parse(const std::string& parameters, const std::string& body, const std::string& outputs) {
  const auto graph = MilTextToGraph("program(1.3)\n{\n func main<ios18>(" + parameters + ") {\n" +
                                        body + "} -> (" + outputs + ");\n}",
                                    OpVocabulary());
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  return graph.ok() ? *graph : Graph();
}

Names Ops(const Graph& graph) {
  Names ops;
  for (const Node& node : graph.nodes()) ops.emplace_back(node.schema->name);
  return ops;
}

Names InputNames(const Graph& graph) {
  Names names;
  for (const ValueId id : graph.ValuesOfKind(ValueKind::kInput)) {
    names.push_back(graph.value(id).name);
  }
  return names;
}

constexpr char kTable[] =
    "tensor<fp16, [3, 2]> table = const()[val = tensor<fp16, [3, 2]>([[1, 2], [3, 4], [5, 6]])];\n";
constexpr char kNarrow[] =
    "tensor<int16, [1]> short = cast(x = token, dtype = string(\"int16\"));\n";
constexpr char kGather[] =
    "tensor<fp16, [1, 2]> row = gather(x = table, indices = short, axis = int32(0), batch_dims = "
    "int32(0), validate_indices = bool(false));\n";
constexpr char kRelu[] = "tensor<fp16, [1, 2]> y = relu(x = row);\n";

TEST(HostEdges, TheHostTakesARowOfATable) {
  const Graph graph =
      Parse("tensor<int32, [1]> token", std::string(kTable) + kNarrow + kGather + kRelu, "y");
  const HostEdges edges = SplitHostEdges(graph);
  EXPECT_TRUE(ValidateGraph(edges.graph).ok());
  EXPECT_TRUE(ValidateGraph(edges.host).ok());
  EXPECT_EQ(edges.computed, (Names{"cast \"short\"", "gather \"row\""}));
  EXPECT_EQ(Ops(edges.host), (Names{"cast", "gather"}));
  EXPECT_EQ(InputNames(edges.host), Names{"token"});
  EXPECT_EQ(edges.host.value(edges.host.outputs()[0]).name, "row");
  EXPECT_EQ(Ops(edges.graph), Names{"relu"});
  EXPECT_EQ(InputNames(edges.graph), Names{"row"});
  EXPECT_EQ(edges.graph.value(edges.graph.outputs()[0]).name, "y");
}

// The host stops at the first value that an engine takes.
TEST(HostEdges, TheHostEndsWithACastToFp16) {
  const Graph graph =
      Parse("tensor<int32, [2]> n",
            "tensor<fp16, [2]> h = cast(x = n, dtype = string(\"fp16\"));\n"
            "tensor<fp16, [2, 1]> e = expand_dims(x = h, axes = tensor<int32, [1]>([1]));\n",
            "e");
  const HostEdges edges = SplitHostEdges(graph);
  EXPECT_EQ(edges.computed, Names{"cast \"h\""});
  EXPECT_EQ(Ops(edges.graph), Names{"expand_dims"});
}

TEST(HostEdges, AnInputThatTheEngineReadsTooStaysAnInput) {
  const std::string also = "tensor<int32, [1]> next = add(x = token, y = token);\n";
  const Graph graph = Parse("tensor<int32, [1]> token",
                            std::string(kTable) + kNarrow + kGather + kRelu + also, "y, next");
  const HostEdges edges = SplitHostEdges(graph);
  EXPECT_TRUE(edges.computed.empty());
  EXPECT_EQ(InputNames(edges.graph), Names{"token"});
  EXPECT_EQ(edges.widened, Names{"next"});
}

TEST(HostEdges, AnOutputCastFromFp16IsTakenBeforeTheCast) {
  const Graph graph = Parse("tensor<fp16, [2]> x",
                            "tensor<fp16, [2]> r = round(x = x);\n"
                            "tensor<int32, [2]> n = cast(x = r, dtype = string(\"int32\"));\n",
                            "n");
  const HostEdges edges = SplitHostEdges(graph);
  EXPECT_EQ(edges.widened, Names{"n"});
  EXPECT_EQ(Ops(edges.graph), Names{"round"});
  EXPECT_EQ(edges.graph.value(edges.graph.outputs()[0]).name, "r");
}

Names OutputNames(const Graph& graph) {
  Names names;
  for (const ValueId id : graph.outputs()) names.push_back(graph.value(id).name);
  return names;
}

constexpr char kRound[] = "tensor<fp16, [2]> r = round(x = x);\n";
constexpr char kWhole[] = "tensor<int32, [2]> n = cast(x = r, dtype = string(\"int32\"));\n";

TEST(HostEdges, AValueOfSeveralOutputsIsOneOutput) {
  const std::string body = std::string(kRound) + kWhole +
                           "tensor<int32, [2]> m = cast(x = r, dtype = string(\"int32\"));\n";
  for (const auto& [outputs, widened] : {std::pair<std::string, Names>{"r, n", {"n"}},
                                         {"n, r", {"n"}},
                                         {"n, m", {"n", "m"}},
                                         {"r, n, m", {"n", "m"}}}) {
    const HostEdges edges = SplitHostEdges(Parse("tensor<fp16, [2]> x", body, outputs));
    EXPECT_TRUE(ValidateGraph(edges.graph).ok()) << outputs;
    EXPECT_EQ(OutputNames(edges.graph), Names{"r"}) << outputs;
    EXPECT_EQ(edges.widened, widened) << outputs;
  }
}

TEST(HostEdges, AWidenedOutputTakesAFreeName) {
  const Graph graph = Parse("tensor<fp16, [4]> x",
                            "tensor<int32, [1]> at = reduce_argmax(x = x, axis = int32(0), "
                            "keep_dims = bool(true));\n"
                            "tensor<fp16, [4]> at_as_fp16 = relu(x = x);\n",
                            "at, at_as_fp16");
  const HostEdges edges = SplitHostEdges(graph);
  const Status valid = ValidateGraph(edges.graph);
  EXPECT_TRUE(valid.ok()) << valid.error().message;
  EXPECT_EQ(OutputNames(edges.graph), (Names{"at_as_fp16_2", "at_as_fp16"}));
}

// A cast's name does not tell who added it, because names change and a model may use any name.
TEST(HostEdges, OnlyCastsThatTheModelLacksAreMarkedAsAdded) {
  const Graph graph = Parse("tensor<fp32, [4]> x",
                            "tensor<fp16, [4]> h = cast(x = x, dtype = string(\"fp16\"));\n"
                            "tensor<bool, [4]> more = greater(x = h, y = h);\n"
                            "tensor<fp16, [4]> more_as_fp16 = cast(x = more, dtype = "
                            "string(\"fp16\"));\n"
                            "tensor<int32, [1]> at = reduce_argmax(x = more_as_fp16, axis = "
                            "int32(0), keep_dims = bool(true));\n",
                            "at");
  const PeeledGraph peeled = PeelBoundaryCasts(SplitHostEdges(graph).graph);
  std::vector<bool> added;
  for (const Node& node : peeled.graph.nodes()) added.push_back(node.added);
  EXPECT_EQ(Ops(peeled.graph), (Names{"greater", "cast", "reduce_argmax", "cast"}));
  EXPECT_EQ(added, (std::vector<bool>{false, false, false, true}));
}

// Each value is visited once, although each step reads the previous value twice.
TEST(HostEdges, AChainOfSharedValuesTakesLinearTime) {
  std::string body, last = "token";
  for (int step = 0; step < 64; ++step) {
    const std::string next = "t" + std::to_string(step);
    body += "tensor<int32, [1]> " + next + " = gather(x = " + last + ", indices = " + last +
            ", axis = int32(0), batch_dims = int32(0), validate_indices = bool(false));\n";
    last = next;
  }
  body += "tensor<int32, [1]> y = add(x = " + last + ", y = " + last + ");\n";
  const HostEdges edges = SplitHostEdges(Parse("tensor<int32, [1]> token", body, "y"));
  EXPECT_TRUE(edges.computed.empty());
  EXPECT_EQ(InputNames(edges.graph), Names{"token"});
}

TEST(HostEdges, AnOutputOfPositionsIsCastToFp16) {
  const Graph graph = Parse("tensor<fp16, [4]> x",
                            "tensor<int32, [1]> at = reduce_argmax(x = x, axis = int32(0), "
                            "keep_dims = bool(true));\n",
                            "at");
  const HostEdges edges = SplitHostEdges(graph);
  EXPECT_TRUE(ValidateGraph(edges.graph).ok());
  EXPECT_EQ(edges.widened, Names{"at"});
  EXPECT_EQ(Ops(edges.graph), (Names{"reduce_argmax", "cast"}));
  const ValueId output = edges.graph.outputs()[0];
  EXPECT_EQ(edges.graph.type(output).dtype, DType::kFp16);
}

TEST(HostEdges, OutputsThatNoEngineComputesAreLeftOut) {
  const std::string echo = "tensor<int32, [1]> echo = identity(x = token);\n";
  const std::string own = "tensor<fp16, [2]> y = relu(x = x);\n";
  const HostEdges edges =
      SplitHostEdges(Parse("tensor<int32, [1]> token, tensor<fp16, [2]> x", echo + own, "echo, y"));
  EXPECT_EQ(edges.left_out, Names{"echo"});
  EXPECT_EQ(edges.graph.outputs().size(), 1u);
  EXPECT_TRUE(edges.host.nodes().empty());
  const Graph alone = Parse("tensor<int32, [1]> token", echo, "echo");
  EXPECT_EQ(*GraphToMil(SplitHostEdges(alone).graph), *GraphToMil(alone))
      << "without any output left, the model stays unchanged";
}

TEST(HostEdges, AModelOfFp16StaysUnchanged) {
  const Graph graph = Parse("tensor<fp16, [1, 2]> row", kRelu, "y");
  const HostEdges edges = SplitHostEdges(graph);
  EXPECT_TRUE(edges.computed.empty() && edges.widened.empty() && edges.left_out.empty());
  EXPECT_EQ(*GraphToMil(edges.graph), *GraphToMil(graph));
}

}  // namespace
}  // namespace anecheck
