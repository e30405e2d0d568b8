#include "oracles/legality/legality.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>

#include "harness/base/near_words.h"
#include "oracles/legality/scope.h"

namespace anecheck::legality {
namespace {

constexpr std::string_view kOutcomeNames[] = {"native", "decomposed", "rejected", "no path",
                                              "unknown"};

bool Contains(const std::vector<std::string>& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

bool SpeaksOf(const Rule& rule, const CatalogueRow& named) {
  return Contains(rule.subjects, "*") || Contains(rule.subjects, named.name) ||
         (!named.native_layer.empty() && Contains(rule.subjects, named.native_layer));
}

bool SpeaksOn(const Rule& rule, const Target& target, Route route) {
  if (rule.route && *rule.route != route) return false;
  return rule.tiers.empty() || Contains(rule.tiers, TierName(target.tier)) ||
         Contains(rule.tiers, target.name);
}

std::vector<const Rule*> RulesOf(const CatalogueRow& named, const Rules& rules) {
  std::vector<const Rule*> speaking;
  for (const Rule& rule : rules.rules()) {
    if (SpeaksOf(rule, named)) speaking.push_back(&rule);
  }
  return speaking;
}

// Returns RulesOf(named) for a row of the built-in tables, computed once.
const std::vector<const Rule*>& BuiltinRulesOf(const CatalogueRow& named) {
  using Index = std::unordered_map<const CatalogueRow*, std::vector<const Rule*>>;
  static const Index index = [] {
    const Rules& rules = Rules::Builtin();
    Index made;
    for (const CatalogueRow& row : rules.operations()) made.emplace(&row, RulesOf(row, rules));
    for (const CatalogueRow& row : rules.layers()) made.emplace(&row, RulesOf(row, rules));
    return made;
  }();
  return index.at(&named);
}

// Returns the ruling of a layer without an applicable rule. The direct route skips the layers
// before the capability byte (specification 004, two compile routes and their gates).
Ruling Unspoken(Layer layer, Route route) {
  const bool skipped =
      route == Route::kNetlist && (layer == Layer::kFrontEnd || layer == Layer::kMinimumFamily);
  return skipped ? Ruling::kNotRead : Ruling::kPass;
}

// Makes the rule the deciding rule of its layer if it applies and its ruling comes after the
// layer's current ruling in the order of Ruling.
void Apply(const Rule& rule, const InstanceScope& scope, Verdict& verdict) {
  LayerVerdict& layer = verdict.layers[static_cast<size_t>(rule.layer)];
  const Value value = rule.when.Evaluate(scope);
  if (value.is(Value::Kind::kAbsent)) {
    layer.open.push_back(fmt::format("{} depends on {}", rule.id, value.text));
    return;
  }
  const bool unknown = value.is(Value::Kind::kUnknown);
  if (!unknown && !value.truth()) return;
  const Ruling ruling = unknown ? Ruling::kUnknown : rule.ruling;
  // A rule with the ruling kPass decides only if no other rule applied.
  const bool remark =
      ruling == Ruling::kPass && layer.ruling == Ruling::kPass && layer.rule.empty();
  if (ruling <= layer.ruling && !remark) return;
  layer.ruling = ruling;
  layer.rule = rule.id;
  layer.reason = unknown ? value.text : rule.text.Fill(scope);
  layer.source = rule.source.Fill(scope);
  layer.others = rule.others;
  if (rule.everywhere && ruling == Ruling::kReject) verdict.outcome = Outcome::kNoPath;
}

void Conclude(Verdict& verdict) {
  bool refused = false, unknown = false, rewritten = false;
  for (LayerVerdict& layer : verdict.layers) {
    layer.reached = !refused;
    if (refused) continue;
    refused = layer.ruling == Ruling::kReject;
    unknown = unknown || layer.ruling == Ruling::kUnknown;
    rewritten = rewritten || layer.ruling == Ruling::kDecompose;
  }
  if (verdict.outcome == Outcome::kNoPath) return;
  if (refused) verdict.outcome = Outcome::kRejected;
  // A refusal decides the outcome even if an earlier layer is unknown.
  else if (unknown)
    verdict.outcome = Outcome::kUnknown;
  else if (rewritten)
    verdict.outcome = Outcome::kDecomposed;
}

Error UnknownOperation(std::string_view name, const Rules& rules) {
  std::vector<std::string> names;
  for (const CatalogueRow& row : rules.operations()) names.push_back(row.name);
  for (const CatalogueRow& row : rules.layers()) names.push_back(row.name);
  return MakeError(ErrorCode::kNotFound,
                   fmt::format("no operation or native layer \"{}\"{}; `anecheck ops` lists them",
                               name, DidYouMean(name, names)));
}

}  // namespace

std::string_view OutcomeName(Outcome outcome) {
  return kOutcomeNames[static_cast<size_t>(outcome)];
}

const LayerVerdict* Verdict::Stopper() const {
  for (const LayerVerdict& layer : layers) {
    if (layer.ruling == Ruling::kReject || layer.ruling == Ruling::kUnknown) return &layer;
  }
  return nullptr;
}

Result<Verdict> Judge(const Instance& instance, const Target& target, Route route,
                      FamilyOrder order, const Rules& rules) {
  const CatalogueRow* named = rules.Find(instance.op);
  if (named == nullptr) return UnknownOperation(instance.op, rules);
  Verdict verdict;
  verdict.op = named->name;
  verdict.native_layer = named->native_layer;
  verdict.target = target.compiler_name;
  verdict.route = route;
  for (size_t i = 0; i < kLayerCount; ++i) {
    verdict.layers.push_back({});
    verdict.layers[i].layer = static_cast<Layer>(i);
    verdict.layers[i].ruling = Unspoken(static_cast<Layer>(i), route);
  }
  // The direct route uses the native layer's row, if there is one.
  const CatalogueRow* direct = rules.Find(named->native_layer);
  const CatalogueRow& row = route == Route::kNetlist && direct != nullptr ? *direct : *named;
  const InstanceScope scope(rules, row, instance, target, route, order);
  const bool builtin = &rules == &Rules::Builtin();
  const std::vector<const Rule*> made =
      builtin ? std::vector<const Rule*>() : RulesOf(*named, rules);
  for (const Rule* rule : builtin ? BuiltinRulesOf(*named) : made) {
    if (SpeaksOn(*rule, target, route)) Apply(*rule, scope, verdict);
  }
  Conclude(verdict);
  return verdict;
}

Result<std::string> ReachStatus(std::string_view op, const Target& target, FamilyOrder order,
                                std::string* rule) {
  Instance instance;
  instance.op = op;
  ANECHECK_ASSIGN(const Verdict converted, Judge(instance, target, Route::kMil, order));
  const LayerVerdict* decisive = converted.Stopper();
  if (rule != nullptr) {
    *rule = decisive != nullptr ? decisive->rule : "";
    for (const LayerVerdict& layer : converted.layers) {
      if (rule->empty() && layer.ruling == Ruling::kDecompose) *rule = layer.rule;
    }
  }
  switch (converted.outcome) {
    case Outcome::kNative:
      return std::string("native");
    case Outcome::kDecomposed:
      return std::string("bridge");
    case Outcome::kNoPath:
      return std::string("no_path");
    case Outcome::kUnknown:
      return std::string("unknown");
    case Outcome::kRejected:
      break;
  }
  ANECHECK_ASSIGN(const Verdict authored, Judge(instance, target, Route::kNetlist, order));
  switch (authored.outcome) {
    case Outcome::kNative:
    case Outcome::kDecomposed:
      return std::string("bridge");
    case Outcome::kUnknown:
      if (rule != nullptr) *rule = authored.Stopper()->rule;
      return std::string("unknown");
    case Outcome::kRejected:
    case Outcome::kNoPath:
      break;
  }
  return std::string("family_gated");
}

}  // namespace anecheck::legality
