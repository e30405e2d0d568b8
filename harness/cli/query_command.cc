// `anecheck query`: SQL over a results file.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "harness/campaign/store.h"
#include "harness/cli/command.h"

namespace anecheck {
namespace {

struct QueryFlags {
  std::string db = "anecheck.sqlite";
  std::string sql;
  bool json = false;
};

// One CSV field (RFC 4180).
std::string Quoted(const std::string& field) {
  if (field.find_first_of(",\"\n\r") == std::string::npos) return field;
  std::string quoted = "\"";
  for (const char c : field) {
    quoted += c;
    if (c == '"') quoted += c;
  }
  return quoted + "\"";
}

int Run(const QueryFlags& flags) {
  Result<Store> store = Store::OpenReadOnly(flags.db);
  if (!store.ok()) return Fail(store.error());
  std::vector<std::string> columns;
  const auto rows = store->Query(flags.sql, {}, &columns);
  if (!rows.ok()) return Fail(rows.error());
  std::string text;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (size_t i = 0; i < columns.size(); ++i) text += (i == 0 ? "" : ",") + Quoted(columns[i]);
  text += '\n';
  for (const std::vector<std::string>& row : *rows) {
    nlohmann::ordered_json& entry = list.emplace_back();
    for (size_t i = 0; i < row.size(); ++i) {
      entry[columns[i]] = row[i];
      text += (i == 0 ? "" : ",") + Quoted(row[i]);
    }
    text += '\n';
  }
  Print(flags.json ? list.dump(2) : text);
  return kExitClean;
}

}  // namespace

void AddQueryCommand(CLI::App& app, Selected& selected) {
  CLI::App* command = app.add_subcommand("query", "Read a results file with SQL; prints CSV");
  auto flags = std::make_shared<QueryFlags>();
  command->add_option("sql", flags->sql, "A SELECT statement")->required();
  command->add_option("--db", flags->db, "Results file")->capture_default_str();
  command->add_flag("--json", flags->json, "Print JSON");
  command->footer(
      "Example: anecheck query --db results.sqlite 'SELECT verdict, count(*) FROM cases GROUP BY "
      "verdict'");
  command->callback([flags, &selected] { selected = [flags] { return Run(*flags); }; });
}

}  // namespace anecheck
