// Tests results files with a value that no campaign writes. Every reader that needs the value
// refuses the file, and names the file, the table and the column. The file stays unchanged.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>
#include <sqlite3.h>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/campaign/coverage.h"
#include "harness/campaign/resume.h"
#include "harness/cases/options_json.h"
#include "harness/results/merge.h"
#include "harness/results/schema.h"
#include "reports/query.h"
#include "reports/testing/sample_results.h"
#include "reports/trend.h"

namespace anecheck::reports {
namespace {

// Writes a file with rows in every table.
Status WriteWholeFile(const std::string& path) {
  ANECHECK_RETURN_IF_ERROR(WriteSampleResults(path));
  ANECHECK_ASSIGN(Store store, Store::Open(path));
  CampaignOptions options;
  options.targets = {{"h13", 2}};
  RunRow run;
  run.uuid = "0123456789abcdef0123456789abcdef";
  run.options = OptionsToJson(options).dump();
  run.provenance = Provenance::kReported;
  run.libraries = {{"engine", "1"}};
  ANECHECK_ASSIGN(const int64_t id, store.BeginRun(run));
  RowBatch batch;
  CaseRow& item = batch.cases.emplace_back();
  item.target = "h13";
  item.verdict = Verdict::kWrong;
  item.outputs.push_back({"conv", Verdict::kWrong, 10, 2, 5, {}, "outside"});
  FindingRow& finding = batch.findings.emplace_back();
  finding.id = "f000000000d1";
  finding.op = "conv";
  finding.target = "h13";
  finding.verdict = Verdict::kWrong;
  finding.signature = "wrong|conv|h13";
  batch.reach[{"h13", Route::kMil, "conv"}] = {
      .cases = 2, .compiled = 2, .unconfirmed = 1, .planned = 1};
  batch.proved_reach[{"h13", Route::kMil, "conv", Provenance::kSilicon}] = {.cases = 1,
                                                                            .compiled = 1};
  batch.ulp[{"h13", "conv"}][3] = 2;
  batch.widths[{"h13", "conv"}][1] = 2;
  batch.magnitudes[{"h13", "conv", -4}] = {10, 6, 3};
  batch.coverage[{"op_pair", "conv>relu"}] = {.cases = 1, .first_case = 0};
  batch.leans[{"h13", Route::kMil, "conv"}][0].Add(0, 0.5);
  batch.proofs.push_back({0, "h13", Route::kMil, "x", "conv", "y = conv(x = x)"});
  batch.finding_cases.push_back({finding.signature, 0});
  batch.seconds = 0.5;
  return store.Append(id, batch);
}

// Returns values, as SQL, that are not allowed in the column.
std::vector<std::string> Damage(const ColumnRule& column) {
  if (column.type == "INTEGER") {
    std::vector<std::string> values = {"'many'", "0.5", "x'00ff'"};
    if (column.least > std::numeric_limits<int64_t>::min()) {
      values.push_back(std::to_string(column.least - 1));
      values.push_back(std::to_string(column.most + 1));
    }
    return values;
  }
  if (column.type == "REAL") return {"'soon'", "x'00ff'", "-1.5", "9e999"};
  std::vector<std::string> values = {"x'00ff'"};
  if (!column.words.empty()) values.push_back("'sideways'");
  if (column.json) values.push_back("'{'");
  return values;
}

class DamagedResults : public testing::TestWithParam<TableShape> {
 protected:
  void SetUp() override { ASSERT_TRUE(WriteWholeFile(whole_).ok()); }

  // Makes a copy of the file in which one row of the table has `value`, and returns its path.
  std::string Damaged(const ColumnRule& column, const std::string& value) {
    const std::string path = folder_->File(fmt::format("damaged{}.sqlite", ++files_));
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open(whole_.c_str(), &database), SQLITE_OK);
    const auto run = [&](const std::string& sql) {
      EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
          << sql << ": " << sqlite3_errmsg(database);
    };
    run(fmt::format("VACUUM INTO '{}'", path));
    sqlite3_close(database);
    // Removes the rules of the table. Then a column accepts any value if it is in no index or
    // unique key.
    for (const auto& [from, to] : {std::pair(") STRICT", ")"), std::pair(") ,", ") ")}) {
      EXPECT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
      run(
          fmt::format("PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, "
                      "'{}', '{}') WHERE name = '{}'",
                      from, to, GetParam().rule.name));
      sqlite3_close(database);
    }
    EXPECT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
    const std::string_view table = GetParam().rule.name;
    const std::string_view row = GetParam().rule.of_run ? "run" : "id";
    run(
        fmt::format("UPDATE {0} SET {1} = {2} WHERE {3} = (SELECT max({3}) FROM {0}) AND {4} = "
                    "(SELECT max({4}) FROM {0} WHERE {3} = (SELECT max({3}) FROM {0}))",
                    table, column.name, value, row, GetParam().columns[0].name));
    EXPECT_GT(sqlite3_changes(database), 0) << table;
    sqlite3_close(database);
    return path;
  }

  // Returns the status of each command for a results file.
  std::vector<std::pair<std::string, Status>> Commands(const std::string& path) {
    const auto of = [](const auto& result) {
      return result.ok() ? Status() : Status(result.error());
    };
    std::vector<std::pair<std::string, Status>> commands;
    const std::string paths[] = {path};
    commands.emplace_back("report", of(ReadReportData(paths)));
    commands.emplace_back("trend", of(ReadTrend(paths, {})));
    commands.emplace_back("coverage", of(ReadCoverage(paths)));
    const std::string out = folder_->File(fmt::format("joined{}.sqlite", ++files_));
    commands.emplace_back("merge", of(MergeResults(paths, out)));
    auto store = Store::OpenReadOnly(path);
    commands.emplace_back("resume", of(store));
    if (store.ok()) commands.back().second = of(ReadResumePoint(*store));
    return commands;
  }

  Result<TempDirectory> folder_ = TempDirectory::Create("anecheck-damaged-");
  std::string whole_ = folder_->File("whole.sqlite");
  int files_ = 0;
};

TEST_P(DamagedResults, AreRefusedWithFileTableAndColumnAndStayUnchanged) {
  for (const auto& [command, status] : Commands(whole_)) {
    ASSERT_TRUE(status.ok()) << command << ": " << status.error().message;
  }
  std::vector<ColumnRule> columns = GetParam().columns;
  if (GetParam().rule.of_run) columns.push_back(kRunColumn);
  for (const ColumnRule& column : columns) {
    for (const std::string& value : Damage(column)) {
      // SQLite requires that row numbers are integers, even without the schema's rules.
      const bool row_number = !GetParam().rule.of_run && column.name == "id";
      if (row_number && value.find_first_of(".'") != std::string::npos) continue;
      const std::string path = Damaged(column, value);
      const auto before = ReadFile(path);
      ASSERT_TRUE(before.ok());
      std::set<std::string> refused;
      for (const auto& [command, status] : Commands(path)) {
        if (status.ok()) continue;
        refused.insert(command);
        const std::string& message = status.error().message;
        EXPECT_EQ(status.error().code, ErrorCode::kMalformed) << message;
        EXPECT_TRUE(message.starts_with(path + ": table ")) << message;
        EXPECT_EQ(message.find('\n'), std::string::npos) << message;
        // If the number of a run was changed, the message names rows that refer to the old number.
        if (row_number) continue;
        EXPECT_NE(message.find(fmt::format(": table {}, row (", GetParam().rule.name)),
                  std::string::npos)
            << message;
        EXPECT_NE(message.find(fmt::format(", column {}: ", column.name)), std::string::npos)
            << message;
      }
      EXPECT_TRUE(refused.contains("merge")) << column.name << " = " << value;
      EXPECT_EQ(*ReadFile(path), *before);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, DamagedResults, testing::ValuesIn(AllTables()),
                         [](const auto& table) { return std::string(table.param.rule.name); });

}  // namespace
}  // namespace anecheck::reports
