// A graph as a picture: inline SVG, laid out in layers from inputs to outputs.
#pragma once

#include <span>
#include <string>

#include "harness/graph/graph.h"

namespace anecheck::reports {

// Graphs with more operations are not drawn.
inline constexpr size_t kDrawnNodes = 300;

// Draws a box for each input, state, operation and output, and a line for each operand. Does not
// draw constants and attributes. `marked` is the operation that gets the class "wrong" and the
// label "first wrong"; kNoNode: none. Colours come from the page's style through the classes
// "node", "input", "output", "wrong" and "edge". Empty for graphs with more than kDrawnNodes
// operations.
std::string GraphPicture(const Graph& graph, NodeId marked = kNoNode);

// Additions to an operation in the picture: a class, a line below its name, and a text that appears
// under the pointer; each may be empty.
struct NodeMark {
  std::string style, line, words;
};
// As GraphPicture, with a mark for each operation. Graphs may have up to kMarkedNodes operations.
inline constexpr size_t kMarkedNodes = 2000;
std::string MarkedPicture(const Graph& graph, std::span<const NodeMark> marks);

// The content of the picture as text, with one operation on each line, for readers who cannot see
// it.
std::string GraphSentence(const Graph& graph);

}  // namespace anecheck::reports
