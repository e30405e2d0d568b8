#include "harness/formats/violation_list.h"

#include <array>
#include <gtest/gtest.h>

#include "harness/formats/message.h"

namespace anecheck {
namespace {

constexpr std::array<Rule, 2> kRules = {{
    {"first-rule", "The first holds.", "a test"},
    {"second-rule", "The second holds.", "a test"},
}};

TEST(ViolationList, ListsViolationsInFileOrder) {
  ViolationList list;
  list.Add(kRules[1], 8, "{}: b", kRules[1].id);
  list.Add(kRules[0], 8, "{}: a", kRules[0].id);
  list.Add(kRules[1], 4, "{}: c", kRules[1].id);
  const std::vector<Violation> violations = std::move(list).Take();
  ASSERT_EQ(violations.size(), 3U);
  EXPECT_EQ(violations[0].message, "second-rule: c");
  EXPECT_EQ(violations[0].offset, 4U);
  EXPECT_EQ(violations[1].message, "second-rule: b");
  EXPECT_EQ(violations[1].rule, &kRules[1]);
  EXPECT_EQ(violations[2].message, "first-rule: a");
}

TEST(ViolationList, ARuleBrokenOftenHidesNoOther) {
  ViolationList list;
  for (uint64_t i = 0; i < 1000; ++i) list.Add(kRules[0], i, "{}: {}", kRules[0].id, i);
  list.Add(kRules[1], 5000, "{}: at the end", kRules[1].id);
  const std::vector<Violation> violations = std::move(list).Take();
  ASSERT_EQ(violations.size(), ViolationList::kMostOfARule + 1);
  EXPECT_EQ(violations.back().message, "second-rule: at the end");
  EXPECT_EQ(violations[ViolationList::kMostOfARule - 1].message,
            "first-rule: 23; 976 more of this rule");
}

TEST(ViolationList, MentionsNoRestIfAllAreKept) {
  ViolationList list;
  for (size_t i = 0; i < ViolationList::kMostOfARule; ++i) list.Add(kRules[0], i, "first-rule");
  const std::vector<Violation> violations = std::move(list).Take();
  ASSERT_EQ(violations.size(), ViolationList::kMostOfARule);
  EXPECT_EQ(violations.back().message, "first-rule");
}

TEST(ViolationList, ClipsQuotedText) {
  ViolationList list;
  list.Add(kRules[0], 0, "first-rule: {}", std::string(100000, '\n'));
  const std::vector<Violation> violations = std::move(list).Take();
  EXPECT_LE(violations[0].message.size(), kMostMessage);
  EXPECT_EQ(violations[0].message.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace anecheck
