// Negative indices of gather and scatter, by the opset of the program.
#include "harness/lowering/old_indices.h"

#include <gtest/gtest.h>
#include <string>

#include "harness/lowering/mil_to_graph.h"
#include "harness/ops/op.h"
#include "oracles/oracle.h"

namespace anecheck {
namespace {

// Returns the numbers of the constant `i` in the graph of a program.
std::vector<double> Indices(const std::string& opset, const std::string& body) {
  const auto graph = MilTextToGraph("program(1.3)\n{\n func main<" + opset +
                                        ">(tensor<fp16, [2, 3]> x, tensor<fp16, [2, 2]> u) {\n" +
                                        body + "} -> (y);\n}",
                                    OpVocabulary());
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  const auto id = graph.ok() ? graph->FindValue("i") : std::nullopt;
  EXPECT_TRUE(id);
  if (!id) return {};
  std::vector<double> numbers(static_cast<size_t>(graph->type(*id).shape.Elements()));
  DecodeElements(graph->type(*id).dtype, graph->ConstData(*id), numbers);
  return numbers;
}

using Numbers = std::vector<double>;

constexpr char kGather[] =
    "tensor<int32, [2]> i = const()[val = tensor<int32, [2]>([-1, 0])];\n"
    "tensor<fp16, [2, 2]> y = gather(x = x, indices = i, axis = int32(-1));\n";

TEST(OldIndices, OfAnAxisCountFromItsEndBelowIos17) {
  EXPECT_EQ(Indices("ios15", kGather), (Numbers{2, 0}));
  EXPECT_EQ(Indices("ios16", kGather), (Numbers{2, 0}));
  EXPECT_EQ(Indices("ios17", kGather), (Numbers{-1, 0})) << "undefined from ios17 on, so it stays";
  EXPECT_EQ(Indices("ios18", kGather), (Numbers{-1, 0}));
}

TEST(OldIndices, OfElementsAlongAnAxisCountFromItsEnd) {
  EXPECT_EQ(Indices("ios15",
                    "tensor<int32, [2, 2]> i = const()[val = tensor<int32, [2, 2]>([[-1, 1], [-3, "
                    "-2]])];\n"
                    "tensor<fp16, [2, 2]> y = gather_along_axis(x = x, indices = i, axis = "
                    "int32(1));\n"),
            (Numbers{2, 1, 0, 1}));
}

TEST(OldIndices, OfVectorsCountEachInItsOwnAxis) {
  EXPECT_EQ(Indices("ios15",
                    "tensor<int32, [2, 2]> i = const()[val = tensor<int32, [2, 2]>([[-1, -1], [0, "
                    "-3]])];\n"
                    "tensor<fp16, [2]> y = gather_nd(x = x, indices = i);\n"),
            (Numbers{1, 2, 0, 0}));
}

TEST(OldIndices, OfUpdatesCountFromTheEnd) {
  EXPECT_EQ(Indices("ios16",
                    "tensor<int32, [2]> i = const()[val = tensor<int32, [2]>([-3, -1])];\n"
                    "tensor<fp16, [2, 3]> y = scatter(data = x, indices = i, updates = u, axis = "
                    "int32(1), mode = string(\"update\"));\n"),
            (Numbers{0, 2}));
}

// Another operation also reads the constant, and that operation's operand must not change.
TEST(OldIndices, OfASharedConstantStayUnchanged) {
  EXPECT_EQ(Indices("ios15", std::string(kGather) + "tensor<int32, [2]> j = add(x = i, y = i);\n"),
            (Numbers{-1, 0}));
}

}  // namespace
}  // namespace anecheck
