// The results file: batches are recorded completely or not at all, and no foreign file is changed.
#include "harness/results/store.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/mount.h>

#include "harness/base/file.h"
#include "harness/base/testing/unprivileged.h"
#include "harness/results/schema.h"
#include "harness/results/testing/query_text.h"
#include "harness/results/testing/store_test.h"

namespace anecheck {
namespace {

using testing::ExampleBatch;
using testing::ExampleRun;
using testing::StoreTest;

TEST_F(StoreTest, BatchesAddUpAndFindingsOfOneSignatureCount) {
  auto store = Store::Open(Path("a.sqlite"));
  ASSERT_TRUE(store.ok()) << store.error().message;
  const auto run = store->BeginRun(ExampleRun("u1"));
  ASSERT_TRUE(run.ok());
  ASSERT_TRUE(store->Append(*run, ExampleBatch(0)).ok());
  ASSERT_TRUE(store->Append(*run, ExampleBatch(1)).ok());
  ASSERT_TRUE(store->FinishRun(*run, RunState::kFinished, "2026-01-01T00:00:00Z").ok());
  EXPECT_EQ(One(*store, "SELECT count(*) FROM cases"), "2");
  EXPECT_EQ(One(*store, "SELECT count(*) FROM outputs"), "2");
  EXPECT_EQ(One(*store, "SELECT count(*) FROM findings"), "1");
  EXPECT_EQ(One(*store, "SELECT occurrences FROM findings"), "2");
  EXPECT_EQ(One(*store, "SELECT cases || '/' || wrong || '/' || correct FROM reach"), "2/2/0");
  EXPECT_EQ(One(*store, "SELECT sum(elements) FROM ulp_histogram WHERE bucket = 3"), "4");
  EXPECT_EQ(One(*store,
                "SELECT elements || '/' || sum_ulp || '/' || max_ulp FROM magnitude_errors "
                "WHERE exponent = -4"),
            "20/12/4");
  EXPECT_EQ(One(*store, "SELECT message FROM cases"), "it's \"odd\"");
  EXPECT_EQ(One(*store, "SELECT group_concat(name || ' ' || version) FROM libraries"),
            "fmt 9,sqlite 3");
  EXPECT_EQ(One(*store, "SELECT group_concat(case_index || ': ' || seconds) FROM pace"), "0: 0.5");
  EXPECT_EQ(One(*store, "SELECT state FROM runs"), "finished");
}

TEST_F(StoreTest, ABatchThatFailsLeavesNothing) {
  auto store = Store::Open(Path("a.sqlite"));
  ASSERT_TRUE(store.ok());
  const auto run = store->BeginRun(ExampleRun("u1"));
  ASSERT_TRUE(store->Append(*run, ExampleBatch(0)).ok());
  RowBatch broken = ExampleBatch(5);
  broken.cases.push_back(ExampleBatch(0).cases[0]);  // a case that is recorded already
  const Status status = store->Append(*run, broken);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("a.sqlite: cannot write to table cases"),
            std::string::npos);
  EXPECT_EQ(One(*store, "SELECT count(*) FROM cases"), "1");
  EXPECT_EQ(One(*store, "SELECT cases FROM reach"), "1");
  EXPECT_TRUE(store->Append(*run, ExampleBatch(6)).ok()) << "the file stays usable";
}

TEST_F(StoreTest, ARunIsRecordedOnce) {
  auto store = Store::Open(Path("a.sqlite"));
  ASSERT_TRUE(store->BeginRun(ExampleRun("u1")).ok());
  EXPECT_FALSE(store->BeginRun(ExampleRun("u1")).ok());
}

TEST_F(StoreTest, AFileOpensAgainAndReadersReadWhileTheWriterWrites) {
  auto store = Store::Open(Path("a.sqlite"));
  ASSERT_TRUE(store->BeginRun(ExampleRun("u1")).ok());
  auto reader = Store::OpenReadOnly(Path("a.sqlite"));
  ASSERT_TRUE(reader.ok()) << reader.error().message;
  ASSERT_TRUE(store->BeginRun(ExampleRun("u2")).ok());
  EXPECT_EQ(One(*reader, "SELECT count(*) FROM runs"), "2");
  auto second = Store::Open(Path("a.sqlite"));
  ASSERT_TRUE(second.ok()) << second.error().message;
}

TEST_F(StoreTest, QueriesCannotWrite) {
  auto store = Store::Open(Path("a.sqlite"));
  const auto dropped = testing::QueryText(*store, "DROP TABLE main.cases");
  ASSERT_FALSE(dropped.ok());
  EXPECT_NE(dropped.error().message.find("only SELECT"), std::string::npos);
  EXPECT_FALSE(testing::QueryText(*store, "SELECT nonsense FROM nowhere").ok());
  EXPECT_FALSE(testing::QueryText(*store, "").ok());
  std::vector<std::string> columns;
  ASSERT_TRUE(testing::QueryText(*store, "SELECT 1 AS a, NULL AS b", &columns).ok());
  EXPECT_EQ(columns, (std::vector<std::string>{"a", "b"}));
}

TEST_F(StoreTest, SeveralBatchesInOneCallEqualSingleBatches) {
  std::vector<RowBatch> batches;
  for (uint64_t index = 0; index < 5; ++index) {
    batches.push_back(ExampleBatch(index));
    RowBatch& batch = batches.back();
    batch.reach[{"h13", Route::kMil, index < 3 ? "relu" : "gelu"}] = {.cases = 2, .rejected = 1};
    batch.coverage[{"value", "all.input=nan"}] = {.cases = 1, .first_case = 9 - index};
    batch.coverage[{"op_pair", index % 2 == 0 ? "conv>relu" : "relu>conv"}] = {.cases = 1};
  }
  auto singly = Store::Open(Path("singly.sqlite"));
  auto at_once = Store::Open(Path("at_once.sqlite"));
  ASSERT_TRUE(singly.ok() && at_once.ok());
  const auto run = singly->BeginRun(ExampleRun("u1"));
  ASSERT_TRUE(run.ok() && at_once->BeginRun(ExampleRun("u1")).ok());
  for (const RowBatch& batch : batches) ASSERT_TRUE(singly->Append(*run, batch).ok());
  ASSERT_TRUE(at_once->Append(*run, batches).ok());
  for (const char* table : {"cases", "outputs", "findings", "reach", "ulp_histogram",
                            "magnitude_errors", "coverage", "pace"}) {
    const std::string sql = std::string("SELECT * FROM ") + table;
    const auto rows = testing::QueryText(*at_once, sql);
    ASSERT_TRUE(rows.ok());
    EXPECT_FALSE(rows->empty()) << table;
    EXPECT_EQ(*rows, *testing::QueryText(*singly, sql)) << table;
  }
}

TEST_F(StoreTest, CoverageAddsUpAndKeepsTheFirstCase) {
  auto store = Store::Open(Path("a.sqlite"));
  const auto run = store->BeginRun(ExampleRun("u1"));
  RowBatch batch;
  batch.coverage[{"value", "all.input=nan"}] = {.cases = 2, .first_case = 70};
  ASSERT_TRUE(store->Append(*run, batch).ok());
  batch.coverage[{"value", "all.input=nan"}] = {.cases = 3, .first_case = 130};
  ASSERT_TRUE(store->Append(*run, batch).ok());
  EXPECT_EQ(One(*store, "SELECT cases || '/' || first_case FROM coverage"), "5/70");
}

TEST_F(StoreTest, ProbesAreAllRecordedOrNone) {
  auto store = Store::Open(Path("a.sqlite"));
  const auto run = store->BeginRun(ExampleRun("u1"));
  const ProbeRow record = {"accumulator_port",  "h13", ProbeState::kNoCliff, "", "32768",
                           Agreement::kDiffers, ""};
  const ProbeRow twice[] = {record, record};
  EXPECT_FALSE(store->AppendProbes(*run, twice).ok());
  EXPECT_EQ(One(*store, "SELECT count(*) FROM probes"), "0");
  EXPECT_TRUE(store->AppendProbes(*run, {&record, 1}).ok());
  EXPECT_EQ(One(*store, "SELECT state FROM probes"), "no cliff");
}

TEST_F(StoreTest, ProvedResultsAreCountedSeparately) {
  auto store = Store::Open(Path("a.sqlite"));
  const auto run = store->BeginRun(ExampleRun("u1"));
  RowBatch batch;
  batch.proved_reach[{"h13", Route::kMil, "conv", Provenance::kSilicon}] = {
      .cases = 2, .dispatched = 2, .wrong = 1};
  ASSERT_TRUE(store->Append(*run, batch).ok());
  ASSERT_TRUE(store->Append(*run, batch).ok());
  EXPECT_EQ(One(*store,
                "SELECT cases || '/' || dispatched || '/' || correct || '/' || wrong FROM "
                "proved_reach WHERE op = 'conv' AND provenance = 'silicon'"),
            "4/4/0/2");
  EXPECT_EQ(One(*store, "SELECT provenance FROM runs"), "simulated") << "the run is unchanged";
}

TEST_F(StoreTest, PlannedCasesAddUpAndOtherOperationsHaveNoRow) {
  auto store = Store::Open(Path("a.sqlite"));
  const auto run = store->BeginRun(ExampleRun("u1"));
  RowBatch batch;
  batch.reach[{"h13", Route::kMil, "conv"}] = {.cases = 2, .compiled = 2, .planned = 2};
  batch.reach[{"h13", Route::kMil, "sin"}] = {.cases = 1, .compiled = 1};
  ASSERT_TRUE(store->Append(*run, batch).ok());
  ASSERT_TRUE(store->Append(*run, batch).ok());
  EXPECT_EQ(One(*store, "SELECT op || cases FROM planned_reach"), "conv4");
}

// If runs have different findings with the same id, the replay command of each finding names its
// run, also in earlier runs.
TEST_F(StoreTest, ReplaysNameTheRunIfAnIdMeansSeveralFindings) {
  auto store = Store::Open(Path("a.sqlite"));
  ASSERT_TRUE(store.ok());
  RowBatch batch = ExampleBatch(0);
  FindingRow& finding = batch.findings[0];
  finding.replay = "anecheck replay f0";
  const auto append = [&](const char* uuid) {
    const auto run = store->BeginRun(ExampleRun(uuid));
    EXPECT_TRUE(store->Append(*run, batch).ok());
    return *run;
  };
  const auto replays = [&] {
    const auto rows = testing::QueryText(*store, "SELECT replay FROM findings ORDER BY run");
    std::string all;
    for (const auto& row : *rows) all += row[0] + "\n";
    return all;
  };
  append("u1");
  append("u2");
  EXPECT_EQ(replays(), "anecheck replay f0\nanecheck replay f0\n");
  finding.artifact = "{\"other\": 1}";
  const int64_t third = append("u3");
  EXPECT_EQ(replays(),
            "anecheck replay f0 --run u1\nanecheck replay f0 --run u2\n"
            "anecheck replay f0 --run u3\n");
  ASSERT_TRUE(store->ReadReplays(third, batch.findings).ok());
  EXPECT_EQ(finding.replay, "anecheck replay f0 --run u3");
}

TEST_F(StoreTest, UnconfirmedDeviationsAddUpOfAllAndOfProvedResults) {
  auto store = Store::Open(Path("a.sqlite"));
  const auto run = store->BeginRun(ExampleRun("u1"));
  RowBatch batch;
  batch.reach[{"h13", Route::kMil, "tanh"}] = {.cases = 5, .unconfirmed = 3};
  batch.reach[{"h13", Route::kMil, "relu"}] = {.cases = 5};
  batch.proved_reach[{"h13", Route::kMil, "tanh", Provenance::kSilicon}] = {.cases = 2,
                                                                            .unconfirmed = 1};
  const RowBatch both[] = {batch, batch};
  ASSERT_TRUE(store->Append(*run, both).ok());
  ASSERT_TRUE(store->Append(*run, batch).ok());
  const auto rows =
      testing::QueryText(*store, "SELECT op, provenance, cases FROM unconfirmed_reach ORDER BY 2");
  ASSERT_TRUE(rows.ok());
  using Rows = std::vector<std::vector<std::string>>;
  EXPECT_EQ(*rows, (Rows{{"tanh", "", "9"}, {"tanh", "silicon", "3"}}));
}

TEST_F(StoreTest, ForeignDamagedNewerAndMissingFilesAreRefusedAndUntouched) {
  const std::string text = Path("text.sqlite");
  ASSERT_TRUE(WriteFileAtomic(
                  text, std::string_view("this is no database at all, but long enough to look at"))
                  .ok());
  const auto before = ReadFile(text);
  for (const auto& opened : {Store::Open(text), Store::OpenReadOnly(text)}) {
    ASSERT_FALSE(opened.ok());
    EXPECT_NE(opened.error().message.find("is no results file or is damaged"), std::string::npos);
  }
  EXPECT_EQ(*ReadFile(text), *before);

  const std::string foreign = Path("foreign.sqlite");
  sqlite3* raw = nullptr;
  ASSERT_EQ(sqlite3_open(foreign.c_str(), &raw), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(raw, "CREATE TABLE mine (x)", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(raw);
  const auto foreign_before = ReadFile(foreign);
  const auto other = Store::Open(foreign);
  ASSERT_FALSE(other.ok());
  EXPECT_NE(other.error().message.find("another program"), std::string::npos);
  EXPECT_EQ(*ReadFile(foreign), *foreign_before);

  const std::string newer = Path("newer.sqlite");
  ASSERT_TRUE(Store::Open(newer).ok());
  ASSERT_EQ(sqlite3_open(newer.c_str(), &raw), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(raw, "UPDATE meta SET value = '99' WHERE key = 'schema_version'", nullptr,
                         nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(raw);
  const auto future = Store::Open(newer);
  ASSERT_FALSE(future.ok());
  EXPECT_NE(future.error().message.find(
                fmt::format("has schema version 99, this tool reads up to {}", kSchemaVersion)),
            std::string::npos);

  const auto missing = Store::OpenReadOnly(Path("missing.sqlite"));
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().message.find("missing.sqlite: cannot be opened"), std::string::npos);
}

// Makes a file with so many cases that most of its pages contain cases.
std::string FilledFile(const std::string& path) {
  auto store = Store::Open(path);
  EXPECT_TRUE(store.ok());
  const auto run = store->BeginRun(ExampleRun("u1"));
  RowBatch batch = ExampleBatch(0);
  for (uint64_t i = 1; i < 4000; ++i) {
    batch.cases.push_back(batch.cases[0]);
    batch.cases.back().index = i;
  }
  EXPECT_TRUE(store->Append(*run, batch).ok());
  return path;
}

TEST_F(StoreTest, DamagedPagesAreAnErrorOfTheQueryAndChangeNothing) {
  const std::string path = FilledFile(Path("hurt.sqlite"));
  auto bytes = ReadFile(path);
  ASSERT_TRUE(bytes.ok());
  ASSERT_GT(bytes->size(), 400u * 1024);
  // The first half of the file contains the schema.
  std::fill(bytes->begin() + static_cast<std::ptrdiff_t>(bytes->size() / 2), bytes->end(),
            uint8_t{0xa5});
  ASSERT_TRUE(WriteFileAtomic(path, *bytes).ok());
  for (const bool writable : {false, true}) {
    auto store = writable ? Store::Open(path) : Store::OpenReadOnly(path);
    ASSERT_TRUE(store.ok()) << store.error().message;
    const auto rows = testing::QueryText(*store, "SELECT * FROM cases, outputs");
    ASSERT_FALSE(rows.ok());
    EXPECT_NE(
        rows.error().message.find("hurt.sqlite: cannot read: database disk image is malformed"),
        std::string::npos)
        << rows.error().message;
  }
  EXPECT_EQ(*ReadFile(path), *bytes);
}

TEST_F(StoreTest, ATruncatedFileIsRefusedAndUntouched) {
  const std::string path = FilledFile(Path("short.sqlite"));
  auto bytes = ReadFile(path);
  bytes->resize(3000);
  ASSERT_TRUE(WriteFileAtomic(path, *bytes).ok());
  for (const auto& opened : {Store::Open(path), Store::OpenReadOnly(path)}) {
    ASSERT_FALSE(opened.ok());
    EXPECT_NE(opened.error().message.find("short.sqlite: is no results file or is damaged"),
              std::string::npos)
        << opened.error().message;
  }
  EXPECT_EQ(*ReadFile(path), *bytes);
}

// Makes a file whose writer was killed in its second transaction, after the transaction
// `committed`. If `committed` is empty, the writer was killed in its first transaction.
std::string UnfinishedFile(const std::string& path, const std::string& committed = "") {
  sqlite3* raw = nullptr;
  const std::string source = path + ".source";
  EXPECT_EQ(sqlite3_open(source.c_str(), &raw), SQLITE_OK);
  // The rows do not fit a cache of one page, so SQLite writes to the file before the commit.
  EXPECT_EQ(
      sqlite3_exec(
          raw,
          (committed + "PRAGMA cache_size = 1; BEGIN; CREATE TABLE t (x);"
                       "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 500) "
                       "INSERT INTO t SELECT randomblob(500) FROM n; DROP TABLE t;")
              .c_str(),
          nullptr, nullptr, nullptr),
      SQLITE_OK);
  for (const char* suffix : {"", "-journal"}) {
    const auto part = ReadFile(source + suffix);
    EXPECT_TRUE(part.ok());
    if (!part.ok()) continue;
    EXPECT_TRUE(WriteFileAtomic(path + suffix, *part).ok());
  }
  sqlite3_close(raw);
  return path;
}

TEST_F(StoreTest, AFileWithoutResultsOfAKilledWriterIsReadByWritersOnly) {
  const std::string path = UnfinishedFile(Path("unfinished.sqlite"));
  const auto before = ReadFile(path);
  const auto reader = Store::OpenReadOnly(path);
  ASSERT_FALSE(reader.ok());
  EXPECT_NE(reader.error().message.find("its writer was killed before it held results"),
            std::string::npos)
      << reader.error().message;
  EXPECT_EQ(*ReadFile(path), *before);
  EXPECT_TRUE(Store::Open(path).ok());
}

TEST_F(StoreTest, AFileCutOffInItsFirstPageIsRefusedAndUntouched) {
  const std::string path = Path("cut.sqlite");
  sqlite3* raw = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &raw), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(raw, "PRAGMA page_size = 512; CREATE TABLE a (x); DROP TABLE a; VACUUM",
                         nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(raw);
  auto cut = ReadFile(path).value();
  cut.resize(101);
  ASSERT_TRUE(WriteFileAtomic(path, cut).ok());
  const auto store = Store::Open(path);
  ASSERT_FALSE(store.ok());
  EXPECT_NE(store.error().message.find("its pages are not sound"), std::string::npos)
      << store.error().message;
  EXPECT_EQ(*ReadFile(path), cut);
}

TEST_F(StoreTest, AnUnfinishedFileOfAnotherProgramIsRefusedAndUntouched) {
  const std::string path = UnfinishedFile(Path("foreign.sqlite"), "CREATE TABLE theirs (x);");
  const auto file = ReadFile(path);
  const auto journal = ReadFile(path + "-journal");
  const auto store = Store::Open(path);
  ASSERT_FALSE(store.ok());
  EXPECT_NE(store.error().message.find("is an SQLite file of another program"), std::string::npos)
      << store.error().message;
  EXPECT_EQ(*ReadFile(path), *file);
  EXPECT_EQ(*ReadFile(path + "-journal"), *journal);
}

// A small separate file system. It is not mounted on macOS or without permission to mount it.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& folder) : folder_(folder) {
    mounted_ = MakeDirectories(folder).ok() && Mount("size=1m");
  }
  ~SmallDisk() {
#if defined(__linux__)
    if (mounted_) umount2(folder_.c_str(), MNT_DETACH);
#endif
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  bool mounted() const { return mounted_; }
#if defined(__linux__)
  bool Grow() const { return Mount("size=8m", MS_REMOUNT); }
  bool Protect() const { return Mount("size=1m", MS_REMOUNT | MS_RDONLY); }
#else
  bool Grow() const { return false; }
  bool Protect() const { return false; }
#endif

 private:
  bool Mount([[maybe_unused]] const char* options, [[maybe_unused]] unsigned long flags = 0) const {
#if defined(__linux__)
    return mount("tmpfs", folder_.c_str(), "tmpfs", flags, options) == 0;
#else
    return false;
#endif
  }

  std::string folder_;
  bool mounted_ = false;
};

TEST_F(StoreTest, AFullDiskIsAnErrorAndLeavesWholeBatches) {
  const SmallDisk disk(Path("disk"));
  if (!disk.mounted()) GTEST_SKIP() << "needs the right to mount a file system";
  const std::string path = Path("disk/r.sqlite");
  auto store = Store::Open(path);
  ASSERT_TRUE(store.ok()) << store.error().message;
  const auto run = store->BeginRun(ExampleRun("u1"));
  ASSERT_TRUE(run.ok());
  uint64_t recorded = 0;
  Status status;
  while (recorded < 100000 && status.ok()) {
    RowBatch batch = ExampleBatch(recorded);
    batch.cases[0].message.assign(2000, 'm');
    status = store->Append(*run, batch);
    if (status.ok()) ++recorded;
  }
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("database or disk is full"), std::string::npos)
      << status.error().message;
  ASSERT_GT(recorded, 0u);
  for (const char* sql : {"SELECT count(*) FROM cases", "SELECT count(*) FROM outputs",
                          "SELECT occurrences FROM findings", "SELECT cases FROM reach"}) {
    EXPECT_EQ(One(*store, sql), std::to_string(recorded)) << sql;
  }
  ASSERT_TRUE(disk.Grow());
  EXPECT_TRUE(store->Append(*run, ExampleBatch(recorded)).ok())
      << "the file can be written again when there is room";
}

TEST_F(StoreTest, AReadOnlyFileIsReadAndNotWritten) {
  const SmallDisk disk(Path("disk"));
  if (!disk.mounted()) GTEST_SKIP() << "needs the right to mount a file system";
  const std::string path = Path("disk/r.sqlite");
  {
    auto store = Store::Open(path);
    ASSERT_TRUE(store.ok());
    ASSERT_TRUE(store->BeginRun(ExampleRun("u1")).ok());
  }
  ASSERT_TRUE(disk.Protect());
  const auto before = ReadFile(path);
  auto reader = Store::OpenReadOnly(path);
  ASSERT_TRUE(reader.ok()) << reader.error().message;
  EXPECT_EQ(One(*reader, "SELECT count(*) FROM runs"), "1");
  auto writer = Store::Open(path);
  ASSERT_FALSE(writer.ok() && writer->BeginRun(ExampleRun("u2")).ok());
  if (!writer.ok()) {
    EXPECT_NE(writer.error().message.find("r.sqlite: cannot be written"), std::string::npos)
        << writer.error().message;
  }
  EXPECT_EQ(*ReadFile(path), *before);
}

TEST_F(StoreTest, AFileInAReadOnlyFolderIsReadAndNotWritten) {
  const std::string shelf = Path("shelf");
  ASSERT_TRUE(MakeDirectories(shelf).ok());
  const std::string path = shelf + "/r #1.sqlite";
  {
    auto store = Store::Open(path);
    ASSERT_TRUE(store.ok());
    ASSERT_TRUE(store->BeginRun(ExampleRun("u1")).ok());
  }
  const auto before = ReadFile(path);
  for (const mode_t mode : {0644, 0666}) {
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
    const testing::UnprivilegedScope scope(Path(""), shelf);
    if (!scope.holds()) GTEST_SKIP() << "needs to give up the right to write everywhere";
    auto reader = Store::OpenReadOnly(path);
    ASSERT_TRUE(reader.ok()) << reader.error().message;
    EXPECT_EQ(One(*reader, "SELECT count(*) FROM runs"), "1");
    const auto writer = Store::Open(path);
    ASSERT_FALSE(writer.ok());
    EXPECT_NE(writer.error().message.find("r #1.sqlite: cannot be written"), std::string::npos)
        << writer.error().message;
  }
  EXPECT_EQ(*ReadFile(path), *before);
}

TEST_F(StoreTest, AQueryIsOneStatement) {
  auto store = Store::Open(Path("one.sqlite"));
  ASSERT_TRUE(store.ok());
  for (const char* wrong :
       {"SELECT 1; SELECT 2", "SELECT 1;DELETE FROM runs", "SELECT 1; nonsense"}) {
    const auto rows = testing::QueryText(*store, wrong);
    ASSERT_FALSE(rows.ok()) << wrong;
    EXPECT_NE(rows.error().message.find("more than one statement"), std::string::npos);
  }
  for (const char* right : {"SELECT 1", "SELECT 1;", " SELECT 1 ; \n -- the end\n", "SELECT ';'"}) {
    EXPECT_TRUE(testing::QueryText(*store, right).ok()) << right;
  }
}

TEST_F(StoreTest, ValuesKeepTheirTypes) {
  using Kind = StoreValue::Kind;
  auto store = Store::Open(Path("types.sqlite"));
  ASSERT_TRUE(store.ok());
  const auto rows = store->Query("SELECT 7, 0.5, '7', NULL, 1e999, x'410042'");
  ASSERT_TRUE(rows.ok());
  const std::pair<Kind, std::string> expected[] = {
      {Kind::kInteger, "7"}, {Kind::kReal, "0.5"}, {Kind::kText, "7"},
      {Kind::kNull, ""},     {Kind::kReal, "Inf"}, {Kind::kBlob, std::string("A\0B", 3)}};
  for (size_t i = 0; i < std::size(expected); ++i) {
    EXPECT_EQ((*rows)[0][i].kind, expected[i].first) << i;
    EXPECT_EQ((*rows)[0][i].text, expected[i].second) << i;
  }
}

}  // namespace
}  // namespace anecheck
