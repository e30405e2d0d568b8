// The page of the matrix: its data in the form that its script reads without a pause.
#include <string>
#include <unordered_map>

#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "reports/attestation.h"
#include "reports/html.h"
#include "reports/page_files.h"

namespace anecheck::reports {
namespace {

// One document a line: the script reads those that a cell asks for.
std::string JsonLines(const Json& list) {
  std::string text;
  for (const Json& item : list) text += DumpJson(item) + "\n";
  return text;
}

// Verdicts whose layers are numbers of lines of `layers`: most layers say the same in many
// verdicts.
std::string VerdictLines(const Json& verdicts, std::string& layers) {
  std::unordered_map<std::string, size_t> places;
  std::string text;
  for (Json verdict : verdicts) {
    for (Json& layer : verdict["layers"]) {
      const std::string line = DumpJson(layer);
      const auto [entry, fresh] = places.emplace(line, places.size());
      if (fresh) layers += line + "\n";
      layer = entry->second;
    }
    text += DumpJson(verdict) + "\n";
  }
  return text;
}

// The place of a name in a list, which grows by it where it is new.
size_t PlaceOf(const std::string& name, Json& names) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return i;
  }
  names.push_back(name);
  return names.size() - 1;
}

// Lists of numbers by cell: a tenth of the size of the cells' public form.
void AddCells(const Json& cells, Json& data) {
  Json states = Json::array(), kinds = Json::array(), columns = Json::object();
  for (const char* name : {"state", "kind", "flags", "verdict"}) columns[name] = Json::array();
  Json statements = Json::object();
  for (size_t i = 0; i < cells.size(); ++i) {
    const Json& cell = cells[i];
    columns["state"].push_back(PlaceOf(cell[3].get<std::string>(), states));
    columns["kind"].push_back(PlaceOf(cell[4].get<std::string>(), kinds));
    columns["verdict"].push_back(cell[5]);
    columns["flags"].push_back(cell[6]);
    if (!cell[7].empty()) statements[std::to_string(i)] = cell[7];
  }
  data["states"] = std::move(states);
  data["kinds"] = std::move(kinds);
  data["cells"] = std::move(columns);
  data["statements_of"] = std::move(statements);
}

}  // namespace

std::string AttestationHtml(const Attestation& matrix) {
  Json data = AttestationJson(matrix);
  const Json verdicts = std::move(data["verdicts"]), statements = std::move(data["statements"]);
  const Json cells = std::move(data["cells"]);
  for (const char* name : {"verdicts", "statements", "cells"}) data.erase(name);
  data["statement_count"] = statements.size();
  AddCells(cells, data);
  std::string html =
      AssemblePage(page::kAttestationTemplate, {page::kPageStyle, page::kAttestationStyle},
                   {page::kPageHelpers, page::kAttestationGrid, page::kAttestationPage});
  // From the last mark to the first, so that nothing in the data can pass for a mark.
  html = FillMark(html, "{{statements}}", ScriptSafe(JsonLines(statements)));
  std::string layers;
  const std::string verdict_lines = VerdictLines(verdicts, layers);
  html = FillMark(html, "{{layers}}", ScriptSafe(layers));
  html = FillMark(html, "{{verdicts}}", ScriptSafe(verdict_lines));
  return FillMark(html, "{{data}}", ScriptSafe(DumpJson(data)));
}

}  // namespace anecheck::reports
