#include "harness/results/schema.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/one_line.h"
#include "harness/results/row_values.h"

namespace anecheck {
namespace {

constexpr size_t kShownKey = 100;  // bytes

// Returns the names of the key's columns, including the run.
std::vector<std::string_view> KeyOf(const TableRule& rule, std::span<const ColumnRule> columns) {
  std::vector<std::string_view> names;
  if (rule.of_run) names.push_back(kRunColumn.name);
  for (const ColumnRule& column : columns) {
    if (column.key) names.push_back(column.name);
  }
  return names;
}

std::vector<std::string_view> NamesOf(const TableRule& rule, std::span<const ColumnRule> columns,
                                      bool large) {
  std::vector<std::string_view> names;
  if (rule.of_run) names.push_back(kRunColumn.name);
  for (const ColumnRule& column : columns) {
    if (large || !column.large) names.push_back(column.name);
  }
  return names;
}

// Returns the SQL of a growing column's next value. `most` is the column with Growth::kMost.
std::string GrownSql(const ColumnRule& column, std::string_view most) {
  const std::string_view name = column.name;
  switch (column.growth) {
    case Growth::kNone:
      break;
    case Growth::kSum:
      return fmt::format("{0} = {0} + excluded.{0}", name);
    case Growth::kLeast:
      return fmt::format("{0} = min({0}, excluded.{0})", name);
    case Growth::kMost:
      return fmt::format("{0} = max({0}, excluded.{0})", name);
    case Growth::kOfMost:
      return fmt::format(
          "{0} = CASE WHEN excluded.{1} > {1} THEN excluded.{0} WHEN excluded.{1} < {1} THEN {0} "
          "ELSE min({0}, excluded.{0}) END",
          name, most);
  }
  return {};
}

}  // namespace

const std::vector<TableShape>& AllTables() {
  static const auto* const kTables = [] {
    auto* tables = new std::vector<TableShape>;
    [&]<typename... Rows>(std::tuple<Rows...>*) {
      (tables->push_back({kTable<Rows>.rule, RulesOf<Rows>()}), ...);
    }(static_cast<TableRows*>(nullptr));
    return tables;
  }();
  return *kTables;
}

std::string CreateTableSql(const TableShape& table, bool temporary) {
  std::string sql = fmt::format("CREATE {}TABLE {} (\n  -- {}\n", temporary ? "TEMPORARY " : "",
                                table.rule.name, table.rule.note);
  if (table.rule.of_run) sql += "  run INTEGER NOT NULL REFERENCES runs(id),\n";
  for (const ColumnRule& column : table.columns) {
    sql += fmt::format("  {} {}{},{}{}\n", column.name, column.type,
                       column.optional ? "" : " NOT NULL", column.note.empty() ? "" : "  -- ",
                       column.note);
  }
  const std::string_view end = table.rule.end;
  sql += fmt::format("  PRIMARY KEY ({}){}{}\n) STRICT{}",
                     fmt::join(KeyOf(table.rule, table.columns), ", "), end.empty() ? "" : ", ",
                     end, table.rule.of_run ? ", WITHOUT ROWID" : "");
  if (!table.rule.index.empty() && !temporary) sql += fmt::format(";\n{}", table.rule.index);
  return sql + ";\n";
}

std::string SchemaSql() {
  std::string sql =
      "CREATE TABLE meta (\n  key TEXT PRIMARY KEY,  -- 'schema_version', 'tool_version'\n"
      "  value TEXT NOT NULL\n) STRICT, WITHOUT ROWID;\n";
  for (const TableShape& table : AllTables()) sql += CreateTableSql(table);
  return sql;
}

std::string SelectSql(const TableRule& rule, std::span<const ColumnRule> columns, bool large,
                      std::string_view table) {
  return fmt::format("SELECT {} FROM {}", fmt::join(NamesOf(rule, columns, large), ", "), table);
}

std::string OrderSql(const TableRule& rule, std::span<const ColumnRule> columns) {
  return fmt::format(" ORDER BY {}", fmt::join(KeyOf(rule, columns), ", "));
}

std::string InsertSql(const TableRule& rule, std::span<const ColumnRule> columns) {
  const std::vector<std::string_view> names = NamesOf(rule, columns, true);
  const std::vector<std::string_view> marks(names.size(), "?");
  std::string sql = fmt::format("INSERT INTO {} ({}) VALUES ({})", rule.name,
                                fmt::join(names, ", "), fmt::join(marks, ","));
  const auto most = std::ranges::find(columns, Growth::kMost, &ColumnRule::growth);
  std::vector<std::string> grown;
  for (const ColumnRule& column : columns) {
    std::string one = GrownSql(column, most == columns.end() ? "" : most->name);
    if (!one.empty()) grown.push_back(std::move(one));
  }
  if (grown.empty()) return sql;
  return sql + fmt::format(" ON CONFLICT DO UPDATE SET {}", fmt::join(grown, ", "));
}

Error DamagedRow(std::string_view path, std::string_view table, sqlite3_stmt* statement,
                 std::span<const int> keys, std::string_view column, std::string_view problem) {
  std::string row;
  for (const int at : keys) {
    const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(statement, at));
    row += fmt::format("{}{}", row.empty() ? "" : ", ", text == nullptr ? "" : text);
  }
  return MakeError(ErrorCode::kMalformed,
                   fmt::format("{}: table {}, row ({}), column {}: {}; the file is damaged", path,
                               table, OneLine(row.substr(0, kShownKey)), column, problem));
}

}  // namespace anecheck
