#include "oracles/legality/rules.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <iterator>

#include "harness/base/json_fields.h"
#include "harness/base/log.h"
#include "harness/ops/sheet.h"
#include "oracles/legality/embedded.h"

namespace anecheck::legality {
namespace {

using json_fields::Array;
using json_fields::Bad;
using json_fields::String;
using json_fields::StringOr;
using json_fields::Strings;

constexpr std::string_view kLayerNames[] = {"front end", "minimum family", "capability byte",
                                            "validator", "kernel memory",  "code generation",
                                            "placement"};
constexpr std::string_view kRulingNames[] = {"pass",      "not read", "split",
                                             "decompose", "unknown",  "reject"};

template <typename Enum, size_t kSize>
Result<Enum> Named(std::string_view name, const std::string_view (&names)[kSize],
                   std::string_view what) {
  const auto* found = std::find(std::begin(names), std::end(names), name);
  if (found == std::end(names)) {
    std::string list;
    for (const std::string_view known : names)
      list += fmt::format("{}{}", list.empty() ? "" : ", ", known);
    return MakeError(ErrorCode::kInvalid, fmt::format("\"{}\" is no {}: {}", name, what, list));
  }
  return static_cast<Enum>(found - std::begin(names));
}

Value FromJson(const Json& json) {
  if (json.is_boolean()) return Value::Bool(json.get<bool>());
  if (json.is_number()) return Value::Number(json.get<double>());
  if (json.is_string()) return Value::Text(json.get<std::string>());
  std::vector<Value> list;
  if (json.is_array()) {
    for (const Json& item : json) list.push_back(FromJson(item));
  }
  return Value::List(std::move(list));
}

// Takes the operation's class from ops.def, and its lowest family too if the row names a source for
// that family.
void TakeFromSheet(CatalogueRow& row) {
  const OpSheet* const sheet = FindSheet(row.name);
  if (sheet == nullptr || !sheet->reach) {
    row.op_class = "names outside the public matrix";
    return;
  }
  row.op_class = OpClassName(sheet->op_class);
  if (row.fields.contains("floor_source") && !row.fields.contains("floor_at_most")) {
    row.fields.emplace("floor", Value::Number(sheet->family_floor));
  }
}

Result<CatalogueRow> ReadRow(const Json& json, bool native, std::string_view path) {
  CatalogueRow row;
  ANECHECK_ASSIGN(row.name, String(json, native ? "layer" : "op", path));
  if (const auto source = String(json, "source", row.name); !source.ok()) return source.error();
  row.native = native;
  row.native_layer = native ? row.name : StringOr(json, "layer", "");
  for (const auto& [key, value] : json.items()) row.fields.insert_or_assign(key, FromJson(value));
  if (native) {
    row.op_class = OpClassName(OpClass::kNative);
  } else {
    TakeFromSheet(row);
  }
  return row;
}

Result<Rule> ReadRule(const Json& json, std::string_view path) {
  Rule rule;
  ANECHECK_ASSIGN(rule.id, String(json, "id", path));
  ANECHECK_ASSIGN(const std::string layer, String(json, "layer", rule.id));
  ANECHECK_ASSIGN(rule.layer, Named<Layer>(layer, kLayerNames, "layer"));
  ANECHECK_ASSIGN(rule.subjects, Strings(json, "of", rule.id));
  if (rule.subjects.empty()) return Bad(rule.id, "needs \"of\"");
  ANECHECK_ASSIGN(rule.tiers, Strings(json, "tiers", rule.id));
  if (json.contains("route")) {
    ANECHECK_ASSIGN(rule.route, FromText<Route>(StringOr(json, "route", "")));
  }
  ANECHECK_ASSIGN(rule.when_text, String(json, "when", rule.id));
  ANECHECK_ASSIGN(rule.when, Expression::Parse(rule.when_text));
  ANECHECK_ASSIGN(rule.ruling,
                  Named<Ruling>(StringOr(json, "ruling", "reject"), kRulingNames, "ruling"));
  ANECHECK_ASSIGN(const std::string text, String(json, "text", rule.id));
  ANECHECK_ASSIGN(rule.text, Template::Parse(text));
  ANECHECK_ASSIGN(const std::string source, String(json, "source", rule.id));
  ANECHECK_ASSIGN(rule.source, Template::Parse(source));
  rule.everywhere = json.value("everywhere", false);
  rule.gate = json.value("gate", false);
  if (rule.gate && rule.layer != Layer::kValidator) return Bad(rule.id, "a gate is a validator's");
  ANECHECK_ASSIGN(const std::vector<const Json*> others, Array(json, "others", rule.id));
  for (const Json* other : others) {
    rule.others.push_back({StringOr(*other, "says", ""), StringOr(*other, "source", "")});
  }
  return rule;
}

// Adds the row's name and its aliases. Each name must be unique.
Status AddNames(const CatalogueRow& row, size_t index,
                std::map<std::string, std::pair<bool, size_t>, std::less<>>& names) {
  std::vector<std::string> all = {row.name};
  if (const auto aliases = row.fields.find("aliases"); aliases != row.fields.end()) {
    for (const Value& alias : aliases->second.list) all.push_back(alias.text);
  }
  for (const std::string& name : all) {
    if (!names.emplace(name, std::pair(row.native, index)).second) {
      return Bad("catalogue", fmt::format("\"{}\" stands twice", name));
    }
  }
  return {};
}

}  // namespace

std::string_view LayerName(Layer layer) { return kLayerNames[static_cast<size_t>(layer)]; }
std::string_view RulingName(Ruling ruling) { return kRulingNames[static_cast<size_t>(ruling)]; }

const Rules& Rules::Builtin() {
  static const Rules* const kRules = [] {
    auto parsed = Parse(legality_data::kOperations, legality_data::kLayers, legality_data::kRules);
    if (!parsed.ok()) {
      LogError("embedded legality tables: " + parsed.error().message);
      std::abort();
    }
    return new Rules(std::move(*parsed));
  }();
  return *kRules;
}

Result<Rules> Rules::Parse(std::string_view operations, std::string_view layers,
                           std::string_view rules_text) {
  Rules rules;
  ANECHECK_ASSIGN(const Json op_table, json_fields::ParseDocument(operations, "operations"));
  ANECHECK_ASSIGN(const Json layer_table, json_fields::ParseDocument(layers, "layers"));
  ANECHECK_ASSIGN(const Json rule_table, json_fields::ParseDocument(rules_text, "rules"));
  ANECHECK_ASSIGN(const std::vector<const Json*> ops, Array(op_table, "operations", "operations"));
  for (const Json* json : ops) {
    ANECHECK_ASSIGN(CatalogueRow row, ReadRow(*json, false, "operations"));
    rules.operations_.push_back(std::move(row));
    ANECHECK_RETURN_IF_ERROR(
        AddNames(rules.operations_.back(), rules.operations_.size() - 1, rules.by_name_));
  }
  ANECHECK_ASSIGN(const std::vector<const Json*> natives, Array(layer_table, "layers", "layers"));
  for (const Json* json : natives) {
    ANECHECK_ASSIGN(CatalogueRow row, ReadRow(*json, true, "layers"));
    rules.layers_.push_back(std::move(row));
    ANECHECK_RETURN_IF_ERROR(
        AddNames(rules.layers_.back(), rules.layers_.size() - 1, rules.by_name_));
  }
  if (const auto found = rule_table.find("definitions"); found != rule_table.end()) {
    for (const auto& [name, text] : found->items()) {
      ANECHECK_ASSIGN(Expression expression, Expression::Parse(text.get<std::string>()));
      rules.definitions_.emplace(name, std::move(expression));
    }
  }
  ANECHECK_ASSIGN(const std::vector<const Json*> rows, Array(rule_table, "rules", "rules"));
  for (const Json* json : rows) {
    ANECHECK_ASSIGN(Rule rule, ReadRule(*json, "rules"));
    rules.rules_.push_back(std::move(rule));
  }
  return rules;
}

const CatalogueRow* Rules::Find(std::string_view name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return nullptr;
  const auto& [native, index] = found->second;
  return native ? &layers_[index] : &operations_[index];
}

const Expression* Rules::Definition(std::string_view name) const {
  const auto found = definitions_.find(name);
  return found == definitions_.end() ? nullptr : &found->second;
}

}  // namespace anecheck::legality
