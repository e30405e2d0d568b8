// Opens the page of a measurement of power in a real browser without network.
#include "reports/power_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/power/power.h"
#include "reports/testing/browser.h"

namespace anecheck::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

PowerReport SampleReport() {
  PowerReport report;
  report.seed = 7;
  report.cases = 2000;
  report.engine = "</script><script>document.body.dataset.hacked=1</script>";
  report.targets = {{"h13", 2}};
  HuntResult found;
  found.subject.id = "conv-bias-dropped";
  found.subject.kind = "numeric";
  found.subject.description = "the bias is not added";
  found.found = true;
  found.by = "campaign";
  found.cases = 3;
  found.nodes = 1;
  found.elements = 6;
  HuntResult missed = found;
  missed.subject.id = "D36";
  missed.subject.group = SubjectGroup::kKnownDefect;
  missed.subject.kind = "runtime";
  missed.found = false;
  missed.nodes.reset();
  missed.reason = "no case departed";
  report.hunts = {found, missed};
  report.clean = {{.target = {"h13", 2}, .cases = 100, .false_findings = 1, .first = "wrong add"}};
  report.magnitudes = {{"add", "elementwise arithmetic", 10, 1, {}, false, 64, 0.1},
                       {"add", "elementwise arithmetic", 1000, 1, {}, true, 0, 0},
                       {"matmul",
                        "convolution, matrix multiply, and pooling",
                        10,
                        {},
                        {"accumulator_unit"},
                        false,
                        9,
                        1}};
  return report;
}

class PowerPage : public ::testing::Test {
 protected:
  void SetUp() override {
    browser_ = FindBrowser();
    if (browser_.empty()) GTEST_SKIP() << "chromium is missing";
    auto folder = TempDirectory::Create("anecheck-power-page-");
    ASSERT_TRUE(folder.ok());
    folder_.emplace(std::move(*folder));
    const std::string html = PowerHtml(PowerToJson(SampleReport()));
    ASSERT_TRUE(WriteFileAtomic(folder_->File("power.html"), std::string_view(html)).ok());
  }

  Visit Open(const std::string& address) {
    return VisitPage(browser_, *folder_, "power.html", address);
  }

  std::string browser_;
  std::optional<TempDirectory> folder_;
};

TEST_F(PowerPage, DrawsEveryTableAndLogsNothing) {
  const auto [document, console] = Open("");
  EXPECT_THAT(document, HasSubstr("data-ready=\"true\""));
  EXPECT_THAT(document, HasSubstr("data-faults=\"2\""));
  EXPECT_THAT(document, HasSubstr("data-classes=\"2\""));
  EXPECT_THAT(document, HasSubstr("data-operations=\"2\""));
  EXPECT_THAT(document, HasSubstr("data-clean=\"1\""));
  EXPECT_THAT(document, HasSubstr("more than 64; 1 in 0 of 1"));
  EXPECT_THAT(document, HasSubstr("<td>accumulator unit</td>"));
  EXPECT_THAT(document, HasSubstr("<strong>SIMULATED</strong>"));
  EXPECT_THAT(document, Not(HasSubstr("data-hacked")));
  EXPECT_THAT(console, Not(HasSubstr("CONSOLE")));
}

TEST_F(PowerPage, FiltersThroughTheAddress) {
  const auto [document, console] = Open("#found=no&kind=runtime");
  EXPECT_THAT(document, HasSubstr("data-faults=\"1\""));
  EXPECT_THAT(document, HasSubstr("no case departed"));
  EXPECT_THAT(console, Not(HasSubstr("CONSOLE")));
}

}  // namespace
}  // namespace anecheck::reports
