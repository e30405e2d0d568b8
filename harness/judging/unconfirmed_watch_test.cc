// Many results that only unmeasured terms forbid are a finding. A few are not.
#include "harness/judging/unconfirmed_watch.h"

#include <gtest/gtest.h>

#include "harness/base/half.h"
#include "harness/campaign/testing/campaign_test.h"
#include "harness/ops/op.h"

namespace anecheck {
namespace {

constexpr int kA15 = 4;

RowBatch Batch(int64_t unconfirmed, int64_t correct, bool finding) {
  RowBatch batch;
  ReachCounts& counts = batch.reach[{"h15", Route::kMil, "softmax"}];
  counts.unconfirmed = unconfirmed;
  counts.correct = correct;
  if (finding) {
    batch.findings.push_back(
        {.case_index = 17, .op = "softmax", .target = "h15", .verdict = Verdict::kUnconfirmed});
  }
  return batch;
}

TEST(UnconfirmedWatch, NeedsTwentyCasesAndTwoPercent) {
  UnconfirmedWatch watch;
  EXPECT_TRUE(watch.Add(Batch(19, 0, true)).empty()) << "too few cases";
  EXPECT_TRUE(watch.Add(Batch(1, 2000, false)).empty()) << "only one in a hundred cases";
  EXPECT_TRUE(watch.Add(Batch(0, 0, false)).empty()) << "this batch has no unconfirmed result";
  const std::vector<OftenUnconfirmed> often = watch.Add(Batch(80, 0, false));
  ASSERT_EQ(often.size(), 1u);
  EXPECT_EQ(often[0].op, "softmax");
  EXPECT_EQ(often[0].target, "h15");
  EXPECT_EQ(often[0].example, 17u);
  EXPECT_EQ(
      DescribeOften(often[0]),
      "in 100 of 2100 cases only terms that were never measured forbid its results, or a single "
      "element shows a known defect that further runs do not confirm");
}

// An engine whose quotients lie one unit outside the bound, toward zero.
void OneUnitBelow(const RunRequest& request, RunReply& reply) {
  const auto estimates = Evaluate(*request.graph, request.inputs, ConformingContract(kA15));
  if (!estimates.ok()) return;
  const Estimate& expected = estimates->front();
  std::vector<double> values = expected.low;
  for (double& value : values) {
    const Half low = DoubleToHalf(value);
    if (value > 0 && value < 60000) value = HalfToDouble({static_cast<uint16_t>(low.bits - 1)});
  }
  EncodeElements(expected.type.dtype, values, reply.outputs.front().bytes);
}

using OftenUnconfirmedEngine = testing::CampaignTest;

TEST_F(OftenUnconfirmedEngine, IsOneNewFinding) {
  const CampaignOptions options = OfQuotients(600);
  const CampaignSummary summary = Must(RunCampaign(options, Scripted(OneUnitBelow), {}));
  const auto often = [](const CampaignSummary& of) {
    return std::ranges::count(of.list, Verdict::kOften, &FindingRow::verdict);
  };
  EXPECT_EQ(often(summary), 1);
  EXPECT_TRUE(HasFindings(summary, false));
  auto store = Store::OpenReadOnly(options.db);
  ASSERT_TRUE(store.ok());
  UnconfirmedWatch watch;
  ASSERT_TRUE(watch.Recall(*store, store->Runs()->back().id).ok());
  RowBatch batch;
  batch.reach[{"h15", Route::kMil, "real_div"}].unconfirmed = 1;
  const std::vector<OftenUnconfirmed> resumed = watch.Add(batch);
  ASSERT_EQ(resumed.size(), 1u) << "a resumed run continues its counts";
  EXPECT_GT(resumed[0].unconfirmed, UnconfirmedWatch::kLeastCases);
  const CampaignOptions few = OfQuotients(10);
  EXPECT_EQ(often(Must(RunCampaign(few, Scripted(OneUnitBelow), {}))), 0);
}

}  // namespace
}  // namespace anecheck
