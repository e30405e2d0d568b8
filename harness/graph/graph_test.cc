// Tests types, graphs, validation and fingerprints, with well-formed graphs and the errors of
// ill-formed graphs.
#include "harness/graph/graph.h"

#include <functional>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "harness/graph/fingerprint.h"
#include "harness/graph/test_vocabulary.h"
#include "harness/graph/validate.h"

namespace anecheck {
namespace {

using testing::ExampleGraph;
using testing::kHalves;
using testing::kJoin;
using testing::kMix;
using testing::kWrap;
using testing::Mix;

TEST(DType, NamesRoundTripAndAreMils) {
  for (size_t i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(DTypeFromName(DTypeName(dtype)), dtype);
  }
  EXPECT_EQ(DTypeName(DType::kFp16), "fp16");
  EXPECT_EQ(DTypeName(DType::kFp8E4M3), "fp8e4m3fn");
  EXPECT_EQ(DTypeFromName("fp17"), std::nullopt);
}

TEST(DType, WidthsAndKinds) {
  EXPECT_EQ(DTypeBits(DType::kFp32), 32);
  EXPECT_EQ(DTypeBits(DType::kBool), 8);
  EXPECT_EQ(DTypeBits(DType::kInt4), 4);
  EXPECT_EQ(DTypeBits(DType::kUint6), 6);
  EXPECT_TRUE(IsFloat(DType::kFp8E5M2));
  EXPECT_FALSE(IsFloat(DType::kInt8));
  EXPECT_TRUE(IsConstOnly(DType::kUint1));
  EXPECT_FALSE(IsConstOnly(DType::kBool));
}

TEST(DTypeSet, ContainsAndPrints) {
  const DTypeSet set = {DType::kInt32, DType::kFp16};
  EXPECT_TRUE(set.Contains(DType::kFp16));
  EXPECT_FALSE(set.Contains(DType::kBool));
  EXPECT_EQ(set.ToString(), "fp16, int32");
  EXPECT_TRUE(DTypeSet().Empty());
  EXPECT_FALSE(set.Empty());
}

TEST(Shape, CountsComparesAndPrints) {
  const Shape shape = {2, 3, 4};
  EXPECT_EQ(shape.rank(), 3);
  EXPECT_EQ(shape.Elements(), 24);
  EXPECT_EQ(Shape().Elements(), 1);
  EXPECT_EQ(Shape({5, 0}).Elements(), 0);
  EXPECT_EQ(shape.ToString(), "[2, 3, 4]");
  EXPECT_EQ(shape, Shape::FromSpan(shape.dims()));
  EXPECT_NE(shape, (Shape{2, 3}));
  EXPECT_NE(shape, (Shape{2, 3, 5}));
  EXPECT_EQ(Shape::Filled(2, 7), (Shape{7, 7}));
}

TEST(TensorType, SizeRoundsSubByteElementsUp) {
  EXPECT_EQ((TensorType{DType::kFp16, {2, 3}}).ByteSize(), 12);
  EXPECT_EQ((TensorType{DType::kInt4, {3}}).ByteSize(), 2);
  EXPECT_EQ((TensorType{DType::kUint1, {9}}).ByteSize(), 2);
  EXPECT_EQ((TensorType{DType::kFp16, {2}}).ToString(), "tensor<fp16, [2]>");
}

TEST(BroadcastShapes, AlignsAtTheLastAxis) {
  EXPECT_EQ(BroadcastShapes({4, 1, 3}, {2, 1}), (Shape{4, 2, 3}));
  EXPECT_EQ(BroadcastShapes({}, {5}), (Shape{5}));
  EXPECT_EQ(BroadcastShapes({2, 3}, {4, 3}), std::nullopt);
}

RC_GTEST_PROP(BroadcastShapes, IsSymmetricAndAbsorbsItsResult, ()) {
  const auto dims = rc::gen::container<std::vector<int64_t>>(rc::gen::inRange<int64_t>(1, 4));
  std::vector<int64_t> a = *dims;
  std::vector<int64_t> b = *dims;
  a.resize(std::min<size_t>(a.size(), 5));
  b.resize(std::min<size_t>(b.size(), 5));
  const Shape left = Shape::FromSpan(a);
  const Shape right = Shape::FromSpan(b);
  const auto result = BroadcastShapes(left, right);
  RC_ASSERT(result == BroadcastShapes(right, left));
  if (result) RC_ASSERT(BroadcastShapes(*result, left) == result);
}

TEST(NormalizeAxis, TakesBothSignsAndRefusesOutside) {
  EXPECT_EQ(NormalizeAxis(-1, 4), 3);
  EXPECT_EQ(NormalizeAxis(2, 4), 2);
  EXPECT_EQ(NormalizeAxis(-4, 4), 0);
  EXPECT_EQ(NormalizeAxis(4, 4), std::nullopt);
  EXPECT_EQ(NormalizeAxis(-5, 4), std::nullopt);
}

TEST(Graph, KeepsItsParts) {
  const Graph graph = ExampleGraph();
  ASSERT_EQ(graph.nodes().size(), 2u);
  const NodeView mix(graph, NodeId{0});
  EXPECT_EQ(mix.op(), "mix");
  EXPECT_EQ(graph.value(mix.Input(Mix::kX)).name, "x");
  EXPECT_TRUE(mix.HasInput(Mix::kTable));
  EXPECT_EQ(mix.Int(Mix::kCount, 0), 7);
  EXPECT_EQ(mix.Float(Mix::kScale, 0), 0.1);
  EXPECT_TRUE(mix.Bool(Mix::kFlag, false));
  EXPECT_EQ(mix.String(Mix::kMode, ""), "down");
  EXPECT_EQ(mix.Ints(Mix::kSizes)[1], -1);
  EXPECT_EQ(mix.Floats(Mix::kWeights)[1], -2);
  EXPECT_EQ(mix.Ints(Mix::kMask)[0], 1);
  EXPECT_EQ(mix.ResultType().shape, (Shape{2, 3}));
  const NodeView halves(graph, NodeId{1});
  EXPECT_EQ(halves.ResultType(1).dtype, DType::kBool);
  EXPECT_EQ(graph.value(halves.Result(1)).result_index, 1u);
  EXPECT_EQ(graph.value(halves.Result()).producer, 1u);
  EXPECT_EQ(graph.FindValue("z_flag"), halves.Result(1));
  EXPECT_EQ(graph.FindValue("nobody"), std::nullopt);
  EXPECT_EQ(graph.ValuesOfKind(ValueKind::kConst).size(), 1u);
}

TEST(NodeView, AbsentAttributesFallBack) {
  Graph graph;
  graph.BeginNode(&kMix);
  graph.AddArgument(Mix::kX, graph.AddInput({DType::kFp16, {1}}));
  ASSERT_TRUE(graph.FinishNode().ok());
  const NodeView view(graph, NodeId{0});
  EXPECT_EQ(view.Int(Mix::kCount, 42), 42);
  EXPECT_EQ(view.Float(Mix::kScale, 1.5), 1.5);
  EXPECT_TRUE(view.Bool(Mix::kFlag, true));
  EXPECT_EQ(view.String(Mix::kMode, "up"), "up");
  EXPECT_TRUE(view.Ints(Mix::kSizes).empty());
  EXPECT_TRUE(view.Floats(Mix::kWeights).empty());
  EXPECT_FALSE(view.HasAttribute(Mix::kCount));
  EXPECT_EQ(view.Input(Mix::kTable), kNoValue);
}

TEST(Graph, ConstantsArePaddedAndReplaced) {
  Graph graph;
  const uint8_t one[] = {9};
  const ValueId id = graph.AddConst({DType::kFp16, {2}}, one);
  EXPECT_EQ(graph.ConstData(id).size(), 4u);
  EXPECT_EQ(graph.ConstData(id)[0], 9);
  EXPECT_EQ(graph.ConstData(id)[3], 0);
  const uint8_t other[] = {1, 2, 3, 4};
  graph.SetConstData(id, other);
  EXPECT_EQ(graph.ConstData(id)[3], 4);
}

TEST(Graph, RowsOfAConstantAreCopiedAndSharedOnesStayInPlace) {
  const std::vector<uint8_t> bytes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const TensorType type{DType::kFp16, Shape{3, 2}};
  Graph from, to;
  const ValueId own = from.AddConst(type, bytes);
  const ValueId shared = from.AddSharedConst(type, {bytes, nullptr});
  for (const ValueId id : {own, shared}) {
    const ValueId rows = to.CopyConstRows(from, id, 1, 2);
    EXPECT_EQ(to.type(rows), (TensorType{DType::kFp16, Shape{2, 2}}));
    const auto data = to.ConstData(rows);
    EXPECT_EQ(std::vector<uint8_t>(data.begin(), data.end()),
              std::vector<uint8_t>(bytes.begin() + 4, bytes.end()));
    EXPECT_EQ(data.data() == bytes.data() + 4, id == shared);
  }
}

TEST(Graph, UnnamedValuesGetTheirNumber) {
  Graph graph;
  graph.AddInput({DType::kFp16, {1}});
  EXPECT_EQ(graph.value(graph.AddInput({DType::kFp16, {1}})).name, "v1");
  graph.Rename(0, "first");
  EXPECT_EQ(graph.value(0).name, "first");
}

TEST(Graph, ARefusedNodeLeavesTheGraphUnchanged) {
  Graph graph = ExampleGraph();
  const uint64_t before = GraphFingerprint(graph);
  graph.BeginNode(&kMix);
  graph.AddArgument(Mix::kX, 0);
  graph.AddInt(Mix::kCount, -1);
  const auto refused = graph.FinishNode();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "mix: count is negative");
  EXPECT_EQ(GraphFingerprint(graph), before);
  EXPECT_TRUE(ValidateGraph(graph).ok());
}

TEST(Graph, ANodeThatBreaksItsSchemaIsRefused) {
  Graph graph;
  const ValueId x = graph.AddInput({DType::kBool, {2}});
  graph.BeginNode(&kMix);
  graph.AddArgument(Mix::kX, x);
  const auto refused = graph.FinishNode();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "mix: x is bool, must be one of fp16, int32");
  EXPECT_TRUE(graph.nodes().empty());
}

TEST(Graph, ClearEmptiesEverything) {
  Graph graph = ExampleGraph();
  graph.Clear();
  EXPECT_TRUE(graph.values().empty());
  EXPECT_TRUE(graph.nodes().empty());
  EXPECT_TRUE(graph.outputs().empty());
  EXPECT_EQ(graph.name, "main");
}

struct Breakage {
  const char* what;
  std::function<void(Graph&)> break_it;
  const char* message;
};

// Adds a node of `schema`. `fill` adds the arguments, and `types` are the types of the results.
void AddNode(Graph& graph, const OpSchema& schema, const std::function<void(Graph&)>& fill,
             std::vector<TensorType> types) {
  graph.BeginNode(&schema);
  fill(graph);
  std::vector<std::string> names;
  for (size_t i = 0; i < types.size(); ++i)
    names.push_back("r" + std::to_string(graph.values().size() + i));
  graph.AddOutput(graph.FinishNodeAs(types, names));
}

TEST(ValidateGraph, EveryRuleHasItsMessage) {
  const TensorType half = {DType::kFp16, {2, 3}};
  const Breakage kBreakages[] = {
      {"duplicate name", [](Graph& g) { g.AddInput({DType::kFp16, {1}}, "x"); },
       "name \"x\" is used twice"},
      {"bad identifier", [](Graph& g) { g.AddInput({DType::kFp16, {1}}, "9x"); },
       "\"9x\" is not an identifier"},
      {"negative extent", [](Graph& g) { g.AddInput({DType::kFp16, {-1}}, "n"); },
       "n: extent -1 of axis 0 is negative"},
      {"too many elements", [](Graph& g) { g.AddInput({DType::kFp16, {65536, 65536}}, "n"); },
       "more than 2^31 elements"},
      {"too many beside an empty axis",
       [](Graph& g) { g.AddInput({DType::kFp16, {0, 65536, 65536}}, "n"); },
       "more than 2^31 elements"},
      {"constant type as input", [](Graph& g) { g.AddInput({DType::kInt4, {1}}, "n"); },
       "input n: int4 is for constants only"},
      {"missing argument", [&](Graph& g) { AddNode(g, kMix, [](Graph&) {}, {half}); },
       "ops[2] \"r5\": mix: x is missing"},
      {"wrong element type",
       [&](Graph& g) { AddNode(g, kMix, [](Graph& o) { o.AddArgument(Mix::kX, 4); }, {half}); },
       "mix: x is bool, must be one of fp16, int32"},
      {"argument twice",
       [&](Graph& g) {
         AddNode(g, kMix,
                 [](Graph& o) {
                   o.AddArgument(Mix::kX, 0);
                   o.AddArgument(Mix::kX, 0);
                 },
                 {half});
       },
       "mix: x is given twice"},
      {"attribute twice",
       [&](Graph& g) {
         AddNode(g, kMix,
                 [](Graph& o) {
                   o.AddArgument(Mix::kX, 0);
                   o.AddInt(Mix::kCount, 1);
                   o.AddInt(Mix::kCount, 1);
                 },
                 {half});
       },
       "mix: count is given twice"},
      {"tensor at an attribute",
       [&](Graph& g) {
         AddNode(g, kMix,
                 [](Graph& o) {
                   o.AddArgument(Mix::kX, 0);
                   o.AddArgument(Mix::kCount, 0);
                 },
                 {half});
       },
       "mix: count is an attribute, but a tensor was given"},
      {"attribute kind",
       [&](Graph& g) {
         AddNode(g, kMix,
                 [](Graph& o) {
                   o.AddArgument(Mix::kX, 0);
                   o.AddBool(Mix::kCount, true);
                 },
                 {half});
       },
       "mix: count must be an integer"},
      {"int for a number",
       [&](Graph& g) {
         AddNode(g, kMix,
                 [](Graph& o) {
                   o.AddArgument(Mix::kX, 0);
                   o.AddInt(Mix::kScale, 1);
                 },
                 {half});
       },
       "mix: scale must be a number"},
      {"list kinds",
       [&](Graph& g) {
         AddNode(g, kMix,
                 [](Graph& o) {
                   o.AddArgument(Mix::kX, 0);
                   o.AddInts(Mix::kWeights, {});
                 },
                 {half});
       },
       "mix: weights must be a list of numbers"},
      {"attribute at a tensor",
       [&](Graph& g) { AddNode(g, kMix, [](Graph& o) { o.AddInt(Mix::kX, 1); }, {half}); },
       "mix: x must be a tensor"},
      {"unknown choice",
       [&](Graph& g) {
         AddNode(g, kMix,
                 [](Graph& o) {
                   o.AddArgument(Mix::kX, 0);
                   o.AddString(Mix::kMode, "sideways");
                 },
                 {half});
       },
       "mix: mode is \"sideways\", must be one of up, down"},
      {"unknown parameter",
       [&](Graph& g) { AddNode(g, kMix, [](Graph& o) { o.AddArgument(20, 0); }, {half}); },
       "mix: has no parameter number 20"},
      {"unknown attribute",
       [&](Graph& g) {
         AddNode(g, kMix,
                 [](Graph& o) {
                   o.AddArgument(Mix::kX, 0);
                   o.AddInt(20, 0);
                 },
                 {half});
       },
       "mix: has no parameter number 20"},
      {"input where a constant belongs",
       [&](Graph& g) {
         AddNode(g, kMix,
                 [](Graph& o) {
                   o.AddArgument(Mix::kX, 0);
                   o.AddArgument(Mix::kTable, 0);
                 },
                 {half});
       },
       "mix: table must be a constant"},
      {"computed value where a constant belongs",
       [&](Graph& g) {
         AddNode(g, kMix,
                 [](Graph& o) {
                   o.AddArgument(Mix::kX, 0);
                   o.AddArgument(Mix::kTable, 2);
                 },
                 {half});
       },
       "mix: table must be a constant"},
      {"state where a constant belongs",
       [&](Graph& g) {
         const ValueId state = g.AddState({DType::kFp16, {2}}, "memory");
         AddNode(g, kMix,
                 [state](Graph& o) {
                   o.AddArgument(Mix::kX, 0);
                   o.AddArgument(Mix::kTable, state);
                 },
                 {half});
       },
       "mix: table must be a constant"},
      {"state of a type for constants", [](Graph& g) { g.AddState({DType::kInt4, {2}}, "memory"); },
       "state memory: int4 is for constants only"},
      {"used before definition",
       [&](Graph& g) { AddNode(g, kMix, [](Graph& o) { o.AddArgument(Mix::kX, 5); }, {half}); },
       "mix: x is \"r5\", which is defined later"},
      {"used and nowhere defined",
       [&](Graph& g) { AddNode(g, kMix, [](Graph& o) { o.AddArgument(Mix::kX, 99); }, {half}); },
       "mix: x names a value that does not exist"},
      {"declared type",
       [&](Graph& g) {
         AddNode(g, kMix, [](Graph& o) { o.AddArgument(Mix::kX, 0); }, {{DType::kFp16, {9}}});
       },
       "result 0 is declared tensor<fp16, [9]>, its operands give tensor<fp16, [2, 3]>"},
      {"result count",
       [&](Graph& g) { AddNode(g, kHalves, [](Graph& o) { o.AddArgument(0, 0); }, {half}); },
       "halves: has 1 results, must have 2"},
      {"inference",
       [&](Graph& g) {
         AddNode(g, kMix,
                 [](Graph& o) {
                   o.AddArgument(Mix::kX, 0);
                   o.AddInt(Mix::kCount, -2);
                 },
                 {half});
       },
       "mix: count is negative"},
      {"missing block",
       [&](Graph& g) {
         AddNode(g, kWrap, [](Graph& o) { o.AddArgument(0, 0); }, {half, {DType::kBool, {2, 3}}});
       },
       "wrap: has 0 blocks, must have 1"},
      {"broken block",
       [&](Graph& g) {
         AddNode(g, kWrap,
                 [](Graph& o) {
                   o.AddArgument(0, 0);
                   o.AddBlock(Graph());
                 },
                 {half, {DType::kBool, {2, 3}}});
       },
       "the graph has no outputs"},
      {"no outputs", [](Graph& g) { g.ClearOutputs(); }, "the graph has no outputs"},
      {"output that is not there", [](Graph& g) { g.AddOutput(99); }, "output 99 does not exist"},
      {"output that is a state",
       [](Graph& g) { g.AddOutput(g.AddState({DType::kFp16, {2}}, "kept")); },
       "output kept is a state"},
  };
  ASSERT_TRUE(ValidateGraph(ExampleGraph()).ok());
  for (const Breakage& breakage : kBreakages) {
    Graph graph = ExampleGraph();
    breakage.break_it(graph);
    const Status status = ValidateGraph(graph);
    ASSERT_FALSE(status.ok()) << breakage.what;
    EXPECT_NE(status.error().message.find(breakage.message), std::string::npos)
        << breakage.what << ": " << status.error().message;
  }
}

TEST(ValidateGraph, ListsMayRepeatAParameterInOneRun) {
  Graph graph;
  const ValueId x = graph.AddInput({DType::kFp16, {1}});
  graph.BeginNode(&kJoin);
  graph.AddArgument(0, x);
  graph.AddArgument(0, x);
  const auto joined = graph.FinishNode();
  ASSERT_TRUE(joined.ok()) << joined.error().message;
  graph.AddOutput(*joined);
  EXPECT_TRUE(ValidateGraph(graph).ok());
  EXPECT_EQ(NodeView(graph, NodeId{0}).InputList(0), (std::vector<ValueId>{x, x}));
}

TEST(ValidateGraph, ValuesComputedOnlyFromConstantsAreConstant) {
  Graph graph;
  const ValueId x = graph.AddInput({DType::kFp16, {2}});
  const ValueId table = graph.AddConst({DType::kFp16, {2}}, std::vector<uint8_t>(4), "table");
  ValueId unpacked = table;
  // There are two levels, because a compressed constant may be made from another compressed
  // constant.
  for (int i = 0; i < 2; ++i) {
    graph.BeginNode(&kMix);
    graph.AddArgument(Mix::kX, unpacked);
    unpacked = *graph.FinishNode();
  }
  graph.BeginNode(&kMix);
  graph.AddArgument(Mix::kX, x);
  graph.AddArgument(Mix::kTable, unpacked);
  const auto y = graph.FinishNode();
  ASSERT_TRUE(y.ok()) << y.error().message;
  graph.AddOutput(*y);
  EXPECT_TRUE(ValidateGraph(graph).ok());
}

TEST(GraphFingerprint, IgnoresTheOrderOfConstantsAndUnusedOnes) {
  const auto make = [](bool swapped, bool unused) {
    Graph graph;
    const ValueId x = graph.AddInput({DType::kFp16, {2}});
    const uint8_t bytes[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    if (unused) graph.AddConst({DType::kFp16, {2}}, std::vector<uint8_t>(4));
    ValueId tables[2];
    for (const int which : {swapped ? 1 : 0, swapped ? 0 : 1}) {
      tables[which] = graph.AddConst({DType::kFp16, {2}}, bytes[which]);
    }
    ValueId y = x;
    for (const ValueId table : tables) {
      graph.BeginNode(&kMix);
      graph.AddArgument(Mix::kX, y);
      graph.AddArgument(Mix::kTable, table);
      y = *graph.FinishNode();
    }
    graph.AddOutput(y);
    return GraphFingerprint(graph);
  };
  EXPECT_EQ(make(false, false), make(true, false));
  EXPECT_EQ(make(false, false), make(false, true));
}

// The fingerprint must not change, because it merges findings of different versions.
TEST(GraphFingerprint, IsTheSameInEveryVersion) {
  EXPECT_EQ(GraphFingerprint(ExampleGraph()), 3824035140865834852U);
}

TEST(GraphFingerprint, IgnoresNamesAndSeesEverythingElse) {
  const uint64_t base = GraphFingerprint(ExampleGraph());
  Graph renamed = ExampleGraph();
  renamed.Rename(0, "other");
  renamed.name = "other";
  EXPECT_EQ(GraphFingerprint(renamed), base);

  const std::function<void(Graph&)> kChanges[] = {
      [](Graph& g) {
        const uint8_t b[] = {1, 2, 3, 5};
        g.SetConstData(1, b);
      },
      [](Graph& g) { g.AddOutput(0); },
      [](Graph& g) {
        g.ClearOutputs();
        g.AddOutput(3);
      },
      [](Graph& g) { g.AddInput({DType::kFp16, {1}}); },
      [](Graph& g) { g.AddState({DType::kFp16, {1}}); },
      [](Graph& g) {
        g.BeginNode(&kHalves);
        g.AddArgument(0, 0);
        (void)g.FinishNode();
      },
  };
  for (const auto& change : kChanges) {
    Graph graph = ExampleGraph();
    change(graph);
    EXPECT_NE(GraphFingerprint(graph), base);
  }
}

TEST(GraphFingerprint, SeesEveryAttribute) {
  const std::function<void(Graph&)> kAttributes[] = {
      [](Graph& g) { g.AddInt(Mix::kCount, 1); },
      [](Graph& g) { g.AddInt(Mix::kCount, 2); },
      [](Graph& g) { g.AddFloat(Mix::kScale, 1); },
      [](Graph& g) { g.AddFloat(Mix::kScale, 2); },
      [](Graph& g) { g.AddBool(Mix::kFlag, true); },
      [](Graph& g) { g.AddBool(Mix::kFlag, false); },
      [](Graph& g) { g.AddString(Mix::kMode, "up"); },
      [](Graph& g) { g.AddString(Mix::kMode, "down"); },
      [](Graph& g) { g.AddInts(Mix::kSizes, std::array<int64_t, 2>{1, 2}); },
      [](Graph& g) { g.AddInts(Mix::kSizes, std::array<int64_t, 2>{2, 1}); },
      [](Graph& g) { g.AddFloats(Mix::kWeights, std::array<double, 1>{1}); },
      [](Graph& g) { g.AddFloats(Mix::kWeights, std::array<double, 1>{2}); },
      [](Graph& g) { g.AddBools(Mix::kMask, std::array<int64_t, 1>{1}); },
      [](Graph& g) { g.AddBools(Mix::kMask, std::array<int64_t, 1>{0}); },
  };
  std::vector<uint64_t> prints;
  for (const auto& attribute : kAttributes) {
    Graph graph;
    const ValueId x = graph.AddInput({DType::kFp16, {1}});
    graph.BeginNode(&kMix);
    graph.AddArgument(Mix::kX, x);
    attribute(graph);
    graph.AddOutput(*graph.FinishNode());
    for (const uint64_t other : prints) EXPECT_NE(GraphFingerprint(graph), other);
    prints.push_back(GraphFingerprint(graph));
  }
}

}  // namespace
}  // namespace anecheck
