// Results files of earlier versions are updated or read, and files of later versions are refused.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <regex>
#include <sqlite3.h>
#include <string>

#include "harness/base/file.h"
#include "harness/results/schema.h"
#include "harness/results/store.h"
#include "harness/results/testing/query_text.h"
#include "harness/results/testing/store_test.h"

namespace anecheck {
namespace {

using testing::ExampleBatch;
using testing::ExampleRun;
using testing::StoreTest;

// Makes a file as an earlier version wrote it, without later tables and without STRICT tables.
std::string FileOfVersion(int version, const std::string& path) {
  const std::string source = path + ".source";
  {
    auto store = Store::Open(source);
    EXPECT_TRUE(store.ok());
    const auto run = store->BeginRun(ExampleRun("u1"));
    EXPECT_TRUE(store->Append(*run, ExampleBatch(0)).ok());
  }
  std::string sql = std::regex_replace(SchemaSql(), std::regex(R"(\) STRICT,?)"), ")");
  sql += "ATTACH '" + source + "' AS source; PRAGMA main.journal_mode = WAL;";
  sql += "INSERT INTO meta SELECT * FROM source.meta;";
  for (const TableShape& table : AllTables()) {
    sql += fmt::format("INSERT INTO main.{0} SELECT * FROM source.{0};", table.rule.name);
  }
  sql += "UPDATE main.meta SET value = '" + std::to_string(version) +
         "' WHERE key = 'schema_version';";
  sqlite3* raw = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &raw), SQLITE_OK);
  for (const TableShape& table : AllTables()) {
    if (version < table.rule.since) sql += fmt::format("DROP TABLE main.{};", table.rule.name);
  }
  EXPECT_EQ(sqlite3_exec(raw, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(raw);
  sqlite3_close(raw);
  return path;
}

// Returns the SQL of every table and index, which is equal for files with the same schema.
std::string Schema(Store& store) {
  std::string schema;
  const auto rows = testing::QueryText(
      store, "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name");
  EXPECT_TRUE(rows.ok());
  for (const auto& row : *rows) schema += row[0] + "\n";
  return schema;
}

class EarlierVersion : public StoreTest, public ::testing::WithParamInterface<int> {};

TEST_P(EarlierVersion, IsUpdatedToTheCurrentSchema) {
  const std::string path = FileOfVersion(GetParam(), Path("old.sqlite"));
  auto store = Store::Open(path);
  ASSERT_TRUE(store.ok()) << store.error().message;
  EXPECT_EQ(One(*store, "SELECT value FROM meta WHERE key = 'schema_version'"),
            std::to_string(kSchemaVersion));
  EXPECT_EQ(One(*store, "SELECT count(*) FROM cases"), "1") << "the earlier rows are kept";
  auto fresh = Store::Open(Path("fresh.sqlite"));
  EXPECT_EQ(Schema(*store), Schema(*fresh));
  const auto run = store->BeginRun(ExampleRun("u2"));
  ASSERT_TRUE(run.ok());
  ASSERT_TRUE(store->Append(*run, ExampleBatch(0)).ok());
  const ProbeRow probes[] = {
      {"accumulator_port", "h13", ProbeState::kAtValue, "32768", "32768", Agreement::kAgrees, ""}};
  ASSERT_TRUE(store->AppendProbes(*run, probes).ok());
  EXPECT_EQ(One(*store, "SELECT value FROM probes"), "32768");
  EXPECT_TRUE(Store::Open(path).ok()) << "the updated file opens again";
}

TEST_P(EarlierVersion, IsReadWithEmptyTablesAndUnchanged) {
  const std::string path = FileOfVersion(GetParam(), Path("old.sqlite"));
  const auto before = ReadFile(path);
  auto store = Store::OpenReadOnly(path);
  ASSERT_TRUE(store.ok()) << store.error().message;
  EXPECT_EQ(One(*store, "SELECT count(*) FROM probes"), "0");
  EXPECT_EQ(One(*store, "SELECT count(*) FROM magnitude_errors"), GetParam() < 4 ? "0" : "1");
  EXPECT_EQ(One(*store, "SELECT count(*) FROM libraries"), GetParam() < 5 ? "0" : "2");
  EXPECT_EQ(One(*store, "SELECT count(*) FROM pace"), GetParam() < 5 ? "0" : "1");
  EXPECT_EQ(One(*store, "SELECT count(*) FROM proved_reach"), "0");
  EXPECT_EQ(One(*store, "SELECT count(*) FROM unconfirmed_reach"), "0");
  EXPECT_EQ(One(*store, "SELECT count(*) FROM planned_reach"), "0");
  EXPECT_EQ(One(*store, "SELECT count(*) FROM cases"), "1");
  EXPECT_EQ(*ReadFile(path), *before);
}

INSTANTIATE_TEST_SUITE_P(Versions, EarlierVersion, ::testing::Range(1, kSchemaVersion));

TEST_F(StoreTest, FilesOfANewerToolAreUntouched) {
  const std::string path = FileOfVersion(99, Path("newer.sqlite"));
  const auto before = ReadFile(path);
  for (const auto& opened : {Store::Open(path), Store::OpenReadOnly(path)}) {
    ASSERT_FALSE(opened.ok());
    EXPECT_NE(opened.error().message.find("use the tool that wrote it"), std::string::npos);
  }
  EXPECT_EQ(*ReadFile(path), *before);
}

// A killed process of the tool left rows that are only in the log. Opening the file for writing
// would move them into the file.
TEST_F(StoreTest, FilesOfANewerToolWithAnUnfinishedLogAreUntouched) {
  const std::string whole = FileOfVersion(99, Path("whole.sqlite"));
  const std::string path = Path("newer.sqlite");
  {
    sqlite3* raw = nullptr;
    ASSERT_EQ(sqlite3_open(whole.c_str(), &raw), SQLITE_OK);
    ASSERT_EQ(
        sqlite3_exec(raw, "INSERT INTO meta VALUES ('late', 'row')", nullptr, nullptr, nullptr),
        SQLITE_OK);
    for (const char* suffix : {"", "-wal"}) {
      const auto part = ReadFile(whole + suffix);
      ASSERT_TRUE(part.ok());
      ASSERT_TRUE(WriteFileAtomic(path + suffix, *part).ok());
    }
    sqlite3_close(raw);
  }
  const auto file = ReadFile(path), log = ReadFile(path + "-wal");
  ASSERT_GT(log->size(), 0u);
  for (const auto& opened : {Store::Open(path), Store::OpenReadOnly(path)}) {
    ASSERT_FALSE(opened.ok());
    EXPECT_NE(opened.error().message.find("use the tool that wrote it"), std::string::npos);
  }
  EXPECT_EQ(*ReadFile(path), *file);
  EXPECT_EQ(*ReadFile(path + "-wal"), *log);
}

}  // namespace
}  // namespace anecheck
