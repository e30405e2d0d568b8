// Writes the reference of the operations as Markdown and as a page.
#include <algorithm>
#include <fmt/format.h>

#include "harness/base/json.h"
#include "harness/verdict/route.h"
#include "reports/html.h"
#include "reports/operation_reference.h"
#include "reports/page_files.h"
#include "reports/text.h"

namespace anecheck::reports {
namespace {

std::string Text(const Json& json) { return json.get<std::string>(); }

std::string Join(const Json& list) {
  std::string text;
  for (const Json& item : list) text += (text.empty() ? "" : ", ") + Text(item);
  return text;
}

// Returns the facts about one operation as pairs of a label and a value.
std::vector<std::pair<std::string, std::string>> Facts(const Json& op) {
  std::vector<std::pair<std::string, std::string>> facts;
  const std::string unit = Text(op["netlist_unit"]);
  facts.emplace_back("routes", Text(op["route"]).empty() ? "none: catalogued only"
                               : op["route"] == ToText(Route::kNetlist)
                                   ? "network description, unit " + unit
                               : unit.empty() ? "MIL"
                                              : "MIL; network description, unit " + unit);
  if (op["family_floor"] == "none") {
    facts.emplace_back("lowest family", "none: no engine has it");
  } else if (op["family_floor"].is_string()) {
    facts.emplace_back("lowest family", Text(op["family_floor"]));
  }
  if (op["capability"] != 0) {
    facts.emplace_back("capability byte", fmt::format("{:#x}", op["capability"].get<int>()));
  }
  if (!op["blocks"].empty()) facts.emplace_back("blocks", Join(op["blocks"]));
  facts.emplace_back("numeric reference",
                     op["reference"].get<bool>() ? "yes" : "no: " + Text(op["reason"]));
  if (op["reference"].get<bool>()) {
    facts.emplace_back("bound terms",
                       op["terms"].empty() ? "wide_intermediate alone" : Join(op["terms"]));
  }
  if (op["reached_share"].is_number()) {
    facts.emplace_back("share of the bound that worst engines reach",
                       fmt::format("{:.2f}", op["reached_share"].get<double>()));
  }
  return facts;
}

std::string TypeText(const Json& parameter) {
  std::string text = Text(parameter["kind"]);
  if (parameter["dtypes"].is_string()) text += " of " + Text(parameter["dtypes"]);
  if (parameter["constant"].get<bool>()) text += ", constant";
  if (!parameter["choices"].empty()) text += ": " + Join(parameter["choices"]);
  return text;
}

std::string DefaultText(const Json& parameter) {
  if (parameter["required"].get<bool>()) return "required";
  const std::string text = Text(parameter["default"]);
  return text.empty() ? "optional" : text;
}

std::string OpMarkdown(const Json& op) {
  std::string text = "### " + EscapeMarkdown(Text(op["name"])) + "\n\n";
  for (const auto& [word, fact] : Facts(op)) {
    text += "- " + word + ": " + EscapeMarkdown(fact) + "\n";
  }
  if (!op["parameters"].empty()) text += "\n| argument | type | default |\n|---|---|---|\n";
  for (const Json& parameter : op["parameters"]) {
    text +=
        fmt::format("| {} | {} | {} |\n", EscapeMarkdown(Text(parameter["name"])),
                    EscapeMarkdown(TypeText(parameter)), EscapeMarkdown(DefaultText(parameter)));
  }
  return text + "\n";
}

std::string OpHtml(const Json& op) {
  const std::string name = EscapeXml(Text(op["name"]));
  std::string text = fmt::format(
      "<section class=\"operation\" id=\"op-{0}\" data-class=\"{1}\" data-reference=\"{2}\">"
      "<h3><a class=\"op\" href=\"#op={0}\">{0}</a></h3>\n<dl>",
      name, EscapeXml(Text(op["class"])), op["reference"].get<bool>() ? "yes" : "no");
  for (const auto& [word, fact] : Facts(op)) {
    text += fmt::format("<dt>{}</dt><dd>{}</dd>", EscapeXml(word), EscapeXml(fact));
  }
  text += "</dl>\n";
  if (!op["parameters"].empty()) {
    text +=
        "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th scope=\"col\">argument</th>"
        "<th scope=\"col\">type</th><th scope=\"col\">default</th></tr></thead><tbody>";
    for (const Json& parameter : op["parameters"]) {
      text += fmt::format("<tr><td class=\"op\">{}</td><td>{}</td><td>{}</td></tr>",
                          EscapeXml(Text(parameter["name"])), EscapeXml(TypeText(parameter)),
                          EscapeXml(DefaultText(parameter)));
    }
    text += "</tbody></table></div>\n";
  }
  return text + "</section>\n";
}

using Row = std::vector<std::string>;

std::vector<Row> TermRows(const Json& reference) {
  std::vector<Row> rows = {{"term", "value", "measured on", "source"}};
  for (const Json& term : reference["terms"]) {
    rows.push_back({Text(term["name"]), fmt::format("{:g}", term["value"].get<double>()),
                    term["measured"].empty() ? "assumed" : Join(term["measured"]),
                    Text(term["source"])});
  }
  return rows;
}

std::vector<Row> DepartureRows(const Json& reference) {
  std::vector<Row> rows = {{"id", "operation", "families", "what", "source"}};
  for (const Json& row : reference["departures"]) {
    const std::string name = Text(row["op"]);
    rows.push_back({Text(row["id"]), name.empty() ? "by its effect" : name, Join(row["families"]),
                    Text(row["what"]), Text(row["source"])});
  }
  return rows;
}

std::vector<Row> ShareRows(const Json& reference) {
  std::vector<Row> rows = {{"operation", "share of the bound"}};
  for (const Json& op : reference["ops"]) {
    if (!op["reached_share"].is_number()) continue;
    rows.push_back({Text(op["name"]), fmt::format("{:.2f}", op["reached_share"].get<double>())});
  }
  return rows;
}

constexpr std::string_view kShares =
    "The share of the bound that the error of the worst test engine reaches: the mean over the "
    "result elements that have a bound. A test engine keeps the contract and rounds in the worst "
    "direction wherever the contract leaves a choice. None was ever outside a bound. For "
    "operations that are not listed, each result element admits one number only.";

std::string TableMarkdown(const std::vector<Row>& rows) {
  std::string text;
  for (const Row& row : rows) {
    text += '|';
    for (const std::string& field : row) text += ' ' + EscapeMarkdown(field) + " |";
    text += '\n';
    if (&row == rows.data()) {
      text += '|';
      for (size_t i = 0; i < row.size(); ++i) text += "---|";
      text += '\n';
    }
  }
  return text + '\n';
}

std::string TableHtml(const std::vector<Row>& rows) {
  std::string text = "<div class=\"scroll\" tabindex=\"0\"><table>";
  for (const Row& row : rows) {
    const bool head = &row == rows.data();
    text += head ? "<thead><tr>" : "<tr>";
    for (const std::string& field : row) {
      text += head ? "<th scope=\"col\">" + EscapeXml(field) + "</th>"
                   : "<td>" + EscapeXml(field) + "</td>";
    }
    text += head ? "</tr></thead><tbody>" : "</tr>";
  }
  return text + "</tbody></table></div>\n";
}

// Returns the classes in the order of their first operation.
Row Classes(const Json& reference) {
  Row classes;
  for (const Json& op : reference["ops"]) {
    const std::string name = Text(op["class"]);
    if (std::find(classes.begin(), classes.end(), name) == classes.end()) classes.push_back(name);
  }
  return classes;
}

}  // namespace

std::string OperationReferenceMarkdown(const Json& reference) {
  std::string text = "# Operations\n\n";
  for (const std::string& name : Classes(reference)) {
    text += "## " + EscapeMarkdown(name) + "\n\n";
    for (const Json& op : reference["ops"]) {
      if (op["class"] == name) text += OpMarkdown(op);
    }
  }
  return text + "## Terms of the bounds\n\n" + TableMarkdown(TermRows(reference)) +
         "## How near engines come to the bounds\n\n" + std::string(kShares) + "\n\n" +
         TableMarkdown(ShareRows(reference)) + "## Documented defects\n\n" +
         TableMarkdown(DepartureRows(reference));
}

std::string OperationReferenceHtml(const Json& reference) {
  std::string sections, options;
  for (const std::string& name : Classes(reference)) {
    options += "<option>" + EscapeXml(name) + "</option>";
    sections +=
        "<h2 class=\"class\" data-class=\"" + EscapeXml(name) + "\">" + EscapeXml(name) + "</h2>\n";
    for (const Json& op : reference["ops"]) {
      if (op["class"] == name) sections += OpHtml(op);
    }
  }
  std::string page =
      AssemblePage(page::kReferenceTemplate, {page::kPageStyle, page::kReferenceStyle},
                   {page::kPageHelpers, page::kReferencePage});
  page = FillMark(page, "{{classes}}", options);
  page = FillMark(page, "{{operations}}", sections);
  page = FillMark(page, "{{terms}}", TableHtml(TermRows(reference)));
  page = FillMark(page, "{{shares}}",
                  "<p>" + std::string(kShares) + "</p>\n" + TableHtml(ShareRows(reference)));
  return FillMark(page, "{{departures}}", TableHtml(DepartureRows(reference)));
}

}  // namespace anecheck::reports
