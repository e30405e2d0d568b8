// Lower case of ASCII letters only.
#include "harness/base/lower_case.h"

#include <gtest/gtest.h>

namespace anecheck {
namespace {

TEST(LowerCase, ChangesOnlyTheLettersAToZ) {
  EXPECT_EQ(LowerCase(""), "");
  EXPECT_EQ(LowerCase("H17s AZ az 09 @[`{"), "h17s az az 09 @[`{");
  EXPECT_EQ(LowerCase("\xc3\x84"), "\xc3\x84") << "a letter of UTF-8 beyond ASCII stays";
}

}  // namespace
}  // namespace anecheck
