// Tests the page of a finding. It shows the content of the case, including bits, and results of
// other runs.
#include "reports/finding_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>

#include "harness/base/base64.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/findings/artifact.h"
#include "harness/lowering/graph_to_mil.h"
#include "harness/ops/op.h"
#include "reports/finding_detail.h"
#include "reports/finding_tensors.h"
#include "reports/testing/sample_results.h"
#include "reports/write_reports.h"

namespace anecheck::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The artifact of relu([-1, 2]) with the wrong result [-1, 2]. With `relation`, it is metamorphic.
std::string ReluArtifact(const std::optional<CaseRelation>& relation = {}) {
  const TensorType type{DType::kFp16, {1, 2, 1, 1}};
  CampaignOptions options;
  Case item;
  item.target = {"h13", 2};
  item.relation = relation;
  const ValueId x = item.graph.AddInput(type, "x");
  item.graph.BeginNode(&FindOp("relu")->schema);
  item.graph.AddArgument(0, x);
  const std::string names[] = {"wrong_one"};
  item.graph.AddOutput(*item.graph.FinishNode(names));
  item.inputs = {{type, {0x00, 0xbc, 0x00, 0x40}}};
  item.mil = *GraphToMil(item.graph);
  RunReply reply;
  reply.outputs = item.inputs;
  CaseOutcome outcome;
  outcome.shown = Outcome({.verdict = Verdict::kWrong, .op = "relu", .node = "wrong_one"});
  return DumpJson(ArtifactToJson(options, {}, item, outcome, reply, "f000000000a1"));
}

ReportData TwoRuns() {
  ReportData data;
  data.runs.resize(3);
  data.runs[0].db = "my results.sqlite";
  data.runs[0].provenance = Provenance::kSimulated;
  data.runs[0].started = "2026-01-01T00:00:00Z";
  data.runs[1].started = "2026-02-01T00:00:00Z";
  data.runs[2].started = "2026-03-01T00:00:00Z";
  FindingInfo finding;
  finding.id = "f000000000a1";
  finding.op = "relu";
  finding.target = "h13";
  finding.verdict = Verdict::kKnownDefect;
  finding.defects = {"D08", "D15"};
  finding.signature = "same";
  finding.occurrences = 3;
  data.findings = {finding, finding};
  data.findings[1].run = 1;
  data.findings[1].id = "f000000000a2";
  data.findings[1].occurrences = 7;
  NamePages(data);
  return data;
}

// For a finding at another shape, the summary names no value at the graph's own shape.
TEST(FindingPage, OfAnotherShapeOfARangeNamesAndShowsThatShape) {
  Json artifact = *ParseJson(ReluArtifact());
  EXPECT_THAT(FindingHtml(TwoRuns(), 0, DumpJson(artifact)), Not(HasSubstr("Values at the shape")));
  const Json three = {
      {"name", "y"}, {"dtype", "fp16"}, {"shape", {1, 3, 1, 1}}, {"data", "ADwAQABC"}};
  artifact["at_shape"] = {
      {"extent", 3}, {"mil", "of any length"}, {"inputs", {three}}, {"actual", {three}}};
  const std::string page = FindingHtml(TwoRuns(), 0, DumpJson(artifact));
  EXPECT_THAT(page, HasSubstr("<h2>Values at the shape that shows the finding</h2>"));
  EXPECT_THAT(page, HasSubstr("the values at an extent of 3, where the finding occurs"));
  EXPECT_THAT(page, HasSubstr("[0, 2, 0, 0]")) << "the third element";
  EXPECT_THAT(page, HasSubstr("of any length"));
}

TEST(FindingPage, ShowsGraphBitsTextsAndDefects) {
  const std::string page = FindingHtml(TwoRuns(), 0, ReluArtifact());
  EXPECT_THAT(page, HasSubstr("relu - first wrong"));
  EXPECT_THAT(page, HasSubstr("<td class=\"number\">[0, 0, 0, 0]</td><td class=\"number\">0</td>"
                              "<td class=\"number\">0</td><td class=\"number\">0</td>"
                              "<td class=\"number\">-1</td><td class=\"number\">0xbc00</td>"
                              "<td>outside</td>"));
  EXPECT_THAT(page, HasSubstr(": 1 of 2 elements outside of the interval"));
  EXPECT_THAT(page, HasSubstr("-1 0xbc00"));         // the input
  EXPECT_THAT(page, HasSubstr("relu(x = x)"));       // MIL
  EXPECT_THAT(page, HasSubstr("&lt;key&gt;Units"));  // the network description
  EXPECT_THAT(page, HasSubstr("SIMULATED"));
  EXPECT_THAT(page, HasSubstr("2049 on a grid of 2 is stored as 2050"));
  EXPECT_THAT(page, HasSubstr("1/-0 and rsqrt(-0) give +inf"));
  EXPECT_THAT(page, Not(HasSubstr("{{content}}")));
}

TEST(FindingPage, ShowsTheRelationAndTheRewrittenProgram) {
  const CaseRelation relation = {.name = "other-positions", .site = "wrong_one"};
  const std::string page = FindingHtml(TwoRuns(), 0, ReluArtifact(relation));
  EXPECT_THAT(page, HasSubstr("other-positions"));
  EXPECT_THAT(page, HasSubstr("Rewritten MIL"));
  EXPECT_THAT(page, ::testing::AnyOf(HasSubstr("reverse(axes"), HasSubstr("reverse(x"),
                                     HasSubstr("split(")));
  EXPECT_THAT(FindingHtml(TwoRuns(), 0, ReluArtifact()), Not(HasSubstr("Rewritten MIL")));
}

TEST(FindingPage, QuotesTheCommandsForAShell) {
  const std::string page = FindingHtml(TwoRuns(), 0, ReluArtifact());
  for (const char* command :
       {"anecheck replay f000000000a1 --db 'my results.sqlite'",
        "anecheck shrink f000000000a1 --db 'my results.sqlite' --out f000000000a1.json",
        "anecheck replay f000000000a1.json",
        "anecheck finding export f000000000a1 --db 'my results.sqlite' --out "
        "f000000000a1"}) {
    EXPECT_THAT(page, HasSubstr(command));
  }
}

TEST(FindingPage, NamesTheRunsWithTheSameSignature) {
  const std::string page = FindingHtml(TwoRuns(), 0, ReluArtifact());
  const size_t third = page.find("2026-03-01"), second = page.find("2026-02-01"),
               first = page.find("2026-01-01");
  ASSERT_LT(third, second);
  ASSERT_LT(second, first);
  EXPECT_THAT(page.substr(third, second - third), HasSubstr("not seen"));
  EXPECT_THAT(page.substr(second, first - second),
              HasSubstr("<a href=\"f000000000a2.html\">f000000000a2</a> in 7 cases"));
  EXPECT_THAT(page.substr(first), HasSubstr("f000000000a1</a> in 3 cases"));
}

TEST(FindingPage, NamesUnreadableParts) {
  for (const char* artifact : {"", "[]", "{}", "{\"actual\": 1, \"inputs\": [1, {\"name\": 2}]}"}) {
    EXPECT_THAT(FindingHtml(TwoRuns(), 0, artifact), HasSubstr("The case cannot be read: "))
        << artifact;
  }
  EXPECT_THAT(InputTables(*ParseJson("[1]", "t")), HasSubstr("cannot be shown"));
  EXPECT_THAT(OutputTables(*ParseJson(R"([{"name": "y", "dtype": "fp16", "shape": [1],
                                           "data": "ADw="}])",
                                      "t"),
                           Json()),
              HasSubstr("no interval is recorded"));
}

// The last of 100 wrong elements is the worst, so the heading names it.
TEST(FindingPage, ShowsTheWorstElementAndCountsOmittedOnes) {
  Json low = Json::array(), high = Json::array();
  std::string bytes;
  for (int i = 0; i < 100; ++i) {
    low.push_back(0);
    high.push_back(i == 99 ? 0 : 1);
    bytes += std::string("\x00\x40", 2);
  }
  const std::span data(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  const Json actual = Json::array(
      {{{"name", "y"}, {"dtype", "fp16"}, {"shape", {4, 25}}, {"data", Base64Encode(data)}}});
  const Json expected = Json::array({{{"name", "y"}, {"low", low}, {"high", high}}});
  const std::string table = OutputTables(actual, expected);
  EXPECT_THAT(table, HasSubstr(": 100 of 100 elements outside of the interval, 64 of those are "
                               "shown; the worst is 99, [3, 24]"));
  EXPECT_THAT(table, HasSubstr("<td class=\"number\">[3, 24]</td>"));
  const FindingDetail detail =
      ReadFindingDetail(DumpJson({{"actual", actual}, {"expected", expected}}));
  ASSERT_EQ(detail.outputs.size(), 1u);
  EXPECT_EQ(detail.outputs[0].rows.size(), kShownElements);
  EXPECT_EQ(detail.outputs[0].rows.back().index, 99);
  EXPECT_EQ(detail.outputs[0].outside, 100);
}

TEST(FindingPage, OnlyIdsThatAreFileNamesHavePages) {
  const auto page = [](const std::string& id) {
    ReportData data = TwoRuns();
    data.findings[0].id = id;
    NamePages(data);
    return data.findings[0].page;
  };
  EXPECT_EQ(page("f0123456789a"), "findings/f0123456789a.html");
  for (const std::string id : {"", "../x", "a/b", "A", "a.b", "a b", kHostile}) {
    EXPECT_EQ(page(id), "") << id;
  }
}

// Two runs of one seed with different operations have different findings of the same id.
TEST(FindingPage, FindingsOfOneIdHavePagesOfTheirOwn) {
  ReportData data = TwoRuns();
  data.runs[0].uuid = "u0";
  data.runs[1].uuid = "u1";
  for (FindingInfo& finding : data.findings) finding.id = "f000000000a1";
  NamePages(data);
  EXPECT_EQ(data.findings[0].page, "findings/f000000000a1.html");
  EXPECT_EQ(data.findings[1].page, data.findings[0].page) << "the same finding, listed twice";
  data.findings[1].op = "add";
  data.findings[1].shares_id = true;
  NamePages(data);
  EXPECT_EQ(data.findings[0].page, "findings/f000000000a1-u0.html");
  EXPECT_EQ(data.findings[1].page, "findings/f000000000a1-u1.html");
  const std::string page = FindingHtml(data, 1, ReluArtifact());
  EXPECT_THAT(page, HasSubstr("../report.html#finding=f000000000a1-u1\""));
  EXPECT_THAT(page, HasSubstr("<a href=\"f000000000a1-u0.html\">f000000000a1</a>"));
  EXPECT_THAT(page, HasSubstr("anecheck replay f000000000a1 --db '' --run u1<"));
}

TEST(FindingPage, AReportLinksAPageForEachFinding) {
  auto folder = TempDirectory::Create("anecheck-finding-page-");
  ASSERT_TRUE(folder.ok());
  const std::string db = folder->File("results.sqlite");
  ASSERT_TRUE(WriteSampleResults(db).ok());
  const auto data = WriteReports({&db, 1}, folder->path());
  ASSERT_TRUE(data.ok()) << data.error().message;
  const std::string report = *ReadTextFile(folder->File("report.json"));
  for (const FindingInfo& finding : data->findings) {
    const std::string& path = finding.page;
    const auto page = ReadTextFile(folder->File(path));
    ASSERT_TRUE(page.ok()) << path;
    EXPECT_THAT(*page, Not(HasSubstr("<img")));
    EXPECT_THAT(*page, Not(HasSubstr("<script>document")));
    EXPECT_THAT(*page, HasSubstr("../report.html#finding=" + finding.id));
    EXPECT_THAT(report, HasSubstr("\"" + path + "\""));
  }
  EXPECT_THAT(*ReadTextFile(folder->File("findings/f000000000a1.html")), HasSubstr("0x4000"));

  // A later report in the same folder removes the pages of this report and keeps other files.
  const std::string mine = folder->File("findings/mine.html");
  ASSERT_TRUE(WriteFileAtomic(mine, std::string_view("<title>mine</title>")).ok());
  const std::string later = folder->File("later.sqlite");
  ASSERT_TRUE(WriteLaterResults(later).ok());
  ASSERT_TRUE(WriteReports({&later, 1}, folder->path()).ok());
  EXPECT_THAT(*ListFiles(folder->File("findings")),
              ::testing::ElementsAre("f000000000c1.html", "mine.html"));
}

}  // namespace
}  // namespace anecheck::reports
