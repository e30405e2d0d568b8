// Network descriptions through the compile call: they run as the graph they stand for, and what the
// engine does not take is refused with the stage that refuses it.
#include <cstring>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/base/file.h"
#include "harness/device/testing/test_engine.h"
#include "harness/formats/netlist/model.h"
#include "harness/lowering/graph_to_netlist.h"
#include "harness/lowering/netlist_axes.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"

namespace anecheck::device::testing {
namespace {

// conv with a bias, then relu.
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
  // Writes the weight file and gives the program's text.
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

// Specification 004: the custom table of the engine is out of reach of what can be authored; the
// same curve runs as linear, relu, linear (golden_test.cc, GaussianBumpByLinearReluLinear).
TEST_F(NetlistInput, NoAuthoredCustomTableCompiles) {
  const auto lowered = GraphToNetlist(ConvGraph());
  NetlistProgram named = *lowered;
  netlist::Unit& unit = named.description.networks[0].units.back();
  ASSERT_EQ(unit.type, "Neuron");
  for (const char* spelling : {"CustomLUT", "custom_lut"}) {
    unit.SetParam("Type", tree::Value::String(spelling));
    EXPECT_EQ(ErrorOf(Text(named, plist::Encoding::kXml)),
              "unit y: a custom table needs its saturation set and its version-specific set, "
              "which may not stand together @ Parser");
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

}  // namespace
}  // namespace anecheck::device::testing
