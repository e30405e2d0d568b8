// State, buffers and control flow behave as in programs: order matters, loops run, and an uncertain
// predicate admits both branches.
#include <gtest/gtest.h>

#include "harness/base/half.h"
#include "harness/ops/params.h"
#include "oracles/testing/test_support.h"

namespace anecheck {
namespace {

using testing::Case;
using testing::MakeTensor;
using Numbers = std::vector<double>;

constexpr TensorType kPair = {DType::kFp16, {2}};

ValueId Read(Case& c, ValueId state) { return c.Unary(OpKind::kReadState, state); }
void Write(Case& c, ValueId state, ValueId data) {
  c.Begin(OpKind::kWriteState).Arg(params::WriteState::kInput, state);
  c.Arg(params::WriteState::kData, data).Finish();
}

TEST(State, IsZeroUntilWrittenAndKeepsEarlierReads) {
  Case c;
  const ValueId state = c.graph.AddState(kPair);
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {2}, {3, 4}));
  const ValueId before = Read(c, state);
  Write(c, state, x);
  const ValueId between = Read(c, state);
  Write(c, state, c.Binary(OpKind::kAdd, between, x));
  const ValueId after = Read(c, state);
  EXPECT_EQ(c.Run(before).value, (Numbers{0, 0}));
  EXPECT_EQ(c.Run(between).value, (Numbers{3, 4}));
  EXPECT_EQ(c.Run(after).value, (Numbers{6, 8}));
}

TEST(State, HoldsRoundedNumbers) {
  // The engine may keep 1 / 3 unrounded, but memory may not.
  Case c;
  const ValueId state = c.graph.AddState({DType::kFp16, {1}});
  const ValueId one = c.Input(MakeTensor(DType::kFp16, {1}, {1}));
  const ValueId three = c.Input(MakeTensor(DType::kFp16, {1}, {3}));
  const ValueId third = c.Binary(OpKind::kRealDiv, one, three);
  Write(c, state, third);
  const ValueId read = Read(c, state);
  c.graph.AddOutput(read);
  Evaluation evaluation;
  ASSERT_TRUE(evaluation.Run(c.graph, c.inputs, ConformingContract(2)).ok());
  Estimate held;
  evaluation.Intermediate(read, held);
  for (const double end : {held.low[0], held.high[0]}) {
    EXPECT_EQ(end, HalfToDouble(DoubleToHalf(end)));
  }
}

TEST(State, ReadsOnlyStates) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {2}, {3, 4}));
  Read(c, x);
  EXPECT_EQ(c.error, "read_state: input must be a state");
}

TEST(Ring, WrapsInWritesAndReads) {
  Case c;
  const ValueId ring = c.graph.AddState({DType::kFp16, {4}});
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {3}, {1, 2, 3}));
  c.Begin(OpKind::kTensorToCircularBuffer).Arg(params::RingWrite::kInput, ring);
  c.Arg(params::RingWrite::kData, x).Int(params::RingWrite::kAxis, 0);
  c.Int(params::RingWrite::kPosition, 6).Finish();
  c.Begin(OpKind::kCircularBufferToTensor).Arg(params::RingRead::kInput, ring);
  c.Int(params::RingRead::kAxis, 0).Int(params::RingRead::kPosition, 3);
  c.Int(params::RingRead::kSize, 4);
  // Positions 2, 3 and 0 hold 1, 2 and 3; read from 3 on.
  EXPECT_EQ(c.Run(c.Finish()).value, (Numbers{2, 3, 0, 1}));
}

// A block with one input that returns the input, its negation (0 - x) or its double.
Graph Block(OpKind kind, bool zero_first) {
  Graph block;
  const ValueId x = block.AddInput(kPair);
  const ValueId other = zero_first ? block.AddConst(kPair, {}) : x;
  block.BeginNode(&GetOp(kind).schema);
  block.AddArgument(0, other);
  block.AddArgument(1, x);
  block.AddOutput(*block.FinishNode());
  return block;
}

ValueId Cond(Case& c, ValueId pred, ValueId x) {
  c.Begin(OpKind::kCond).Arg(params::Cond::kPred, pred).Arg(params::Cond::kCaptures, x);
  c.graph.AddBlock(Block(OpKind::kAdd, false));
  c.graph.AddBlock(Block(OpKind::kSub, true));
  return c.Finish();
}

TEST(Cond, TakesOneBranch) {
  for (const bool taken : {true, false}) {
    Case c;
    const ValueId x = c.Input(MakeTensor(DType::kFp16, {2}, {3, 4}));
    const ValueId pred = c.Const(MakeTensor(DType::kBool, {}, {taken ? 1.0 : 0.0}));
    EXPECT_EQ(c.Run(Cond(c, pred, x)).value, taken ? (Numbers{6, 8}) : (Numbers{-3, -4}));
  }
}

TEST(Cond, AnOpenPredicateLeavesBothBranchesOpen) {
  // The error of the tanh table leaves open whether tanh(0.5) exceeds its rounded value.
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {2}, {3, 4}));
  const ValueId half = c.Input(MakeTensor(DType::kFp16, {}, {0.5}));
  const ValueId limit = c.Input(MakeTensor(DType::kFp16, {}, {0.4619140625}));
  const ValueId pred = c.Binary(OpKind::kGreater, c.Unary(OpKind::kTanh, half), limit);
  const Estimate y = c.Run(Cond(c, pred, x));
  EXPECT_EQ(y.low, (Numbers{-3, -4}));
  EXPECT_EQ(y.high, (Numbers{6, 8}));
}

TEST(Cond, BranchesMustGiveTheSameTypes) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {2}, {3, 4}));
  const ValueId pred = c.Const(MakeTensor(DType::kBool, {}, {1}));
  c.Begin(OpKind::kCond).Arg(params::Cond::kPred, pred).Arg(params::Cond::kCaptures, x);
  Graph other;
  other.AddInput(kPair);
  other.AddOutput(other.AddConst({DType::kFp16, {3}}, {}));
  c.graph.AddBlock(Block(OpKind::kAdd, false));
  c.graph.AddBlock(std::move(other));
  c.Finish();
  EXPECT_EQ(c.error, "cond: result 0 differs between the branches");
}

// Doubles x while a counter runs down; `open` makes the counter's end uncertain.
ValueId Doubling(Case& c, double rounds, ValueId x, bool open) {
  const TensorType number = {DType::kFp16, {}};
  ValueId counter = c.Const(MakeTensor(DType::kFp16, {}, {rounds}));
  if (open) counter = c.Unary(OpKind::kTanh, counter);
  Graph condition;
  const ValueId tested = condition.AddInput(number);
  condition.AddInput(kPair);
  condition.BeginNode(&GetOp(OpKind::kGreater).schema);
  condition.AddArgument(0, tested);
  condition.AddArgument(1, condition.AddConst(number, open ? std::vector<uint8_t>{0x64, 0x37}
                                                           : std::vector<uint8_t>{0, 0}));
  condition.AddOutput(*condition.FinishNode());
  Graph body;
  const ValueId count = body.AddInput(number);
  const ValueId sum = body.AddInput(kPair);
  const ValueId one = body.AddConst(number, std::vector<uint8_t>{0x00, 0x3c});
  body.BeginNode(&GetOp(OpKind::kSub).schema);
  body.AddArgument(0, count);
  body.AddArgument(1, one);
  body.AddOutput(*body.FinishNode());
  body.BeginNode(&GetOp(OpKind::kAdd).schema);
  body.AddArgument(0, sum);
  body.AddArgument(1, sum);
  body.AddOutput(*body.FinishNode());
  c.Begin(OpKind::kWhileLoop).Arg(params::WhileLoop::kLoopVars, counter);
  c.Arg(params::WhileLoop::kLoopVars, x);
  c.graph.AddBlock(std::move(condition));
  c.graph.AddBlock(std::move(body));
  const ValueId first = c.Finish();
  return first == kNoValue ? first : first + 1;
}

TEST(WhileLoop, RunsUntilItsConditionFails) {
  for (const auto& [rounds, factor] :
       std::initializer_list<std::pair<double, double>>{{0, 1}, {1, 2}, {5, 32}}) {
    Case c;
    const ValueId x = c.Input(MakeTensor(DType::kFp16, {2}, {3, 4}));
    EXPECT_EQ(c.Run(Doubling(c, rounds, x, false)).value, (Numbers{3 * factor, 4 * factor}));
  }
}

TEST(WhileLoop, AnOpenConditionIsNotJudged) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {2}, {3, 4}));
  c.Run(Doubling(c, 0.5, x, true));
  EXPECT_NE(c.error.find("does not decide whether the loop continues"), std::string::npos)
      << c.error;
}

TEST(Evaluation, DroppingIntermediatesChangesNoOutput) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {2}, {3, 4}));
  c.Begin(OpKind::kReshape).Arg(0, x).Ints(params::Reshape::kShape, {2, 1});
  const ValueId reshaped = c.Finish();
  const ValueId twice = c.Binary(OpKind::kAdd, reshaped, reshaped);
  c.Begin(OpKind::kReshape).Arg(0, twice).Ints(params::Reshape::kShape, {1, 2});
  const ValueId flat = c.Finish();
  const ValueId gone = c.Unary(OpKind::kTanh, flat);
  const ValueId last = c.Binary(OpKind::kMul, flat, gone);
  const Estimate kept = c.Run(last);
  Evaluation evaluation;
  ASSERT_TRUE(evaluation.RunForOutputs(c.graph, c.inputs, ConformingContract(1)).ok());
  Estimate streamed;
  evaluation.Stored(last, streamed);
  EXPECT_EQ(streamed.value, kept.value);
  EXPECT_EQ(streamed.low, kept.low);
  EXPECT_EQ(streamed.high, kept.high);
}

}  // namespace
}  // namespace anecheck
