// Graphs that break one rule of legality, for campaigns in which an engine must refuse every graph.
// Each entry names the rule that its graphs break. The caller checks with the rule oracle whether a
// graph breaks other rules too.
#pragma once

#include <span>
#include <string_view>

#include "generators/choice_stream.h"
#include "harness/graph/graph.h"
#include "harness/targets/target.h"

namespace anecheck {

struct RuleBreak {
  std::string_view rule;  // its id in oracles/legality/data/rules.json
  // Ids, separated by commas, of rules in the same or a later layer that restate the same limit. A
  // graph that breaks `rule` breaks these rules too. May be empty.
  std::string_view restated_by;
  // Draws a graph of a few operations, one of which breaks the rule on `target`. Returns false if
  // the target has no such rule or the graph cannot be expressed; `graph` is then unusable.
  bool (*draw)(ChoiceStream& choices, const Target& target, Graph& graph) = nullptr;
};

// All entries in a fixed order, the simplest first.
std::span<const RuleBreak> RuleBreaks();

}  // namespace anecheck
