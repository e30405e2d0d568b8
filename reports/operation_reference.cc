#include "reports/operation_reference.h"

#include <algorithm>
#include <fmt/format.h>

#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/base/real_text.h"
#include "harness/ops/native_layers.h"
#include "harness/ops/op.h"
#include "harness/ops/sheet.h"
#include "harness/verdict/route.h"
#include "oracles/catalogue.h"
#include "oracles/laws.h"
#include "oracles/legality/rules.h"
#include "oracles/reached_shares.h"
#include "oracles/reference/kernel.h"

namespace anecheck::reports {
namespace {

// The index of A13, which is the first family of the public matrix.
constexpr int kFirstOfMatrix = 2;

Json FloorJson(uint8_t floor) {
  if (floor >= kContractFamilies) return "none";
  return ConformingContract(floor).name;
}

Json FamiliesJson(uint32_t families) {
  Json list = Json::array();
  for (int family = 0; family < kContractFamilies; ++family) {
    if ((families >> family & 1) != 0) list.push_back(ConformingContract(family).name);
  }
  return list;
}

Json ParameterJson(const Parameter& parameter) {
  Json choices = Json::array();
  for (const std::string_view choice : parameter.choices) choices.push_back(choice);
  return {{"name", parameter.name},
          {"kind", ParameterKindName(parameter.kind)},
          {"required", parameter.need == Need::kRequired},
          {"dtypes", IsTensorKind(parameter.kind) ? Json(parameter.dtypes.ToString()) : Json()},
          {"constant", parameter.constant},
          {"choices", std::move(choices)},
          {"default", DefaultText(parameter)}};
}

// Returns null for operations that the public matrix does not list.
Json ReachJson(const OpSheet& sheet) {
  if (!sheet.reach) return nullptr;
  Json reach = Json::object();
  for (int family = kFirstOfMatrix; family < kContractFamilies; ++family) {
    reach[std::string(ConformingContract(family).name)] = ReachName(*ReachOn(sheet.name, family));
  }
  return reach;
}

// Returns null for operations that the legality tables do not list.
Json LegalityJson(std::string_view op) {
  const legality::Rules& rules = legality::Rules::Builtin();
  const legality::CatalogueRow* const row = rules.Find(op);
  if (row == nullptr) return nullptr;
  const auto text = [row](const char* field) {
    const auto found = row->fields.find(field);
    return found == row->fields.end() ? std::string() : found->second.text;
  };
  Json named = Json::array();
  for (const legality::Rule& rule : rules.rules()) {
    if (std::ranges::count(rule.subjects, row->name) +
            std::ranges::count(rule.subjects, row->native_layer) >
        0) {
      named.push_back(rule.id);
    }
  }
  return {{"native_layer", row->native_layer},
          {"below_floor", text("below")},
          {"floor_source", text("floor_source")},
          {"note", text("note")},
          {"source", text("source")},
          {"rules", std::move(named)}};
}

// Returns the families whose tables give an operation's results, or null if there are none.
Json TablesJson(OpKind kind) {
  if (!IsTabled(kind)) return nullptr;
  const auto law = std::ranges::find(LawFacts(), &Laws::tables, &LawFact::law);
  if (law == LawFacts().end()) return nullptr;
  return {{"law", law->name},
          {"measured", FamiliesJson(law->measured)},
          {"inferred", FamiliesJson(law->inferred)},
          {"source", law->source}};
}

std::string_view RouteText(const OpDefinition& op) {
  if (op.op_class == OpClass::kNative) return ToText(Route::kNetlist);
  return op.netlist_unit.empty() ? ToText(Route::kMil) : "mil, netlist";
}

Json OpJson(const OpDefinition& op, const ReferenceKernel& kernel, const ReachedShares& shares) {
  Json json = {{"name", op.schema.name},
               {"class", OpClassName(op.op_class)},
               {"route", RouteText(op)},
               {"netlist_unit", op.netlist_unit},
               {"family_floor", FloorJson(op.family_floor)},
               {"reach", ReachJson(op)},
               {"capability", op.capability},
               {"legality", LegalityJson(op.schema.name)},
               {"reference", op.no_reference_reason.empty()},
               {"reason", op.no_reference_reason},
               {"parameters", Json::array()},
               {"blocks", Json::array()},
               {"terms", Json::array()},
               {"tables", TablesJson(KindOf(op.schema))},
               {"reached_share", nullptr}};
  for (const Parameter& parameter : op.schema.parameters) {
    json["parameters"].push_back(ParameterJson(parameter));
  }
  for (const std::string_view block : op.schema.blocks) json["blocks"].push_back(block);
  for (const Term term : kernel.terms) {
    json["terms"].push_back(TermFacts()[static_cast<size_t>(term)].name);
  }
  const auto share = shares.find(op.schema.name);
  if (share != shares.end()) json["reached_share"] = share->second;
  return json;
}

Json CataloguedJson(const OpSheet& op) {
  return {{"name", op.name},
          {"class", OpClassName(op.op_class)},
          {"route", ""},
          {"netlist_unit", ""},
          {"family_floor", nullptr},
          {"reach", ReachJson(op)},
          {"capability", 0},
          {"legality", LegalityJson(op.name)},
          {"reference", false},
          {"reason", op.no_reference_reason},
          {"parameters", Json::array()},
          {"blocks", Json::array()},
          {"terms", Json::array()},
          {"tables", nullptr},
          {"reached_share", nullptr}};
}

// Returns the entry of a native layer that no operation computes.
Json LayerJson(const NativeLayer& layer) {
  Json json = CataloguedJson(
      {.name = layer.layer, .op_class = OpClass::kNative, .no_reference_reason = layer.reason});
  json["route"] = ToText(Route::kNetlist);
  json["netlist_unit"] = layer.unit;
  return json;
}

void AddShares(const Json& test, ReachedShares& shares) {
  for (const auto& [name, value] : test.items()) {
    if (FindOp(name) == nullptr || !value.is_string()) continue;
    const auto share = RealFromText<double>(value.get<std::string>());
    if (share) shares[name] = *share;
  }
}

std::string Text(const Json& json) { return json.get<std::string>(); }

}  // namespace

Result<ReachedShares> ReadReachedShares(std::string_view json, std::string_view name) {
  ANECHECK_ASSIGN(const Json document, ParseJson(json, name));
  ReachedShares shares;
  const auto members = [](const Json& value, const char* member) {
    const auto found = value.is_object() ? value.find(member) : value.end();
    return value.is_object() && found != value.end() && found->is_array() ? *found : Json::array();
  };
  for (const Json& suite : members(document, "testsuites")) {
    for (const Json& test : members(suite, "testsuite")) {
      if (test.is_object()) AddShares(test, shares);
    }
  }
  if (shares.empty()) {
    return MakeError(ErrorCode::kNotFound,
                     fmt::format("{}: holds no shares; `adversary_test --gtest_output=json:FILE` "
                                 "writes them",
                                 name));
  }
  return shares;
}

ReachedShares SharesOfThisTool() {
  ReachedShares shares;
  for (const ReachedShare& row : RecordedShares()) shares[std::string(row.op)] = row.share;
  return shares;
}

Json OperationReferenceJson(const ReachedShares& shares) {
  Json reference = {
      {"ops", Json::array()}, {"terms", Json::array()}, {"departures", Json::array()}};
  for (const NarrowedParameter& narrowed : NarrowedParameters()) {
    reference["narrowed_parameters"].push_back({{"layer", narrowed.layer},
                                                {"parameter", narrowed.parameter},
                                                {"reason", narrowed.reason}});
  }
  for (const OpDefinition* op : AllOps()) {
    reference["ops"].push_back(OpJson(*op, *AllReferenceKernels()[op->schema.id], shares));
  }
  for (const OpSheet& op : CataloguedOps()) reference["ops"].push_back(CataloguedJson(op));
  for (const NativeLayer& layer : NativeLayers()) {
    if (layer.op.empty()) reference["ops"].push_back(LayerJson(layer));
  }
  for (const TermFact& term : TermFacts()) {
    reference["terms"].push_back({{"name", term.name},
                                  {"value", term.conforming},
                                  {"measured", FamiliesJson(term.measured)},
                                  {"source", term.source}});
  }
  for (const Departure& departure : KnownDepartures()) {
    reference["departures"].push_back({{"id", departure.id},
                                       {"effect", EffectName(departure.effect)},
                                       {"op", departure.op},
                                       {"families", FamiliesJson(departure.families)},
                                       {"what", departure.what},
                                       {"source", departure.source}});
  }
  return reference;
}

std::string OperationReferenceText(const Json& reference) {
  std::string text =
      fmt::format("{:<40} {:<44} {:<12} {}\n", "operation", "class", "route", "reference");
  for (const Json& op : reference["ops"]) {
    const bool catalogued = Text(op["route"]).empty();
    const std::string answer = op["reference"].get<bool>() ? "yes" : Text(op["reason"]);
    text += fmt::format("{:<40} {:<44} {:<12} {}{}\n", Text(op["name"]), Text(op["class"]),
                        catalogued ? "none" : Text(op["route"]), catalogued ? "catalogued: " : "",
                        answer);
  }
  text += "\nparameters of native layers that are not supported, or with one value only\n";
  for (const Json& narrowed : reference["narrowed_parameters"]) {
    text += fmt::format("{:<40} {:<24} {}\n", Text(narrowed["layer"]), Text(narrowed["parameter"]),
                        Text(narrowed["reason"]));
  }
  return text;
}

}  // namespace anecheck::reports
