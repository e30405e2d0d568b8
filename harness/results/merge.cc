#include "harness/results/merge.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <sqlite3.h>
#include <string_view>
#include <system_error>
#include <tuple>
#include <unistd.h>
#include <utility>
#include <vector>

#include "harness/base/shell_word.h"
#include "harness/results/store.h"

namespace anecheck {
namespace {

using Row = std::vector<std::string>;

struct Closer {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
};

// A run as it stands in one input.
struct Place {
  size_t input = 0;
  std::string id;
  int64_t cases = 0;
  int state = 0;        // how far its writer came: running, interrupted, finished
  uint64_t digest = 0;  // over all its rows; 0 until two places tie
};

// Tables that hold rows of a run, in the order of their names.
Result<std::vector<std::string>> RunTables(Store& store) {
  ANECHECK_ASSIGN(
      const std::vector<Row> rows,
      store.Query("SELECT t.name FROM sqlite_master t WHERE t.type = 'table' AND EXISTS "
                  "(SELECT 1 FROM pragma_table_info(t.name) c WHERE c.name = 'run') "
                  "ORDER BY t.name"));
  std::vector<std::string> names;
  names.reserve(rows.size());
  for (const Row& row : rows) names.push_back(row[0]);
  return names;
}

// The columns of a table, in order, but for the one that names the run.
Result<std::vector<std::string>> Columns(Store& store, const std::string& table,
                                         std::string_view without) {
  ANECHECK_ASSIGN(const std::vector<Row> rows,
                  store.Query("SELECT name FROM pragma_table_info(?)", {&table, 1}));
  std::vector<std::string> names;
  for (const Row& row : rows) {
    if (row[0] != without) names.push_back(row[0]);
  }
  return names;
}

std::string Joined(const std::vector<std::string>& names) {
  std::string joined;
  for (const std::string& name : names)
    joined += fmt::format("{}\"{}\"", joined.empty() ? "" : ", ", name);
  return joined;
}

// FNV-1a with a mark after each field.
void Digest(std::string_view text, uint64_t& digest) {
  for (const char c : text) digest = (digest ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  digest = (digest ^ 0x1ff) * 0x100000001b3;
}

Status DigestRows(Store& store, const std::string& table, std::string_view key,
                  const std::string& id, uint64_t& digest) {
  ANECHECK_ASSIGN(std::vector<std::string> columns, Columns(store, table, key));
  // The command names the file, which says nothing of what was found.
  if (table == "findings") std::erase(columns, "replay");
  const std::string list = Joined(columns);
  ANECHECK_ASSIGN(const std::vector<Row> rows,
                  store.Query(fmt::format("SELECT {} FROM \"{}\" WHERE {} = CAST(? AS INTEGER) "
                                          "ORDER BY {}",
                                          list, table, key, list),
                              {&id, 1}));
  for (const Row& row : rows) {
    for (const std::string& field : row) Digest(field, digest);
  }
  return {};
}

Status DigestRun(const std::string& path, Place& place) {
  if (place.digest != 0) return {};
  ANECHECK_ASSIGN(Store store, Store::OpenReadOnly(path));
  place.digest = 0xcbf29ce484222325;
  ANECHECK_RETURN_IF_ERROR(DigestRows(store, "runs", "id", place.id, place.digest));
  ANECHECK_ASSIGN(const std::vector<std::string> tables, RunTables(store));
  for (const std::string& table : tables) {
    ANECHECK_RETURN_IF_ERROR(DigestRows(store, table, "run", place.id, place.digest));
  }
  return {};
}

// Which place each run is taken from, by uuid.
class Chooser {
 public:
  explicit Chooser(std::span<const std::string> inputs) : inputs_(inputs) {}

  Status ReadAll() {
    for (size_t input = 0; input < inputs_.size(); ++input) {
      ANECHECK_ASSIGN(Store store, Store::OpenReadOnly(inputs_[input]));
      ANECHECK_ASSIGN(const std::vector<Row> runs,
                      store.Query("SELECT uuid, id, CASE state WHEN 'finished' THEN 2 WHEN "
                                  "'interrupted' THEN 1 ELSE 0 END FROM runs"));
      for (const Row& run : runs) {
        ANECHECK_ASSIGN(
            const std::vector<Row> count,
            store.Query("SELECT count(*) FROM cases WHERE run = CAST(? AS INTEGER)", {&run[1], 1}));
        ANECHECK_RETURN_IF_ERROR(Offer(run[0], {.input = input,
                                                .id = run[1],
                                                .cases = std::stoll(count[0][0]),
                                                .state = std::stoi(run[2])}));
      }
    }
    return {};
  }

  const std::map<std::string, Place>& places() const { return places_; }
  int64_t duplicates() const { return duplicates_; }

 private:
  Status Offer(const std::string& uuid, Place offered) {
    const auto [entry, fresh] = places_.emplace(uuid, offered);
    if (fresh) return {};
    ++duplicates_;
    Place& held = entry->second;
    if (std::tie(held.cases, held.state) == std::tie(offered.cases, offered.state)) {
      ANECHECK_RETURN_IF_ERROR(DigestRun(inputs_[held.input], held));
      ANECHECK_RETURN_IF_ERROR(DigestRun(inputs_[offered.input], offered));
    }
    if (std::tie(held.cases, held.state, held.digest) <
        std::tie(offered.cases, offered.state, offered.digest)) {
      held = offered;
    }
    return {};
  }

  std::span<const std::string> inputs_;
  std::map<std::string, Place> places_;
  int64_t duplicates_ = 0;
};

// The joined file while it is written, through a connection of its own.
class Joiner {
 public:
  static Result<Joiner> Open(const std::string& path) {
    sqlite3* raw = nullptr;
    const int code =
        sqlite3_open_v2(path.c_str(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI, nullptr);
    Joiner joiner(raw);
    if (code != SQLITE_OK) return joiner.Failed(path);
    // Nobody else sees the file before it is whole, and a broken one is thrown away.
    ANECHECK_RETURN_IF_ERROR(joiner.Execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF"));
    return joiner;
  }

  Status Attach(const std::string& uri) { return Bound("ATTACH ? AS source", {uri}); }
  Status Detach() { return Execute("DETACH source"); }

  // Copies a run's rows of one table; the run gets the id `to`.
  Status Copy(const std::string& table, std::string_view key,
              const std::vector<std::string>& columns, const std::string& from,
              const std::string& to) {
    const std::string list = Joined(columns);
    return Bound(
        fmt::format("INSERT INTO main.\"{0}\" (\"{1}\", {2}) SELECT CAST(? AS INTEGER), {2} "
                    "FROM source.\"{0}\" WHERE \"{1}\" = CAST(? AS INTEGER)",
                    table, key, list),
        {to, from});
  }

  // Findings are replayed from the joined file: by their ids, with the run where runs share one.
  Status NameFile(const std::string& out) {
    return Bound(
        "UPDATE findings SET replay = 'anecheck replay ' || id || ' --db ' || ? || CASE WHEN id IN "
        "(SELECT id FROM findings GROUP BY id HAVING count(*) > 1) THEN ' --run ' || "
        "(SELECT uuid FROM runs WHERE runs.id = findings.run) ELSE '' END",
        {ShellWord(out)});
  }

  Status Execute(const char* sql) {
    if (sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
    return Failed("joining");
  }

 private:
  explicit Joiner(sqlite3* database) : database_(database) {}

  Error Failed(std::string_view what) const {
    return MakeError(ErrorCode::kIo, fmt::format("{}: {}", what, sqlite3_errmsg(database_.get())));
  }
  Status Bound(const std::string& sql, const std::vector<std::string>& values) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database_.get(), sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
      return Failed("joining");
    }
    for (size_t i = 0; i < values.size(); ++i) {
      sqlite3_bind_text(statement, static_cast<int>(i) + 1, values[i].c_str(), -1,
                        SQLITE_TRANSIENT);
    }
    const int code = sqlite3_step(statement);
    sqlite3_finalize(statement);
    return code == SQLITE_DONE ? Status() : Status(Failed("joining"));
  }

  std::unique_ptr<sqlite3, Closer> database_;
};

// The columns of every table of the joined file.
using TableColumns = std::map<std::string, std::vector<std::string>>;

Result<TableColumns> ColumnsOfFile(const std::string& path) {
  ANECHECK_ASSIGN(Store store, Store::OpenReadOnly(path));
  ANECHECK_ASSIGN(std::vector<std::string> tables, RunTables(store));
  tables.emplace_back("runs");
  TableColumns columns;
  for (const std::string& table : tables) {
    ANECHECK_ASSIGN(columns[table], Columns(store, table, ""));
  }
  return columns;
}

// Columns but the key that both files have: a file of an older form may lack some.
Result<std::vector<std::string>> Shared(Store& source, const TableColumns& joined,
                                        const std::string& table, std::string_view key) {
  std::vector<std::string> both;
  const auto ours = joined.find(table);
  if (ours == joined.end()) return both;
  ANECHECK_ASSIGN(const std::vector<std::string> theirs, Columns(source, table, key));
  for (const std::string& name : theirs) {
    const bool known =
        std::find(ours->second.begin(), ours->second.end(), name) != ours->second.end();
    if (known) both.push_back(name);
  }
  return both;
}

// Runs of one input, with the ids that they get.
using Taken = std::vector<std::pair<Place, std::string>>;

Status CopyRuns(const std::string& input, const Taken& taken, const TableColumns& joined,
                Joiner& joiner) {
  ANECHECK_ASSIGN(Store source, Store::OpenReadOnly(input));
  ANECHECK_ASSIGN(std::vector<std::string> tables, RunTables(source));
  ANECHECK_RETURN_IF_ERROR(joiner.Attach(source.read_uri()));
  ANECHECK_RETURN_IF_ERROR(joiner.Execute("BEGIN"));
  const auto copy = [&](const std::string& table, std::string_view key) -> Status {
    ANECHECK_ASSIGN(const std::vector<std::string> columns, Shared(source, joined, table, key));
    if (columns.empty()) return {};
    for (const auto& [place, id] : taken) {
      ANECHECK_RETURN_IF_ERROR(joiner.Copy(table, key, columns, place.id, id));
    }
    return {};
  };
  ANECHECK_RETURN_IF_ERROR(copy("runs", "id"));
  for (const std::string& table : tables) ANECHECK_RETURN_IF_ERROR(copy(table, "run"));
  ANECHECK_RETURN_IF_ERROR(joiner.Execute("COMMIT"));
  return joiner.Detach();
}

// `out` is what the file at `path` is called when it is whole.
Status WriteJoined(std::span<const std::string> inputs, const Chooser& chooser,
                   const std::string& path, const std::string& out) {
  std::vector<Taken> by_input(inputs.size());
  int64_t id = 0;
  for (const auto& [uuid, place] : chooser.places()) {
    by_input[place.input].emplace_back(place, std::to_string(++id));
  }
  {
    ANECHECK_ASSIGN(const Store made, Store::Open(path));
  }
  // Read beforehand: the joiner needs the file for itself.
  ANECHECK_ASSIGN(const TableColumns joined, ColumnsOfFile(path));
  ANECHECK_ASSIGN(Joiner joiner, Joiner::Open(path));
  for (size_t input = 0; input < inputs.size(); ++input) {
    if (by_input[input].empty()) continue;
    ANECHECK_RETURN_IF_ERROR(CopyRuns(inputs[input], by_input[input], joined, joiner));
  }
  return joiner.NameFile(out);
}

Error Unwritable(const std::string& out, int code) {
  return MakeError(ErrorCode::kIo,
                   fmt::format("{}: cannot be written: {}", out, std::strerror(code)));
}

Error Exists(const std::string& out) {
  return MakeError(ErrorCode::kInvalid, fmt::format("{}: exists; name a file that does not", out));
}

// A new empty file beside `out` that no other process writes to.
Result<std::string> NewPartial(const std::string& out) {
  for (int i = 0;; ++i) {
    std::string path = fmt::format("{}.partial-{}-{}", out, getpid(), i);
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0) {
      close(file);
      return path;
    }
    // Nothing is written yet: the name is at fault.
    if (errno != EEXIST) return MakeError(ErrorCode::kInvalid, Unwritable(out, errno).message);
  }
}

// Waits until a file or folder stands on the disk.
Status Flush(const std::string& path, const std::string& out) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool flushed = file >= 0 && fsync(file) == 0;
  const int code = errno;
  if (file >= 0) close(file);
  if (!flushed) return Unwritable(out, code);
  return {};
}

// Gives the whole file its name where no file has that yet, whoever makes one meanwhile.
Status Publish(const std::string& partial, const std::string& out) {
  ANECHECK_RETURN_IF_ERROR(Flush(partial, out));
  if (link(partial.c_str(), out.c_str()) != 0) {
    const int code = errno;
    std::error_code ignored;
    // Some file systems have no links: there a file made at this very moment would be replaced.
    const bool taken = std::filesystem::exists(std::filesystem::symlink_status(out, ignored));
    if (code == EEXIST || taken) return Exists(out);
    if (std::rename(partial.c_str(), out.c_str()) != 0) return Unwritable(out, code);
  }
  const std::string folder = std::filesystem::path(out).parent_path().string();
  return Flush(folder.empty() ? "." : folder, out);
}

}  // namespace

Result<MergeSummary> MergeResults(std::span<const std::string> inputs, const std::string& out) {
  std::error_code ignored;
  if (std::filesystem::exists(out, ignored)) return Exists(out);
  Chooser chooser(inputs);
  ANECHECK_RETURN_IF_ERROR(chooser.ReadAll());
  ANECHECK_ASSIGN(const std::string partial, NewPartial(out));
  Status written = WriteJoined(inputs, chooser, partial, out);
  if (written.ok()) written = Publish(partial, out);
  for (const char* suffix : {"", "-wal", "-shm"}) {
    std::filesystem::remove(partial + suffix, ignored);
  }
  ANECHECK_RETURN_IF_ERROR(std::move(written));
  MergeSummary summary{static_cast<int64_t>(chooser.places().size()), chooser.duplicates(), 0};
  for (const auto& [uuid, place] : chooser.places()) summary.cases += place.cases;
  return summary;
}

}  // namespace anecheck
