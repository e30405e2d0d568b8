#include "harness/results/store.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <span>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "harness/base/file.h"
#include "harness/base/version.h"
#include "harness/results/schema_sql.h"
#include "harness/results/statement.h"

namespace anecheck {
namespace {

// One thread writes, so that the connection needs no locks of its own.
constexpr int kWriting = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;

Result<std::string> SingleText(sqlite3* database, std::string_view sql) {
  ANECHECK_ASSIGN(Statement statement, Statement::Prepare(database, sql));
  if (statement.Step() != SQLITE_ROW) return MakeError(ErrorCode::kNotFound, "no row");
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement.raw(), 0));
  return std::string(text == nullptr ? "" : text);
}

// Whether the last statement failed because a killed writer left a journal that only a writer can
// take back. In results files that is the moment at which they are made: later on they have a log.
bool IsUnfinished(sqlite3* database) {
  return sqlite3_extended_errcode(database) == SQLITE_READONLY_ROLLBACK;
}

// The version of the results file behind `database`, 0 for an empty file, or an error.
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

// ReadVersion of what the journal of a killed writer leads back to. Found out on a copy, because a
// file of another program must stay as it is.
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

// Of a file without tables: whether the pages that it has, if any, can take some.
Status CheckEmpty(sqlite3* database, const std::string& path) {
  ANECHECK_ASSIGN(const std::string found, SingleText(database, "PRAGMA quick_check(1)"));
  if (found == "ok") return {};
  return MakeError(ErrorCode::kMalformed,
                   fmt::format("{}: is no results file or is damaged: it holds no table, and its "
                               "pages are not sound",
                               path));
}

// The system's words where it has any: whoever named the file must name another.
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

// SQLite opens a folder and fails at the first read.
Status CheckNoFolder(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) return {};
  return MakeError(ErrorCode::kInvalid,
                   fmt::format("{}: is a folder; name a results file in it", path));
}

// The part of the schema that makes the table `name`, which came with a later version.
std::string TableSql(std::string_view name) {
  constexpr std::string_view kEnd = "WITHOUT ROWID;";
  const std::string_view schema = kSchemaSql;
  const size_t begin = schema.find(fmt::format("CREATE TABLE {} ", name));
  return std::string(schema.substr(begin, schema.find(kEnd, begin) + kEnd.size() - begin));
}

// The tables that version `from` + 1 added to version `from`.
std::string MigrationSql(int from) {
  constexpr std::array<std::array<std::string_view, 2>, kSchemaVersion - 1> kAdded = {
      {{"probes"},
       {"coverage"},
       {"magnitude_errors"},
       {"libraries", "pace"},
       {"proved_reach"},
       {"unconfirmed_reach"},
       {"error_leans"}}};
  std::string sql;
  for (const std::string_view table : kAdded[static_cast<size_t>(from - 1)]) {
    if (!table.empty()) sql += TableSql(table);
  }
  return sql;
}

// Whether the files beside the results file, the write-ahead log and its shared memory, cannot be
// made because the folder cannot be written.
bool FolderIsReadOnly(sqlite3* database) {
  if (sqlite3_exec(database, "SELECT count(*) FROM sqlite_master", nullptr, nullptr, nullptr) ==
      SQLITE_OK) {
    return false;
  }
  const int code = sqlite3_extended_errcode(database);
  return (code & 0xff) == SQLITE_CANTOPEN || code == SQLITE_READONLY_DIRECTORY;
}

// `how` "immutable=1": as one that nobody changes, read without locks. The rows of an unfinished
// writer's log are missed so.
std::string Uri(const std::string& path, std::string_view how) {
  std::string uri = "file://";
  for (const char c : std::filesystem::absolute(path).string()) {
    uri += c == '?' || c == '#' || c == '%' ? fmt::format("%{:02x}", static_cast<uint8_t>(c))
                                            : std::string(1, c);
  }
  return fmt::format("{}?{}", uri, how);
}

StoreValue ValueOf(sqlite3_stmt* statement, int column) {
  StoreValue value;
  // Before the text is asked for, which may change the type.
  const int type = sqlite3_column_type(statement, column);
  if (type == SQLITE_NULL) return value;
  value.kind = type == SQLITE_INTEGER ? StoreValue::Kind::kInteger
               : type == SQLITE_FLOAT ? StoreValue::Kind::kReal
               : type == SQLITE_BLOB  ? StoreValue::Kind::kBlob
                                      : StoreValue::Kind::kText;
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
  // Either may hold bytes of 0, which end no value.
  const auto size = static_cast<size_t>(sqlite3_column_bytes(statement, column));
  if (text != nullptr) value.text.assign(text, size);
  return value;
}

std::string Temporary(std::string sql) {
  constexpr std::string_view kTable = "CREATE TABLE ";
  for (size_t at = 0; (at = sql.find(kTable, at)) != std::string::npos; at += kTable.size()) {
    sql.replace(at, kTable.size(), "CREATE TEMPORARY TABLE ");
  }
  return sql;
}

}  // namespace

ReachCounts& ReachCounts::operator+=(const ReachCounts& other) {
  cases += other.cases;
  compiled += other.compiled;
  dispatched += other.dispatched;
  correct += other.correct;
  known_defect += other.known_defect;
  wrong += other.wrong;
  rejected += other.rejected;
  inconclusive += other.inconclusive;
  unconfirmed += other.unconfirmed;
  return *this;
}

MagnitudeErrors& MagnitudeErrors::operator+=(const MagnitudeErrors& other) {
  elements += other.elements;
  sum_ulp += other.sum_ulp;
  max_ulp = std::max(max_ulp, other.max_ulp);
  return *this;
}

CoverageCounts& CoverageCounts::operator+=(const CoverageCounts& other) {
  first_case = cases == 0 ? other.first_case : std::min(first_case, other.first_case);
  cases += other.cases;
  return *this;
}

CoverageCounts& CoverageCells::operator[](const CoverageKey& key) {
  for (size_t i = index_.size(); i < entries_.size(); ++i) index_.emplace(entries_[i].first, i);
  const auto [place, fresh] = index_.try_emplace(key, entries_.size());
  if (fresh) entries_.emplace_back(key, CoverageCounts{});
  return entries_[place->second].second;
}

Store::Store(std::string path, sqlite3* database)
    : path_(std::move(path)), database_(database), kept_(std::make_unique<Kept>()) {}

Store::Store(Store&& other) noexcept
    : path_(std::move(other.path_)),
      read_uri_(std::move(other.read_uri_)),
      database_(std::exchange(other.database_, nullptr)),
      kept_(std::move(other.kept_)) {}

Store& Store::operator=(Store&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(read_uri_, other.read_uri_);
  std::swap(database_, other.database_);
  std::swap(kept_, other.kept_);
  return *this;
}

Store::~Store() {
  kept_.reset();  // statements keep a connection open
  sqlite3_close(database_);
}

Error Store::Failed(std::string_view what) const {
  return MakeError(ErrorCode::kIo,
                   fmt::format("{}: {}: {}", path_, what, sqlite3_errmsg(database_)));
}

Status Store::Execute(const char* sql) {
  if (sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return Failed("cannot write");
}

Result<Store> Store::Open(const std::string& path) {
  // A look without the right to write first: closing a connection that has it may move what an
  // unfinished writer left in the log, in a file that this tool must leave alone.
  if (access(path.c_str(), F_OK) == 0) {
    ANECHECK_ASSIGN(const Store look, Connect(path));
    const Result<int> known = ReadVersion(look.database_, path);
    if (!known.ok()) {
      if (!IsUnfinished(look.database_)) return known.error();
      ANECHECK_RETURN_IF_ERROR(RecoveredVersion(path));
    } else if (*known == 0) {
      ANECHECK_RETURN_IF_ERROR(CheckEmpty(look.database_, path));
    }
  }
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &raw, kWriting, nullptr);
  Store store(path, raw);
  if (code != SQLITE_OK) return CannotOpen(path, code);
  if (sqlite3_db_readonly(raw, "main") == 1 || FolderIsReadOnly(raw)) return CannotWrite(path);
  sqlite3_busy_timeout(raw, 10000);
  ANECHECK_ASSIGN(const int version, ReadVersion(raw, path));
  // The mode stands in the file: one that turns out not to become this version stays as it is.
  constexpr const char* kLogged = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;";
  const bool earlier = version != 0 && version != kSchemaVersion;
  if (!earlier) ANECHECK_RETURN_IF_ERROR(store.Execute(kLogged));
  if (version == kSchemaVersion) return store;
  ANECHECK_RETURN_IF_ERROR(store.Execute("BEGIN IMMEDIATE"));
  Status made = version == 0 ? store.MakeSchema() : store.Migrate(version);
  if (made.ok()) made = store.Execute("COMMIT");
  if (!made.ok()) {
    sqlite3_exec(raw, "ROLLBACK", nullptr, nullptr, nullptr);
    return std::move(made).error();
  }
  if (earlier) ANECHECK_RETURN_IF_ERROR(store.Execute(kLogged));
  return store;
}

Status Store::MakeSchema() {
  ANECHECK_RETURN_IF_ERROR(Execute(kSchemaSql));
  return Execute(fmt::format("INSERT INTO meta VALUES ('schema_version', '{}'), "
                             "('tool_version', '{}')",
                             kSchemaVersion, kToolVersion)
                     .c_str());
}

Status Store::Migrate(int version) {
  // Another process may have been faster while this one waited for the lock.
  ANECHECK_ASSIGN(const int now, ReadVersion(database_, path_));
  for (int from = std::max(version, now); from < kSchemaVersion; ++from) {
    ANECHECK_RETURN_IF_ERROR(Execute(MigrationSql(from).c_str()));
  }
  return Execute(
      fmt::format("UPDATE meta SET value = '{}' WHERE key = 'schema_version'", kSchemaVersion)
          .c_str());
}

Result<Store> Store::Connect(const std::string& path) {
  ANECHECK_RETURN_IF_ERROR(CheckNoFolder(path));
  sqlite3* raw = nullptr;
  std::string uri = Uri(path, "mode=ro");
  int code = sqlite3_open_v2(path.c_str(), &raw, SQLITE_OPEN_READONLY, nullptr);
  if (code == SQLITE_OK && access((path + "-wal").c_str(), F_OK) != 0 && FolderIsReadOnly(raw)) {
    sqlite3_close(raw);
    raw = nullptr;
    uri = Uri(path, "immutable=1");
    code = sqlite3_open_v2(uri.c_str(), &raw, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
  }
  Store store(path, raw);
  store.read_uri_ = std::move(uri);
  if (code != SQLITE_OK) return CannotOpen(path, code);
  sqlite3_busy_timeout(raw, 10000);
  return store;
}

Result<Store> Store::OpenReadOnly(const std::string& path) {
  ANECHECK_ASSIGN(Store store, Connect(path));
  ANECHECK_ASSIGN(const int version, ReadVersion(store.database_, path));
  if (version == 0) {
    return MakeError(ErrorCode::kMalformed, fmt::format("{}: holds no results", path));
  }
  // Temporary tables stand in for those that later versions added; the file is not touched.
  for (int from = version; from < kSchemaVersion; ++from) {
    ANECHECK_RETURN_IF_ERROR(store.Execute(Temporary(MigrationSql(from)).c_str()));
  }
  return store;
}

Status Store::HoldSnapshot() {
  if (sqlite3_exec(database_, "BEGIN; SELECT count(*) FROM meta", nullptr, nullptr, nullptr) ==
      SQLITE_OK) {
    return {};
  }
  return Failed("cannot read");
}

Result<int64_t> Store::BeginRun(const RunRecord& run) {
  ANECHECK_RETURN_IF_ERROR(Execute("BEGIN IMMEDIATE"));
  Result<int64_t> id = InsertRun(run);
  if (id.ok()) {
    const Status done = Execute("COMMIT");
    if (!done.ok()) id = done.error();
  }
  if (!id.ok()) sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
  return id;
}

Result<int64_t> Store::InsertRun(const RunRecord& run) {
  ANECHECK_ASSIGN(Statement insert,
                  Statement::Prepare(database_,
                                     "INSERT INTO runs (uuid, command, options, seed, state, "
                                     "started, tool_version, host, os, runner, provenance, engine, "
                                     "chip, compiler_version) "
                                     "VALUES (?,?,?,?,'running',?,?,?,?,?,?,?,?,?)"));
  insert.Bind(run.uuid).Bind(run.command).Bind(run.options).Bind(run.seed).Bind(run.started);
  insert.Bind(run.tool_version).Bind(run.host).Bind(run.os).Bind(run.runner).Bind(run.provenance);
  insert.Bind(run.engine).Bind(run.chip).Bind(run.compiler_version);
  if (!insert.Run()) return Failed("cannot record the run");
  const int64_t id = sqlite3_last_insert_rowid(database_);
  ANECHECK_ASSIGN(Statement library,
                  Statement::Prepare(database_, "INSERT INTO libraries VALUES (?,?,?)"));
  for (const auto& [name, version] : run.libraries) {
    library.Bind(id).Bind(name).Bind(version);
    if (!library.Run()) return Failed("cannot record the libraries");
  }
  return id;
}

Status Store::FinishRun(int64_t run, std::string_view state, std::string_view finished) {
  ANECHECK_ASSIGN(
      Statement update,
      Statement::Prepare(database_, "UPDATE runs SET state = ?, finished = ? WHERE id = ?"));
  update.Bind(state).Bind(finished).Bind(run);
  if (!update.Run()) return Failed("cannot record the end of the run");
  return {};
}

Status Store::AppendProbes(int64_t run, std::span<const ProbeRecord> probes) {
  ANECHECK_ASSIGN(Statement insert,
                  Statement::Prepare(database_, "INSERT INTO probes VALUES (?,?,?,?,?,?,?,?)"));
  ANECHECK_RETURN_IF_ERROR(Execute("BEGIN IMMEDIATE"));
  Status status;
  for (const ProbeRecord& record : probes) {
    insert.Bind(run).Bind(record.probe).Bind(record.target).Bind(record.state);
    insert.Bind(record.value).Bind(record.published).Bind(record.agrees).Bind(record.message);
    if (insert.Run()) continue;
    status = Failed("cannot record a probe");
    break;
  }
  if (status.ok()) status = Execute("COMMIT");
  if (!status.ok()) sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
  return status;
}

Result<std::vector<std::vector<std::string>>> Store::Query(std::string_view sql,
                                                           std::span<const std::string> parameters,
                                                           std::vector<std::string>* columns) {
  ANECHECK_ASSIGN(const auto values, QueryValues(sql, parameters, columns));
  std::vector<std::vector<std::string>> rows;
  rows.reserve(values.size());
  for (const std::vector<StoreValue>& row : values) {
    std::vector<std::string>& texts = rows.emplace_back();
    texts.reserve(row.size());
    for (const StoreValue& value : row) texts.push_back(value.text);
  }
  return rows;
}

Result<std::vector<std::vector<StoreValue>>> Store::QueryValues(
    std::string_view sql, std::span<const std::string> parameters,
    std::vector<std::string>* columns) {
  ANECHECK_ASSIGN(Statement statement, Statement::PrepareOnly(database_, sql));
  if (sqlite3_stmt_readonly(statement.raw()) == 0) {
    return MakeError(ErrorCode::kInvalid,
                     "the query would change the file; only SELECT is allowed");
  }
  for (const std::string& parameter : parameters) statement.Bind(parameter);
  const int width = sqlite3_column_count(statement.raw());
  if (width == 0) {
    return MakeError(ErrorCode::kInvalid, "the query has no rows; only SELECT is allowed");
  }
  if (columns != nullptr) {
    for (int i = 0; i < width; ++i) columns->emplace_back(sqlite3_column_name(statement.raw(), i));
  }
  std::vector<std::vector<StoreValue>> rows;
  int code = SQLITE_ROW;
  while ((code = statement.Step()) == SQLITE_ROW) {
    std::vector<StoreValue>& row = rows.emplace_back();
    for (int i = 0; i < width; ++i) row.push_back(ValueOf(statement.raw(), i));
  }
  if (code != SQLITE_DONE) return Failed("cannot read");
  return rows;
}

}  // namespace anecheck
