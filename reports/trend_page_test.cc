// Opens the page of trends in a real browser. The page draws every section, filters by its address,
// fits a narrow window, has enough contrast in both themes, and logs nothing to the console.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "reports/testing/browser.h"
#include "reports/testing/sample_results.h"
#include "reports/trend.h"

namespace anecheck::reports {
namespace {

using testing::HasSubstr;
using testing::Not;

// A script for a copy of the page. It measures the least contrast of any text against its
// background (WCAG 2.1, relative luminance), and the number of pixels by which the page is wider
// than its window.
constexpr const char* kMeasure = R"(<script>
const rgb = (text) => text.match(/[\d.]+/g).map(Number);
const luminance = (parts) => parts.slice(0, 3).map((c) => c / 255)
  .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
  .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
const ground = (node) => {
  for (let at = node; at; at = at.parentElement) {
    const parts = rgb(getComputedStyle(at).backgroundColor);
    if (parts.length < 4 || parts[3] > 0) return parts;
  }
  return [255, 255, 255];
};
const least = (theme) => {
  document.documentElement.dataset.theme = theme;
  let found = 21;
  for (const node of document.querySelectorAll("main *, header *, nav *")) {
    const own = [...node.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!own || node.tagName === "TITLE" || !node.getClientRects().length) continue;
    const style = getComputedStyle(node);
    const ink = rgb(node.namespaceURI.endsWith("svg") ? style.fill : style.color);
    const [a, b] = [luminance(ink), luminance(ground(node))].sort((x, y) => y - x);
    found = Math.min(found, (a + 0.05) / (b + 0.05));
  }
  return found.toFixed(2);
};
const body = document.body.dataset;
body.light = least("light");
body.dark = least("dark");
body.overflow = document.documentElement.scrollWidth - innerWidth;
</script></body>)";

class TrendPage : public testing::Test {
 protected:
  void SetUp() override {
    browser_ = FindBrowser();
    if (browser_.empty()) GTEST_SKIP() << "chromium is missing";
    auto folder = TempDirectory::Create("anecheck-trend-page-");
    ASSERT_TRUE(folder.ok());
    folder_.emplace(std::move(*folder));
    const std::vector<std::string> paths = {folder_->File("a.sqlite"), folder_->File("b.sqlite")};
    ASSERT_TRUE(WriteSampleResults(paths[0]).ok());
    ASSERT_TRUE(WriteLaterResults(paths[1]).ok());
    const auto trend = ReadTrend(paths, {});
    ASSERT_TRUE(trend.ok());
    html_ = TrendHtml(*trend);
    maps_ = (*trend)["maps"].size();
    Write("trend.html", html_);
  }
  void Write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(WriteFileAtomic(folder_->File(name), std::string_view(text)).ok());
  }
  Visit Open(const std::string& address, int width = 1280, const std::string& name = "trend.html") {
    const Visit visit = VisitPage(browser_, *folder_, name, address, width);
    EXPECT_THAT(visit.document, HasSubstr("data-ready=\"true\""));
    EXPECT_THAT(visit.console, Not(HasSubstr("CONSOLE")));
    return visit;
  }
  static double Mark(const std::string& document, const std::string& name) {
    const size_t at = document.find("data-" + name + "=\"");
    return at == std::string::npos ? -1 : std::stod(document.substr(at + name.size() + 7));
  }

  std::string browser_, html_;
  size_t maps_ = 0;
  std::optional<TempDirectory> folder_;
};

TEST_F(TrendPage, DrawsEverySectionAndLogsNothing) {
  const std::string document = Open("").document;
  EXPECT_EQ(Mark(document, "runs"), 3);
  EXPECT_EQ(Mark(document, "growth"), 2);
  EXPECT_EQ(Mark(document, "changes"), 1);
  EXPECT_EQ(Mark(document, "times"), 7);
  EXPECT_EQ(Mark(document, "errors"), 3);
  EXPECT_EQ(Mark(document, "maps"), static_cast<double>(maps_));
  for (const char* plot : {"cells of coverage", "cells of coverage by cases",
                           "defects found by cases", "time until the defects of a run were met"}) {
    EXPECT_THAT(document, HasSubstr("<strong>" + std::string(plot) + "</strong>"));
  }
  EXPECT_THAT(document, HasSubstr("<strong>SIMULATED</strong>"));
  EXPECT_THAT(document, Not(HasSubstr("data-hacked")));
  EXPECT_THAT(document, Not(HasSubstr("<img")));
  EXPECT_THAT(document, Not(HasSubstr("NaN")));
}

TEST_F(TrendPage, FiltersThroughItsAddress) {
  const std::string target = Open("#target=h13&search=conv").document;
  EXPECT_EQ(Mark(target, "errors"), 1);
  EXPECT_EQ(Mark(target, "changes"), 1);
  EXPECT_EQ(Mark(target, "times"), 1);
  const std::string evidence = Open("#evidence=reported").document;
  EXPECT_EQ(Mark(evidence, "runs"), 1);
  EXPECT_EQ(Mark(evidence, "growth"), 1);
  EXPECT_EQ(Mark(evidence, "changes"), 0);
  EXPECT_EQ(Mark(Open("#state=rejected").document, "changes"), 0);
}

TEST_F(TrendPage, FitsItsWindowAndKeepsItsContrast) {
  std::string copy = html_;
  copy.replace(copy.rfind("</body>"), 7, kMeasure);
  Write("measured.html", copy);
  for (const int width : {500, 1600}) {
    const std::string document = Open("", width, "measured.html").document;
    EXPECT_GE(Mark(document, "light"), 4.5) << width;
    EXPECT_GE(Mark(document, "dark"), 4.5) << width;
    EXPECT_EQ(Mark(document, "overflow"), 0) << width;
  }
  // A headless window is at least 500 pixels wide, so a narrower frame is used.
  std::string inner;
  for (const char c : copy) inner += c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
  Write("narrow.html", "<body><iframe width=400 height=900 style='border:0' srcdoc=\"" + inner +
                           "\"></iframe><script>const frame = document.querySelector('iframe');"
                           "frame.onload = () => Object.assign(document.body.dataset, "
                           "frame.contentDocument.body.dataset);</script></body>");
  const std::string narrow = Open("", 600, "narrow.html").document;
  EXPECT_EQ(Mark(narrow.substr(0, narrow.find("<iframe")), "overflow"), 0);
}

TEST_F(TrendPage, NamesNoOtherHost) {
  EXPECT_THAT(html_, Not(HasSubstr("src=\"http")));
  EXPECT_THAT(html_, Not(HasSubstr("href=\"http")));
  EXPECT_THAT(html_, Not(HasSubstr("@import")));
  EXPECT_THAT(html_, HasSubstr("default-src 'none'"));
}

}  // namespace
}  // namespace anecheck::reports
