// The page of a measurement of power in a real browser without network.
#include "reports/power_page.h"

#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/power/power.h"

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
    for (const char* path : {"/usr/bin/chromium", "/usr/bin/chromium-browser",
                             "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"}) {
      if (browser_.empty() && (ReadFile(path, 1).ok() || ReadFile(path).ok())) browser_ = path;
    }
    if (browser_.empty()) GTEST_SKIP() << "chromium is missing";
    auto folder = TempDirectory::Create("anecheck-power-page-");
    ASSERT_TRUE(folder.ok());
    folder_.emplace(std::move(*folder));
    const std::string html = PowerHtml(PowerToJson(SampleReport()));
    ASSERT_TRUE(WriteFileAtomic(folder_->File("power.html"), std::string_view(html)).ok());
  }

  // The document after loading, and the browser's log.
  std::pair<std::string, std::string> Open(const std::string& address) {
    const std::string document = folder_->File("document"), log = folder_->File("log");
    const std::string command =
        "timeout 100 '" + browser_ +
        "' --headless --no-sandbox --disable-gpu --disable-background-networking "
        "--disable-component-update --disable-sync --no-first-run --enable-logging=stderr --v=0 "
        "--user-data-dir='" +
        folder_->File("profile") + "' --dump-dom 'file://" + folder_->File("power.html") + address +
        "' >'" + document + "' 2>'" + log + "'";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    return {ReadTextFile(document).ok() ? *ReadTextFile(document) : "",
            ReadTextFile(log).ok() ? *ReadTextFile(log) : ""};
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
