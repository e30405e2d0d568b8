#include "harness/verdict/outcome.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace anecheck {
namespace {

TEST(Outcome, KeepsTheFirstOfTwoEquallyBadVerdicts) {
  Outcome outcome;
  EXPECT_TRUE(outcome.Worsen({.verdict = Verdict::kWrong, .message = "first", .op = "conv"}));
  EXPECT_FALSE(outcome.Worsen({.verdict = Verdict::kWrong, .message = "second", .op = "relu"}));
  EXPECT_EQ(outcome.message(), "first");
  EXPECT_EQ(outcome.op(), "conv");
}

TEST(Outcome, AWorseVerdictDropsTheDetailsOfTheFormer) {
  Outcome outcome({.verdict = Verdict::kKnownDefect, .op = "mul", .node = "y", .defects = {"D01"}});
  EXPECT_TRUE(outcome.Worsen({.verdict = Verdict::kCrashed, .message = "died"}));
  EXPECT_TRUE(outcome.defects().empty());
  EXPECT_EQ(outcome.op(), "");
  EXPECT_EQ(outcome.node(), "");
}

RC_GTEST_PROP(Outcome, IsTheWorstShownVerdict, ()) {
  const auto ranks = *rc::gen::container<std::vector<size_t>>(
      rc::gen::inRange<size_t>(0, AllWords<Verdict>().size()));
  Outcome outcome;
  Verdict worst = Verdict::kPass;
  for (const size_t rank : ranks) {
    const auto verdict = static_cast<Verdict>(rank);
    RC_ASSERT(outcome.Worsen({.verdict = verdict}) == (verdict > worst));
    worst = std::max(worst, verdict);
    RC_ASSERT(outcome.verdict() == worst);
  }
}

}  // namespace
}  // namespace anecheck
