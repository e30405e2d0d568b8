// For every defect of the published lists (facts/known_defects.csv, facts/more/defects_plus.csv),
// testdata/defect_answers.csv names a judgement, a rule of the compiler, a probe or a conflict of
// sources that shows the defect, or states why none can.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

#include "harness/base/file.h"
#include "harness/base/testing/test_data.h"
#include "harness/evidence/conflicts.h"
#include "harness/evidence/csv.h"
#include "harness/probe/runtime_probe.h"
#include "harness/targets/catalog.h"
#include "oracles/contract.h"
#include "oracles/legality/legality.h"

namespace anecheck {
namespace {

using evidence::CsvRow;

std::vector<CsvRow> RowsOf(const std::string& path) {
  const auto text = ReadTextFile(path);
  EXPECT_TRUE(text.ok()) << path;
  if (!text.ok()) return {};
  auto rows = evidence::ParseCsv(*text, path);
  EXPECT_TRUE(rows.ok()) << path;
  return rows.ok() ? std::move(*rows) : std::vector<CsvRow>();
}

// "conv x:1:4:8:8 groups=1": an operation, operands with their extents, attributes.
legality::Instance InstanceOf(const std::string& words) {
  std::istringstream in(words);
  legality::Instance instance;
  in >> instance.op;
  for (std::string word; in >> word;) {
    const size_t colon = word.find(':');
    if (colon == std::string::npos) {
      EXPECT_TRUE(legality::AddAttribute(word, instance).ok()) << word;
      continue;
    }
    std::ranges::replace(word, ':', ',');
    word[colon] = '=';
    EXPECT_TRUE(legality::AddShape(word, instance).ok()) << word;
  }
  return instance;
}

// Returns whether the rule of the answer decides one of the layers.
bool RuleSpeaks(const CsvRow& answer) {
  const auto target = FindTarget(answer.at("target"));
  const auto route = FromText<Route>(answer.at("route"));
  EXPECT_TRUE(target.ok() && route.ok()) << answer.at("row");
  if (!target.ok() || !route.ok()) return false;
  const auto verdict = legality::Judge(InstanceOf(answer.at("instance")), **target, *route);
  EXPECT_TRUE(verdict.ok()) << answer.at("row");
  return verdict.ok() && std::ranges::any_of(verdict->layers, [&](const auto& layer) {
           return layer.rule == answer.at("what");
         });
}

bool IsAnswered(const CsvRow& answer) {
  const std::string& by = answer.at("by");
  const std::string& what = answer.at("what");
  if (by == "rule") return RuleSpeaks(answer);
  if (by == "judge") {
    return std::ranges::any_of(KnownDepartures(),
                               [&](const Departure& row) { return row.id == what; });
  }
  if (by == "probe") {
    return std::ranges::any_of(RuntimeProbes(), [&](const RuntimeProbe& probe) {
      return probe.known_defect == what && probe.documented != probe.conforming;
    });
  }
  if (by == "conflict") {
    return std::ranges::any_of(evidence::KnownConflicts(),
                               [&](const auto& conflict) { return conflict.id == what; });
  }
  return by == "open" && what.size() > 20;
}

TEST(DefectsWalk, EveryPublishedRowIsAnswered) {
  const std::string known = testing::FactPath("known_defects.csv");
  const std::string plus = testing::FactPath("more/defects_plus.csv");
  ANECHECK_SKIP_WITHOUT(known);
  ANECHECK_SKIP_WITHOUT(plus);
  std::map<std::string, CsvRow> answers;
  for (const CsvRow& row :
       RowsOf(testing::SourcePath("harness/check/testdata/defect_answers.csv"))) {
    EXPECT_TRUE(answers.emplace(row.at("row"), row).second) << row.at("row") << " occurs twice";
  }
  std::vector<std::string> rows;
  for (const CsvRow& row : RowsOf(known)) rows.push_back(row.at("id"));
  for (const CsvRow& row : RowsOf(plus)) rows.push_back(row.at("area") + "|" + row.at("trigger"));
  ASSERT_GT(rows.size(), 50u);
  for (const std::string& row : rows) {
    const auto answer = answers.find(row);
    ASSERT_NE(answer, answers.end()) << row << ": no answer";
    EXPECT_TRUE(IsAnswered(answer->second)) << row << ": " << answer->second.at("what");
  }
}

}  // namespace
}  // namespace anecheck
