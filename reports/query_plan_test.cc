// Every query that reports, trends and resumed runs make on a results file finds its rows by an
// index. No query scans a table that grows with the number of cases. The test records the real
// queries of the open connections.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <sqlite3.h>
#include <string>
#include <vector>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/campaign/resume.h"
#include "harness/cases/options_json.h"
#include "reports/query.h"
#include "reports/testing/sample_results.h"
#include "reports/trend.h"

namespace anecheck::reports {
namespace {

std::set<std::string>& Seen() {
  static std::set<std::string> seen;
  return seen;
}

int Note(unsigned, void*, void* statement, void*) {
  const char* sql = sqlite3_sql(static_cast<sqlite3_stmt*>(statement));
  if (sql != nullptr) Seen().insert(sql);
  return 0;
}

extern "C" int WatchConnection(sqlite3* database, char**, const void*) {
  return sqlite3_trace_v2(database, SQLITE_TRACE_STMT, Note, nullptr);
}

// Returns the lines of SQLite's plan that scan a table with a row for each case, output, finding,
// ...
std::vector<std::string> Walks(sqlite3* database, const std::string& sql) {
  std::vector<std::string> walks;
  sqlite3_stmt* statement = nullptr;
  EXPECT_EQ(
      sqlite3_prepare_v2(database, ("EXPLAIN QUERY PLAN " + sql).c_str(), -1, &statement, nullptr),
      SQLITE_OK)
      << sql << ": " << sqlite3_errmsg(database);
  while (sqlite3_step(statement) == SQLITE_ROW) {
    const std::string line = reinterpret_cast<const char*>(sqlite3_column_text(statement, 3));
    for (const char* table :
         {"cases", "outputs", "reach", "ulp_histogram", "magnitude_errors", "findings", "probes",
          "coverage", "libraries", "pace", "unconfirmed_reach", "error_leans", "bound_widths"}) {
      if (line.starts_with(std::string("SCAN ") + table)) walks.push_back(line);
    }
  }
  sqlite3_finalize(statement);
  return walks;
}

class QueryPlan : public testing::Test {
 protected:
  void SetUp() override {
    auto folder = TempDirectory::Create("anecheck-plan-");
    ASSERT_TRUE(folder.ok());
    folder_.emplace(std::move(*folder));
    path_ = folder_->File("r.sqlite");
    ASSERT_TRUE(WriteSampleResults(path_).ok());
    ASSERT_EQ(sqlite3_open(path_.c_str(), &database_), SQLITE_OK);
    Seen().clear();
    sqlite3_auto_extension(reinterpret_cast<void (*)()>(WatchConnection));
  }
  void TearDown() override {
    sqlite3_cancel_auto_extension(reinterpret_cast<void (*)()>(WatchConnection));
    sqlite3_close(database_);
  }
  // Expects that at least `at_least` queries were made so far and that each of them finds its rows
  // by an index.
  void ExpectIndices(size_t at_least) {
    size_t queries = 0;
    for (const std::string& sql : Seen()) {
      if (!sql.starts_with("SELECT") || sql.find("sqlite_master") != std::string::npos) continue;
      ++queries;
      EXPECT_THAT(Walks(database_, sql), testing::IsEmpty()) << sql;
    }
    EXPECT_GE(queries, at_least);
  }

  std::optional<TempDirectory> folder_;
  std::string path_;
  sqlite3* database_ = nullptr;
};

TEST_F(QueryPlan, OfReportsAndTheMatrix) {
  ASSERT_TRUE(ReadReportData({&path_, 1}).ok());
  ExpectIndices(7);
}

TEST_F(QueryPlan, OfTrends) {
  ASSERT_TRUE(ReadTrend({&path_, 1}, {}).ok());
  ExpectIndices(11);
}

TEST_F(QueryPlan, OfAResumedRun) {
  CampaignOptions options;
  options.targets = {{"h13", 2}};
  RunRow run;
  run.uuid = "resumed";
  run.options = OptionsToJson(options).dump();
  auto store = Store::Open(path_);
  ASSERT_TRUE(store.ok());
  ASSERT_TRUE(store->BeginRun(run).ok());
  const auto point = ReadResumePoint(*store);
  ASSERT_TRUE(point.ok()) << point.error().message;
  ExpectIndices(4);
}

// Shows that the tests above can fail.
TEST_F(QueryPlan, AScanOfATableIsSeen) {
  EXPECT_THAT(Walks(database_, "SELECT count(*) FROM cases WHERE message = 'x'"),
              testing::SizeIs(1));
  EXPECT_THAT(Walks(database_, "SELECT count(*) FROM cases WHERE run = 1"), testing::IsEmpty());
}

}  // namespace
}  // namespace anecheck::reports
