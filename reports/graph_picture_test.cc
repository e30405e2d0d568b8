// The picture of a graph shows every operation and edge, in layers, without overlapping boxes.
#include "reports/graph_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <regex>

#include "generators/choice_stream.h"
#include "generators/graph_generator.h"
#include "harness/ops/op.h"

namespace anecheck::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Rectangle {
  double x = 0, y = 0, width = 0, height = 0;
};

std::vector<Rectangle> Rectangles(const std::string& svg) {
  static const std::regex kRect(
      "<rect x=\"(-?\\d+)\" y=\"(-?\\d+)\" width=\"(\\d+)\" height=\"(\\d+)\"");
  std::vector<Rectangle> list;
  for (std::sregex_iterator i(svg.begin(), svg.end(), kRect), end; i != end; ++i) {
    list.push_back(
        {std::stod((*i)[1]), std::stod((*i)[2]), std::stod((*i)[3]), std::stod((*i)[4])});
  }
  return list;
}

size_t Count(const std::string& text, const std::string& what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

// x -> relu -> add(relu, x) -> output. The edge from x to add crosses relu's layer.
Graph Diamond() {
  const TensorType type{DType::kFp16, {1, 4}};
  Graph graph;
  const ValueId x = graph.AddInput(type, "x<&>");
  graph.BeginNode(&FindOp("relu")->schema);
  graph.AddArgument(0, x);
  const std::string names[] = {"r"}, sums[] = {"s"};
  const ValueId r = *graph.FinishNode(names);
  graph.BeginNode(&FindOp("add")->schema);
  graph.AddArgument(0, r);
  graph.AddArgument(1, x);
  graph.AddOutput(*graph.FinishNode(sums));
  return graph;
}

TEST(GraphPicture, DrawsEachOperationOnceAndMarksTheWrongOne) {
  const std::string svg = GraphPicture(Diamond(), 1);
  EXPECT_EQ(Rectangles(svg).size(), 4u);
  EXPECT_THAT(svg, HasSubstr("x&lt;&amp;&gt;: fp16 [1, 4]"));
  EXPECT_THAT(svg, HasSubstr("add - first wrong"));
  EXPECT_EQ(Count(svg, "class=\"node wrong\""), 1u);
  EXPECT_EQ(Count(svg, "marker-end="), 4u);
  EXPECT_EQ(Count(svg, "class=\"edge\""), 5u);  // four edges, one of which has two pieces
  EXPECT_THAT(GraphPicture(Diamond()), Not(HasSubstr("wrong")));
  EXPECT_EQ(GraphSentence(Diamond()), "r = relu(x<&>)\ns = add(r, x<&>)\n");
}

TEST(GraphPicture, GraphsWithTooManyOperationsAreNotDrawn) {
  Graph graph;
  ValueId value = graph.AddInput({DType::kFp16, {2}});
  for (size_t i = 0; i <= kDrawnNodes; ++i) {
    EXPECT_EQ(GraphPicture(graph).empty(), i > kDrawnNodes);
    graph.BeginNode(&FindOp("relu")->schema);
    graph.AddArgument(0, value);
    value = *graph.FinishNode();
  }
  EXPECT_EQ(GraphPicture(graph), "");
}

RC_GTEST_PROP(GraphPicture, BoxesLieInsideWithoutOverlapAndFeedDownwards, (uint64_t seed)) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  Graph graph;
  GenerateGraph(choices, GeneratorOptions(), graph);
  const std::string svg = GraphPicture(graph);
  const std::vector<Rectangle> boxes = Rectangles(svg);
  RC_ASSERT(boxes.size() == graph.ValuesOfKind(ValueKind::kInput).size() +
                                graph.ValuesOfKind(ValueKind::kState).size() +
                                graph.nodes().size() + graph.outputs().size());
  std::smatch size;
  RC_ASSERT(std::regex_search(svg, size, std::regex("viewBox=\"0 0 (\\d+) (\\d+)\"")));
  for (const Rectangle& box : boxes) {
    RC_ASSERT(box.x >= 0 && box.x + box.width <= std::stod(size[1]));
    RC_ASSERT(box.y >= 0 && box.y + box.height <= std::stod(size[2]));
    for (const Rectangle& other : boxes) {
      if (&box == &other) continue;
      RC_ASSERT(box.x + box.width <= other.x || other.x + other.width <= box.x ||
                box.y + box.height <= other.y || other.y + other.height <= box.y);
    }
  }
  static const std::regex kEdge(
      "d=\"M-?\\d+ (-?\\d+) C-?\\d+ -?\\d+ -?\\d+ -?\\d+ -?\\d+ (-?\\d+)");
  for (std::sregex_iterator i(svg.begin(), svg.end(), kEdge), end; i != end; ++i) {
    RC_ASSERT(std::stod((*i)[1]) < std::stod((*i)[2]));
  }
}

}  // namespace
}  // namespace anecheck::reports
