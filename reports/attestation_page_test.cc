// The page of the matrix in a real browser without network, at its full size.
#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>

#include "harness/base/file.h"
#include "reports/attestation.h"

namespace anecheck::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class AttestationPage : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* path : {"/usr/bin/chromium", "/usr/bin/chromium-browser",
                             "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"}) {
      if (browser_.empty() && (ReadFile(path, 1).ok() || ReadFile(path).ok())) browser_ = path;
    }
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
    auto matrix = BuildAttestation(*targets, statements);
    ASSERT_TRUE(matrix.ok());
    cells_ = matrix->cells.size();
    ASSERT_TRUE(
        WriteFileAtomic(folder_->File("matrix.html"), std::string_view(AttestationHtml(*matrix)))
            .ok());
  }

  // The document as it stands after loading, and what the browser logged.
  std::pair<std::string, std::string> Open(const std::string& address, const char* size = "") {
    const std::string document = folder_->File("document"), log = folder_->File("log");
    const std::string command =
        "timeout 300 '" + browser_ +
        "' --headless --no-sandbox --disable-gpu --disable-background-networking "
        "--disable-component-update --disable-sync --no-first-run --enable-logging=stderr --v=0 " +
        size + " --virtual-time-budget=20000 --user-data-dir='" + folder_->File("profile") +
        "' --dump-dom 'file://" + folder_->File("matrix.html") + address + "' >'" + document +
        "' 2>'" + log + "'";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    return {ReadTextFile(document).ok() ? *ReadTextFile(document) : "",
            ReadTextFile(log).ok() ? *ReadTextFile(log) : ""};
  }

  size_t cells_ = 0;
  std::string browser_;
  std::optional<TempDirectory> folder_;
};

TEST_F(AttestationPage, DrawsEveryRowTargetAndRoute) {
  const auto [document, console] = Open("");
  EXPECT_THAT(document, HasSubstr("data-ready=\"true\""));
  EXPECT_THAT(document, HasSubstr("data-drawn=\"true\""));
  EXPECT_THAT(document, HasSubstr("data-rows=\"242\""));
  EXPECT_THAT(document, HasSubstr("data-columns=\"56\""));
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

TEST_F(AttestationPage, EachFilterLeavesSomethingOrNothingButDraws) {
  for (const char* show : {"unreached", "unattested", "conflict", "silicon"}) {
    const auto [document, console] = Open(std::string("#show=") + show, "--window-size=390,800");
    EXPECT_THAT(document, HasSubstr("data-drawn=\"true\"")) << show;
    EXPECT_THAT(document, Not(HasSubstr("data-shown=\"0\""))) << show;
    EXPECT_THAT(console, Not(HasSubstr("CONSOLE"))) << show;
  }
  EXPECT_THAT(Open("#show=new").first, HasSubstr("data-shown=\"0\""));
}

}  // namespace
}  // namespace anecheck::reports
