// The program that `anecheck check` runs for a model with an fp32 boundary.
#include "harness/lowering/boundary_casts.h"

#include <gtest/gtest.h>
#include <string>

#include "harness/graph/validate.h"
#include "harness/lowering/graph_to_mil.h"
#include "harness/lowering/mil_to_graph.h"
#include "harness/ops/op.h"

namespace anecheck {
namespace {

Graph Parse(const std::string& parameters, const std::string& body, const std::string& outputs) {
  const auto graph = MilTextToGraph("program(1.3)\n{\n func main<ios18>(" + parameters + ") {\n" +
                                        body + "} -> (" + outputs + ");\n}",
                                    OpVocabulary());
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  return graph.ok() ? *graph : Graph();
}

constexpr char kIn[] = "tensor<fp16, [2]> h = cast(x = x, dtype = string(\"fp16\"));\n";
constexpr char kRelu[] = "tensor<fp16, [2]> r = relu(x = h);\n";
constexpr char kOut[] = "tensor<fp32, [2]> y = cast(x = r, dtype = string(\"fp32\"));\n";

TEST(BoundaryCasts, ArePeeledFromTheOperationsBetweenThem) {
  const Graph graph = Parse("tensor<fp32, [2]> x", std::string(kIn) + kRelu + kOut, "y");
  const PeeledGraph peeled = PeelBoundaryCasts(graph);
  EXPECT_TRUE(ValidateGraph(peeled.graph).ok());
  EXPECT_EQ(peeled.inputs, std::vector<std::string>{"x"});
  EXPECT_EQ(peeled.outputs, std::vector<std::string>{"y"});
  ASSERT_EQ(peeled.graph.nodes().size(), 1u);
  EXPECT_EQ(peeled.graph.nodes()[0].schema->name, "relu");
  const auto text = GraphToMil(peeled.graph);
  ASSERT_TRUE(text.ok());
  EXPECT_NE(text->find("main<ios18>(tensor<fp16, [2]> x)"), std::string::npos) << *text;
  EXPECT_NE(text->find("tensor<fp16, [2]> y = relu(x = x)"), std::string::npos) << *text;
}

// PeelBoundaryCasts leaves each of these models unchanged.
TEST(BoundaryCasts, StayIfTheyAreNeeded) {
  const std::string kWide = "tensor<fp32, [2]> w = relu(x = x);\n";
  const std::string kAlso = "tensor<fp32, [2]> z = relu(x = y);\n";
  const struct {
    std::string parameters, body, outputs;
  } kModels[] = {
      {"tensor<fp32, [2]> x", std::string(kIn) + kRelu + kWide, "r, w"},   // x is read as fp32 too
      {"tensor<fp32, [2]> x", std::string(kIn) + kRelu, "r, h"},           // the cast is an output
      {"tensor<fp16, [2]> h", std::string(kRelu) + kOut + kAlso, "y, z"},  // y is read
      {"tensor<fp16, [2]> h", kRelu, "r"},                                 // nothing to peel
      {"tensor<fp16, [2]> r", kOut, "y"},  // the output would be an input
  };
  for (const auto& model : kModels) {
    const Graph graph = Parse(model.parameters, model.body, model.outputs);
    const PeeledGraph peeled = PeelBoundaryCasts(graph);
    EXPECT_TRUE(peeled.inputs.empty() && peeled.outputs.empty()) << model.body;
    EXPECT_EQ(*GraphToMil(peeled.graph), *GraphToMil(graph));
  }
}

TEST(BoundaryCasts, AValueOfTwoOutputsKeepsItsName) {
  const Graph graph = Parse("tensor<fp16, [2]> h", std::string(kRelu) + kOut, "r, y");
  const PeeledGraph peeled = PeelBoundaryCasts(graph);
  EXPECT_TRUE(ValidateGraph(peeled.graph).ok());
  EXPECT_EQ(peeled.outputs, std::vector<std::string>{"y"});
  ASSERT_EQ(peeled.graph.outputs().size(), 2u);
  EXPECT_EQ(peeled.graph.outputs()[0], peeled.graph.outputs()[1]);
  EXPECT_EQ(peeled.graph.value(peeled.graph.outputs()[0]).name, "r");
}

}  // namespace
}  // namespace anecheck
