// The lowering plan: each kind of rewrite on its targets, the equality of the lowered and the given
// graph, and the properties of the dispatch descriptor.
#include "oracles/plan/plan.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>

#include "generators/graph_generator.h"
#include "harness/base/json.h"
#include "harness/ops/params.h"
#include "harness/targets/catalog.h"
#include "oracles/plan/plan_print.h"
#include "oracles/plan/testing/plan_cases.h"
#include "oracles/testing/test_support.h"

namespace anecheck::plan {
namespace {

using testing::Case;
using testing::Descriptor;
using testing::ExpectSameFunction;
using testing::FindLayer;
using testing::MakeTensor;
using testing::Ops;
using testing::Planned;
using testing::Ramp;

// x -> conv with `outputs` channels of `inputs` each.
Case Convolution(int64_t inputs, int64_t outputs) {
  using P = params::Conv;
  Case c;
  const ValueId x = c.Input(Ramp({1, inputs, 4, 4}));
  const ValueId weight = c.Const(Ramp({outputs, inputs, 1, 1}));
  c.graph.AddOutput(c.Begin(OpKind::kConv).Arg(P::kX, x).Arg(P::kWeight, weight).Finish());
  return c;
}

// ---- native and fused ---------------------------------------------------------------------------

// The weights of an LSTM cell count as constants, whatever operation makes them.
TEST(Plan, WeightsThatAreDecompressedAreConstants) {
  using D = params::AffineDequantize;
  using P = params::Lstm;
  Case c;
  const ValueId x = c.Input(Ramp({1, 1, 4}));
  const ValueId h = c.Input(Ramp({1, 2}));
  const ValueId state = c.Input(Ramp({1, 2}));
  const auto weight = [&](const Shape& shape) {
    std::vector<double> numbers(static_cast<size_t>(shape.Elements()));
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i % 7) - 3;
    const ValueId data = c.Const(MakeTensor(DType::kInt8, shape, numbers));
    const ValueId scale = c.Const(MakeTensor(DType::kFp16, {}, {0.125}));
    const ValueId zero = c.Const(MakeTensor(DType::kInt8, {}, {0}));
    return c.Begin(OpKind::kConstexprAffineDequantize)
        .Arg(D::kQuantizedData, data)
        .Arg(D::kScale, scale)
        .Arg(D::kZeroPoint, zero)
        .Int(D::kAxis, 0)
        .Finish();
  };
  const ValueId ih = weight({8, 4});
  const ValueId hh = weight({8, 2});
  c.graph.AddOutput(c.Begin(OpKind::kLstm)
                        .Arg(P::kX, x)
                        .Arg(P::kInitialH, h)
                        .Arg(P::kInitialC, state)
                        .Arg(P::kWeightIh, ih)
                        .Arg(P::kWeightHh, hh)
                        .Finish());
  for (const char* target : {"h13", "h17s"}) {
    const Plan plan = Planned(c.graph, target);
    EXPECT_EQ(std::ranges::count(Ops(plan.lowered), "lstm"), 0) << target;
    ExpectSameFunction(c, plan, 0.01);
  }
}

TEST(Plan, NativeLayersStayAndFuseIntoOneDispatch) {
  Case c = Convolution(4, 4);
  ValueId y = c.graph.outputs()[0];
  for (int depth = 1; depth <= 6; ++depth) {
    const Plan plan = Planned(c.graph, "h13");
    EXPECT_TRUE(plan.compiles());
    EXPECT_TRUE(plan.rewrites.empty());
    EXPECT_EQ(Ops(plan.lowered), Ops(c.graph));
    // A fused chain is Cast, AneInference, Cast at any depth.
    EXPECT_EQ(Descriptor(plan), "Cast AneInference Cast") << depth;
    EXPECT_EQ(plan.dispatches, 1);
    y = c.Unary(depth % 2 == 0 ? OpKind::kTanh : OpKind::kRelu, y);
    c.graph.ClearOutputs();
    c.graph.AddOutput(y);
  }
}

TEST(Plan, DescriptorDoesNotDependOnTheComputeShape) {
  const auto planned = [](int64_t inner) {
    Case c;
    const ValueId x = c.Input(Ramp({1, inner}));
    const ValueId y = c.Const(Ramp({inner, 64}));
    c.graph.AddOutput(c.Binary(OpKind::kMatmul, x, y));
    return Planned(c.graph, "h13").descriptor;
  };
  EXPECT_EQ(planned(64), planned(256));
}

// ---- bridges ------------------------------------------------------------------------------------

// relu, then `cuts` cross products, each followed by a relu. Conversion refuses cross products, so
// that each is authored directly and cuts the program.
TEST(Plan, EachBridgeCutAddsAnInference) {
  for (int cuts = 0; cuts <= 3; ++cuts) {
    Case c;
    const ValueId x = c.Input(Ramp({1, 3, 1, 1}));
    ValueId y = c.Unary(OpKind::kRelu, x);
    for (int i = 0; i < cuts; ++i) {
      y = c.Unary(OpKind::kRelu, c.Binary(OpKind::kCrossProduct, y, y));
    }
    ASSERT_NE(y, kNoValue) << c.error;
    c.graph.AddOutput(y);
    const Plan plan = Planned(c.graph, "h13");
    // A bridge between other operations makes two cuts, and each cut adds a segment.
    EXPECT_EQ(plan.dispatches, 1 + 2 * cuts);
    EXPECT_EQ(plan.segments.size(), static_cast<size_t>(1 + 2 * cuts));
    EXPECT_EQ(std::ranges::count_if(plan.descriptor,
                                    [](const auto& op) { return op.kind == "AneInference"; }),
              1 + 2 * cuts);
    EXPECT_EQ(plan.compiles(), cuts == 0) << "conversion refuses a cross product";
    EXPECT_TRUE(plan.compiles_with_bridges());
    if (cuts > 0) {
      EXPECT_EQ(FindLayer(plan, "cross_product")->fate, Fate::kBridge);
    }
  }
}

// A bridge replaces one operation of a MIL program, and these targets accept no MIL program at all.
TEST(Plan, ThereIsNoBridgeIfTheFrontEndAcceptsNoMilText) {
  Case c;
  c.graph.AddOutput(c.Unary(OpKind::kRsqrt, c.Input(Ramp({1, 2, 2, 2}))));
  for (const std::string_view target : {"h11", "h12"}) {
    const Plan plan = Planned(c.graph, target);
    EXPECT_FALSE(plan.compiles()) << target;
    EXPECT_EQ(FindLayer(plan, "rsqrt")->fate, Fate::kRejected) << target;
    EXPECT_EQ(FindLayer(plan, "rsqrt")->rule, "mil_needs_h13") << target;
    EXPECT_TRUE(Planned(c.graph, target, Route::kNetlist).compiles()) << target;
  }
}

TEST(Plan, AttentionCutsTheProgramAlthoughItIsNative) {
  using P = params::Attention;
  Case c;
  const ValueId q = c.Input(Ramp({1, 2, 4, 8})), k = c.Input(Ramp({1, 2, 4, 8}));
  const ValueId v = c.Input(Ramp({1, 2, 4, 8}));
  const ValueId active = c.Unary(OpKind::kRelu, q);
  const ValueId y = c.Begin(OpKind::kScaledDotProductAttention)
                        .Arg(P::kQuery, active)
                        .Arg(P::kKey, k)
                        .Arg(P::kValue, v)
                        .Finish();
  c.graph.AddOutput(c.Unary(OpKind::kRelu, y));
  const Plan plan = Planned(c.graph, "h13");
  EXPECT_EQ(FindLayer(plan, "scaled_dot_product_attention")->fate, Fate::kCut);
  EXPECT_EQ(Descriptor(plan), "Cast Cast Cast AneInference AneInference AneInference Cast");
}

// An operation that does not depend on the cut shares a dispatch with the operations after the cut.
TEST(Plan, IndependentBranchesShareADispatch) {
  Case c;
  const ValueId x = c.Input(Ramp({1, 3, 1, 1}));
  const ValueId cut = c.Binary(OpKind::kCrossProduct, x, x);
  const ValueId side = c.Unary(OpKind::kTanh, x);
  c.graph.AddOutput(c.Binary(OpKind::kAdd, c.Unary(OpKind::kRelu, cut), side));
  const Plan plan = Planned(c.graph, "h13");
  EXPECT_EQ(plan.dispatches, 2);
  EXPECT_EQ(plan.segments[0].kind, Segment::Kind::kBridge);
  EXPECT_EQ(plan.segments[1].layers.size(), 3u);
}

TEST(Plan, AnOperationOnAnotherDeviceIsNoInferenceOfTheEngine) {
  const legality::Verdict verdict =
      *legality::Judge({"non_maximum_suppression", {}, {}}, **FindTarget("h13"), Route::kMil);
  ASSERT_EQ(verdict.outcome, legality::Outcome::kDecomposed);
  using P = params::NonMaximumSuppression;
  Case c;
  const ValueId boxes = c.Input(Ramp({1, 3, 4})), scores = c.Input(Ramp({1, 3, 1}));
  c.Begin(OpKind::kNonMaximumSuppression).Arg(P::kBoxes, boxes).Arg(P::kScores, scores);
  c.Float(P::kIouThreshold, 0.5).Float(P::kScoreThreshold, 0).Int(P::kMaxBoxes, 2);
  const ValueId y = c.Finish();
  ASSERT_NE(y, kNoValue) << c.error;
  c.graph.AddOutput(y);
  const Plan plan = Planned(c.graph, "h13");
  EXPECT_EQ(Descriptor(plan), "Cast Cast CpuInference Cast");
  EXPECT_EQ(plan.dispatches, 0);
}

// ---- decomposed ---------------------------------------------------------------------------------

TEST(Plan, ResizeIsMatricesWithoutATextureEngine) {
  using P = params::ResizePlane;
  Case c;
  const ValueId x = c.Input(Ramp({1, 2, 3, 5}));
  c.Begin(OpKind::kResizeBilinear).Arg(P::kX, x);
  c.graph.AddOutput(c.Int(P::kTargetSizeHeight, 6).Int(P::kTargetSizeWidth, 4).Finish());
  const Plan before = Planned(c.graph, "h13");
  EXPECT_EQ(Ops(before.lowered), (std::vector<std::string>{"matmul", "matmul"}));
  ASSERT_EQ(before.rewrites.size(), 1u);
  EXPECT_EQ(before.rewrites[0].occasion, Occasion::kDecompose);
  EXPECT_EQ(before.rewrites[0].rule, "capability_decompose");
  EXPECT_EQ(before.rewrites[0].into.size(), 2u);
  EXPECT_EQ(before.layers[0].from, before.rewrites[0].name);
  ExpectSameFunction(c, before, 1.0 / 512);
  const Plan after = Planned(c.graph, "h14");
  EXPECT_EQ(Ops(after.lowered), Ops(c.graph));
  EXPECT_TRUE(after.rewrites.empty());
}

TEST(Plan, LongReductionsAreTransposed) {
  using P = params::Reduce;
  for (const int64_t extent : {191, 192, 384}) {
    Case c;
    const ValueId x = c.Input(Ramp({1, 2, 2, extent}));
    c.graph.AddOutput(c.Begin(OpKind::kReduceMax).Arg(P::kX, x).Ints(P::kAxes, {3}).Finish());
    const Plan m1 = Planned(c.graph, "h13"), m3 = Planned(c.graph, "h15");
    EXPECT_EQ(m1.rewrites.empty(), extent < 192);
    EXPECT_EQ(m3.rewrites.empty(), extent < 384);
    EXPECT_TRUE(m1.compiles());
    ExpectSameFunction(c, m1);
    ExpectSameFunction(c, m3);
  }
}

TEST(Plan, RewritesWithoutAGraphAreNamed) {
  using P = params::Gather;
  Case c;
  const ValueId x = c.Input(Ramp({4, 2}));
  const ValueId indices = c.Input(MakeTensor(DType::kUint8, {2}, {1, 3}));
  const ValueId y = c.Begin(OpKind::kGather).Arg(P::kX, x).Arg(P::kIndices, indices).Finish();
  ASSERT_NE(y, kNoValue) << c.error;
  c.graph.AddOutput(y);
  const Plan plan = Planned(c.graph, "h14");
  EXPECT_TRUE(plan.rewrites.empty());
  const Plan before = Planned(c.graph, "h13");
  ASSERT_EQ(before.rewrites.size(), 1u);
  EXPECT_EQ(before.rewrites[0].no_graph, "the indices are no constants");
}

// No rewrite turns an admitted operation into a refused one.
TEST(Plan, ResizeOfRankFiveHasNoMatrices) {
  using P = params::Upsample;
  Case c;
  const ValueId x = c.Input(Ramp({1, 2, 1, 2, 2}));
  c.Begin(OpKind::kUpsampleBilinear).Arg(P::kX, x).Float(P::kScaleFactorHeight, 2);
  const ValueId y = c.Float(P::kScaleFactorWidth, 2).Finish();
  ASSERT_NE(y, kNoValue) << c.error;
  c.graph.AddOutput(y);
  const Plan plan = Planned(c.graph, "h13");
  ASSERT_EQ(plan.rewrites.size(), 1u);
  EXPECT_EQ(plan.rewrites[0].no_graph, "matrices of rank 5");
  EXPECT_TRUE(plan.compiles());
}

// ---- the host's rewrites ------------------------------------------------------------------------

TEST(Plan, HostRewritesComeBeforeTheCompiler) {
  Case c;
  const ValueId x = c.Input(Ramp({4}));
  c.graph.AddOutput(c.Unary(OpKind::kTan, x));
  const Plan late = Planned(c.graph, "h15");
  EXPECT_EQ(Ops(late.program), (std::vector<std::string>{"sin", "cos", "real_div"}));
  EXPECT_TRUE(late.compiles());
  ExpectSameFunction(c, late, 1.0 / 512);
  // Sine and cosine are rejected below A15 by either route.
  const Plan early = Planned(c.graph, "h14");
  EXPECT_FALSE(early.compiles());
  EXPECT_EQ(FindLayer(early, "sin")->fate, Fate::kRejected);
  EXPECT_EQ(FindLayer(early, "sin")->segment, -1) << "a refused operation runs in no dispatch";
  EXPECT_EQ(FindLayer(early, "sin")->rule, "family_floor_reject");
  EXPECT_EQ(FindLayer(early, "real_div")->fate, Fate::kNative);
}

TEST(Plan, FunctionsAreInlinedThroughEveryLevel) {
  const auto wrap = [](const Graph& block, const Shape& shape) {
    Case c;
    const ValueId x = c.Input(Ramp(shape));
    c.Begin(OpKind::kCall).Arg(params::Call::kValues, x);
    c.graph.AddBlock(block);
    c.graph.AddOutput(c.Finish());
    return c;
  };
  Case inner;
  inner.graph.AddOutput(inner.Unary(OpKind::kRelu, inner.Input(Ramp({3}))));
  const Case outer = wrap(wrap(inner.graph, {3}).graph, {3});
  const Plan plan = Planned(outer.graph, "h13");
  EXPECT_EQ(Ops(plan.program), std::vector<std::string>{"relu"});
  ExpectSameFunction(outer, plan);
  EXPECT_EQ(plan.lowered.value(plan.lowered.outputs()[0]).name,
            outer.graph.value(outer.graph.outputs()[0]).name);
}

// ---- split --------------------------------------------------------------------------------------

TEST(Plan, DenseWeightsAboveTheCapAreSplit) {
  for (const auto& [outputs, parts] : {std::pair<int64_t, int64_t>{512, 1}, {513, 2}, {1025, 3}}) {
    const Case c = Convolution(64, outputs);
    const Plan plan = Planned(c.graph, "h13");
    EXPECT_TRUE(plan.compiles());
    EXPECT_EQ(plan.dispatches, parts) << outputs;
    EXPECT_EQ(std::ranges::count(Ops(plan.lowered), "conv"), parts);
    for (const Layer& layer : plan.layers) {
      if (layer.op != "conv") continue;
      EXPECT_EQ(layer.weights->parts, 1);
      EXPECT_LE(layer.weights->bytes, 65536);
      EXPECT_EQ(layer.weights->cap, 65536);
    }
    ExpectSameFunction(c, plan);
  }
}

TEST(Plan, PartsAreCountedEvenWithoutAGraph) {
  using P = params::Conv;
  Case c;
  const ValueId x = c.Input(Ramp({1, 256, 1, 1}));
  const ValueId weight = c.Const(Ramp({512, 128, 1, 1}));  // 131,072 bytes in two groups
  c.Begin(OpKind::kConv).Arg(P::kX, x).Arg(P::kWeight, weight).Int(P::kGroups, 2);
  c.graph.AddOutput(c.Finish());
  const Plan plan = Planned(c.graph, "h13");
  EXPECT_EQ(plan.rewrites[0].no_graph, "several groups");
  EXPECT_EQ(plan.layers[0].weights->parts, 2);
  EXPECT_EQ(plan.dispatches, 2);
}

// ---- weights: folded or streamed ----------------------------------------------------------------

// A 512 to 512 convolution of 1 by 1 whose kernel is stored in `form`.
Case Compressed(OpKind form, int64_t outputs = 512) {
  Case c;
  const ValueId x = c.Input(Ramp({1, 512, 1, 1}));
  const int64_t count = outputs * 512;
  const auto bytes = [&](DType dtype, const Shape& shape, double value) {
    const std::vector<double> elements(static_cast<size_t>(shape.Elements()), value);
    return c.Const(MakeTensor(dtype, shape, elements));
  };
  const Shape shape = {outputs, 512, 1, 1};
  if (form == OpKind::kConstexprAffineDequantize) {
    using P = params::AffineDequantize;
    c.Begin(form).Arg(P::kQuantizedData, bytes(DType::kInt8, shape, 3));
    c.Arg(P::kZeroPoint, bytes(DType::kInt8, {}, 0)).Arg(P::kScale, bytes(DType::kFp16, {}, 0.5));
    c.Int(P::kAxis, 0);
  } else if (form == OpKind::kConstexprLutToDense) {
    using P = params::LutToDense;
    c.Begin(form).Arg(P::kIndices, bytes(DType::kUint4, shape, 1));
    c.Arg(P::kLut, bytes(DType::kFp16, {1, 1, 1, 1, 16, 1}, 0.25));
  } else if (form == OpKind::kConstexprSparseToDense) {
    using P = params::SparseToDense;
    c.Begin(form).Arg(P::kNonzeroData, bytes(DType::kFp16, {count}, 2));
    c.Arg(P::kMask, bytes(DType::kUint1, shape, 1));
  } else {
    using P = params::BlockwiseShiftScale;
    c.Begin(form).Arg(P::kData, bytes(DType::kInt8, shape, 3));
    c.Arg(P::kScale, bytes(DType::kFp16, {outputs, 16, 1, 1}, 0.5));
  }
  const ValueId weight = c.Finish();
  EXPECT_NE(weight, kNoValue) << c.error;
  using P = params::Conv;
  c.graph.AddOutput(c.Begin(OpKind::kConv).Arg(P::kX, x).Arg(P::kWeight, weight).Finish());
  return c;
}

// facts/more/weight_codecs.csv, row by row: int8 folds on H13 and streams from A14, tables and
// sparse weights stream everywhere, blockwise weights fold below A15.
TEST(Plan, WeightFormsFoldOrStreamByFormatAndFamily) {
  const struct {
    OpKind form;
    const char* format;
    bool streams[3];  // h13, h14, h15
  } rows[] = {
      {OpKind::kConstexprAffineDequantize, "int8", {false, true, true}},
      {OpKind::kConstexprLutToDense, "int4 table", {true, true, true}},
      {OpKind::kConstexprSparseToDense, "sparse", {true, true, true}},
      {OpKind::kConstexprBlockwiseShiftScale, "blockwise", {false, false, true}},
  };
  const char* const targets[] = {"h13", "h14", "h15"};
  for (const auto& row : rows) {
    const Case c = Compressed(row.form, 64);
    for (size_t i = 0; i < 3; ++i) {
      const Plan plan = Planned(c.graph, targets[i]);
      const std::string at = std::string(row.format) + " on " + targets[i];
      EXPECT_TRUE(plan.compiles()) << at << PlanText(plan);
      const Layer* conv = FindLayer(plan, "conv");
      ASSERT_NE(conv, nullptr) << at;
      EXPECT_EQ(conv->weights->streamed, row.streams[i]) << at;
      EXPECT_EQ(conv->weights->format, row.streams[i] ? row.format : "fp16") << at;
      EXPECT_EQ(conv->weights->cap, row.streams[i] ? 16777216 : 65536) << at;
      EXPECT_EQ(plan.rewrites.size(), row.streams[i] ? 0u : 1u) << at;
      EXPECT_EQ(plan.dispatches, 1) << at;
      // A constant needs no dispatch, folded or streamed.
      EXPECT_EQ(Descriptor(plan), "Cast AneInference Cast") << at;
      ExpectSameFunction(c, plan);
    }
  }
}

// 512 by 512 weights: 256 KiB in int8 and a scale. They stream as one layer, or fold to 512 KiB in
// eight sub-layers.
TEST(Plan, StreamedWeightsNeedNoSplit) {
  const Case c = Compressed(OpKind::kConstexprAffineDequantize);
  EXPECT_EQ(Planned(c.graph, "h14").dispatches, 1);
  const Plan folded = Planned(c.graph, "h13");
  EXPECT_EQ(folded.dispatches, 8);
  EXPECT_TRUE(folded.compiles());
}

// ---- batch normalization ------------------------------------------------------------------------

TEST(Plan, FoldedBatchNormGivesFourStreams) {
  using P = params::BatchNorm;
  Case c = Convolution(4, 2);
  const ValueId y = c.graph.outputs()[0];
  c.Begin(OpKind::kBatchNorm).Arg(P::kX, y);
  c.Arg(P::kMean, c.Const(MakeTensor(DType::kFp16, {2}, {0.5, -1})));
  c.Arg(P::kVariance, c.Const(MakeTensor(DType::kFp16, {2}, {4, 0.25})));
  c.Arg(P::kGamma, c.Const(MakeTensor(DType::kFp16, {2}, {3, -2})));
  c.Arg(P::kBeta, c.Const(MakeTensor(DType::kFp16, {2}, {0.125, 1})));
  const ValueId normed = c.Finish();
  c.graph.ClearOutputs();
  c.graph.AddOutput(normed);
  const Plan plan = Planned(c.graph, "h13");
  EXPECT_EQ(Ops(plan.lowered), (std::vector<std::string>{"conv", "pe_goc"}));
  EXPECT_EQ(FindLayer(plan, "conv")->streams,
            (std::vector<std::string>{"bias 0x1554", "post-scale 0x1558", "palette table 0x155c",
                                      "activation table 0x1560"}));
  EXPECT_EQ(Descriptor(plan), "Cast AneInference Cast");
  ExpectSameFunction(c, plan, 1.0 / 256);
  // If another reader uses the convolution's result, nothing is folded into its streams.
  c.graph.AddOutput(y);
  EXPECT_TRUE(FindLayer(Planned(c.graph, "h13"), "conv")->streams.empty());
}

// ---- transposed convolution ---------------------------------------------------------------------

TEST(Plan, TransposedConvolutionIsAConvolutionOnEveryTarget) {
  using P = params::ConvTranspose;
  Case c;
  const ValueId x = c.Input(Ramp({1, 4, 3, 3}));
  const ValueId weight = c.Const(Ramp({4, 2, 3, 2}));
  c.Begin(OpKind::kConvTranspose).Arg(P::kX, x).Arg(P::kWeight, weight).Ints(P::kStrides, {2, 3});
  c.graph.AddOutput(c.Finish());
  for (const char* target : {"h13", "h14", "h15", "h16", "h17s", "h18"}) {
    const Plan plan = Planned(c.graph, target);
    EXPECT_TRUE(plan.compiles()) << target;
    EXPECT_EQ(FindLayer(plan, "conv_transpose"), nullptr);
    EXPECT_EQ(FindLayer(plan, "conv")->native_layer, "Conv");
    EXPECT_EQ(Descriptor(plan), "Cast AneInference Cast");
    ExpectSameFunction(c, plan);
  }
}

// ---- laws over drawn graphs ---------------------------------------------------------------------

GeneratorOptions Drawn() {
  GeneratorOptions options;
  options.family = kNoFamily;
  options.max_elements = 64;
  options.max_products = 2048;
  return options;
}

RC_GTEST_PROP(PlanLaws, HoldOnDrawnGraphs, (uint64_t seed)) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  Graph graph;
  GenerateGraph(choices, Drawn(), graph);
  for (const char* target : {"h13", "h15"}) {
    for (const Route route : {Route::kMil, Route::kNetlist}) {
      const Plan plan = Planned(graph, target, route);
      RC_ASSERT(!::testing::Test::HasFailure());
      // Every dispatch is one operation of the descriptor, and every input and output is cast once.
      size_t casts = 0, inferences = 0, elsewhere = 0;
      for (const DescriptorOperation& operation : plan.descriptor) {
        casts += operation.kind == "Cast" ? 1 : 0;
        inferences += operation.kind == "AneInference" ? 1 : 0;
        elsewhere += operation.kind == "CpuInference" ? 1 : 0;
      }
      RC_ASSERT(casts == plan.lowered.ValuesOfKind(ValueKind::kInput).size() +
                             plan.lowered.outputs().size());
      RC_ASSERT(static_cast<int64_t>(inferences) == plan.dispatches);
      RC_ASSERT(plan.descriptor.size() == casts + inferences + elsewhere);
      // Each layer is in one dispatch, not before the dispatches of its operands.
      std::map<ValueId, int> made;
      for (const Layer& layer : plan.layers) {
        const NodeView node(plan.lowered, layer.node);
        for (uint32_t i = 0; i < node.node().result_count; ++i) {
          made[node.Result(i)] = layer.segment;
        }
      }
      for (const Layer& layer : plan.layers) {
        if (layer.segment < 0) continue;
        const NodeView node(plan.lowered, layer.node);
        for (const Argument& argument : plan.lowered.arguments(node.node())) {
          if (made.contains(argument.value)) RC_ASSERT(made[argument.value] <= layer.segment);
        }
      }
      // Outputs keep their names.
      for (size_t i = 0; i < graph.outputs().size(); ++i) {
        RC_ASSERT(plan.lowered.value(plan.lowered.outputs()[i]).name ==
                  graph.value(graph.outputs()[i]).name);
      }
      // A plan and the rules agree on a layer.
      for (const Layer& layer : plan.layers) {
        const auto verdict =
            legality::Judge(legality::InstanceOf(NodeView(plan.lowered, layer.node)),
                            *FindTarget(plan.target).value(), plan.route);
        const bool admitted = verdict.ok() && (verdict->outcome == legality::Outcome::kNative ||
                                               verdict->outcome == legality::Outcome::kDecomposed);
        const bool planned = layer.fate != Fate::kRejected && layer.fate != Fate::kUnknown &&
                             layer.fate != Fate::kBridge;
        RC_ASSERT(planned == admitted);
        RC_ASSERT(admitted || !plan.compiles());
      }
      const auto json = PlanJson(plan);
      RC_ASSERT(json["layers"].size() == plan.layers.size());
      RC_ASSERT(json["compiles"] == plan.compiles());
    }
  }
}

TEST(PlanText, DescribesEachLayerAndDispatch) {
  const Case c = Convolution(64, 513);
  EXPECT_EQ(
      PlanText(Planned(c.graph, "h13")),
      "h13 by mil: compiles, 3 layers in 2 dispatches\n"
      "rewritten\n"
      "  v2 (conv), split: sub-layers of some output channels each, joined -> v2_2, v2_4, v2\n"
      "    because: split: 65664 bytes of weights exceed the cap of 65536 bytes\n"
      "    specification 003, listing 24.3\n"
      "segment 0, engine, 2 dispatches\n"
      "    v2_2 (conv): native, layer Conv, fp16 65536 bytes dense of 65536\n"
      "    v2_4 (conv): native, layer Conv, fp16 128 bytes dense of 65536\n"
      "    v2 (concat): native, layer Concat\n"
      "descriptor Cast(v0) AneInference(v2_2) 2 times Cast(v2)\n");
}

// Real models have layers of hundreds of sub-layers, and segments of hundreds of dispatches.
TEST(PlanText, ALargeLayerHasShortLines) {
  const Case c = Convolution(64, 512 * 31);
  const Plan plan = Planned(c.graph, "h13");
  ASSERT_EQ(plan.rewrites.size(), 1u);
  EXPECT_GT(plan.rewrites[0].into.size(), 30u);
  const std::string text = PlanText(plan);
  EXPECT_NE(text.find(fmt::format(" -> {0}, {1}, {2}, {3} more, v2\n", plan.rewrites[0].into[0],
                                  plan.rewrites[0].into[1], plan.rewrites[0].into[2],
                                  plan.rewrites[0].into.size() - 4)),
            std::string::npos)
      << text;
  EXPECT_LT(text.size() - text.find("descriptor"), 120u) << text;
}

}  // namespace
}  // namespace anecheck::plan
