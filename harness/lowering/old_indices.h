// Negative indices in programs below iOS 17.
#pragma once

#include <string_view>

#include "harness/graph/graph.h"

namespace anecheck {

// Whether negative indices count from the end of the axis in programs of this opset. coremltools
// defines this for gather and scatter of ios15 and ios16, and leaves them undefined from ios17 on.
bool CountsFromTheEnd(std::string_view opset);

// Replaces constant negative indices of gather, scatter and similar operations by the equivalent
// positive ones. A graph does not state its opset, so readers of a graph treat negative indices as
// undefined. Does not change constants that other operations read too, or constants in nested
// blocks.
void CountFromTheFront(Graph& graph);

}  // namespace anecheck
