#include "harness/targets/chip_names.h"

#include <gtest/gtest.h>
#include <string>

namespace anecheck {
namespace {

std::string TargetOf(std::string_view name) {
  const auto found = FindTarget(name);
  return found.ok() ? (*found)->compiler_name : found.error().message;
}

TEST(ChipNames, NameTargets) {
  EXPECT_EQ(TargetOf("M1"), "h13");
  EXPECT_EQ(TargetOf("m1 ultra"), "h13g");
  EXPECT_EQ(TargetOf("Apple M4 Max"), "h16g");
  EXPECT_EQ(TargetOf("A17 Pro"), "h16");
  EXPECT_EQ(TargetOf("M6"), "h18g");
  EXPECT_EQ(TargetOf("A20"), "h19");
  EXPECT_EQ(TargetOf("chip:A14"), "h13");
  EXPECT_EQ(TargetOf("A12"), "h11") << "A12 is a chip, but not the label of a family";
}

// The strongest source for the target of M4 is a measurement on the device.
TEST(ChipNames, MeasuredTargetsComeBeforeThoseOfTables) {
  EXPECT_EQ(TargetsOfChip("M4"), (std::vector<std::string>{"h16g", "h16"}));
}

TEST(ChipNames, LabelsOfFamiliesNeedTheWordFamily) {
  EXPECT_EQ(TargetOf("family:A14"), "h14");
  EXPECT_EQ(TargetOf("family:a18"), "h18");
  EXPECT_EQ(TargetOf("A14"),
            "\"A14\" may be the chip with target h13, or the family with target h14: write h13, or "
            "family:A14");
  EXPECT_EQ(TargetOf("A17"),
            "\"A17\" may be the chip A17 Pro with target h16, or the family with target h17: write "
            "\"A17 Pro\", or family:A17");
  EXPECT_NE(TargetOf("family:A99").find("A13 to A18"), std::string::npos);
}

TEST(ChipNames, ThatBeginWithAnUnknownNameAreNamedFirst) {
  EXPECT_EQ(ChipsBeginning("a17"), std::vector<std::string>{"A17 Pro"});
  EXPECT_NE(TargetOf("M4 Ma").find("\"M4 Ma\"; did you mean M4 Max?;"), std::string::npos);
  EXPECT_TRUE(ChipsBeginning("Apple").empty()) << "every chip's name may follow the maker's";
}

TEST(ChipNames, AChipWithoutATableSaysWhichTargetItHas) {
  const auto found = FindTargetByChip(TargetCatalog(), "M6");
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().message, "chip \"M6\" has target h18g, for which there is no table");
}

TEST(ChipNames, EveryChipHasASource) {
  for (const Chip& chip : Chips()) {
    ASSERT_TRUE(chip.target.known()) << chip.name;
    for (const auto& statement : chip.target.statements()) EXPECT_NE(statement.source, "");
  }
}

TEST(ChipNames, ArePrintedWithTheirTarget) {
  EXPECT_EQ(TargetTitle("h13"), "h13 (A14, M1)");
  EXPECT_EQ(TargetTitle("u1"), "u1");
}

}  // namespace
}  // namespace anecheck
