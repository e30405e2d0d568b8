// The inside of a Store. Used only by the files of the store.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "harness/results/rows.h"
#include "harness/results/store.h"

namespace anecheck {

template <typename Rows>
struct WritersOf;
template <typename... Rows>
struct WritersOf<std::tuple<Rows...>> {
  using Type = std::tuple<std::optional<RowWriter<Rows>>...>;
};

struct OwnedConnection : Connection {
  ~OwnedConnection() { sqlite3_close(database); }
};

struct Store::Impl {
  Impl(sqlite3* database, std::string path) : file{{database, std::move(path)}} {}
  ~Impl() {
    if (logged) EndLog();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  // Prepared once for a connection.
  template <typename Row>
  Result<RowWriter<Row>*> Writer() {
    auto& writer = std::get<std::optional<RowWriter<Row>>>(writers);
    if (!writer) {
      ANECHECK_ASSIGN(RowWriter<Row> opened, RowWriter<Row>::Open(file));
      writer.emplace(std::move(opened));
    }
    return &*writer;
  }

  // Ends the mode with a log, which only the last connection can. A later reader of a file with a
  // log makes the files of the log beside it, and cannot remove them. If another process has the
  // file open, the log stays.
  void EndLog() {
    std::apply([](auto&... writer) { (writer.reset(), ...); }, writers);
    count_finding.reset();
    name_runs.reset();
    sqlite3_busy_timeout(file.database, 0);
    (void)file.Execute("PRAGMA journal_mode = DELETE");
  }

  OwnedConnection file;  // first, because statements keep a connection open
  typename WritersOf<TableRows>::Type writers;
  std::optional<Statement> count_finding, name_runs;
  bool logged = false;  // whether this connection writes to a log
};

}  // namespace anecheck
