#include "oracles/legality/explain.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

#include "harness/base/counted.h"
#include "harness/base/json.h"
#include "harness/targets/chip_names.h"

namespace anecheck::legality {
namespace {

std::string LayerText(const LayerVerdict& layer) {
  const std::string_view verdict = layer.reached ? RulingName(layer.ruling) : "not reached";
  std::string text = fmt::format("  {:<16} {:<11}", LayerName(layer.layer), verdict);
  if (!layer.reached && layer.ruling > Ruling::kNotRead) {
    text += fmt::format(" would {}:", RulingName(layer.ruling));
  }
  if (!layer.reason.empty()) text += " " + layer.reason;
  if (!layer.source.empty()) text += fmt::format(" [{}]", layer.source);
  while (text.ends_with(' ')) text.pop_back();
  text += "\n";
  for (const OtherReading& other : layer.others) {
    text += fmt::format("{:<20}otherwise: {} [{}]\n", "", other.says, other.source);
  }
  return text;
}

// Returns the names that some rule reads, directly or through a definition.
std::set<std::string, std::less<>> NamesThatRulesRead() {
  const Rules& rules = Rules::Builtin();
  std::set<std::string, std::less<>> names;
  std::vector<std::string> open;
  for (const Rule& rule : rules.rules()) std::ranges::copy(rule.when.Names(), back_inserter(open));
  while (!open.empty()) {
    const auto [name, is_new] = names.insert(std::move(open.back()));
    open.pop_back();
    const Expression* definition = is_new ? rules.Definition(*name) : nullptr;
    if (definition != nullptr) std::ranges::copy(definition->Names(), back_inserter(open));
  }
  return names;
}

Error NotSaid(std::string_view name, std::string_view what, const OpSchema& schema) {
  std::string arguments;
  for (const Parameter& parameter : schema.parameters) {
    arguments += fmt::format("{}{}", arguments.empty() ? "" : ", ", parameter.name);
  }
  return MakeError(ErrorCode::kInvalid, fmt::format("{}: {} has no such {}; its arguments are {}",
                                                    name, schema.name, what, arguments));
}

}  // namespace

Status CheckSaid(const Instance& instance, const OpSchema& schema) {
  static const std::set<std::string, std::less<>> kRead = NamesThatRulesRead();
  for (const auto& [name, value] : instance.attributes) {
    if (schema.FindParameter(name) < 0 && !kRead.contains(name)) {
      return NotSaid(name, "attribute", schema);
    }
  }
  // The members of a tuple have separate names.
  if (std::ranges::any_of(schema.parameters, [](const Parameter& parameter) {
        return parameter.kind == ParameterKind::kTensorList;
      })) {
    return {};
  }
  for (const Operand& operand : instance.operands) {
    if (schema.FindParameter(operand.name) < 0) return NotSaid(operand.name, "operand", schema);
  }
  return {};
}

std::string VerdictText(const Verdict& verdict, const Target& target) {
  const std::string chips = ChipsText(target);
  std::string text = fmt::format("{} on {} ({}), route {}: {}\n", verdict.op, verdict.target,
                                 chips.empty() ? TierName(target.tier) : std::string_view(chips),
                                 ToText(verdict.route), OutcomeName(verdict.outcome));
  if (!verdict.native_layer.empty()) {
    text += fmt::format("  {:<16} {}\n", "native layer", verdict.native_layer);
  }
  size_t open = 0;
  for (const LayerVerdict& layer : verdict.layers) {
    text += LayerText(layer);
    open += layer.open.size();
  }
  if (open > 0) {
    text += fmt::format("  {} undecided for want of attributes or shapes (--json)\n",
                        Counted(open, "rule"));
  }
  return text;
}

const Rule* FindRule(std::string_view id) {
  const auto rules = Rules::Builtin().rules();
  const auto found = std::ranges::find(rules, id, &Rule::id);
  return found == rules.end() ? nullptr : &*found;
}

std::string RuleText(const Rule& rule) {
  std::string text =
      fmt::format("{}: a rule of the {}\n  applies to: {}{}{}\n", rule.id, LayerName(rule.layer),
                  rule.subjects == std::vector<std::string>{"*"}
                      ? "every operation"
                      : fmt::format("{}", fmt::join(rule.subjects, ", ")),
                  rule.tiers.empty() ? "" : fmt::format(", on {}", fmt::join(rule.tiers, ", ")),
                  rule.route ? fmt::format(", by route {}", ToText(*rule.route)) : "");
  text += fmt::format("  when: {}\n  then: {}{}\n  source: {}\n", rule.when_text,
                      RulingName(rule.ruling),
                      rule.text.text().empty() ? "" : ": " + rule.text.text(), rule.source.text());
  if (rule.everywhere) text += "  no target has a layer for it, so the host computes it\n";
  for (const OtherReading& other : rule.others) {
    text += fmt::format("  otherwise: {} [{}]\n", other.says, other.source);
  }
  return text;
}

Json RuleJson(const Rule& rule) {
  Json others = Json::array();
  for (const OtherReading& other : rule.others) {
    others.push_back({{"says", other.says}, {"source", other.source}});
  }
  return {{"rule", rule.id},
          {"layer", LayerName(rule.layer)},
          {"subjects", rule.subjects},
          {"tiers", rule.tiers},
          {"route", rule.route ? Json(ToText(*rule.route)) : Json(nullptr)},
          {"when", rule.when_text},
          {"ruling", RulingName(rule.ruling)},
          {"text", rule.text.text()},
          {"source", rule.source.text()},
          {"everywhere", rule.everywhere},
          {"others", std::move(others)}};
}

Json VerdictJson(const Verdict& verdict) {
  Json layers = Json::array();
  for (const LayerVerdict& layer : verdict.layers) {
    Json others = Json::array();
    for (const OtherReading& other : layer.others) {
      others.push_back({{"says", other.says}, {"source", other.source}});
    }
    Json open = Json::array();
    for (const std::string& what : layer.open) open.push_back(what);
    layers.push_back({{"layer", LayerName(layer.layer)},
                      {"verdict", RulingName(layer.ruling)},
                      {"reached", layer.reached},
                      {"rule", layer.rule},
                      {"reason", layer.reason},
                      {"source", layer.source},
                      {"others", std::move(others)},
                      {"depends_on", std::move(open)}});
  }
  return {{"op", verdict.op},
          {"native_layer", verdict.native_layer},
          {"target", verdict.target},
          {"route", ToText(verdict.route)},
          {"outcome", OutcomeName(verdict.outcome)},
          {"layers", std::move(layers)}};
}

}  // namespace anecheck::legality
