// Opens the page in a real browser without network. The page draws its content, filters by its
// address, opens cells and findings, and logs nothing to the console.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "harness/base/file.h"
#include "harness/targets/catalog.h"
#include "reports/testing/browser.h"
#include "reports/testing/sample_results.h"
#include "reports/write_reports.h"

namespace anecheck::reports {
namespace {

using testing::HasSubstr;
using testing::Not;

class PageTest : public testing::Test {
 protected:
  void SetUp() override {
    browser_ = FindBrowser();
    if (browser_.empty()) GTEST_SKIP() << "chromium is missing";
    auto folder = TempDirectory::Create("anecheck-page-");
    ASSERT_TRUE(folder.ok());
    folder_.emplace(std::move(*folder));
    const std::string path = folder_->File("results.sqlite");
    ASSERT_TRUE(WriteSampleResults(path).ok());
    ASSERT_TRUE(WriteReports({&path, 1}, folder_->path()).ok());
  }

  Visit Open(const std::string& name, const std::string& address = "") {
    return VisitPage(browser_, *folder_, name, address);
  }

  std::string browser_;
  std::optional<TempDirectory> folder_;
};

std::string Mark(std::string_view name, size_t value) {
  return "data-" + std::string(name) + "=\"" + std::to_string(value) + "\"";
}

TEST_F(PageTest, DrawsAllAndLogsNothing) {
  const Visit visit = Open("report.html");
  EXPECT_THAT(visit.document, HasSubstr("data-ready=\"true\""));
  EXPECT_THAT(visit.document, HasSubstr(Mark("matrix-rows", ListedOps() + 1)));
  EXPECT_THAT(visit.document, HasSubstr(Mark("matrix-columns", 3)));
  EXPECT_THAT(visit.document, HasSubstr(Mark("findings", 6)));
  EXPECT_THAT(visit.document, HasSubstr(Mark("probes", 5)));
  EXPECT_THAT(visit.document, HasSubstr("1 as published, 2 otherwise, 1 unmeasured, 1 nothing"));
  EXPECT_THAT(visit.document, HasSubstr(Mark("histograms", 3)));
  EXPECT_THAT(visit.document, HasSubstr("no operation named on "));
  EXPECT_THAT(visit.document, Not(HasSubstr("0 of 0 operations"))) << "of a target in no table";
  EXPECT_THAT(visit.document, HasSubstr("<strong>SIMULATED</strong>"));
  EXPECT_THAT(visit.document, Not(HasSubstr("data-hacked")));
  EXPECT_THAT(visit.document, Not(HasSubstr("<img")));
  EXPECT_THAT(visit.console, Not(HasSubstr("CONSOLE")));
}

TEST_F(PageTest, FiltersThroughTheAddressAndOpensACellAndAFinding) {
  const Visit visit =
      Open("report.html",
           "#state=wrong&target=h13&evidence=simulated&finding=f000000000a1&cell=conv,h13");
  EXPECT_THAT(visit.document, HasSubstr(Mark("matrix-rows", 1)));
  EXPECT_THAT(visit.document, HasSubstr(Mark("matrix-columns", 1)));
  EXPECT_THAT(visit.document, HasSubstr(Mark("findings", 1)));
  EXPECT_THAT(visit.document, HasSubstr(Mark("histograms", 2)));
  EXPECT_THAT(visit.document, HasSubstr("conv on h13"));
  EXPECT_THAT(visit.document, HasSubstr("func main&lt;ios18&gt;() { } -&gt; (y);"));
  EXPECT_THAT(visit.console, Not(HasSubstr("CONSOLE")));
}

// A command for another route would not test the cell.
TEST_F(PageTest, ACellsCommandNamesTheRouteOfTheCell) {
  EXPECT_THAT(Open("report.html", "#cell=conv,h13").document,
              HasSubstr("--ops conv --targets h13 --route mil --db"));
  EXPECT_THAT(Open("report.html", "#route=netlist&cell=conv,h13").document,
              HasSubstr("--ops conv --targets h13 --route netlist --db"));
  EXPECT_THAT(Open("report.html", "#cell=SDPA,h13").document,
              HasSubstr("--ops SDPA --targets h13 --route netlist --db"));
}

// If only unmeasured terms forbid a deviation, the state of the operation is `unconfirmed`.
TEST_F(PageTest, AnUnconfirmedDeviationHasItsOwnState) {
  const Visit visit = Open("report.html", "#state=unconfirmed");
  EXPECT_THAT(visit.document, HasSubstr(Mark("matrix-rows", 1)));
  EXPECT_THAT(visit.document, HasSubstr(Mark("findings", 1)));
  EXPECT_THAT(visit.document, HasSubstr("<dt>unconfirmed deviations</dt><dd>1</dd>"));
  EXPECT_THAT(visit.document, HasSubstr("relu on h17s: unconfirmed, reported"));
  EXPECT_THAT(visit.console, Not(HasSubstr("CONSOLE")));
}

TEST_F(PageTest, ShowsAllTargetsAndSearches) {
  const Visit visit = Open("report.html", "#all=1&search=no%20such%20operation");
  EXPECT_THAT(visit.document, HasSubstr(Mark("matrix-rows", 0)));
  EXPECT_THAT(visit.document, HasSubstr(Mark("matrix-columns", AllTargets().size() + 1)));
  EXPECT_THAT(visit.document, HasSubstr(Mark("findings", 0)));
}

// Shows that the tests above can fail. They would pass if the browser logged to another place.
TEST_F(PageTest, AnErrorOnTheConsoleIsSeen) {
  ASSERT_TRUE(WriteFileAtomic(folder_->File("bad.html"),
                              std::string_view("<script>noSuchFunction()</script>"))
                  .ok());
  EXPECT_THAT(Open("bad.html").console, HasSubstr("CONSOLE"));
}

}  // namespace
}  // namespace anecheck::reports
