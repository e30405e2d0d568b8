// Prepared statements of the results file: used by the files of the store alone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <sqlite3.h>
#include <string>
#include <string_view>
#include <utility>

#include "harness/base/result.h"
#include "harness/results/store.h"

namespace anecheck {

// A prepared statement whose parameters are bound in order. Texts are not copied: they must live
// until the statement was run.
class Statement {
 public:
  static Result<Statement> Prepare(sqlite3* database, std::string_view sql) {
    sqlite3_stmt* raw = nullptr;
    if (sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &raw, nullptr) !=
        SQLITE_OK) {
      return MakeError(ErrorCode::kInvalid, sqlite3_errmsg(database));
    }
    if (raw == nullptr) return MakeError(ErrorCode::kInvalid, "the query is empty");
    return Statement(raw);
  }
  // Prepare, or an error where more than one statement is given.
  static Result<Statement> PrepareOnly(sqlite3* database, std::string_view sql) {
    const std::string text(sql);
    ANECHECK_ASSIGN(Statement statement, Prepare(database, text));
    // SQLite tells how much it has read where it keeps the text.
    const std::string_view read = sqlite3_sql(statement.raw());
    sqlite3_stmt* second = nullptr;
    const int code = sqlite3_prepare_v2(database, text.c_str() + read.size(), -1, &second, nullptr);
    sqlite3_finalize(second);
    if (code != SQLITE_OK || second != nullptr) {
      return MakeError(ErrorCode::kInvalid, "the query has more than one statement; give one");
    }
    return statement;
  }
  Statement(Statement&& other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  Statement& operator=(Statement&&) = delete;
  ~Statement() { sqlite3_finalize(raw_); }

  Statement& Bind(int64_t value) {
    sqlite3_bind_int64(raw_, ++bound_, value);
    return *this;
  }
  Statement& Bind(uint64_t value) { return Bind(static_cast<int64_t>(value)); }
  Statement& Bind(double value) {
    sqlite3_bind_double(raw_, ++bound_, value);
    return *this;
  }
  Statement& Bind(std::string_view text) {
    sqlite3_bind_text(raw_, ++bound_, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
    return *this;
  }
  // Runs a statement without rows and makes it ready for the next binding.
  bool Run() {
    const bool done = sqlite3_step(raw_) == SQLITE_DONE;
    sqlite3_reset(raw_);
    bound_ = 0;
    return done;
  }
  int Step() { return sqlite3_step(raw_); }
  sqlite3_stmt* raw() { return raw_; }

 private:
  explicit Statement(sqlite3_stmt* raw) : raw_(raw) {}
  sqlite3_stmt* raw_;
  int bound_ = 0;
};

// The statements that every batch needs.
enum KeptStatement : uint8_t {
  kInsertCase,
  kInsertOutput,
  kCountFinding,
  kInsertFinding,
  kNameRuns,
  kAddReach,
  kAddProvedReach,
  kAddUnconfirmed,
  kAddErrors,
  kAddMagnitudes,
  kAddCoverage,
  kInsertPace,
  kAddLeans,
  kKeptStatements,
};

// These, each prepared once for a connection.
struct Store::Kept {
  std::array<std::optional<Statement>, kKeptStatements> statements;

  Result<Statement*> Get(sqlite3* database, KeptStatement which);
};

}  // namespace anecheck
