// Graphs that break one rule of legality, for campaigns in which an engine must refuse. The rule
// that a graph breaks is held as data; the caller asks the rule oracle whether it breaks another.
#pragma once

#include <span>
#include <string_view>

#include "generators/choice_stream.h"
#include "harness/graph/graph.h"
#include "harness/targets/target.h"

namespace anecheck {

struct RuleBreak {
  std::string_view rule;  // its id in oracles/legality/data/rules.json
  // The rules that state the same limit again, in the same layer or a later one, and so are broken
  // with it; ids separated by a comma, empty where there is none.
  std::string_view restated_by;
  // Draws a graph of a few operations of which one breaks the rule on `target`. False where the
  // target has no such rule or the graph cannot be expressed; `graph` is then of no use.
  bool (*draw)(ChoiceStream& choices, const Target& target, Graph& graph) = nullptr;
};

// In a fixed order, the simplest first.
std::span<const RuleBreak> RuleBreaks();

}  // namespace anecheck
