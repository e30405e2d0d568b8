// Compares every rewrite with the operation that it replaces: for drawn instances, the oracle's
// intervals of the two meet in every element.
#include "oracles/plan/decomposition.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "generators/graph_generator.h"
#include "generators/testing/only_op.h"
#include "harness/graph/validate.h"
#include "harness/ops/params.h"
#include "oracles/testing/test_support.h"

namespace anecheck::plan {
namespace {

using testing::Case;
using testing::MakeTensor;

double Amplitude(const Estimate& estimate) {
  double amplitude = 0;
  for (const double value : estimate.value) {
    if (std::isfinite(value)) amplitude = std::max(amplitude, std::fabs(value));
  }
  return amplitude;
}

// The result of comparing two outputs.
struct Seen {
  size_t elements = 0;
  size_t told = 0;  // elements with intervals narrow enough for a comparison
  std::string wrong;
};

void CompareOutputs(const Estimate& original, const Estimate& rewritten, double folding_error,
                    Seen& seen) {
  if (original.type != rewritten.type) {
    seen.wrong = original.type.ToString() + " became " + rewritten.type.ToString();
    return;
  }
  const double amplitude = Amplitude(original);
  const double slack = folding_error * amplitude;
  for (size_t i = 0; i < original.value.size(); ++i) {
    ++seen.elements;
    const bool open = ((original.flags[i] | rewritten.flags[i]) & Estimate::kNanAllowed) != 0;
    if (open) continue;
    const double width =
        std::max(original.high[i] - original.low[i], rewritten.high[i] - rewritten.low[i]);
    if (width <= amplitude / 4 || width == 0) ++seen.told;
    const bool apart =
        rewritten.high[i] < original.low[i] - slack || rewritten.low[i] > original.high[i] + slack;
    if (!apart) continue;
    seen.wrong =
        fmt::format("element {}: [{}, {}] became [{}, {}], folding may add {}", i, original.low[i],
                    original.high[i], rewritten.low[i], rewritten.high[i], slack);
    return;
  }
}

// Evaluates both graphs under one family's contract.
Seen Compare(const Graph& original, const Graph& rewritten, std::span<const Tensor> inputs,
             double folding_error) {
  Seen seen;
  const auto a = Evaluate(original, inputs, ConformingContract(2));
  const auto b = Evaluate(rewritten, inputs, ConformingContract(2));
  if (!a.ok() || !b.ok()) {
    seen.wrong = a.ok() ? b.error().message : a.error().message;
    return seen;
  }
  for (size_t i = 0; i < a->size() && seen.wrong.empty(); ++i) {
    CompareOutputs((*a)[i], (*b)[i], folding_error, seen);
  }
  return seen;
}

NodeId FindNode(const Graph& graph, std::string_view op) {
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    if (graph.node(id).schema->name == op) return id;
  }
  return kNoNode;
}

// Replaces the node of `entry` in the case's graph and compares the result with it. False if the
// rewrite has no graph for the instance.
bool Holds(const Graph& graph, std::span<const Tensor> inputs, const Decomposition& entry,
           int64_t cap, size_t& told) {
  const auto rewritten = Decomposed(graph, FindNode(graph, entry.op), entry, cap);
  if (!rewritten.ok()) {
    EXPECT_EQ(rewritten.error().code, ErrorCode::kUnsupported)
        << entry.op << ": " << rewritten.error().message;
    return false;
  }
  const Status valid = ValidateGraph(*rewritten);
  EXPECT_TRUE(valid.ok()) << entry.op << ": " << (valid.ok() ? "" : valid.error().message);
  if (!valid.ok()) return true;
  const Seen seen = Compare(graph, *rewritten, inputs, entry.folding_error);
  EXPECT_EQ(seen.wrong, "") << entry.op;
  told += seen.told;
  return true;
}

// Operations whose rewrite needs operands that no generator draws: constant indices, a known number
// of rounds, positive factors, indices inside. Each has its own test below.
constexpr std::string_view kWithoutDrawnInstance[] = {"gather", "while_loop", "reduce_prod",
                                                      "one_hot"};

class EachDecomposition : public ::testing::TestWithParam<const Decomposition*> {};

TEST_P(EachDecomposition, MeetsTheOperationOnDrawnInstances) {
  const Decomposition& entry = *GetParam();
  const GeneratorOptions options = testing::OnlyOp(entry.op);
  size_t rewritten = 0, told = 0;
  for (uint64_t seed = 1; seed <= 150 && rewritten < 40 && !HasFailure(); ++seed) {
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    Graph graph;
    GenerateGraph(choices, options, graph);
    const NodeId node = FindNode(graph, entry.op);
    if (node == kNoNode) continue;
    const std::vector<Tensor> inputs = GenerateInputs(choices, graph, CaseMode::kFloat);
    // A cap into which some rows of the weight fit.
    const NodeView view(graph, node);
    const int64_t cap = entry.occasion != Occasion::kSplit
                            ? 0
                            : view.InputType(1).ByteSize() * 2 / (view.InputShape(1)[0] + 1) + 1;
    if (Holds(graph, inputs, entry, cap, told)) ++rewritten;
  }
  EXPECT_GE(rewritten, 4u);
  EXPECT_GT(told, 0u);
}

std::vector<const Decomposition*> Entries() {
  std::vector<const Decomposition*> entries;
  for (const Decomposition& entry : Decompositions()) {
    const auto found = std::ranges::find(kWithoutDrawnInstance, entry.op);
    if (found == std::end(kWithoutDrawnInstance)) entries.push_back(&entry);
  }
  return entries;
}

INSTANTIATE_TEST_SUITE_P(Table, EachDecomposition, ::testing::ValuesIn(Entries()),
                         [](const auto& parameter) {
                           return fmt::format("{}_{}", parameter.param->op,
                                              OccasionName(parameter.param->occasion));
                         });

TEST(Decomposition, EveryEntryNamesItsSource) {
  for (const Decomposition& entry : Decompositions()) {
    EXPECT_FALSE(entry.source.empty()) << entry.op;
    EXPECT_FALSE(entry.what.empty()) << entry.op;
    EXPECT_NE(FindOp(entry.op), nullptr) << entry.op;
  }
}

// Stride, dilation, custom padding and groups, with results computed by hand: x = [1, 2], kernel
// [3, 5, 7], stride 2: 3 5 7+6 10 14, without the first element.
TEST(Decomposition, TransposedConvolutionByHand) {
  using P = params::ConvTranspose;
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {1, 1, 2}, {1, 2}));
  const ValueId weight = c.Const(MakeTensor(DType::kFp16, {1, 1, 3}, {3, 5, 7}));
  c.Begin(OpKind::kConvTranspose).Arg(P::kX, x).Arg(P::kWeight, weight);
  c.graph.AddString(P::kPadType, "custom");
  c.graph.AddInts(P::kPad, std::vector<int64_t>{1, 0});
  c.graph.AddInts(P::kStrides, std::vector<int64_t>{2});
  c.graph.AddOutput(*c.graph.FinishNode());
  const auto rewritten =
      Decomposed(c.graph, 0, *FindDecomposition("conv_transpose", Occasion::kAlways));
  ASSERT_TRUE(rewritten.ok()) << rewritten.error().message;
  EXPECT_EQ(FindNode(*rewritten, "conv_transpose"), kNoNode);
  EXPECT_NE(FindNode(*rewritten, "conv"), kNoNode);
  const auto value = Evaluate(*rewritten, c.inputs, IeeeContract());
  ASSERT_TRUE(value.ok());
  EXPECT_EQ((*value)[0].value, (std::vector<double>{5, 13, 10, 14}));
}

TEST(Decomposition, GatherAcceptsOnlyConstantIndices) {
  using P = params::Gather;
  for (const bool constant : {true, false}) {
    Case c;
    const ValueId x = c.Input(MakeTensor(DType::kFp16, {3, 2}, {1, 2, 3, 4, 5, 6}));
    const Tensor indices = MakeTensor(DType::kInt32, {2}, {2, 0});
    const ValueId at = constant ? c.Const(indices) : c.Input(indices);
    c.Begin(OpKind::kGather).Arg(P::kX, x).Arg(P::kIndices, at).Int(P::kAxis, 0);
    c.graph.AddOutput(*c.graph.FinishNode());
    const Decomposition& entry = *FindDecomposition("gather", Occasion::kDecompose);
    size_t told = 0;
    EXPECT_EQ(Holds(c.graph, c.inputs, entry, 0, told), constant);
    EXPECT_EQ(told, constant ? 4u : 0u);
  }
}

TEST(Decomposition, OneHotRowsByHand) {
  using P = params::OneHot;
  Case c;
  const ValueId indices = c.Input(MakeTensor(DType::kInt32, {2}, {2, 0}));
  const ValueId on = c.Const(MakeTensor(DType::kFp16, {}, {5}));
  const ValueId off = c.Const(MakeTensor(DType::kFp16, {}, {-1}));
  c.Begin(OpKind::kOneHot).Arg(P::kIndices, indices).Arg(P::kOnValue, on).Arg(P::kOffValue, off);
  c.graph.AddInt(P::kOneHotVectorSize, 3);
  c.graph.AddOutput(*c.graph.FinishNode());
  const auto rewritten = Decomposed(c.graph, 0, *FindDecomposition("one_hot", Occasion::kHost));
  ASSERT_TRUE(rewritten.ok()) << rewritten.error().message;
  EXPECT_EQ((*Evaluate(*rewritten, c.inputs, IeeeContract()))[0].value,
            (std::vector<double>{-1, -1, 5, 5, -1, -1}));
}

TEST(Decomposition, ProductsOfPositiveNumbers) {
  using P = params::Reduce;
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {2, 3}, {1, 2, 3, 0.5, 4, 1.25}));
  c.Begin(OpKind::kReduceProd).Arg(P::kX, x);
  c.graph.AddInts(P::kAxes, std::vector<int64_t>{1});
  c.graph.AddOutput(*c.graph.FinishNode());
  size_t told = 0;
  EXPECT_TRUE(
      Holds(c.graph, c.inputs, *FindDecomposition("reduce_prod", Occasion::kHost), 0, told));
  EXPECT_EQ(told, 2u);
}

// while (i < rounds) { i = i + 1; y = y * x }, x captured.
Case Loop(double rounds, bool counted) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {2}, {1.5, -2}));
  const Tensor zero = MakeTensor(DType::kFp16, {}, {0});
  const ValueId i = counted ? c.Const(zero) : c.Input(zero);
  const ValueId y = c.Const(MakeTensor(DType::kFp16, {2}, {1, 1}));
  Case condition, body;
  for (Case* block : {&condition, &body}) {
    block->Input(zero);
    block->Input(MakeTensor(DType::kFp16, {2}, {0, 0}));
    block->Input(MakeTensor(DType::kFp16, {2}, {0, 0}));
  }
  const ValueId limit = condition.Const(MakeTensor(DType::kFp16, {}, {rounds}));
  condition.Begin(OpKind::kLess).Arg(0, 0).Arg(1, limit);
  condition.graph.AddOutput(*condition.graph.FinishNode());
  const ValueId one = body.Const(MakeTensor(DType::kFp16, {}, {1}));
  body.Begin(OpKind::kAdd).Arg(0, 0).Arg(1, one);
  body.graph.AddOutput(*body.graph.FinishNode());
  body.Begin(OpKind::kMul).Arg(0, 1).Arg(1, 2);
  body.graph.AddOutput(*body.graph.FinishNode());
  c.Begin(OpKind::kWhileLoop).Arg(0, i).Arg(0, y).Arg(1, x);
  c.graph.AddBlock(condition.graph);
  c.graph.AddBlock(body.graph);
  const ValueId result = *c.graph.FinishNode();
  c.graph.AddOutput(result + 1);
  return c;
}

TEST(Decomposition, UnrollsLoopsWhoseRoundsAreKnown) {
  const Decomposition& entry = *FindDecomposition("while_loop", Occasion::kHost);
  size_t told = 0;
  const Case three = Loop(3, true);
  EXPECT_TRUE(Holds(three.graph, three.inputs, entry, 0, told));
  EXPECT_EQ(told, 2u);
  const auto unrolled = Decomposed(three.graph, 0, entry);
  ASSERT_TRUE(unrolled.ok());
  EXPECT_EQ(unrolled->nodes().size(), 6u);
  const auto value = Evaluate(*unrolled, three.inputs, IeeeContract());
  EXPECT_EQ((*value)[0].value, (std::vector<double>{3.375, -8}));

  const Case open = Loop(3, false);
  EXPECT_EQ(Decomposed(open.graph, 0, entry).error().message,
            "the number of rounds depends on data");
  const Case endless = Loop(1000, true);
  EXPECT_EQ(Decomposed(endless.graph, 0, entry).error().message, "too many rounds");
}

TEST(Decomposition, ReflectsAndMirrorsByHand) {
  using P = params::Pad;
  const std::pair<const char*, std::vector<double>> modes[] = {{"reflect", {3, 2, 1, 2, 3, 2}},
                                                               {"symmetric", {2, 1, 1, 2, 3, 3}}};
  for (const auto& [mode, expected] : modes) {
    Case c;
    const ValueId x = c.Input(MakeTensor(DType::kFp16, {3}, {1, 2, 3}));
    c.Begin(OpKind::kPad).Arg(P::kX, x);
    c.graph.AddInts(P::kPad, std::vector<int64_t>{2, 1});
    c.graph.AddString(P::kMode, mode);
    c.graph.AddOutput(*c.graph.FinishNode());
    const auto rewritten = Decomposed(
        c.graph, 0, *FindDecomposition("pad", Occasion::kDecompose, "pad_mode_converted"));
    ASSERT_TRUE(rewritten.ok()) << rewritten.error().message;
    EXPECT_EQ((*Evaluate(*rewritten, c.inputs, IeeeContract()))[0].value, expected) << mode;
  }
}

}  // namespace
}  // namespace anecheck::plan
