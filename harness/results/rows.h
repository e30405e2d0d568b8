// Reads rows of a results file as structs, and writes them. No other file depends on the positions
// of columns. Used only by this room.
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/results/schema.h"
#include "harness/results/statement.h"
#include "harness/results/tables.h"
#include "harness/results/value.h"

namespace anecheck {

// The columns of a table to read. Lists of rows omit the large columns, whose members stay
// unchanged.
enum class Columns : uint8_t { kAll, kSmall };

// Reads the rows of one table one by one.
template <typename Row>
class RowReader {
 public:
  // Reads the rows of `run`, or of all runs if `run` is empty, in the order of their keys. If `key`
  // is given, reads only the row whose key, apart from the run, is that text. `table` is the name
  // of the table in the file.
  static Result<RowReader> Open(const Connection& file, std::optional<int64_t> run,
                                Columns columns = Columns::kAll,
                                std::optional<std::string_view> key = {},
                                std::string_view table = kRule.name) {
    const std::vector<ColumnRule> rules = RulesOf<Row>();
    std::string sql = SelectSql(kRule, rules, columns == Columns::kAll, table);
    if (run) sql += fmt::format(" WHERE {} = ?", kRule.of_run ? "run" : rules[0].name);
    if (key) sql += fmt::format(" AND {} = ?", rules[0].name);
    return Select(file, sql + OrderSql(kRule, rules), run, columns, key);
  }
  // Reads the rows of a query whose columns are the columns of the description.
  static Result<RowReader> Select(const Connection& file, const std::string& sql,
                                  std::optional<int64_t> run, Columns columns = Columns::kAll,
                                  std::optional<std::string_view> key = {}) {
    Result<Statement> statement = Statement::Prepare(file.database, sql);
    if (!statement.ok()) return file.Failed("cannot read");
    if (run) statement->Bind(*run);
    if (key) statement->Bind(*key);
    return RowReader(file, *std::move(statement), columns);
  }

  // Reads the next row. Returns false if there is none. Errors: kMalformed, with file, table, row
  // and column, if the column may not contain the value.
  Result<bool> Next(Row& row) {
    const int code = statement_.Step();
    if (code == SQLITE_DONE) return false;
    if (code != SQLITE_ROW) return file_->Failed("cannot read");
    int at = 0;
    if constexpr (kRule.of_run) {
      if (Problem problem = Take(statement_.raw(), at++, kRunColumn, run_); !problem.empty()) {
        return Damaged(kRunColumn, problem);
      }
    }
    std::optional<Error> error;
    const auto take = [&](const auto& column) {
      if (columns_ == Columns::kSmall && column.large) return true;
      Problem problem = Take(statement_.raw(), at++, column, std::invoke(column.access, row));
      if (problem.empty()) return true;
      error = Damaged(column, problem);
      return false;
    };
    std::apply([&](const auto&... column) { (void)(take(column) && ...); }, kTable<Row>.columns);
    if (error) return *std::move(error);
    return true;
  }
  // The run of the row that was read last.
  int64_t run() const { return run_; }

 private:
  static constexpr const TableRule& kRule = kTable<Row>.rule;

  RowReader(const Connection& file, Statement statement, Columns columns)
      : file_(&file), statement_(std::move(statement)), columns_(columns) {}

  // Returns the error for a damaged row, with the row's keys as they are in the file.
  Error Damaged(const ColumnRule& column, std::string_view problem) {
    std::vector<int> keys;
    int at = 0;
    if (kRule.of_run) keys.push_back(at++);
    for (const ColumnRule& rule : RulesOf<Row>()) {
      if (rule.key) keys.push_back(at);
      at += columns_ == Columns::kSmall && rule.large ? 0 : 1;
    }
    return DamagedRow(file_->path, kRule.name, statement_.raw(), keys, column.name, problem);
  }

  const Connection* file_;
  Statement statement_;
  Columns columns_;
  int64_t run_ = 0;
};

// Writes rows into one table.
template <typename Row>
class RowWriter {
 public:
  static Result<RowWriter> Open(const Connection& file) {
    Result<Statement> statement =
        Statement::Prepare(file.database, InsertSql(kTable<Row>.rule, RulesOf<Row>()));
    if (!statement.ok()) return file.Failed("cannot write");
    return RowWriter(file, *std::move(statement));
  }

  // `run` is used only for tables with a run column. Errors: kInternal if the column may not
  // contain a value, else those of Connection::Failed.
  Status Add(int64_t run, const Row& row) {
    if constexpr (kTable<Row>.rule.of_run) statement_.Bind(run);
    std::optional<Error> error;
    const auto bind = [&](const auto& column) {
      const auto& value = std::invoke(column.access, row);
      statement_.Bind(value);
      if (const Problem problem = Check(column, value); !problem.empty()) {
        error = MakeError(ErrorCode::kInternal,
                          fmt::format("{}: table {}, column {}: would hold a value that {}",
                                      file_->path, kTable<Row>.rule.name, column.name, problem));
      }
    };
    std::apply([&](const auto&... column) { (bind(column), ...); }, kTable<Row>.columns);
    if (error) {
      statement_.Reset();
      return *std::move(error);
    }
    if (statement_.Run()) return {};
    return file_->Failed(fmt::format("cannot write to table {}", kTable<Row>.rule.name));
  }

 private:
  RowWriter(const Connection& file, Statement statement)
      : file_(&file), statement_(std::move(statement)) {}

  const Connection* file_;
  Statement statement_;
};

// Calls `visit` with a null pointer to the struct of each table's rows, until a call fails.
template <typename Visit>
Status ForEachTable(const Visit& visit) {
  Status status;
  const auto next = [&]<typename Row>(Row* none) {
    status = visit(none);
    return status.ok();
  };
  [&]<typename... Rows>(std::tuple<Rows...>*) {
    (void)(next(static_cast<Rows*>(nullptr)) && ...);
  }(static_cast<TableRows*>(nullptr));
  return status;
}

}  // namespace anecheck
