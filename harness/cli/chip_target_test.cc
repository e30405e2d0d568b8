// A processor's name leads to the target of the facts' table, or to none.
#include "harness/cli/chip_target.h"

#include <gtest/gtest.h>

namespace anecheck {
namespace {

TEST(ChipTarget, FollowsTheTable) {
  EXPECT_EQ(TargetOfChip("Apple M1"), "h13");
  EXPECT_EQ(TargetOfChip("Apple M1 Max"), "h13g");
  EXPECT_EQ(TargetOfChip("Apple M2"), "h14");
  EXPECT_EQ(TargetOfChip("Apple M4 Pro"), "h16g");
  EXPECT_EQ(TargetOfChip("Apple M5"), "h17");
}

TEST(ChipTarget, UnknownChipsHaveNone) {
  for (const char* chip :
       {"", "Apple", "Apple M9", "Apple M2 Ultra", "M1", "Intel(R) Core(TM) i7"}) {
    EXPECT_EQ(TargetOfChip(chip), "") << chip;
  }
}

}  // namespace
}  // namespace anecheck
