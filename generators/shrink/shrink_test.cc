// A shrunk case is valid, still interesting and no larger. If only one operation or number makes
// the case interesting, shrinking keeps this operation or number. The same input gives the same
// output.
#include "generators/shrink/shrink.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <set>
#include <string>

#include "generators/graph_generator.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/graph/json.h"
#include "harness/graph/validate.h"
#include "harness/ops/op.h"

namespace anecheck {
namespace {

GraphCase Draw(uint64_t seed, CaseMode mode = CaseMode::kFloat) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  GraphCase item;
  GenerateGraph(choices, {.family = 6, .mode = mode}, item.graph);
  item.inputs = GenerateInputs(choices, item.graph, mode);
  return item;
}

bool Holds(const GraphCase& item, OpKind kind) {
  return std::ranges::any_of(item.graph.nodes(),
                             [&](const Node& node) { return KindOf(*node.schema) == kind; });
}

// Tests that look only at the structure of the graph may use any tensor of the right type.
std::optional<Tensor> Zeros(const GraphCase& item, ValueId id) {
  const TensorType& type = item.graph.type(id);
  if (type.dtype != DType::kFp16) return std::nullopt;
  return Tensor{type, std::vector<uint8_t>(static_cast<size_t>(type.ByteSize()))};
}

bool FitsItsInputs(const GraphCase& item) {
  const auto ids = item.graph.ValuesOfKind(ValueKind::kInput);
  if (ids.size() != item.inputs.size()) return false;
  for (size_t i = 0; i < ids.size(); ++i) {
    const Tensor& tensor = item.inputs[i];
    if (!(tensor.type == item.graph.type(ids[i]))) return false;
    if (tensor.bytes.size() != static_cast<size_t>(tensor.type.ByteSize())) return false;
  }
  return true;
}

// A mode that draws plain graphs, states or compressed constants.
CaseMode AnyMode() {
  return *rc::gen::element(CaseMode::kFloat, CaseMode::kState, CaseMode::kCompressed);
}

RC_GTEST_PROP(Shrink, StaysInterestingAndNeverGrows, ()) {
  const GraphCase item = Draw(*rc::gen::arbitrary<uint64_t>(), AnyMode());
  const OpKind kind = KindOf(*item.graph.node(0).schema);
  bool all_valid = true;
  const Interesting interesting = [&](const GraphCase& candidate) {
    all_valid &= ValidateGraph(candidate.graph).ok() && FitsItsInputs(candidate) &&
                 !candidate.graph.nodes().empty();
    return Holds(candidate, kind);
  };
  const ShrinkResult result = Shrink(item, interesting, Zeros, {.max_tries = 300});
  RC_ASSERT(all_valid);
  RC_ASSERT(Holds(result.smallest, kind));
  RC_ASSERT(SizeOf(result.smallest) <= SizeOf(item));
  RC_ASSERT(result.accepted <= result.tries);
  RC_ASSERT(result.tries <= 300u);
}

RC_GTEST_PROP(Shrink, OneOperationAloneIsFoundInAnyGraph, ()) {
  const GraphCase item = Draw(*rc::gen::arbitrary<uint64_t>(), AnyMode());
  const size_t pick = *rc::gen::inRange<size_t>(0, item.graph.nodes().size());
  const OpKind kind = KindOf(*item.graph.node(static_cast<NodeId>(pick)).schema);
  RC_PRE(kind != OpKind::kCast && item.graph.node(static_cast<NodeId>(pick)).result_count > 0 &&
         item.graph.type(item.graph.node(static_cast<NodeId>(pick)).first_result).dtype ==
             DType::kFp16);
  const ShrinkResult result =
      Shrink(item, [&](const GraphCase& c) { return Holds(c, kind); }, Zeros);
  RC_ASSERT(result.smallest.graph.nodes().size() <= 3u);
}

// Each candidate costs a run of the engine. A hang lasts as long as the time limit.
RC_GTEST_PROP(Shrink, NoCandidateIsTriedTwice, ()) {
  const GraphCase item = Draw(*rc::gen::arbitrary<uint64_t>(), AnyMode());
  const OpKind kind = KindOf(*item.graph.node(0).schema);
  std::set<std::string> seen;
  const Interesting interesting = [&](const GraphCase& candidate) {
    std::string text = DumpJson(GraphToJson(candidate.graph));
    for (const Tensor& input : candidate.inputs) {
      text.append(input.bytes.begin(), input.bytes.end());
    }
    RC_ASSERT(seen.insert(std::move(text)).second);
    return Holds(candidate, kind);
  };
  Shrink(item, interesting, Zeros, {.max_tries = 300});
}

RC_GTEST_PROP(Shrink, IsDeterministic, ()) {
  const GraphCase item = Draw(*rc::gen::arbitrary<uint64_t>(), AnyMode());
  const Interesting interesting = [&](const GraphCase& c) {
    return c.graph.nodes().size() * 2 >= item.graph.nodes().size();
  };
  const ShrinkResult one = Shrink(item, interesting, Zeros, {.max_tries = 100});
  const ShrinkResult two = Shrink(item, interesting, Zeros, {.max_tries = 100});
  RC_ASSERT(one.tries == two.tries);
  RC_ASSERT(SizeOf(one.smallest) == SizeOf(two.smallest));
}

ValueId AddNode(Graph& graph, OpKind kind, std::initializer_list<ValueId> operands) {
  graph.BeginNode(&GetOp(kind).schema);
  int parameter = 0;
  for (const ValueId operand : operands) graph.AddArgument(parameter++, operand);
  const auto first = graph.FinishNode();
  EXPECT_TRUE(first.ok()) << (first.ok() ? "" : first.error().message);
  return first.ok() ? *first : kNoValue;
}

// abs(x) is written to a state, and relu reads the state; x is [1, 6, 4, 4].
GraphCase ThroughAState() {
  GraphCase item;
  Graph& graph = item.graph;
  const TensorType type = {DType::kFp16, Shape{1, 6, 4, 4}};
  const ValueId x = graph.AddInput(type, "x");
  const ValueId state = graph.AddState(type, "s");
  AddNode(graph, OpKind::kWriteState, {state, AddNode(graph, OpKind::kAbs, {x})});
  const ValueId content = AddNode(graph, OpKind::kReadState, {state});
  graph.AddOutput(AddNode(graph, OpKind::kRelu, {content}));
  item.inputs = {*Zeros(item, x)};
  return item;
}

TEST(Shrink, GivesTheSmallestCaseSoFarWhenStopped) {
  std::atomic<bool> stop = false;
  uint64_t asked = 0;
  const Interesting until_third = [&](const GraphCase&) {
    stop = ++asked == 3;
    return true;
  };
  const GraphCase item = Draw(4);
  const ShrinkResult result = Shrink(item, until_third, Zeros, {.stop = &stop});
  EXPECT_EQ(asked, 3u);
  EXPECT_EQ(result.tries, 3u);
  EXPECT_LT(SizeOf(result.smallest), SizeOf(item));
}

TEST(Shrink, AStateIsKeptAndItsTypeShrinksWithItsContent) {
  const Interesting reads = [](const GraphCase& c) { return Holds(c, OpKind::kReadState); };
  const ShrinkResult result = Shrink(ThroughAState(), reads, Zeros);
  const Graph& graph = result.smallest.graph;
  ASSERT_EQ(graph.nodes().size(), 2u);
  EXPECT_EQ(KindOf(*graph.node(0).schema), OpKind::kWriteState);
  EXPECT_EQ(KindOf(*graph.node(1).schema), OpKind::kReadState);
  EXPECT_EQ(graph.type(graph.ValuesOfKind(ValueKind::kState)[0]).shape, (Shape{1, 1, 1, 1}));
  EXPECT_EQ(SizeOf(result.smallest).elements, 1u);
}

TEST(Shrink, AnUnneededStateIsReplacedByTheValueWritten) {
  const Interesting rectifies = [](const GraphCase& c) { return Holds(c, OpKind::kRelu); };
  const ValueOf unknown = [](const GraphCase&, ValueId) { return std::optional<Tensor>(); };
  const ShrinkResult result = Shrink(ThroughAState(), rectifies, unknown);
  EXPECT_EQ(result.smallest.graph.nodes().size(), 1u);
  EXPECT_TRUE(result.smallest.graph.ValuesOfKind(ValueKind::kState).empty());
}

// Only the next execution can read the value of a write after the last read. The predicate decides
// whether this write matters.
TEST(Shrink, AWriteAfterTheLastReadStaysUntilItIsLeftOut) {
  GraphCase item = ThroughAState();
  Graph& graph = item.graph;
  const ValueId state = graph.ValuesOfKind(ValueKind::kState)[0];
  AddNode(graph, OpKind::kWriteState, {state, 0});
  graph.AddOutput(AddNode(graph, OpKind::kReadState, {state}));
  const auto first = Apply(item, {.outputs = {graph.outputs()[0]}});
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->graph.nodes().size(), 5u);
  const auto without = Apply(item, {.outputs = {graph.outputs()[0]}, .write = 4});
  ASSERT_TRUE(without.has_value());
  EXPECT_EQ(without->graph.nodes().size(), 4u);
  const auto second = Apply(item, {.outputs = {graph.outputs()[1]}});
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->graph.nodes().size(), 4u) << "abs, both writes in order, and the read";
}

// x is added to a state, and the sum is written back.
GraphCase Accumulating() {
  GraphCase item;
  Graph& graph = item.graph;
  const TensorType type = {DType::kFp16, Shape{1, 6, 4, 4}};
  const ValueId x = graph.AddInput(type, "x");
  const ValueId state = graph.AddState(type, "s");
  const ValueId sum =
      AddNode(graph, OpKind::kAdd, {AddNode(graph, OpKind::kReadState, {state}), x});
  AddNode(graph, OpKind::kWriteState, {state, sum});
  graph.AddOutput(AddNode(graph, OpKind::kReadState, {state}));
  item.inputs = {*Zeros(item, x)};
  return item;
}

// The predicate requires two of the three outputs.
TEST(Shrink, KeepsOutputsThatAreNeededTogetherAndNoOthers) {
  GraphCase item;
  Graph& graph = item.graph;
  const ValueId x = graph.AddInput({DType::kFp16, Shape{1, 4}}, "x");
  for (const OpKind kind : {OpKind::kRelu, OpKind::kAbs, OpKind::kSquare}) {
    graph.AddOutput(AddNode(graph, kind, {x}));
  }
  item.inputs = {*Zeros(item, x)};
  const Interesting both = [](const GraphCase& c) {
    return Holds(c, OpKind::kRelu) && Holds(c, OpKind::kSquare);
  };
  const ShrinkResult result = Shrink(item, both, Zeros);
  EXPECT_EQ(result.smallest.graph.nodes().size(), 2u);
  EXPECT_EQ(result.smallest.graph.outputs().size(), 2u);
}

// One output is also an operand of a node that the predicate requires.
TEST(Shrink, AnOutputThatANodeReadsBecomesAnInnerValue) {
  GraphCase item;
  Graph& graph = item.graph;
  const ValueId x = graph.AddInput({DType::kFp16, Shape{1, 4}}, "x");
  const ValueId inside = AddNode(graph, OpKind::kRelu, {x});
  graph.AddOutput(inside);
  graph.AddOutput(AddNode(graph, OpKind::kMul, {inside, x}));
  item.inputs = {*Zeros(item, x)};
  const Interesting product = [](const GraphCase& c) {
    return Holds(c, OpKind::kRelu) &&
           std::ranges::any_of(c.graph.outputs(), [&](const ValueId output) {
             const Node& producer = c.graph.node(c.graph.value(output).producer);
             return KindOf(*producer.schema) == OpKind::kMul;
           });
  };
  const ShrinkResult result = Shrink(item, product, Zeros);
  EXPECT_EQ(result.smallest.graph.nodes().size(), 2u);
  EXPECT_EQ(result.smallest.graph.outputs().size(), 1u);
}

TEST(Shrink, AxesOfOneElementAreRemoved) {
  GraphCase item;
  Graph& graph = item.graph;
  const ValueId x = graph.AddInput({DType::kFp16, Shape{1, 1, 4, 4}}, "x");
  const ValueId y = graph.AddInput({DType::kFp16, Shape{1, 1, 4, 4}}, "y");
  graph.AddOutput(AddNode(graph, OpKind::kAdd, {x, y}));
  item.inputs = {*Zeros(item, x), *Zeros(item, y)};
  const Interesting adds = [](const GraphCase& c) { return Holds(c, OpKind::kAdd); };
  const ShrinkResult result = Shrink(item, adds, Zeros);
  for (const Tensor& input : result.smallest.inputs) EXPECT_EQ(input.type.shape.rank(), 1);
}

// Elements of four bits share bytes.
TEST(Shrink, ConstantsOfLessThanAByteBecomeZero) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const GraphCase item = Draw(seed, CaseMode::kCompressed);
    const auto bits = [](const GraphCase& c) {
      uint64_t set = 0;
      for (const ValueId id : c.graph.ValuesOfKind(ValueKind::kConst)) {
        if (DTypeBits(c.graph.type(id).dtype) >= 8) continue;
        for (const uint8_t byte : c.graph.ConstData(id)) {
          set += static_cast<uint64_t>(std::popcount(byte));
        }
      }
      return set;
    };
    if (bits(item) == 0) continue;
    const size_t nodes = item.graph.nodes().size();
    const Interesting whole = [&](const GraphCase& c) { return c.graph.nodes().size() == nodes; };
    EXPECT_EQ(bits(Shrink(item, whole, Zeros, {.max_tries = 2000}).smallest), 0u) << seed;
    return;
  }
  FAIL() << "no graph has such constants";
}

TEST(Shrink, AStateThatIsReadFirstShrinksWithTheSummand) {
  const auto writes = [](const GraphCase& c) {
    return Holds(c, OpKind::kAdd) && Holds(c, OpKind::kWriteState);
  };
  const ShrinkResult kept = Shrink(Accumulating(), writes, Zeros);
  EXPECT_EQ(kept.smallest.graph.nodes().size(), 3u) << "read, add, write";
  EXPECT_EQ(SizeOf(kept.smallest).elements, 1u);
  const auto adds = [](const GraphCase& c) {
    const Value& output = c.graph.value(c.graph.outputs()[0]);
    return KindOf(*c.graph.node(output.producer).schema) == OpKind::kAdd &&
           Holds(c, OpKind::kReadState);
  };
  EXPECT_EQ(Shrink(Accumulating(), adds, Zeros).smallest.graph.nodes().size(), 2u);
}

TEST(Shrink, AtLeastOneNodeIsLeft) {
  const Interesting all = [](const GraphCase&) { return true; };
  EXPECT_EQ(Shrink(ThroughAState(), all, Zeros).smallest.graph.nodes().size(), 1u);
}

TEST(Shrink, OperandsThatMayBeAbsentAndPartsOfListsAreLeftOut) {
  GraphCase item;
  Graph& graph = item.graph;
  const TensorType type = {DType::kFp16, Shape{1, 2, 4, 4}};
  const ValueId x = graph.AddInput(type, "x");
  const ValueId weight = graph.AddConst({DType::kFp16, Shape{2, 2, 1, 1}}, {});
  const ValueId bias = graph.AddConst({DType::kFp16, Shape{2}}, {});
  const OpSchema& conv = GetOp(OpKind::kConv).schema;
  graph.BeginNode(&conv);
  graph.AddArgument(conv.FindParameter("x"), x);
  graph.AddArgument(conv.FindParameter("weight"), weight);
  graph.AddArgument(conv.FindParameter("bias"), bias);
  const auto convolved = graph.FinishNode();
  ASSERT_TRUE(convolved.ok()) << convolved.error().message;
  const OpSchema& concat = GetOp(OpKind::kConcat).schema;
  graph.BeginNode(&concat);
  for (const ValueId part : {x, *convolved, x}) {
    graph.AddArgument(concat.FindParameter("values"), part);
  }
  graph.AddInt(concat.FindParameter("axis"), 1);
  const auto joined = graph.FinishNode();
  ASSERT_TRUE(joined.ok()) << joined.error().message;
  graph.AddOutput(*joined);
  item.inputs = {*Zeros(item, x)};
  const Interesting both = [](const GraphCase& c) {
    return Holds(c, OpKind::kConv) && Holds(c, OpKind::kConcat);
  };
  const ShrinkResult result = Shrink(item, both, Zeros);
  const Graph& small = result.smallest.graph;
  ASSERT_EQ(small.nodes().size(), 2u);
  EXPECT_FALSE(NodeView(small, NodeId{0}).HasInput(conv.FindParameter("bias")));
  EXPECT_EQ(small.arguments(small.node(1)).size(), 1u);
}

TEST(Shrink, FloatsBecomePlain) {
  GraphCase item;
  Graph& graph = item.graph;
  const ValueId x = graph.AddInput({DType::kFp16, Shape{1, 4}}, "x");
  const OpSchema& schema = GetOp(OpKind::kClip).schema;
  graph.BeginNode(&schema);
  graph.AddArgument(schema.FindParameter("x"), x);
  graph.AddFloat(schema.FindParameter("alpha"), -2.5);
  graph.AddFloat(schema.FindParameter("beta"), 7.25);
  const auto clipped = graph.FinishNode();
  ASSERT_TRUE(clipped.ok()) << clipped.error().message;
  graph.AddOutput(*clipped);
  item.inputs = {*Zeros(item, x)};
  const int beta = schema.FindParameter("beta");
  const Interesting above_six = [&](const GraphCase& c) {
    return Holds(c, OpKind::kClip) && NodeView(c.graph, NodeId{0}).Float(beta, 0) > 6;
  };
  const ShrinkResult result = Shrink(item, above_six, Zeros);
  const NodeView node(result.smallest.graph, NodeId{0});
  EXPECT_EQ(node.Float(beta, 0), 7);
  EXPECT_EQ(node.Float(schema.FindParameter("alpha"), 0), 0);
}

// relu(x) with x [1, 6, 4, 4]; interesting while x contains 5.0.
TEST(Shrink, ANeedleInTheDataIsLeftAlone) {
  GraphCase item;
  const TensorType type = {DType::kFp16, Shape{1, 6, 4, 4}};
  const ValueId x = item.graph.AddInput(type, "x");
  item.graph.BeginNode(&GetOp(OpKind::kRelu).schema);
  item.graph.AddArgument(0, x);
  item.graph.AddOutput(*item.graph.FinishNode());
  Tensor data = {type, std::vector<uint8_t>(static_cast<size_t>(type.ByteSize()), 0x31)};
  const uint8_t five[] = {0x00, 0x45};
  std::ranges::copy(five, data.bytes.begin());
  item.inputs = {data};
  const Interesting holds_five = [&](const GraphCase& candidate) {
    const auto& bytes = candidate.inputs[0].bytes;
    for (size_t i = 0; i + 1 < bytes.size(); i += 2) {
      if (bytes[i] == five[0] && bytes[i + 1] == five[1]) return true;
    }
    return false;
  };
  const ShrinkResult result = Shrink(item, holds_five, Zeros);
  EXPECT_EQ(result.smallest.inputs[0].type.shape.Elements(), 1);
  EXPECT_EQ(result.smallest.inputs[0].bytes, std::vector<uint8_t>({0x00, 0x45}));
}

TEST(Shrink, UnneededAttributesAreDropped) {
  GraphCase item;
  const TensorType type = {DType::kFp16, Shape{1, 2, 8, 8}};
  const ValueId x = item.graph.AddInput(type, "x");
  const OpSchema& schema = GetOp(OpKind::kAvgPool).schema;
  item.graph.BeginNode(&schema);
  item.graph.AddArgument(0, x);
  const int64_t kernel[] = {3, 2}, strides[] = {2, 2};
  item.graph.AddInts(schema.FindParameter("kernel_sizes"), kernel);
  item.graph.AddInts(schema.FindParameter("strides"), strides);
  item.graph.AddString(schema.FindParameter("pad_type"), "valid");
  const auto result_id = item.graph.FinishNode();
  ASSERT_TRUE(result_id.ok()) << result_id.error().message;
  item.graph.AddOutput(*result_id);
  item.inputs = {*Zeros(item, x)};
  // Interesting while the first extent of the kernel is 3.
  const Interesting interesting = [&](const GraphCase& c) {
    if (!Holds(c, OpKind::kAvgPool)) return false;
    const auto sizes = NodeView(c.graph, NodeId{0}).Ints(schema.FindParameter("kernel_sizes"));
    return !sizes.empty() && sizes[0] == 3;
  };
  const ShrinkResult result = Shrink(item, interesting, Zeros);
  const NodeView node(result.smallest.graph, NodeId{0});
  EXPECT_EQ(node.Ints(schema.FindParameter("kernel_sizes"))[1], 1);
  EXPECT_FALSE(node.HasAttribute(schema.FindParameter("strides")));
  EXPECT_EQ(result.smallest.inputs[0].type.shape, (Shape{1, 1, 3, 1}));
}

TEST(TakeAlong, KeepsTheFirstEntriesOfAnAxis) {
  Tensor tensor = {{DType::kInt8, Shape{2, 3, 2}}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}};
  EXPECT_EQ(TakeAlong(tensor, 1, 1).bytes, std::vector<uint8_t>({0, 1, 6, 7}));
  EXPECT_EQ(TakeAlong(tensor, 2, 1).bytes, std::vector<uint8_t>({0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(TakeAlong(tensor, 0, 1).type.shape, (Shape{1, 3, 2}));
}

TEST(Apply, RedirectingToALaterValueIsRefused) {
  GraphCase item;
  const TensorType type = {DType::kFp16, Shape{1, 4}};
  ValueId value = item.graph.AddInput(type, "x");
  std::vector<ValueId> results;
  for (int i = 0; i < 2; ++i) {
    item.graph.BeginNode(&GetOp(OpKind::kRelu).schema);
    item.graph.AddArgument(0, value);
    results.push_back(value = *item.graph.FinishNode());
  }
  item.graph.AddOutput(value);
  item.inputs = {*Zeros(item, 0)};
  EXPECT_FALSE(Apply(item, {.redirect = {{0, results[1]}}}).has_value());
  EXPECT_EQ(Apply(item, {.redirect = {{results[0], 0}}})->graph.nodes().size(), 1u);
  EXPECT_EQ(Apply(item, {.outputs = {results[0]}})->graph.nodes().size(), 1u);
}

}  // namespace
}  // namespace anecheck
