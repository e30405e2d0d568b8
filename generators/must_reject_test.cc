// For every rule of the table, the simplest choices draw a graph that breaks it on a target.
#include "generators/must_reject.h"

#include <gtest/gtest.h>
#include <set>

#include "harness/targets/catalog.h"

namespace anecheck {
namespace {

TEST(MustReject, EveryRuleIsBrokenOnSomeTarget) {
  for (const RuleBreak& row : RuleBreaks()) {
    bool drawn = false;
    for (const char* name : {"h11", "h13", "h16", "h17s"}) {
      const auto target = FindTarget(name);
      ASSERT_TRUE(target.ok());
      ChoiceStream choices = ChoiceStream::FromBytes({});
      Graph graph;
      drawn = row.draw(choices, **target, graph) || drawn;
    }
    EXPECT_TRUE(drawn) << row.rule;
  }
}

TEST(MustReject, RulesAreNamedOnce) {
  std::set<std::string_view> rules;
  for (const RuleBreak& row : RuleBreaks()) EXPECT_TRUE(rules.insert(row.rule).second) << row.rule;
}

}  // namespace
}  // namespace anecheck
