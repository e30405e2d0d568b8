// The published planner, compared with plans of Core ML.
#include "harness/cases/placement_cost.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>

#include "harness/base/file.h"
#include "harness/base/testing/test_data.h"
#include "harness/check/analytics_file.h"
#include "harness/formats/mil/parser.h"
#include "harness/formats/mil/printer.h"
#include "harness/models/model.h"

namespace anecheck {
namespace {

constexpr size_t kAne = static_cast<size_t>(Backend::kAne);

BackendCosts Costs(double ane, double bnns, double cpu) { return {ane, bnns, cpu}; }

TEST(CheapestPlan, SmallGraphsStayOnTheCpu) {
  const Plan plan = CheapestPlan(std::vector<BackendCosts>(1, Costs(0.005, 0.1, 0.11)));
  EXPECT_EQ(plan.backends, std::vector<Backend>{Backend::kBnns});
}

TEST(CheapestPlan, LargeGraphsAreWorthALaunch) {
  const Plan plan = CheapestPlan(std::vector<BackendCosts>(8, Costs(0.005, 0.1, 0.11)));
  EXPECT_EQ(plan.backends, std::vector<Backend>(8, Backend::kAne));
  EXPECT_DOUBLE_EQ(plan.milliseconds, 0.125 + 8 * 0.005 + 0.05);
}

TEST(CheapestPlan, EqualCostsAreATie) {
  const Plan plan = CheapestPlan(std::vector<BackendCosts>(1, Costs(0.003, 0.004, 0.004)));
  EXPECT_EQ(plan.possible[0], (std::array<bool, kBackends>{false, true, true}));
}

TEST(CheapestPlan, UnsupportedOperationsRunElsewhere) {
  std::vector<BackendCosts> costs(3, Costs(0.01, 2, 2));
  costs[1][kAne] = std::nullopt;
  costs[1][1] = costs[1][2] = 0.001;
  const Plan plan = CheapestPlan(costs);
  EXPECT_EQ(plan.backends, (std::vector<Backend>{Backend::kAne, Backend::kBnns, Backend::kAne}));
  EXPECT_DOUBLE_EQ(plan.milliseconds, 2 * (0.125 + 0.01) + 2 * 0.125 + 0.001 + 0.05);
}

std::vector<std::string> AnalyticsFiles() {
  std::vector<std::string> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(testing::RealDataPath("analytics"))) {
    if (entry.path().extension() == ".mil") files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  return files;
}

std::vector<AnalyticsRow> RowsOf(const std::string& path) {
  const auto program = mil::Parse(*ReadTextFile(path));
  EXPECT_TRUE(program.ok()) << path;
  auto rows = program.ok() ? ReadAnalytics(*program) : program.error();
  EXPECT_TRUE(rows.ok()) << path << ": " << (rows.ok() ? "" : rows.error().message);
  return rows.ok() ? *rows : std::vector<AnalyticsRow>();
}

TEST(RealAnalytics, ArePrintedBackUnchanged) {
  ANECHECK_SKIP_WITHOUT(testing::RealDataPath("analytics"));
  for (const std::string& path : AnalyticsFiles()) {
    const std::string text = *ReadTextFile(path);
    const auto program = mil::Parse(text);
    ASSERT_TRUE(program.ok()) << path << ": " << program.error().message;
    std::string printed = mil::Print(*program);
    while (printed.ends_with('\n') && !text.ends_with('\n')) printed.pop_back();
    EXPECT_EQ(printed, text) << path;
  }
}

// Plans with the estimates of the analytics file.
TEST(RealAnalytics, CoreMlChoseACheapestPlan) {
  ANECHECK_SKIP_WITHOUT(testing::RealDataPath("analytics"));
  std::vector<std::string> dearer;
  for (const std::string& path : AnalyticsFiles()) {
    std::vector<BackendCosts> costs;
    std::vector<Backend> way;
    for (const AnalyticsRow& row : RowsOf(path)) {
      costs.push_back(row.costs);
      way.push_back(row.selected);
    }
    const auto cost = CostOf(costs, way);
    ASSERT_TRUE(cost) << path;
    if (*cost > CheapestPlan(costs).milliseconds + 1e-6) {
      dearer.push_back(std::filesystem::path(path).filename());
    }
  }
  EXPECT_EQ(dearer, std::vector<std::string>());
}

struct Agreement {
  size_t operations = 0, agree = 0, without_estimate = 0;
};

// Plans with the project's own estimates.
TEST(RealAnalytics, EstimatesPredictTheSelectedBackend) {
  ANECHECK_SKIP_WITHOUT(testing::RealDataPath("analytics"));
  std::map<std::string, Agreement> by_op;
  Agreement all;
  for (const std::string& path : AnalyticsFiles()) {
    const auto model = Model::Open(path, {.made_up = true});
    ASSERT_TRUE(model.ok()) << path << ": " << model.error().message;
    const auto read = model->Read();
    ASSERT_TRUE(read.ok()) << path << ": " << read.error().message;
    const std::vector<AnalyticsRow> rows = RowsOf(path);
    for (const AnalyticsRow& row : rows) {
      EXPECT_TRUE(read->graph.FindValue(row.name)) << path << ": " << row.name;
    }
    const auto [plan, known] = PredictPlan(rows, read->graph);
    for (size_t i = 0; i < rows.size(); ++i) {
      Agreement& op = by_op[rows[i].op];
      if (!known[i]) {
        ++op.without_estimate;
        ++all.without_estimate;
        continue;
      }
      const bool agrees = plan.possible[i][static_cast<size_t>(rows[i].selected)];
      for (Agreement* const count : {&op, &all}) {
        ++count->operations;
        count->agree += agrees ? 1 : 0;
      }
    }
  }
  std::string table;
  for (const auto& [op, count] : by_op) {
    table += fmt::format("{:28} {:3} of {:3} agree, {} without estimate\n", op, count.agree,
                         count.operations, count.without_estimate);
  }
  EXPECT_GE(static_cast<double>(all.agree), 0.97 * static_cast<double>(all.operations)) << table;
  EXPECT_GE(all.operations, 90u) << table;
  EXPECT_LE(all.without_estimate, all.operations / 5) << table;
}

TEST(RealAnalytics, AreEvidence) {
  ANECHECK_SKIP_WITHOUT(testing::RealDataPath("analytics"));
  const auto statements = EvidenceOf(
      RowsOf(testing::RealDataPath("analytics/iso__sw_maxpool_k1x9.mil")), "h16g", "a file");
  ASSERT_EQ(statements.size(), 1u);
  EXPECT_EQ(statements[0].subject, "max_pool");
  EXPECT_EQ(statements[0].stage, Stage::kRejected);
  EXPECT_NE(statements[0].note.find("Invalid Pool kernel width (9)"), std::string::npos);
}

}  // namespace
}  // namespace anecheck
