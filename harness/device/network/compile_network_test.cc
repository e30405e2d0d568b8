// Tests network descriptions through the compile call. A description that the harness writes runs
// as its graph. A description written by hand runs as its keys state. An unsupported description is
// refused with the name of the stage.
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <utility>

#include "harness/base/file.h"
#include "harness/device/testing/network_text.h"
#include "harness/device/testing/test_engine.h"
#include "harness/formats/netlist/model.h"
#include "harness/lowering/graph_to_netlist.h"
#include "harness/lowering/netlist_axes.h"
#include "harness/lowering/netlist_procedure.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"

namespace anecheck::device::testing {
namespace {

// Makes a conv with a bias, then relu.
Graph ConvGraph() {
  Graph graph;
  const ValueId x = graph.AddInput({DType::kFp16, {1, 2, 1, 3}}, "x");
  const auto bytes = [](const std::vector<double>& values) {
    std::vector<uint8_t> raw;
    for (const Half half : ToHalves(values)) {
      raw.push_back(static_cast<uint8_t>(half.bits & 0xff));
      raw.push_back(static_cast<uint8_t>(half.bits >> 8));
    }
    return raw;
  };
  const ValueId weight = graph.AddConst({DType::kFp16, {1, 2, 1, 1}}, bytes({2, -1}), "w");
  const ValueId bias = graph.AddConst({DType::kFp16, {1}}, bytes({0.5}), "b");
  graph.BeginNode(&GetOp(OpKind::kConv).schema);
  graph.AddArgument(params::Conv::kX, x);
  graph.AddArgument(params::Conv::kWeight, weight);
  graph.AddArgument(params::Conv::kBias, bias);
  const ValueId c = *graph.FinishNode(std::vector<std::string>{"c"});
  graph.BeginNode(&GetOp(OpKind::kRelu).schema);
  graph.AddArgument(0, c);
  graph.AddOutput(*graph.FinishNode(std::vector<std::string>{"y"}));
  return graph;
}

class NetlistInput : public ::testing::Test {
 protected:
  // Writes the weight file and returns the program's text.
  std::string Text(const NetlistProgram& program, plist::Encoding encoding) {
    EXPECT_TRUE(
        WriteFileAtomic(folder_->File(kNetlistWeightFile), std::span(program.weights)).ok());
    const auto bytes = netlist::Write(program.description, encoding);
    return {bytes.begin(), bytes.end()};
  }
  LoadedProgram::Options Options() const { return {.model_folder = folder_->path()}; }
  std::string ErrorOf(const std::string& text) {
    const LoadedProgram program(text, Options());
    return program.error();
  }

  CleanSettings clean_;
  Result<TempDirectory> folder_ = TempDirectory::Create("anecheck-netlist-");
};

// Computes x times a scalar constant.
Graph ScaledGraph() {
  Graph graph;
  const ValueId x = graph.AddInput({DType::kFp16, {1, 2, 1, 3}}, "x");
  const ValueId half = graph.AddConst({DType::kFp16, {}}, std::vector<uint8_t>{0x00, 0x38}, "half");
  graph.BeginNode(&GetOp(OpKind::kMul).schema);
  graph.AddArgument(params::Binary::kX, x);
  graph.AddArgument(params::Binary::kY, half);
  graph.AddOutput(*graph.FinishNode(std::vector<std::string>{"y"}));
  return graph;
}

TEST_F(NetlistInput, ScalarConstantsScale) {
  const auto lowered = GraphToNetlist(ScaledGraph());
  ASSERT_TRUE(lowered.ok()) << lowered.error().message;
  NetlistProgram bare = *lowered;  // the same constant without extents
  bare.description.networks[0].constants[0].extents = {};
  for (const NetlistProgram& form : {*lowered, bare}) {
    LoadedProgram program(Text(form, plist::Encoding::kXml), Options());
    ASSERT_EQ(program.error(), "");
    auto* x = static_cast<Half*>(program.Bind("x", false, 12));
    const auto* y = static_cast<const Half*>(program.Bind("y", true, 12));
    for (int i = 0; i < 6; ++i) x[i] = DoubleToHalf(i);
    ASSERT_EQ(program.Execute(), 0);
    for (int i = 0; i < 6; ++i) EXPECT_EQ(HalfToDouble(y[i]), i / 2.0);
  }
}

// ML Compute writes a constant of rank 3 without a batch. With a depth other than 1 the extents fit
// no such rank.
TEST_F(NetlistInput, ConstantsWithoutABatchHaveThreeAxes) {
  auto lowered = GraphToNetlist(ScaledGraph());
  ASSERT_TRUE(lowered.ok()) << lowered.error().message;
  netlist::Extents& extents = lowered->description.networks[0].constants[0].extents;
  extents.channels = 2;
  lowered->weights = {0x00, 0x38, 0x00, 0x40};
  LoadedProgram program(Text(*lowered, plist::Encoding::kXml), Options());
  ASSERT_EQ(program.error(), "");
  auto* x = static_cast<Half*>(program.Bind("x", false, 12));
  const auto* y = static_cast<const Half*>(program.Bind("y", true, 12));
  for (int i = 0; i < 6; ++i) x[i] = DoubleToHalf(i);
  ASSERT_EQ(program.Execute(), 0);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(HalfToDouble(y[i]), i < 3 ? i / 2.0 : i * 2.0);
  extents.depth = 2;
  EXPECT_NE(ErrorOf(Text(*lowered, plist::Encoding::kXml)).find("constant half: needs extents"),
            std::string::npos);
}

TEST_F(NetlistInput, RunsAsItsGraph) {
  const auto lowered = GraphToNetlist(ConvGraph());
  ASSERT_TRUE(lowered.ok()) << lowered.error().message;
  for (const auto encoding : {plist::Encoding::kXml, plist::Encoding::kBinary}) {
    LoadedProgram program(Text(*lowered, encoding), Options());
    ASSERT_EQ(program.error(), "");
    const Halves x = ToHalves({1, 2, 3, 4, 1, -8});
    std::memcpy(program.Bind("x", false, 12), x.data(), 12);
    const auto* y = static_cast<const Half*>(program.Bind("y", true, 6));
    ASSERT_EQ(program.Execute(), 0) << program.error();
    EXPECT_EQ(ToDoubles({y, y + 3}), (std::vector<double>{0, 3.5, 14.5}));
  }
}

// According to specification 004, a description cannot have a custom table. The same curve runs as
// linear, relu, linear (golden_test.cc, GaussianBumpByLinearReluLinear).
TEST_F(NetlistInput, ACustomTableDoesNotCompile) {
  const auto lowered = GraphToNetlist(ConvGraph());
  NetlistProgram named = *lowered;
  netlist::Unit& unit = named.description.networks[0].units.back();
  ASSERT_EQ(unit.type, "Neuron");
  for (const char* spelling : {"CustomLUT", "custom_lut"}) {
    unit.SetParam("Type", tree::Value::String(spelling));
    EXPECT_EQ(ErrorOf(Text(named, plist::Encoding::kXml)),
              "unit y: a custom table needs its saturation set and its version-specific set, "
              "but no unit may have both @ Parser");
  }
  unit.SetParam("Type", tree::Value::String("ReLU"));
  EXPECT_EQ(ErrorOf(Text(named, plist::Encoding::kXml)), "");
}

TEST_F(NetlistInput, RefusalsNameTheirStage) {
  const auto lowered = GraphToNetlist(ConvGraph());
  NetlistProgram two = *lowered;
  two.description.networks.push_back(two.description.networks[0]);
  two.description.networks[1].name = "other";
  EXPECT_EQ(ErrorOf(Text(two, plist::Encoding::kXml)),
            "only netlists of one network and one procedure are accepted @ Parser");
  NetlistProgram other = *lowered;
  other.description.networks[0].units.back().type = "NMS";
  EXPECT_EQ(ErrorOf(Text(other, plist::Encoding::kXml)),
            "unit y: no operation for layer NMS @ Frontend");
  NetlistProgram missing = *lowered;
  missing.description.networks[0].weight_files = {"nowhere.weights"};
  EXPECT_NE(ErrorOf(Text(missing, plist::Encoding::kXml)).find("nowhere.weights"),
            std::string::npos);
  EXPECT_NE(ErrorOf("<?xml no list").find(" @ Parser"), std::string::npos);
}

// ---- descriptions written by hand ---------------------------------------------------------------

using Numbers = std::vector<double>;

// Runs a description and returns y. The weight file contains `weights`.
class HandWritten : public NetlistInput {
 protected:
  Numbers Run(const NetworkText& network, const std::map<std::string, Numbers>& inputs,
              size_t count) {
    LoadedProgram program(network.Xml(), Options());
    EXPECT_EQ(program.error(), "");
    if (!program.ok()) return {};
    for (const auto& [name, numbers] : inputs) {
      const Halves halves = ToHalves(numbers);
      std::memcpy(program.Bind(name, false, 2 * halves.size()), halves.data(), 2 * halves.size());
    }
    const auto* y = static_cast<const Half*>(program.Bind("y", true, 2 * count));
    EXPECT_EQ(program.Execute(), 0) << program.error();
    return ToDoubles({y, y + count});
  }
  std::string ErrorOf(const NetworkText& network) { return NetlistInput::ErrorOf(network.Xml()); }
  void WriteWeights(const Numbers& numbers) {
    const Halves halves = ToHalves(numbers);
    const auto* bytes = reinterpret_cast<const uint8_t*>(halves.data());
    ASSERT_TRUE(
        WriteFileAtomic(folder_->File(kWeightFile), std::span(bytes, 2 * halves.size())).ok());
  }
};

UnitText Relu(std::string name, std::string bottom) {
  return {std::move(name), "Neuron", {std::move(bottom)}, {{"Type", PlistText("ReLU")}}};
}

// A convolution of two channels to one channel, with a stride of two along the width. In the weight
// file the bias follows the kernel.
NetworkText ConvNetwork() {
  const PlistKeys kernel = {
      {"Type", PlistText("Conv")},       {"KernelType", PlistText("Float16")},
      {"KernelWidth", PlistInteger(1)},  {"KernelHeight", PlistInteger(1)},
      {"KernelOffset", PlistInteger(0)}, {"Step", PlistArray({PlistInteger(2), PlistInteger(1)})}};
  const PlistKeys bias = {
      {"BiasScaleGroupData", PlistDictionary({{"BiasCount", PlistInteger(1)},
                                              {"BiasOffset", PlistInteger(4)},
                                              {"BiasType", PlistText("Float16")}})}};
  NetworkText network;
  network.inputs = {{"x", {1, 2, 1, 4}}};
  network.units = {{"c", "Conv", {"x"}, kernel, {{"OutputChannels", PlistInteger(1)}}},
                   {"b", "GOC", {"c"}, bias},
                   Relu("y", "b")};
  return network;
}

TEST_F(HandWritten, ConvolutionsReadTheirWeightsAndStrides) {
  WriteWeights({2, -1, 0.5});
  NetworkText network = ConvNetwork();
  network.weights = true;
  const Numbers x = {1, 9, 3, 9, 1, 9, 8, 9};
  EXPECT_EQ(Run(network, {{"x", x}}, 2), (Numbers{1.5, 0}));
  // The convolution also compiles without the bias unit that reads it.
  network.units = {network.units[0]};
  network.outputs = {"c"};
  EXPECT_EQ(ErrorOf(network), "");
}

TEST_F(HandWritten, ALayersResultMustMatchItsDeclaration) {
  WriteWeights({2, -1, 0.5});
  NetworkText network = ConvNetwork();
  network.weights = true;
  network.units.back().keys = {{"OutputChannels", PlistInteger(3)}};
  EXPECT_EQ(ErrorOf(network), "unit y: OutputChannels is 3, the result has 1 @ Frontend");
  network = ConvNetwork();
  EXPECT_EQ(ErrorOf(network), "c: 4 bytes at 0 are outside the weight file of 0 @ Frontend");
}

TEST_F(HandWritten, BroadcastsRepeatAnOperandToTheStatedSize) {
  const auto network = [](int64_t width) {
    NetworkText grown;
    grown.inputs = {{"x", {1, 1, 2, 3}}, {"s", {1, 1, 2, 1}}};
    grown.units = {
        {"g",
         "Broadcast",
         {"s"},
         {{"BroadcastInfo", PlistArray({PlistDictionary({{"Dimension", PlistText("Width")},
                                                         {"Size", PlistInteger(width)}})})}}},
        {"y", "ElementWise", {"x", "g"}, {{"Type", PlistText("Sub")}}}};
    return grown;
  };
  EXPECT_EQ(Run(network(3), {{"x", {1, 2, 3, 4, 5, 6}}, {"s", {1, -1}}}, 6),
            (Numbers{0, 1, 2, 5, 6, 7}));
  EXPECT_EQ(ErrorOf(network(4)),
            "unit y: an operand becomes 4 along Width, the result is [1, 1, 2, 3] @ Frontend");
  NetworkText read = network(3);
  read.units.back() = Relu("y", "g");
  EXPECT_EQ(Run(read, {{"x", {1, 2, 3, 4, 5, 6}}, {"s", {1, -1}}}, 6), (Numbers{1, 1, 1, 0, 0, 0}));
}

// As in real/netlist/plists_broadcast, only one of the two operands has a depth.
TEST_F(HandWritten, ABroadcastAddsADepthAxis) {
  const auto grow = [](std::string_view axis, int64_t size) {
    return PlistDictionary({{"Dimension", PlistText(axis)}, {"Size", PlistInteger(size)}});
  };
  NetworkText network;
  network.inputs = {{"a", {2, 1, 1, 1, 1}}, {"b", {1, 2, 1, 1}}};
  network.units = {{"g", "Broadcast", {"a"}, {{"BroadcastInfo", PlistArray({grow("Channel", 2)})}}},
                   {"h",
                    "Broadcast",
                    {"b"},
                    {{"BroadcastInfo", PlistArray({grow("Depth", 1), grow("Batch", 2)})}}},
                   {"y", "ElementWise", {"g", "h"}, {{"Type", PlistText("Sub")}}}};
  EXPECT_EQ(Run(network, {{"a", {5, 7}}, {"b", {1, 2}}}, 4), (Numbers{4, 3, 6, 5}));
}

TEST_F(HandWritten, MovementLayersNameTheirAxes) {
  NetworkText network;
  network.inputs = {{"x", {1, 2, 2, 3}}};
  network.units = {
      {"v",
       "InputView",
       {"x"},
       {{"Dimension", PlistText("Channel")},
        {"Offset", PlistInteger(1)},
        {"Size", PlistInteger(1)}}},
      {"w",
       "InputView",
       {"v"},
       {{"Dimension", PlistText("Width")}, {"Offset", PlistInteger(1)}, {"Size", PlistInteger(2)}}},
      {"t",
       "Transpose",
       {"w"},
       {{"TransposeDimensions",
         PlistArray({PlistDictionary({{"TransposeSourceDimension", PlistText("Height")},
                                      {"TransposeDestinationDimension", PlistText("Width")}}),
                     PlistDictionary({{"TransposeSourceDimension", PlistText("Width")},
                                      {"TransposeDestinationDimension", PlistText("Height")}})})}}},
      {"c", "Concat", {"t", "w"}},
      {"y",
       "Reduction",
       {"c"},
       {{"Type", PlistText("Max")}, {"Dimension", PlistTexts({"Width"})}}}};
  // The second channel is 7 8 9 / 10 11 12. Its view is 8 9 / 11 12. The transposed view is 8 11 /
  // 9 12.
  const Numbers x = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  EXPECT_EQ(Run(network, {{"x", x}}, 4), (Numbers{11, 12, 9, 12}));
  network.units[0].params[0].second = PlistText("Depth");
  EXPECT_EQ(ErrorOf(network), "unit v: Dimension: rank 4 has no axis Depth @ Frontend");
}

// The engine reads each key of the six rearrangements and of the native layers.
TEST_F(HandWritten, FactorsAndOptionsAreReadFromTheirKeys) {
  NetworkText network;
  network.inputs = {{"x", {1, 4, 1, 1}}};
  network.units = {
      {"y", "PixelShuffle", {"x"}, {{"FactorX", PlistInteger(2)}, {"FactorY", PlistInteger(2)}}}};
  EXPECT_EQ(Run(network, {{"x", {1, 2, 3, 4}}}, 4), (Numbers{1, 2, 3, 4}));
  network.units[0].params[1].second = PlistInteger(3);
  EXPECT_EQ(ErrorOf(network), "unit y: factors that differ, or a depth factor @ Frontend");
  network.inputs = {{"x", {1, 3}}, {"z", {1, 3}}};
  network.units = {{"y",
                    "ScaledElementWise",
                    {"x", "z"},
                    {{"Type", PlistText("Add")}, {"Scale", PlistInteger(0x4000)}}}};
  EXPECT_EQ(Run(network, {{"x", {1, 2, 3}}, {"z", {1, 1, 1}}}, 3), (Numbers{4, 6, 8}));
  network.units[0].params[1].second = PlistText("2");
  EXPECT_EQ(ErrorOf(network), "unit y: Scale is missing or of another kind @ Frontend");
}

TEST_F(HandWritten, BrokenListsAreRefusedByTheParser) {
  NetworkText network;
  network.inputs = {{"x", {1, 3}}};
  network.units = {Relu("y", "x")};
  EXPECT_EQ(ErrorOf(network), "");
  const auto of = [&](const std::string& from, const std::string& to) {
    std::string xml = network.Xml();
    const size_t at = xml.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return NetlistInput::ErrorOf(xml.replace(at, from.size(), to));
  };
  EXPECT_EQ(of("<key>Networks</key>", "<key>Other</key>"),
            "network description: Networks is missing @ Parser");
  EXPECT_EQ(of("<key>net</key>", "<key>nett</key>"),
            "network description: Networks names \"net\", which has no dictionary @ Parser");
  EXPECT_EQ(of("<string>Neuron</string>", "<integer>1</integer>"),
            "network description: Type of y is of another kind @ Parser");
  EXPECT_EQ(of("<string>Neuron</string>", "<string></string>"),
            "network description: Type of unit y is missing @ Parser");
  const std::string whole = network.Xml();
  EXPECT_EQ(NetlistInput::ErrorOf(whole.substr(0, whole.size() / 2)),
            "the text is no property list @ Parser");
  std::string deep = "<?xml version=\"1.0\"?>";
  for (int i = 0; i < 100000; ++i) deep += "<array>";
  EXPECT_EQ(NetlistInput::ErrorOf(deep), "the property list is nested too deeply @ Parser");
  const auto with = [&](const std::string& procedures) {
    return NetlistInput::ErrorOf(network.Xml({{"ProcedureList", procedures}}));
  };
  EXPECT_EQ(with(PlistArray({})), "network description: ProcedureList holds no procedure @ Parser");
  EXPECT_EQ(with("<string>main</string>"),
            "network description: ProcedureList takes dictionaries @ Parser");
  EXPECT_EQ(with(PlistArray({"<dict/>"})),
            "network description: OperationList takes dictionaries @ Parser");
  EXPECT_EQ(with(PlistArray({"<dict/>", "<dict/>"})),
            "only netlists of one network and one procedure are accepted @ Parser");
}

TEST_F(NetlistInput, AProcedureRunsAsItsNetwork) {
  auto lowered = GraphToNetlist(ConvGraph());
  ASSERT_TRUE(lowered.ok()) << lowered.error().message;
  const auto run = [&](const NetlistProgram& from) {
    LoadedProgram program(Text(from, plist::Encoding::kXml), Options());
    EXPECT_EQ(program.error(), "");
    const Halves x = ToHalves({1, 2, 3, 4, 1, -8});
    std::memcpy(program.Bind("x", false, 12), x.data(), 12);
    const auto* y = static_cast<const Half*>(program.Bind("y", true, 6));
    EXPECT_EQ(program.Execute(), 0) << program.error();
    return std::vector<uint16_t>{y[0].bits, y[1].bits, y[2].bits};
  };
  const auto expected = run(*lowered);
  lowered->description = WithProcedure(std::move(lowered->description));
  EXPECT_EQ(run(*lowered), expected);
}

TEST_F(NetlistInput, ProceduresThatNameNothingAreRefused) {
  const auto lowered = GraphToNetlist(ConvGraph());
  ASSERT_TRUE(lowered.ok()) << lowered.error().message;
  const auto error = [&](const auto& change) {
    NetlistProgram program = {WithProcedure(lowered->description), lowered->weights};
    change(program.description);
    return ErrorOf(Text(program, plist::Encoding::kXml));
  };
  EXPECT_EQ(error([](auto& d) { d.procedures.push_back(d.procedures[0]); }),
            "only netlists of one network and one procedure are accepted @ Parser");
  EXPECT_EQ(error([](auto& d) {
              auto& operations = d.procedures[0].operations;
              operations.push_back(operations[0]);
            }),
            "only procedures of one operation are accepted @ Parser");
  EXPECT_EQ(error([](auto& d) { d.procedures[0].operations[0].network = "other"; }),
            "network description: the operation runs \"other\", which is no network @ Parser");
  EXPECT_NE(error([](auto& d) { d.procedures[0].outputs[0].bottom = "nobody"; }).find("nobody"),
            std::string::npos);
  EXPECT_EQ(error([](auto& d) { d.procedures[0].inputs[0].name = ""; }),
            "network description: InputName of an input is missing @ Parser");
}

// Specification 004: A13 refuses the layer. Later families require a connection to a buffer that no
// description can state.
TEST_F(HandWritten, ARingBufferWriterDoesNotCompile) {
  NetworkText network;
  network.inputs = {{"x", {1, 3}}, {"s", {1, 3}}};
  network.units = {{"y", "RingBufferWriter", {"s", "x"}}};
  EXPECT_EQ(ErrorOf(network),
            "unit y: Circular buffer is not supported on this architecture @ Hal");
  const LoadedProgram newer(network.Xml(), {.target = "h17s", .model_folder = folder_->path()});
  EXPECT_EQ(newer.error(), "unit y: must connect to a live-state buffer @ Validator");
}

TEST_F(HandWritten, FamiliesBeforeA13HaveNoKernels) {
  NetworkText network;
  network.inputs = {{"x", {1, 3}}};
  network.units = {Relu("y", "x")};
  const LoadedProgram program(network.Xml(), {.target = "h12", .model_folder = folder_->path()});
  EXPECT_NE(program.error().find("no kernels for families before A13"), std::string::npos)
      << program.error();
}

}  // namespace
}  // namespace anecheck::device::testing
