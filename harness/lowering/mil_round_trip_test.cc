// A graph that is written as MIL text and read again is unchanged, and graphs that MIL cannot
// express are refused with a message.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "generators/graph_generator.h"
#include "harness/graph/fingerprint.h"
#include "harness/graph/json.h"
#include "harness/graph/validate.h"
#include "harness/lowering/graph_to_mil.h"
#include "harness/lowering/known_integers.h"
#include "harness/lowering/mil_to_graph.h"
#include "harness/lowering/pack.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

constexpr CaseMode kModes[] = {CaseMode::kInteger, CaseMode::kFloat,    CaseMode::kCancellation,
                               CaseMode::kSpecial, CaseMode::kBoundary, CaseMode::kLargeAxis};

TEST(MilRoundTrip, GeneratedGraphsComeBackUnchanged) {
  for (uint64_t seed = 0; seed < 600; ++seed) {
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    Graph graph;
    GenerateGraph(choices, {.family = 6, .mode = kModes[seed % std::size(kModes)]}, graph);
    auto text = GraphToMil(graph);
    ASSERT_TRUE(text.ok()) << text.error().message;
    const auto back = MilTextToGraph(*text, OpVocabulary());
    ASSERT_TRUE(back.ok()) << "seed " << seed << ": " << back.error().message << "\n" << *text;
    ASSERT_EQ(GraphFingerprint(graph), GraphFingerprint(*back)) << "seed " << seed << "\n" << *text;
    ASSERT_EQ(graph.values().size(), back->values().size()) << "seed " << seed;
  }
}

// The constants include int4, whose elements are packed.
TEST(MilRoundTrip, GeneratedGraphsComeBackWithConstantsInAWeightFile) {
  size_t in_side_files = 0;
  for (uint64_t seed = 0; seed < 600; ++seed) {
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    Graph graph;
    const CaseMode mode = seed % 2 == 0 ? CaseMode::kCompressed : kModes[seed % std::size(kModes)];
    GenerateGraph(choices, {.family = 6, .mode = mode}, graph);
    const auto program = GraphToMilProgram(graph, {.in_text = -1, .least = 0});
    ASSERT_TRUE(program.ok()) << program.error().message;
    MilReadOptions options;
    options.read_blob = [&](std::string_view path, uint64_t offset, const TensorType& type) {
      EXPECT_EQ(path, fmt::format("@model_path/{}", kMilWeightFile));
      ++in_side_files;
      return ReadMilBlob(program->weights, offset, type);
    };
    const auto back = MilTextToGraph(program->text, OpVocabulary(), options);
    ASSERT_TRUE(back.ok()) << "seed " << seed << ": " << back.error().message << "\n"
                           << program->text;
    ASSERT_EQ(GraphFingerprint(graph), GraphFingerprint(*back)) << "seed " << seed << "\n"
                                                                << program->text;
  }
  EXPECT_GT(in_side_files, 300u);
}

Graph OneRelu(DType dtype) {
  Graph graph;
  const ValueId x = graph.AddInput({dtype, {1, 3}}, "x");
  graph.BeginNode(&GetOp(OpKind::kRelu).schema);
  graph.AddArgument(0, x);
  graph.AddOutput(*graph.FinishNode(std::vector<std::string>{"y"}));
  return graph;
}

TEST(MilRoundTrip, NamesArgumentsAndTypesAreInTheText) {
  const auto text = GraphToMil(OneRelu(DType::kFp16));
  ASSERT_TRUE(text.ok());
  EXPECT_NE(text->find("func main<ios18>(tensor<fp16, [1, 3]> x)"), std::string::npos) << *text;
  EXPECT_NE(text->find("tensor<fp16, [1, 3]> y = relu(x = x)"), std::string::npos) << *text;
  EXPECT_NE(text->find("-> (y)"), std::string::npos) << *text;
}

// Beside an fp16 operand, a number is written as fp16 if it is exact in fp16, else as fp32, so that
// it is read back unchanged. A number that must have the operand's type is written in that type.
TEST(MilRoundTrip, NumbersBesideFp16KeepTheirValue) {
  const auto written = [](OpKind kind, int parameter, double number) {
    Graph graph;
    const ValueId x = graph.AddInput({DType::kFp16, {2}}, "x");
    graph.BeginNode(&GetOp(kind).schema);
    graph.AddArgument(0, x);
    graph.AddFloat(parameter, number);
    if (kind == OpKind::kClip) graph.AddFloat(params::Clip::kBeta, 1);
    graph.AddOutput(*graph.FinishNode(std::vector<std::string>{"y"}));
    const auto text = GraphToMil(graph);
    const size_t at = text->find(kind == OpKind::kClip ? "alpha = " : "epsilon = ");
    return text->substr(at, text->find('(', at) - at);
  };
  EXPECT_EQ(written(OpKind::kRsqrt, params::WithEpsilon::kEpsilon, 0.5), "epsilon = fp16");
  EXPECT_EQ(written(OpKind::kRsqrt, params::WithEpsilon::kEpsilon, 1e-12), "epsilon = fp32");
  EXPECT_EQ(written(OpKind::kClip, params::Clip::kAlpha, 0.1), "alpha = fp16");
}

TEST(MilRoundTrip, ThresholdsOfIntegersAreIntegers) {
  Graph graph;
  const ValueId x = graph.AddInput({DType::kInt32, {2}}, "x");
  graph.BeginNode(&GetOp(OpKind::kThreshold).schema);
  graph.AddArgument(0, x);
  graph.AddFloat(params::WithAlpha::kAlpha, 5);
  graph.AddOutput(*graph.FinishNode(std::vector<std::string>{"y"}));
  const auto text = GraphToMil(graph);
  ASSERT_TRUE(text.ok());
  EXPECT_NE(text->find("int32"), std::string::npos);
  EXPECT_EQ(text->find("fp"), std::string::npos) << *text;
  const auto back = MilTextToGraph(*text, OpVocabulary());
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(GraphFingerprint(graph), GraphFingerprint(*back)) << *text;
}

// The first tensor in the schema determines the type, for any order of the operands.
TEST(MilRoundTrip, NumbersHaveTheTypeOfTheFirstTensorOfTheSchema) {
  using P = params::CropResize;
  Graph graph;
  const ValueId x = graph.AddInput({DType::kFp16, {1, 1, 4, 4}}, "x");
  const ValueId boxes = graph.AddInput({DType::kFp32, {1, 4}}, "boxes");
  graph.BeginNode(&GetOp(OpKind::kCropResize).schema);
  graph.AddArgument(P::kBoxes, boxes);
  graph.AddArgument(P::kX, x);
  graph.AddFloat(P::kPadValue, 0.5);
  graph.AddOutput(*graph.FinishNode(std::vector<std::string>{"y"}));
  const auto text = GraphToMil(graph);
  EXPECT_NE(text->find("pad_value = fp16("), std::string::npos) << *text;
}

TEST(GraphToMil, IntegersBeyond32BitsAreRefused) {
  using Slice = params::SliceByIndex;
  Graph graph;
  const ValueId x = graph.AddInput({DType::kFp16, {4}}, "x");
  graph.BeginNode(&GetOp(OpKind::kSliceByIndex).schema);
  graph.AddArgument(Slice::kX, x);
  graph.AddInts(Slice::kBegin, std::vector<int64_t>{0});
  graph.AddInts(Slice::kEnd, std::vector<int64_t>{INT64_MAX});
  const TensorType type = {DType::kFp16, {4}};
  graph.AddOutput(graph.FinishNodeAs({&type, 1}, std::vector<std::string>{"y"}));
  const auto text = GraphToMil(graph);
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().message, "end: 9223372036854775807 does not fit MIL's int32");
}

TEST(MilToGraph, NamesOfLiteralOperandsAvoidTheNamesOfTheText) {
  const auto graph = MilTextToGraph(
      "program(1.3)\n{\n func main<ios18>(tensor<fp16, [2]> x) {\n"
      "tensor<fp16, [2]> v2 = add(x = x, y = fp16(1));\n"
      "tensor<fp16, [2]> v1 = add(x = v2, y = fp16(2));\n} -> (v1);\n}",
      OpVocabulary());
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  EXPECT_EQ(graph->value(graph->outputs()[0]).name, "v1");
  EXPECT_EQ(graph->ValuesOfKind(ValueKind::kConst).size(), 2u);
}

struct Refusal {
  const char* text;
  const char* message;
};

TEST(MilToGraph, RefusalsNameTheReason) {
  const std::string head = "program(1.3)\n{\n func main<ios18>(tensor<fp16, [1, 3]> x) {\n";
  const Refusal kRefusals[] = {
      {"tensor<fp16, [1, 3]> y = no_such_op(x = x);\n} -> (y);\n}",
       "4:1: operation \"no_such_op\" is not in the vocabulary (`anecheck ops` lists it)"},
      {"tensor<fp16, [1, 3]> y = relu(z = x);\n} -> (y);\n}",
       "4:31: relu has no argument \"z\" but x"},
      {"tensor<fp16, [1, 4]> y = relu(x = x);\n} -> (y);\n}",
       "its operands give tensor<fp16, [1, 3]>"},
      {"tensor<fp16, [1, 3]> y = relu(x = q);\n} -> (y);\n}", "\"q\" is not defined"},
      {"tensor<fp16, [?, 4]> y = relu(x = x);\n} -> (y);\n}",
       "relu: its operands give tensor<fp16, [1, 3]>"},
      {"tensor<fp16, [1, 3]> y = softmax(x = x, axis = x);\n} -> (y);\n}",
       "softmax.axis is computed; only constants are read: convert the model again"},
      {"tensor<fp16, [1, 3]> y = softmax(x = x, axis = tensor<int32, [1]>(-1));\n} -> (y);\n}",
       "expected one level of lists for each axis of tensor<int32, [1]>, found -1"},
      {"tensor<fp16, [1, 3]> y = add(x = x, y = 0.5);\n} -> (y);\n}",
       "the operand has no type: write it with one, as fp16(0.5)"},
      {"tensor<fp16, [1, 3]> y = softmax(x = x, axis = BLOBFILE(path = string(\"w\"), offset = "
       "uint64(64)));\n} -> (y);\n}",
       "softmax.axis is BLOBFILE without a type: write type(BLOBFILE(...))"},
      {"tensor<fp16, [1, 3]> y = add(x = x, y = tensor<fp16, [1, 3]>([1, 2]));\n} -> (y);\n}",
       "tensor<fp16, [1, 3]> takes 3 values, the flat list has 2"},
      {"tensor<fp16, [1, 3]> y = add(x = x, y = tensor<fp16, [1, 3]>([1, [2, 3]]));\n} -> (y);\n}",
       "expected a value of fp16, found a composite value"},
      {"tensor<fp16, [1, 1]> y = reduce_sum(x = x, axes = tensor<int32, [2]>([1]), keep_dims = "
       "bool(true));\n} -> (y);\n}",
       "an axis of tensor<int32, [2]> takes 2 values, the literal has 1"},
  };
  for (const Refusal& refusal : kRefusals) {
    const auto graph = MilTextToGraph(head + refusal.text, OpVocabulary());
    ASSERT_FALSE(graph.ok()) << refusal.text;
    EXPECT_NE(graph.error().message.find(refusal.message), std::string::npos)
        << graph.error().message;
  }
}

// Reads a program with an axis `?` of input x. The attribute or the caller gives the extent.
Result<Graph> ReadOpen(std::string_view attribute, std::vector<ModelShape> shapes) {
  MilReadOptions options;
  options.shapes = std::move(shapes);
  return MilTextToGraph(
      "program(1.0)\n{\n func main<ios16>(tensor<fp16, [1, ?]> x)" + std::string(attribute) +
          " {\n"
          "tensor<fp16, [1, ?]> y = relu(x = x);\n"
          "tensor<int32, [2]> s = shape(x = y);\n"
          "tensor<int32, []> n = gather(x = s, indices = int32(-1), axis = int32(0));\n"
          "tensor<int32, [1]> e = expand_dims(x = n, axes = tensor<int32, [1]>([0]));\n"
          "tensor<fp16, [?]> z = reshape(x = y, shape = e);\n"
          "tensor<int32, [?]> r = range_1d(end = n, start = int32(0), step = int32(1));\n"
          "} -> (z, r);\n}",
      OpVocabulary(), options);
}

TEST(MilToGraph, OpenAxesTakeTheGivenExtents) {
  constexpr std::string_view kDefaults =
      "[FlexibleShapeInformation = tuple<tuple<string, dict<string, tensor<int32, [?]>>>, "
      "tuple<string, dict<string, list<tensor<int32, [2]>, ?>>>>(((\"DefaultShapes\", {{\"x\", [1, "
      "5]}}), (\"RangeDims\", {{\"x\", [[1, 1], [1, 64]]}})))]";
  const auto unknown = ReadOpen("", {});
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().message.find("a dimension is not known"), std::string::npos);
  const auto defaults = ReadOpen(kDefaults, {});
  ASSERT_TRUE(defaults.ok()) << defaults.error().message;
  EXPECT_EQ(defaults->type(defaults->outputs()[0]).shape, (Shape{5}));
  EXPECT_EQ(defaults->type(defaults->outputs()[1]).shape, (Shape{5}));
  const auto given = ReadOpen(kDefaults, {{"x", {1, 9}}});
  ASSERT_TRUE(given.ok()) << given.error().message;
  EXPECT_EQ(given->type(given->outputs()[1]).shape, (Shape{9}));
  const auto wrong = ReadOpen(kDefaults, {{"x", {2, 9}}});
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().message.find("x cannot be [2, 9]"), std::string::npos)
      << wrong.error().message;
}

// A value computed from shapes is known, unless it is long or needs many steps.
TEST(KnownIntegers, FollowShapesGathersAndConcats) {
  Graph graph;
  const ValueId x = graph.AddInput({DType::kFp16, {2, 30, 7}}, "x");
  const auto node = [&](OpKind kind, std::vector<ValueId> operands, const auto& attributes) {
    graph.BeginNode(&GetOp(kind).schema);
    uint16_t parameter = 0;
    for (const ValueId operand : operands) {
      graph.AddArgument(parameter, operand);
      if (kind != OpKind::kConcat) ++parameter;
    }
    attributes();
    return graph.FinishNode().value();
  };
  const std::vector<uint8_t> two_and_zero = {2, 0, 0, 0, 0, 0, 0, 0};
  const ValueId places = graph.AddConst({DType::kInt32, {2}}, two_and_zero);
  const ValueId shape = node(OpKind::kShape, {x}, [] {});
  const ValueId picked = node(OpKind::kGather, {shape, places}, [] {});
  const ValueId joined =
      node(OpKind::kConcat, {picked, shape}, [&] { graph.AddInt(params::Concat::kAxis, 0); });
  EXPECT_EQ(KnownIntegers(graph, joined), (std::vector<int64_t>{7, 2, 2, 30, 7}));
  EXPECT_EQ(KnownIntegers(graph, x), std::nullopt);
  ValueId doubled = joined;
  for (int i = 0; i < 12; ++i) {
    doubled =
        node(OpKind::kConcat, {doubled, doubled}, [&] { graph.AddInt(params::Concat::kAxis, 0); });
  }
  EXPECT_EQ(KnownIntegers(graph, doubled), std::nullopt);
}

TEST(KnownIntegers, FollowArithmeticThatDoesNotRound) {
  const auto known = [](OpKind kind, std::vector<int32_t> x, std::vector<int32_t> y) {
    Graph graph;
    const auto constant = [&](const std::vector<int32_t>& numbers) {
      const auto* const bytes = reinterpret_cast<const uint8_t*>(numbers.data());
      return graph.AddConst({DType::kInt32, {static_cast<int64_t>(numbers.size())}},
                            std::span(bytes, 4 * numbers.size()));
    };
    const ValueId left = constant(x);
    const ValueId right = constant(y);
    graph.BeginNode(&GetOp(kind).schema);
    graph.AddArgument(0, left);
    graph.AddArgument(1, right);
    return KnownIntegers(graph, graph.FinishNode().value());
  };
  using Integers = std::vector<int64_t>;
  EXPECT_EQ(known(OpKind::kAdd, {3, 4}, {5, 6}), (Integers{8, 10}));
  EXPECT_EQ(known(OpKind::kSub, {3, 4}, {5}), (Integers{-2, -1}));
  EXPECT_EQ(known(OpKind::kMul, {3}, {5, 6}), (Integers{15, 18}));
  EXPECT_EQ(known(OpKind::kRealDiv, {6, -6}, {3, 2}), (Integers{2, -3}));
  EXPECT_EQ(known(OpKind::kFloorDiv, {7, -7, 6}, {2}), (Integers{3, -4, 3}));
  EXPECT_EQ(known(OpKind::kMaximum, {7, 1}, {2}), (Integers{7, 2}));
  EXPECT_EQ(known(OpKind::kMinimum, {7, 1}, {2}), (Integers{2, 1}));
  EXPECT_EQ(known(OpKind::kRealDiv, {7}, {2}), std::nullopt);
  EXPECT_EQ(known(OpKind::kRealDiv, {7}, {0}), std::nullopt);
  EXPECT_EQ(known(OpKind::kFloorDiv, {7}, {0}), std::nullopt);
  EXPECT_EQ(known(OpKind::kMul, {1 << 20}, {1 << 20}), std::nullopt);
}

// Converters make these repetitions for an expansion to extents that are known only with the input.
TEST(MilToGraph, RepetitionsMayBeAQuotientOfShapes) {
  const auto graph = MilTextToGraph(
      "program(1.0)\n{\n func main<ios16>(tensor<fp16, [1, 5]> x) {\n"
      "tensor<int32, [2]> s = shape(x = x);\n"
      "tensor<int32, [2]> r = real_div(x = tensor<int32, [2]>([3, 5]), y = s);\n"
      "tensor<fp16, [3, 5]> y = tile(reps = r, x = x);\n} -> (y);\n}",
      OpVocabulary());
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  EXPECT_EQ(graph->type(graph->outputs()[0]).shape, (Shape{3, 5}));
}

TEST(MilToGraph, ReadsSeveralResultsAndTuplesOfConstants) {
  const auto graph = MilTextToGraph(
      "program(1.0)\n{\n func main<ios16>(tensor<fp16, [2, 6]> x) {\n"
      "tensor<int32, []> one = const()[val = tensor<int32, []>(1)];\n"
      "tensor<bool, []> yes = const()[val = tensor<bool, []>(true)];\n"
      "tensor<fp16, [2, 2]> a, tensor<fp16, [2, 4]> b = split(axis = one, split_sizes = "
      "tensor<int32, [2]>([2, 4]), x = x);\n"
      "tensor<fp16, [4, 2]> y = reshape_like(begins = (one, tensor<int32, []>(1)), end_masks = "
      "(yes, yes), ends = (one, one), ref_tensors = (b, a), x = b);\n"
      "} -> (y, a);\n}",
      OpVocabulary());
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  EXPECT_EQ(graph->nodes()[0].result_count, 2u);
  const auto text = GraphToMil(*graph);
  ASSERT_TRUE(text.ok());
  EXPECT_NE(text->find("tensor<fp16, [2, 2]> a, tensor<fp16, [2, 4]> b = split("),
            std::string::npos)
      << *text;
  EXPECT_NE(text->find("begins = (int32(1), int32(1))"), std::string::npos) << *text;
  EXPECT_NE(text->find("end_masks = (bool(true), bool(true))"), std::string::npos) << *text;
}

TEST(MilToGraph, OperationsWithoutReferenceSayWhy) {
  const auto graph = MilTextToGraph(
      "program(1.0)\n{\n func main<ios16>(tensor<fp16, [2]> x) {\n"
      "tensor<int32, [2, 1]> y = non_zero(x = x);\n} -> (y);\n}",
      OpVocabulary());
  ASSERT_FALSE(graph.ok());
  EXPECT_NE(
      graph.error().message.find("\"non_zero\" cannot be judged: the extent of its result depends"),
      std::string::npos)
      << graph.error().message;
}

std::string Classifier(std::string_view after, std::string_view outputs) {
  return fmt::format(
      "program(1.0)\n{{\n func main<ios15>(tensor<fp16, [1, 2]> x) {{\n"
      "tensor<fp16, [1, 2]> p = softmax(axis = int32(-1), x = x);\n"
      "tensor<string, []> label, dict<tensor<string, []>, tensor<fp64, []>> all = "
      "classify(classes = tensor<string, [2]>([\"cat\", \"dog\"]), probabilities = p);\n"
      "{}}} -> ({});\n}}",
      after, outputs);
}

// Labels and dictionaries are not tensors, so the graph of a classifier ends at its probabilities.
TEST(MilToGraph, AClassifierGivesItsProbabilities) {
  for (const char* outputs : {"label, all", "label", "p, label, all"}) {
    const auto graph = MilTextToGraph(Classifier("", outputs), OpVocabulary());
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    ASSERT_EQ(graph->outputs().size(), 1u) << outputs;
    EXPECT_EQ(graph->value(graph->outputs()[0]).name, "p");
    EXPECT_EQ(graph->nodes().size(), 1u);
  }
  const auto used = MilTextToGraph(Classifier("tensor<string, []> y = identity(x = label);\n", "y"),
                                   OpVocabulary());
  ASSERT_FALSE(used.ok());
  EXPECT_NE(used.error().message.find("the operand is no tensor"), std::string::npos)
      << used.error().message;
}

TEST(MilToGraph, ConstantsServeAsOperandsAndAsAttributes) {
  const auto graph = MilTextToGraph(
      "program(1.0)\n{\n func main<ios16>(tensor<fp16, [2, 3]> x) {\n"
      "tensor<int32, [1]> a = const()[name = tensor<string, []>(\"a\"), val = tensor<int32, "
      "[1]>([-1])];\n"
      "tensor<fp16, [3]> w = const()[val = tensor<fp16, [3]>([0x1p+0, 2.5, 0x3c00])];\n"
      "tensor<fp16, [2, 3]> s = add(x = x, y = w);\n"
      "tensor<fp16, [2]> y = reduce_sum(axes = a, keep_dims = tensor<bool, []>(false), x = s);\n"
      "} -> (y);\n}",
      OpVocabulary());
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const auto constants = graph->ValuesOfKind(ValueKind::kConst);
  ASSERT_EQ(constants.size(), 1u);
  const auto bytes = graph->ConstData(constants[0]);
  const std::vector<uint8_t> expected = {0x00, 0x3c, 0x00, 0x41, 0x00, 0x3c};
  EXPECT_EQ(std::vector<uint8_t>(bytes.begin(), bytes.end()), expected);
  EXPECT_EQ(graph->type(graph->outputs()[0]).shape, (Shape{2}));
}

TEST(MilToGraph, AFlatListHoldsTheElementsOfAllAxes) {
  const auto graph = MilTextToGraph(
      "program(1.3)\n{\n func main<ios18>(tensor<fp16, [1, 2, 2]> x) {\n"
      "tensor<fp16, [1, 2, 2]> w = const()[val = tensor<fp16, [1, 2, 2]>([1, 2.5, 1, 2.5])];\n"
      "tensor<fp16, [1, 2, 2]> y = add(x = x, y = w);\n} -> (y);\n}",
      OpVocabulary());
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const auto bytes = graph->ConstData(graph->ValuesOfKind(ValueKind::kConst).at(0));
  const std::vector<uint8_t> expected = {0x00, 0x3c, 0x00, 0x41, 0x00, 0x3c, 0x00, 0x41};
  EXPECT_EQ(std::vector<uint8_t>(bytes.begin(), bytes.end()), expected);
}

TEST(MilToGraph, IntegersBoolsAndExactFloatsNeedNoType) {
  const auto read = [](const std::string& axes, const std::string& keep, const std::string& alpha) {
    return MilTextToGraph(
        "program(1.3)\n{\n func main<ios18>(tensor<fp16, [2, 3]> x) {\n"
        "tensor<fp16, [2, 1]> s = reduce_sum(axes = " +
            axes + ", keep_dims = " + keep +
            ", x = x);\ntensor<fp16, [2, 1]> y = leaky_relu(alpha = " + alpha +
            ", x = s);\n} -> (y);\n}",
        OpVocabulary());
  };
  const auto bare = read("[1]", "true", "0.5");
  ASSERT_TRUE(bare.ok()) << bare.error().message;
  const auto typed = read("tensor<int32, [1]>([1])", "bool(true)", "fp16(0.5)");
  ASSERT_TRUE(typed.ok()) << typed.error().message;
  EXPECT_EQ(GraphToJson(*bare), GraphToJson(*typed));
  const auto inexact = read("[1]", "true", "0.3");
  ASSERT_FALSE(inexact.ok());
  EXPECT_NE(inexact.error().message.find("write it with its type, as fp16(0.3)"), std::string::npos)
      << inexact.error().message;
}

TEST(MilToGraph, BlocksNameCapturedValuesInPlace) {
  const auto graph = MilTextToGraph(
      "program(1.3)\n{\n func main<ios18>(tensor<fp16, [2]> x, tensor<fp16, [2]> z) {\n"
      "bool p = const()[val = bool(true)];\n"
      "tensor<fp16, [2]> y = cond(pred = p)[name = string(\"y\")] _true_fn() {\n"
      "tensor<fp16, [2]> a = add(x = z, y = x);\n} -> (a) _false_fn() {\n"
      "tensor<fp16, [2]> b = relu(x = x);\n} -> (b);\n"
      "} -> (y);\n}",
      OpVocabulary());
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const NodeView cond(*graph, NodeId{0});
  EXPECT_EQ(cond.InputList(1), (std::vector<ValueId>{1, 0})) << "z, then x, as they first occur";
  for (const Graph& block : graph->blocks(cond.node())) {
    EXPECT_EQ(block.ValuesOfKind(ValueKind::kInput).size(), 2u);
  }
  const auto text = GraphToMil(*graph);
  ASSERT_TRUE(text.ok());
  EXPECT_NE(text->find("_true_fn() {"), std::string::npos) << *text;
  EXPECT_NE(text->find("y_b0_a = add(x = z, y = x)"), std::string::npos) << *text;
}

TEST(MilToGraph, StatesAreReadAndWritten) {
  const auto graph = MilTextToGraph(
      "program(1.3)\n{\n func main<ios18>(tensor<fp16, [2]> x, state<tensor<fp16, [2]>> s) {\n"
      "tensor<fp16, [2]> before = read_state(input = s);\n"
      "tensor<fp16, [2]> sum = add(x = before, y = x);\n"
      "write_state(input = s, data = sum);\n"
      "} -> (sum);\n}",
      OpVocabulary());
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  EXPECT_EQ(graph->ValuesOfKind(ValueKind::kState).size(), 1u);
  EXPECT_EQ(graph->nodes().back().result_count, 0u);
}

// MIL's argument `begin` becomes an attribute if it is constant, and an operand if it is computed.
TEST(MilToGraph, ABeginIsConstantOrComputed) {
  const auto computed = MilTextToGraph(
      "program(1.3)\n{\n func main<ios18>(tensor<fp16, [2, 6]> x) {\n"
      "tensor<int32, [2]> at = reduce_argmax(x = x, axis = int32(1));\n"
      "tensor<fp16, [1, 1]> y = slice_by_size(x = x, begin = at, size = tensor<int32, [2]>([1, "
      "1]));\n"
      "tensor<fp16, [1, 1]> z = slice_by_size(x = x, begin = tensor<int32, [2]>([1, 2]), size = "
      "tensor<int32, [2]>([1, 1]));\n} -> (y, z);\n}",
      OpVocabulary());
  ASSERT_TRUE(computed.ok()) << computed.error().message;
  using P = params::SliceBySize;
  EXPECT_TRUE(NodeView(*computed, NodeId{1}).HasInput(P::kComputedBegin));
  EXPECT_FALSE(NodeView(*computed, NodeId{1}).HasAttribute(P::kBegin));
  EXPECT_FALSE(NodeView(*computed, NodeId{2}).HasInput(P::kComputedBegin));
  EXPECT_TRUE(NodeView(*computed, NodeId{2}).HasAttribute(P::kBegin));
  const auto text = GraphToMil(*computed);
  ASSERT_TRUE(text.ok());
  EXPECT_NE(text->find("slice_by_size(x = x, begin = at, "), std::string::npos) << *text;
  const auto again = MilTextToGraph(*text, OpVocabulary());
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(GraphFingerprint(*computed), GraphFingerprint(*again));
}

TEST(MilToGraph, OperandsOfConstantOperationsMayBeAttributes) {
  const auto graph = MilTextToGraph(
      "program(1.0)\n{\n func main<ios16>(tensor<fp16, [2, 2]> x) {\n"
      "tensor<fp16, [2, 2]> w = constexpr_affine_dequantize()[axis = tensor<int32, []>(0), name = "
      "tensor<string, []>(\"w\"), quantized_data = tensor<int8, [2, 2]>([[1, 2], [3, 4]]), scale = "
      "tensor<fp16, []>(0x1p-1), zero_point = tensor<int8, []>(0)];\n"
      "tensor<fp16, [2, 2]> y = add(x = x, y = w);\n"
      "} -> (y);\n}",
      OpVocabulary());
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  EXPECT_EQ(graph->nodes().size(), 2u);
  EXPECT_EQ(graph->ValuesOfKind(ValueKind::kConst).size(), 3u);
}

RC_GTEST_PROP(Pack, UnpackingInvertsPacking, (std::vector<uint8_t> raw)) {
  const DType dtype =
      *rc::gen::element(DType::kInt4, DType::kUint1, DType::kUint2, DType::kUint3, DType::kUint6);
  const TensorType type{dtype, {static_cast<int64_t>(raw.size())}};
  for (uint8_t& byte : raw) {
    byte = static_cast<uint8_t>(byte & ((1 << DTypeBits(dtype)) - 1));
    if (dtype == DType::kInt4 && byte >= 8) byte |= 0xf0;
  }
  RC_ASSERT(UnpackElements(type, PackElements(type, raw)) == raw);
}

TEST(Pack, SignedElementsKeepTheirSign) {
  const std::vector<uint8_t> packed = {0xb1};
  EXPECT_EQ(UnpackElements({DType::kInt4, {2}}, packed), (std::vector<uint8_t>{1, 0xfb}));
  EXPECT_EQ(UnpackElements({DType::kUint4, {2}}, packed), (std::vector<uint8_t>{1, 11}));
  const std::vector<uint8_t> ends = {0x78};
  EXPECT_EQ(UnpackElements({DType::kInt4, {2}}, ends), (std::vector<uint8_t>{0xf8, 7}));
}

TEST(Pack, TypesMapBothWays) {
  for (size_t i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(FromMilType(ToMilType(dtype)), dtype);
    EXPECT_EQ(mil::DataTypeName(ToMilType(dtype)), DTypeName(dtype));
  }
  EXPECT_EQ(FromMilType(mil::DataType::kInt64), std::nullopt);
}

}  // namespace
}  // namespace anecheck
