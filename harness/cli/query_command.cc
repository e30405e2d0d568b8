// `anecheck query`: runs SQL on a results file.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <memory>

#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/base/real_text.h"
#include "harness/cli/command.h"
#include "harness/cli/command_line.h"
#include "harness/cli/file_name.h"
#include "harness/results/store.h"

namespace anecheck {
namespace {

struct QueryFlags {
  std::string db = "anecheck.sqlite";
  std::string sql;
  bool json = false;
};

// Returns a CSV field (RFC 4180).
std::string Quoted(const std::string& field) {
  if (field.find_first_of(",\"\n\r") == std::string::npos) return field;
  std::string quoted = "\"";
  for (const char c : field) {
    quoted += c;
    if (c == '"') quoted += c;
  }
  return quoted + "\"";
}

// Returns a BLOB as an SQL literal, such as X'00FF', and other values as their text.
std::string Spelt(const StoreValue& value) {
  if (value.kind != StoreValue::Kind::kBlob) return value.text;
  std::string spelt = "X'";
  for (const char c : value.text) spelt += fmt::format("{:02X}", static_cast<uint8_t>(c));
  return spelt + "'";
}

// Makes the column names unique, because a JSON object would keep only one of two equal names. As
// in an SQLite table, the second of several "a" becomes "a:1".
std::vector<std::string> Distinct(const std::vector<std::string>& columns) {
  std::vector<std::string> distinct;
  for (const std::string& column : columns) {
    std::string name = column;
    for (int i = 1; std::ranges::find(distinct, name) != distinct.end(); ++i) {
      name = fmt::format("{}:{}", column, i);
    }
    distinct.push_back(std::move(name));
  }
  return distinct;
}

// Returns a value as JSON. A number that JSON lacks, such as an infinity, becomes its text.
Json ToJson(const StoreValue& value) {
  const char* const begin = value.text.data();
  const char* const end = begin + value.text.size();
  int64_t integer = 0;
  switch (value.kind) {
    case StoreValue::Kind::kNull:
      return nullptr;
    case StoreValue::Kind::kInteger:
      if (std::from_chars(begin, end, integer).ptr == end) return integer;
      break;
    case StoreValue::Kind::kReal:
      if (const auto real = RealFromText<double>(value.text); real && std::isfinite(*real)) {
        return *real;
      }
      break;
    case StoreValue::Kind::kText:
    case StoreValue::Kind::kBlob:
      break;
  }
  return Spelt(value);
}

int Run(const QueryFlags& flags) {
  Result<Store> store = Store::OpenReadOnly(flags.db);
  if (!store.ok()) return Fail(store.error());
  std::vector<std::string> columns;
  const auto rows = store->Query(flags.sql, &columns);
  if (!rows.ok()) return Fail(rows.error());
  std::string text;
  Json list = Json::array();
  const std::vector<std::string> keys = Distinct(columns);
  for (size_t i = 0; i < columns.size(); ++i) text += (i == 0 ? "" : ",") + Quoted(columns[i]);
  text += '\n';
  for (const std::vector<StoreValue>& row : *rows) {
    Json& entry = list.emplace_back(Json::object());
    for (size_t i = 0; i < row.size(); ++i) {
      entry[keys[i]] = ToJson(row[i]);
      text += (i == 0 ? "" : ",") + Quoted(Spelt(row[i]));
    }
    text += '\n';
  }
  Print(flags.json ? DumpJson(list, 2) : text);
  return kExitClean;
}

}  // namespace

void AddQueryCommand(CommandLine& app, Selected& selected) {
  CommandLine command = app.AddCommand("query", "Read a results file with SQL; prints CSV");
  auto flags = std::make_shared<QueryFlags>();
  command.AddOption("sql", flags->sql, "A SELECT statement").Required();
  command.AddOption("--db", flags->db, "Results file").Check(FileName()).ShowDefault();
  command.AddFlag("--json", flags->json, "Print JSON");
  command.Footer(
      "Example: anecheck query --db results.sqlite 'SELECT verdict, count(*) FROM cases GROUP BY "
      "verdict'");
  command.WhenChosen([flags, &selected] { selected = [flags] { return Run(*flags); }; });
}

}  // namespace anecheck
