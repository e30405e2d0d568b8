#include "harness/results/statement.h"

#include <fmt/format.h>

namespace anecheck {

Error Connection::Failed(std::string_view action) const {
  const int code = sqlite3_errcode(database);
  // SQLITE_ERROR means that a table or a column is missing.
  const bool damaged = code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_ERROR;
  return MakeError(damaged ? ErrorCode::kMalformed : ErrorCode::kIo,
                   fmt::format("{}: {}: {}", path, action, sqlite3_errmsg(database)));
}

Status Connection::Execute(const std::string& sql) const {
  if (sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return Failed("cannot write");
}

Result<Transaction> Transaction::Begin(const Connection& file) {
  ANECHECK_RETURN_IF_ERROR(file.Execute("BEGIN IMMEDIATE"));
  return Transaction(&file);
}

Transaction::~Transaction() {
  if (file_ != nullptr) sqlite3_exec(file_->database, "ROLLBACK", nullptr, nullptr, nullptr);
}

Status Transaction::Commit() {
  ANECHECK_RETURN_IF_ERROR(file_->Execute("COMMIT"));
  file_ = nullptr;
  return {};
}

Result<Statement> Statement::Prepare(sqlite3* database, std::string_view sql) {
  sqlite3_stmt* raw = nullptr;
  if (sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &raw, nullptr) !=
      SQLITE_OK) {
    return MakeError(ErrorCode::kInvalid, sqlite3_errmsg(database));
  }
  if (raw == nullptr) return MakeError(ErrorCode::kInvalid, "the query is empty");
  return Statement(raw);
}

Result<Statement> Statement::PrepareOnly(sqlite3* database, std::string_view sql) {
  const std::string text(sql);
  ANECHECK_ASSIGN(Statement statement, Prepare(database, text));
  // sqlite3_sql returns the part of the text that SQLite has read.
  const std::string_view read = sqlite3_sql(statement.raw());
  sqlite3_stmt* second = nullptr;
  const int code = sqlite3_prepare_v2(database, text.c_str() + read.size(), -1, &second, nullptr);
  sqlite3_finalize(second);
  if (code != SQLITE_OK || second != nullptr) {
    return MakeError(ErrorCode::kInvalid, "the query has more than one statement; give one");
  }
  return statement;
}

bool Statement::Run() {
  const bool done = sqlite3_step(raw_) == SQLITE_DONE;
  Reset();
  return done;
}

}  // namespace anecheck
