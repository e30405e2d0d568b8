#include "harness/verdict/defect_set.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <set>

namespace anecheck {
namespace {

TEST(DefectSet, PrintsItsIdsSortedAndOnce) {
  DefectSet set{"D15", "D01"};
  set.Add("D03");
  set.Add("D01");
  EXPECT_EQ(set.ToText(), "D01,D03,D15");
  EXPECT_TRUE(set.Has("D03"));
  EXPECT_FALSE(set.Has("D0"));
  EXPECT_TRUE(set.HasOneOf(DefectSet{"D00", "D03"}));
  EXPECT_FALSE(set.HasOneOf(DefectSet{"D0"}));
  EXPECT_FALSE(set.HasOneOf({}));
  EXPECT_EQ(DefectSet().ToText(), "");
}

TEST(DefectSet, LeavesOutEmptyIdsOfAText) {
  EXPECT_TRUE(DefectSet::FromText("").empty());
  EXPECT_EQ(DefectSet::FromText(",D02,,D01,"), (DefectSet{"D01", "D02"}));
}

RC_GTEST_PROP(DefectSet, ParsesItsOwnText, ()) {
  const auto ids =
      *rc::gen::container<std::set<std::string>>(rc::gen::nonEmpty(rc::gen::string<std::string>()));
  DefectSet set;
  for (const std::string& id : ids) {
    if (id.find(',') == std::string::npos) set.Add(id);
  }
  RC_ASSERT(DefectSet::FromText(set.ToText()) == set);
}

}  // namespace
}  // namespace anecheck
