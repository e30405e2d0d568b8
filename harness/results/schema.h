// The SQL that follows from the descriptions of tables.h. Other rooms use only SchemaSql.
#pragma once

#include <span>
#include <sqlite3.h>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "harness/base/result.h"
#include "harness/results/column.h"
#include "harness/results/tables.h"

namespace anecheck {

// The first column of every table whose rows belong to runs.
inline constexpr ColumnRule kRunColumn = {
    .name = "run", .type = "INTEGER", .key = true, .least = 1};

template <typename Row>
std::vector<ColumnRule> RulesOf() {
  return std::apply([](const auto&... column) { return std::vector<ColumnRule>{column...}; },
                    kTable<Row>.columns);
}

// A table with its columns, without the struct of its rows.
struct TableShape {
  TableRule rule;
  std::vector<ColumnRule> columns;
};
const std::vector<TableShape>& AllTables();

// Returns the statements that make all tables of a new file. Every table is STRICT, so that SQLite
// itself refuses values of another type (https://www.sqlite.org/stricttables.html).
std::string SchemaSql();
std::string CreateTableSql(const TableShape& table, bool temporary = false);
std::string SelectSql(const TableRule& rule, std::span<const ColumnRule> columns, bool large,
                      std::string_view table);
// If a row with the same key exists, its columns grow (Growth). In a table without growing columns,
// a second row with the same key is an error.
std::string InsertSql(const TableRule& rule, std::span<const ColumnRule> columns);
std::string OrderSql(const TableRule& rule, std::span<const ColumnRule> columns);

// Returns "r.sqlite: table reach, row (1, h13, mil, conv), column cases: holds -5, ...; the file is
// damaged". `keys` are the places of the key's columns in the current row of `statement`.
Error DamagedRow(std::string_view path, std::string_view table, sqlite3_stmt* statement,
                 std::span<const int> keys, std::string_view column, std::string_view problem);

}  // namespace anecheck
