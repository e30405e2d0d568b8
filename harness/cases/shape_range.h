// Cases whose program has a range of shapes: one axis of one input is left open. The program is
// compiled once, and runs at the case's own extent, at both ends of the range and on a step between
// them. Every output is judged at its shape.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "generators/choice_stream.h"
#include "harness/base/result.h"
#include "harness/cases/case.h"
#include "harness/runners/runner.h"

namespace anecheck {

// The graph with that extent along the range's axis: the same operations on constants of the same
// shape. Errors: those of shape inference if the graph does not allow the extent.
Result<Graph> GraphAtExtent(const Graph& graph, const CaseRange& range, int64_t extent);

// Draws a range around the graph's extent, of at most three steps down and up; the ends break no
// legality rule on `target`. Empty if a few tries find no range, and for a graph with operands
// other than fp16: its integers may be positions outside of the other shapes.
std::optional<CaseRange> DrawRange(ChoiceStream& choices, const Graph& graph,
                                   std::string_view target);

// The MIL text with the range: `?` for every extent that differs between the shapes that run, and
// the attribute FlexibleShapeInformation, whose triple [start, stop, step] is assumed
// (harness/device/shape_range.h). Fills `ranged_mil` and `further` of `item` by its range. Inputs
// of other shapes repeat the case's data along the axis. Errors: those of GraphAtExtent.
Status SpellRange(Case& item);

}  // namespace anecheck
