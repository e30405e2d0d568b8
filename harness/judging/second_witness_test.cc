// A single element is no proof of a documented defect that changes values little. Runs on other
// inputs distinguish an engine with the defect from one that returned the defect's value by chance.
#include "harness/judging/second_witness.h"

#include <gtest/gtest.h>
#include <string_view>

#include "harness/campaign/testing/campaign_test.h"
#include "harness/cases/execution.h"
#include "harness/judging/judge_case.h"
#include "oracles/contract.h"

namespace anecheck {
namespace {

using testing::ScriptedRunner;
using Rows = std::vector<std::vector<double>>;

Tensor Filled(const Shape& shape, std::span<const double> numbers) {
  Tensor tensor = {{DType::kFp16, shape}, std::vector<uint8_t>(numbers.size() * 2)};
  EncodeElements(DType::kFp16, numbers, tensor.bytes);
  return tensor;
}

// The sum of each row, as a product with ones.
Case SumsOf(const Rows& rows) {
  Case item;
  item.target = {"h13", 2};
  const auto height = static_cast<int64_t>(rows.size());
  const auto width = static_cast<int64_t>(rows.front().size());
  std::vector<double> numbers;
  for (const std::vector<double>& row : rows) numbers.insert(numbers.end(), row.begin(), row.end());
  item.inputs = {Filled(Shape{height, width}, numbers)};
  const std::vector<double> ones(rows.front().size(), 1);
  const Tensor weight = Filled(Shape{width, 1}, ones);
  const ValueId x = item.graph.AddInput(item.inputs[0].type, "x");
  const ValueId w = item.graph.AddConst(weight.type, weight.bytes, "w");
  item.graph.AddOutput(testing::AddNode(item.graph, OpKind::kMatmul, {x, w}));
  EXPECT_TRUE(SpellCase(item).ok());
  return item;
}

std::vector<double> Ones() { return std::vector<double>(16, 1); }
// On A13 sums lose the ones beside 4096 (D03).
std::vector<double> Cancelling() {
  std::vector<double> row;
  for (int tile = 0; tile < 4; ++tile) row.insert(row.end(), {4096, 1, -4096, 1});
  return row;
}

// The outputs of an engine with D03.
std::vector<Tensor> Departed(const RunRequest& request) {
  const std::string_view ids[] = {"D03"};
  const Contract contract = WithDepartures(2, ids).value();
  const auto estimates = Evaluate(*request.graph, request.inputs, contract);
  EXPECT_TRUE(estimates.ok());
  std::vector<Tensor> outputs;
  for (const Estimate& estimate : *estimates) {
    Tensor& output = outputs.emplace_back(Tensor{estimate.type, {}});
    output.bytes.resize(static_cast<size_t>(estimate.type.ByteSize()));
    EncodeElements(estimate.type.dtype, estimate.low, output.bytes);
  }
  return outputs;
}
void Depart(const RunRequest& request, RunReply& reply) { reply.outputs = Departed(request); }
// The first element has D03, all others are right.
void DepartAtFirst(const RunRequest& request, RunReply& reply) {
  const std::vector<Tensor> departed = Departed(request);
  for (size_t i = 0; i < 2; ++i) reply.outputs[0].bytes[i] = departed[0].bytes[i];
}

struct Refined {
  CaseOutcome outcome;
  int runs = 0;
};
Refined RefinedOn(const Case& item, const ScriptedRunner::Spoil& spoil) {
  Refined refined;
  ScriptedRunner runner(
      [&](const RunRequest& request, RunReply& reply) {
        ++refined.runs;
        spoil(request, reply);
      },
      Provenance::kSimulated);
  const RunRequest request = RequestOf(item);
  const auto replies = runner.Run({&request, 1});
  EXPECT_TRUE(replies.ok());
  refined.runs = 0;
  Evaluation evaluation;
  refined.outcome = JudgeCase(item, replies->front(), evaluation);
  EXPECT_EQ(refined.outcome.shown.defects().ToText(), "D03");
  EXPECT_TRUE(Refine(item, replies->front(), runner, evaluation, refined.outcome).ok());
  return refined;
}

bool IsSameInput(const Case& item, const RunRequest& request) {
  return request.inputs[0].bytes == item.inputs[0].bytes;
}

TEST(SecondWitness, ConfirmsTheDefectOfAnEngineThatHasIt) {
  Rows rows(8, Ones());
  rows[0] = Cancelling();
  const Refined refined = RefinedOn(SumsOf(rows), Depart);
  EXPECT_EQ(refined.outcome.verdict(), Verdict::kKnownDefect) << refined.outcome.message();
  EXPECT_EQ(refined.outcome.shown.defects().ToText(), "D03");
  EXPECT_GT(refined.runs, 0);
}

// The source documents the defect by one element, the sum of 4096 and 1024 ones.
TEST(SecondWitness, ConfirmsTheDocumentedExample) {
  std::vector<double> row(1025, 1);
  row[0] = 4096;
  const Refined refined = RefinedOn(SumsOf({row}), Depart);
  EXPECT_EQ(refined.outcome.verdict(), Verdict::kKnownDefect) << refined.outcome.message();
}

TEST(SecondWitness, AValueMetByChanceIsUnconfirmed) {
  Rows rows(8, Ones());
  rows[0] = Cancelling();
  const Case item = SumsOf(rows);
  const CaseOutcome outcome = RefinedOn(item, [&](const RunRequest& request, RunReply& reply) {
                                if (IsSameInput(item, request)) Depart(request, reply);
                              }).outcome;
  EXPECT_EQ(outcome.verdict(), Verdict::kUnconfirmed);
  EXPECT_EQ(Signature(outcome), "unconfirmed|matmul|h13");
  EXPECT_EQ(outcome.outputs[0].verdict, Verdict::kUnconfirmed);
  EXPECT_TRUE(outcome.outputs[0].defects.empty() && outcome.shown.defects().empty());
  EXPECT_NE(outcome.message().find(
                "; only one element shows D03, and further runs on other inputs do not show it"),
            std::string::npos)
      << outcome.message();
}

TEST(SecondWitness, OtherWrongValuesRefuteTheDefect) {
  Rows rows(8, Ones());
  rows[0] = Cancelling();
  const Case item = SumsOf(rows);
  const CaseOutcome outcome = RefinedOn(item, [&](const RunRequest& request, RunReply& reply) {
                                if (IsSameInput(item, request)) return Depart(request, reply);
                                testing::SpoilFirstElement(reply);
                              }).outcome;
  EXPECT_EQ(outcome.verdict(), Verdict::kUnconfirmed);
  EXPECT_NE(outcome.message().find("the engine has other wrong values on other inputs"),
            std::string::npos)
      << outcome.message();
}

// An engine with the defect would depart in every row.
TEST(SecondWitness, ADefectThatOnlyOneOfManyElementsHasIsUnconfirmed) {
  const CaseOutcome outcome = RefinedOn(SumsOf(Rows(32, Cancelling())), DepartAtFirst).outcome;
  EXPECT_EQ(outcome.verdict(), Verdict::kUnconfirmed) << outcome.message();
}

TEST(SecondWitness, TwoElementsNeedNone) {
  Rows rows(8, Ones());
  rows[0] = rows[1] = Cancelling();
  const Refined refined = RefinedOn(SumsOf(rows), Depart);
  EXPECT_EQ(refined.outcome.verdict(), Verdict::kKnownDefect);
  EXPECT_EQ(refined.runs, 0);
}

class OnlyExecution : public testing::CampaignTest {};

// If a case has one execution, Refine takes its verdict as that on the first execution.
TEST_F(OnlyExecution, IsJudgedAsTheCase) {
  const CampaignOptions options = Options(64);
  Evaluation evaluation;
  ScriptedRunner runner(
      [](const RunRequest&, RunReply& reply) { testing::SpoilFirstElement(reply); });
  int wrong = 0;
  for (uint64_t i = 0; i < options.cases; ++i) {
    std::vector<Estimate> expected;
    const auto item = MakeCase(options, i, &expected);
    ASSERT_TRUE(item.ok());
    const RunRequest request = RequestOf(*item);
    const auto replies = runner.Run({&request, 1});
    ASSERT_TRUE(replies.ok());
    const RunReply& reply = replies->front();
    const CaseOutcome whole = JudgeCase(*item, reply, evaluation, expected);
    const CaseOutcome first = JudgeCase(CaseOf(*item, {}), ReplyOf(*item, reply, {}), evaluation);
    wrong += whole.verdict() == Verdict::kWrong ? 1 : 0;
    EXPECT_EQ(whole.verdict(), first.verdict()) << i;
    EXPECT_EQ(whole.message(), first.message()) << i;
    EXPECT_EQ(whole.shown.op(), first.shown.op()) << i;
    EXPECT_EQ(whole.shown.defects(), first.shown.defects()) << i;
    EXPECT_EQ(whole.shown.deviation(), first.shown.deviation()) << i;
    EXPECT_EQ(whole.vague, first.vague) << i;
    EXPECT_EQ(whole.explained, first.explained) << i;
    EXPECT_EQ(whole.histograms, first.histograms) << i;
    EXPECT_EQ(whole.widths, first.widths) << i;
    ASSERT_EQ(whole.outputs.size(), first.outputs.size()) << i;
    for (size_t k = 0; k < whole.outputs.size(); ++k) {
      EXPECT_EQ(whole.outputs[k].verdict, first.outputs[k].verdict) << i;
      EXPECT_EQ(whole.outputs[k].reason, first.outputs[k].reason) << i;
      EXPECT_EQ(whole.outputs[k].defects, first.outputs[k].defects) << i;
    }
  }
  EXPECT_GT(wrong, 0);
}

}  // namespace
}  // namespace anecheck
