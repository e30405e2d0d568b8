// Writes the description of one operation, for a terminal and as JSON.
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/json_words.h"
#include "reports/operation_reference.h"

namespace anecheck::reports {
namespace {

std::string Text(const Json& json) { return json.get<std::string>(); }

std::string Line(std::string_view word, std::string_view fact) {
  return fact.empty() ? "" : fmt::format("  {:<16} {}\n", word, fact);
}

// Returns for example "bridge on A13; native on A14 and later". Families of one mark are joined.
std::string ReachText(const Json& reach) {
  if (!reach.is_object()) return "not listed by the public matrix";
  std::vector<std::pair<std::string, std::string>> runs;  // a mark and its families
  for (const auto& [family, mark] : reach.items()) {
    if (runs.empty() || runs.back().first != Text(mark)) {
      runs.emplace_back(Text(mark), family);
    } else {
      runs.back().second += ", " + family;
    }
  }
  std::string text;
  for (const auto& [mark, families] : runs) {
    const bool last = &mark == &runs.back().first;
    const std::string first = families.substr(0, families.find(','));
    text += fmt::format("{}{} on {}", text.empty() ? "" : "; ", mark,
                        last ? first + " and later" : families);
  }
  return text + " [facts/op_device_matrix.csv]";
}

std::string TablesText(const Json& tables) {
  if (!tables.is_object()) return "";
  return Line("tables",
              fmt::format("the results are those of a table on {}, by inference also on "
                          "{} [{}]; `anecheck explain {}` tells more",
                          JoinedTexts(tables["measured"]), JoinedTexts(tables["inferred"]),
                          Text(tables["source"]), Text(tables["law"])));
}

std::string TermsText(const Json& sheet) {
  if (!sheet["reference"].get<bool>()) return Line("accuracy", "none: " + Text(sheet["reason"]));
  std::string text =
      Line("accuracy", "the exact value, rounded once to the type of the result, within");
  for (const Json& term : sheet["terms"]) {
    const std::string families = JoinedTexts(term["measured"]);
    text +=
        fmt::format("    {:<22} {:<12g} {} [{}]\n", Text(term["name"]), term["value"].get<double>(),
                    families.empty() ? "assumed" : "measured on " + families, Text(term["source"]));
  }
  if (sheet["reached_share"].is_number()) {
    text += fmt::format("    the worst engines of the tests reach {:.2f} of that bound\n",
                        sheet["reached_share"].get<double>());
  }
  return text;
}

std::string DefectsText(const Json& sheet) {
  std::string text;
  for (const Json& defect : sheet["departures"]) {
    text += fmt::format("    {:<4} {} [{}]\n", Text(defect["id"]), Text(defect["what"]),
                        Text(defect["source"]));
  }
  return text.empty() ? "" : "  documented defects\n" + text;
}

std::string ArgumentsText(const Json& sheet) {
  std::string text = sheet["parameters"].empty() ? "" : "  arguments\n";
  for (const Json& parameter : sheet["parameters"]) {
    std::string type = Text(parameter["kind"]);
    if (parameter["dtypes"].is_string()) type += " of " + Text(parameter["dtypes"]);
    if (parameter["constant"].get<bool>()) type += ", constant";
    const std::string fallback = Text(parameter["default"]);
    text += fmt::format("    {:<22} {}; {}\n", Text(parameter["name"]), type,
                        parameter["required"].get<bool>() ? "required"
                        : fallback.empty()                ? "optional"
                                                          : "default " + fallback);
  }
  return text;
}

std::string LegalityText(const Json& legality) {
  if (!legality.is_object()) return "";
  std::string rules;
  for (const Json& rule : legality["rules"]) rules += (rules.empty() ? "" : ", ") + Text(rule);
  std::string note = Text(legality["note"]);
  if (!note.empty()) note += fmt::format(" [{}]", Text(legality["source"]));
  return Line("native layer", Text(legality["native_layer"])) + Line("note", note) +
         Line("rules", rules);
}

std::string FloorText(const Json& sheet) {
  if (!sheet["family_floor"].is_string()) return "";
  if (sheet["family_floor"] == "none") return "no engine has it";
  std::string text = Text(sheet["family_floor"]);
  const Json& legality = sheet["legality"];
  if (!legality.is_object()) return text;
  const std::string below = Text(legality["below_floor"]);
  if (!below.empty()) text += below == "reject" ? "; refused below" : "; decomposed below";
  const std::string source = Text(legality["floor_source"]);
  return source.empty() ? text : fmt::format("{} [{}]", text, source);
}

}  // namespace

Json OperationSheetJson(const Json& reference, std::string_view name) {
  for (const Json& op : reference["ops"]) {
    if (op["name"] != name) continue;
    Json sheet = op;
    Json terms = Json::array();
    for (const Json& term : reference["terms"]) {
      for (const Json& used : op["terms"]) {
        if (used == term["name"]) terms.push_back(term);
      }
    }
    sheet["terms"] = std::move(terms);
    sheet["departures"] = Json::array();
    for (const Json& departure : reference["departures"]) {
      if (departure["op"] == name) sheet["departures"].push_back(departure);
    }
    return sheet;
  }
  return nullptr;
}

std::string OperationSheetText(const Json& reference, std::string_view name) {
  const Json sheet = OperationSheetJson(reference, name);
  if (!sheet.is_object()) return "";
  std::string text = fmt::format("{}: {}\n", name, Text(sheet["class"]));
  text += Line("routes", sheet["route"] == "" ? "none" : Text(sheet["route"]));
  text += Line("network unit", Text(sheet["netlist_unit"]));
  text += Line("reach", ReachText(sheet["reach"]));
  text += Line("lowest family", FloorText(sheet));
  if (sheet["capability"] != 0) {
    text += Line("capability byte", fmt::format("{:#x}", sheet["capability"].get<int>()));
  }
  return text + LegalityText(sheet["legality"]) + TermsText(sheet) + TablesText(sheet["tables"]) +
         DefectsText(sheet) + ArgumentsText(sheet);
}

}  // namespace anecheck::reports
