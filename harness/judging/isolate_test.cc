// A refusal or a crash counts for the operation that shows it alone. If none does, it counts for
// none.
#include "harness/judging/isolate.h"

#include <functional>
#include <gtest/gtest.h>

#include "harness/judging/reach_counter.h"
#include "harness/ops/op.h"

namespace anecheck {
namespace {

// A runner that answers a graph with the status that `verdict` returns for the graph's operations.
class Compiler final : public Runner {
 public:
  using Verdict = std::function<RunStatus(const std::bitset<kOpCount>& ops)>;
  explicit Compiler(Verdict verdict) : verdict_(std::move(verdict)) {}

  Result<RunnerIdentity> Identify() override { return RunnerIdentity{.runner = "compiler"}; }
  Result<std::vector<RunReply>> Run(std::span<const RunRequest> requests) override {
    std::vector<RunReply> replies;
    for (const RunRequest& request : requests) {
      ++runs;
      replies.push_back({.id = request.id, .status = verdict_(OpsOf(*request.graph))});
    }
    return replies;
  }
  Status Restart() override { return {}; }

  int runs = 0;

 private:
  Verdict verdict_;
};

bool Has(const std::bitset<kOpCount>& ops, OpKind kind) { return ops[GetOp(kind).schema.id]; }

// relu, then tanh, then sigmoid.
Case ThreeOperations() {
  Case item;
  item.target = {"h13", 2};
  ValueId value = item.graph.AddInput({DType::kFp16, {1, 4}}, "x");
  for (const OpKind kind : {OpKind::kRelu, OpKind::kTanh, OpKind::kSigmoid}) {
    item.graph.BeginNode(&GetOp(kind).schema);
    item.graph.AddArgument(0, value);
    value = *item.graph.FinishNode(
        std::vector<std::string>{"v" + std::to_string(item.graph.nodes().size())});
  }
  item.graph.AddOutput(value);
  item.inputs = {{{DType::kFp16, {1, 4}}, std::vector<uint8_t>(8)}};
  return item;
}

CaseOutcome Ended(const Case& item, RunStatus status) {
  Evaluation evaluation;
  return JudgeCase(item, {.id = 0, .status = status, .message = "no"}, evaluation);
}

ReachCounts Booked(const Case& item, const CaseOutcome& outcome, const char* op) {
  RowBatch batch;
  CountReach(item, outcome, batch);
  return batch.reach.at({"h13", Route::kMil, op});
}

TEST(Isolate, ARefusalIsChargedToTheOperationThatIsRefusedAlone) {
  const Case item = ThreeOperations();
  CaseOutcome outcome = Ended(item, RunStatus::kRejected);
  EXPECT_EQ(outcome.shown.op(), "") << "no operation is charged before it was run alone";
  Compiler compiler([](const auto& ops) {
    return Has(ops, OpKind::kTanh) ? RunStatus::kRejected : RunStatus::kOk;
  });
  ASSERT_TRUE(Isolate(item, compiler, outcome).ok());
  EXPECT_EQ(outcome.shown.op(), "tanh");
  EXPECT_EQ(Booked(item, outcome, "tanh").rejected, 1);
  EXPECT_EQ(Booked(item, outcome, "relu").rejected, 0);
  EXPECT_EQ(Booked(item, outcome, "sigmoid").rejected, 0);
  EXPECT_EQ(Booked(item, outcome, "relu").cases, 1);
}

TEST(Isolate, ARefusalIsChargedToTheOperationThatItNames) {
  const Case item = ThreeOperations();
  Compiler compiler([](const auto& ops) {
    return Has(ops, OpKind::kRelu) ? RunStatus::kRejected : RunStatus::kOk;
  });
  const auto charged = [&](const char* message) {
    Evaluation evaluation;
    CaseOutcome outcome =
        JudgeCase(item, {.status = RunStatus::kRejected, .message = message}, evaluation);
    EXPECT_TRUE(Isolate(item, compiler, outcome).ok());
    return outcome.shown.op();
  };
  EXPECT_EQ(charged("sigmoid: no such kernel"), "sigmoid");
  EXPECT_EQ(charged("cannot lower 'tanh' to this device"), "tanh");
  EXPECT_EQ(charged("'tanh' beside 'sigmoid'"), "relu")
      << "a message with two names decides nothing";
  EXPECT_EQ(charged("the tanh of an angle"), "relu") << "a word without quotes is no name";
  EXPECT_EQ(charged("result 'v1' is declared otherwise"), "tanh") << "v1 is the result of tanh";
  EXPECT_EQ(charged("'v1' beside 'v2'"), "relu") << "a message with two results decides nothing";
}

TEST(Isolate, AFaultOfNoOperationAloneIsChargedToTheGraph) {
  const Case item = ThreeOperations();
  for (const RunStatus status : {RunStatus::kRejected, RunStatus::kFailed, RunStatus::kCrashed}) {
    CaseOutcome outcome = Ended(item, status);
    Compiler compiler([&](const auto& ops) { return ops.count() > 1 ? status : RunStatus::kOk; });
    ASSERT_TRUE(Isolate(item, compiler, outcome).ok());
    EXPECT_EQ(compiler.runs, 3);
    EXPECT_EQ(outcome.shown.op(), "");
    for (const char* op : {"relu", "tanh", "sigmoid"}) {
      EXPECT_EQ(Booked(item, outcome, op).rejected, 0) << op;
      EXPECT_EQ(Booked(item, outcome, op).wrong, 0) << op;
    }
  }
}

TEST(Isolate, ARefusalDoesNotExplainACrash) {
  const Case item = ThreeOperations();
  CaseOutcome outcome = Ended(item, RunStatus::kCrashed);
  Compiler compiler([](const auto& ops) {
    if (ops.count() > 1) return RunStatus::kCrashed;
    return Has(ops, OpKind::kRelu) ? RunStatus::kRejected : RunStatus::kOk;
  });
  ASSERT_TRUE(Isolate(item, compiler, outcome).ok());
  EXPECT_EQ(outcome.shown.op(), "");
}

TEST(Isolate, HangsAndGarbledAnswersAreNotIsolated) {
  const Case item = ThreeOperations();
  Compiler compiler([](const auto&) { return RunStatus::kRejected; });
  for (const RunStatus status : {RunStatus::kHung, RunStatus::kGarbled, RunStatus::kNotRun}) {
    CaseOutcome outcome = Ended(item, status);
    ASSERT_TRUE(Isolate(item, compiler, outcome).ok());
  }
  EXPECT_EQ(compiler.runs, 0);
}

// An error counts for an operation only if all its operands are graph inputs. Other errors count
// for no operation.
TEST(ReachCounter, ErrorsCountForOperationsOnGraphInputsOnly) {
  Case item = ThreeOperations();
  item.graph.AddOutput(item.graph.node(0).first_result);
  CaseOutcome outcome;
  outcome.target = "h13";
  outcome.backend = "ane";
  outcome.histograms = {UlpCounts{1}, UlpCounts{2}};
  outcome.widths = {UlpCounts{0, 1}, UlpCounts{0, 2}};
  outcome.errors.resize(2);
  outcome.outputs.resize(2);
  RowBatch batch;
  CountReach(item, outcome, batch);
  EXPECT_EQ(batch.ulp.size(), 2u);
  EXPECT_EQ((batch.ulp.at({"h13", ""})[0]), 1u)
      << "the error of three operations is counted for none of them";
  EXPECT_EQ((batch.ulp.at({"h13", "relu"})[0]), 2u);
  EXPECT_EQ((batch.widths.at({"h13", "relu"})), (UlpCounts{0, 2}));
}

}  // namespace
}  // namespace anecheck
