// Tests the output of `anecheck targets`: the list, one target, and the difference of two targets.

#include "harness/targets/targets_print.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/json.h"

namespace anecheck {
namespace {

using ::testing::HasSubstr;

const TargetCatalog& Catalog() { return TargetCatalog::Builtin(); }

TEST(TargetsText, HasOneLineForEachTarget) {
  const std::string text = TargetsText(Catalog());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 33);
  EXPECT_THAT(text, HasSubstr("H17d   A17       A17       A16              16*"));
  EXPECT_THAT(text, HasSubstr("7*"));
  EXPECT_THAT(text, HasSubstr("unknown"));
}

// `check` and other commands print the same list of chips for a target.
TEST(TargetsText, NamesTheChipsAsOtherCommandsDo) {
  const std::string text = TargetsText(Catalog());
  EXPECT_THAT(text, HasSubstr("  A14, M1\n"));
  EXPECT_THAT(text, HasSubstr("  A17 Pro\n"));
  const Target& h16 = **FindTarget("h16");
  EXPECT_THAT(TargetText(Catalog(), h16), HasSubstr("compiler name h16): A17 Pro\n"));
  EXPECT_EQ(TargetJson(Catalog(), h16)["chips"], Json::array({"A17 Pro"}));
}

TEST(TargetsJson, GivesEveryStatementAndNullForUnknown) {
  const Json list = TargetsJson(Catalog());
  ASSERT_EQ(list.size(), 30u);
  for (const auto& target : list) {
    for (const auto& property : target["properties"]) {
      EXPECT_EQ(property["known"].get<bool>(), !property["value"].is_null());
      EXPECT_EQ(property["known"].get<bool>(), !property["statements"].empty());
    }
  }
  const auto& m9 = list[2];
  EXPECT_EQ(m9["name"], "M9");
  bool seen = false;
  for (const auto& property : m9["properties"]) {
    if (property["key"] != "0x1b8") continue;
    seen = true;
    EXPECT_EQ(property["value"], "1048576");
    EXPECT_EQ(property["name"], "max_operand_bytes");
    EXPECT_THAT(property["statements"][0]["source"].get<std::string>(), HasSubstr("table 24.1"));
  }
  EXPECT_TRUE(seen);
}

TEST(TargetText, ShowsSourcesConflictsAndUnknowns) {
  const std::string text = TargetText(Catalog(), **FindTarget("h13"));
  EXPECT_THAT(text, HasSubstr("0x238  num_nes = 4  [specification 003, table 24.4]"));
  EXPECT_THAT(text, HasSubstr("td_version = 10"));
  EXPECT_THAT(text, HasSubstr("(another source)"));
  EXPECT_THAT(text, HasSubstr("minmax_normalization"));
}

TEST(FieldsText, NamesTheReaderAndEveryOtherName) {
  const std::string text = FieldsText(HalLayout::Get());
  EXPECT_THAT(text, HasSubstr("0x4a8  1 flag     pe_work_unit_shape_supported  [specification 003, "
                              "table 24.5]\n        read by PERasterization::ComputeWUShape\n"));
  EXPECT_THAT(text,
              HasSubstr("\n36 of about 165 capability bytes (specification 003) have a name"));
  const Json json = FieldsJson(HalLayout::Get());
  EXPECT_EQ(json.size(), HalLayout::Get().fields().size());
  EXPECT_EQ(json[0]["offset"], fmt::format("0x{:03x}", HalLayout::Get().fields()[0].offset));
}

TEST(TargetsDiff, ListsTheDifferences) {
  const Json diff = *TargetsDiffJson(Catalog(), "h13", "h17s");
  EXPECT_EQ(diff["a"], "H13");
  EXPECT_EQ(diff["b"], "H17s");
  bool cores = false;
  for (const auto& row : diff["differences"]) {
    EXPECT_NE(row["a"], row["b"]);
    if (row["name"] == "num_nes") {
      cores = true;
      EXPECT_EQ(row["a"], "4");
      EXPECT_EQ(row["b"], "16");
    }
    EXPECT_NE(row["name"], "max_operand_bytes");
  }
  EXPECT_TRUE(cores);
  const std::string text = *TargetsDiffText(Catalog(), "h13", "h17s");
  EXPECT_THAT(text, HasSubstr("texture_engine"));
  EXPECT_THAT(text, HasSubstr("are unknown of both"));
}

TEST(TargetsDiff, OfATargetWithItselfIsEmpty) {
  for (const Target& target : Catalog().targets()) {
    const Json diff = *TargetsDiffJson(Catalog(), target.name, target.name);
    EXPECT_TRUE(diff["differences"].empty()) << target.name;
    EXPECT_EQ(diff["same"].get<size_t>() + diff["both_unknown"].get<size_t>(),
              TargetProperties(Catalog(), target).size());
  }
}

TEST(TargetsDiff, UnknownNamesAreErrors) {
  EXPECT_FALSE(TargetsDiffText(Catalog(), "h13", "h99").ok());
  EXPECT_FALSE(TargetsDiffJson(Catalog(), "nothing", "h13").ok());
}

}  // namespace
}  // namespace anecheck
