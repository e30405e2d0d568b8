// Negative indices in programs below iOS 17.
#pragma once

#include <string_view>

#include "harness/graph/graph.h"

namespace anecheck {

// Whether programs of this opset count negative indices from the end: coremltools defines them so
// for gather and scatter of ios15 and ios16, and leaves them undefined from ios17 on.
bool CountsFromTheEnd(std::string_view opset);

// Gives constant negative indices of gather, scatter and their kin the places that they stand for.
// A graph does not say its opset, so that later readers take them for undefined. Constants
// that something else reads too, and those of nested blocks, stay.
void CountFromTheFront(Graph& graph);

}  // namespace anecheck
