// The counts of operations over many cases are the sums of the counts of each case.
#include "harness/judging/reach_counter.h"

#include <gtest/gtest.h>
#include <optional>
#include <utility>
#include <vector>

#include "harness/judging/judge_case.h"

namespace anecheck {
namespace {

// The outputs of a conforming engine, or a refusal.
RunReply ReplyTo(const Case& item, std::span<const Estimate> expected) {
  RunReply reply = {.id = item.index, .status = RunStatus::kOk, .backend = "ane"};
  if (item.index % 5 == 4)
    return {.id = item.index, .status = RunStatus::kRejected, .message = "no"};
  for (const Estimate& estimate : expected) {
    Tensor tensor = {estimate.type,
                     std::vector<uint8_t>(static_cast<size_t>(estimate.type.ByteSize()))};
    EncodeElements(estimate.type.dtype, estimate.value, tensor.bytes);
    reply.outputs.push_back(std::move(tensor));
  }
  return reply;
}

TEST(ReachCounter, AddsUpCasesUntilItIsFlushed) {
  CampaignOptions options;
  options.targets = {{"h13", 2}, {"h17s", 6}};
  options.routes = RouteSet::kBoth;
  ReachCounter counter;
  RowBatch together, apart;
  Evaluation evaluation;
  for (uint64_t index = 0; index < 40; ++index) {
    std::vector<Estimate> expected;
    const auto item = MakeCase(options, index, &expected);
    ASSERT_TRUE(item.ok()) << item.error().message;
    const RunReply reply = ReplyTo(*item, expected);
    const CaseOutcome outcome = JudgeCase(*item, reply, evaluation, expected);
    const auto proved = index % 2 == 0 ? std::optional(Provenance::kSilicon) : std::nullopt;
    counter.Add(*item, outcome, proved);
    CountReach(*item, outcome, apart, proved);
    if (index == 20) counter.Flush(together);
  }
  counter.Flush(together);
  const auto same = [](const ReachCounts& a, const ReachCounts& b) {
    return a.cases == b.cases && a.compiled == b.compiled && a.dispatched == b.dispatched &&
           a.correct == b.correct && a.rejected == b.rejected;
  };
  ASSERT_EQ(together.reach.size(), apart.reach.size());
  ASSERT_EQ(together.proved_reach.size(), apart.proved_reach.size());
  EXPECT_FALSE(apart.proved_reach.empty());
  for (const auto& [key, counts] : apart.reach) EXPECT_TRUE(same(together.reach.at(key), counts));
  for (const auto& [key, counts] : apart.proved_reach) {
    EXPECT_TRUE(same(together.proved_reach.at(key), counts));
  }
  EXPECT_EQ(together.ulp, apart.ulp);
  EXPECT_EQ(together.magnitudes, apart.magnitudes);
  EXPECT_FALSE(apart.magnitudes.empty());
  RowBatch nothing;
  counter.Flush(nothing);
  EXPECT_TRUE(nothing.reach.empty() && nothing.ulp.empty() && nothing.magnitudes.empty());
}

// The analytics of a case, which are its proof, are kept once for each operation, if they refer to
// the case.
TEST(ReachCounter, KeepsOneProofForEachOperation) {
  Case item;
  item.target = {"h13", 2};
  const ValueId x = item.graph.AddInput({DType::kFp16, {1, 4}}, "x");
  item.graph.BeginNode(&GetOp(OpKind::kRelu).schema);
  item.graph.AddArgument(0, x);
  item.graph.AddOutput(item.graph.FinishNode(std::vector<std::string>{"y"}).value());
  CaseOutcome outcome;
  outcome.target = "h13";
  outcome.backend = "ane";
  ReachCounter counter;
  const auto kept = [&](std::string text) {
    outcome.proof = std::move(text);
    RowBatch batch;
    counter.Add(item, outcome);
    counter.Flush(batch);
    ++item.index;
    return batch.proofs;
  };
  const std::string proof = "y = relu(x = x)[SelectedBackend = string(\"ane\")];";
  EXPECT_TRUE(kept("").empty());
  EXPECT_TRUE(kept("z = relu(x = x)[SelectedBackend = string(\"ane\")];").empty());
  EXPECT_TRUE(kept("y = relu(x = x)[SelectedBackend = string(\"bnns\")];").empty());
  const std::vector<ProofRow> rows = kept(proof);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].case_index, 3u);
  EXPECT_EQ(rows[0].target, "h13");
  EXPECT_EQ(rows[0].ports, "x\ny");
  EXPECT_EQ(rows[0].operations, "relu");
  EXPECT_EQ(rows[0].text, proof);
  EXPECT_TRUE(kept(proof).empty()) << "one is enough";
  item.target = {"h15", 4};
  EXPECT_EQ(kept(proof).size(), 1u);
}

}  // namespace
}  // namespace anecheck
