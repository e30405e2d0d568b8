// Opens the page of the full matrix in a real browser without network.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "reports/attestation.h"
#include "reports/testing/browser.h"

namespace anecheck::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class AttestationPage : public ::testing::Test {
 protected:
  void SetUp() override {
    browser_ = FindBrowser();
    if (browser_.empty()) GTEST_SKIP() << "chromium is missing";
    auto folder = TempDirectory::Create("anecheck-attestation-page-");
    ASSERT_TRUE(folder.ok());
    folder_.emplace(std::move(*folder));
    auto targets = TargetCatalog::Builtin().FindList("all");
    ASSERT_TRUE(targets.ok());
    std::vector<evidence::Statement> statements = evidence::Published();
    evidence::Statement hostile = statements.front();
    hostile.source = hostile.note = "</script><script>document.body.dataset.hacked=1</script>";
    statements.push_back(hostile);
    evidence::Statement own = statements.front();
    own.provenance = Provenance::kSilicon;
    statements.push_back(own);
    auto matrix = BuildAttestation(*targets, statements);
    ASSERT_TRUE(matrix.ok());
    rows_ = matrix->rows.size();
    cells_ = matrix->cells.size();
    columns_ = matrix->targets.size() * matrix->routes.size();
    ASSERT_TRUE(
        WriteFileAtomic(folder_->File("matrix.html"), std::string_view(AttestationHtml(*matrix)))
            .ok());
  }

  Visit Open(const std::string& address, int width = 1280) {
    return VisitPage(browser_, *folder_, "matrix.html", address, width);
  }

  // Opens the page with a script of the test appended. The script runs after everything is drawn.
  // Its function `say(text)` adds text to the document.
  Visit Drive(const std::string& script) {
    const std::string path = folder_->File("matrix.html");
    std::string page = *ReadTextFile(path);
    const std::string driver =
        "<script>const say = (text) => document.body.append('said ' + text + ';');"
        "const key = (node, name) => node.dispatchEvent("
        "new KeyboardEvent('keydown', {key: name, bubbles: true, cancelable: true}));"
        "const wait = setInterval(() => { if (document.body.dataset.drawn !== 'true') return;"
        "clearInterval(wait); " +
        script + " }, 5);</script></body>";
    page.replace(page.rfind("</body>"), 7, driver);
    EXPECT_TRUE(WriteFileAtomic(path, std::string_view(page)).ok());
    return Open("");
  }

  size_t rows_ = 0, cells_ = 0, columns_ = 0;
  std::string browser_;
  std::optional<TempDirectory> folder_;
};

TEST_F(AttestationPage, DrawsEveryRowTargetAndRoute) {
  const auto [document, console] = Open("");
  EXPECT_THAT(document, HasSubstr("data-ready=\"true\""));
  EXPECT_THAT(document, HasSubstr("data-drawn=\"true\""));
  EXPECT_THAT(document, HasSubstr("data-rows=\"" + std::to_string(rows_) + "\""));
  EXPECT_THAT(document, HasSubstr("data-columns=\"" + std::to_string(columns_) + "\""));
  EXPECT_THAT(document, HasSubstr("data-shown=\"" + std::to_string(cells_) + "\""));
  EXPECT_THAT(document, Not(HasSubstr("data-hacked")));
  EXPECT_THAT(console, Not(HasSubstr("CONSOLE")));
}

TEST_F(AttestationPage, FiltersSearchesAndOpensACell) {
  const auto [document, console] =
      Open("#search=argmax&target=h17s&route=mil&show=conflict&cell=conv,h13,mil");
  EXPECT_THAT(document, HasSubstr("data-rows=\"1\""));
  EXPECT_THAT(document, HasSubstr("data-columns=\"1\""));
  EXPECT_THAT(document, HasSubstr("conv on h13, mil"));
  EXPECT_THAT(document, HasSubstr("minimum family"));
  EXPECT_THAT(document, HasSubstr("max_kernel_w_fp16_large"));
  EXPECT_THAT(document, HasSubstr("anecheck explain conv --target h13 --route mil"));
  EXPECT_THAT(console, Not(HasSubstr("CONSOLE")));
}

// Arrow keys move over the cells, Enter opens a cell, and / goes to the search.
TEST_F(AttestationPage, CanBeUsedWithTheKeyboard) {
  const auto [document, console] = Drive(
      "const name = () => document.activeElement.getAttribute('aria-label');"
      "const first = document.querySelector('#cells td'); first.focus(); say('first ' + name());"
      "key(document.activeElement, 'ArrowRight'); say('right ' + name());"
      "key(document.activeElement, 'ArrowDown'); say('down ' + name());"
      "key(document.activeElement, 'Enter');"
      "say('open ' + document.getElementById('cell').open + ' ' +"
      "    document.getElementById('cell-title').textContent);"
      "document.getElementById('cell').close(); key(document.body, '/');"
      "say('focus ' + document.activeElement.id);");
  EXPECT_THAT(document, HasSubstr("said first conv on h11, mil: "));
  EXPECT_THAT(document, HasSubstr("said right conv on h11, netlist: "));
  EXPECT_THAT(document, HasSubstr("said down conv_transpose on h11, netlist: "));
  EXPECT_THAT(document, HasSubstr("said open true conv_transpose on h11, netlist"));
  EXPECT_THAT(document, HasSubstr("said focus filter-search;"));
  EXPECT_THAT(console, Not(HasSubstr("CONSOLE")));
}

// Uses the controls of the filters instead of the address. A choice redraws the page and changes
// the address, and Clear undoes both.
TEST_F(AttestationPage, ControlsFilterAndClear) {
  const auto [document, console] = Drive(
      "const choose = (id, value) => { const node = document.getElementById('filter-' + id);"
      "node.value = value; node.dispatchEvent(new Event('change')); };"
      "choose('target', 'h17s'); choose('route', 'mil'); choose('show', 'conflict');"
      "setTimeout(() => { say('rows ' + document.querySelectorAll('#cells tbody td').length +"
      "' of ' + document.body.dataset.rows + ' at ' + location.hash);"
      "document.getElementById('filter-clear').click();"
      "setTimeout(() => say('cleared ' + document.body.dataset.shown), 2000); }, 2000);");
  EXPECT_THAT(document, HasSubstr("at #target=h17s&amp;route=mil&amp;show=conflict;"));
  EXPECT_THAT(document, HasSubstr("said cleared " + std::to_string(cells_) + ";"));
  EXPECT_THAT(console, Not(HasSubstr("CONSOLE")));
}

TEST_F(AttestationPage, ShowsNewCellsSinceABaseline) {
  auto targets = TargetCatalog::Builtin().FindList("h13");
  const auto before = BuildAttestation(*targets, {});
  auto after = BuildAttestation(*targets, evidence::Published());
  ASSERT_TRUE(before.ok() && after.ok());
  ASSERT_TRUE(CompareWithBaseline(AttestationJson(*before).dump(), "before.json", *after).ok());
  size_t fresh = 0;
  for (const AttestationCell& cell : after->cells) fresh += cell.fresh ? 1 : 0;
  ASSERT_GT(fresh, 0u);
  ASSERT_TRUE(
      WriteFileAtomic(folder_->File("matrix.html"), std::string_view(AttestationHtml(*after)))
          .ok());
  const auto [document, console] = Open("#show=new");
  EXPECT_THAT(document, HasSubstr("data-shown=\"" + std::to_string(fresh) + "\""));
  EXPECT_THAT(console, Not(HasSubstr("CONSOLE")));
}

TEST_F(AttestationPage, EachFilterDrawsAlsoIfNothingIsLeft) {
  for (const char* show : {"unreached", "unattested", "conflict", "silicon"}) {
    const auto [document, console] = Open(std::string("#show=") + show, 390);
    EXPECT_THAT(document, HasSubstr("data-drawn=\"true\"")) << show;
    EXPECT_THAT(document, Not(HasSubstr("data-shown=\"0\""))) << show;
    EXPECT_THAT(console, Not(HasSubstr("CONSOLE"))) << show;
  }
  EXPECT_THAT(Open("#show=new").document, HasSubstr("data-shown=\"0\""));
}

}  // namespace
}  // namespace anecheck::reports
