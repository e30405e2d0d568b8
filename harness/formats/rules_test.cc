#include "harness/formats/rules.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace anecheck {
namespace {

using Numbers = std::vector<uint64_t>;

constexpr auto kRules = RulesOf<Numbers>({
    {"not-empty", "There is a number.", "a test", FactEvidence::kSpecification,
     [](const Numbers& numbers, RuleReport& broken) {
       if (numbers.empty()) broken(0, "there is none");
     }},
    {"small", "A number is below 8.", "no source", FactEvidence::kAssumed,
     [](const Numbers& numbers, RuleReport& broken) {
       for (size_t i = 0; i < numbers.size(); ++i) {
         if (numbers[i] >= 8) broken(i, "{} is {}", std::string(100, '\n'), numbers[i]);
       }
     }},
    {"sorted", "Numbers go up.", "a test", FactEvidence::kSpecification,
     [](const Numbers& numbers, RuleReport& broken) {
       if (!std::ranges::is_sorted(numbers)) broken.Say(0, std::string(100, 'x'));
     }},
});

TEST(RuleTable, EachRowReportsUnderItsOwnIdAndEvidence) {
  const std::vector<Violation> broken = kRules.Verify({9, 1});
  ASSERT_EQ(broken.size(), 2u);
  EXPECT_EQ(broken[0].rule, &kRules.rules()[1]);
  EXPECT_TRUE(broken[0].IsWarning());
  EXPECT_EQ(broken[1].rule, &kRules.rules()[2]);
  EXPECT_FALSE(broken[1].IsWarning());
  EXPECT_TRUE(kRules.Verify({1, 2}).empty());
}

TEST(RuleTable, QuotesTextsOfAFileAndKeepsReadyMessagesWhole) {
  const std::vector<Violation> broken = kRules.Verify({9, 1});
  EXPECT_EQ(broken[0].message.find('\n'), std::string::npos);
  EXPECT_LT(broken[0].message.size(), 300u) << "a quoted text is cut";
  EXPECT_EQ(broken[1].message, "sorted: " + std::string(100, 'x'));
}

TEST(RuleTable, OffsetsCountFromTheStartOfTheFile) {
  ViolationList list;
  kRules.Verify({1, 9}, 0x100, list);
  EXPECT_EQ(std::move(list).Take()[0].offset, 0x101u);
}

constexpr WalkRules kWalk({{"first", "The first holds.", "a test"},
                           {"second", "The second holds.", "a test"}});

TEST(WalkRules, FindsARuleByItsIdAtCompileTime) {
  WalkReport report;
  report.Add(kWalk["second"], 4, "it is {}", 5);
  const std::vector<Violation> broken = std::move(report).Take();
  ASSERT_EQ(broken.size(), 1u);
  EXPECT_EQ(broken[0].rule, &kWalk.rules()[1]);
  EXPECT_EQ(broken[0].message, "second: it is 5");
}

}  // namespace
}  // namespace anecheck
