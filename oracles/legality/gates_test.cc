// Tests the gates of the validators on the direct route. A unit that no target accepts breaks a
// gate. A unit that some target accepts breaks no gate, and a missing fact breaks no gate.
#include "oracles/legality/gates.h"

#include <gtest/gtest.h>
#include <set>

#include "harness/targets/catalog.h"
#include "oracles/legality/legality.h"

namespace anecheck::legality {
namespace {

Instance Unit(std::string layer, std::vector<std::vector<int64_t>> shapes,
              std::vector<std::string> attributes = {}) {
  Instance unit;
  unit.op = std::move(layer);
  for (std::vector<int64_t>& shape : shapes) {
    unit.operands.push_back({"x" + std::to_string(unit.operands.size()), "fp16", shape, false});
  }
  for (const std::string& text : attributes) EXPECT_TRUE(AddAttribute(text, unit).ok()) << text;
  return unit;
}

std::set<std::string> BrokenBy(const Instance& unit) {
  std::set<std::string> ids;
  for (const BrokenGate& broken : BrokenGates(unit)) {
    EXPECT_FALSE(broken.text.empty()) << broken.rule->id;
    ids.insert(broken.rule->id);
  }
  return ids;
}

using Ids = std::set<std::string>;

TEST(Gates, AreRulesOfValidatorsAboutNativeLayers) {
  EXPECT_GE(Gates().size(), 45u);
  for (const Rule* rule : Gates()) {
    EXPECT_EQ(rule->layer, Layer::kValidator) << rule->id;
    EXPECT_NE(rule->route, Route::kMil) << rule->id;
    EXPECT_EQ(rule->ruling, Ruling::kReject) << rule->id;
    EXPECT_FALSE(rule->source.text().empty()) << rule->id;
  }
}

TEST(Gates, AreThoseOfTables261And262) {
  const std::pair<Instance, Ids> kUnits[] = {
      {Unit("SDPA", {{1, 8, 2, 16}, {1, 8, 2, 16}, {1, 8, 4, 16}, {1, 1, 1, 1}}),
       {"sdpa_key_value"}},
      {Unit("SDPA", {{1, 8, 2, 16}, {1, 8, 4, 16}, {1, 8, 4, 16}, {1, 1, 1, 1}}), {}},
      {Unit("MatrixMult", {{1, 4, 2, 1, 8}, {1, 8, 1, 4}}), {"matmul_depth"}},
      {Unit("MatrixMult", {{1, 4, 1, 8}, {1, 8, 1, 4}}, {"OutputChannels=5"}),
       {"matmul_output_channels"}},
      {Unit("MatrixMult", {{1, 4, 1, 8}, {1, 8, 1, 4}}, {"OutputChannels=4"}), {}},
      {Unit("CrossProduct", {{1, 5, 1, 8}, {1, 3, 1, 1}}), {"cross_product_shape"}},
      {Unit("CrossProduct", {{1, 3, 1, 1}, {1, 3, 1, 2}}), {"cross_product_shape"}},
      {Unit("CrossProduct", {{1, 3, 1, 1}, {1, 3, 1, 1}}), {}},
      {Unit("CrossProduct", {{1, 3, 1, 1}, {1, 3, 1, 1}}, {"Interleave=4"}),
       {"cross_product_format"}},
      {Unit("Neuron", {{1, 8, 4, 4}}, {"Type=CustomLUT"}), {"neuron_custom_table"}},
      {Unit("Neuron", {{1, 8, 4, 4}}, {"Type=Sin"}), {"neuron_trigonometric"}},
      {Unit("Neuron", {{1, 8, 4, 4}}, {"Type=ReLU"}), {}},
      {Unit("SpaceToChannel", {{1, 8, 5, 5}}, {"FactorX=5", "FactorY=2", "FactorZ=1"}),
       {"space_to_channel_factors"}},
      {Unit("SpaceToChannel", {{1, 8, 6, 6}}, {"FactorX=6", "FactorY=1", "FactorZ=1"}), {}},
      {Unit("SpaceToChannel", {{1, 8, 6, 6}}, {"FactorX=2", "FactorY=1", "FactorZ=2"}),
       {"space_to_channel_depth"}},
      {Unit("LayerNorm", {{1, 8, 4, 4}}, {"NumGroups=3"}), {"layer_norm_groups"}},
      {Unit("LayerNorm", {{1, 8, 4, 4}}, {"OutputType=Int8"}), {"layer_norm_output"}},
      {Unit("InputView", {{1, 8, 4, 4}}, {"Offset=-1"}), {"input_view_offset"}},
      {Unit("InputView", {{1, 8, 4, 4}}, {"producer=Conv"}), {"input_view_after_reshape"}},
      {Unit("InputView", {{1, 8, 4, 4}}, {"producer=Reshape"}), {}},
      {Unit("InputView", {{1, 8, 4, 4}}, {"producer=Input"}), {}},
      {Unit("CrossCorrelation", {{1, 8, 4, 4}, {1, 8, 2, 2, 2}}), {"cross_correlation_depth"}},
  };
  for (const auto& [unit, ids] : kUnits) EXPECT_EQ(BrokenBy(unit), ids) << unit.op;
}

// The reason of specification 004 follows the validator's own text.
TEST(Gates, AWrittenTableIsRefusedWithItsReason) {
  const auto broken = BrokenGates(Unit("Neuron", {{1, 8, 4, 4}}, {"Type=CustomLUT"}));
  ASSERT_EQ(broken.size(), 1u);
  EXPECT_TRUE(broken[0].text.starts_with("This platform doesn't support Neuron CustomLUT: "));
  EXPECT_NE(broken[0].text.find("a saturation set and a set of the version"), std::string::npos);
}

TEST(Gates, MissingFactsBreakNothing) {
  const std::vector<int64_t> unknown = {-1, -1, -1, -1};
  EXPECT_EQ(BrokenBy(Unit("SDPA", {unknown, {1, 8, 2, 16}, unknown, unknown})), Ids());
  EXPECT_EQ(BrokenBy(Unit("CrossProduct", {unknown, unknown})), Ids());
  for (const CatalogueRow& row : Rules::Builtin().layers()) {
    EXPECT_EQ(BrokenBy(Unit(row.name, {})), Ids()) << row.name;
  }
  EXPECT_EQ(BrokenBy(Unit("conv", {{1, 8, 4, 4}})), Ids()) << "no native layer";
  EXPECT_EQ(BrokenBy(Unit("no_such_layer", {})), Ids());
}

// A verdict for one target names the same gate.
TEST(Gates, JudgeRefusesAUnitThatBreaksOne) {
  const Instance unit = Unit("MatrixMult", {{1, 4, 2, 1, 8}, {1, 8, 1, 4}});
  for (const Target& target : AllTargets()) {
    const auto verdict = Judge(unit, target, Route::kNetlist);
    ASSERT_TRUE(verdict.ok());
    EXPECT_EQ(verdict->at(Layer::kValidator).ruling, Ruling::kReject) << target.name;
  }
}

}  // namespace
}  // namespace anecheck::legality
