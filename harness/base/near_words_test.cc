#include "harness/base/near_words.h"

#include <gtest/gtest.h>

namespace anecheck {
namespace {

using Words = std::vector<std::string>;

TEST(NearWords, ListsTheNearestFirstAndNothingThatIsFar) {
  const Words list = {"run", "report", "replay", "matrix", "merge"};
  EXPECT_EQ(NearWords("rnu", list), Words{"run"});
  EXPECT_EQ(NearWords("replya", list), Words{"replay"});
  EXPECT_EQ(NearWords("repoort", list), Words{"report"});
  EXPECT_EQ(NearWords("RUN", list), Words{"run"});
  EXPECT_EQ(NearWords("zebrass", Words{"cebrass", "aebrasz", "zebrass"}),
            (Words{"zebrass", "cebrass", "aebrasz"}));
  EXPECT_EQ(NearWords("telepathy", list), Words{});
  EXPECT_EQ(NearWords("", list), Words{});
  EXPECT_EQ(NearWords(std::string(100'000, 'r'), list), Words{});
}

TEST(NearWords, ListsAtMostThreeEachOnce) {
  const Words list = {"aaab", "aaac", "aaad", "aaae", "aaab"};
  EXPECT_EQ(NearWords("aaaa", list), (Words{"aaab", "aaac", "aaad"}));
}

TEST(NearWords, DidYouMeanListsThemInAQuestion) {
  EXPECT_EQ(DidYouMean("convv", Words{"conv", "exp"}), "; did you mean conv?");
  EXPECT_EQ(DidYouMean("aaaa", Words{"aaab", "aaac"}), "; did you mean aaab or aaac?");
  EXPECT_EQ(DidYouMean("none", Words{}), "");
}

}  // namespace
}  // namespace anecheck
