// The results file: whole batches or nothing, and no file of somebody else's is touched.
#include "harness/campaign/store.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "harness/base/file.h"

namespace anecheck {
namespace {

class StoreTest : public ::testing::Test {
 protected:
  std::string Path(std::string_view name) const { return folder_->File(name); }
  std::string One(Store& store, std::string_view sql) {
    const auto rows = store.Query(sql);
    EXPECT_TRUE(rows.ok()) << rows.error().message;
    return rows.ok() && !rows->empty() ? (*rows)[0][0] : "none";
  }

  Result<TempDirectory> folder_ = TempDirectory::Create("anecheck-store-");
};

RunRecord ExampleRun(const std::string& uuid) {
  RunRecord run;
  run.uuid = uuid;
  run.command = "anecheck run";
  run.options = "{}";
  run.seed = 7;
  run.provenance = "simulated";
  return run;
}

BatchRecord ExampleBatch(uint64_t index) {
  BatchRecord batch;
  CaseRecord record;
  record.index = index;
  record.seed = 0xfffffffffffffff0;
  record.target = "h13";
  record.route = "mil";
  record.mode = "float";
  record.verdict = "wrong";
  record.message = "it's \"odd\"";
  record.outputs.push_back({"conv", "wrong", 10, 2, 5, "", "outside"});
  batch.cases.push_back(record);
  FindingRecord finding;
  finding.id = "f" + std::to_string(index);
  finding.case_index = index;
  finding.signature = "wrong|conv|h13";
  finding.artifact = "{}";
  batch.findings.push_back(finding);
  batch.reach[{"h13", "mil", "conv"}] = {.cases = 1, .compiled = 1, .dispatched = 1, .wrong = 1};
  batch.ulp[{"h13", "conv"}][0] = 8;
  batch.ulp[{"h13", "conv"}][3] = 2;
  return batch;
}

TEST_F(StoreTest, BatchesAddUpAndFindingsOfOneSignatureCount) {
  auto store = Store::Open(Path("a.sqlite"));
  ASSERT_TRUE(store.ok()) << store.error().message;
  const auto run = store->BeginRun(ExampleRun("u1"));
  ASSERT_TRUE(run.ok());
  ASSERT_TRUE(store->Append(*run, ExampleBatch(0)).ok());
  ASSERT_TRUE(store->Append(*run, ExampleBatch(1)).ok());
  ASSERT_TRUE(store->FinishRun(*run, "finished", "2026-01-01T00:00:00Z").ok());
  EXPECT_EQ(One(*store, "SELECT count(*) FROM cases"), "2");
  EXPECT_EQ(One(*store, "SELECT count(*) FROM outputs"), "2");
  EXPECT_EQ(One(*store, "SELECT count(*) FROM findings"), "1");
  EXPECT_EQ(One(*store, "SELECT occurrences FROM findings"), "2");
  EXPECT_EQ(One(*store, "SELECT cases || '/' || wrong || '/' || correct FROM reach"), "2/2/0");
  EXPECT_EQ(One(*store, "SELECT sum(elements) FROM ulp_histogram WHERE bucket = 3"), "4");
  EXPECT_EQ(One(*store, "SELECT message FROM cases"), "it's \"odd\"");
  EXPECT_EQ(One(*store, "SELECT state FROM runs"), "finished");
}

TEST_F(StoreTest, ABatchThatFailsLeavesNothing) {
  auto store = Store::Open(Path("a.sqlite"));
  ASSERT_TRUE(store.ok());
  const auto run = store->BeginRun(ExampleRun("u1"));
  ASSERT_TRUE(store->Append(*run, ExampleBatch(0)).ok());
  BatchRecord broken = ExampleBatch(5);
  broken.cases.push_back(ExampleBatch(0).cases[0]);  // a case that is there already
  const Status status = store->Append(*run, broken);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("a.sqlite: cannot record a case"), std::string::npos);
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
  const auto dropped = store->Query("DROP TABLE cases");
  ASSERT_FALSE(dropped.ok());
  EXPECT_NE(dropped.error().message.find("only SELECT"), std::string::npos);
  EXPECT_FALSE(store->Query("SELECT nonsense FROM nowhere").ok());
  EXPECT_FALSE(store->Query("").ok());
  std::vector<std::string> columns;
  ASSERT_TRUE(store->Query("SELECT 1 AS a, NULL AS b", {}, &columns).ok());
  EXPECT_EQ(columns, (std::vector<std::string>{"a", "b"}));
}

TEST_F(StoreTest, ParametersAreBoundNotPasted) {
  auto store = Store::Open(Path("a.sqlite"));
  const std::string hostile[] = {"'; DROP TABLE cases; --"};
  const auto rows = store->Query("SELECT ?", hostile);
  ASSERT_TRUE(rows.ok());
  EXPECT_EQ((*rows)[0][0], hostile[0]);
}

// A file as an older version wrote it: without the tables that came later.
std::string OldFile(const std::string& path, int version) {
  auto store = Store::Open(path);
  EXPECT_TRUE(store.ok());
  const auto run = store->BeginRun(ExampleRun("u1"));
  EXPECT_TRUE(store->Append(*run, ExampleBatch(0)).ok());
  sqlite3* raw = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &raw), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(raw,
                         version == 1 ? "DROP TABLE probes; DROP TABLE coverage; UPDATE meta SET "
                                        "value = '1' WHERE key = 'schema_version'"
                                      : "DROP TABLE coverage; UPDATE meta SET value = '2' WHERE "
                                        "key = 'schema_version'",
                         nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(raw);
  return path;
}

TEST_F(StoreTest, FilesOfVersionOneAreBroughtUp) {
  const std::string path = OldFile(Path("old.sqlite"), 1);
  auto store = Store::Open(path);
  ASSERT_TRUE(store.ok()) << store.error().message;
  EXPECT_EQ(One(*store, "SELECT value FROM meta WHERE key = 'schema_version'"), "3");
  EXPECT_EQ(One(*store, "SELECT count(*) FROM cases"), "1") << "what was there stays";
  const auto run = store->BeginRun(ExampleRun("u2"));
  ASSERT_TRUE(run.ok());
  const ProbeRecord probes[] = {
      {"accumulator_port", "h13", "at value", "32768", "32768", "yes", ""}};
  ASSERT_TRUE(store->AppendProbes(*run, probes).ok());
  EXPECT_EQ(One(*store, "SELECT value FROM probes"), "32768");
  EXPECT_TRUE(Store::Open(path).ok()) << "bringing up happens once";
}

TEST_F(StoreTest, FilesOfVersionTwoGetATableForCoverage) {
  const std::string path = OldFile(Path("old.sqlite"), 2);
  {
    auto reader = Store::OpenReadOnly(path);
    ASSERT_TRUE(reader.ok());
    EXPECT_EQ(One(*reader, "SELECT count(*) FROM coverage"), "0");
  }
  auto store = Store::Open(path);
  ASSERT_TRUE(store.ok()) << store.error().message;
  EXPECT_EQ(One(*store, "SELECT value FROM meta WHERE key = 'schema_version'"), "3");
  EXPECT_EQ(One(*store, "SELECT count(*) FROM cases"), "1") << "what was there stays";
  const auto run = store->BeginRun(ExampleRun("u2"));
  BatchRecord batch;
  batch.coverage[{"op_pair", "conv>relu"}] = {.cases = 2, .first_case = 7};
  ASSERT_TRUE(store->Append(*run, batch).ok());
  EXPECT_EQ(One(*store, "SELECT cell FROM coverage"), "conv>relu");
}

TEST_F(StoreTest, CoverageAddsUpAndKeepsTheFirstCase) {
  auto store = Store::Open(Path("a.sqlite"));
  const auto run = store->BeginRun(ExampleRun("u1"));
  BatchRecord batch;
  batch.coverage[{"value", "all.input=nan"}] = {.cases = 2, .first_case = 70};
  ASSERT_TRUE(store->Append(*run, batch).ok());
  batch.coverage[{"value", "all.input=nan"}] = {.cases = 3, .first_case = 130};
  ASSERT_TRUE(store->Append(*run, batch).ok());
  EXPECT_EQ(One(*store, "SELECT cases || '/' || first_case FROM coverage"), "5/70");
}

TEST_F(StoreTest, ReadersOfVersionOneSeeEmptyTablesAndChangeNothing) {
  const std::string path = OldFile(Path("old.sqlite"), 1);
  const auto before = ReadFile(path);
  auto store = Store::OpenReadOnly(path);
  ASSERT_TRUE(store.ok()) << store.error().message;
  EXPECT_EQ(One(*store, "SELECT count(*) FROM probes"), "0");
  EXPECT_EQ(One(*store, "SELECT count(*) FROM cases"), "1");
  EXPECT_EQ(*ReadFile(path), *before);
}

TEST_F(StoreTest, ProbesAreAllRecordedOrNone) {
  auto store = Store::Open(Path("a.sqlite"));
  const auto run = store->BeginRun(ExampleRun("u1"));
  const ProbeRecord record = {"accumulator_port", "h13", "no cliff", "", "32768", "no", ""};
  const ProbeRecord twice[] = {record, record};
  EXPECT_FALSE(store->AppendProbes(*run, twice).ok());
  EXPECT_EQ(One(*store, "SELECT count(*) FROM probes"), "0");
  EXPECT_TRUE(store->AppendProbes(*run, {&record, 1}).ok());
  EXPECT_EQ(One(*store, "SELECT state FROM probes"), "no cliff");
}

TEST_F(StoreTest, ARunIsProvedByAllItsAnswersOrNot) {
  auto store = Store::Open(Path("a.sqlite"));
  const auto run = store->BeginRun(ExampleRun("u1"));
  ASSERT_TRUE(store->ProveRun(*run, "silicon").ok());
  EXPECT_EQ(One(*store, "SELECT provenance FROM runs"), "simulated") << "nothing is no proof";
  BatchRecord batch = ExampleBatch(0);
  batch.cases[0].status = "ok";
  batch.cases[0].backend = "ane";
  ASSERT_TRUE(store->Append(*run, batch).ok());
  ASSERT_TRUE(store->ProveRun(*run, "silicon").ok());
  EXPECT_EQ(One(*store, "SELECT provenance FROM runs"), "silicon");
  const auto other = store->BeginRun(ExampleRun("u2"));
  batch.cases.push_back(batch.cases[0]);
  batch.cases[1].index = 1;
  batch.cases[1].backend = "";
  ASSERT_TRUE(store->Append(*other, batch).ok());
  ASSERT_TRUE(store->ProveRun(*other, "silicon").ok());
  EXPECT_EQ(One(*store, "SELECT provenance FROM runs WHERE uuid = 'u2'"), "simulated");
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
  EXPECT_NE(future.error().message.find("has schema version 99, this tool reads up to 3"),
            std::string::npos);

  const auto missing = Store::OpenReadOnly(Path("missing.sqlite"));
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().message.find("missing.sqlite: cannot be opened"), std::string::npos);
}

}  // namespace
}  // namespace anecheck
