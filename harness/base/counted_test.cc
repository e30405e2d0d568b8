#include "harness/base/counted.h"

#include <cstdint>
#include <gtest/gtest.h>

namespace anecheck {
namespace {

TEST(Counted, OneThingIsSingular) { EXPECT_EQ(Counted(1, "new finding"), "1 new finding"); }

TEST(Counted, NoneAndSeveralArePlural) {
  EXPECT_EQ(Counted(0, "case"), "0 cases");
  EXPECT_EQ(Counted(uint64_t{2}, "case"), "2 cases");
  EXPECT_EQ(Counted(21, "case"), "21 cases");
}

TEST(Counted, TakesAnIrregularPluralFromTheCaller) {
  EXPECT_EQ(Counted(1, "dispatch", "dispatches"), "1 dispatch");
  EXPECT_EQ(Counted(2, "dispatch", "dispatches"), "2 dispatches");
}

}  // namespace
}  // namespace anecheck
