#include "harness/cases/rejected_graph.h"

#include <fmt/format.h>

#include "generators/must_reject.h"
#include "harness/targets/catalog.h"
#include "oracles/legality/legality.h"

namespace anecheck {
namespace {

bool IsListed(std::string_view list, std::string_view id) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    if (list.substr(0, comma) == id) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

// Whether the broken rules are `wanted` and, at most, rules that restate it.
bool BreaksOnly(const RuleBreak& wanted,
                const std::map<std::string, legality::LayerVerdict>& rules) {
  bool broken = false;
  for (const auto& [rule, layer] : rules) {
    broken |= rule == wanted.rule;
    if (rule != wanted.rule && !IsListed(wanted.restated_by, rule)) return false;
  }
  return broken;
}

}  // namespace

Result<std::map<std::string, legality::LayerVerdict>> RefusingRules(const Graph& graph,
                                                                    const Target& target) {
  std::map<std::string, legality::LayerVerdict> rules;
  for (const Node& node : graph.nodes()) {
    const legality::Instance instance = legality::InstanceOf(NodeView(graph, node));
    ANECHECK_ASSIGN(const legality::Verdict verdict,
                    legality::Judge(instance, target, Route::kMil));
    for (const legality::LayerVerdict& layer : verdict.layers) {
      if (layer.ruling == legality::Ruling::kReject) rules.emplace(layer.rule, layer);
    }
  }
  return rules;
}

Result<std::string> DrawRejected(ChoiceStream& choices, std::string_view target, Graph& graph) {
  ANECHECK_ASSIGN(const Target* found, FindTarget(target));
  const auto breaks = RuleBreaks();
  const uint64_t first = choices.Below(breaks.size());
  for (size_t i = 0; i < breaks.size(); ++i) {
    const RuleBreak& wanted = breaks[(first + i) % breaks.size()];
    graph.Clear();
    if (!wanted.draw(choices, *found, graph)) continue;
    ANECHECK_ASSIGN(const auto rules, RefusingRules(graph, *found));
    if (BreaksOnly(wanted, rules)) return std::string(wanted.rule);
  }
  return MakeError(ErrorCode::kNotFound,
                   fmt::format("{}: none of the rules that graphs are drawn to break refuses "
                               "anything here",
                               target));
}

}  // namespace anecheck
