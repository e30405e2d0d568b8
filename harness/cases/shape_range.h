// Cases whose program has a range of shapes. One axis of one input has no fixed extent. The program
// is compiled once, and runs at the case's own extent, at both ends of the range and at the first
// step between them. Every output is judged at the shape of its execution.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "generators/choice_stream.h"
#include "harness/base/result.h"
#include "harness/cases/case.h"
#include "harness/runners/runner.h"

namespace anecheck {

// Returns the graph with `extent` along the range's axis. The operations and the shapes of
// constants stay the same. Errors: those of shape inference if the graph does not allow the extent.
Result<Graph> GraphAtExtent(const Graph& graph, const CaseRange& range, int64_t extent);

// Draws a range of at most three steps below and three steps above the graph's extent. The graphs
// at both ends break no legality rule on `target`. Empty if a few tries find no range. Also empty
// for a graph with a state or with values of another type than fp16, because integers may be
// indices that are out of range in a tensor of another shape.
std::optional<CaseRange> DrawRange(ChoiceStream& choices, const Graph& graph,
                                   std::string_view target);

// Fills `ranged_mil` and `further` of `item` from the case's range. `ranged_mil` has `?` for every
// extent that differs between the shapes that run, and the attribute FlexibleShapeInformation. The
// form [start, stop, step] in the attribute is assumed (harness/device/shape_range.h). The inputs
// at further shapes repeat the case's data along the axis. Errors: those of GraphAtExtent.
Status SpellRange(Case& item);

}  // namespace anecheck
