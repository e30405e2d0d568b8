// Tests two reports of an external program that influence the judgement of a case: its plan, and
// its values of a run on the CPU.
#include <gtest/gtest.h>

#include "harness/campaign/testing/campaign_test.h"
#include "harness/judging/judge_case.h"
#include "harness/judging/reach_counter.h"

namespace anecheck {
namespace {

// sigmoid(relu(x)) of four numbers.
Case ReluThenSigmoid() {
  Case item;
  item.target = {"h13", 2};
  const ValueId x = item.graph.AddInput({DType::kFp16, {1, 4}}, "x");
  const ValueId y = testing::AddNode(item.graph, OpKind::kRelu, {x});
  item.graph.AddOutput(testing::AddNode(item.graph, OpKind::kSigmoid, {y}));
  item.inputs.push_back({{DType::kFp16, {1, 4}}, {0, 0x3c, 0, 0x40, 0, 0x42, 0, 0x44}});
  return item;
}

RunReply RightReply(const Case& item, Device relu, Device sigmoid) {
  RunReply reply = {.status = RunStatus::kOk};
  reply.outputs = testing::RightOutputs(item.graph, item.inputs);
  reply.plan = {{"relu", "a", relu, 0.25}, {"sigmoid", "b", sigmoid, 0.75}};
  return reply;
}

CaseOutcome Judged(const Case& item, const RunReply& reply) {
  Evaluation evaluation;
  return JudgeCase(item, reply, evaluation);
}

ReachCounts CountsOf(const Case& item, const CaseOutcome& outcome, const char* op) {
  RowBatch batch;
  CountReach(item, outcome, batch);
  return batch.reach.at({"h13", Route::kMil, op});
}

TEST(Plan, OnTheEngineIsAPassThatIsPlannedAndNotDispatched) {
  const Case item = ReluThenSigmoid();
  const CaseOutcome outcome = Judged(item, RightReply(item, Device::kAne, Device::kAne));
  EXPECT_EQ(outcome.verdict(), Verdict::kPass) << outcome.message();
  const ReachCounts counts = CountsOf(item, outcome, "sigmoid");
  EXPECT_EQ(counts.planned, 1);
  EXPECT_EQ(counts.compiled, 1);
  EXPECT_EQ(counts.dispatched, 0);
  EXPECT_EQ(counts.correct, 0);
}

TEST(Plan, AnOperationOnAnotherDeviceIsMisplacedAndNamed) {
  const Case item = ReluThenSigmoid();
  for (const Device device : {Device::kCpu, Device::kGpu}) {
    const CaseOutcome outcome = Judged(item, RightReply(item, Device::kAne, device));
    EXPECT_EQ(outcome.verdict(), Verdict::kMisplaced);
    EXPECT_EQ(outcome.shown.op(), "sigmoid");
    EXPECT_EQ(outcome.message(),
              fmt::format("asked for the engine, the plan puts sigmoid on {}; 1 of 2 operations "
                          "are not on the engine, 75 % of the cost",
                          device));
    EXPECT_EQ(CountsOf(item, outcome, "relu").planned, 1);
    EXPECT_EQ(CountsOf(item, outcome, "sigmoid").planned, 0);
    EXPECT_EQ(CountsOf(item, outcome, "relu").correct, 0);
  }
}

TEST(Plan, WrongValuesOfAnotherDeviceAreNotChargedToTheEngine) {
  const Case item = ReluThenSigmoid();
  RunReply reply = RightReply(item, Device::kCpu, Device::kCpu);
  testing::SpoilFirstElement(reply);
  const CaseOutcome outcome = Judged(item, reply);
  EXPECT_EQ(outcome.verdict(), Verdict::kMisplaced);
  EXPECT_NE(outcome.message().find("; wrong there: "), std::string::npos) << outcome.message();
}

TEST(Plan, AGraphThatTheEngineMustRefuseMayBePlannedElsewhere) {
  CampaignOptions options;
  options.targets = {{"h13", 2}};
  options.modes = {CaseMode::kMustReject};
  const auto item = MakeCase(options, 0);
  ASSERT_TRUE(item.ok()) << item.error().message;
  RunReply reply = {.status = RunStatus::kOk};
  EXPECT_EQ(Judged(*item, reply).verdict(), Verdict::kAccepted);
  reply.plan = {{"relu", "", Device::kCpu, {}}};
  EXPECT_EQ(Judged(*item, reply).verdict(), Verdict::kInconclusive);
}

TEST(Plan, OtherEnginesThanAnAneAreNeverMisplaced) {
  Case item = ReluThenSigmoid();
  item.target = {"float", kFloatFamily};
  EXPECT_EQ(Judged(item, RightReply(item, Device::kCpu, Device::kCpu)).verdict(), Verdict::kPass);
}

TEST(Plan, AProofOverrulesThePlan) {
  const Case item = ReluThenSigmoid();
  RunReply reply = RightReply(item, Device::kCpu, Device::kCpu);
  reply.backend = "ane";
  EXPECT_EQ(Judged(item, reply).verdict(), Verdict::kPass);
}

TEST(CpuRun, WithTheSameWrongValueIsMentioned) {
  const Case item = ReluThenSigmoid();
  RunReply reply = RightReply(item, Device::kAne, Device::kAne);
  testing::SpoilFirstElement(reply);
  reply.cpu_outputs = reply.outputs;
  const CaseOutcome outcome = Judged(item, reply);
  EXPECT_EQ(outcome.verdict(), Verdict::kWrong);
  EXPECT_TRUE(outcome.message().ends_with("; the CPU alone gives the same")) << outcome.message();
}

TEST(CpuRun, WithRightValuesIsMentionedIfTheEngineIsWrong) {
  const Case item = ReluThenSigmoid();
  RunReply reply = RightReply(item, Device::kAne, Device::kAne);
  reply.cpu_outputs = reply.outputs;
  testing::SpoilFirstElement(reply);
  const CaseOutcome outcome = Judged(item, reply);
  EXPECT_EQ(outcome.verdict(), Verdict::kWrong);
  EXPECT_TRUE(outcome.message().ends_with(
      "; the CPU alone gives other values in 1 of 4 elements, which are right"))
      << outcome.message();
}

TEST(CpuRun, WithWrongValuesDoesNotFailARightEngine) {
  const Case item = ReluThenSigmoid();
  RunReply reply = RightReply(item, Device::kAne, Device::kAne);
  reply.cpu_outputs = reply.outputs;
  testing::SpoilFirstElement(reply.cpu_outputs[0]);
  const CaseOutcome outcome = Judged(item, reply);
  EXPECT_EQ(outcome.verdict(), Verdict::kPass);
  EXPECT_TRUE(outcome.message().starts_with(
      "the CPU alone gives other values in 1 of 4 elements, which are wrong: "))
      << outcome.message();
}

TEST(CpuRun, WithTheSameRightValuesIsNotMentioned) {
  const Case item = ReluThenSigmoid();
  RunReply reply = RightReply(item, Device::kAne, Device::kAne);
  reply.cpu_outputs = reply.outputs;
  EXPECT_EQ(Judged(item, reply).message(), "");
}

}  // namespace
}  // namespace anecheck
