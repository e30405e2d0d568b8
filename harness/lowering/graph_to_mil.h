// Writes a graph as MIL text: what the conversion route's compiler reads.
#pragma once

#include <string>

#include "harness/base/result.h"
#include "harness/formats/mil/text_writer.h"
#include "harness/graph/graph.h"

namespace anecheck {

// Appends nothing to `writer` but the program: `func main<ios18>` with the graph's inputs (then
// states) as parameters, its constants as const statements, attributes as literals. Float
// attributes are rounded once to the element type that MIL gives them (the first operand's, or
// fp32). The text is valid until the writer is cleared. Names are those of the graph. An integer
// attribute beyond MIL's 32 bits is an error; the text is then of no use.
// A nested block names the values it captures in place and begins its own names with the
// statement's. No public text shows the labels of blocks: MIL's names of the functions serve.
Status GraphToMil(const Graph& graph, mil::TextWriter& writer);

// The same into a string of its own.
Result<std::string> GraphToMil(const Graph& graph);

}  // namespace anecheck
