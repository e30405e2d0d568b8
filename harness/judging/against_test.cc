// Tests the comparison of two runners' answers: the first different bit, and the operation that
// made it.
#include "harness/judging/against.h"

#include <gtest/gtest.h>
#include <memory>

#include "harness/campaign/testing/campaign_test.h"
#include "harness/ops/op.h"
#include "harness/runners/against_runner.h"

namespace anecheck {
namespace {

using testing::AddNode;
using testing::ScriptedRunner;

// sqrt(relu(x)) of eight elements.
Case RootOfRelu() {
  Case item;
  item.target = {"h15", 4};
  item.route = Route::kMil;
  const TensorType type = {DType::kFp16, Shape{1, 2, 1, 4}};
  Graph& graph = item.graph;
  const ValueId rectified = AddNode(graph, OpKind::kRelu, {graph.AddInput(type, "x")});
  graph.AddOutput(AddNode(graph, OpKind::kSqrt, {rectified}));
  item.inputs = {{type, std::vector<uint8_t>(static_cast<size_t>(type.ByteSize()), 0x31)}};
  EXPECT_TRUE(SpellCase(item).ok());
  return item;
}

std::unique_ptr<Runner> Right() {
  return std::make_unique<ScriptedRunner>([](const RunRequest&, RunReply&) {},
                                          Provenance::kSimulated);
}

CaseOutcome Judged(const Case& item, ScriptedRunner::Spoil other) {
  AgainstRunner runner(Right(), std::make_unique<ScriptedRunner>(std::move(other)));
  const RunRequest request = RequestOf(item);
  const auto replies = runner.Run({&request, 1});
  EXPECT_TRUE(replies.ok());
  Evaluation evaluation;
  CaseOutcome outcome = JudgeCase(item, replies->front(), evaluation);
  EXPECT_TRUE(Refine(item, replies->front(), runner, evaluation, outcome).ok());
  return outcome;
}

TEST(Against, TheSameBitsPass) {
  EXPECT_EQ(Judged(RootOfRelu(), [](const RunRequest&, RunReply&) {}).verdict(), Verdict::kPass);
}

TEST(Against, ADifferentBitIsReportedWithItsOperation) {
  // Flips the last bit of element 5 of every output.
  const CaseOutcome outcome = Judged(RootOfRelu(), [](const RunRequest&, RunReply& reply) {
    for (Tensor& output : reply.outputs) output.bytes[10] ^= 1;
  });
  EXPECT_EQ(outcome.verdict(), Verdict::kDiffers);
  EXPECT_EQ(outcome.shown.op(), "relu");
  EXPECT_NE(outcome.message().find("element 5 of output 0 is "), std::string::npos)
      << outcome.message();
  EXPECT_EQ(Signature(outcome), "differs|relu|h15");
}

TEST(Against, AFailureOfTheOtherRunnerDiffersAndACaseThatItDidNotRunDoesNot) {
  const auto ends = [](RunStatus status) {
    return [status](const RunRequest&, RunReply& reply) {
      reply.status = status;
      reply.message = "no memory";
      reply.outputs.clear();
    };
  };
  const CaseOutcome failed = Judged(RootOfRelu(), ends(RunStatus::kFailed));
  EXPECT_EQ(failed.verdict(), Verdict::kDiffers);
  EXPECT_NE(failed.message().find("failed: no memory"), std::string::npos) << failed.message();
  EXPECT_EQ(Judged(RootOfRelu(), ends(RunStatus::kNotRun)).verdict(), Verdict::kPass);
}

TEST(Against, NanIsNanWithAnyPayload) {
  Case item = RootOfRelu();
  for (size_t i = 0; i < item.inputs[0].bytes.size(); i += 2) {
    item.inputs[0].bytes[i] = 0;
    item.inputs[0].bytes[i + 1] = 0x7e;
  }
  const CaseOutcome outcome = Judged(item, [](const RunRequest&, RunReply& reply) {
    for (Tensor& output : reply.outputs) output.bytes[0] ^= 1;
  });
  EXPECT_NE(outcome.verdict(), Verdict::kDiffers) << outcome.message();
}

TEST(Against, ASignOfZeroDiffers) {
  Case item = RootOfRelu();
  std::fill(item.inputs[0].bytes.begin(), item.inputs[0].bytes.end(), uint8_t{0});
  const CaseOutcome outcome = Judged(item, [](const RunRequest&, RunReply& reply) {
    for (Tensor& output : reply.outputs) output.bytes[1] ^= 0x80;
  });
  EXPECT_EQ(outcome.verdict(), Verdict::kDiffers);
}

class AgainstCampaign : public testing::CampaignTest {};

TEST_F(AgainstCampaign, RecordsOneFindingForEachOperationThatDiffers) {
  CampaignOptions options = Options(64);
  options.ops.reset();
  options.ops.set(static_cast<size_t>(OpKind::kAbs));
  const auto factory = [] {
    return Result<std::unique_ptr<Runner>>(std::make_unique<AgainstRunner>(
        Right(), std::make_unique<ScriptedRunner>([](const RunRequest&, RunReply& reply) {
          for (Tensor& output : reply.outputs) output.bytes[0] ^= 1;
        })));
  };
  const CampaignSummary summary = Must(RunCampaign(options, factory, {}));
  ASSERT_EQ(summary.list.size(), 1u);
  EXPECT_EQ(summary.list[0].verdict, Verdict::kDiffers);
  EXPECT_EQ(summary.list[0].op, "abs");
  EXPECT_TRUE(HasFindings(summary, false));
}

}  // namespace
}  // namespace anecheck
