// The private members of a Store. Used only by the files of the store.
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
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  // Returns the writer, whose statement is prepared once for a connection.
  template <typename Row>
  Result<RowWriter<Row>*> Writer() {
    auto& writer = std::get<std::optional<RowWriter<Row>>>(writers);
    if (!writer) {
      ANECHECK_ASSIGN(RowWriter<Row> opened, RowWriter<Row>::Open(file));
      writer.emplace(std::move(opened));
    }
    return &*writer;
  }

  OwnedConnection file;  // first, because statements keep a connection open
  typename WritersOf<TableRows>::Type writers;
  std::optional<Statement> count_finding, name_runs;
};

}  // namespace anecheck
