// Tests the files of a report with golden texts, schemas, and hostile text that must not become
// markup. If ANECHECK_UPDATE_GOLDEN is set, the tests rewrite the golden files and do not compare
// them.
#include <algorithm>
#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/ops/op.h"
#include "reports/html.h"
#include "reports/json.h"
#include "reports/junit.h"
#include "reports/markdown.h"
#include "reports/matrix.h"
#include "reports/testing/sample_results.h"
#include "reports/text.h"
#include "reports/write_reports.h"

namespace anecheck::reports {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kRoom = ANECHECK_SOURCE_DIR "/reports/";

// Returns the exit code of a shell command, which is 127 if the program is missing.
int Shell(const std::string& command) {
  const int status = std::system(command.c_str());
  return status == -1 ? 127 : (status >> 8) & 0xFF;
}

void ExpectGolden(const std::string& name, const std::string& text) {
  const std::string path = std::string(kRoom) + "testdata/" + name;
  if (std::getenv("ANECHECK_UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(WriteFileAtomic(path, text).ok());
  }
  const auto golden = ReadTextFile(path);
  ASSERT_TRUE(golden.ok()) << golden.error().message;
  EXPECT_EQ(text, *golden) << "differs from " << path;
}

class WritersTest : public testing::Test {
 protected:
  void SetUp() override {
    auto folder = TempDirectory::Create("anecheck-reports-");
    ASSERT_TRUE(folder.ok());
    folder_.emplace(std::move(*folder));
    const std::string path = folder_->File("results.sqlite");
    ASSERT_TRUE(WriteSampleResults(path).ok());
    auto data = WriteReports({&path, 1}, out());
    ASSERT_TRUE(data.ok()) << data.error().message;
    data_ = std::move(*data);
  }
  std::string out() const { return folder_->File("report"); }
  std::string Content(const std::string& name) const {
    auto text = ReadTextFile(out() + "/" + name);
    EXPECT_TRUE(text.ok()) << name;
    return text.ok() ? *text : "";
  }
  Json Parsed(const std::string& name) const {
    auto json = ParseJson(Content(name), name);
    EXPECT_TRUE(json.ok()) << (json.ok() ? "" : json.error().message);
    return json.ok() ? *json : Json();
  }
  // Validates a written file with Debian's python3-jsonschema.
  void ExpectValid(const std::string& name, const std::string& schema) const {
    if (Shell("python3 -c 'import jsonschema' 2>/dev/null") != 0) {
      GTEST_SKIP() << "python3-jsonschema is missing";
    }
    EXPECT_EQ(Shell("python3 -c 'import json,jsonschema,sys; jsonschema.validate("
                    "json.load(open(sys.argv[1])), json.load(open(sys.argv[2])))' '" +
                    out() + "/" + name + "' '" + kRoom + "schemas/" + schema + "'"),
              0);
  }
  // Returns the matrix of the operations that the sample contains. The golden files then stay valid
  // if operations are added to the table.
  Matrix SampleMatrix() const {
    Matrix matrix = BuildMatrix(data_).value();
    KeepMetTargets(matrix);
    std::set<std::string> named;
    for (const auto& [key, counts] : data_.reach) named.insert(key.op);
    for (size_t row = matrix.rows.size(); row-- > 0;) {
      if (named.contains(matrix.rows[row].op)) continue;
      const auto at = static_cast<std::ptrdiff_t>(row);
      matrix.rows.erase(matrix.rows.begin() + at);
      matrix.cells.erase(matrix.cells.begin() + at);
    }
    return matrix;
  }
  std::optional<TempDirectory> folder_;
  ReportData data_;
};

TEST_F(WritersTest, SummaryEqualsItsGoldenFile) {
  ExpectGolden("summary.md", SummaryMarkdown(data_, SampleMatrix()));
}

// Runs of probes have no cases, so only the list of probes can show a disagreement.
TEST_F(WritersTest, CountsProbesAndListsThoseThatDifferFromPublishedOnes) {
  const std::string text = SummaryMarkdown(data_, SampleMatrix());
  EXPECT_THAT(text, HasSubstr("Probes: 1 as published, 2 otherwise, 1 unmeasured, 1 with nothing "
                              "published."));
  EXPECT_THAT(text, HasSubstr("| `rounding_tie` | h13 | simulated | 2050 | 2048 |  |"));
  EXPECT_THAT(text, HasSubstr("| `relu_nan` | h13 | simulated | unmeasured | Infinity | the engine "
                              "refused it |"));
  EXPECT_THAT(text, Not(HasSubstr("accumulator_port")));
  const Json probes = Parsed("report.json")["probes"];
  ASSERT_EQ(probes.size(), 5u);
  EXPECT_EQ(probes[0]["probe"], "rounding_tie");
  EXPECT_EQ(probes[0]["standing"], "otherwise");
  EXPECT_EQ(probes[1]["standing"], "unmeasured");
}

// A heading with nothing below it would look like a truncated file.
TEST_F(WritersTest, EveryHeadingHasContent) {
  ReportData data = data_;
  data.reach.clear();
  data.findings.clear();
  data.runs.resize(1);
  data.runs[0].met.clear();
  std::erase_if(data.probes, [](const ProbeInfo& probe) { return probe.run != 0; });
  const std::string text = SummaryMarkdown(data, BuildMatrix(data).value());
  EXPECT_THAT(text, testing::EndsWith("## Operations by targets with results\n\nNone.\n"));
  data.probes.clear();
  EXPECT_THAT(SummaryMarkdown(data, BuildMatrix(data).value()), Not(HasSubstr("robes")));
}

TEST_F(WritersTest, JUnitEqualsItsGoldenFile) { ExpectGolden("junit.xml", Content("junit.xml")); }

TEST_F(WritersTest, MatrixEqualsItsGoldenFile) {
  ExpectGolden("matrix.csv", MatrixCsv(SampleMatrix()));
}

TEST_F(WritersTest, JUnitFitsItsSchemaAndThatOfItsReaders) {
  if (Shell("xmllint --version 2>/dev/null") != 0) GTEST_SKIP() << "xmllint is missing";
  for (const char* schema : {"junit.xsd", "jenkins-junit.xsd"}) {
    EXPECT_EQ(Shell("xmllint --nonet --noout --schema '" + std::string(kRoom) + "schemas/" +
                    schema + "' '" + out() + "/junit.xml' 2>/dev/null"),
              0)
        << schema;
  }
}

TEST_F(WritersTest, JUnitCountsItsCases) {
  const std::string xml = Content("junit.xml");
  const auto count = [&](const std::string& part) {
    size_t found = 0;
    for (size_t at = xml.find(part); at != std::string::npos; at = xml.find(part, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count("<testcase "), 8u + 6u + 5u);  // operations by target, then findings, then probes
  EXPECT_EQ(count("<failure "), 1u + 2u);
  EXPECT_EQ(count("<failure type=\"otherwise\""), 2u) << "probes that are not as published";
  // An unknown verdict is not a finding.
  EXPECT_EQ(count("<error "), static_cast<size_t>(data_.NewFindings()) - 1);
  EXPECT_EQ(count("<skipped>"), 2u + 1u);
  EXPECT_EQ(count("<skipped>unmeasured: the engine refused it"), 1u);
  EXPECT_EQ(count("<skipped>unconfirmed: "), 1u) << "neither a pass nor a failure";
}

// Readers of the format identify cases by their names.
TEST_F(WritersTest, JUnitNamesTheRunOfFindingsWithOneId) {
  ReportData data = data_;
  data.findings[0].op = "conv";
  data.findings.push_back(data.findings[0]);
  const size_t other = 1 - data.findings[0].run;
  data.findings.back().run = other;
  data.runs[other].provenance = data.runs[data.findings[0].run].provenance;
  const std::string name = "name=\"" + data.findings[0].op + " " + data.findings[0].id + " of run ";
  const std::string xml = JUnitXml(data);
  for (const RunInfo& run : data.runs) EXPECT_THAT(xml, HasSubstr(name + EscapeXml(run.uuid)));
  EXPECT_THAT(Content("junit.xml"), Not(HasSubstr(" of run ")));
}

TEST_F(WritersTest, JsonFitsItsSchema) { ExpectValid("report.json", "report.schema.json"); }

TEST_F(WritersTest, SarifFitsItsSchema) { ExpectValid("sarif.json", "sarif-2.1.0.schema.json"); }

TEST_F(WritersTest, JsonHasTheRunsAndTheMatrix) {
  const Json json = Parsed("report.json");
  EXPECT_EQ(json["version"], 1);
  EXPECT_EQ(json["simulated"], true);
  EXPECT_EQ(json["summary"]["cases"], 7);
  EXPECT_EQ(json["summary"]["findings"], 4);
  EXPECT_EQ(json["summary"]["known_defects"], 1);
  EXPECT_EQ(json["summary"]["unconfirmed"], 1);
  for (const Json& cell : json["matrix"]["cells"]) {
    if (cell["op"] != "relu" || cell["target"] != "h17s") continue;
    EXPECT_EQ(cell["state"], "unconfirmed");
    EXPECT_EQ(cell["evidence"][0]["unconfirmed_findings"], 1);
  }
  EXPECT_EQ(json["runs"].size(), 2u);
  EXPECT_EQ(json["runs"][0]["seed"], "18446744073709551615");
  EXPECT_EQ(json["findings"].size(), data_.findings.size());
  EXPECT_EQ(json["matrix"]["cells"].size(),
            json["matrix"]["ops"].size() * json["matrix"]["targets"].size());
  // the additional row is the hostile name
  EXPECT_EQ(json["matrix"]["ops"].size(), ListedOps() + 1);
}

// Each of two runs of one engine has half of the evidence.
TEST_F(WritersTest, ErrorsThatLeanAreSummedOverRuns) {
  OperationLeans half{};
  LeanSums& toward = half[static_cast<size_t>(Lean::kToward)];
  for (uint64_t i = 0; i < 150; ++i) toward.Add(i, 0.25);
  ASSERT_FALSE(toward.Significant());
  const ReachKey key = {"rsqrt", "h15", Route::kMil, Provenance::kSimulated};
  ReportData data = data_;
  data.leans[key] += half;
  EXPECT_TRUE(ReportJson(data, SampleMatrix())["leans"].empty());
  EXPECT_EQ(SummaryMarkdown(data, SampleMatrix()).find("Errors that lean"), std::string::npos);
  data.leans[key] += half;
  const Json leans = ReportJson(data, SampleMatrix())["leans"];
  ASSERT_EQ(leans.size(), 1u);
  EXPECT_EQ(leans[0]["op"], "rsqrt");
  EXPECT_EQ(leans[0]["lean"], "toward");
  EXPECT_EQ(leans[0]["outputs"], 300);
  EXPECT_DOUBLE_EQ(leans[0]["mean"].get<double>(), 0.25);
  EXPECT_NE(SummaryMarkdown(data, SampleMatrix()).find("errors lie toward zero: by 0.250"),
            std::string::npos);
}

TEST_F(WritersTest, SarifHasOneRunForEachCampaign) {
  const Json sarif = Parsed("sarif.json");
  EXPECT_EQ(sarif["version"], "2.1.0");
  ASSERT_EQ(sarif["runs"].size(), 2u);
  const Json& run = sarif["runs"][0];
  EXPECT_EQ(run["automationDetails"]["guid"], "00112233-4455-4677-8899-aabbccddeeff");
  ASSERT_EQ(run["results"].size(), 2u + 1u);
  const Json& probe = run["results"][2];
  EXPECT_EQ(probe["ruleId"], "probe-otherwise") << "its exit code is that of a new finding";
  EXPECT_EQ(probe["message"]["text"],
            "probe rounding_tie on h13 (simulated): measured 2050, published 2048");
  for (const Json& result : run["results"]) {
    const Json& rule = run["tool"]["driver"]["rules"][result["ruleIndex"].get<size_t>()];
    EXPECT_EQ(rule["id"], result["ruleId"]);
    EXPECT_EQ(result["level"], result["ruleId"] == "known-defect" ? "note" : "error");
    EXPECT_EQ(result["properties"]["provenance"], "simulated");
  }
  for (const Json& result : sarif["runs"][1]["results"]) {
    EXPECT_EQ(result["level"], result["ruleId"] == "unconfirmed" ? "warning" : "error");
  }
}

TEST_F(WritersTest, TheSameFilesGiveTheSameReports) {
  const std::string path = folder_->File("results.sqlite");
  std::map<std::string, std::string> before;
  const char* const names[] = {"report.html", "report.json", "junit.xml",
                               "summary.md",  "matrix.csv",  "sarif.json"};
  for (const char* name : names) before[name] = Content(name);
  ASSERT_TRUE(WriteReports({&path, 1}, out()).ok());
  for (const char* name : names) EXPECT_EQ(Content(name), before[name]) << name;
}

TEST_F(WritersTest, HostileTextEndsNoElementOfThePage) {
  const std::string page = Content("report.html");
  const auto count = [&](const std::string& part) {
    size_t found = 0;
    for (size_t at = page.find(part); at != std::string::npos; at = page.find(part, at + 1)) {
      ++found;
    }
    return found;
  };
  EXPECT_EQ(count("<script"), 2u);
  EXPECT_EQ(count("</script"), 2u);
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, Not(HasSubstr("{{style}}")));
  EXPECT_THAT(page, HasSubstr("\\u003c/script\\u003e"));
}

TEST_F(WritersTest, ThePageNamesNoOtherHost) {
  const std::string page = Content("report.html");
  EXPECT_THAT(page, Not(HasSubstr("src=\"http")));
  EXPECT_THAT(page, Not(HasSubstr("href=\"http")));
  EXPECT_THAT(page, Not(HasSubstr("@import")));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
}

TEST(ScriptSafe, LeavesTheSameJson) {
  const std::string text = R"({"a":"</script><!--&"})";
  const std::string safe = ScriptSafe(text);
  EXPECT_EQ(safe.find_first_of("<>&"), std::string::npos);
  EXPECT_EQ(ParseJson(safe).value(), ParseJson(text).value());
}

TEST(WriteReports, NamesTheFault) {
  const std::string missing = "/nonexistent/results.sqlite";
  EXPECT_FALSE(WriteReports({&missing, 1}, "/nonexistent/out").ok());
}

}  // namespace
}  // namespace anecheck::reports
