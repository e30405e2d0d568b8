// Tests the pages of a lab and their marks, with sample results in which every name is hostile.
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "harness/base/file.h"
#include "harness/base/json_text.h"
#include "harness/results/store.h"
#include "reports/site/site_pages.h"
#include "reports/site/write_site.h"
#include "reports/testing/sample_results.h"
#include "reports/testing/schema.h"

namespace anecheck::reports {
namespace {

using testing::HasSubstr;
using testing::Not;

class SiteTest : public testing::Test {
 protected:
  void SetUp() override {
    auto folder = TempDirectory::Create("anecheck-site-");
    ASSERT_TRUE(folder.ok());
    folder_.emplace(std::move(*folder));
    paths_ = {folder_->File("first.sqlite"), folder_->File("later.sqlite")};
    ASSERT_TRUE(WriteSampleResults(paths_[0]).ok());
    ASSERT_TRUE(WriteLaterResults(paths_[1]).ok());
  }
  Site Read() {
    auto site = ReadSite(paths_);
    EXPECT_TRUE(site.ok()) << site.error().message;
    return std::move(*site);
  }

  std::optional<TempDirectory> folder_;
  std::vector<std::string> paths_;
};

const SiteChip& ChipCalled(const Site& site, std::string_view slug) {
  return *std::ranges::find(site.chips, slug, &SiteChip::slug);
}
size_t OpCalled(const Site& site, std::string_view name) {
  return static_cast<size_t>(std::ranges::find(site.ops, name, &SiteOp::name) - site.ops.begin());
}

TEST_F(SiteTest, TheNewestResultOfAnOperationCounts) {
  const Site site = Read();
  const SiteChip& h13 = ChipCalled(site, "h13-simulated");
  // The operation was wrong in January, and its cases of April are right.
  EXPECT_EQ(site.MarkOn(OpCalled(site, "conv"), h13), Mark::kRight);
  EXPECT_EQ(site.MarkOn(OpCalled(site, "matmul"), h13), Mark::kKnown);
  EXPECT_EQ(site.MarkOn(OpCalled(site, "relu"), h13), Mark::kRight);
  EXPECT_EQ(site.MarkOn(OpCalled(site, "tanh"), h13), Mark::kUnjudged);
  EXPECT_EQ(site.MarkOn(OpCalled(site, "softmax"), h13), Mark::kUntried);
  const auto changes = site.ChangesOf(static_cast<size_t>(&h13 - site.chips.data()), true);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_TRUE(changes[0]->better);
  EXPECT_EQ(changes[0]->before.mark, Mark::kBroken);
}

// Two campaigns ran on one day. The second has a new finding.
TEST_F(SiteTest, CampaignsOfOneDayAreComparedByTheirLabels) {
  const auto write = [&](const char* name, const char* started, const std::string& label,
                         bool faulty) {
    const std::string path = folder_->File(name);
    auto store = Store::Open(path);
    RunRow run;
    run.uuid = name;
    run.provenance = Provenance::kSimulated;
    run.started = started;
    run.options = DumpJson({{"label", label}});
    const auto id = store->BeginRun(run);
    EXPECT_TRUE(id.ok());
    RowBatch batch;
    batch.cases.push_back({});
    batch.reach[{"h13", Route::kMil, "conv"}] = {.cases = 2, .dispatched = 2, .correct = 1};
    if (faulty) {
      FindingRow finding;
      finding.id = "f000000000a1";
      finding.op = "conv";
      finding.target = "h13";
      finding.signature = "wrong|conv|h13";
      batch.findings.push_back(finding);
    }
    EXPECT_TRUE(store->Append(*id, batch).ok());
    return path;
  };
  const std::string before = write("a.sqlite", "2026-05-01T01:00:00Z", "26.1", false);
  paths_ = {write("b.sqlite", "2026-05-01T02:00:00Z", "26.2", true), before};
  const Site labelled = Read();
  ASSERT_TRUE(labelled.Compares());
  const auto changes = labelled.ChangesOf(0, true);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_TRUE(changes[0]->worse);
  EXPECT_THAT(FrontHtml(labelled), HasSubstr("1 operation worse and 0 better"));
  EXPECT_THAT(FrontHtml(labelled), HasSubstr("2026-05-01, 26.2"));
  EXPECT_THAT(DumpJson(CompareJson(labelled)), HasSubstr("2026-05-01, 26.1"));
  paths_ = {write("c.sqlite", "2026-05-01T02:00:00Z", "26.1", true), before};
  const Site alike = Read();
  EXPECT_FALSE(alike.Compares());
  EXPECT_THAT(FrontHtml(alike), Not(HasSubstr("Nothing changed")));
  EXPECT_THAT(FrontHtml(alike), HasSubstr("no change can be seen"));
  EXPECT_THAT(ChipHtml(alike, 0), HasSubstr("no change can be seen"));
  EXPECT_THAT(ChipHtml(alike, 0), Not(HasSubstr("Nothing changed")));
}

TEST_F(SiteTest, AFindingThatLaterCasesDoNotShowIsGone) {
  const Site site = Read();
  for (const SiteDefect& defect : site.defects) {
    EXPECT_EQ(defect.gone, site.Shown(defect).op == "conv") << site.Shown(defect).summary;
  }
}

TEST_F(SiteTest, ADefectOfTwoRunsIsListedOnce) {
  const Site site = Read();
  size_t known = 0;
  for (const SiteDefect& defect : site.defects) {
    if (site.Shown(defect).op != "matmul") continue;
    ++known;
    EXPECT_EQ(defect.findings.size(), 2u);
    EXPECT_EQ(defect.cases, 4);
    EXPECT_EQ(defect.first, "2026-01-02");
    EXPECT_EQ(defect.last, "2026-04-02");
  }
  EXPECT_EQ(known, 1u);
}

// Names of results come from other machines.
TEST_F(SiteTest, NoNameOfAResultIsMarkupOrAPath) {
  const std::string out = folder_->File("site");
  ASSERT_TRUE(WriteSite(paths_, out).ok());
  size_t pages = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(out)) {
    const std::string name = entry.path().filename().string();
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_."), std::string::npos)
        << name;
    if (!name.ends_with(".html") && !name.ends_with(".svg")) continue;
    ++pages;
    const std::string text = *ReadTextFile(entry.path().string());
    EXPECT_THAT(text, Not(HasSubstr(kHostile))) << name;
    EXPECT_THAT(text, Not(HasSubstr("<img"))) << name;
  }
  EXPECT_GT(pages, 200u);
}

TEST_F(SiteTest, EachKindOfEvidenceHasItsOwnChip) {
  const Site site = Read();
  EXPECT_EQ(ChipCalled(site, "h13-simulated").provenance, Provenance::kSimulated);
  EXPECT_EQ(ChipCalled(site, "h17s-reported").provenance, Provenance::kReported);
  for (size_t chip = 0; chip < site.chips.size(); ++chip) {
    EXPECT_THAT(BadgeSvg(site, chip),
                HasSubstr(site.chips[chip].provenance == Provenance::kSimulated ? "SIMULATED"
                                                                                : "reported"));
  }
}

TEST_F(SiteTest, SharesOfAChipAddUp) {
  const Site site = Read();
  for (const SiteChip& chip : site.chips) {
    const MarkCounts all = site.Count(chip);
    int64_t sum = 0, of_classes = 0;
    for (const int64_t count : all.marks) sum += count;
    for (const std::string& op_class : site.classes) {
      of_classes += site.Count(chip, op_class).attested;
    }
    EXPECT_EQ(sum, all.attested) << chip.slug;
    EXPECT_EQ(of_classes, all.attested) << chip.slug;
  }
}

TEST_F(SiteTest, TheJsonBesideThePagesFitsItsSchema) {
  if (!HasSchemaValidator()) GTEST_SKIP() << "python3-jsonschema is missing";
  const Site site = Read();
  std::string lines = DumpJson(FrontJson(site)) + "\n" + DumpJson(CompareJson(site)) + "\n";
  for (size_t chip = 0; chip < site.chips.size(); ++chip) {
    lines += DumpJson(ChipJson(site, chip)) + "\n";
  }
  for (const char* op : {"conv", "matmul", "softmax"}) {
    lines += DumpJson(OpJson(site, OpCalled(site, op), Json())) + "\n";
  }
  for (const SiteDefect& defect : site.defects) lines += DumpJson(DefectJson(site, defect)) + "\n";
  EXPECT_EQ(SchemaProblemOfLines(lines, "site"), "");
}

TEST(SiteMarks, WorseIsFurtherFromRightAndUnjudgedIsNotComparable) {
  EXPECT_TRUE(IsWorse(Mark::kRight, Mark::kBroken));
  EXPECT_TRUE(IsWorse(Mark::kKnown, Mark::kRefused));
  EXPECT_FALSE(IsWorse(Mark::kBroken, Mark::kRight));
  EXPECT_FALSE(IsWorse(Mark::kRight, Mark::kUnjudged));
  EXPECT_FALSE(IsWorse(Mark::kUnjudged, Mark::kBroken));
}

}  // namespace
}  // namespace anecheck::reports
