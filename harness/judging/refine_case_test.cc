// A defect that only a further execution of a program shows is located, labelled and distinguished
// like a defect at the graph's own shape. Two such defects do not hide each other.
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <span>

#include "harness/base/half.h"
#include "harness/campaign/testing/campaign_test.h"
#include "harness/cases/second_execution.h"
#include "harness/judging/judge_case.h"
#include "harness/judging/locate.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// One execution of an engine, as the argument of a function that changes its outputs.
struct Answered {
  const Graph& graph;
  int64_t extent;  // the extent of the first input's last axis but one
  bool ranged;     // whether the program has a range
  bool second;     // whether the program ran before
  std::vector<Tensor>& outputs;

  // Replaces the first element of `op`'s result by `number`.
  void Put(OpKind op, double number) const {
    for (size_t i = 0; i < outputs.size(); ++i) {
      const Value& value = graph.value(graph.outputs()[i]);
      if (value.kind != ValueKind::kResult) continue;
      if (KindOf(*graph.node(value.producer).schema) != op) continue;
      EncodeElements(DType::kFp16, std::span(&number, 1), std::span(outputs[i].bytes).first(2));
    }
  }
};

// A runner that returns the oracle's values in each execution, changed by `spoil`.
class Engine final : public Runner {
 public:
  using Spoil = std::function<void(const Answered&)>;
  explicit Engine(Spoil spoil, Provenance provenance = Provenance::kSimulated)
      : spoil_(std::move(spoil)), provenance_(provenance) {}

  Result<RunnerIdentity> Identify() override {
    return RunnerIdentity{.runner = "engine", .provenance = provenance_};
  }
  Result<std::vector<RunReply>> Run(std::span<const RunRequest> requests) override {
    std::vector<RunReply> replies;
    for (const RunRequest& request : requests) {
      RunReply reply = {.id = request.id, .status = RunStatus::kOk, .backend = "ane"};
      reply.misconduct = misconduct;
      if (no_taps && request.graph->outputs().size() > 1) reply.status = RunStatus::kRejected;
      const bool ranged = !request.ranged_mil.empty();
      reply.outputs = Outputs(*request.graph, request.inputs, ranged, false);
      if (GivesSecond(request)) {
        std::vector<Tensor> second =
            Outputs(ExecutedTwice(*request.graph, !request.again.empty()),
                    InputsOfBoth(request.inputs, request.again), false, true);
        reply.further.push_back(std::move(second));
      }
      for (const RunShape& shape : request.further) {
        reply.further.push_back(Outputs(shape.graph, shape.inputs, ranged, false));
      }
      replies.push_back(std::move(reply));
    }
    return replies;
  }
  Status Restart() override { return {}; }

  bool no_taps = false;
  std::vector<Misconduct> misconduct;

 private:
  std::vector<Tensor> Outputs(const Graph& graph, std::span<const Tensor> inputs, bool ranged,
                              bool second) const {
    std::vector<Tensor> outputs = testing::RightOutputs(graph, inputs);
    const Shape& shape = inputs[0].type.shape;
    spoil_({graph, shape[shape.rank() - 2], ranged, second, outputs});
    return outputs;
  }

  Spoil spoil_;
  Provenance provenance_;
};

ValueId AddNode(Graph& graph, OpKind kind, std::initializer_list<ValueId> operands) {
  graph.BeginNode(&GetOp(kind).schema);
  int parameter = 0;
  for (const ValueId operand : operands) graph.AddArgument(parameter++, operand);
  return graph.FinishNode().value();
}

Tensor Filled(const TensorType& type, std::span<const double> row) {
  Tensor tensor = {type, std::vector<uint8_t>(static_cast<size_t>(type.ByteSize()))};
  std::vector<double> numbers;
  while (numbers.size() < static_cast<size_t>(type.shape.Elements())) {
    numbers.insert(numbers.end(), row.begin(), row.end());
  }
  EncodeElements(type.dtype, numbers, tensor.bytes);
  return tensor;
}

// A chain of `operations` on an input x of 2 rows. The range of the axis is 1 to 3.
Case Ranged(std::initializer_list<OpKind> operations, CampaignTarget target = {"h13", 2}) {
  Case item;
  item.target = std::move(target);
  const TensorType type = {DType::kFp16, Shape{2, 3}};
  ValueId value = item.graph.AddInput(type, "x");
  for (const OpKind kind : operations) value = AddNode(item.graph, kind, {value});
  item.graph.AddOutput(value);
  item.inputs = {Filled(type, std::vector<double>{0.5, 0, 1})};
  item.range = {.input = "x", .axis = 0, .start = 1, .stop = 3, .step = 1};
  EXPECT_TRUE(SpellCase(item).ok());
  EXPECT_EQ(item.further.size(), 2u);
  return item;
}

CaseOutcome OutcomeOn(const Case& item, Engine& engine) {
  Evaluation evaluation;
  const RunRequest request = RequestOf(item);
  const auto replies = engine.Run({&request, 1});
  CaseOutcome outcome = JudgeCase(item, replies->front(), evaluation);
  const Status refined = Refine(item, replies->front(), engine, evaluation, outcome);
  EXPECT_TRUE(refined.ok()) << (refined.ok() ? "" : refined.error().message);
  return outcome;
}

// abs is wrong, and relu passes the error on.
void WrongFromAbs(const Answered& answered) {
  answered.Put(OpKind::kAbs, 5);
  answered.Put(OpKind::kRelu, 5);
}

// Two defects of one operation are two findings if their values are wrong in different ways.
TEST(RefineCase, TheWayInWhichValuesAreWrongIsPartOfTheSignature) {
  const Case item = Ranged({OpKind::kAbs});
  const auto signature = [&](double given) {
    Engine engine([given](const Answered& a) { a.Put(OpKind::kAbs, given); });
    return Signature(OutcomeOn(item, engine));
  };
  const double beside = 0.5 + 0x1p-11;
  EXPECT_EQ(signature(5), "wrong|abs|h13|far");
  EXPECT_EQ(signature(beside), "wrong|abs|h13|near");
  EXPECT_EQ(signature(std::numeric_limits<double>::quiet_NaN()), "wrong|abs|h13|nan");
  EXPECT_EQ(signature(std::numeric_limits<double>::infinity()), "wrong|abs|h13|infinity");
}

TEST(RefineCase, AFaultOfARangeAloneIsLocatedAndHasItsOwnSignature) {
  const Case item = Ranged({OpKind::kAbs, OpKind::kRelu});
  Engine engine([](const Answered& a) {
    if (a.ranged && a.extent == 3) WrongFromAbs(a);
  });
  const CaseOutcome outcome = OutcomeOn(item, engine);
  EXPECT_EQ(outcome.verdict(), Verdict::kWrong);
  EXPECT_EQ(outcome.shown.op(), "abs") << "the first wrong operation is charged, not the output";
  EXPECT_EQ(outcome.shown.node(), item.graph.value(item.graph.node(0).first_result).name);
  EXPECT_EQ(outcome.execution.shape, 1u);
  EXPECT_EQ(Signature(outcome), "wrong|abs|h13|far|range of shapes");
  EXPECT_EQ(outcome.message().find(
                "at 3 along axis 0 of x, and not where a program has that shape alone: "),
            0u)
      << outcome.message();
}

TEST(RefineCase, AFaultThatAProgramWithoutARangeShowsIsChargedToTheOperation) {
  const Case item = Ranged({OpKind::kAbs, OpKind::kRelu});
  Engine engine([](const Answered& a) {
    if (a.extent == 3) WrongFromAbs(a);
  });
  const CaseOutcome outcome = OutcomeOn(item, engine);
  EXPECT_EQ(outcome.shown.op(), "abs");
  EXPECT_EQ(Signature(outcome), "wrong|abs|h13|far");
  EXPECT_EQ(outcome.message().find("at 3 along axis 0 of x: "), 0u) << outcome.message();
}

TEST(RefineCase, AFaultOfARangeAtTheOwnShapeHasTheRangesSignature) {
  const Case item = Ranged({OpKind::kAbs, OpKind::kRelu});
  Engine engine([](const Answered& a) {
    if (a.ranged && a.extent == 2) WrongFromAbs(a);
  });
  const CaseOutcome outcome = OutcomeOn(item, engine);
  EXPECT_TRUE(outcome.execution.first());
  EXPECT_EQ(Signature(outcome), "wrong|abs|h13|far|range of shapes");
  EXPECT_EQ(outcome.message().find("of a program with a range of shapes, "), 0u)
      << outcome.message();
}

// No engine of this family was measured. So 0.628 is unconfirmed, because its table may have this
// value, but 0.9 is wrong.
TEST(RefineCase, TheExplanationOfTheOwnShapeHidesNoOtherShape) {
  const Case item = Ranged({OpKind::kSigmoid}, {"h12", 1});
  Engine engine(
      [](const Answered& a) { a.Put(OpKind::kSigmoid, a.ranged && a.extent == 3 ? 0.9 : 0.628); },
      Provenance::kReported);
  const CaseOutcome outcome = OutcomeOn(item, engine);
  EXPECT_EQ(outcome.verdict(), Verdict::kWrong) << outcome.message();
  EXPECT_EQ(outcome.execution.shape, 1u);
  Engine near([](const Answered& a) { a.Put(OpKind::kSigmoid, 0.628); }, Provenance::kReported);
  EXPECT_EQ(OutcomeOn(item, near).verdict(), Verdict::kUnconfirmed);
}

TEST(RefineCase, TheExplanationOfTheOwnShapeHidesNoMisconduct) {
  const Case item = Ranged({OpKind::kSigmoid}, {"h12", 1});
  Engine engine([](const Answered& a) { a.Put(OpKind::kSigmoid, 0.628); }, Provenance::kReported);
  engine.misconduct = {{Verdict::kSlotLeak, "the program was not released"}};
  EXPECT_EQ(OutcomeOn(item, engine).verdict(), Verdict::kSlotLeak);
}

// relu of a product that may overflow (D01). Its interval admits almost any value.
Case BehindAnOverflow() {
  Case item;
  item.target = {"h13", 2};
  const TensorType type = {DType::kFp16, Shape{2, 3}};
  Graph& graph = item.graph;
  const ValueId x = graph.AddInput(type, "x");
  const Tensor ones = Filled({DType::kFp16, Shape{3, 1}}, std::vector<double>{1});
  const ValueId w = graph.AddConst(ones.type, ones.bytes, "w");
  graph.AddOutput(AddNode(graph, OpKind::kRelu, {AddNode(graph, OpKind::kMatmul, {x, w})}));
  item.inputs = {Filled(type, std::vector<double>{40000, -30000, 1})};
  item.range = {.input = "x", .axis = 0, .start = 1, .stop = 3, .step = 1};
  EXPECT_TRUE(SpellCase(item).ok());
  return item;
}

void OverflowsInto(double number, const Answered& answered) {
  if (!answered.ranged || answered.extent != 3) return;
  answered.Put(OpKind::kMatmul, kInfinity);
  answered.Put(OpKind::kRelu, number);
}

TEST(RefineCase, ADocumentedDefectIsNamedAtAFurtherShapeIfTheValueIsItsOwn) {
  const Case item = BehindAnOverflow();
  Engine defect([](const Answered& a) { OverflowsInto(kInfinity, a); });
  const CaseOutcome documented = OutcomeOn(item, defect);
  EXPECT_EQ(documented.verdict(), Verdict::kKnownDefect);
  EXPECT_EQ(Signature(documented), "known-defect|D01|h13");
  Engine other([](const Answered& a) { OverflowsInto(12000, a); });
  const CaseOutcome wrong = OutcomeOn(item, other);
  EXPECT_EQ(wrong.verdict(), Verdict::kWrong);
  EXPECT_EQ(wrong.shown.op(), "relu");
  EXPECT_EQ(wrong.shown.defects().ToText(), "");
}

TEST(RefineCase, AFaultOfARangeChargesNoOperationIfInnerValuesCannotBeSeen) {
  const Case item = BehindAnOverflow();
  Engine other([](const Answered& a) { OverflowsInto(12000, a); });
  other.no_taps = true;
  const CaseOutcome wrong = OutcomeOn(item, other);
  EXPECT_EQ(wrong.verdict(), Verdict::kWrong) << wrong.message();
  EXPECT_EQ(Signature(wrong), "wrong||h13|far|range of shapes");
  EXPECT_NE(wrong.message().find("made by one of matmul, relu"), std::string::npos);
}

// Adds x to the content of a state, and writes the sum back. The output is relu of the sum.
Case Counting() {
  Case item;
  item.target = {"h15", 4};
  item.mode = CaseMode::kState;
  const TensorType type = {DType::kFp16, Shape{1, 4}};
  Graph& graph = item.graph;
  const ValueId x = graph.AddInput(type, "x");
  const ValueId state = graph.AddState(type, "s");
  const ValueId before = AddNode(graph, OpKind::kReadState, {state});
  const ValueId sum = AddNode(graph, OpKind::kAdd, {before, x});
  AddNode(graph, OpKind::kWriteState, {state, sum});
  graph.AddOutput(AddNode(graph, OpKind::kRelu, {sum}));
  item.inputs = {Filled(type, std::vector<double>{0.5, 1, 2, 3})};
  EXPECT_TRUE(SpellCase(item).ok());
  return item;
}

TEST(RefineCase, AFaultOfASecondExecutionIsChargedToItsOperation) {
  const Case item = Counting();
  Engine engine([](const Answered& a) {
    if (!a.second) return;
    a.Put(OpKind::kAdd, 5);
    a.Put(OpKind::kRelu, 5);
  });
  const CaseOutcome outcome = OutcomeOn(item, engine);
  EXPECT_EQ(outcome.verdict(), Verdict::kWrong) << outcome.message();
  EXPECT_EQ(outcome.shown.op(), "add");
  EXPECT_EQ(outcome.shown.node(), item.graph.value(item.graph.node(1).first_result).name);
  EXPECT_EQ(Signature(outcome), "wrong|add|h15|far|second execution");
  engine.no_taps = true;
  EXPECT_EQ(OutcomeOn(item, engine).shown.op(), "read_state")
      << "if inner values cannot be seen, the state is charged";
}

TEST(RefineCase, AFirstExecutionOfTheSecondInputsTellsBothFaultsApart) {
  Case item = Ranged({OpKind::kAbs, OpKind::kRelu});
  item.range.reset();
  item.further.clear();
  item.ranged_mil.clear();
  item.again = {Filled(item.inputs[0].type, std::vector<double>{1, 2, 3})};
  while (!RequestOf(item).settings.repeat) ++item.seed;
  Engine second([](const Answered& a) {
    if (a.second) WrongFromAbs(a);
  });
  const CaseOutcome alone = OutcomeOn(item, second);
  EXPECT_EQ(Signature(alone), "wrong|abs|h13|far|second execution");
  EXPECT_TRUE(alone.of_second_run());
  // This engine is also wrong if the second inputs are those of a first execution.
  Engine always([](const Answered& a) {
    const ValueId y = a.graph.outputs()[0];
    std::vector<double> first = {0};
    DecodeElements(DType::kFp16, std::span(a.outputs[0].bytes).first(2), first);
    if (a.graph.value(y).kind == ValueKind::kResult && first[0] == 1) WrongFromAbs(a);
  });
  EXPECT_EQ(Signature(OutcomeOn(item, always)), "wrong|abs|h13|far");
}

TEST(RefineCase, ASecondExecutionIsJudgedEvenIfTheFirstDoesNotRepeat) {
  Case item = Ranged({OpKind::kAbs, OpKind::kRelu});
  item.range.reset();
  item.further.clear();
  item.ranged_mil.clear();
  item.again = {Filled(item.inputs[0].type, std::vector<double>{1, 2, 3})};
  while (!RequestOf(item).settings.repeat) ++item.seed;
  double runs = 0;
  Engine engine([&runs](const Answered& a) {
    if (a.second) {
      WrongFromAbs(a);
    } else {
      a.Put(OpKind::kRelu, ++runs);
    }
  });
  const RunRequest request = RequestOf(item);
  const auto replies = engine.Run({&request, 1});
  Evaluation evaluation;
  const auto location =
      Locate(item, replies->front(), engine, evaluation, Execution{.second = true});
  ASSERT_TRUE(location.ok());
  EXPECT_EQ(location->first_wrong, "abs");
}

// If all results are outputs, abs looks wrong in every execution, as on an engine that fuses. relu
// is wrong only in a second execution.
TEST(RefineCase, AResultThatAFirstExecutionRepeatsIsNotTheErrorOfTheSecond) {
  Case item = Ranged({OpKind::kAbs, OpKind::kRelu});
  item.range.reset();
  item.further.clear();
  item.ranged_mil.clear();
  item.again = {Filled(item.inputs[0].type, std::vector<double>{1, 2, 3})};
  while (!RequestOf(item).settings.repeat) ++item.seed;
  Engine engine([](const Answered& a) {
    if (a.outputs.size() > 1) a.Put(OpKind::kAbs, 5);
    if (a.second) a.Put(OpKind::kRelu, 7);
  });
  EXPECT_EQ(Signature(OutcomeOn(item, engine)), "wrong|relu|h13|far|second execution");
}

}  // namespace
}  // namespace anecheck
