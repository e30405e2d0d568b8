// An error is charged to the operation that made it, even through a state.
#include "harness/judging/locate.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "harness/campaign/testing/campaign_test.h"
#include "harness/judging/judge_case.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

using testing::AddNode;
using testing::ScriptedRunner;

// Writes abs(x) to a state and reads it, writes relu of the content to the state, and reads it
// again. The output is the content that was read last.
Case ThroughAState() {
  Case item;
  item.target = {"h15", 4};
  item.route = Route::kMil;
  const TensorType type = {DType::kFp16, Shape{1, 2, 1, 4}};
  Graph& graph = item.graph;
  const ValueId x = graph.AddInput(type, "x");
  const ValueId state = graph.AddState(type, "s");
  AddNode(graph, OpKind::kWriteState, {state, AddNode(graph, OpKind::kAbs, {x})});
  const ValueId content = AddNode(graph, OpKind::kReadState, {state});
  const ValueId rectified = AddNode(graph, OpKind::kRelu, {content});
  AddNode(graph, OpKind::kWriteState, {state, rectified});
  graph.AddOutput(AddNode(graph, OpKind::kReadState, {state}));
  item.inputs = {{type, std::vector<uint8_t>(static_cast<size_t>(type.ByteSize()), 0x31)}};
  EXPECT_TRUE(SpellCase(item).ok());
  return item;
}

// An engine on which the first element of the first result of each `wrong` operation is wrong. It
// is wrong in all later results too, because the later operations pass positive values on.
ScriptedRunner::Spoil WrongFrom(OpKind wrong) {
  return [wrong](const RunRequest& request, RunReply& reply) {
    const Graph& graph = *request.graph;
    std::set<ValueId> spoiled;
    bool begun = false;
    for (const Node& node : graph.nodes()) {
      begun = begun || KindOf(*node.schema) == wrong;
      if (begun && node.result_count > 0) spoiled.insert(node.first_result);
    }
    for (size_t i = 0; i < reply.outputs.size(); ++i) {
      if (spoiled.contains(graph.outputs()[i])) reply.outputs[i].bytes[1] = 0x45;
    }
  };
}

Location LocateWith(int threads, const Case& item, ScriptedRunner::Spoil spoil) {
  ScriptedRunner runner(std::move(spoil), Provenance::kSimulated);
  const RunRequest request = RequestOf(item);
  const auto replies = runner.Run({&request, 1});
  EXPECT_TRUE(replies.ok());
  Evaluation evaluation;
  evaluation.UseThreads(threads);
  const auto location = Locate(item, replies->front(), runner, evaluation);
  EXPECT_TRUE(location.ok()) << (location.ok() ? "" : location.error().message);
  return location.ok() ? *location : Location{};
}

// Runs on an engine that returns the right outputs, changed by `spoil`. The location does not
// depend on the number of threads.
Location LocateOn(const Case& item, const ScriptedRunner::Spoil& spoil) {
  Location one = LocateWith(1, item, spoil);
  const Location several = LocateWith(3, item, spoil);
  EXPECT_EQ(several.judged, one.judged);
  EXPECT_EQ(several.first_wrong, one.first_wrong);
  EXPECT_EQ(several.node, one.node);
  EXPECT_EQ(several.message, one.message);
  EXPECT_EQ(several.deviation, one.deviation);
  EXPECT_EQ(several.defects, one.defects);
  EXPECT_TRUE(
      std::ranges::equal(several.nodes, one.nodes, {}, &JudgedNode::verdict, &JudgedNode::verdict));
  return one;
}

TEST(Locate, AReadIsJudgedByTheValueWritten) {
  const Case item = ThroughAState();
  const Location location = LocateOn(item, WrongFrom(OpKind::kReadState));
  ASSERT_TRUE(location.judged);
  EXPECT_EQ(location.first_wrong, "read_state");
  EXPECT_EQ(location.node, item.graph.value(item.graph.node(2).first_result).name)
      << "the first of two reads";
}

// sqrt(relu(abs(x))).
Case InARow() {
  Case item;
  item.target = {"h15", 4};
  item.route = Route::kMil;
  const TensorType type = {DType::kFp16, Shape{1, 2, 1, 4}};
  Graph& graph = item.graph;
  const ValueId magnitude = AddNode(graph, OpKind::kAbs, {graph.AddInput(type, "x")});
  graph.AddOutput(AddNode(graph, OpKind::kSqrt, {AddNode(graph, OpKind::kRelu, {magnitude})}));
  item.inputs = {{type, std::vector<uint8_t>(static_cast<size_t>(type.ByteSize()), 0x31)}};
  EXPECT_TRUE(SpellCase(item).ok());
  return item;
}

// An engine on which `wrong` is wrong as a separate program. In programs of several operations, all
// results from `innocent` on are wrong.
ScriptedRunner::Spoil WrongBehind(OpKind innocent, OpKind wrong) {
  return [=](const RunRequest& request, RunReply& reply) {
    const bool alone = request.graph->nodes().size() == 1;
    WrongFrom(alone ? wrong : innocent)(request, reply);
  };
}

TEST(Locate, AnOperationThatIsWrongAloneIsCharged) {
  const Location location = LocateOn(InARow(), WrongBehind(OpKind::kAbs, OpKind::kSqrt));
  ASSERT_TRUE(location.judged);
  EXPECT_EQ(location.first_wrong, "sqrt");
}

TEST(Locate, IfEachIsRightAloneTheFirstIsCharged) {
  EXPECT_EQ(LocateOn(InARow(), WrongBehind(OpKind::kAbs, OpKind::kExp)).first_wrong, "abs");
}

// An engine that fuses operations does not fuse if every result is an output, and so its outputs
// change.
TEST(Locate, AnOperationThatIsWrongAloneIsChargedIfTapsChangeTheOutputs) {
  const auto fusing = [](OpKind wrong) {
    return [wrong](const RunRequest& request, RunReply& reply) {
      WrongFrom(wrong)(request, reply);
      if (reply.outputs.size() == 1 && request.graph->nodes().size() > 1) {
        reply.outputs[0].bytes[3] = 0x45;
      }
    };
  };
  const Location location = LocateOn(InARow(), fusing(OpKind::kSqrt));
  ASSERT_TRUE(location.judged);
  EXPECT_EQ(location.first_wrong, "sqrt");
  EXPECT_EQ(LocateOn(InARow(), fusing(OpKind::kExp)).first_wrong, "relu")
      << "no operation is wrong alone, and relu(abs(x)) is the shortest wrong program";
}

// Only unrounded operands, which an engine that fuses passes on, show the error of sqrt. The
// engine's result of relu looks wrong for the rounded result of abs.
TEST(Locate, AnOperationThatOnlyAFusedProgramShowsIsChargedAndNotTheOneBeforeIt) {
  const auto spoil = [](const RunRequest& request, RunReply& reply) {
    if (request.graph->nodes().size() == 3) WrongFrom(OpKind::kRelu)(request, reply);
  };
  const Case item = InARow();
  const Location location = LocateOn(item, spoil);
  ASSERT_TRUE(location.judged);
  EXPECT_EQ(location.first_wrong, "sqrt");
  EXPECT_EQ(location.node, item.graph.value(item.graph.outputs()[0]).name);
  EXPECT_EQ(location.wrong_alone.nodes().size(), 3u);
}

// The fused program's result has another type, so no term explains its values.
TEST(Locate, AFusedResultOfAnotherTypeIsCharged) {
  const Case item = InARow();
  const auto short_result = [](const RunRequest& request, RunReply& reply) {
    if (request.graph->nodes().size() != 3) return;
    reply.outputs[0] = {{DType::kFp16, Shape{1}}, std::vector<uint8_t>(2)};
  };
  ScriptedRunner runner(short_result, Provenance::kReported);
  const RunRequest request = RequestOf(item);
  const auto replies = runner.Run({&request, 1});
  ASSERT_TRUE(replies.ok());
  Evaluation evaluation;
  const auto location = Locate(item, replies->front(), runner, evaluation);
  ASSERT_TRUE(location.ok()) << location.error().message;
  EXPECT_EQ(location->first_wrong, "sqrt");
  EXPECT_NE(location->message.find("expected"), std::string::npos) << location->message;
}

TEST(Locate, NothingIsJudgedIfAnErrorDoesNotOccurAgain) {
  const auto once = [runs = 0](const RunRequest& request, RunReply& reply) mutable {
    if (runs++ == 0) WrongFrom(OpKind::kSqrt)(request, reply);
  };
  const Location location = LocateOn(InARow(), once);
  EXPECT_FALSE(location.judged);
  EXPECT_EQ(location.unseen, "other values");
}

TEST(Locate, AnErrorBeforeAStateIsNotChargedToItsReader) {
  EXPECT_EQ(LocateOn(ThroughAState(), WrongFrom(OpKind::kAbs)).first_wrong, "abs");
  EXPECT_EQ(LocateOn(ThroughAState(), WrongFrom(OpKind::kRelu)).first_wrong, "relu");
}

TEST(Locate, TheFindingNamesTheReaderAndNotTheOutput) {
  Case item = ThroughAState();
  item.graph.ClearOutputs();
  item.graph.AddOutput(item.graph.node(3).first_result);
  ASSERT_TRUE(SpellCase(item).ok());
  ScriptedRunner runner(WrongFrom(OpKind::kReadState), Provenance::kSimulated);
  const RunRequest request = RequestOf(item);
  const auto replies = runner.Run({&request, 1});
  ASSERT_TRUE(replies.ok());
  Evaluation evaluation;
  CaseOutcome outcome = JudgeCase(item, replies->front(), evaluation);
  ASSERT_TRUE(Refine(item, replies->front(), runner, evaluation, outcome).ok());
  EXPECT_EQ(outcome.verdict(), Verdict::kWrong);
  EXPECT_EQ(outcome.shown.op(), "read_state");
}

// cast(greater(x, y)) or select(greater(x, y), x, y), on two elements.
Case BehindAComparison(OpKind reader) {
  Case item;
  item.target = {"h15", 4};
  item.route = Route::kMil;
  const TensorType type = {DType::kFp16, Shape{1, 2}};
  Graph& graph = item.graph;
  const ValueId x = graph.AddInput(type, "x");
  const ValueId y = graph.AddInput(type, "y");
  const ValueId flags = AddNode(graph, OpKind::kGreater, {x, y});
  if (reader == OpKind::kSelect) {
    graph.AddOutput(AddNode(graph, reader, {flags, x, y}));
  } else {
    graph.BeginNode(&GetOp(reader).schema);
    graph.AddArgument(params::Cast::kX, flags);
    graph.AddString(params::Cast::kDtype, "fp16");
    graph.AddOutput(graph.FinishNode().value());
  }
  for (const double first : {2.0, 3.0}) {
    Tensor& tensor = item.inputs.emplace_back(Tensor{type, std::vector<uint8_t>(4)});
    EncodeElements(type.dtype, std::vector<double>{first, 0.5}, tensor.bytes);
  }
  EXPECT_TRUE(SpellCase(item).ok());
  return item;
}

TEST(Locate, AWrongComparisonIsNotChargedToOperationsThatPassItsFlagsOn) {
  const auto gives = [](double first) {
    return [first](const RunRequest&, RunReply& reply) {
      std::vector<double> numbers(2);
      DecodeElements(DType::kFp16, reply.outputs[0].bytes, numbers);
      numbers[0] = first;
      EncodeElements(DType::kFp16, numbers, reply.outputs[0].bytes);
    };
  };
  EXPECT_EQ(LocateOn(BehindAComparison(OpKind::kCast), gives(1)).first_wrong, "greater");
  EXPECT_EQ(LocateOn(BehindAComparison(OpKind::kSelect), gives(2)).first_wrong, "greater");
  EXPECT_EQ(LocateOn(BehindAComparison(OpKind::kCast), gives(0.5)).first_wrong, "cast")
      << "no value of the flag gives this result";
  EXPECT_EQ(LocateOn(BehindAComparison(OpKind::kSelect), gives(5)).first_wrong, "select");
}

// select(greater(x, y), column, y) with a constant column of 7 and 9.
TEST(Locate, AWrongComparisonIsChargedEvenIfAChoiceIsBroadcast) {
  Case item = BehindAComparison(OpKind::kSelect);
  item.graph = {};
  const TensorType type = {DType::kFp16, Shape{2, 2}};
  const ValueId x = item.graph.AddInput(type, "x");
  const ValueId y = item.graph.AddInput(type, "y");
  std::vector<uint8_t> column(4);
  EncodeElements(DType::kFp16, std::vector<double>{7, 9}, column);
  const ValueId a = item.graph.AddConst({DType::kFp16, Shape{2, 1}}, column, "column");
  const ValueId flags = AddNode(item.graph, OpKind::kGreater, {x, y});
  item.graph.AddOutput(AddNode(item.graph, OpKind::kSelect, {flags, a, y}));
  for (size_t i = 0; i < 2; ++i) {
    item.inputs[i] = {type, std::vector<uint8_t>(8)};
    const std::vector<double> numbers(4, i == 0 ? 2 : 3);
    EncodeElements(DType::kFp16, numbers, item.inputs[i].bytes);
  }
  ASSERT_TRUE(SpellCase(item).ok());
  const auto of_the_column = [](const RunRequest&, RunReply& reply) {
    EncodeElements(DType::kFp16, std::vector<double>{9},
                   std::span(reply.outputs[0].bytes).subspan(4, 2));
  };
  EXPECT_EQ(LocateOn(item, of_the_column).first_wrong, "greater");
}

// Wrong flags would give the same results, but another reader of the flags shows that they are
// right.
TEST(Locate, AReaderOfRightFlagsIsChargedForAWrongChoice) {
  for (const OpKind reader : {OpKind::kCast, OpKind::kSelect}) {
    const Case item = BehindAComparison(reader);
    const auto wrong_choice = [reader](const RunRequest& request, RunReply& reply) {
      const auto nodes = request.graph->nodes();
      const bool reads = std::ranges::any_of(
          nodes, [&](const Node& node) { return KindOf(*node.schema) == reader; });
      const std::vector<double> chosen = {reader == OpKind::kCast ? 1.0 : 2.0};
      if (reads) EncodeElements(DType::kFp16, chosen, std::span(reply.outputs[0].bytes).first(2));
    };
    EXPECT_EQ(LocateOn(item, wrong_choice).first_wrong, GetOp(reader).schema.name);
  }
}

// 0 is not greater than -0, so -0 is chosen.
TEST(Locate, AZeroThatLosesItsSignIsChargedToTheSelect) {
  Case item = BehindAComparison(OpKind::kSelect);
  item.target = {"float", kFloatFamily};
  for (size_t i = 0; i < 2; ++i) {
    const std::vector<double> numbers = {i == 0 ? 0.0 : -0.0, 0.5};
    EncodeElements(DType::kFp16, numbers, item.inputs[i].bytes);
  }
  const auto positive = [](const RunRequest&, RunReply& reply) { reply.outputs[0].bytes[1] = 0; };
  EXPECT_EQ(LocateOn(item, positive).first_wrong, "select");
}

// r sigmoid_hard(r) of a matrix product r, on the family whose engines have D34 for it.
Case SwishOfProduct() {
  Case item;
  item.target = {"h17s", 6};
  item.route = Route::kMil;
  Graph& graph = item.graph;
  const TensorType row = {DType::kFp16, Shape{1, 2}};
  const TensorType column = {DType::kFp16, Shape{2, 1}};
  const ValueId r =
      AddNode(graph, OpKind::kMatmul, {graph.AddInput(row, "x"), graph.AddInput(column, "y")});
  graph.BeginNode(&GetOp(OpKind::kSigmoidHard).schema);
  graph.AddArgument(0, r);
  graph.AddFloat(params::WithAlphaBeta::kAlpha, 0.25);
  graph.AddFloat(params::WithAlphaBeta::kBeta, 0.25);
  const ValueId gate = graph.FinishNode().value();
  graph.AddOutput(AddNode(graph, OpKind::kMul, {r, gate}));
  for (const TensorType& type : {row, column}) {
    Tensor& tensor = item.inputs.emplace_back(Tensor{type, {}});
    tensor.bytes.resize(static_cast<size_t>(type.ByteSize()));
    EncodeElements(type.dtype, std::vector<double>{0.5, 1}, tensor.bytes);
  }
  EXPECT_TRUE(SpellCase(item).ok());
  return item;
}

// An engine that returns the last operation's result times `factor`.
ScriptedRunner::Spoil Scaled(const Case& item, double factor) {
  const ValueId last = item.graph.outputs()[0];
  return [last, factor](const RunRequest& request, RunReply& reply) {
    for (size_t i = 0; i < reply.outputs.size(); ++i) {
      if (request.graph->outputs()[i] != last) continue;
      Tensor& tensor = reply.outputs[i];
      std::vector<double> numbers = {0};
      DecodeElements(tensor.type.dtype, tensor.bytes, numbers);
      numbers[0] *= factor;
      EncodeElements(tensor.type.dtype, numbers, tensor.bytes);
    }
  };
}

Location LocateScaled(const Case& item, double factor) {
  return LocateOn(item, Scaled(item, factor));
}

TEST(Locate, ADefectThatDependsOnTheOperandsProducersIsNamed) {
  const Location right = LocateScaled(SwishOfProduct(), 1);
  EXPECT_TRUE(right.judged && right.first_wrong.empty());
  EXPECT_EQ(right.defects.ToText(), "");
  const Location defect = LocateScaled(SwishOfProduct(), 1.04);
  EXPECT_TRUE(defect.judged);
  EXPECT_EQ(defect.first_wrong, "");
  EXPECT_EQ(defect.defects.ToText(), "D34");
  EXPECT_EQ(LocateScaled(SwishOfProduct(), 1.2).first_wrong, "mul");
  Case elsewhere = SwishOfProduct();
  elsewhere.target = {"h13", 2};
  EXPECT_EQ(LocateScaled(elsewhere, 1.04).first_wrong, "mul");
}

// A documented defect of the engine does not explain a value that another backend computed.
TEST(JudgeCase, AValueOfAnotherBackendHasNoKnownDefect) {
  const Case item = SwishOfProduct();
  ScriptedRunner runner(Scaled(item, 1.04), Provenance::kSimulated);
  const RunRequest request = RequestOf(item);
  auto replies = runner.Run({&request, 1});
  ASSERT_TRUE(replies.ok());
  Evaluation evaluation;
  const CaseOutcome placed = JudgeCase(item, replies->front(), evaluation);
  EXPECT_EQ(placed.verdict(), Verdict::kKnownDefect);
  EXPECT_EQ(placed.shown.defects().ToText(), "D34");
  replies->front().backend = "bnns";
  const CaseOutcome misplaced = JudgeCase(item, replies->front(), evaluation);
  EXPECT_EQ(misplaced.verdict(), Verdict::kMisplaced);
  EXPECT_EQ(misplaced.shown.defects().ToText(), "");
}

// The outputs are abs(x) and sqrt(x).
TEST(JudgeCase, ExchangedOutputsAreChargedToNoOperation) {
  Case item = InARow();
  const ValueId x = item.graph.ValuesOfKind(ValueKind::kInput)[0];
  item.graph.ClearOutputs();
  item.graph.AddOutput(item.graph.node(0).first_result);
  item.graph.AddOutput(AddNode(item.graph, OpKind::kSqrt, {x}));
  ASSERT_TRUE(SpellCase(item).ok());
  const auto exchange = [](const RunRequest&, RunReply& reply) {
    if (reply.outputs.size() > 1) std::swap(reply.outputs[0], reply.outputs[1]);
  };
  ScriptedRunner runner(exchange, Provenance::kSimulated);
  const RunRequest request = RequestOf(item);
  const auto replies = runner.Run({&request, 1});
  ASSERT_TRUE(replies.ok());
  Evaluation evaluation;
  CaseOutcome outcome = JudgeCase(item, replies->front(), evaluation);
  ASSERT_TRUE(Refine(item, replies->front(), runner, evaluation, outcome).ok());
  EXPECT_EQ(Signature(outcome), "wrong||h15|exchanged");
  EXPECT_NE(outcome.message().find("have the right values of each other"), std::string::npos)
      << outcome.message();
}

TEST(JudgeCase, OutputsWithoutTheirBytesAreNotExchanged) {
  Case item = InARow();
  const ValueId x = item.graph.ValuesOfKind(ValueKind::kInput)[0];
  item.graph.AddOutput(AddNode(item.graph, OpKind::kSqrt, {x}));
  ASSERT_TRUE(SpellCase(item).ok());
  ScriptedRunner runner([](const RunRequest&, RunReply& reply) {
    for (Tensor& output : reply.outputs) output.bytes.clear();
  });
  const RunRequest request = RequestOf(item);
  const auto replies = runner.Run({&request, 1});
  ASSERT_TRUE(replies.ok());
  Evaluation evaluation;
  const CaseOutcome outcome = JudgeCase(item, replies->front(), evaluation);
  EXPECT_EQ(outcome.verdict(), Verdict::kWrong);
  EXPECT_NE(outcome.shown.deviation(), "exchanged");
}

// The values of another backend are no evidence about the engine, so no operation is charged, and
// no error is recorded.
TEST(JudgeCase, WrongNumbersOfAnotherBackendAreNotTheEngines) {
  const Case item = SwishOfProduct();
  ScriptedRunner runner(Scaled(item, 1.2), Provenance::kSimulated);
  const RunRequest request = RequestOf(item);
  auto replies = runner.Run({&request, 1});
  ASSERT_TRUE(replies.ok());
  RunReply& reply = replies->front();
  Evaluation evaluation;
  const CaseOutcome placed = JudgeCase(item, reply, evaluation);
  EXPECT_EQ(placed.verdict(), Verdict::kWrong);
  EXPECT_FALSE(placed.histograms.empty());
  reply.backend = "bnns";
  const CaseOutcome misplaced = JudgeCase(item, reply, evaluation);
  EXPECT_EQ(misplaced.verdict(), Verdict::kMisplaced);
  EXPECT_EQ(misplaced.message().find("asked for the engine, ran on bnns; wrong there: "), 0u)
      << misplaced.message();
  EXPECT_TRUE(misplaced.histograms.empty() && misplaced.errors.empty() && misplaced.leans.empty());
}

TEST(Locate, LocatesNothingInARunOnAnotherBackend) {
  const Case item = SwishOfProduct();
  ScriptedRunner runner(Scaled(item, 1.2), Provenance::kSimulated);
  const RunRequest request = RequestOf(item);
  auto replies = runner.Run({&request, 1});
  ASSERT_TRUE(replies.ok());
  Evaluation evaluation;
  const auto location = Locate(item, replies->front(), runner, evaluation);
  ASSERT_TRUE(location.ok());
  EXPECT_TRUE(location->judged);
  replies->front().backend = "bnns";
  const auto elsewhere = Locate(item, replies->front(), runner, evaluation);
  ASSERT_TRUE(elsewhere.ok());
  EXPECT_FALSE(elsewhere->judged);
}

// The run with every result as an output needs no second execution, even if its graph has states.
TEST(Locate, RunsNoSecondExecution) {
  const Case item = ThroughAState();
  int twice = 0;
  ScriptedRunner runner(
      [&twice](const RunRequest& request, RunReply&) { twice += request.settings.repeat ? 1 : 0; },
      Provenance::kSimulated);
  const RunRequest request = RequestOf(item);
  ASSERT_TRUE(request.settings.repeat);
  const auto replies = runner.Run({&request, 1});
  ASSERT_TRUE(replies.ok());
  Evaluation evaluation;
  const auto location = Locate(item, replies->front(), runner, evaluation);
  ASSERT_TRUE(location.ok() && location->judged);
  EXPECT_EQ(twice, 1) << "only the first run has a second execution";
}

// abs(silu(relu(x))) of zeros on the family whose silu(0) is not 0 (D13).
Case BehindADefect() {
  Case item;
  item.target = {"h13", 2};
  item.route = Route::kMil;
  const TensorType type = {DType::kFp16, Shape{1, 4}};
  Graph& graph = item.graph;
  const ValueId y =
      AddNode(graph, OpKind::kSilu, {AddNode(graph, OpKind::kRelu, {graph.AddInput(type, "x")})});
  graph.AddOutput(AddNode(graph, OpKind::kAbs, {y}));
  item.inputs = {{type, std::vector<uint8_t>(8, 0)}};
  EXPECT_TRUE(SpellCase(item).ok());
  return item;
}

// An engine that has documented defects.
ScriptedRunner::Spoil Departing(std::vector<std::string_view> ids) {
  return [ids](const RunRequest& request, RunReply& reply) {
    const Contract contract = WithDepartures(2, ids).value();
    const auto estimates = Evaluate(*request.graph, request.inputs, contract);
    ASSERT_TRUE(estimates.ok());
    for (size_t i = 0; i < reply.outputs.size(); ++i) {
      Tensor& tensor = reply.outputs[i];
      EncodeElements(tensor.type.dtype, (*estimates)[i].low, tensor.bytes);
    }
  };
}

CaseOutcome Charged(const ScriptedRunner::Spoil& spoil) {
  const Case item = BehindADefect();
  ScriptedRunner runner(spoil, Provenance::kSimulated);
  const RunRequest request = RequestOf(item);
  const auto replies = runner.Run({&request, 1});
  EXPECT_TRUE(replies.ok());
  Evaluation evaluation;
  CaseOutcome outcome = JudgeCase(item, replies->front(), evaluation);
  EXPECT_EQ(outcome.shown.defects().ToText(), "D13");
  EXPECT_TRUE(Refine(item, replies->front(), runner, evaluation, outcome).ok());
  EXPECT_TRUE(ChargeDefect(item, replies->front(), runner, evaluation, outcome).ok());
  EXPECT_EQ(outcome.shown.node(), item.graph.value(item.graph.node(1).first_result).name);
  return outcome;
}

TEST(ChargeDefect, NamesTheOperationThatHasItAndNotTheOutput) {
  EXPECT_EQ(Charged(Departing({"D13"})).shown.op(), "silu");
}

TEST(ChargeDefect, NamesTheOperationOfTheCatalogueIfNoInnerValueCanBeSeen) {
  const ScriptedRunner::Spoil departing = Departing({"D13"});
  const auto no_taps = [&](const RunRequest& request, RunReply& reply) {
    departing(request, reply);
    if (reply.outputs.size() > 1) reply.status = RunStatus::kRejected;
  };
  EXPECT_EQ(Charged(no_taps).shown.op(), "silu");
}

// Zeros occur only in the second execution.
TEST(ChargeDefect, NamesItInASecondExecution) {
  Case item = BehindADefect();
  item.again = item.inputs;
  item.inputs[0].bytes = {0, 0x3c, 0, 0x3c, 0, 0x3c, 0, 0x3c};
  const ScriptedRunner::Spoil departing = Departing({"D13"});
  ScriptedRunner runner(
      [&](const RunRequest& request, RunReply& reply) {
        departing(request, reply);
        if (request.again.empty()) return;
        RunRequest other = request;
        other.inputs = request.again;
        RunReply second = reply;
        departing(other, second);
        reply.further = {second.outputs};
      },
      Provenance::kSimulated);
  const RunRequest request = RequestOf(item);
  ASSERT_FALSE(request.again.empty());
  const auto replies = runner.Run({&request, 1});
  ASSERT_TRUE(replies.ok());
  Evaluation evaluation;
  CaseOutcome outcome = JudgeCase(item, replies->front(), evaluation);
  EXPECT_TRUE(outcome.of_second_run());
  EXPECT_EQ(outcome.shown.defects().ToText(), "D13");
  EXPECT_EQ(outcome.shown.op(), "silu");
  ASSERT_TRUE(Refine(item, replies->front(), runner, evaluation, outcome).ok());
  ASSERT_TRUE(ChargeDefect(item, replies->front(), runner, evaluation, outcome).ok());
  EXPECT_EQ(outcome.shown.defects().ToText(), "D13");
  EXPECT_EQ(outcome.shown.op(), "silu");
}

class FindingsOfDefects : public testing::CampaignTest {};

TEST_F(FindingsOfDefects, NameTheOperationThatHasThem) {
  CampaignOptions options = Options(200);
  options.modes = {CaseMode::kSpecial};
  options.ops.reset();
  for (const OpKind kind : {OpKind::kSilu, OpKind::kAbs, OpKind::kTranspose}) {
    options.ops.set(static_cast<size_t>(kind));
  }
  const CampaignSummary summary = Must(RunCampaign(options, Scripted(Departing({"D13"})), {}));
  EXPECT_EQ(summary.known_defects, 1u);
  ASSERT_EQ(summary.list.size(), 1u);
  EXPECT_EQ(summary.list[0].defects.ToText(), "D13");
  EXPECT_EQ(summary.list[0].op, "silu");
  EXPECT_GT(summary.list[0].occurrences, 1);
}

TEST(ExplainOutput, CountsDefectsOfValuesWrittenToAState) {
  const Graph graph = ThroughAState().graph;
  Location location{.judged = true};
  location.nodes.assign(graph.nodes().size(), {.verdict = Verdict::kPass});
  location.nodes[0] = {.verdict = Verdict::kKnownDefect, .defects = {"D01"}};
  const Explanation explanation = ExplainOutput(graph, 0, location);
  EXPECT_TRUE(explanation.complete);
  EXPECT_EQ(explanation.defects, DefectSet{"D01"});
}

}  // namespace
}  // namespace anecheck
