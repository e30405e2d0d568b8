// A graph that is written as a network description and read again comes back in its explicit form,
// and that form has the graph's values. Graphs that a description cannot express are refused with a
// message.
#include <algorithm>
#include <functional>
#include <gtest/gtest.h>

#include "generators/graph_generator.h"
#include "harness/base/testing/same_number.h"
#include "harness/formats/netlist/gates.h"
#include "harness/formats/netlist/layers.h"
#include "harness/formats/netlist/rules.h"
#include "harness/graph/fingerprint.h"
#include "harness/lowering/explicit_form.h"
#include "harness/lowering/graph_to_netlist.h"
#include "harness/lowering/netlist_axes.h"
#include "harness/lowering/netlist_procedure.h"
#include "harness/lowering/netlist_to_graph.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "oracles/oracle.h"

namespace anecheck {
namespace {

using testing::SameNumber;

Graph Generated(uint64_t seed, std::bitset<kOpCount> ops) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  Graph graph;
  GenerateGraph(choices,
                {.family = 6,
                 .mode = seed % 2 == 0 ? CaseMode::kInteger : CaseMode::kFloat,
                 .max_nodes = 4,
                 .direct = true,
                 .spelt = ops},
                graph);
  return graph;
}

// Keeps only violations of the format's own rules. A gate refuses the graph in any format.
std::vector<Violation> WithoutGates(std::vector<Violation> violations) {
  std::erase_if(violations, [](const Violation& violation) {
    return std::ranges::find(netlist::GateRules(), violation.rule->id, &Rule::id) !=
           netlist::GateRules().end();
  });
  return violations;
}

TEST(NetlistRoundTrip, GeneratedGraphsComeBackInExplicitForm) {
  std::bitset<kOpCount> reached;
  int lowered = 0;
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    const Graph graph = Generated(seed, NetlistOps());
    const auto program = GraphToNetlist(graph);
    if (!program.ok()) {
      EXPECT_EQ(program.error().code, ErrorCode::kUnsupported) << program.error().message;
      continue;
    }
    ++lowered;
    const auto bytes = netlist::Write(program->description);
    const auto parsed = netlist::Parse(bytes);
    ASSERT_TRUE(parsed.ok()) << parsed.error().message;
    const auto tree = netlist::ToTree(*parsed);
    for (const Violation& violation : WithoutGates(netlist::Verify(tree))) {
      ADD_FAILURE() << "seed " << seed << ": " << violation.message;
    }
    const auto back = NetlistToGraph(*parsed, program->weights);
    const std::string text(bytes.begin(), bytes.end());
    ASSERT_TRUE(back.ok()) << "seed " << seed << ": " << back.error().message << "\n" << text;
    const auto expected = ExplicitForm(graph);
    ASSERT_TRUE(expected.ok()) << expected.error().message;
    ASSERT_EQ(GraphFingerprint(*expected), GraphFingerprint(*back)) << "seed " << seed << "\n"
                                                                    << text;
    const auto listed = netlist::Parse(netlist::Write(WithProcedure(*parsed)));
    ASSERT_TRUE(listed.ok()) << listed.error().message;
    EXPECT_TRUE(WithoutGates(netlist::Verify(netlist::ToTree(*listed))).empty()) << "seed " << seed;
    const auto of_procedure = NetlistToGraph(*listed, program->weights);
    ASSERT_TRUE(of_procedure.ok()) << "seed " << seed << ": " << of_procedure.error().message;
    ASSERT_EQ(GraphFingerprint(*expected), GraphFingerprint(*of_procedure)) << "seed " << seed;
    for (const Node& node : graph.nodes()) reached.set(node.schema->id);
  }
  EXPECT_EQ(reached, NetlistOps()) << "an operation that descriptions express never came back";
  EXPECT_GT(lowered, 150);
}

TEST(ExplicitForm, KeepsEveryValue) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    Graph graph;
    GenerateGraph(choices, {.family = 2, .mode = CaseMode::kFloat}, graph);
    const auto inputs = GenerateInputs(choices, graph, CaseMode::kFloat);
    const auto form = ExplicitForm(graph);
    ASSERT_TRUE(form.ok()) << form.error().message;
    const auto expected = Evaluate(graph, inputs, IeeeContract());
    const auto actual = Evaluate(*form, inputs, IeeeContract());
    ASSERT_TRUE(expected.ok() && actual.ok());
    ASSERT_EQ(expected->size(), actual->size());
    for (size_t i = 0; i < expected->size(); ++i) {
      ASSERT_EQ((*expected)[i].type, (*actual)[i].type);
      ASSERT_TRUE(std::ranges::equal((*expected)[i].value, (*actual)[i].value, SameNumber))
          << "seed " << seed;
    }
    ASSERT_EQ(GraphFingerprint(*form), GraphFingerprint(*ExplicitForm(*form))) << "idempotent";
  }
}

TEST(NetlistAxes, ThePresentExtentsTellTheRank) {
  for (int rank = 1; rank <= 5; ++rank) {
    Shape shape;
    for (int i = 0; i < rank; ++i) shape.Append(i + 2);
    EXPECT_EQ(FromExtents(ToExtents(shape)), shape);
    for (int axis = 0; axis < rank; ++axis) {
      EXPECT_EQ(NetlistAxis(NetlistAxes(rank)[static_cast<size_t>(axis)], rank), axis);
    }
  }
  EXPECT_TRUE(NetlistAxes(6).empty());
  EXPECT_EQ(FromExtents({.batch = 1, .width = 2}), std::nullopt);
  EXPECT_EQ(NetlistAxis("Depth", 4), std::nullopt);
}

Graph One(OpKind kind, const TensorType& type, const std::function<void(Graph&)>& attributes) {
  Graph graph;
  const ValueId x = graph.AddInput(type, "x");
  graph.BeginNode(&GetOp(kind).schema);
  graph.AddArgument(0, x);
  attributes(graph);
  const auto y = graph.FinishNode(std::vector<std::string>{"y"});
  EXPECT_TRUE(y.ok());
  graph.AddOutput(*y);
  return graph;
}

// A refusal quotes the parameters of a layer from the table of layers, and says that no source
// lists them only if the table has none.
TEST(GraphToNetlist, QuotesTheParametersThatASourceLists) {
  size_t listed = 0;
  for (const OpDefinition* op : AllOps()) {
    if (NetlistOps()[op->schema.id]) continue;
    GeneratorOptions options;
    options.family = kNoFamily;
    options.max_nodes = 1;
    options.ops.reset().set(op->schema.id);
    ChoiceStream choices = ChoiceStream::FromSeed(7);
    Graph graph;
    GenerateGraph(choices, options, graph);
    const auto program = GraphToNetlist(graph);
    const std::string about = std::string(op->schema.name) + ": no network description: ";
    if (program.ok() || !program.error().message.starts_with(about)) continue;
    const std::string& message = program.error().message;
    const netlist::LayerSpec* const layer = netlist::FindLayer(op->netlist_unit);
    const bool known = layer != nullptr && !layer->params.empty();
    EXPECT_EQ(message.find("no source lists") != std::string::npos, layer != nullptr && !known)
        << message;
    listed += known ? 1 : 0;
    for (const netlist::ParamSpec& param :
         known ? layer->params : std::span<const netlist::ParamSpec>()) {
      EXPECT_NE(message.find(param.key), std::string::npos) << message;
    }
  }
  EXPECT_GT(listed, 20u);
}

TEST(GraphToNetlist, RefusesOperationsThatNoSourceSpells) {
  const std::pair<Graph, const char*> kRefused[] = {
      {One(OpKind::kRelu, {DType::kFp32, {1, 4}}, [](Graph&) {}),
       "x: no network description: only"},
      {One(OpKind::kSoftplus, {DType::kFp16, {1, 4}}, [](Graph&) {}),
       "softplus: no network description: its layer Neuron has the parameters Type"},
      {One(OpKind::kLayerNorm, {DType::kFp16, {1, 2, 2, 4}},
           [](Graph& g) { g.AddInts(params::LayerNorm::kAxes, std::array<int64_t, 1>{3}); }),
       "layer_norm: no network description: axes other than"},
      {One(OpKind::kLayerNorm, {DType::kFp16, {2, 2, 4}}, [](Graph&) {}),
       "layer_norm: no network description: a number that fp16 lacks"},
      {One(OpKind::kPad, {DType::kFp16, {1, 2, 2, 4}},
           [](Graph& g) {
             g.AddInts(params::Pad::kPad, std::array<int64_t, 6>{1, 0, 0, 0, 0, 0});
           }),
       "pad: no network description: only height and width"},
      {One(OpKind::kGelu, {DType::kFp16, {1, 4}},
           [](Graph& g) { g.AddString(params::Gelu::kMode, "TANH_APPROXIMATION"); }),
       "gelu: no network description: an approximation"},
      {One(OpKind::kPixelShuffle, {DType::kFp16, {1, 25, 1, 1}},
           [](Graph& g) { g.AddInt(params::Blocks::kFactor, 5); }),
       "factors are 1, 2, 3, 4 or 8"},
      {One(OpKind::kSpaceToDepth, {DType::kFp16, {2, 1, 2, 2}},
           [](Graph& g) { g.AddInt(params::Blocks::kFactor, 2); }),
       "a batch above 1"},
      {One(OpKind::kSpaceToBatch, {DType::kFp16, {1, 1, 2, 2}},
           [](Graph& g) {
             g.AddInts(params::Batches::kBlockShape, std::vector<int64_t>{2, 2});
             g.AddInts(params::Batches::kMargins, std::vector<int64_t>{0, 2, 0, 0});
           }),
       "margins have no key"},
      {One(OpKind::kNativeMinMaxNorm, {DType::kFp16, {1, 1, 2, 2}},
           [](Graph& g) {
             g.AddString(params::NativeMinMaxNorm::kDimension, "Width");
             g.AddFloat(params::NativeMinMaxNorm::kEpsilon, 0.1);
           }),
       "a number that fp16 lacks"},
      {One(OpKind::kReduceMax, {DType::kFp16, {1, 4}},
           [](Graph& g) { g.AddInts(params::Reduce::kAxes, std::vector<int64_t>{1}); }),
       "keeps its axes"},
      {One(OpKind::kClip, {DType::kFp16, {1, 4}},
           [](Graph& g) {
             g.AddFloat(params::Clip::kAlpha, 0.1);
             g.AddFloat(params::Clip::kBeta, 1);
           }),
       "a limit that fp16 does not hold"},
  };
  for (const auto& [graph, message] : kRefused) {
    const auto program = GraphToNetlist(graph);
    ASSERT_FALSE(program.ok()) << message;
    EXPECT_EQ(program.error().code, ErrorCode::kUnsupported);
    EXPECT_NE(program.error().message.find(message), std::string::npos) << program.error().message;
  }
}

TEST(GraphToNetlist, NativeLayersHaveTheSpellingOfPublicNetlists) {
  const Graph graph = One(OpKind::kNativeTopK, {DType::kFp16, {1, 4, 1, 8}}, [](Graph& g) {
    g.AddString(params::NativeTopK::kType, "Max");
    g.AddInt(params::NativeTopK::kK, 2);
    g.AddInt(params::NativeTopK::kSortIndices, 3);
    g.AddBool(params::NativeTopK::kIndices, true);
  });
  const auto program = GraphToNetlist(graph);
  ASSERT_TRUE(program.ok()) << program.error().message;
  const netlist::Unit& unit = program->description.networks.at(0).units.at(0);
  EXPECT_EQ(unit.type, "TopK");
  EXPECT_EQ(unit.Name("Type"), "Max");
  EXPECT_EQ(unit.Integer("K"), 2);
  EXPECT_EQ(unit.Name("SortDimension"), "Width");
  EXPECT_EQ(unit.Name("VectorDimension"), "Channel");
  EXPECT_EQ(unit.Integers("SortIndices"), std::vector<int64_t>{3});
  EXPECT_EQ(unit.Boolean("Indices"), true);
}

TEST(GraphToNetlist, TheSizeOfADynamicSliceIsAParameterAndItsStartAConstant) {
  using P = params::NativeDynamicSlice;
  const Graph graph = One(OpKind::kNativeDynamicSlice, {DType::kFp16, {1, 1, 1, 4}}, [](Graph& g) {
    g.AddInt(P::kStart, 1);
    g.AddInt(P::kSliceSize, 2);
  });
  const auto program = GraphToNetlist(graph);
  ASSERT_TRUE(program.ok()) << program.error().message;
  const netlist::Network& network = program->description.networks.at(0);
  const netlist::Unit& unit = network.units.at(0);
  EXPECT_EQ(unit.bottoms, (std::vector<std::string>{"x", "y_start"}));
  EXPECT_EQ(unit.Names("DynamicSliceAxisOrder"), std::vector<std::string>{"Width"});
  EXPECT_EQ(unit.Name("CoordinateMode"), "NonNormalized");
  EXPECT_EQ(unit.Real("BackgroundValue"), 0);
  ASSERT_EQ(network.constants.size(), 1u);
  EXPECT_EQ(network.constants[0].type, "UInt16");
  ASSERT_GE(program->weights.size(), 2u);
  EXPECT_EQ(program->weights[0] + 256 * program->weights[1], 1);

  const auto refusal = [&](const std::function<void(netlist::Network&)>& change) {
    netlist::Description description = program->description;
    change(description.networks[0]);
    const auto back = NetlistToGraph(description, program->weights);
    return back.ok() ? std::string() : back.error().message;
  };
  EXPECT_EQ(refusal([](auto&) {}), "");
  EXPECT_NE(refusal([](auto& n) {
              n.units[0].bottoms.pop_back();
            }).find("a start that is no UInt16 constant of one element"),
            std::string::npos);
  EXPECT_NE(refusal([](auto& n) {
              n.units[0].SetParam("CoordinateMode", tree::Value::String("Normalized"));
            }).find("the form of this slice is unknown: public sources have only one form"),
            std::string::npos);
  EXPECT_NE(refusal([](auto& n) {
              n.units[0].SetParam("BackgroundValue", tree::Value::Real(1));
            }).find("the form of this slice is unknown: public sources have only one form"),
            std::string::npos);
  EXPECT_NE(refusal([](auto& n) { n.units[0].params.emplace(); }).find("DynamicSliceInfo"),
            std::string::npos);
  EXPECT_NE(refusal([](auto& n) { n.constants[0].byte_offset = 64; }).find("outside the weight"),
            std::string::npos);
}

TEST(GraphToNetlist, TheRateOfADropoutIsReadInBothSpellings) {
  const Graph graph = One(OpKind::kNativeDropout, {DType::kFp16, {1, 4}},
                          [](Graph& g) { g.AddFloat(params::NativeDropout::kRate, 0); });
  netlist::Description description = GraphToNetlist(graph)->description;
  netlist::Unit& unit = description.networks.at(0).units.at(0);
  EXPECT_EQ(unit.Integer("DropoutRate"), 0);
  EXPECT_EQ(unit.Integer("Seed"), 0);
  unit.params.emplace();
  EXPECT_NE(NetlistToGraph(description, {}).error().message.find("DropoutRate or Rate is missing"),
            std::string::npos);
  unit.SetParam("Rate", tree::Value::Real(0));
  EXPECT_TRUE(NetlistToGraph(description, {}).ok());
  unit.SetParam("DropoutRate", tree::Value::Real(0.5));
  EXPECT_NE(NetlistToGraph(description, {}).error().message.find("rates that differ"),
            std::string::npos);
}

TEST(GraphToNetlist, ADynamicGocWithoutScaleIsBiasOnly) {
  Graph graph;
  const ValueId x = graph.AddInput({DType::kFp16, {1, 2, 1, 1}}, "x");
  const ValueId bias = graph.AddInput({DType::kFp16, {1, 2, 1, 1}}, "bias");
  graph.BeginNode(&GetOp(OpKind::kNativeDynamicGoc).schema);
  graph.AddArgument(params::GainOffset::kX, x);
  graph.AddArgument(params::GainOffset::kBias, bias);
  graph.AddOutput(*graph.FinishNode(std::vector<std::string>{"y"}));
  netlist::Description description = GraphToNetlist(graph)->description;
  netlist::Unit& unit = description.networks.at(0).units.at(0);
  EXPECT_EQ(unit.bottoms, (std::vector<std::string>{"x", "bias"}));
  EXPECT_EQ(unit.Boolean("BiasOnly"), true);
  const auto back = NetlistToGraph(description, {});
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(GraphFingerprint(*back), GraphFingerprint(graph));
  unit.SetParam("BiasOnly", tree::Value::Bool(false));
  EXPECT_NE(NetlistToGraph(description, {}).error().message.find("BiasOnly that does not fit"),
            std::string::npos);
  unit.SetParam("BiasOnly", tree::Value::Bool(true));
  unit.SetParam("Type", tree::Value::String("BINARY"));
  EXPECT_NE(NetlistToGraph(description, {}).error().message.find("TERNARY_DYNAMIC_GOC"),
            std::string::npos);
}

netlist::Description Scaled() {
  Graph graph;
  const ValueId x = graph.AddInput({DType::kFp16, {1, 2, 3, 4}}, "x");
  const ValueId half = graph.AddConst({DType::kFp16, {}}, std::vector<uint8_t>{0x00, 0x38}, "half");
  graph.BeginNode(&GetOp(OpKind::kMul).schema);
  graph.AddArgument(params::Binary::kX, x);
  graph.AddArgument(params::Binary::kY, half);
  graph.AddOutput(*graph.FinishNode(std::vector<std::string>{"y"}));
  return GraphToNetlist(graph)->description;
}

// A scalar constant can have the form of ML Compute, or no extents.
TEST(NetlistRoundTrip, AScalarConstantHasEachExtent1AndNoBatch) {
  netlist::Description written = Scaled();
  netlist::Extents& extents = written.networks[0].constants[0].extents;
  EXPECT_FALSE(extents.batch);
  for (const auto extent :
       {extents.channels, extents.depth, extents.height, extents.width, extents.interleave}) {
    EXPECT_EQ(extent, 1);
  }
  const auto bytes = netlist::Write(written);
  const auto parsed = netlist::Parse(bytes);
  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  EXPECT_TRUE(WithoutGates(netlist::Verify(netlist::ToTree(*parsed))).empty());
  const std::vector<uint8_t> weights = {0x00, 0x38};
  const auto shape = [&] {
    const auto graph = NetlistToGraph(written, weights);
    EXPECT_TRUE(graph.ok()) << graph.error().message;
    return graph->type(graph->ValuesOfKind(ValueKind::kConst)[0]).shape;
  };
  EXPECT_EQ(shape(), Shape());
  extents = {};
  EXPECT_EQ(shape(), Shape());
  extents = {.channels = 1, .height = 1, .width = 1};
  EXPECT_EQ(shape(), (Shape{1, 1, 1}));
}

bool HasScalarConstant(const Graph& graph) {
  return std::ranges::any_of(graph.values(), [](const Value& value) {
    return value.kind == ValueKind::kConst && value.type.shape.rank() == 0;
  });
}

TEST(NetlistRoundTrip, GraphsWithScalarConstantsComeBack) {
  int lowered = 0;
  for (uint64_t seed = 0; seed < 20000; ++seed) {
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    Graph graph;
    GenerateGraph(choices, {.family = 6, .mode = CaseMode::kFloat, .max_nodes = 2}, graph);
    if (!HasScalarConstant(graph)) continue;
    const auto program = GraphToNetlist(graph);
    if (!program.ok()) continue;
    ++lowered;
    const auto back = NetlistToGraph(program->description, program->weights);
    ASSERT_TRUE(back.ok()) << "seed " << seed << ": " << back.error().message;
    const auto expected = ExplicitForm(graph);
    ASSERT_TRUE(expected.ok()) << expected.error().message;
    ASSERT_EQ(GraphFingerprint(*expected), GraphFingerprint(*back)) << "seed " << seed;
  }
  EXPECT_GT(lowered, 0);
}

netlist::Description ReluDescription() {
  return GraphToNetlist(One(OpKind::kRelu, {DType::kFp16, {1, 2, 3, 4}}, [](Graph&) {}))
      ->description;
}

TEST(GraphToNetlist, ReluIsOneNeuron) {
  const netlist::Description description = ReluDescription();
  const netlist::Network& network = description.networks.at(0);
  ASSERT_EQ(network.units.size(), 1u);
  EXPECT_EQ(network.units[0].type, "Neuron");
  EXPECT_EQ(network.units[0].Name("Type"), "ReLU");
  EXPECT_EQ(network.units[0].bottoms, std::vector<std::string>{"x"});
  EXPECT_EQ(network.inputs.at(0).extents.channels, 2);
  EXPECT_EQ(network.outputs.at(0).name, "y@output");
}

// The layer's gate compares the width of the first bottom with that of the second.
TEST(NetlistRoundTrip, ACostVolumeListsTheWideRowFirst) {
  using P = params::CostVolume;
  Graph graph;
  const ValueId x = graph.AddInput({DType::kFp16, {1, 1, 1, 4}}, "x");
  const ValueId y = graph.AddConst({DType::kFp16, {1, 1, 1, 7}}, std::vector<uint8_t>(14), "y");
  graph.BeginNode(&GetOp(OpKind::kCostVolume).schema);
  graph.AddArgument(P::kX, x);
  graph.AddArgument(P::kY, y);
  graph.AddInt(P::kDisparityDirection, 0);
  graph.AddInt(P::kDisparityRange, 2);
  const auto z = graph.FinishNode(std::vector<std::string>{"z"});
  ASSERT_TRUE(z.ok()) << z.error().message;
  graph.AddOutput(*z);
  const auto program = GraphToNetlist(graph);
  ASSERT_TRUE(program.ok()) << program.error().message;
  EXPECT_EQ(program->description.networks[0].units[0].bottoms,
            (std::vector<std::string>{"y", "x"}));
  EXPECT_TRUE(netlist::Verify(netlist::ToTree(program->description)).empty());
  const auto back = NetlistToGraph(program->description, program->weights);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(GraphFingerprint(*back), GraphFingerprint(*ExplicitForm(graph)));
}

Graph TileOf(const Shape& shape, std::vector<int64_t> reps) {
  return One(OpKind::kTile, {DType::kFp16, shape},
             [&](Graph& graph) { graph.AddInts(params::Tile::kReps, reps); });
}

TEST(NetlistRoundTrip, ATileOfOneElementAxesIsABroadcast) {
  for (const std::vector<int64_t>& reps :
       {std::vector<int64_t>{2, 1, 1, 3}, {1, 1, 1, 1}, {1, 1, 4, 1}}) {
    const Graph graph = TileOf({1, 3, 1, 1}, reps);
    const auto program = GraphToNetlist(graph);
    ASSERT_TRUE(program.ok()) << program.error().message;
    EXPECT_EQ(program->description.networks.at(0).units.at(0).type, "Broadcast");
    EXPECT_TRUE(netlist::Verify(netlist::ToTree(program->description)).empty());
    const auto back = NetlistToGraph(program->description, program->weights);
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(GraphFingerprint(*back), GraphFingerprint(*ExplicitForm(graph)));
  }
  const auto none = GraphToNetlist(TileOf({2, 3, 4, 5}, {1, 1, 1, 1}));
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.error().message.find("no axis of 1 element"), std::string::npos);
  const auto more = GraphToNetlist(TileOf({1, 3, 1, 1}, {1, 2, 1, 1}));
  ASSERT_FALSE(more.ok());
  EXPECT_NE(more.error().message.find("Broadcast repeats axes of 1 element only"),
            std::string::npos)
      << more.error().message;
}

netlist::Description BroadcastDescription(std::string_view dimension, int64_t size) {
  netlist::Description description =
      GraphToNetlist(TileOf({1, 3, 1, 2}, {1, 1, 2, 1}))->description;
  tree::Dict entry;
  entry.Set("Dimension", tree::Value::String(dimension));
  entry.Set("Size", tree::Value::Integer(size));
  description.networks[0].units[0].SetParam(
      "BroadcastInfo", tree::Value(tree::Array{tree::Value(tree::Value::Payload(entry))}));
  return description;
}

TEST(NetlistToGraph, ABroadcastRepeatsAxesOfOneElement) {
  const auto shape = [](std::string_view dimension, int64_t size) -> std::string {
    const auto graph = NetlistToGraph(BroadcastDescription(dimension, size), {});
    if (!graph.ok()) return graph.error().message;
    return graph->type(graph->outputs()[0]).shape.ToString();
  };
  EXPECT_EQ(shape("Batch", 5), "[5, 3, 1, 2]");
  EXPECT_EQ(shape("Channel", 3), "[1, 3, 1, 2]");
  EXPECT_EQ(shape("Depth", 4), "[1, 3, 4, 1, 2]");
  EXPECT_EQ(shape("Width", 4), "unit y: Width grows from 2 to 4: only an axis of 1 element does");
  EXPECT_EQ(shape("Height", 0), "unit y: Height grows from 1 to 0: only an axis of 1 element does");
  EXPECT_EQ(shape("Time", 2), "unit y: the operand has no axis Time");
}

TEST(NetlistToGraph, ErrorsNameTheUnit) {
  const std::pair<std::function<void(netlist::Network&)>, const char*> kBreakages[] = {
      {[](auto& n) { n.units[0].type = "NMS"; }, "unit y: no operation for layer NMS"},
      {[](auto& n) { n.units[0].SetParam("Type", tree::Value::String("Cos")); },
       "unit y: no operation for Neuron of type \"Cos\""},
      {[](auto& n) { n.units[0].bottoms = {"q"}; }, "unit y: operand q is not defined"},
      {[](auto& n) { n.units[0].bottoms.clear(); }, "unit y: an operand is missing"},
      {[](auto& n) { n.outputs[0].bottom = "q"; }, "output y@output: q is not defined"},
      {[](auto& n) { n.inputs[0].type = "UInt8"; }, "input x: needs extents"},
      {[](auto& n) { n.units[0].type = "GOC"; }, "unit y: needs BiasScalar, ScaleScalar"},
      {[](auto& n) { n.units[0].type = "Sort"; }, "unit y: Direction is missing"},
      {[](auto& n) {
         n.units[0].type = "SpaceToChannel";
         n.units[0].SetParam("FactorX", tree::Value::Integer(2));
         n.units[0].SetParam("FactorY", tree::Value::Integer(4));
       },
       "y: no network description: factors that differ"},
      {[](auto& n) {
         n.units[0].type = "ArgMinMax";
         n.units[0].SetParam("Mode", tree::Value::String("SpatialArgMax"));
         n.units[0].SetParam("KernelWidth", tree::Value::Integer(1));
         n.units[0].SetParam("KernelHeight", tree::Value::Integer(3));
       },
       "y: no network description: a window that is not the whole plane"},
      {[](auto& n) { n.units[0].type = "Softmax"; }, "unit y: a softmax needs SubtractMax"},
      {[](auto& n) {
         n.units[0].type = "Conv";
         n.units[0].output_channels = 1;
         n.units[0].SetParam("KernelType", tree::Value::String("Float16"));
         n.units[0].SetParam("KernelOffset", tree::Value::Integer(64));
       },
       "y_weight: 4 bytes at 64 are outside the weight file of 0"},
      {[](auto& n) {
         n.units[0].type = "Reshape";
         n.units[0].SetParam("ReshapedBatch", tree::Value::Integer(24));
       },
       "unit y: the extents do not all have one rank"},
  };
  for (const auto& [change, message] : kBreakages) {
    netlist::Description description = ReluDescription();
    change(description.networks[0]);
    const auto graph = NetlistToGraph(description, {});
    ASSERT_FALSE(graph.ok()) << message;
    EXPECT_NE(graph.error().message.find(message), std::string::npos) << graph.error().message;
  }
  EXPECT_FALSE(NetlistToGraph({}, {}).ok());
}

TEST(NetlistToGraph, RefusesProceduresThatAreNotOnePlainEntryPoint) {
  const std::pair<std::function<void(netlist::Description&)>, const char*> kBreakages[] = {
      {[](auto& d) { d.procedures.push_back(d.procedures[0]); }, "one procedure"},
      {[](auto& d) { d.procedures[0].operations.clear(); }, "one operation"},
      {[](auto& d) { d.networks.push_back(d.networks[0]); }, "one network"},
      {[](auto& d) { d.procedures[0].operations[0].network = "q"; },
       "procedure main: its operation runs q, which is no network"},
      {[](auto& d) { d.networks[0].inputs = d.procedures[0].inputs; },
       "and procedure main both list ports"},
      {[](auto& d) {
         d.procedures[0].inputs.push_back(d.procedures[0].inputs[0]);
         d.procedures[0].inputs[1].extents.width = 7;
       },
       "input x: two ports of one symbol differ"},
  };
  for (const auto& [change, message] : kBreakages) {
    netlist::Description description = WithProcedure(ReluDescription());
    change(description);
    const auto graph = NetlistToGraph(description, {});
    ASSERT_FALSE(graph.ok()) << message;
    EXPECT_NE(graph.error().message.find(message), std::string::npos) << graph.error().message;
  }
}

TEST(NetlistToGraph, AnInputThatAProcedureListsTwiceIsOneInput) {
  netlist::Description description = WithProcedure(ReluDescription());
  description.procedures[0].inputs.push_back(description.procedures[0].inputs[0]);
  const auto graph = NetlistToGraph(description, {});
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  EXPECT_EQ(graph->ValuesOfKind(ValueKind::kInput).size(), 1U);
}

}  // namespace
}  // namespace anecheck
