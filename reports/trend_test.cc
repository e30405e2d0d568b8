// Tests the trend over many runs. It has growth, changes, the dates of a defect and the position of
// the defect's error in a tensor.
#include "reports/trend.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/baseline/baseline.h"
#include "harness/campaign/coverage.h"
#include "reports/error_map.h"
#include "reports/testing/sample_results.h"
#include "reports/testing/schema.h"

namespace anecheck::reports {
namespace {

class TrendTest : public testing::Test {
 protected:
  void SetUp() override {
    auto folder = TempDirectory::Create("anecheck-trend-");
    ASSERT_TRUE(folder.ok());
    folder_.emplace(std::move(*folder));
    first_ = folder_->File("first.sqlite");
    second_ = folder_->File("second.sqlite");
    ASSERT_TRUE(WriteSampleResults(first_).ok());
    ASSERT_TRUE(WriteLaterResults(second_).ok());
  }
  Json Trend(const std::vector<std::string>& dbs, const std::vector<std::string>& baselines = {}) {
    auto trend = ReadTrend(dbs, baselines);
    EXPECT_TRUE(trend.ok()) << (trend.ok() ? "" : trend.error().message);
    return trend.ok() ? *trend : Json();
  }

  std::optional<TempDirectory> folder_;
  std::string first_, second_;
};

TEST_F(TrendTest, RunsAreSortedByTimeAndReachMore) {
  const Json trend = Trend({second_, first_});
  ASSERT_EQ(trend["runs"].size(), 3u);
  EXPECT_EQ(trend["simulated"], true);
  const Json& before = trend["runs"][0];
  const Json& reported = trend["runs"][1];
  const Json& after = trend["runs"][2];
  EXPECT_EQ(before["started"], "2026-01-02T03:04:05Z");
  EXPECT_EQ(before["reached"], 4);
  EXPECT_EQ(before["all_reached"], 4);
  EXPECT_EQ(reported["all_reached"], 1) << "kinds of evidence are counted separately";
  EXPECT_EQ(after["reached"], 2);
  EXPECT_EQ(after["all_reached"], 5) << "add is new, conv was there";
}

TEST_F(TrendTest, CellsWithAnotherStateAreChanges) {
  const Json changes = Trend({first_, second_})["changes"];
  ASSERT_EQ(changes.size(), 1u) << changes.dump(1);
  EXPECT_EQ(changes[0]["op"], "conv");
  EXPECT_EQ(changes[0]["before"], "wrong");
  EXPECT_EQ(changes[0]["after"], "correct");
  EXPECT_EQ(changes[0]["run"], 2);
  EXPECT_EQ(changes[0]["previous"], 0);
}

TEST_F(TrendTest, ShardsWithOtherLabelsAreOnePointToo) {
  const std::string path = folder_->File("hosts.sqlite");
  {
    auto store = Store::Open(path);
    ASSERT_TRUE(store.ok());
    for (const uint64_t shard : {0, 1}) {
      RunRow run;
      run.uuid = run.started = fmt::format("2026-05-01T0{}:00:00Z", shard);
      run.options = fmt::format(R"({{"shard": [{0}, 2], "label": "lab-{0}"}})", shard);
      const auto id = store->BeginRun(run);
      ASSERT_TRUE(id.ok());
      RowBatch batch;
      batch.cases.push_back({.index = shard});
      ASSERT_TRUE(store->Append(*id, batch).ok());
    }
  }
  const Json trend = Trend({path});
  ASSERT_EQ(trend["runs"].size(), 1u);
  EXPECT_EQ(trend["runs"][0]["shards"], 2);
  EXPECT_EQ(trend["runs"][0]["label"], "lab-0, lab-1");
}

// Two campaigns with the same seed. In each of them only the first shard has a case of `matmul`
// with the defect, and no operation changes from one campaign to the next.
TEST_F(TrendTest, TheShardsOfOneCampaignAreOnePoint) {
  const std::string path = folder_->File("shards.sqlite");
  {
    auto store = Store::Open(path);
    ASSERT_TRUE(store.ok());
    for (int i = 0; i < 4; ++i) {
      RunRow run;
      run.uuid = "u" + std::to_string(i);
      run.provenance = Provenance::kSimulated;
      run.started = "2026-05-0" + std::to_string(i + 1) + "T00:00:00Z";
      run.options = "{\"shard\": [" + std::to_string(i % 2) + ", 2], \"label\": \"26." +
                    std::to_string(i / 2) + "\"}";
      const auto id = store->BeginRun(run);
      ASSERT_TRUE(id.ok());
      RowBatch batch;
      batch.cases.push_back({.index = static_cast<uint64_t>(i % 2)});
      batch.reach[{"h13", Route::kMil, "matmul"}] = {.cases = 1, .dispatched = 1, .correct = 1};
      batch.ulp[{"h13", "matmul"}][0] = 5;
      if (i % 2 == 0) {
        FindingRow finding;
        finding.id = "f00000000000" + std::to_string(i);
        finding.op = "matmul";
        finding.target = "h13";
        finding.verdict = Verdict::kKnownDefect;
        finding.signature = "known-defect|matmul|h13";
        batch.findings.push_back(finding);
      }
      ASSERT_TRUE(store->Append(*id, batch).ok());
    }
  }
  const Json trend = Trend({path});
  ASSERT_EQ(trend["runs"].size(), 2u);
  EXPECT_EQ(trend["changes"].size(), 0u) << trend["changes"].dump(1);
  EXPECT_EQ(trend["runs"][1]["label"], "26.1");
  EXPECT_EQ(trend["runs"][1]["shards"], 2);
  EXPECT_EQ(trend["runs"][1]["cases"], 2);
  EXPECT_EQ(trend["runs"][1]["started"], "2026-05-03T00:00:00Z");
  EXPECT_EQ(trend["runs"][1]["growth"].back()["cases"], 2);
  ASSERT_EQ(trend["errors"].size(), 2u);
  EXPECT_EQ(trend["errors"][1]["histogram"][0], 10);
  EXPECT_EQ(trend["findings"][0]["seen"].size(), 2u);
  EXPECT_EQ(trend["findings"][0]["seen"][1]["run"], 1);
  EXPECT_EQ(SchemaProblem(trend, "trend"), "");
}

TEST_F(TrendTest, ErrorsAreGroupedByRunOperationAndMagnitude) {
  const Json errors = Trend({first_, second_})["errors"];
  size_t met = 0;
  for (const Json& item : errors) {
    if (item["op"] != "conv" || item["run"] != 2) continue;
    ++met;
    EXPECT_EQ(item["histogram"][0], 500);
    EXPECT_EQ(item["magnitudes"], ParseJson("[[-4, 300, 3, 1], [2, 200, 0, 0]]").value());
  }
  EXPECT_EQ(met, 1u);
}

TEST_F(TrendTest, DefectsHaveTheTimeAtWhichEachRunMetThem) {
  const Json findings = Trend({first_, second_})["findings"];
  const auto found = std::find_if(findings.begin(), findings.end(), [](const Json& item) {
    return item["signature"] == "known-defect|matmul|h13";
  });
  ASSERT_NE(found, findings.end());
  ASSERT_EQ((*found)["seen"].size(), 2u);
  EXPECT_EQ((*found)["seen"][1]["run"], 2);
  EXPECT_EQ((*found)["seen"][1]["case"], 1);
  // Two cases took 100 seconds, and the second has the defect.
  EXPECT_EQ((*found)["seen"][1]["seconds"], 100.0);
}

TEST_F(TrendTest, RecordedTimesReplaceEstimates) {
  {
    auto store = Store::Open(second_);
    ASSERT_TRUE(store.ok());
    RowBatch batch;
    batch.cases.push_back({.index = 7});
    batch.seconds = 12.5;
    ASSERT_TRUE(store->Append(1, batch).ok());
  }
  const Json trend = Trend({second_});
  EXPECT_EQ(trend["findings"][0]["seen"][0]["seconds"], 12.5);
  EXPECT_EQ(trend["runs"][0]["growth"].back()["seconds"], 12.5);
}

TEST_F(TrendTest, GrowthDoublesItsStepsAndEndsWithTheRun) {
  const CoverageCell& early = CoverageSpace().front();
  const CoverageCell& late = CoverageSpace().back();
  {
    auto store = Store::Open(second_);
    ASSERT_TRUE(store.ok());
    RowBatch batch;
    batch.cases.push_back({.index = 4});
    batch.coverage[{early.kind, early.cell}] = {.cases = 2, .first_case = 0};
    batch.coverage[{late.kind, late.cell}] = {.cases = 1, .first_case = 4};
    batch.coverage[{late.kind, "not known beforehand"}] = {.cases = 1, .first_case = 0};
    ASSERT_TRUE(store->Append(1, batch).ok());
  }
  const Json run = Trend({second_})["runs"][0];
  EXPECT_EQ(run["cells"], 2);
  EXPECT_EQ(run["all_cells"], 2);
  std::vector<std::vector<int>> points;
  for (const Json& point : run["growth"]) {
    points.push_back(
        {point["cases"].get<int>(), point["cells"].get<int>(), point["findings"].get<int>()});
  }
  EXPECT_EQ(points, (std::vector<std::vector<int>>{{1, 1, 0}, {2, 1, 1}, {4, 1, 1}, {5, 2, 1}}));
}

TEST_F(TrendTest, MapsShowThePlaceOfTheError) {
  const Json maps = Trend({first_})["maps"];
  ASSERT_GE(maps.size(), 1u);
  EXPECT_EQ(maps[0]["rows"], 1);
  EXPECT_EQ(maps[0]["columns"], 2);
  EXPECT_EQ(maps[0]["outside"], 1);
  EXPECT_EQ(maps[0]["is_outside"], ParseJson("[0, 1]").value());
  EXPECT_EQ(maps[0]["ulp"][0], 0);
  EXPECT_GT(maps[0]["ulp"][1].get<int64_t>(), 0);
}

TEST_F(TrendTest, BaselinesCountAsRuns) {
  Baseline baseline;
  baseline.recorded = "2026-05-01T00:00:00Z";
  baseline.provenance = Provenance::kSimulated;
  BaselineEntry entry;
  entry.op = "conv";
  entry.target = "h13";
  entry.configuration = "float";
  entry.route = Route::kMil;
  entry.histogram[1] = 7;
  entry.errors.elements = entry.errors.sum_ulp = 7;
  entry.errors.by_exponent[0] = {7, 7, 1};
  baseline.entries = {entry, entry};
  const std::string path = folder_->File("b.json");
  ASSERT_TRUE(WriteFileAtomic(path, std::string_view(BaselineToJson(baseline))).ok());
  const Json trend = Trend({first_}, {path});
  ASSERT_EQ(trend["runs"].size(), 3u);
  EXPECT_EQ(trend["runs"][2]["kind"], "baseline");
  const Json& last = trend["errors"].back();
  EXPECT_EQ(last["run"], 2);
  EXPECT_EQ(last["histogram"][1], 14) << "the sum over all configurations";
  EXPECT_EQ(last["magnitudes"], ParseJson("[[0, 14, 14, 1]]").value());
}

TEST_F(TrendTest, FitsItsSchema) {
  EXPECT_EQ(SchemaProblem(Trend({first_, second_}), "trend"), "");
}

TEST_F(TrendTest, NamesTheFault) {
  const std::vector<std::string> missing = {"/nonexistent/a.sqlite"};
  EXPECT_FALSE(ReadTrend(missing, {}).ok());
  const std::vector<std::string> text = {folder_->File("b.json")};
  ASSERT_TRUE(WriteFileAtomic(text[0], std::string_view("{}")).ok());
  EXPECT_FALSE(ReadTrend({}, text).ok());
}

TEST(ErrorMap, LargeTensorsShareCells) {
  // A tensor of 64 rows of 3 elements. The last element of the last row is wrong.
  std::string data, value, low;
  for (int i = 0; i < 192; ++i) {
    value += i == 0 ? "1" : ",1";
    data += i % 3 == 2 ? "ADwAPAA8" : "";  // three elements of 1.0
  }
  data.replace(data.size() - 8, 8, "ADwAPABA");  // the last element becomes 2.0
  const std::string artifact = R"({"actual": [{"name": "y", "dtype": "fp16", "shape": [64, 3],)"
                               R"("data": ")" +
                               data + R"("}], "expected": [{"value": [)" + value +
                               R"(], "low": [)" + value + R"(], "high": [)" + value + "]}]}";
  const auto maps = ReadErrorMaps(artifact);
  ASSERT_EQ(maps.size(), 1u);
  EXPECT_EQ(maps[0].rows, 32);
  EXPECT_EQ(maps[0].columns, 3);
  EXPECT_EQ(maps[0].tensor_rows, 64);
  EXPECT_EQ(maps[0].outside, 1);
  EXPECT_EQ(maps[0].ulp.back(), 1024);
  EXPECT_EQ(maps[0].is_outside.back(), 1);
  EXPECT_EQ(std::count(maps[0].ulp.begin(), maps[0].ulp.end(), 0), 95);
}

TEST(ErrorMap, IsEmptyForOtherText) {
  for (const char* text : {"", "[]", "{}", R"({"actual": 1, "expected": []})",
                           R"({"actual": [{"dtype": "fp16", "shape": [1], "data": "ADw="}],)"
                           R"("expected": [{"value": [], "low": 3}]})"}) {
    EXPECT_TRUE(ReadErrorMaps(text).empty()) << text;
  }
}

}  // namespace
}  // namespace anecheck::reports
