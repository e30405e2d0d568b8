#include "oracles/legality/gates.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "harness/targets/catalog.h"
#include "oracles/legality/scope.h"

namespace anecheck::legality {
namespace {

bool SpeaksOn(const Rule& rule, const Target& target) {
  return rule.tiers.empty() ||
         std::ranges::find(rule.tiers, TierName(target.tier)) != rule.tiers.end();
}

// If all targets that the rule covers refuse the unit, returns the rule's text for the first
// target.
std::optional<std::string> Refusal(const Rule& rule, const CatalogueRow& row,
                                   const Instance& unit) {
  std::optional<std::string> text;
  for (const Target& target : AllTargets()) {
    const InstanceScope scope(Rules::Builtin(), row, unit, target, Route::kNetlist,
                              FamilyOrder::kSpecification);
    const Value broken = rule.when.Evaluate(scope);
    // If no source gives a value for this target, the target does not count.
    if (!SpeaksOn(rule, target) || broken.is(Value::Kind::kUnknown)) continue;
    if (broken.missing() || !broken.truth()) return std::nullopt;
    if (!text) text = rule.text.Fill(scope);
  }
  return text;
}

}  // namespace

const std::vector<const Rule*>& Gates() {
  static const auto* const kGates = [] {
    auto* gates = new std::vector<const Rule*>;
    for (const Rule& rule : Rules::Builtin().rules()) {
      if (rule.gate) gates->push_back(&rule);
    }
    return gates;
  }();
  return *kGates;
}

std::vector<BrokenGate> BrokenGates(const Instance& unit) {
  std::vector<BrokenGate> broken;
  const CatalogueRow* row = Rules::Builtin().Find(unit.op);
  if (row == nullptr || !row->native) return broken;
  for (const Rule* rule : Gates()) {
    if (std::ranges::find(rule->subjects, row->name) == rule->subjects.end()) continue;
    if (auto text = Refusal(*rule, *row, unit)) broken.push_back({rule, *std::move(text)});
  }
  return broken;
}

}  // namespace anecheck::legality
