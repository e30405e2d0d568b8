// Statements of SQLite on an open results file. Used only by this room.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <sqlite3.h>
#include <string>
#include <string_view>
#include <utility>

#include "harness/base/result.h"
#include "harness/verdict/defect_set.h"
#include "harness/verdict/words.h"

namespace anecheck {

// A connection, and the file's name for messages. Does not own the connection.
struct Connection {
  sqlite3* database = nullptr;
  std::string path;

  // Returns the error of the last call of SQLite, such as "r.sqlite: cannot write: disk is full".
  // The code is kMalformed if the file is damaged or has another schema, else kIo.
  Error Failed(std::string_view action) const;
  // Runs statements that return no rows.
  Status Execute(const std::string& sql) const;
};

// A transaction for writing. It is rolled back unless Commit was called.
class Transaction {
 public:
  static Result<Transaction> Begin(const Connection& file);
  Transaction(Transaction&& other) noexcept : file_(std::exchange(other.file_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  Status Commit();

 private:
  explicit Transaction(const Connection* file) : file_(file) {}
  const Connection* file_;
};

// A prepared statement whose parameters are bound in order. Texts are not copied, so they must live
// until the statement has run.
class Statement {
 public:
  // Errors: kInvalid with SQLite's message.
  static Result<Statement> Prepare(sqlite3* database, std::string_view sql);
  // As Prepare, but more than one statement is also an error.
  static Result<Statement> PrepareOnly(sqlite3* database, std::string_view sql);
  Statement(Statement&& other) noexcept
      : raw_(std::exchange(other.raw_, nullptr)), bound_(other.bound_) {}
  Statement& operator=(Statement&&) = delete;
  ~Statement() { sqlite3_finalize(raw_); }

  template <std::integral T>
  Statement& Bind(T value) {
    sqlite3_bind_int64(raw_, ++bound_, static_cast<int64_t>(value));
    return *this;
  }
  Statement& Bind(double value) {
    sqlite3_bind_double(raw_, ++bound_, value);
    return *this;
  }
  Statement& Bind(std::string_view text) {
    // SQLite takes a null pointer for NULL, and a default-constructed view has a null pointer.
    const char* const data = text.empty() ? "" : text.data();
    sqlite3_bind_text(raw_, ++bound_, data, static_cast<int>(text.size()), SQLITE_STATIC);
    return *this;
  }
  Statement& Bind(const std::string& text) { return Bind(std::string_view(text)); }
  template <Word E>
  Statement& Bind(E word) {
    return Bind(ToText(word));
  }
  template <Word E>
  Statement& Bind(const std::optional<E>& word) {
    return Bind(word ? ToText(*word) : std::string_view());
  }
  Statement& Bind(const DefectSet& defects) {
    const std::string text = defects.ToText();
    sqlite3_bind_text(raw_, ++bound_, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    return *this;
  }
  template <typename T>
  Statement& Bind(const std::optional<T>& value) {
    if (value) return Bind(*value);
    ++bound_;  // an unbound parameter is NULL
    return *this;
  }
  // Runs a statement that returns no rows, and makes it ready for the next binding.
  bool Run();
  int Step() { return sqlite3_step(raw_); }
  // Forgets the bound values.
  void Reset() {
    sqlite3_reset(raw_);
    bound_ = 0;
  }
  sqlite3_stmt* raw() { return raw_; }

 private:
  explicit Statement(sqlite3_stmt* raw) : raw_(raw) {}
  sqlite3_stmt* raw_;
  int bound_ = 0;
};

}  // namespace anecheck
