// Graphs that an engine must refuse according to the legality rules.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "generators/choice_stream.h"
#include "harness/base/result.h"
#include "harness/graph/graph.h"
#include "harness/targets/target.h"
#include "oracles/legality/legality.h"

namespace anecheck {

// Returns the rules by which a layer of the compiler refuses an operation of `graph` on `target` on
// the conversion route. The map has the layer's verdict for each rule's id. Errors: kNotFound for
// an operation that the rules do not know.
Result<std::map<std::string, legality::LayerVerdict>> RefusingRules(const Graph& graph,
                                                                    const Target& target);

// Draws a graph that breaks exactly one rule on the target, and returns the rule's id. A limit that
// a second layer restates counts as one rule. Errors: kNotFound for an unknown target, or for a
// target on which no rule can be broken.
Result<std::string> DrawRejected(ChoiceStream& choices, std::string_view target, Graph& graph);

}  // namespace anecheck
