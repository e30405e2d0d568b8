// Cases whose program has a range of shapes: one axis of one input is left open, the program is
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
// shape. Errors: of shape inference, where the graph does not take the extent.
Result<Graph> GraphAtExtent(const Graph& graph, const CaseRange& range, int64_t extent);

// Draws a range that the graph is in, of at most three steps down and up; nothing where it takes
// none, as far as a few tries show. A graph with operands that are not fp16 takes none: its
// integers may be positions outside the other shapes. The ends break no legality rule on `target`.
std::optional<CaseRange> DrawRange(ChoiceStream& choices, const Graph& graph,
                                   std::string_view target);

// The MIL text with the range: `?` for every extent that is not the same at all shapes that run,
// and the attribute FlexibleShapeInformation, whose triple [start, stop, step] is assumed
// (harness/device/shape_range.h). Fills `ranged_mil` and `further` of `item` by its range. Inputs
// of other shapes repeat the case's along the axis. Errors: those of GraphAtExtent.
Status SpellRange(Case& item);

}  // namespace anecheck
