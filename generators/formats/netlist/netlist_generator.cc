// Draws network descriptions with both key styles, both encodings and all layers of the catalog.
// Has edits that break one rule each.
#include "generators/formats/netlist/netlist_generator.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "generators/formats/document_edit.h"
#include "generators/formats/netlist/binary_tables.h"
#include "generators/formats/netlist/gate_breakers.h"
#include "harness/base/json_text.h"
#include "harness/formats/netlist/gates.h"
#include "harness/formats/netlist/model.h"
#include "harness/formats/netlist/netlist_format.h"
#include "harness/formats/netlist/rules.h"

namespace anecheck {
namespace {

using netlist::KeyStyle;
using netlist::LayerSpec;
using netlist::ParamKind;
using netlist::ParamSpec;
using tree::Array;
using tree::Dict;
using tree::Value;

constexpr std::array<std::string_view, 5> kDimensions = {"Width", "Height", "Channel", "Depth",
                                                         "Batch"};

Dict GenerateParams(std::span<const ParamSpec> specs, ChoiceStream& choices);

std::string_view GenerateName(const ParamSpec& spec, ChoiceStream& choices) {
  if (!spec.names.empty()) return choices.Pick(spec.names);
  if (!spec.spelled.empty()) return choices.Pick(spec.spelled);
  if (spec.enumerations.empty()) return "Name";
  return choices.Pick(GetEnumTable(spec.enumerations.front()).entries).name;
}

Value GenerateParam(const ParamSpec& spec, ChoiceStream& choices) {
  Value dimension = Value::String(choices.Pick(kDimensions));
  // Factors of width and height are products of 2s and 3s. The depth has no factor.
  if (spec.key == "FactorX" || spec.key == "FactorY") {
    static constexpr std::array<int64_t, 5> kFactors = {1, 2, 3, 4, 8};
    return Value::Integer(choices.Pick(kFactors));
  }
  if (spec.key == "FactorZ") return Value::Integer(1);
  switch (spec.kind) {
    case ParamKind::kAny:
    case ParamKind::kInteger:
      // An index names a weight file, and every network lists two such files.
      return Value::Integer(choices.Range(0, spec.key.ends_with("Index") ? 1 : 8));
    case ParamKind::kBoolean:
      return Value::Bool(choices.Coin());
    case ParamKind::kReal:
      return Value::Real(static_cast<double>(choices.Range(0, 15)) / 16);
    case ParamKind::kHalfBits:
      return Value::Integer(choices.Range(0, 0x7bff));
    case ParamKind::kName:
    case ParamKind::kNameOrInteger:
      return Value::String(GenerateName(spec, choices));
    case ParamKind::kDimension:
      return dimension;
    case ParamKind::kDimensions:
      return choices.Coin() ? Value(Array{dimension}) : dimension;
    case ParamKind::kIntegers:
      return Value(Array{Value::Integer(1), Value::Integer(choices.Range(1, 2))});
    case ParamKind::kDictionary:
      return Value(GenerateParams(spec.members, choices));
    case ParamKind::kDictionaries:
      return Value(Array{Value(GenerateParams(spec.members, choices))});
  }
  return Value::Integer(0);
}

Dict GenerateParams(std::span<const ParamSpec> specs, ChoiceStream& choices) {
  Dict params;
  for (const ParamSpec& spec : specs) {
    if (spec.required || choices.Coin()) params.Set(spec.key, GenerateParam(spec, choices));
  }
  return params;
}

netlist::Input GenerateInput(const std::string& name, ChoiceStream& choices) {
  static constexpr std::array<int64_t, 5> kInterleaves = {1, 2, 3, 4, 8};
  netlist::Input input;
  input.name = name;
  input.type = choices.Coin() ? "Float16" : "UInt8";
  input.extents.channels = choices.Range(1, 64);
  input.extents.height = choices.Range(1, 8);
  input.extents.width = choices.Range(1, 32);
  if (choices.Coin()) input.extents.batch = 1;
  if (choices.Coin()) input.extents.interleave = choices.Pick(kInterleaves);
  if (choices.Coin()) {
    input.strides.row = 64 * choices.Range(1, 4);
    input.strides.plane = *input.strides.row * *input.extents.height;
  }
  return input;
}

netlist::Unit GenerateUnit(std::string name, const std::vector<std::string>& sources,
                           ChoiceStream& choices) {
  const LayerSpec& layer = choices.Pick(netlist::Layers());
  netlist::Unit unit;
  unit.name = std::move(name);
  unit.type = layer.type;
  const uint64_t most = std::min<uint64_t>(layer.max_bottoms, 5);
  const uint64_t bottoms = layer.min_bottoms + choices.Below(most - layer.min_bottoms + 1);
  for (uint64_t k = 0; k < bottoms; ++k) unit.bottoms.push_back(choices.Pick(sources));
  if (choices.Coin()) unit.output_channels = choices.Range(1, 64);
  unit.output_type = "Float16";
  Dict params = GenerateParams(layer.params, choices);
  if (layer.type == "SDPA") params.Set("SubtractMax", Value::Bool(true));
  if (!params.entries.empty()) unit.params = std::move(params);
  return unit;
}

constexpr int kMostTries = 16;

// Makes a unit that every validator accepts.
netlist::Unit PlainUnit(std::string name, const std::vector<std::string>& sources,
                        ChoiceStream& choices) {
  netlist::Unit unit;
  unit.name = std::move(name);
  unit.type = "Flatten";
  unit.bottoms = {choices.Pick(sources)};
  unit.output_type = "Float16";
  Dict params;
  params.Set("Type", Value::String("NCHW"));
  unit.params = std::move(params);
  return unit;
}

// Whether a unit of `network` breaks a gate. `network` is checked as the only network of the
// description. If the description has procedures, `procedure` is the network's procedure.
bool BreaksGate(netlist::Description description, const netlist::Network& network,
                const netlist::Procedure& procedure) {
  description.networks = {network};
  if (description.key_style == KeyStyle::kProcedures) description.procedures = {procedure};
  const std::span<const Rule> gates = netlist::GateRules();
  return std::ranges::any_of(netlist::Verify(ToTree(description)), [&](const Violation& violation) {
    return std::ranges::find(gates, violation.rule->id, &Rule::id) != gates.end();
  });
}

netlist::Description Describe(ChoiceStream& choices) {
  netlist::Description description;
  const bool procedures = choices.Coin();
  description.key_style = procedures ? KeyStyle::kProcedures : KeyStyle::kPorts;
  description.version =
      std::string(procedures ? netlist::kVersionProcedures : netlist::kVersionPorts);
  netlist::Network network;
  network.name = "net";
  network.weight_files = {"weights.0", "weights.1"};
  netlist::Procedure procedure{"main", {}, {{"net", "op0"}}, {}, {}};
  std::vector<std::string> sources;
  const uint64_t input_count = 1 + choices.Below(3);
  for (uint64_t i = 0; i < input_count; ++i) {
    netlist::Input input = GenerateInput("x" + std::to_string(i), choices);
    sources.push_back(input.name);
    if (procedures) {
      input.unit = "unit0";
      input.operation = "op0";
      procedure.inputs.push_back(std::move(input));
    } else {
      network.inputs.push_back(std::move(input));
    }
  }
  if (choices.Coin()) {
    netlist::Constant constant;
    constant.name = "c";
    constant.type = "Float16";
    constant.extents.width = choices.Range(1, 8);
    constant.index = choices.Range(0, 1);
    constant.byte_offset = 64 * choices.Range(0, 4);
    sources.push_back(constant.name);
    network.constants.push_back(std::move(constant));
  }
  const uint64_t unit_count = 1 + choices.Below(4);
  for (uint64_t i = 0; i < unit_count; ++i) {
    network.units.push_back(GenerateUnit("unit" + std::to_string(i), sources, choices));
    // A unit that a validator refuses is drawn again. After kMostTries a PlainUnit replaces it.
    for (int tries = 0; BreaksGate(description, network, procedure); ++tries) {
      network.units.back() = tries < kMostTries
                                 ? GenerateUnit(network.units.back().name, sources, choices)
                                 : PlainUnit(network.units.back().name, sources, choices);
    }
    sources.push_back(network.units.back().name);
  }
  netlist::Output output;
  output.name = "y@output";
  output.bottom = network.units.back().name;
  output.type = "Float16";
  if (choices.Coin()) output.strides.row = 64;
  network.outputs.push_back(output);
  if (procedures) {
    output.operation = "op0";
    procedure.outputs.push_back(output);
    description.procedures.push_back(std::move(procedure));
  }
  description.networks.push_back(std::move(network));
  return description;
}

Bytes Generate(ChoiceStream& choices) {
  static constexpr std::array<std::string_view, 4> kIndents = {"\t", "  ", "    ", ""};
  plist::Document document;
  document.root = ToTree(Describe(choices));
  document.encoding = choices.Chance(1, 4) ? plist::Encoding::kBinary : plist::Encoding::kXml;
  document.xml.indent = choices.Pick(kIndents);
  document.xml.indent_root = choices.Chance(1, 4);
  if (choices.Coin()) {
    // Adds a comment after the XML declaration, as in hand-written files.
    document.xml.changes = {{2, "\n", "\n<!-- generated -->\n"}};
  }
  if (document.encoding == plist::Encoding::kBinary && choices.Chance(1, 4)) {
    document.table = GenerateOtherTable(document.root, choices);
  }
  return plist::Write(document).value();
}

Json& Net(Json& json) {
  Json& document = json.at("document");
  return document.at(document.at("Networks").at(0).get<std::string>());
}

bool IsProcedures(Json& json) { return json.at("document").contains("ProcedureList"); }
Json& Procedure(Json& json) { return json.at("document").at("ProcedureList").at(0); }

// Returns the unit that `a` chooses among those that `fits` accepts, or nullptr.
template <typename Fits>
Json* UnitWhere(Json& json, uint64_t a, Fits fits) {
  std::vector<Json*> found;
  for (const Json& name : Net(json).at("Units")) {
    Json& unit = Net(json).at(name.get<std::string>());
    const LayerSpec* layer = netlist::FindLayer(unit.at("Type").get<std::string>());
    if (layer != nullptr && fits(unit, *layer)) found.push_back(&unit);
  }
  return found.empty() ? nullptr : found[a % found.size()];
}

Json* AnyUnit(Json& json, uint64_t a) {
  return UnitWhere(json, a, [](const Json&, const LayerSpec&) { return true; });
}

Json* UnitWithBottoms(Json& json, uint64_t a) {
  return UnitWhere(json, a,
                   [](const Json&, const LayerSpec& layer) { return layer.min_bottoms > 0; });
}

// Returns the element that `a` chooses. Throws if the list is empty.
Json& ElementOf(Json& list, uint64_t a) { return list.at(list.empty() ? 0 : a % list.size()); }

Json& InputAt(Json& json, uint64_t a) {
  if (IsProcedures(json)) return ElementOf(Procedure(json).at("InputList"), a);
  return Net(json).at(ElementOf(Net(json).at("Inputs"), a).get<std::string>());
}

bool SetInAnyUnit(Json& json, uint64_t a, const char* key, const Json& value) {
  Json* unit = AnyUnit(json, a);
  if (unit != nullptr) (*unit)[key] = value;
  return unit != nullptr;
}

bool SetBottom(Json* unit, const Json& name) {
  if (unit == nullptr) return false;
  Json& bottom = unit->at("Bottom");
  if (bottom.is_array()) {
    bottom.at(0) = name;
  } else {
    bottom = name;
  }
  return true;
}

// Removes a key from the Params of a unit. `evidence` shows the key to be required.
bool DropRequired(Json& json, uint64_t a, uint64_t b, FactEvidence evidence) {
  const auto wanted = [&](const ParamSpec& spec) {
    return spec.required && spec.required_evidence == evidence;
  };
  Json* unit = UnitWhere(json, a, [&](const Json& item, const LayerSpec& layer) {
    return item.contains("Params") && std::ranges::any_of(layer.params, wanted);
  });
  if (unit == nullptr) return false;
  std::vector<std::string> keys;
  for (const ParamSpec& spec : netlist::FindLayer(unit->at("Type").get<std::string>())->params) {
    if (wanted(spec)) keys.emplace_back(spec.key);
  }
  return unit->at("Params").erase(keys[b % keys.size()]) != 0;
}

// Replaces the value of a parameter whose valid names are known by an unknown name.
bool ChangeName(Json& json, uint64_t a, uint64_t b) {
  const auto has_names = [](const Json& unit, const ParamSpec& spec) {
    return unit.contains("Params") && unit.at("Params").contains(spec.key) &&
           !netlist::IsKnownName(spec, "Nonesuch");
  };
  Json* unit = UnitWhere(json, a, [&](const Json& item, const LayerSpec& layer) {
    return std::ranges::any_of(layer.params,
                               [&](const ParamSpec& spec) { return has_names(item, spec); });
  });
  if (unit == nullptr) return false;
  std::vector<std::string> keys;
  for (const ParamSpec& spec : netlist::FindLayer(unit->at("Type").get<std::string>())->params) {
    if (has_names(*unit, spec)) keys.emplace_back(spec.key);
  }
  unit->at("Params")[keys[b % keys.size()]] = "Nonesuch";
  return true;
}

// Replaces the value of some parameter of known kind by a value of another kind.
bool ChangeKind(Json& json, uint64_t a, uint64_t b) {
  Json* unit = UnitWhere(json, a, [](const Json& item, const LayerSpec& layer) {
    return item.contains("Params") && std::ranges::any_of(layer.params, [&](const ParamSpec& spec) {
             return spec.kind != ParamKind::kAny && item.at("Params").contains(spec.key);
           });
  });
  if (unit == nullptr) return false;
  std::vector<const ParamSpec*> specs;
  for (const ParamSpec& spec : netlist::FindLayer(unit->at("Type").get<std::string>())->params) {
    if (spec.kind != ParamKind::kAny && unit->at("Params").contains(spec.key)) {
      specs.push_back(&spec);
    }
  }
  const ParamSpec& spec = *specs[b % specs.size()];
  unit->at("Params")[std::string(spec.key)] =
      spec.kind == ParamKind::kBoolean ? Json("yes") : Json(true);
  return true;
}

constexpr DocumentEdit kEdits[] = {
    {"other-version", "version-known",
     [](Json& json, uint64_t, uint64_t) {
       json.at("document")["Version"] = "1.0.8";
       return true;
     }},
    {"list-absent-network", "networks-listed",
     [](Json& json, uint64_t, uint64_t) {
       json.at("document").at("Networks").push_back("absent");
       return true;
     }},
    {"drop-outputs", "entry-points",
     [](Json& json, uint64_t, uint64_t) {
       return IsProcedures(json) ? Procedure(json).erase("OutputList") != 0
                                 : Net(json).erase("Outputs") != 0;
     }},
    {"list-absent-port", "port-listed",
     [](Json& json, uint64_t, uint64_t) {
       if (IsProcedures(json)) return false;
       Net(json).at("Outputs").push_back("absent");
       return true;
     }},
    {"list-absent-unit", "unit-listed",
     [](Json& json, uint64_t, uint64_t) {
       Net(json).at("Units").push_back("absent");
       return true;
     }},
    {"rename-unit", "unit-name-agrees",
     [](Json& json, uint64_t a, uint64_t) { return SetInAnyUnit(json, a, "Name", "other"); }},
    {"unknown-type", "unit-type-known",
     [](Json& json, uint64_t a, uint64_t) { return SetInAnyUnit(json, a, "Type", "Nonesuch"); }},
    {"drop-bottoms", "bottom-count",
     [](Json& json, uint64_t a, uint64_t) {
       Json* unit = UnitWithBottoms(json, a);
       if (unit != nullptr) unit->at("Bottom") = Json::array();
       return unit != nullptr;
     }},
    {"dangling-bottom", "bottom-defined",
     [](Json& json, uint64_t a, uint64_t) {
       return SetBottom(UnitWithBottoms(json, a), "absent");
     }},
    {"loop-bottom", "wiring-acyclic",
     [](Json& json, uint64_t a, uint64_t) {
       // Views are left out. A view that views itself would also break the rule that a view's
       // source is a reshape.
       Json* unit = UnitWhere(json, a, [](const Json&, const LayerSpec& layer) {
         return layer.min_bottoms > 0 && layer.type != "InputView";
       });
       return unit != nullptr && SetBottom(unit, unit->at("Name"));
     }},
    {"unknown-param", "param-known",
     [](Json& json, uint64_t a, uint64_t) {
       Json* unit = UnitWhere(json, a, [](const Json& item, const LayerSpec& layer) {
         return layer.closed && item.contains("Params");
       });
       if (unit != nullptr) unit->at("Params")["Nonsense"] = 1;
       return unit != nullptr;
     }},
    {"drop-param", "param-required",
     [](Json& json, uint64_t a, uint64_t b) {
       return DropRequired(json, a, b, FactEvidence::kSpecification);
     }},
    {"drop-assumed-param", "param-required-assumed",
     [](Json& json, uint64_t a, uint64_t b) {
       return DropRequired(json, a, b, FactEvidence::kAssumed);
     }},
    {"change-param-kind", "param-kind", ChangeKind},
    {"change-param-name", "param-name-known", ChangeName},
    {"change-element-type", "element-type-known",
     [](Json& json, uint64_t a, uint64_t) {
       InputAt(json, a)["InputType"] = "Nonesuch";
       return true;
     }},
    {"attention-without-max", "attention-subtracts-max",
     [](Json& json, uint64_t a, uint64_t b) {
       Json* unit = UnitWhere(
           json, a, [](const Json& item, const LayerSpec&) { return item.contains("Bottom"); });
       if (unit == nullptr) return false;
       const Json& bottoms = unit->at("Bottom");
       const Json bottom = bottoms.is_array() ? bottoms.at(0) : bottoms;
       (*unit)["Type"] = "SDPA";
       (*unit)["Bottom"] = {bottom, bottom, bottom, bottom};
       (*unit)["Params"] = Json::object();
       if (b % 2 == 0) (*unit)["Params"]["SubtractMax"] = false;
       return true;
     }},
    {"dangling-output", "output-wired",
     [](Json& json, uint64_t, uint64_t) {
       if (IsProcedures(json)) return false;
       Net(json).at(Net(json).at("Outputs").at(0).get<std::string>())["Bottom"] = "absent";
       return true;
     }},
    {"zero-extent", "extent-positive",
     [](Json& json, uint64_t a, uint64_t) {
       InputAt(json, a)["InputChannels"] = 0;
       return true;
     }},
    {"odd-interleave", "interleave-legal",
     [](Json& json, uint64_t a, uint64_t) {
       InputAt(json, a)["InputInterleave"] = 5;
       return true;
     }},
    {"odd-stride", "stride-granule",
     [](Json& json, uint64_t a, uint64_t b) {
       InputAt(json, a)["InputRowStride"] = 65 + b % 63;
       return true;
     }},
    {"short-stride", "stride-covers",
     [](Json& json, uint64_t a, uint64_t) {
       Json& input = InputAt(json, a);
       input["InputInterleave"] = 1;
       input["InputType"] = "Float16";
       input["InputWidth"] = 1000;
       input["InputRowStride"] = 64;
       return true;
     }},
    {"large-weight-index", "weight-index",
     [](Json& json, uint64_t, uint64_t b) {
       if (!Net(json).contains("c")) return false;
       Net(json).at("c")["ConstantIndex"] = 2 + b;
       return true;
     }},
    {"run-absent-network", "operation-network",
     [](Json& json, uint64_t, uint64_t) {
       if (!IsProcedures(json)) return false;
       Procedure(json).at("OperationList").at(0)["NetworkName"] = "absent";
       return true;
     }},
    {"dangling-procedure-port", "procedure-wired",
     [](Json& json, uint64_t, uint64_t) {
       if (!IsProcedures(json)) return false;
       Procedure(json).at("OutputList").at(0)["Name"] = "absent";
       return true;
     }},
    {"huge-extent", "",
     [](Json& json, uint64_t a, uint64_t) {
       InputAt(json, a)["InputWidth"] = int64_t{1} << 62;
       return true;
     }},
    {"list-a-unit-twice", "",
     [](Json& json, uint64_t a, uint64_t) {
       Json& units = Net(json).at("Units");
       units.push_back(Json(ElementOf(units, a)));
       return true;
     }},
    {"units-as-text", "",
     [](Json& json, uint64_t, uint64_t) {
       Net(json)["Units"] = "unit0";
       return true;
     }},
    {"unknown-unit-key", "",
     [](Json& json, uint64_t a, uint64_t b) { return SetInAnyUnit(json, a, "UnheardOf", b); }},
};

// Adds the breaker's unit, and new constants as its operands.
bool AddBreaker(Json& json, const GateBreaker& breaker) {
  Json& net = Net(json);
  Json unit = ParseJson(breaker.unit).value();
  unit["Name"] = "refused";
  unit["Type"] = std::string(breaker.type);
  unit["Params"] = ParseJson(breaker.params).value();
  if (!unit.contains("OutputType")) unit["OutputType"] = "Float16";
  Json bottoms = Json::array();
  std::stringstream operands{std::string(breaker.operands)};
  for (std::string operand; std::getline(operands, operand, ';');) {
    const std::string name = "operand" + std::to_string(bottoms.size());
    std::stringstream words(operand);
    std::string extents;
    std::string type;
    std::string made_by;
    words >> extents >> type >> made_by;
    Json constant = {{"ConstantType", type}, {"ConstantIndex", 0}};
    std::stringstream list(extents);
    for (const char* key : {"ConstantBatchSize", "ConstantChannels", "ConstantDepth",
                            "ConstantHeight", "ConstantWidth"}) {
      std::string extent;
      std::getline(list, extent, ',');
      constant[key] = std::stoll(extent);
    }
    net[name] = std::move(constant);
    net["Constants"].push_back(name);
    bottoms.push_back(made_by.empty() ? name : "maker");
    if (made_by.empty()) continue;
    net["maker"] = {{"Name", "maker"},
                    {"Type", made_by},
                    {"Bottom", Json::array({name})},
                    {"OutputType", "Float16"},
                    {"Params", Json::object()}};
    net.at("Units").push_back("maker");
  }
  unit["Bottom"] = std::move(bottoms);
  net["refused"] = std::move(unit);
  net.at("Units").push_back("refused");
  return true;
}

template <size_t... kIndex>
constexpr auto WithBreakers(std::index_sequence<kIndex...>) {
  constexpr size_t kCount = std::size(kEdits);
  std::array<DocumentEdit, kCount + sizeof...(kIndex)> all = {};
  std::ranges::copy(kEdits, all.begin());
  ((all[kCount + kIndex] = {kGateBreakers[kIndex].gate, kGateBreakers[kIndex].gate,
                            [](Json& json, uint64_t, uint64_t) {
                              return AddBreaker(json, kGateBreakers[kIndex]);
                            }}),
   ...);
  return all;
}

constexpr auto kAllEdits = WithBreakers(std::make_index_sequence<kGateBreakers.size()>());
constexpr auto kMutations = MakeMutationKinds<kFormat_netlist, kAllEdits>();

}  // namespace

const DescriptorGenerator kGenerator_netlist = {"netlist", Generate, kMutations};

}  // namespace anecheck
