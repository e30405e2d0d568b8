// The page of the matrix. Its data have a form that the script reads fast.
#include <string>
#include <unordered_map>

#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "reports/attestation.h"
#include "reports/html.h"
#include "reports/page_files.h"

namespace anecheck::reports {
namespace {

// Returns one JSON document on each line. The script parses only those that an open cell needs.
std::string JsonLines(const Json& list) {
  std::string text;
  for (const Json& item : list) text += DumpJson(item) + "\n";
  return text;
}

// Returns the verdicts, in which line numbers of `layers` replace the layers. Many have equal
// layers.
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

// Returns the index of a name in a list. Appends the name if it is new.
size_t PlaceOf(const std::string& name, Json& names) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return i;
  }
  names.push_back(name);
  return names.size() - 1;
}

// Adds the cells as lists of numbers, which have a tenth of the size of their public form.
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
  // Fills the last placeholder first, so that text in the data is never taken for a placeholder.
  html = FillMark(html, "{{statements}}", ScriptSafe(JsonLines(statements)));
  std::string layers;
  const std::string verdict_lines = VerdictLines(verdicts, layers);
  html = FillMark(html, "{{layers}}", ScriptSafe(layers));
  html = FillMark(html, "{{verdicts}}", ScriptSafe(verdict_lines));
  return FillMark(html, "{{data}}", ScriptSafe(DumpJson(data)));
}

}  // namespace anecheck::reports
