// The roofline of operations, worked by hand from the published fits.

#include "harness/check/roofline.h"

#include <gtest/gtest.h>

#include "harness/lowering/mil_to_graph.h"
#include "harness/ops/op.h"

namespace anecheck {
namespace {

Graph Read(const std::string& parameters, const std::string& statement) {
  auto graph = MilTextToGraph(
      "program(1.3)\n{\n func main<ios18>(" + parameters + ") {\n" + statement + "\n} -> (y);\n}",
      OpVocabulary());
  EXPECT_TRUE(graph.ok());
  return std::move(*graph);
}

TEST(Roofline, ALargeMatmulIsBoundByItsProducts) {
  const Graph graph = Read("tensor<fp16, [4096, 4096]> x, tensor<fp16, [4096, 4096]> w",
                           "tensor<fp16, [4096, 4096]> y = matmul(x = x, y = w);");
  const Roofline m1 = RooflineOf(NodeView(graph, graph.nodes().front()), *FindRoofline("h13"));
  EXPECT_EQ(m1.flops, 2.0 * 4096 * 4096 * 4096);
  EXPECT_EQ(m1.bytes, 3.0 * 2 * 4096 * 4096);
  EXPECT_FALSE(m1.memory_bound());
  EXPECT_NEAR(m1.milliseconds(), 42.29, 0.01);  // 137.44 Gflop at 3.25 Tflop/s
  EXPECT_NEAR(m1.memory_ms, 11.18, 0.01);       // 100.66 MB at 9 GB/s
}

TEST(Roofline, AnAdditionIsBoundByItsBytes) {
  const Graph graph = Read("tensor<fp16, [1, 64, 32, 32]> x",
                           "tensor<fp16, [1, 64, 32, 32]> y = add(x = x, y = x);");
  const Roofline m5 = RooflineOf(NodeView(graph, graph.nodes().front()), *FindRoofline("h17s"));
  EXPECT_EQ(m5.flops, 0);
  EXPECT_TRUE(m5.memory_bound());
  EXPECT_NEAR(m5.milliseconds(), 3 * 131072 / 57e6, 1e-9);
}

TEST(Roofline, OnlyChipsWithAFitHaveOne) {
  EXPECT_EQ(FindRoofline("h16g"), nullptr);
  EXPECT_EQ(FindRoofline("h13")->chip, "M1");
}

}  // namespace
}  // namespace anecheck
