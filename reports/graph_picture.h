// Draws a graph as inline SVG, in layers from inputs to outputs.
#pragma once

#include <span>
#include <string>

#include "harness/graph/graph.h"

namespace anecheck::reports {

// Graphs with more operations are not drawn.
inline constexpr size_t kDrawnNodes = 300;

// Draws a box for each input, state, operation and output, and a line for each operand. Does not
// draw constants and attributes. The operation `marked`, unless it is kNoNode, gets the class
// "wrong" and the label "first wrong". The page's style sets the colours of the classes "node",
// "input", "output", "wrong" and "edge". Returns an empty text for graphs with more than
// kDrawnNodes operations.
std::string GraphPicture(const Graph& graph, NodeId marked = kNoNode);

// Additions to an operation in the picture. They are a class, a line below its name, and a text
// that appears under the pointer. Each may be empty.
struct NodeMark {
  std::string style, line, words;
};
// As GraphPicture, with a mark for each operation. Graphs may have up to kMarkedNodes operations.
inline constexpr size_t kMarkedNodes = 2000;
std::string MarkedPicture(const Graph& graph, std::span<const NodeMark> marks);

// Returns the picture as text, one operation on each line, for readers who cannot see it.
std::string GraphSentence(const Graph& graph);

}  // namespace anecheck::reports
