// Fuzzes the reading of damaged results files. A results file opens or is refused with a message. A
// refusal never changes the file. A query of a damaged file ends. If the input contains the header
// of a rollback journal, the results file ends before the header, and the rest of the input is the
// journal that a killed writer left.
#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <sqlite3.h>
#include <string>
#include <vector>

#include "fuzz/fuzz_target.h"
#include "fuzz/laws/laws.h"
#include "harness/base/file.h"
#include "harness/results/schema.h"
#include "harness/results/store.h"

namespace anecheck::fuzz {
namespace {

constexpr auto kLaws =
    LawList("errors have a message", "the temporary folder can be written",
            "reading changes no results file", "a refused file is left untouched",
            "a query only reads", "a missing file does not open");
using Laws = LawBook<kLaws>;

const std::string& Folder() {
  static const TempDirectory folder = TempDirectory::CreateInMemory("anecheck-fuzz-").value();
  return folder.path();
}

void Remove(const std::string& path) {
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
    (void)std::remove((path + suffix).c_str());
  }
}

// Reads every row of every run, as reports and resumed runs do.
Status ReadRows(Store& store) {
  ANECHECK_ASSIGN(const std::vector<RunRow> runs, store.Runs());
  for (const RunRow& run : runs) {
    ANECHECK_ASSIGN(const std::vector<FindingRow> findings, store.Rows<FindingRow>(run.id));
    for (const FindingRow& finding : findings) {
      ANECHECK_RETURN_IF_ERROR(store.Finding(run.id, finding.id));
    }
    ANECHECK_RETURN_IF_ERROR(store.CountVerdicts(run.id));
    ANECHECK_RETURN_IF_ERROR(store.LastCase(run.id));
    ANECHECK_RETURN_IF_ERROR(store.Digest(run.id));
  }
  return {};
}

void Look(Store& store) {
  for (const char* query :
       {"SELECT * FROM runs", "SELECT * FROM cases LIMIT 100", "SELECT * FROM findings LIMIT 100",
        "SELECT target, route, op, sum(cases) FROM reach GROUP BY 1, 2, 3"}) {
    std::vector<std::string> columns;
    const auto rows = store.Query(query, &columns);
    if (!rows.ok()) Laws::Require(!rows.error().message.empty(), "errors have a message");
  }
  if (const Status read = ReadRows(store); !read.ok()) {
    Laws::Require(!read.error().message.empty(), "errors have a message");
  }
  Laws::Require(!store.Query("DELETE FROM meta").ok(), "a query only reads");
}

// The first bytes of a rollback journal (SQLite, "Database File Format", 3).
constexpr std::array<uint8_t, 8> kJournalMagic = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};

struct Files {
  ByteSpan results;
  ByteSpan journal;  // empty if there is none
};

Files Split(ByteSpan input) {
  const auto at =
      static_cast<size_t>(std::ranges::search(input, kJournalMagic).begin() - input.begin());
  return {input.first(at), input.subspan(at)};
}

// Opens the file for writing. An accepted file is upgraded, and its rows can be read. A refused
// file stays unchanged, except for the changes that its journal rolls back.
void CheckWriting(const std::string& path, const Files& files) {
  auto store = Store::Open(path);
  if (store.ok()) return Look(*store);
  Laws::Require(!store.error().message.empty(), "errors have a message");
  const auto after = ReadFile(path);
  const bool taken_back = !files.journal.empty() && !ReadFile(path + "-journal").ok();
  Laws::Require(after.ok() && (taken_back || std::ranges::equal(*after, files.results)),
                "a refused file is left untouched");
}

bool Check(ByteSpan input) {
  const std::string path = Folder() + "/results.sqlite";
  const Files files = Split(input);
  Laws::Require(
      WriteFileAtomic(path, files.results).ok() &&
          (files.journal.empty() || WriteFileAtomic(path + "-journal", files.journal).ok()),
      "the temporary folder can be written");
  const bool writes = MeetsReaderLaws(input);
  if (auto store = Store::OpenReadOnly(path); store.ok()) {
    Look(*store);
  } else {
    Laws::Require(!store.error().message.empty(), "errors have a message");
  }
  if (writes) {
    const auto after_reading = ReadFile(path);
    Laws::Require(after_reading.ok() && std::ranges::equal(*after_reading, files.results),
                  "reading changes no results file");
    CheckWriting(path, files);
    Remove(path);
    Laws::Require(!Store::OpenReadOnly(path).ok() && !Store::Open(path + "/none").ok(),
                  "a missing file does not open");
  }
  Remove(path);
  return true;
}

// Returns the identifiers of the schema.
WordTables Words() {
  WordTable identifiers = {"schema"};
  std::string word;
  for (const char c : SchemaSql()) {
    const bool inside = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    if (inside) word += c;
    if (!inside && word.size() > 2) identifiers.Text(word);
    if (!inside) word.clear();
  }
  return {identifiers};
}

// Gives the file the smallest page size and another schema version.
void MakeSmall(const std::string& path, int version) {
  sqlite3* database = nullptr;
  if (sqlite3_open(path.c_str(), &database) == SQLITE_OK) {
    const std::string sql = fmt::format(
        "UPDATE meta SET value = '{}' WHERE key = 'schema_version'; PRAGMA journal_mode = DELETE; "
        "PRAGMA page_size = 512; VACUUM;",
        version);
    sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr);
  }
  sqlite3_close(database);
}

void MakeFull(const std::string& path, ChoiceStream& choices) {
  auto store = Store::Open(path).value();
  const int64_t run = store.BeginRun({.uuid = "u", .command = "run", .options = "{}"}).value();
  RowBatch batch;
  batch.cases.resize(choices.Below(4));
  for (CaseRow& record : batch.cases) {
    record.target = "h13";
    record.verdict = Verdict::kPass;
    record.outputs.resize(1);
  }
  if (!batch.cases.empty()) {
    batch.findings.push_back(
        {.id = "f1", .op = "relu", .target = "h13", .verdict = Verdict::kWrong});
    batch.reach[{"h13", Route::kMil, "relu"}].cases = 3;
  }
  (void)store.Append(run, batch);
  (void)store.FinishRun(run, RunState::kFinished, "2026-01-01T00:00:00Z");
}

// Makes a file whose only content is an empty schema version.
void MakeBare(const std::string& path) {
  sqlite3* database = nullptr;
  if (sqlite3_open(path.c_str(), &database) == SQLITE_OK) {
    sqlite3_exec(database,
                 "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID; "
                 "INSERT INTO meta VALUES ('schema_version', '')",
                 nullptr, nullptr, nullptr);
  }
  sqlite3_close(database);
}

Bytes Generate(ChoiceStream& choices) {
  const std::string path = Folder() + "/seed.sqlite";
  Remove(path);
  const bool bare = choices.Chance(3, 4);
  if (bare) {
    MakeBare(path);
  } else {
    MakeFull(path, choices);
  }
  MakeSmall(path, bare ? static_cast<int>(choices.Below(kSchemaVersion + 2)) : kSchemaVersion);
  Bytes bytes = ReadFile(path).value();
  Remove(path);
  return bytes;
}

}  // namespace

extern const FuzzTarget kTarget_results_file;
const FuzzTarget kTarget_results_file = {
    .name = "results_file", .check = Check, .laws = kLaws, .words = Words, .generate = Generate};

}  // namespace anecheck::fuzz
