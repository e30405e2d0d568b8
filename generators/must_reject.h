// Graphs that break one rule of legality, for campaigns in which an engine must refuse. The broken
// rule is data; the caller checks with the rule oracle whether the graph breaks another.
#pragma once

#include <span>
#include <string_view>

#include "generators/choice_stream.h"
#include "harness/graph/graph.h"
#include "harness/targets/target.h"

namespace anecheck {

struct RuleBreak {
  std::string_view rule;  // its id in oracles/legality/data/rules.json
  // Rules that restate the same limit, in the same layer or a later one, and so are broken too: ids
  // separated by commas, or empty.
  std::string_view restated_by;
  // Draws a graph of a few operations of which one breaks the rule on `target`. Returns false if
  // the target has no such rule or the graph cannot be expressed; `graph` is then unusable.
  bool (*draw)(ChoiceStream& choices, const Target& target, Graph& graph) = nullptr;
};

// All entries in a fixed order, the simplest first.
std::span<const RuleBreak> RuleBreaks();

}  // namespace anecheck
