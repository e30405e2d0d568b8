#include "harness/results/store.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <ranges>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "harness/base/file.h"
#include "harness/base/version.h"
#include "harness/results/schema.h"
#include "harness/results/store_impl.h"

namespace anecheck {
namespace {

// Only one thread writes, so the connection needs no locks.
constexpr int kWriting = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
// The file stores the journal mode, so a file of an earlier version gets it after the upgrade.
constexpr const char* kLogged = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;";

// Returns the text of the query's only value.
Result<std::string> SingleText(sqlite3* database, std::string_view sql) {
  ANECHECK_ASSIGN(Statement statement, Statement::Prepare(database, sql));
  if (statement.Step() != SQLITE_ROW) return MakeError(ErrorCode::kNotFound, "no row");
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement.raw(), 0));
  return std::string(text == nullptr ? "" : text);
}

// Returns whether the last statement failed because a killed writer left a journal that only a
// writer can roll back. A results file can be in this state only while it is made, because a
// complete results file has a log instead.
bool IsUnfinished(sqlite3* database) {
  return sqlite3_extended_errcode(database) == SQLITE_READONLY_ROLLBACK;
}

// Reads the version of the results file of `database`; 0 for an empty file.
Result<int> ReadVersion(sqlite3* database, const std::string& path) {
  const auto tables = SingleText(database, "SELECT count(*) FROM sqlite_master");
  if (!tables.ok() && IsUnfinished(database)) {
    return MakeError(ErrorCode::kNotFound,
                     fmt::format("{}: its writer was killed before it held results; let a campaign "
                                 "write to it again",
                                 path));
  }
  if (!tables.ok()) {
    return MakeError(ErrorCode::kMalformed, fmt::format("{}: is no results file or is damaged: {}",
                                                        path, tables.error().message));
  }
  if (*tables == "0") return 0;
  const auto version = SingleText(database, "SELECT value FROM meta WHERE key = 'schema_version'");
  if (!version.ok()) {
    return MakeError(ErrorCode::kMalformed,
                     fmt::format("{}: is an SQLite file of another program", path));
  }
  for (int known = 1; known <= kSchemaVersion; ++known) {
    if (*version == std::to_string(known)) return known;
  }
  return MakeError(ErrorCode::kUnsupported,
                   fmt::format("{}: has schema version {}, this tool reads up to {}; use the tool "
                               "that wrote it",
                               path, *version, kSchemaVersion));
}

// As ReadVersion, but first rolls back the journal that a killed writer left. It works on a copy,
// because the file may belong to another program and must stay unchanged.
Result<int> RecoveredVersion(const std::string& path) {
  ANECHECK_ASSIGN(const TempDirectory folder, TempDirectory::Create("anecheck-store-"));
  const std::string copy = folder.File("copy");
  for (const char* suffix : {"", "-journal"}) {
    ANECHECK_ASSIGN(const auto part, ReadFile(path + suffix));
    ANECHECK_RETURN_IF_ERROR(WriteFileAtomic(copy + suffix, part));
  }
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(copy.c_str(), &raw, SQLITE_OPEN_READWRITE, nullptr);
  Result<int> version =
      code == SQLITE_OK ? ReadVersion(raw, path) : MakeError(ErrorCode::kIo, sqlite3_errstr(code));
  sqlite3_close(raw);
  return version;
}

// Checks that the pages of a file without tables are sound.
Status CheckEmpty(sqlite3* database, const std::string& path) {
  ANECHECK_ASSIGN(const std::string found, SingleText(database, "PRAGMA quick_check(1)"));
  if (found == "ok") return {};
  return MakeError(ErrorCode::kMalformed,
                   fmt::format("{}: is no results file or is damaged: it holds no table, and its "
                               "pages are not sound",
                               path));
}

// Returns the error for a file that cannot be opened, with the system's message if there is one.
// The code is kNotFound, because the user must name another file.
Error CannotOpen(const std::string& path, int code) {
  struct stat found = {};
  const std::string folder = std::filesystem::path(path).parent_path().string();
  std::string why = sqlite3_errstr(code);
  if (!folder.empty() && stat(folder.c_str(), &found) != 0) {
    why = fmt::format("its folder: {}", std::strerror(errno));
  } else if (stat(path.c_str(), &found) != 0) {
    why = std::strerror(errno);
  }
  return MakeError(ErrorCode::kNotFound, fmt::format("{}: cannot be opened: {}", path, why));
}

Error CannotWrite(const std::string& path) {
  return MakeError(
      ErrorCode::kInvalid,
      fmt::format("{}: cannot be written: it, its folder or its file system is read-only", path));
}

// Returns an error if `path` is a folder. SQLite would open the folder and fail at the first read.
Status CheckNoFolder(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) return {};
  return MakeError(ErrorCode::kInvalid,
                   fmt::format("{}: is a folder; name a results file in it", path));
}

// Returns whether the write-ahead log and its shared memory cannot be made because the folder is
// read-only.
bool FolderIsReadOnly(sqlite3* database) {
  if (sqlite3_exec(database, "SELECT count(*) FROM sqlite_master", nullptr, nullptr, nullptr) ==
      SQLITE_OK) {
    return false;
  }
  const int code = sqlite3_extended_errcode(database);
  return (code & 0xff) == SQLITE_CANTOPEN || code == SQLITE_READONLY_DIRECTORY;
}

// Returns the URI with which SQLite reads a file as immutable, without locks
// (https://www.sqlite.org/uri.html). Rows in an unfinished writer's log are then invisible.
std::string ImmutableUri(const std::string& path) {
  std::string uri = "file://";
  for (const char c : std::filesystem::absolute(path).string()) {
    uri += c == '?' || c == '#' || c == '%' ? fmt::format("%{:02x}", static_cast<uint8_t>(c))
                                            : std::string(1, c);
  }
  return uri + "?immutable=1";
}

bool HasTable(sqlite3* database, std::string_view name) {
  const auto found = SingleText(
      database,
      fmt::format("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '{}'", name));
  return found.ok();
}

Error LacksTable(const std::string& path, std::string_view name) {
  return MakeError(ErrorCode::kMalformed,
                   fmt::format("{}: has no table {}; the file is damaged", path, name));
}

// Copies the rows of an older version's table, named `earlier`, into the table of this version.
template <typename Row>
Status CopyTable(const Connection& file, const std::string& earlier) {
  ANECHECK_ASSIGN(auto reader, RowReader<Row>::Open(file, {}, Columns::kAll, {}, earlier));
  ANECHECK_ASSIGN(auto writer, RowWriter<Row>::Open(file));
  Row row;
  for (;;) {
    ANECHECK_ASSIGN(const bool more, reader.Next(row));
    if (!more) return {};
    ANECHECK_RETURN_IF_ERROR(writer.Add(reader.run(), row));
  }
}

}  // namespace

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

const std::string& Store::path() const { return impl_->file.path; }

Result<Store> Store::Open(const std::string& path) {
  // The file is first opened for reading only. Closing a connection that can write may move an
  // unfinished writer's log into the file, and this tool must not change a foreign file.
  if (access(path.c_str(), F_OK) == 0) {
    ANECHECK_ASSIGN(const Store look, Connect(path));
    sqlite3* const database = look.impl_->file.database;
    const Result<int> known = ReadVersion(database, path);
    if (!known.ok()) {
      if (!IsUnfinished(database)) return known.error();
      ANECHECK_RETURN_IF_ERROR(RecoveredVersion(path));
    } else if (*known == 0) {
      ANECHECK_RETURN_IF_ERROR(CheckEmpty(database, path));
    }
  }
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &raw, kWriting, nullptr);
  Store store(std::make_unique<Impl>(raw, path));
  const Connection& file = store.impl_->file;
  if (code != SQLITE_OK) return CannotOpen(path, code);
  if (sqlite3_db_readonly(raw, "main") == 1 || FolderIsReadOnly(raw)) return CannotWrite(path);
  sqlite3_busy_timeout(raw, 10000);
  ANECHECK_ASSIGN(const int version, ReadVersion(raw, path));
  const bool earlier = version != 0 && version != kSchemaVersion;
  if (!earlier) ANECHECK_RETURN_IF_ERROR(file.Execute(kLogged));
  if (version == kSchemaVersion) return store;
  ANECHECK_ASSIGN(Transaction transaction, Transaction::Begin(file));
  ANECHECK_RETURN_IF_ERROR(version == 0 ? store.MakeSchema() : store.Upgrade());
  ANECHECK_RETURN_IF_ERROR(transaction.Commit());
  if (earlier) ANECHECK_RETURN_IF_ERROR(file.Execute(kLogged));
  return store;
}

Result<Store> Store::MakeUnlogged(const std::string& path) {
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &raw, kWriting, nullptr);
  Store store(std::make_unique<Impl>(raw, path));
  if (code != SQLITE_OK) return CannotOpen(path, code);
  ANECHECK_RETURN_IF_ERROR(
      store.impl_->file.Execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF"));
  ANECHECK_RETURN_IF_ERROR(store.MakeSchema());
  return store;
}

Status Store::MakeSchema() {
  return impl_->file.Execute(SchemaSql() +
                             fmt::format("INSERT INTO meta VALUES ('schema_version', '{}'), "
                                         "('tool_version', '{}')",
                                         kSchemaVersion, kToolVersion));
}

// Makes every table anew and copies its rows through the table's description, so that damage and
// errors of an older tool are found.
Status Store::Upgrade() {
  const Connection& file = impl_->file;
  // Another process may have upgraded the file while this one waited for the lock.
  ANECHECK_ASSIGN(const int version, ReadVersion(file.database, file.path));
  if (version == kSchemaVersion) return {};
  ANECHECK_RETURN_IF_ERROR(
      file.Execute("DROP INDEX IF EXISTS cases_by_verdict; "
                   "DROP INDEX IF EXISTS findings_by_signature; "
                   "ALTER TABLE meta RENAME TO earlier_meta"));
  std::vector<std::string_view> copied;
  for (const TableShape& table : AllTables()) {
    const std::string_view name = table.rule.name;
    if (HasTable(file.database, name)) {
      ANECHECK_RETURN_IF_ERROR(
          file.Execute(fmt::format("ALTER TABLE {0} RENAME TO earlier_{0}", name)));
      copied.push_back(name);
    } else if (table.rule.since <= version) {
      return LacksTable(file.path, name);
    }
  }
  ANECHECK_RETURN_IF_ERROR(MakeSchema());
  ANECHECK_RETURN_IF_ERROR(ForEachTable([&]<typename Row>(Row*) -> Status {
    constexpr std::string_view kName = kTable<Row>.rule.name;
    if (std::ranges::find(copied, kName) == copied.end()) return {};
    return CopyTable<Row>(file, fmt::format("earlier_{}", kName));
  }));
  // Drops the last table first, because rows refer to rows of earlier tables.
  for (const std::string_view name : std::views::reverse(copied)) {
    ANECHECK_RETURN_IF_ERROR(file.Execute(fmt::format("DROP TABLE earlier_{}", name)));
  }
  ANECHECK_RETURN_IF_ERROR(file.Execute("DROP TABLE earlier_meta"));
  return CheckRunsOfRows();
}

Result<Store> Store::Connect(const std::string& path) {
  ANECHECK_RETURN_IF_ERROR(CheckNoFolder(path));
  sqlite3* raw = nullptr;
  int code =
      sqlite3_open_v2(path.c_str(), &raw, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr);
  if (code == SQLITE_OK && access((path + "-wal").c_str(), F_OK) != 0 && FolderIsReadOnly(raw)) {
    sqlite3_close(raw);
    raw = nullptr;
    code = sqlite3_open_v2(ImmutableUri(path).c_str(), &raw, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
                           nullptr);
  }
  Store store(std::make_unique<Impl>(raw, path));
  if (code != SQLITE_OK) return CannotOpen(path, code);
  sqlite3_busy_timeout(raw, 10000);
  return store;
}

Result<Store> Store::OpenReadOnly(const std::string& path) {
  ANECHECK_ASSIGN(Store store, Connect(path));
  const Connection& file = store.impl_->file;
  ANECHECK_ASSIGN(const int version, ReadVersion(file.database, path));
  if (version == 0) {
    return MakeError(ErrorCode::kMalformed, fmt::format("{}: holds no results", path));
  }
  // Temporary tables stand in for the tables that later versions added, so the file is not changed.
  for (const TableShape& table : AllTables()) {
    if (HasTable(file.database, table.rule.name)) continue;
    if (table.rule.since <= version) return LacksTable(path, table.rule.name);
    ANECHECK_RETURN_IF_ERROR(file.Execute(CreateTableSql(table, true)));
  }
  return store;
}

}  // namespace anecheck
