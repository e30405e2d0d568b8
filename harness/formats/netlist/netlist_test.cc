// Tests network descriptions: real files, both key styles, and the messages for wrong parameters.
#include <algorithm>
#include <gtest/gtest.h>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/testing/test_data.h"
#include "harness/formats/netlist/model.h"
#include "harness/formats/netlist/netlist_format.h"
#include "harness/formats/netlist/rules.h"
#include "harness/formats/testing/format_checks.h"

namespace anecheck::netlist {
namespace {

using testing::RealDataPath;
using tree::Value;

Bytes ReadReal(const std::string& path) { return ReadFile(path).value(); }

std::vector<std::string> RealFiles() { return testing::FilesUnder(RealDataPath("netlist")); }

TEST(RealNetlists, EveryFileParsesVerifiesPrintsAndRoundTrips) {
  ANECHECK_SKIP_WITHOUT(RealDataPath("netlist"));
  EXPECT_EQ(RealFiles().size(), 20U);
  for (const std::string& path : RealFiles()) {
    testing::CheckValidFile(kFormat_netlist, ReadReal(path), path);
    const Result<Description> description = Parse(ReadReal(path));
    ASSERT_TRUE(description.ok()) << path << description.error().message;
    EXPECT_EQ(description->version, "1.0.9");
    const ByteCounts coverage = kFormat_netlist.count_bytes(ReadReal(path)).value();
    EXPECT_EQ(coverage.Opaque(), 0U) << path;
    EXPECT_GT(coverage.typed, coverage.fill) << path;
  }
}

// A Description lacks only the layout and the order of keys.
TEST(RealNetlists, ADescriptionHasEveryKey) {
  ANECHECK_SKIP_WITHOUT(RealDataPath("netlist"));
  for (const std::string& path : RealFiles()) {
    const Description description = Parse(ReadReal(path)).value();
    const auto sorted = [](Value value) {
      const auto sort = [](auto&& self, Value& node) -> void {
        if (tree::Dict* dict = node.AsDict()) {
          std::ranges::sort(dict->entries, {}, &tree::Entry::key);
          for (tree::Entry& entry : dict->entries) self(self, entry.value);
        }
      };
      sort(sort, value);
      return value;
    };
    const Value original = sorted(plist::Parse(ReadReal(path))->root);
    EXPECT_EQ(tree::ToJson(sorted(ToTree(description))).dump(), tree::ToJson(original).dump())
        << path;
  }
}

// A tool wrote at least eight of the real files. The others were written by hand.
TEST(RealNetlists, WriteReproducesTheFilesOfTheToolByteForByte) {
  ANECHECK_SKIP_WITHOUT(RealDataPath("netlist"));
  int same = 0;
  for (const std::string& path : RealFiles()) {
    same += Write(Parse(ReadReal(path)).value()) == ReadReal(path) ? 1 : 0;
  }
  EXPECT_GE(same, 8);
}

TEST(RealNetlists, ReadsAConvolutionIntoTypedFields) {
  ANECHECK_SKIP_WITHOUT(RealDataPath("netlist/net-a18df353.plist"));
  const Description description =
      Parse(ReadReal(RealDataPath("netlist/net-a18df353.plist"))).value();
  const Network& network = description.networks.at(0);
  EXPECT_EQ(network.name, "net");
  EXPECT_EQ(network.weight_files,
            (std::vector<std::string>{"model.espresso.weights", "net.additional.weights"}));
  ASSERT_EQ(network.inputs.size(), 1U);
  EXPECT_EQ(network.inputs[0].name, "image");
  EXPECT_EQ(network.inputs[0].type, "Float16");
  EXPECT_EQ(network.inputs[0].extents.channels, 3);
  EXPECT_EQ(network.inputs[0].strides.plane, 64);
  ASSERT_EQ(network.units.size(), 2U);
  const Unit& conv = network.units[0];
  EXPECT_EQ(conv.type, "Conv");
  EXPECT_EQ(conv.bottoms, std::vector<std::string>{"image"});
  EXPECT_EQ(conv.output_channels, 2);
  EXPECT_EQ(conv.Integer("KernelOffset"), 192);
  EXPECT_EQ(conv.Boolean("KernelGroupReuse"), false);
  EXPECT_EQ(conv.Name("KernelType"), "Float32");
  EXPECT_EQ(conv.Integers("Step"), (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(conv.Integer("KernelType"), std::nullopt);
  const Unit& goc = *network.FindUnit("probs");
  EXPECT_EQ(*goc.Param("BiasScaleGroupData")->AsDict()->Find("BiasCount")->AsInteger(), 2);
  EXPECT_EQ(network.outputs.at(0).bottom, "probs");
}

TEST(RealNetlists, ReadsTheValuesOfFp16Parameters) {
  ANECHECK_SKIP_WITHOUT(RealDataPath("netlist/plists_goc-34f5c70f.plist"));
  const Description description =
      Parse(ReadReal(RealDataPath("netlist/plists_goc-34f5c70f.plist"))).value();
  const Unit& goc = description.networks[0].units[0];
  EXPECT_EQ(HalfToDouble(*goc.HalfBits("ScaleScalar")), 34.0);
  EXPECT_EQ(goc.HalfBits("BiasScalar")->bits, 16354);
}

TEST(NetlistCoverage, SpaceAndCommentsAreFillAndUnknownKeysOpaque) {
  const std::string unknown = "<key>Mystery</key><string> <![CDATA[</x>]]> </string>";
  const std::string text =
      "<?xml version=\"1.0\"?>\n<!-- why -->\n<plist>\n<dict>\n<key>Networks</key><array/>\n" +
      unknown + "\n</dict>\n</plist>";
  const ByteCounts coverage = kFormat_netlist.count_bytes(Bytes(text.begin(), text.end())).value();
  EXPECT_EQ(coverage.fill, 7U + 12);
  EXPECT_EQ(coverage.Opaque(), unknown.size());
  EXPECT_EQ(coverage.typed, text.size() - 19 - unknown.size());
}

// Returns a valid network of one unit, in the given style.
Description OneUnit(KeyStyle style, std::string type, size_t bottoms) {
  Description description;
  description.key_style = style;
  Network network;
  network.name = "net";
  Unit unit;
  unit.name = "op";
  unit.type = std::move(type);
  Procedure procedure;
  procedure.name = "main";
  procedure.operations = {{"net", "op0"}};
  for (size_t i = 0; i < bottoms; ++i) {
    Input input;
    input.name = "x" + std::to_string(i);
    input.type = "Float16";
    input.extents.channels = 8;
    input.extents.width = 4;
    unit.bottoms.push_back(input.name);
    if (style == KeyStyle::kProcedures) {
      input.unit = "op";
      input.operation = "op0";
      procedure.inputs.push_back(input);
    } else {
      network.inputs.push_back(input);
    }
  }
  unit.output_type = "Float16";
  Output output;
  output.name = "y@output";
  output.bottom = "op";
  network.outputs.push_back(output);
  network.units.push_back(unit);
  if (style == KeyStyle::kProcedures) {
    description.version = kVersionProcedures;
    output.operation = "op0";
    procedure.outputs.push_back(output);
    description.procedures.push_back(procedure);
  }
  description.networks.push_back(network);
  return description;
}

std::vector<std::string> BrokenRules(const Description& description) {
  std::vector<std::string> ids;
  for (const Violation& violation : Verify(plist::Parse(Write(description))->root)) {
    ids.emplace_back(violation.rule->id);
  }
  return ids;
}

TEST(Model, BothKeyStylesRoundTripInBothEncodings) {
  for (const KeyStyle style : {KeyStyle::kPorts, KeyStyle::kProcedures}) {
    Description description = OneUnit(style, "SDPA", 4);
    description.networks[0].units[0].SetParam("SubtractMax", Value::Bool(true));
    Constant constant;
    constant.name = "scale";
    constant.type = "Float16";
    constant.index = 1;
    constant.byte_offset = 64;
    description.networks[0].constants.push_back(constant);
    description.networks[0].weight_files = {"weights.0", "weights.1"};
    EXPECT_EQ(BrokenRules(description), std::vector<std::string>{});
    for (const plist::Encoding encoding : {plist::Encoding::kXml, plist::Encoding::kBinary}) {
      const Bytes bytes = Write(description, encoding);
      const Result<Description> back = Parse(bytes);
      ASSERT_TRUE(back.ok()) << back.error().message;
      EXPECT_EQ(back->key_style, style);
      EXPECT_EQ(back->networks[0].constants[0].byte_offset, 64);
      EXPECT_EQ(back->networks[0].units[0].Boolean("SubtractMax"), true);
      EXPECT_EQ(Write(back.value(), encoding), bytes);
      testing::CheckValidFile(kFormat_netlist, bytes, "generated");
    }
  }
}

TEST(Model, AMissingRequiredKeyIsInvalidParamSyntaxWithTheKey) {
  Description description = OneUnit(KeyStyle::kPorts, "TopK", 1);
  Unit& unit = description.networks[0].units[0];
  unit.SetParam("Type", Value::String("Max"));
  unit.SetParam("SortDimension", Value::String("Channel"));
  const Status status = CheckParams(unit);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message,
            "InvalidParamSyntax: unit \"op\" of type TopK: Params key \"K\" is missing");
  EXPECT_EQ(BrokenRules(description), std::vector<std::string>{"param-required"});
  unit.SetParam("K", Value::Integer(2));
  EXPECT_TRUE(CheckParams(unit).ok());
  EXPECT_EQ(BrokenRules(description), std::vector<std::string>{});
}

TEST(Model, AnUnknownKeyIsInvalidParamSyntaxWithTheKey) {
  Description description = OneUnit(KeyStyle::kPorts, "SDPA", 5);
  Unit& unit = description.networks[0].units[0];
  unit.SetParam("SubtractMax", Value::Bool(true));
  unit.SetParam("SubtractMaximum", Value::Bool(true));
  EXPECT_EQ(
      CheckParams(unit).error().message,
      "InvalidParamSyntax: unit \"op\" of type SDPA: Params key \"SubtractMaximum\" is no key "
      "that the parser reads");
  EXPECT_EQ(BrokenRules(description), std::vector<std::string>{"param-known"});
}

// In specification 004 the default is false, which is wrong for softmax.
TEST(Model, FusedAttentionSubtractsTheMaximum) {
  Description description = OneUnit(KeyStyle::kPorts, "SDPA", 4);
  const std::vector<std::string> broken = {"attention-subtracts-max"};
  EXPECT_EQ(BrokenRules(description), broken);
  Unit& unit = description.networks[0].units[0];
  unit.SetParam("SubtractMax", Value::Bool(false));
  EXPECT_EQ(BrokenRules(description), broken);
  unit.SetParam("SubtractMax", Value::Bool(true));
  EXPECT_EQ(BrokenRules(description), std::vector<std::string>{});
}

// Cases for the validators' gates and for tables 26.1 and 26.2.
TEST(Gates, BreakTheirRuleAndNoOther) {
  const auto with_type = [](const char* type) {
    Description description = OneUnit(KeyStyle::kPorts, "Neuron", 1);
    description.networks[0].units[0].SetParam("Type", Value::String(type));
    return BrokenRules(description);
  };
  EXPECT_EQ(with_type("CustomLUT"), std::vector<std::string>{"neuron_custom_table"});
  EXPECT_EQ(with_type("Sin"), std::vector<std::string>{"neuron_trigonometric"});
  EXPECT_EQ(with_type("ReLU"), std::vector<std::string>{});
  Description description = OneUnit(KeyStyle::kPorts, "MatrixMultiplication", 2);
  EXPECT_EQ(BrokenRules(description), std::vector<std::string>{});
  description.networks[0].inputs[0].extents.depth = 2;
  EXPECT_EQ(BrokenRules(description), std::vector<std::string>{"matmul_depth"});
}

// Real files have views of ports. The specification allows a view of a layer's result only if the
// layer is a reshape. Another view of a result causes a warning, not an error.
TEST(Gates, AViewOfALayerWarns) {
  Description description = OneUnit(KeyStyle::kPorts, "InputView", 1);
  Network& network = description.networks[0];
  network.units[0].SetParam("Dimension", Value::String("Width"));
  for (const char* key : {"Offset", "Size", "Step"}) {
    network.units[0].SetParam(key, Value::Integer(1));
  }
  EXPECT_EQ(BrokenRules(description), std::vector<std::string>{});
  Unit maker{.name = "made", .type = "GOC", .bottoms = network.units[0].bottoms};
  maker.output_type = "Float16";
  network.units[0].bottoms = {"made"};
  network.units.insert(network.units.begin(), maker);
  EXPECT_EQ(BrokenRules(description), std::vector<std::string>{"input_view_after_reshape"});
  for (const Violation& violation : Verify(ToTree(description))) {
    EXPECT_TRUE(violation.IsWarning()) << violation.message;
  }
  network.units[0].type = "Reshape";
  EXPECT_EQ(BrokenRules(description), std::vector<std::string>{});
}

// The known names are from public notes and real files. Another name causes a warning. The message
// does not say whether the compiler accepts the name.
TEST(Model, ANameThatNoSourceHasWarnsAtItsPlace) {
  const struct {
    std::string type;
    std::string known;
    std::string unknown;
  } kCases[] = {{"Neuron", "SigmoidHighPrecision", "Sigmoidal"},
                {"ElementWise", "Mult", "Multiply"},
                {"Reduction", "Sum", "Total"}};
  for (const auto& test : kCases) {
    Description description = OneUnit(KeyStyle::kPorts, test.type, 1);
    Unit& unit = description.networks[0].units[0];
    unit.SetParam("Type", Value::String(test.known));
    if (test.type == "Reduction") unit.SetParam("Dimension", Value::String("Width"));
    EXPECT_EQ(BrokenRules(description), std::vector<std::string>{}) << test.type;
    unit.SetParam("Type", Value::String(test.unknown));
    EXPECT_TRUE(CheckParams(unit).ok());
    const Bytes bytes = Write(description);
    const std::vector<Violation> violations = kFormat_netlist.verify(bytes).value();
    ASSERT_EQ(violations.size(), 1U) << test.type;
    EXPECT_EQ(violations[0].rule->id, "param-name-known");
    EXPECT_TRUE(violations[0].IsWarning());
    const std::string text(bytes.begin(), bytes.end());
    EXPECT_EQ(violations[0].offset, text.find("<string>" + test.unknown));
    EXPECT_NE(violations[0].message.find("\"" + test.unknown + "\""), std::string::npos);
  }
}

TEST(Model, AnElementTypeThatNoSourceNamesWarns) {
  Description description = OneUnit(KeyStyle::kPorts, "GOC", 1);
  EXPECT_EQ(BrokenRules(description), std::vector<std::string>{});
  description.networks[0].units[0].output_type = "Float17";
  description.networks[0].inputs[0].type = "Half";
  EXPECT_EQ(BrokenRules(description),
            (std::vector<std::string>{"element-type-known", "element-type-known"}));
  for (const Violation& violation : Verify(plist::Parse(Write(description))->root)) {
    EXPECT_TRUE(violation.IsWarning());
  }
}

TEST(Model, InputViewNamesItsKeyInTheError) {
  Description description = OneUnit(KeyStyle::kPorts, "InputView", 1);
  Unit& unit = description.networks[0].units[0];
  unit.SetParam("Dimension", Value::String("Channel"));
  unit.SetParam("Size", Value::Integer(3));
  EXPECT_TRUE(CheckParams(unit).error().message.starts_with("InvalidInputViewOffset: "));
}

TEST(Model, MembersOfParametersAreCheckedToo) {
  Description description = OneUnit(KeyStyle::kPorts, "Broadcast", 1);
  Unit& unit = description.networks[0].units[0];
  tree::Dict info;
  info.Set("Dimension", Value::String("Sideways"));
  unit.SetParam("BroadcastInfo", Value(tree::Array{Value(info)}));
  const Value params(*unit.params);
  const std::vector<ParamFault> faults = FindParamFaults(*FindLayer("Broadcast"), "op", &params);
  ASSERT_EQ(faults.size(), 2U);
  EXPECT_EQ(faults[0].key, "BroadcastInfo[0].Dimension");
  EXPECT_EQ(faults[0].kind, ParamFault::Kind::kWrongKind);
  EXPECT_EQ(faults[1].key, "BroadcastInfo[0].Size");
  EXPECT_EQ(faults[1].kind, ParamFault::Kind::kMissing);
}

// In a network, the key of a port or unit is its name.
TEST(Model, ANameThatDiffersFromTheKeyIsKeptAndNotUsed) {
  const std::string text =
      "<plist version=\"1.0\"><dict><key>Networks</key><array><string>n</string></array>"
      "<key>ProcedureList</key><array/><key>n</key><dict>"
      "<key>Units</key><array><string>u</string></array>"
      "<key>u</key><dict><key>Bottom</key><string>x</string><key>Name</key><string>v</string>"
      "<key>Type</key><string>CrossProduct</string></dict>"
      "<key>y</key><dict><key>Bottom</key><string>u</string><key>OutputName</key>"
      "<string>u</string></dict></dict></dict></plist>";
  const Description description = Parse(Bytes(text.begin(), text.end())).value();
  const Network& network = description.networks.at(0);
  ASSERT_EQ(network.outputs.size(), 1U);
  EXPECT_EQ(network.outputs[0].name, "y");
  EXPECT_EQ(network.units.at(0).name, "u");
  const Value written = ToTree(description);
  const tree::Dict& body = *written.AsDict()->Find("n")->AsDict();
  EXPECT_EQ(*body.Find("y")->AsDict()->Find("OutputName")->AsString(), "u");
  EXPECT_EQ(*body.Find("u")->AsDict()->Find("Name")->AsString(), "v");
  EXPECT_EQ(*body.Find("u")->AsDict()->Find("Type")->AsString(), "CrossProduct");
  EXPECT_EQ(Parse(Write(description)).value(), description);
}

TEST(Model, MalformedShapesAreRefusedWithTheKey) {
  const auto error = [](std::string body) {
    body = "<plist version=\"1.0\">" + body + "</plist>";
    return Parse(Bytes(body.begin(), body.end())).error().message;
  };
  EXPECT_NE(error("<array/>").find("the root is no dictionary"), std::string::npos);
  EXPECT_NE(error("<dict/>").find("Networks is missing"), std::string::npos);
  EXPECT_NE(error("<dict><key>Networks</key><string>n</string></dict>")
                .find("Networks names \"n\", which has no dictionary"),
            std::string::npos);
  EXPECT_NE(error("<dict><key>Networks</key><string>n</string><key>n</key><dict>"
                  "<key>Inputs</key><string>i</string><key>i</key><dict><key>InputWidth</key>"
                  "<string>4</string></dict></dict></dict>")
                .find("InputWidth takes an integer"),
            std::string::npos);
}

TEST(Layers, TheCatalogHasEveryNativeLayer) {
  EXPECT_EQ(Layers().size(), 55U);
  int descriptors = 0;
  int validators = 0;
  for (const LayerSpec& layer : Layers()) {
    EXPECT_EQ(FindLayer(layer.type), &layer) << "repeated type " << layer.type;
    EXPECT_LE(layer.min_bottoms, layer.max_bottoms);
    descriptors += layer.descriptor.empty() ? 0 : 1;
    validators += layer.validator.empty() ? 0 : 1;
  }
  // Source: facts/README.md.
  EXPECT_EQ(descriptors, 45);
  EXPECT_EQ(validators, 50);
  EXPECT_EQ(FindLayer("conv"), nullptr);
}

TEST(Layers, EveryRuleHasIdStatementAndSource) {
  for (const Rule& rule : Rules()) {
    EXPECT_FALSE(rule.id.empty());
    EXPECT_FALSE(rule.statement.empty());
    EXPECT_FALSE(rule.source.empty());
  }
}

TEST(Print, NamesPortsUnitsParametersAndDepartures) {
  Description description = OneUnit(KeyStyle::kPorts, "GOC", 1);
  description.networks[0].units[0].SetParam("ScaleScalar", Value::Integer(20544));
  const std::string text = kFormat_netlist.print(Write(description)).value();
  EXPECT_EQ(text,
            "network description, version \"1.0.9\", XML property list\n"
            "network \"net\"\n"
            "  input \"x0\" Float16 N1 C8 D1 H1 W4\n"
            "  unit \"op\" GOC [class 8 GOC] (\"x0\") -> Float16\n"
            "    \"ScaleScalar\" = 20544  (34)\n"
            "  output \"y@output\" (no type) <- \"op\"\n"
            "differs from the specification:\n"
            "  version \"1.0.9\"; specification 000, table 23.1 says 1.0.10\n"
            "  Inputs and Outputs in the network; specification 004 says ProcedureList with "
            "InputList, OperationList and OutputList\n");
}

TEST(Json, EditingOneFieldChangesThatFieldOnly) {
  ANECHECK_SKIP_WITHOUT(RealDataPath("netlist/min-0cb0041f.plist"));
  const Bytes bytes = ReadReal(RealDataPath("netlist/min-0cb0041f.plist"));
  Json json = kFormat_netlist.to_json(bytes).value();
  json["document"]["net"]["conv_layer"]["Params"]["KernelOffset"] = 7;
  const Bytes edited = kFormat_netlist.from_json(json).value();
  std::string expected(bytes.begin(), bytes.end());
  expected.replace(expected.find("<integer>192<"), 13, "<integer>7<");
  EXPECT_EQ(std::string(edited.begin(), edited.end()), expected);
}

}  // namespace
}  // namespace anecheck::netlist
