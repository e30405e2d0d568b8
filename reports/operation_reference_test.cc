// Each form of the reference of the operations agrees with the tables.
#include "reports/operation_reference.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "harness/base/json.h"
#include "harness/ops/native_layers.h"
#include "harness/ops/op.h"
#include "oracles/reached_shares.h"
#include "oracles/reference/kernel.h"
#include "reports/testing/sample_results.h"

namespace anecheck::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const Json& Entry(const Json& reference, std::string_view name) {
  for (const Json& op : reference["ops"]) {
    if (op["name"] == name) return op;
  }
  static const Json kNone;
  return kNone;
}

std::string Section(const std::string& text, const std::string& from, const std::string& to) {
  const size_t begin = text.find(from);
  return begin == std::string::npos ? "" : text.substr(begin, text.find(to, begin + 1) - begin);
}

size_t LayersWithoutOperation() {
  const auto layers = NativeLayers();
  return static_cast<size_t>(
      std::ranges::count_if(layers, [](const NativeLayer& layer) { return layer.op.empty(); }));
}

TEST(OperationReference, HasEveryOperationWithItsArgumentsAndTerms) {
  const Json reference = OperationReferenceJson();
  ASSERT_EQ(reference["ops"].size(), ListedOps() + LayersWithoutOperation());
  std::set<std::string> terms;
  for (const Json& term : reference["terms"]) {
    terms.insert(term["name"].get<std::string>());
    EXPECT_NE(term["source"], "");
  }
  EXPECT_EQ(terms.size(), kTermCount);
  for (const OpDefinition* op : AllOps()) {
    const Json& entry = Entry(reference, op->schema.name);
    ASSERT_TRUE(entry.is_object()) << op->schema.name;
    EXPECT_EQ(entry["parameters"].size(), op->schema.parameters.size()) << op->schema.name;
    EXPECT_EQ(entry["terms"].size(), AllReferenceKernels()[op->schema.id]->terms.size());
    for (const Json& term : entry["terms"]) EXPECT_TRUE(terms.contains(term.text())) << term;
    EXPECT_NE(entry["reference"].get<bool>(), !entry["reason"].get<std::string>().empty());
  }
  ASSERT_EQ(reference["narrowed_parameters"].size(), NarrowedParameters().size());
  for (const Json& narrowed : reference["narrowed_parameters"]) {
    EXPECT_THAT(OperationReferenceText(reference), HasSubstr(narrowed["reason"].text()));
  }
  const Json& conv = Entry(reference, "conv");
  EXPECT_EQ(conv["parameters"][0]["name"], "x");
  EXPECT_EQ(conv["parameters"][0]["required"], true);
  EXPECT_THAT(conv["parameters"][0]["dtypes"].get<std::string>(), HasSubstr("fp16"));
  EXPECT_THAT(conv["terms"].elements(), ::testing::Contains("accumulator_unit"));
  EXPECT_GE(conv["reached_share"].get<double>(), 0.25);
}

TEST(OperationSheet, StatesReachLegalityAccuracyDefectsAndArguments) {
  const std::string sheet = OperationSheetText(OperationReferenceJson(), "sin");
  EXPECT_THAT(sheet, HasSubstr("family_gated on A13, A14; native on A15 and later"));
  EXPECT_THAT(sheet, HasSubstr("A15; refused below [specification 003, table 24.2]"));
  EXPECT_THAT(sheet, HasSubstr("turn_table             0.000546 "));
  EXPECT_THAT(sheet, HasSubstr("D14  sin errs near its seams"));
  EXPECT_THAT(sheet, HasSubstr("x                      a tensor of fp16, fp32; required"));
}

TEST(OperationSheet, NamesTheFamiliesWhoseTablesGiveTheResults) {
  const std::string sheet = OperationSheetText(OperationReferenceJson(), "sqrt");
  EXPECT_THAT(sheet, HasSubstr("table on A13, A14, A18, by inference also on A15, A16, A17 ["));
  EXPECT_THAT(sheet, HasSubstr("`anecheck explain tables`"));
  EXPECT_TRUE(OperationSheetJson(OperationReferenceJson(), "conv")["tables"].is_null());
}

TEST(OperationSheet, ExistsForEveryNameOfTheReference) {
  const Json reference = OperationReferenceJson();
  for (const Json& op : reference["ops"]) {
    const std::string name = op["name"].get<std::string>();
    const std::string sheet = OperationSheetText(reference, name);
    EXPECT_EQ(sheet.substr(0, name.size() + 2), name + ": ");
    if (!op["reference"].get<bool>()) {
      EXPECT_THAT(sheet, HasSubstr("none: " + op["reason"].get<std::string>())) << name;
    }
    const Json json = OperationSheetJson(reference, name);
    ASSERT_EQ(json["terms"].size(), op["terms"].size()) << name;
    for (const Json& term : json["terms"]) EXPECT_TRUE(term.contains("value")) << name;
  }
  EXPECT_EQ(OperationSheetText(reference, "no_such_op"), "");
  EXPECT_TRUE(OperationSheetJson(reference, "no_such_op").is_null());
}

TEST(OperationReference, ShowsTheSharesThatTheAdversaryReached) {
  constexpr const char* kFile = R"({"tests": 1, "testsuites": [{"name": "Tightness", "testsuite": [
      {"name": "WorstEnginesReachAQuarterOfTheBound", "conv": "0.83", "time": "1.5s"}]}]})";
  const auto shares = ReadReachedShares(kFile, "adversary.json");
  ASSERT_TRUE(shares.ok()) << shares.error().message;
  EXPECT_EQ(*shares, (ReachedShares{{"conv", 0.83}}));
  const Json reference = OperationReferenceJson(*shares);
  EXPECT_EQ(Entry(reference, "conv")["reached_share"], 0.83);
  EXPECT_TRUE(Entry(reference, "add")["reached_share"].is_null());
  EXPECT_THAT(OperationReferenceMarkdown(reference),
              HasSubstr("share of the bound that worst engines reach: 0.83"));
  for (const char* text : {"", "[]", "{}", R"({"testsuites": [1, {"testsuite": [2]}]})"}) {
    const auto none = ReadReachedShares(text, "adversary.json");
    ASSERT_FALSE(none.ok()) << text;
    EXPECT_THAT(none.error().message, HasSubstr("adversary.json"));
  }
}

TEST(OperationReference, HasATableOfTheSharesThatEnginesReach) {
  const Json reference = OperationReferenceJson();
  size_t rows = 0;
  for (const Json& op : reference["ops"]) rows += op["reached_share"].is_number() ? 1 : 0;
  ASSERT_EQ(rows, RecordedShares().size());
  const std::string markdown = OperationReferenceMarkdown(reference);
  const std::string table =
      Section(markdown, "\n## How near engines come to the bounds\n", "\n## ");
  EXPECT_THAT(table, HasSubstr("| operation | share of the bound |"));
  for (const ReachedShare& row : RecordedShares()) {
    EXPECT_GE(row.share, 0.25) << row.op;
    EXPECT_NE(FindOp(row.op), nullptr) << row.op;
  }
  EXPECT_EQ(std::count(table.begin(), table.end(), '|'), 3 * static_cast<ptrdiff_t>(rows + 2));
  EXPECT_THAT(Section(OperationReferenceHtml(reference), "<section id=\"shares\">", "</section>"),
              HasSubstr("<td>conv</td>"));
}

TEST(OperationReference, MarkdownAndPageHaveOneSectionForEachOperation) {
  const Json reference = OperationReferenceJson();
  const std::string markdown = OperationReferenceMarkdown(reference);
  const std::string page = OperationReferenceHtml(reference);
  for (const Json& op : reference["ops"]) {
    const std::string name = op["name"].get<std::string>();
    EXPECT_THAT(page, HasSubstr("id=\"op-" + name + "\"")) << name;
  }
  const std::string conv = Section(markdown, "\n### conv\n", "\n### ");
  EXPECT_THAT(conv, HasSubstr("- numeric reference: yes\n"));
  EXPECT_THAT(conv, HasSubstr("accumulator\\_unit"));
  EXPECT_THAT(conv, HasSubstr("| weight | a tensor of "));
  EXPECT_THAT(markdown, HasSubstr("\n## Documented defects\n"));
  EXPECT_THAT(Section(page, "id=\"op-conv\"", "</section>"), HasSubstr(">strides</td>"));
  EXPECT_THAT(page, HasSubstr("the accumulator port gives an infinity from 32768 on"));
  EXPECT_THAT(page, Not(HasSubstr("{{")));
}

TEST(OperationReference, TextHasOneLineForEachOperationAndNarrowedParameter) {
  const std::string text = OperationReferenceText(OperationReferenceJson());
  EXPECT_EQ(static_cast<size_t>(std::count(text.begin(), text.end(), '\n')),
            ListedOps() + LayersWithoutOperation() + NarrowedParameters().size() + 3)
      << "and the two headings and the empty line between them";
  EXPECT_THAT(text, HasSubstr("catalogued: "));
  EXPECT_THAT(text, HasSubstr("code generation, and none of its parameters is published"));
}

}  // namespace
}  // namespace anecheck::reports
